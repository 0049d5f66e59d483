//! Type expressions.

use super::Parser;
use crate::front::syntax::error::{ErrorKind, Meant, Wanted};
use crate::front::syntax::lexer::Tok;
use crate::ir::surface::{Dim, Ident, TypeArg, TypeId, TypeKind};

impl Parser<'_> {
    /// A type, arrows included.
    pub(super) fn type_exp(&mut self) -> TypeId {
        let start = self.start();
        if self.at(Tok::Question) {
            self.bump();
            let sizes = self.size_binders();
            if sizes.is_empty() {
                self.expected(Wanted::Token(Tok::LBracket));
            }
            self.expect(Tok::Dot);
            let inner = self.type_exp();
            return self.ty(TypeKind::Exists(sizes, inner), start);
        }
        if self.at(Tok::LParen) && self.nth(1) == Tok::Ident && self.nth(2) == Tok::Colon {
            return self.named_arrow();
        }
        let from = self.type_term();
        if !self.eat(Tok::Arrow) {
            return from;
        }
        let to = self.type_exp();
        self.ty(TypeKind::Arrow { param: None, from, to }, start)
    }

    /// `(x: t) -> u`.
    fn named_arrow(&mut self) -> TypeId {
        let start = self.start();
        let opening = self.open();
        let ident = self.ident(Wanted::Name);
        let param = self.name_pat(ident);
        self.bump();
        let from = self.type_exp();
        self.close(opening, Wanted::NothingElse);
        if !self.eat(Tok::Arrow) {
            self.complain(ErrorKind::NamedType { found: self.tok(), opened: opening.span });
            return self.ty(TypeKind::Paren(from), start);
        }
        let to = self.type_exp();
        self.ty(TypeKind::Arrow { param: Some(param), from, to }, start)
    }

    /// A type without arrows outside of brackets.
    pub(super) fn type_term(&mut self) -> TypeId {
        let start = self.start();
        match self.tok() {
            Tok::Star => {
                self.bump();
                let inner = self.type_term();
                self.ty(TypeKind::Unique(inner), start)
            }
            Tok::Constr => self.sum(),
            _ => self.type_apply(),
        }
    }

    fn sum(&mut self) -> TypeId {
        let start = self.start();
        let mut clauses = Vec::new();
        loop {
            if !self.at(Tok::Constr) {
                self.expected(Wanted::Constructor);
                break;
            }
            let name = self.constr_name();
            let mut payload = Vec::new();
            while self.at_type_atom() {
                payload.push(self.type_atom(true));
            }
            clauses.push((name, payload));
            if !self.eat(Tok::Pipe) {
                break;
            }
        }
        self.ty(TypeKind::Sum(clauses), start)
    }

    fn at_type_atom(&self) -> bool {
        matches!(self.tok(), Tok::Ident | Tok::LParen | Tok::LBrace | Tok::LBracket)
    }

    /// A named type with its arguments, or another type without any.
    fn type_apply(&mut self) -> TypeId {
        let start = self.start();
        if !self.at(Tok::Ident) {
            return self.type_atom(false);
        }
        let path = self.type_path();
        let mut args = Vec::new();
        while self.at_type_atom() {
            args.push(match self.tok() {
                Tok::LBracket => TypeArg::Size(self.dim()),
                _ => TypeArg::Type(self.type_atom(true)),
            });
        }
        self.ty(TypeKind::Name { path, args }, start)
    }

    fn type_path(&mut self) -> Vec<Ident> {
        let mut path = vec![self.ident(Wanted::Type)];
        while self.at(Tok::Dot) && self.nth(1) == Tok::Ident {
            self.bump();
            path.push(self.ident(Wanted::Type));
        }
        path
    }

    /// A type without arguments; `argument` says that an array's element is such a type too.
    fn type_atom(&mut self, argument: bool) -> TypeId {
        let start = self.start();
        let kind = match self.tok() {
            Tok::Ident => TypeKind::Name { path: self.type_path(), args: Vec::new() },
            Tok::LBracket => {
                let dim = self.dim();
                let element = match self.tok() {
                    // The rows of a ragged array.
                    Tok::Question if !argument => self.type_exp(),
                    _ if argument => self.type_atom(true),
                    _ => self.type_term(),
                };
                TypeKind::Array(dim, element)
            }
            Tok::LParen => {
                let opening = self.open();
                let mut items = Vec::new();
                self.comma_list(opening, &mut items, Self::type_exp);
                let kind = match items.as_slice() {
                    [inner] => TypeKind::Paren(*inner),
                    _ => TypeKind::Tuple(items),
                };
                self.close(opening, Wanted::Token(Tok::Comma));
                kind
            }
            Tok::LBrace => {
                let opening = self.open();
                let mut fields = Vec::new();
                self.comma_list(opening, &mut fields, Self::field_type);
                self.close(opening, Wanted::Token(Tok::Comma));
                super::atom::tuple_fields(fields).map_or_else(TypeKind::Record, TypeKind::Tuple)
            }
            _ => {
                self.no_type();
                TypeKind::Error
            }
        };
        self.ty(kind, start)
    }

    fn no_type(&mut self) {
        if self.at(Tok::Quote) {
            self.expected_with(Wanted::Type, Some(Meant::TypeParameter));
            self.bump();
            if self.at(Tok::Ident) {
                self.bump();
            }
            return;
        }
        self.expected(Wanted::Type);
        self.missing_span();
    }

    fn field_type(&mut self) -> (Ident, TypeId) {
        let field = if self.at(Tok::Number) {
            let token = self.bump();
            self.ident_of(token)
        } else {
            self.ident(Wanted::FieldName)
        };
        self.expect(Tok::Colon);
        (field, self.type_exp())
    }

    /// `[e]` or `[]`.
    fn dim(&mut self) -> Dim {
        let opening = self.open();
        let dim = if self.at(Tok::RBracket) { Dim::Anon } else { Dim::Expr(self.exp()) };
        self.close(opening, Wanted::NothingElse);
        dim
    }
}
