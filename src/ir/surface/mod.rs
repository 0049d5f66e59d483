//! The surface language as written: an arena of nodes with spans.
//!
//! Properties: the tree holds exactly what was written (parentheses, pipes and sections included); nothing is resolved,
//! typed or desugared; parsing never fails, what could not be parsed is an `Error` node with a diagnostic beside it;
//! the span of a child lies inside the span of its parent. All files of a program share one [`Ast`], so that side
//! tables ([`IdxMap`](crate::base::IdxMap)) are keyed by node alone.
//!
//! Every place that binds a term variable is a [`Pat`] of kind [`PatKind::Name`]: parameters, `let`, local functions,
//! loop counters, size binders, and the new array of `let a[i] = v`. A local variable is therefore a [`PatId`].

pub mod children;
pub mod copy;
pub mod modules;
pub mod view;

use crate::base::{Arena, FileId, Idx, PrimType, Span, Symbol};
use modules::{ModuleDecl, ModuleTypeDecl, OpenDecl};
use rustc_hash::FxHashMap;

/// An expression.
pub type ExprId = Idx<Expr>;
/// A pattern.
pub type PatId = Idx<Pat>;
/// A type expression.
pub type TypeId = Idx<TypeExpr>;

/// All nodes of all files of a program.
#[derive(Debug, Default, Clone)]
pub struct Ast {
    /// Expressions.
    pub exprs: Arena<Expr>,
    /// Patterns.
    pub pats: Arena<Pat>,
    /// Type expressions.
    pub types: Arena<TypeExpr>,
    /// The files that are read as Futhark reads them.
    pub futhark: Vec<FileId>,
    /// Loops with a condition that may run so often, `#[bound(n)]`.
    pub bounds: FxHashMap<ExprId, i64>,
}

impl Ast {
    /// The arguments of a declared type. Where it takes sizes and then one type, an array type stands for all of them: with
    /// `type acc [n] 't`, `acc ([k]f32)` is `acc [k] f32`.
    pub fn type_arguments(&self, decl: &TypeDecl, given: &[TypeArg]) -> Vec<TypeArg> {
        if let ([TypeArg::Type(array)], [sizes @ .., TypeParam::Type(_)]) = (given, decl.tparams.as_slice()) {
            let (mut args, mut rest) = (Vec::with_capacity(decl.tparams.len()), *array);
            for param in sizes {
                while let TypeKind::Paren(inner) = &self.types[rest].kind {
                    rest = *inner;
                }
                match (param, &self.types[rest].kind) {
                    (TypeParam::Size(_), TypeKind::Array(dim, element)) => {
                        args.push(TypeArg::Size(*dim));
                        rest = *element;
                    }
                    _ => return given.to_vec(),
                }
            }
            args.push(TypeArg::Type(rest));
            return args;
        }
        given.to_vec()
    }
}

/// A name with the place where it stands. Operators are names too: `+`, `>->`, `&&`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ident {
    /// The text.
    pub name: Symbol,
    /// The place.
    pub span: Span,
}

/// The name of what could not be read, which was reported: nobody can write it.
const MISSING: &str = "?";

/// Whether a name stands for one that could not be read.
pub fn is_missing(name: Symbol) -> bool {
    name.as_str() == MISSING
}

impl Ident {
    /// What stands for a name that could not be read at this place.
    pub fn missing(span: Span) -> Ident {
        Ident { name: Symbol::new(MISSING), span }
    }
    /// Whether the name could not be read.
    pub fn is_missing(self) -> bool {
        is_missing(self.name)
    }
}

/// One parsed file.
#[derive(Debug, Clone, Default)]
pub struct SourceUnit {
    /// The file.
    pub file: FileId,
    /// Declarations in source order.
    pub decls: Vec<Decl>,
}

/// A top-level declaration.
#[derive(Debug, Clone)]
pub enum Decl {
    /// `def`, `entry` or top-level `let`.
    Def(DefDecl),
    /// `val f 'a [n] : type`: a definition that the compiler supplies; only in the standard library.
    Val(ValDecl),
    /// `type t 'a [n] = type`.
    Type(TypeDecl),
    /// `import "path"`.
    Import(ImportDecl),
    /// `module m = ..`.
    Module(Box<ModuleDecl>),
    /// `module type s = ..`.
    ModuleType(Box<ModuleTypeDecl>),
    /// `open m`.
    Open(Box<OpenDecl>),
    /// `local d`: `d` is visible to what follows in its file or module, and nowhere else.
    Local(Box<Decl>),
    /// Something that could not be parsed.
    Error(Span),
}

/// `def f 'a [n] (x: [n]a) : t = e`.
#[derive(Debug, Clone)]
pub struct DefDecl {
    /// Whether it was declared with `entry`.
    pub entry: bool,
    /// Its name; an operator for `def (+++) x y = ..` and `` def x `op` y ``.
    pub name: Ident,
    /// Type and size parameters in source order.
    pub tparams: Vec<TypeParam>,
    /// Parameters; none for a constant.
    pub params: Vec<PatId>,
    /// Result type.
    pub ret: Option<TypeId>,
    /// The body.
    pub body: ExprId,
    /// Attributes, such as `inline`, as written between `#[` and `]`.
    pub attrs: Vec<Ident>,
    /// Text of the documentation comment (`-- |`), without the markers.
    pub doc: Option<Symbol>,
    /// The whole declaration.
    pub span: Span,
}

/// `val f 'a [n] : type`.
#[derive(Debug, Clone)]
pub struct ValDecl {
    /// Its name.
    pub name: Ident,
    /// Type and size parameters in source order.
    pub tparams: Vec<TypeParam>,
    /// Its type.
    pub ty: TypeId,
    /// Text of the documentation comment.
    pub doc: Option<Symbol>,
    /// The whole declaration.
    pub span: Span,
}

/// `type t 'a [n] = type`.
#[derive(Debug, Clone)]
pub struct TypeDecl {
    /// Its name.
    pub name: Ident,
    /// Parameters.
    pub tparams: Vec<TypeParam>,
    /// What it stands for.
    pub ty: TypeId,
    /// Text of the documentation comment.
    pub doc: Option<Symbol>,
    /// The whole declaration.
    pub span: Span,
}

/// `import "path"`.
#[derive(Debug, Clone)]
pub struct ImportDecl {
    /// The path as written, without the quotes.
    pub path: Symbol,
    /// The path's place.
    pub path_span: Span,
    /// The whole declaration.
    pub span: Span,
}

/// A parameter of a polymorphic definition.
#[derive(Debug, Clone, Copy)]
pub enum TypeParam {
    /// `[n]`: a size, usable as an `i64` in the body. The pattern is a `Name`.
    Size(PatId),
    /// `'a` (the name is stored without the quote). Also `'^a` and `'~a`, which mean the same here.
    Type(Ident),
}

/// An expression with its place.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of expressions; each variant documents its fields.
#[allow(missing_docs)]
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// Could not be parsed; reported already.
    Error,
    /// An integer literal (never negative: minus is an operator). May carry any numeric suffix.
    Int { value: u64, suffix: Option<PrimType> },
    /// A float literal: the nearest double, and the one that is rounded to narrower types ([`to_odd`](crate::base::scalar::decimal::to_odd)).
    Float { value: f64, odd: f64, suffix: Option<PrimType> },
    /// An imaginary literal, `2.5j`: as a float literal, times the imaginary unit.
    Imaginary { value: f64, odd: f64, suffix: Option<PrimType> },
    /// `true` or `false`.
    Bool(bool),
    /// A string literal: an array of `u8`.
    Str(Symbol),
    /// A variable or an operator in prefix position. A qualified name `f32.sqrt` is a [`ExprKind::Project`] of a name.
    Name(Symbol),
    /// `(+)`: an operator (or a backticked function) as a function.
    OpFn(Ident),
    /// `(e)`.
    Paren(ExprId),
    /// `(a, b)`; `()` is the empty tuple; there are no one-tuples.
    Tuple(Vec<ExprId>),
    /// `{x = e, y}`: a field without an expression means the variable of that name (its expression is a `Name`).
    Record(Vec<(Ident, ExprId)>),
    /// `[a, b]`.
    Array(Vec<ExprId>),
    /// `#c e ..`.
    Constr { name: Ident, args: Vec<ExprId> },
    /// `e.x`, `e.0`, and the qualified name `m.x` (resolution decides which).
    Project { expr: ExprId, field: Ident },
    /// `a[i, j:k:s]`.
    Index { array: ExprId, indices: Vec<IndexArg> },
    /// `a..b..<c`, with `kind` saying how the end counts.
    Range { start: ExprId, step: Option<ExprId>, kind: RangeKind, end: ExprId },
    /// `f a b`: at least one argument; `fun` is not itself an `Apply`.
    Apply { fun: ExprId, args: Vec<ExprId> },
    /// `a op b`, pipes and `&&` included. A backticked name is an operator spelled with the name, `op.backtick` set.
    Binary { op: Operator, lhs: ExprId, rhs: ExprId },
    /// `-e` or `!e`.
    Unary { op: UnaryOp, op_span: Span, expr: ExprId },
    /// `\x y -> e`.
    Lambda { params: Vec<PatId>, ret: Option<TypeId>, body: ExprId },
    /// `(e op)`.
    LeftSection { lhs: ExprId, op: Operator },
    /// `(op e)`; `(- e)` is negation instead.
    RightSection { op: Operator, rhs: ExprId },
    /// `(.x.y)`.
    ProjectSection(Vec<Ident>),
    /// `(.[i, j])`.
    IndexSection(Vec<IndexArg>),
    /// `let [n] p = e1 in e2` (the `in` may be missing before another `let`).
    Let { sizes: Vec<PatId>, pat: PatId, rhs: ExprId, body: ExprId },
    /// `let f 'a [n] x y : t = e1 in e2`.
    LetFun(Box<LetFun>),
    /// `let a[i].x = v in e`: binds a new `a`.
    LetUpdate { base: ExprId, binder: PatId, path: Vec<Access>, value: ExprId, body: ExprId },
    /// `if c then a else b`.
    If { cond: ExprId, then: ExprId, els: ExprId },
    /// `match e case p -> e ..`.
    Match { scrutinee: ExprId, cases: Vec<(PatId, ExprId)> },
    /// `loop p = init for .. do body`; without `= init` the variables of the pattern start at their current values (the
    /// parser writes the initial expression out).
    Loop { sizes: Vec<PatId>, pat: PatId, init: ExprId, form: LoopForm, body: ExprId },
    /// `a with [i] = v`, `r with x.y = v`, `a with [i].x[j] = v`.
    With { base: ExprId, path: Vec<Access>, value: ExprId },
    /// `e : t`.
    Ascribe { expr: ExprId, ty: TypeId },
    /// `e :> t`.
    Coerce { expr: ExprId, ty: TypeId },
    /// `assert c e`.
    Assert { cond: ExprId, expr: ExprId },
    /// `#[attr] e`.
    Attr { attr: Ident, expr: ExprId },
    /// `m.n.(e)`: the names of the module are visible in the expression, and hide those around it.
    Open { module: Vec<Ident>, expr: ExprId },
    /// `???`.
    Hole,
}

/// A local function definition.
#[derive(Debug, Clone)]
pub struct LetFun {
    /// Its name (a `Name` pattern).
    pub binder: PatId,
    /// Type and size parameters.
    pub tparams: Vec<TypeParam>,
    /// Parameters, at least one.
    pub params: Vec<PatId>,
    /// Result type.
    pub ret: Option<TypeId>,
    /// The function's body.
    pub rhs: ExprId,
    /// The expression in which it is visible.
    pub body: ExprId,
}

/// An infix operator as written. `lhs |> rhs`, `&&` and `` `f` `` are operators.
#[derive(Debug, Clone, Copy)]
pub struct Operator {
    /// The operator; for a backticked qualified name the last part.
    pub ident: Ident,
    /// The name in backticks as an expression (`Name` or `Project`), if it was one.
    pub backtick: Option<ExprId>,
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`.
    Neg,
    /// `!`: logical or bitwise negation.
    Not,
}

/// How a range ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeKind {
    /// `..<c`.
    UpTo,
    /// `..>c`.
    DownTo,
    /// `...c`.
    Through,
}

/// One position of an index or slice.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy)]
pub enum IndexArg {
    /// `i`.
    Index(ExprId),
    /// `i:j:s`, each optional.
    Slice { start: Option<ExprId>, end: Option<ExprId>, step: Option<ExprId>, span: Span },
}

/// A step from a value to a part of it, in an update.
#[derive(Debug, Clone)]
pub enum Access {
    /// `.x`.
    Field(Ident),
    /// `[i, j:k:s]`.
    Index(Vec<IndexArg>),
}

/// The positions of all indices and slices of a path.
pub fn path_indices(path: &[Access]) -> impl Iterator<Item = &IndexArg> {
    path.iter().flat_map(|access| match access {
        Access::Field(_) => &[][..],
        Access::Index(indices) => indices,
    })
}

/// The name of the operand of a section such as `(.[i].x)`, which is a lambda: one that cannot be written.
pub fn section_operand() -> Symbol {
    Symbol::new("x.")
}

impl Ast {
    /// The new value, if the expression is an update.
    pub fn update_value(&self, expr: ExprId) -> Option<ExprId> {
        if let ExprKind::With { value, .. } | ExprKind::LetUpdate { value, .. } = self.exprs[expr].kind { Some(value) } else { None }
    }
    /// Whether these are the parameters of a section such as `(.[i].x)`.
    pub fn is_section(&self, params: &[PatId]) -> bool {
        matches!(params, [one] if matches!(self.pats[*one].kind, PatKind::Name(name) if name == section_operand()))
    }
}

/// How a loop goes on.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy)]
pub enum LoopForm {
    /// `for i < n`.
    For { var: PatId, bound: ExprId },
    /// `for x in xs`.
    ForIn { pat: PatId, array: ExprId },
    /// `while c`.
    While(ExprId),
}

/// A pattern with its place.
#[derive(Debug, Clone)]
pub struct Pat {
    /// What it is.
    pub kind: PatKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of patterns.
#[allow(missing_docs)]
#[derive(Debug, Clone)]
pub enum PatKind {
    /// Could not be parsed.
    Error,
    /// Binds a variable.
    Name(Symbol),
    /// `_`.
    Wild,
    /// `(p)`.
    Paren(PatId),
    /// `(p, q)`; `()`.
    Tuple(Vec<PatId>),
    /// `{x = p, y}`.
    Record(Vec<(Ident, PatId)>),
    /// `p : t`.
    Ascribe(PatId, TypeId),
    /// A literal (in `match`).
    Lit(ExprId),
    /// `#c p ..`.
    Constr(Ident, Vec<PatId>),
}

/// A type expression with its place.
#[derive(Debug, Clone)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of type expressions; each variant documents its fields.
#[allow(missing_docs)]
#[derive(Debug, Clone)]
pub enum TypeKind {
    /// Could not be parsed.
    Error,
    /// A scalar type, a type parameter or an abbreviation, with a path (`m.t`) and arguments.
    Name { path: Vec<Ident>, args: Vec<TypeArg> },
    /// `[d]t`.
    Array(Dim, TypeId),
    /// `(t, u)`.
    Tuple(Vec<TypeId>),
    /// `{x: t}`.
    Record(Vec<(Ident, TypeId)>),
    /// `#a t | #b`.
    Sum(Vec<(Ident, Vec<TypeId>)>),
    /// `t -> u` or `(x: t) -> u`.
    Arrow { param: Option<PatId>, from: TypeId, to: TypeId },
    /// `?[n].t`.
    Exists(Vec<PatId>, TypeId),
    /// `*t`.
    Unique(TypeId),
    /// `(t)`.
    Paren(TypeId),
}

/// A size in a type.
#[derive(Debug, Clone, Copy)]
pub enum Dim {
    /// `[]`.
    Anon,
    /// `[e]`, `e` an expression of type `i64`.
    Expr(ExprId),
}

/// An argument of a type abbreviation.
#[derive(Debug, Clone, Copy)]
pub enum TypeArg {
    /// `[e]` or `[]`.
    Size(Dim),
    /// A type.
    Type(TypeId),
}
