//! The module language as written: modules, module types, and what stands in them.
//!
//! Unlike expressions these are plain trees: there are few of them, and nothing is recorded per node.

use super::{Decl, Ident, ImportDecl, TypeDecl, TypeId, TypeParam, ValDecl};
use crate::base::{Span, Symbol};

/// `module m (p: s) : t = e`.
#[derive(Debug, Clone)]
pub struct ModuleDecl {
    /// Its name.
    pub name: Ident,
    /// Parameters; none for a module that is not parametric.
    pub params: Vec<ModuleParam>,
    /// The module type that the result is to have.
    pub sig: Option<ModuleType>,
    /// What it is.
    pub body: ModuleExpr,
    /// Text of the documentation comment.
    pub doc: Option<Symbol>,
    /// The whole declaration.
    pub span: Span,
}

/// `(p: s)`.
#[derive(Debug, Clone)]
pub struct ModuleParam {
    /// Its name.
    pub name: Ident,
    /// Its module type.
    pub sig: ModuleType,
}

/// `module type s = t`.
#[derive(Debug, Clone)]
pub struct ModuleTypeDecl {
    /// Its name.
    pub name: Ident,
    /// What it is.
    pub sig: ModuleType,
    /// Text of the documentation comment.
    pub doc: Option<Symbol>,
    /// The whole declaration.
    pub span: Span,
}

/// `open m`: makes what is in the module visible, and part of the module around.
#[derive(Debug, Clone)]
pub struct OpenDecl {
    /// The module.
    pub module: ModuleExpr,
    /// The whole declaration.
    pub span: Span,
}

/// A module expression with its place.
#[derive(Debug, Clone)]
pub struct ModuleExpr {
    /// What it is.
    pub kind: ModuleExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of module expressions.
#[allow(missing_docs)]
#[derive(Debug, Clone)]
pub enum ModuleExprKind {
    /// Could not be parsed; reported already.
    Error,
    /// `m.n`.
    Name(Vec<Ident>),
    /// `import "path"`: everything that the file offers.
    Import(ImportDecl),
    /// `{ .. }`.
    Struct(Vec<Decl>),
    /// `f m`.
    Apply { fun: Box<ModuleExpr>, arg: Box<ModuleExpr> },
    /// `m : s`.
    Ascribe { module: Box<ModuleExpr>, sig: ModuleType },
    /// `\(p: s) : t -> m`.
    Lambda { param: Box<ModuleParam>, sig: Option<ModuleType>, body: Box<ModuleExpr> },
    /// `(m)`.
    Paren(Box<ModuleExpr>),
}

/// A module type with its place.
#[derive(Debug, Clone)]
pub struct ModuleType {
    /// What it is.
    pub kind: ModuleTypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of module types.
#[allow(missing_docs)]
#[derive(Debug, Clone)]
pub enum ModuleTypeKind {
    /// Could not be parsed; reported already.
    Error,
    /// `m.s`.
    Name(Vec<Ident>),
    /// `{ .. }`.
    Specs(Vec<Spec>),
    /// `s with m.t 'a = type`.
    With { sig: Box<ModuleType>, path: Vec<Ident>, tparams: Vec<TypeParam>, ty: TypeId },
    /// `s -> t` or `(p: s) -> t`.
    Arrow { param: Option<Ident>, from: Box<ModuleType>, to: Box<ModuleType> },
    /// `(s)`.
    Paren(Box<ModuleType>),
}

/// One specification of a module type.
#[derive(Debug, Clone)]
pub enum Spec {
    /// `val f 'a [n] : type`.
    Val(ValDecl),
    /// `type t 'a [n] = type`.
    Type(TypeDecl),
    /// `type t 'a [n]`.
    Abstract(AbstractType),
    /// `module m : s`.
    Module(ModuleSpec),
    /// `include s`.
    Include(ModuleType),
    /// Something that could not be parsed.
    Error(Span),
}

/// `type t 'a [n]`, of which nothing else is known. Also `type^ t` and `type~ t`, which mean the same here.
#[derive(Debug, Clone)]
pub struct AbstractType {
    /// Its name.
    pub name: Ident,
    /// Parameters.
    pub tparams: Vec<TypeParam>,
    /// Text of the documentation comment.
    pub doc: Option<Symbol>,
    /// The whole specification.
    pub span: Span,
}

/// `module m : s`.
#[derive(Debug, Clone)]
pub struct ModuleSpec {
    /// Its name.
    pub name: Ident,
    /// Its module type.
    pub sig: ModuleType,
    /// Text of the documentation comment.
    pub doc: Option<Symbol>,
    /// The whole specification.
    pub span: Span,
}

/// The imports in a declaration, in source order.
pub fn imports_of<'d>(decl: &'d Decl, out: &mut Vec<&'d ImportDecl>) {
    match decl {
        Decl::Import(import) => out.push(import),
        Decl::Local(inner) => imports_of(inner, out),
        Decl::Module(module) => imports_in(&module.body, out),
        Decl::Open(open) => imports_in(&open.module, out),
        Decl::Def(_) | Decl::Val(_) | Decl::Type(_) | Decl::ModuleType(_) | Decl::Error(_) => {}
    }
}

fn imports_in<'d>(module: &'d ModuleExpr, out: &mut Vec<&'d ImportDecl>) {
    match &module.kind {
        ModuleExprKind::Import(import) => out.push(import),
        ModuleExprKind::Struct(decls) => decls.iter().for_each(|decl| imports_of(decl, out)),
        ModuleExprKind::Apply { fun, arg } => {
            imports_in(fun, out);
            imports_in(arg, out);
        }
        ModuleExprKind::Ascribe { module: inner, .. } | ModuleExprKind::Paren(inner) | ModuleExprKind::Lambda { body: inner, .. } => {
            imports_in(inner, out);
        }
        ModuleExprKind::Error | ModuleExprKind::Name(_) => {}
    }
}
