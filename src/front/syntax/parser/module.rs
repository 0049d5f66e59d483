//! The module language.

use super::Parser;
use crate::base::Symbol;
use crate::front::syntax::error::{ErrorKind, Misplaced, Named, Wanted};
use crate::front::syntax::lexer::Tok;
use crate::ir::surface::modules::{
    AbstractType, ModuleDecl, ModuleExpr, ModuleExprKind, ModuleParam, ModuleSpec, ModuleType, ModuleTypeDecl, ModuleTypeKind, OpenDecl,
    Spec,
};
use crate::ir::surface::{Decl, ExprId, ExprKind, Ident, TypeDecl, ValDecl};

impl Parser<'_> {
    /// `module m ..` and `module type s ..`.
    pub(super) fn module_decl(&mut self, start: u32, doc: Option<Symbol>) -> Decl {
        self.bump();
        if self.eat(Tok::Type) {
            let name = self.ident(Wanted::NameOf(Named::ModuleType));
            self.equals(false);
            let sig = self.module_type();
            self.end_of_decl();
            return Decl::ModuleType(Box::new(ModuleTypeDecl { name, sig, doc, span: self.span_from(start) }));
        }
        let name = self.ident(Wanted::NameOf(Named::Module));
        let mut params = Vec::new();
        while self.at(Tok::LParen) {
            params.push(self.module_param());
        }
        let sig = self.eat(Tok::Colon).then(|| self.module_type());
        self.equals(false);
        let body = self.module_expr();
        self.end_of_decl();
        Decl::Module(Box::new(ModuleDecl { name, params, sig, body, doc, span: self.span_from(start) }))
    }

    /// `open m`.
    pub(super) fn open_decl(&mut self, start: u32) -> Decl {
        self.bump();
        let module = self.module_expr();
        self.end_of_decl();
        Decl::Open(Box::new(OpenDecl { module, span: self.span_from(start) }))
    }

    /// `(p: s)`.
    fn module_param(&mut self) -> ModuleParam {
        let opening = self.open();
        let name = self.ident(Wanted::NameOf(Named::ModuleParameter));
        let sig = if self.expect_as(Tok::Colon, Wanted::ParameterAscription) {
            self.module_type()
        } else {
            ModuleType { kind: ModuleTypeKind::Error, span: self.missing_span() }
        };
        self.close(opening, Wanted::Token(Tok::With));
        ModuleParam { name, sig }
    }

    // Module expressions.

    /// A module expression with ascriptions.
    fn module_expr(&mut self) -> ModuleExpr {
        let start = self.start();
        if self.at(Tok::Backslash) {
            return self.module_lambda();
        }
        let mut module = self.module_apply();
        while self.eat(Tok::Colon) {
            let sig = self.module_type();
            let kind = ModuleExprKind::Ascribe { module: Box::new(module), sig };
            module = ModuleExpr { kind, span: self.span_from(start) };
        }
        module
    }

    /// `\(p: s) : t -> m`.
    fn module_lambda(&mut self) -> ModuleExpr {
        let start = self.start();
        self.bump();
        if !self.at(Tok::LParen) {
            self.expected(Wanted::ModuleParameter);
            self.skip_until(|_| false);
            return ModuleExpr { kind: ModuleExprKind::Error, span: self.span_from(start) };
        }
        let param = Box::new(self.module_param());
        let sig = self.eat(Tok::Colon).then(|| self.module_type_atom());
        self.expect(Tok::Arrow);
        let body = Box::new(self.module_expr());
        ModuleExpr { kind: ModuleExprKind::Lambda { param, sig, body }, span: self.span_from(start) }
    }

    fn at_module_atom(&self) -> bool {
        matches!(self.tok(), Tok::Ident | Tok::LParen | Tok::LBrace)
    }

    fn module_apply(&mut self) -> ModuleExpr {
        let start = self.start();
        let mut module = self.module_atom();
        // As an argument, an import needs parentheses: it might as well be the next declaration.
        while self.at_module_atom() {
            let arg = Box::new(self.module_atom());
            let kind = ModuleExprKind::Apply { fun: Box::new(module), arg };
            module = ModuleExpr { kind, span: self.span_from(start) };
        }
        module
    }

    fn module_atom(&mut self) -> ModuleExpr {
        let start = self.start();
        let kind = match self.tok() {
            Tok::Ident => ModuleExprKind::Name(self.module_path()),
            Tok::Import => match self.import_path() {
                Some(mut import) => {
                    import.span = self.span_from(start);
                    ModuleExprKind::Import(import)
                }
                None => ModuleExprKind::Error,
            },
            Tok::LParen => {
                let opening = self.open();
                let inner = self.module_expr();
                self.close(opening, Wanted::Token(Tok::Colon));
                ModuleExprKind::Paren(Box::new(inner))
            }
            Tok::LBrace => {
                let opening = self.open();
                let mut decls = Vec::new();
                while !matches!(self.tok(), Tok::RBrace | Tok::Eof) {
                    let before = self.pos;
                    decls.push(self.decl());
                    if self.pos == before {
                        // Not reachable by construction; without it a mistake here would hang.
                        self.bump();
                    }
                }
                self.close(opening, Wanted::Declaration);
                ModuleExprKind::Struct(decls)
            }
            _ => {
                self.expected(Wanted::Module);
                self.missing_span();
                ModuleExprKind::Error
            }
        };
        ModuleExpr { kind, span: self.span_from(start) }
    }

    /// `m.n`.
    fn module_path(&mut self) -> Vec<Ident> {
        let mut path = vec![self.ident(Wanted::NameOf(Named::SomeModule))];
        while self.at(Tok::Dot) {
            self.bump();
            path.push(self.ident(Wanted::Name));
        }
        path
    }

    // Module types.

    /// A module type, arrows and refinements included.
    fn module_type(&mut self) -> ModuleType {
        let start = self.start();
        if self.at(Tok::LParen) && self.nth(1) == Tok::Ident && self.nth(2) == Tok::Colon {
            let opening = self.open();
            let param = Some(self.ident(Wanted::Name));
            self.bump();
            let from = Box::new(self.module_type());
            self.close(opening, Wanted::Token(Tok::With));
            self.expect(Tok::Arrow);
            let to = Box::new(self.module_type());
            return ModuleType { kind: ModuleTypeKind::Arrow { param, from, to }, span: self.span_from(start) };
        }
        let from = self.refined_type();
        if !self.eat(Tok::Arrow) {
            return from;
        }
        let to = Box::new(self.module_type());
        ModuleType { kind: ModuleTypeKind::Arrow { param: None, from: Box::new(from), to }, span: self.span_from(start) }
    }

    /// `s with type t = ..`, any number of refinements.
    fn refined_type(&mut self) -> ModuleType {
        let start = self.start();
        let mut sig = self.module_type_atom();
        while self.eat(Tok::With) {
            self.eat(Tok::Type);
            let path = self.module_path();
            let tparams = self.type_params();
            self.equals(false);
            // An arrow would be the arrow of a parametric module's type, but for one after the sizes that a type hides.
            let ty = if self.at(Tok::Question) { self.type_exp() } else { self.type_term() };
            let kind = ModuleTypeKind::With { sig: Box::new(sig), path, tparams, ty };
            sig = ModuleType { kind, span: self.span_from(start) };
        }
        sig
    }

    fn module_type_atom(&mut self) -> ModuleType {
        let start = self.start();
        let kind = match self.tok() {
            Tok::Ident => ModuleTypeKind::Name(self.module_path()),
            Tok::LParen => {
                let opening = self.open();
                let inner = self.module_type();
                self.close(opening, Wanted::Token(Tok::With));
                ModuleTypeKind::Paren(Box::new(inner))
            }
            Tok::LBrace => {
                let opening = self.open();
                let mut specs = Vec::new();
                while !matches!(self.tok(), Tok::RBrace | Tok::Eof) {
                    let before = self.pos;
                    specs.push(self.spec());
                    if self.pos == before {
                        self.bump();
                    }
                }
                self.close(opening, Wanted::Specification);
                ModuleTypeKind::Specs(specs)
            }
            _ => {
                self.expected(Wanted::ModuleType);
                self.missing_span();
                ModuleTypeKind::Error
            }
        };
        ModuleType { kind, span: self.span_from(start) }
    }

    fn spec(&mut self) -> Spec {
        let start = self.start();
        let doc = self.doc();
        let attrs = self.attrs();
        self.about_nothing(&attrs);
        match self.tok() {
            Tok::Val => {
                self.bump();
                let name = self.spec_name();
                let tparams = self.type_params();
                self.expect(Tok::Colon);
                let ty = self.type_exp();
                self.end_of_spec();
                Spec::Val(ValDecl { name, tparams, ty, doc, span: self.span_from(start) })
            }
            Tok::Type => self.type_spec(start, doc),
            Tok::Module => {
                self.bump();
                let name = self.ident(Wanted::NameOf(Named::Module));
                self.expect_as(Tok::Colon, Wanted::Ascription);
                let sig = self.module_type();
                self.end_of_spec();
                Spec::Module(ModuleSpec { name, sig, doc, span: self.span_from(start) })
            }
            Tok::Include => {
                self.bump();
                let sig = self.module_type();
                self.end_of_spec();
                Spec::Include(sig)
            }
            _ => self.no_spec(start),
        }
    }

    fn type_spec(&mut self, start: u32, doc: Option<Symbol>) -> Spec {
        self.bump();
        if matches!(self.tok(), Tok::Caret | Tok::Tilde) {
            self.bump();
        }
        let name = self.ident(Wanted::NameOf(Named::Type));
        let tparams = self.type_params();
        if !self.at(Tok::Eq) {
            self.end_of_spec();
            return Spec::Abstract(AbstractType { name, tparams, doc, span: self.span_from(start) });
        }
        self.equals(false);
        let ty = self.type_exp();
        self.end_of_spec();
        Spec::Type(TypeDecl { name, tparams, ty, doc, span: self.span_from(start) })
    }

    /// The name in a specification: operators need no parentheses there.
    fn spec_name(&mut self) -> Ident {
        if self.tok().is_operator() || self.at(Tok::Bang) {
            let token = self.bump();
            return self.ident_of(token);
        }
        if self.at(Tok::LParen) && self.nth(1) == Tok::Bang && self.nth(2) == Tok::RParen {
            self.bump();
            let token = self.bump();
            self.bump();
            return self.ident_of(token);
        }
        self.binding_name()
    }

    fn end_of_spec(&mut self) {
        if self.at_decl() || matches!(self.tok(), Tok::AttrOpen | Tok::RBrace) {
            return;
        }
        self.expected(Wanted::NextSpecification);
        self.bump();
        self.skip_until(|_| false);
    }

    fn no_spec(&mut self, start: u32) -> Spec {
        self.complain(ErrorKind::NoSpecification { found: self.tok() });
        if !self.at(Tok::Eof) {
            self.bump();
        }
        self.skip_until(|_| false);
        Spec::Error(self.span_from(start))
    }

    // In expressions.

    /// `m.(e)`, at the dot.
    pub(super) fn local_open(&mut self, module: ExprId) -> ExprId {
        let span = self.ast.exprs[module].span;
        self.bump();
        let path = self.path_of(module);
        if path.is_none() {
            self.report(span, ErrorKind::Misplaced(Misplaced::OpensNoModule));
        }
        let expr = self.paren();
        match path {
            Some(module) => self.expr(ExprKind::Open { module, expr }, span.start),
            None => self.expr(ExprKind::Error, span.start),
        }
    }

    /// The parts of a qualified name.
    fn path_of(&self, expr: ExprId) -> Option<Vec<Ident>> {
        let node = &self.ast.exprs[expr];
        match node.kind {
            ExprKind::Name(name) => Some(vec![Ident { name, span: node.span }]),
            ExprKind::Project { expr, field } => {
                let mut path = self.path_of(expr)?;
                path.push(field);
                Some(path)
            }
            _ => None,
        }
    }
}
