//! Patterns, parameters, and the names that declarations bind.

use super::Parser;
use crate::base::Span;
use crate::front::syntax::error::{ErrorKind, Misplaced, Named, Wanted};
use crate::front::syntax::lexer::Tok;
use crate::ir::attributes::{self, Attribute, Unknown};
use crate::ir::surface::{ExprKind, Ident, PatId, PatKind, TypeParam, UnaryOp};

impl Parser<'_> {
    /// A pattern with an optional type.
    pub(super) fn pattern(&mut self) -> PatId {
        self.pattern_with(Self::type_exp)
    }

    /// The pattern of a `case`: an arrow after its type belongs to the case.
    pub(super) fn case_pat(&mut self) -> PatId {
        self.pattern_with(Self::type_term)
    }

    fn pattern_with(&mut self, ty: impl FnOnce(&mut Self) -> crate::ir::surface::TypeId) -> PatId {
        let attrs = self.attrs();
        self.about_nothing(&attrs);
        let start = self.start();
        let inner = self.inner_pat(true);
        if !self.eat(Tok::Colon) {
            return inner;
        }
        let ty = ty(self);
        self.pat(PatKind::Ascribe(inner, ty), start)
    }

    /// Whether a parameter comes next.
    pub(super) fn at_param(&self) -> bool {
        matches!(
            self.tok(),
            Tok::Ident | Tok::LParen | Tok::LBrace | Tok::Under | Tok::Number | Tok::Char | Tok::Constr | Tok::True | Tok::False
        )
    }

    /// Parameters, any number.
    pub(super) fn params(&mut self) -> Vec<PatId> {
        let mut params = Vec::new();
        while self.at_param() {
            params.push(self.inner_pat(false));
        }
        if self.at(Tok::LBracket) && !params.is_empty() {
            self.complain(ErrorKind::Misplaced(Misplaced::LateSizeParameter));
            self.type_params();
            params.extend(self.params());
        }
        params
    }

    /// A pattern without a type; `fields` says whether a constructor takes the patterns after it.
    pub(super) fn inner_pat(&mut self, fields: bool) -> PatId {
        let start = self.start();
        let kind = match self.tok() {
            Tok::Ident => {
                let token = self.bump();
                PatKind::Name(self.ident_of(token).name)
            }
            Tok::Under => {
                self.bump();
                PatKind::Wild
            }
            Tok::LParen => self.paren_pat(),
            Tok::LBrace => {
                let opening = self.open();
                let mut items = Vec::new();
                self.comma_list(opening, &mut items, Self::field_pat);
                self.close(opening, Wanted::Token(Tok::Comma));
                super::atom::tuple_fields(items).map_or_else(PatKind::Record, PatKind::Tuple)
            }
            Tok::Constr => {
                let name = self.constr_name();
                let mut args = Vec::new();
                while fields && (self.at_param() || self.at(Tok::Minus)) {
                    args.push(self.inner_pat(false));
                }
                PatKind::Constr(name, args)
            }
            Tok::Number | Tok::Char | Tok::True | Tok::False => {
                let literal = self.atom_literal();
                PatKind::Lit(literal)
            }
            Tok::Minus => {
                let token = self.bump();
                let op_span = Span::between(self.file, token.start, token.end);
                if !self.at(Tok::Number) {
                    self.expected(Wanted::Number);
                }
                let expr = self.atom_literal();
                PatKind::Lit(self.expr(ExprKind::Unary { op: UnaryOp::Neg, op_span, expr }, start))
            }
            _ => {
                self.expected(Wanted::Pattern);
                self.missing_span();
                PatKind::Error
            }
        };
        self.pat(kind, start)
    }

    fn atom_literal(&mut self) -> crate::ir::surface::ExprId {
        let start = self.start();
        let kind = match self.tok() {
            Tok::Number => {
                let token = self.bump();
                self.number(token)
            }
            Tok::Char => {
                let token = self.bump();
                match crate::front::syntax::literal::character(self.slice(token)) {
                    Ok(value) => ExprKind::Int { value, suffix: None },
                    Err(error) => self.bad_literal(token, error),
                }
            }
            Tok::True | Tok::False => ExprKind::Bool(self.bump().tok == Tok::True),
            _ => return self.missing_expr(),
        };
        self.expr(kind, start)
    }

    fn paren_pat(&mut self) -> PatKind {
        let opening = self.open();
        if self.at(Tok::RParen) {
            self.close(opening, Wanted::NothingElse);
            return PatKind::Tuple(Vec::new());
        }
        if self.tok().is_operator() && self.nth(1) == Tok::RParen {
            let token = self.bump();
            let name = self.ident_of(token).name;
            self.close(opening, Wanted::NothingElse);
            return PatKind::Name(name);
        }
        let first = self.pattern();
        let kind = if self.eat(Tok::Comma) {
            let mut items = vec![first];
            self.comma_list(opening, &mut items, Self::pattern);
            if items.len() == 1 {
                let span = self.ast.pats[first].span;
                self.report(span, ErrorKind::Misplaced(Misplaced::OneComponentPattern));
                PatKind::Paren(first)
            } else {
                PatKind::Tuple(items)
            }
        } else {
            PatKind::Paren(first)
        };
        self.close(opening, Wanted::CommaOrColon);
        kind
    }

    fn field_pat(&mut self) -> (Ident, PatId) {
        let field = if self.at(Tok::Number) && self.nth(1) == Tok::Eq {
            let token = self.bump();
            self.ident_of(token)
        } else {
            self.ident(Wanted::FieldName)
        };
        if self.eat(Tok::Eq) {
            return (field, self.pattern());
        }
        let name = self.name_pat(field);
        if self.eat(Tok::Colon) {
            let ty = self.type_exp();
            return (field, self.pat(PatKind::Ascribe(name, ty), field.span.start));
        }
        (field, name)
    }

    /// `[n]`, any number, as binders.
    pub(super) fn size_binders(&mut self) -> Vec<PatId> {
        let mut sizes = Vec::new();
        while self.at(Tok::LBracket) {
            sizes.push(self.size_binder());
        }
        sizes
    }

    fn size_binder(&mut self) -> PatId {
        let opening = self.open();
        let ident = self.ident(Wanted::NameOf(Named::Size));
        let pat = self.name_pat(ident);
        self.close(opening, Wanted::NothingElse);
        pat
    }

    /// `'a [n]`, any number.
    pub(super) fn type_params(&mut self) -> Vec<TypeParam> {
        let mut params = Vec::new();
        loop {
            match self.tok() {
                Tok::LBracket => params.push(TypeParam::Size(self.size_binder())),
                Tok::Quote => {
                    self.bump();
                    if matches!(self.tok(), Tok::Caret | Tok::Tilde) {
                        self.bump();
                    }
                    params.push(TypeParam::Type(self.ident(Wanted::NameOf(Named::TypeParameter))));
                }
                _ => return params,
            }
        }
    }

    /// A name to bind: an identifier or an operator in parentheses.
    pub(super) fn binding_name(&mut self) -> Ident {
        if self.at(Tok::LParen) && self.nth(1).is_operator() && self.nth(2) == Tok::RParen {
            self.bump();
            let token = self.bump();
            self.bump();
            return self.ident_of(token);
        }
        self.ident(Wanted::Name)
    }

    /// Warns about an attribute that is not known.
    fn known_attr(&mut self, ident: Ident) {
        let kind = match attributes::read(ident.name.as_str()) {
            Ok(_) => return,
            // What is wrong was said.
            Err(Unknown::Name(name)) if name.is_empty() => return,
            Err(Unknown::Name(name)) => {
                let near = crate::diag::closest(&name, attributes::KNOWN.iter().map(|(known, ..)| *known));
                ErrorKind::UnknownAttribute { name, near }
            }
            Err(Unknown::Argument(argument, takes)) => ErrorKind::AttributeArgument { argument, takes },
        };
        self.report(ident.span, kind);
    }

    /// Attributes are about expressions and definitions: in front of anything else those that we know have no effect.
    pub(super) fn about_nothing(&mut self, attrs: &[Ident]) {
        for attr in attrs {
            if !matches!(attributes::read(attr.name.as_str()), Ok(Attribute::Accepted) | Err(_)) {
                self.report(attr.span, ErrorKind::AttributeOfNothing);
            }
        }
    }

    /// Attributes, any number.
    pub(super) fn attrs(&mut self) -> Vec<Ident> {
        let mut attrs = Vec::new();
        while self.at(Tok::AttrOpen) {
            attrs.push(self.attr());
        }
        attrs
    }

    /// `#[name(..)]`; the text between the brackets.
    pub(super) fn attr(&mut self) -> Ident {
        let opening = self.open();
        let start = self.start();
        if !matches!(self.tok(), Tok::Ident | Tok::Number) {
            self.expected(Wanted::NameOf(Named::Attribute));
        }
        let mut depth = 0;
        loop {
            match self.tok() {
                Tok::LParen => depth += 1,
                Tok::RParen if depth > 0 => depth -= 1,
                Tok::Comma | Tok::Minus if depth > 0 => {}
                Tok::Ident | Tok::Number => {}
                _ => break,
            }
            self.bump();
        }
        let end = self.reach.max(start);
        let text = self.text.get(start as usize..end as usize).unwrap_or("");
        let ident = Ident { name: text.into(), span: Span::between(self.file, start, end) };
        let whole = self.at(opening.closer);
        self.close(opening, Wanted::NothingElse);
        if whole {
            self.known_attr(ident);
        }
        ident
    }
}
