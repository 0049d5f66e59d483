//! Declarations.

use super::Parser;
use crate::base::Symbol;
use crate::front::syntax::error::{ErrorKind, Meant, Misplaced, Named, Wanted};
use crate::front::syntax::lexer::Tok;
use crate::ir::surface::{Decl, DefDecl, Ident, ImportDecl, PatId, TypeDecl, TypeParam, ValDecl};

/// How a definition starts: name, type parameters, parameters.
struct Header {
    name: Ident,
    tparams: Vec<TypeParam>,
    params: Vec<PatId>,
}

impl Parser<'_> {
    /// All declarations up to the end.
    pub(super) fn decls(&mut self) -> Vec<Decl> {
        let mut decls = Vec::new();
        while !self.at(Tok::Eof) {
            let before = self.pos;
            decls.push(self.decl());
            if self.pos == before {
                // Not reachable by construction; without it a mistake here would hang.
                self.bump();
            }
        }
        decls
    }

    /// Skips what does not belong to the declaration that just ended.
    pub(super) fn end_of_decl(&mut self) {
        let closes = self.at(Tok::RBrace) && self.open.has(Tok::RBrace);
        if self.at_decl() || closes || matches!(self.tok(), Tok::Let | Tok::AttrOpen) {
            return;
        }
        match self.tok() {
            Tok::RParen | Tok::RBracket | Tok::RBrace => self.complain(ErrorKind::ClosesNothing),
            _ => self.expected_with(Wanted::NextDeclaration, self.meant_at_end()),
        }
        self.bump();
        self.skip_until(|_| false);
    }

    pub(super) fn doc(&mut self) -> Option<Symbol> {
        let mut doc = None;
        while let Some((at, text)) = self.docs.get(self.next_doc)
            && *at <= self.pos
        {
            doc = (*at == self.pos).then_some(*text);
            self.next_doc += 1;
        }
        doc
    }

    pub(super) fn decl(&mut self) -> Decl {
        self.decl_with(Vec::new())
    }

    /// A declaration; `attrs` are in front of it.
    fn decl_with(&mut self, mut attrs: Vec<Ident>) -> Decl {
        let start = self.start();
        let doc = self.doc();
        attrs.extend(self.attrs());
        if !matches!(self.tok(), Tok::Def | Tok::Entry | Tok::Let | Tok::Local) {
            self.about_nothing(&attrs);
        }
        match self.tok() {
            Tok::Def | Tok::Entry | Tok::Let => self.def(start, doc, attrs),
            Tok::Val => self.val(start, doc),
            Tok::Type => self.type_decl(start, doc),
            Tok::Import => self.import(start),
            Tok::Local => {
                self.bump();
                if self.at(Tok::Eof) {
                    self.expected(Wanted::Declaration);
                    return Decl::Error(self.span_from(start));
                }
                Decl::Local(Box::new(self.decl_with(attrs)))
            }
            Tok::Module => self.module_decl(start, doc),
            Tok::Open => self.open_decl(start),
            Tok::Include => {
                self.complain(ErrorKind::Misplaced(Misplaced::Include));
                self.bump();
                self.skip_until(|_| false);
                Decl::Error(self.span_from(start))
            }
            _ => self.no_decl(start),
        }
    }

    fn no_decl(&mut self, start: u32) -> Decl {
        self.complain(ErrorKind::NoDeclaration { found: self.tok(), equals: self.nth(1) == Tok::Eq });
        if !self.at(Tok::Eof) {
            self.bump();
        }
        self.skip_until(|_| false);
        Decl::Error(self.span_from(start))
    }

    fn def(&mut self, start: u32, doc: Option<Symbol>, attrs: Vec<Ident>) -> Decl {
        let entry = self.bump().tok == Tok::Entry;
        let Some(header) = self.header() else {
            self.skip_until(|_| false);
            return Decl::Error(self.span_from(start));
        };
        let colon = self.token(0);
        // `def f(x):` with a body below it.
        let python = self.ends_line(colon.end);
        let ret = self.eat(Tok::Colon).then(|| self.type_exp());
        self.equals_behind(ret.is_some(), python.then_some(colon));
        let body = self.exp();
        self.end_of_decl();
        // An attribute of a definition is about its body.
        attrs.iter().for_each(|attr| self.about_loops(*attr, body));
        let Header { name, tparams, params } = header;
        Decl::Def(DefDecl { entry, name, tparams, params, ret, body, attrs, doc, span: self.span_from(start) })
    }

    /// Whether the next token but one is `=-` or `=!`: rather a missing space than the name of an operator.
    fn glued_equals(&self) -> bool {
        matches!(self.slice(self.token(1)), "=-" | "=!")
    }

    /// What stands before the result type.
    fn header(&mut self) -> Option<Header> {
        let plain_name = match self.tok() {
            Tok::Ident => !(self.nth(1) == Tok::Backtick || (self.nth(1).is_operator() && !self.glued_equals())),
            Tok::LParen => self.nth(1).is_operator() && self.nth(2) == Tok::RParen,
            Tok::Under | Tok::LBrace => false,
            _ => {
                self.expected(Wanted::NameOf(Named::Definition));
                if !self.at_line_start(self.token(0)) {
                    self.bump();
                }
                return None;
            }
        };
        if plain_name {
            let name = self.binding_name();
            return Some(Header { name, tparams: self.type_params(), params: self.params() });
        }
        let lhs = self.inner_pat(false);
        if !(self.tok().is_operator() || self.at(Tok::Backtick)) {
            let span = self.ast.pats[lhs].span;
            self.report(span, ErrorKind::Misplaced(Misplaced::PatternDefinition));
            self.complained = Some(self.pos);
            return None;
        }
        let op = self.operator();
        if let Some(function) = op.backtick
            && !matches!(self.ast.exprs[function].kind, crate::ir::surface::ExprKind::Name(_))
        {
            let span = self.ast.exprs[function].span;
            self.report(span, ErrorKind::Misplaced(Misplaced::QualifiedDefinition));
        }
        let rhs = self.inner_pat(false);
        Some(Header { name: op.ident, tparams: Vec::new(), params: vec![lhs, rhs] })
    }

    fn val(&mut self, start: u32, doc: Option<Symbol>) -> Decl {
        self.bump();
        let name = self.binding_name();
        let tparams = self.type_params();
        self.expect(Tok::Colon);
        let ty = self.type_exp();
        self.end_of_decl();
        Decl::Val(ValDecl { name, tparams, ty, doc, span: self.span_from(start) })
    }

    fn type_decl(&mut self, start: u32, doc: Option<Symbol>) -> Decl {
        self.bump();
        if matches!(self.tok(), Tok::Caret | Tok::Tilde) {
            self.bump();
        }
        let name = self.ident(Wanted::NameOf(Named::Type));
        let tparams = self.type_params();
        self.equals(false);
        let ty = self.type_exp();
        self.end_of_decl();
        Decl::Type(TypeDecl { name, tparams, ty, doc, span: self.span_from(start) })
    }

    fn import(&mut self, start: u32) -> Decl {
        let import = self.import_path();
        self.end_of_decl();
        let span = self.span_from(start);
        import.map_or(Decl::Error(span), |import| Decl::Import(ImportDecl { span, ..import }))
    }

    /// `import "path"`, at the keyword. The span is that of the path.
    pub(super) fn import_path(&mut self) -> Option<ImportDecl> {
        self.bump();
        let path_span = self.span_here();
        if !self.at(Tok::Str) {
            let numpy = matches!(self.slice(self.token(0)), "numpy" | "np").then_some(Meant::NumPy);
            self.expected_with(Wanted::Path, numpy);
            return None;
        }
        let token = self.bump();
        match crate::front::syntax::literal::string(self.slice(token)) {
            Ok(text) => Some(ImportDecl { path: Symbol::new(&text), path_span, span: path_span }),
            Err(error) => {
                self.bad_literal(token, error);
                None
            }
        }
    }
}
