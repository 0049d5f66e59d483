//! The printer of core: s-expressions, at most 100 columns wide where that is possible, in the form that [`super::read`] reads back
//! to the same program.
//!
//! Nested forms are indented up to 24 levels, so the output is linear in the size of the program. Terms and types are graphs but
//! are written as trees; where a definition becomes too large by that, the rest of it is written as `...`, which is not read back.
//! Messages cut types off sooner ([`type_brief`]).

use super::sexp::{is_plain, quoted_text, scalar_text};
use super::{Atom, Define, Dim, DimAtom, Expr, ExprKind, Index, LoopForm, LoopParam, Param, Program, Shape, ShapeItem, Type, is_shape};
use crate::base::{Scalar, Symbol};
use pretty::{Arena, DocAllocator, DocBuilder};
use std::cell::Cell;

/// Columns of a line.
const WIDTH: usize = 100;
/// Levels of nesting that are indented.
const MAX_INDENTED: usize = 24;
/// Nodes of a type that a message shows.
const BRIEF_NODES: usize = 1000;
/// Nodes of types that are written for one definition.
const MOST_TYPE_NODES: usize = 1 << 17;
/// Nodes of terms that are written for one definition.
const MOST_NODES: usize = 1 << 20;

/// Words that stand at the head of forms, hence are quoted as the names of called functions.
const KEYWORDS: [&str; 35] = [
    "array",
    "frame",
    "t-app",
    "i-app",
    "T-APP",
    "I-APP",
    "unbox",
    "box",
    "boxes",
    "lift",
    "reshape",
    "reify-dimension",
    "reify-shape",
    "let",
    "fn",
    "λ",
    "t-fn",
    "Tλ",
    "i-fn",
    "Iλ",
    "define",
    "entry",
    "if",
    "loop",
    "map",
    "rep",
    "tuple",
    "proj",
    "rec",
    "field",
    "inject",
    "is",
    "payload",
    "coerce",
    "assert",
];

/// The words that stand at the head of forms.
pub fn keywords() -> &'static [&'static str] {
    &KEYWORDS
}

/// Whether a symbol at the head of a form makes it something other than an application.
pub(super) fn is_keyword(text: &str) -> bool {
    KEYWORDS.contains(&text)
}

/// Whether a symbol is a scalar type or an alias of one, hence quoted as a variable.
pub(super) fn is_type_word(text: &str) -> bool {
    crate::base::PrimType::from_name(text).is_some() || matches!(text, "int" | "float" | "char" | "Num" | "Int" | "Float" | "Bool" | "Char")
}

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for (at, define) in program.defs.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push_str(&self::define(define));
    }
    out
}

/// One definition, ending in a line break.
pub fn define(define: &Define) -> String {
    render(|p| p.define(define)) + "\n"
}

/// An expression.
pub fn expr(expr: &Expr) -> String {
    render(|p| p.expr(expr))
}

/// A type, in full where it has at most 131,072 nodes.
pub fn ty(ty: &Type) -> String {
    render(|p| p.ty(ty))
}

/// A type on one line, cut off with `...` after 1,000 nodes.
pub fn type_brief(ty: &Type) -> String {
    let arena = Arena::new();
    let printer = Printer { arena: &arena, depth: Cell::new(0), budget: Cell::new(BRIEF_NODES), terms: Cell::new(MOST_NODES) };
    printer.ty(ty).pretty(usize::MAX).to_string()
}

/// An atom type, in full where it has at most 131,072 nodes.
pub fn atom(atom: &Atom) -> String {
    render(|p| p.atom(atom))
}

/// A size.
pub fn dim(dim: &Dim) -> String {
    render(|p| p.dim(dim))
}

/// A shape, `[i ..]`.
pub fn shape(shape: &Shape) -> String {
    render(|p| p.shape(shape))
}

/// An argument of a Pi.
pub fn index(index: &Index) -> String {
    render(|p| p.index(index))
}

fn render(make: impl for<'a> FnOnce(&Printer<'a>) -> Doc<'a>) -> String {
    let arena = Arena::new();
    let printer = Printer { arena: &arena, depth: Cell::new(0), budget: Cell::new(MOST_TYPE_NODES), terms: Cell::new(MOST_NODES) };
    make(&printer).pretty(WIDTH).to_string()
}

type Doc<'a> = DocBuilder<'a, Arena<'a>>;

struct Printer<'a> {
    arena: &'a Arena<'a>,
    depth: Cell<usize>,
    /// Nodes of types that may still be printed.
    budget: Cell<usize>,
    /// Nodes of terms that may still be printed.
    terms: Cell<usize>,
}

/// How the items of a list are laid out.
#[derive(Clone, Copy, PartialEq)]
enum Fill {
    /// All on one line or one on each.
    Lines,
    /// As many on a line as fit.
    Words,
}

impl<'a> Printer<'a> {
    fn text(&self, text: &'static str) -> Doc<'a> {
        self.arena.text(text)
    }

    fn owned(&self, text: String) -> Doc<'a> {
        self.arena.text(text)
    }

    fn quoted(&self, name: Symbol) -> Doc<'a> {
        self.owned(format!("#{}", quoted_text(name.as_str())))
    }

    /// A term variable, definition or label.
    fn name(&self, name: Symbol) -> Doc<'a> {
        if is_plain(name.as_str(), false) && !is_shape(name) { self.text(name.as_str()) } else { self.quoted(name) }
    }

    /// An index or type variable, or a term variable in a type.
    fn type_name(&self, name: Symbol) -> Doc<'a> {
        let text = name.as_str();
        if is_plain(text, true) && !is_type_word(text) && text != ":" { self.text(text) } else { self.quoted(name) }
    }

    fn term_in_type(&self, name: Symbol) -> Doc<'a> {
        if is_plain(name.as_str(), true) { self.text(name.as_str()) } else { self.quoted(name) }
    }

    fn type_names(&self, names: &[Symbol]) -> Doc<'a> {
        self.list("(", names.iter().map(|name| self.type_name(*name)), ")", Fill::Words)
    }

    /// Makes a document one level deeper.
    fn nested(&self, make: impl FnOnce() -> Doc<'a>) -> Doc<'a> {
        let depth = self.depth.get();
        self.depth.set(depth + 1);
        let doc = make();
        self.depth.set(depth);
        if depth < MAX_INDENTED { doc.nest(2) } else { doc }
    }

    fn list(&self, open: &'static str, items: impl Iterator<Item = Doc<'a>>, close: &'static str, fill: Fill) -> Doc<'a> {
        let body = self.nested(|| {
            let mut body = self.arena.nil();
            for (at, item) in items.enumerate() {
                if at > 0 {
                    body = body.append(if fill == Fill::Words { self.arena.softline() } else { self.arena.line() });
                }
                body = body.append(item);
            }
            body
        });
        self.text(open).append(body).append(close).group()
    }

    /// `(head item ..)` with the head on the first line.
    fn form(&self, head: Doc<'a>, items: impl Iterator<Item = Doc<'a>>) -> Doc<'a> {
        let body = self.nested(|| {
            let mut body = self.arena.nil();
            for item in items {
                body = body.append(self.arena.line()).append(item);
            }
            body
        });
        self.text("(").append(head).append(body).append(")").group()
    }

    /// `(head` and `body)`, the body without indentation: the form of chains of bindings.
    fn chain(&self, head: Doc<'a>, body: Doc<'a>) -> Doc<'a> {
        self.text("(").append(head.group()).append(self.arena.line()).append(body).append(")").group()
    }

    fn words(&self, items: impl IntoIterator<Item = Doc<'a>>) -> Doc<'a> {
        self.arena.intersperse(items, self.arena.space())
    }

    // Indices.

    fn dim_atom(&self, atom: DimAtom) -> Doc<'a> {
        match atom {
            DimAtom::Var(name) => self.type_name(name),
            DimAtom::Size(name) => self.text("(size ").append(self.term_in_type(name)).append(")"),
            DimAtom::Meta(number) => self.owned(format!("?{number}")),
        }
    }

    fn monomial(&self, atoms: &[DimAtom], coefficient: i64) -> Doc<'a> {
        match (atoms, coefficient) {
            ([], _) => self.owned(coefficient.to_string()),
            ([atom], 1) => self.dim_atom(*atom),
            _ => {
                let factor = (coefficient != 1).then(|| self.owned(coefficient.to_string()));
                let factors = factor.into_iter().chain(atoms.iter().map(|atom| self.dim_atom(*atom)));
                self.text("(* ").append(self.words(factors)).append(")")
            }
        }
    }

    fn dim(&self, dim: &Dim) -> Doc<'a> {
        let symbolic = dim.terms().filter(|(atoms, _)| !atoms.is_empty());
        let constant = dim.terms().filter(|(atoms, _)| atoms.is_empty());
        let mut terms: Vec<Doc<'a>> = symbolic.chain(constant).map(|(atoms, c)| self.monomial(atoms, c)).collect();
        match terms.len() {
            0 => self.text("0"),
            1 => terms.remove(0),
            _ => self.text("(+ ").append(self.words(terms)).append(")"),
        }
    }

    fn items(&self, shape: &Shape) -> Vec<Doc<'a>> {
        let item = |item: &ShapeItem| match item {
            ShapeItem::Dim(dim) => self.dim(dim),
            ShapeItem::Var(name) => self.type_name(*name),
        };
        shape.items.iter().map(item).collect()
    }

    fn shape(&self, shape: &Shape) -> Doc<'a> {
        self.list("[", self.items(shape).into_iter(), "]", Fill::Words)
    }

    fn index(&self, index: &Index) -> Doc<'a> {
        match index {
            Index::Dim(dim) => self.dim(dim),
            Index::Shape(shape) => match shape.items.as_slice() {
                [ShapeItem::Var(name)] => self.type_name(*name),
                _ => self.shape(shape),
            },
        }
    }

    // Types.

    fn ty(&self, ty: &Type) -> Doc<'a> {
        if ty.shape().is_scalar() {
            return self.atom(ty.atom());
        }
        if self.budget.get() == 0 {
            return self.text("...");
        }
        let atom = self.atom(ty.atom());
        self.list("[", std::iter::once(atom).chain(self.items(ty.shape())), "]", Fill::Words)
    }

    fn atom(&self, atom: &Atom) -> Doc<'a> {
        let Some(left) = self.budget.get().checked_sub(1) else { return self.text("...") };
        self.budget.set(left);
        match atom {
            Atom::Prim(prim) => self.text(prim.name()),
            Atom::Var(name) => self.type_name(*name),
            Atom::Fun(params, ret) => {
                let params = self.list("(", self.cut(params).map(|param| self.param(param)), ")", Fill::Lines);
                self.form(self.text("-> ").append(params), std::iter::once_with(|| self.ty(ret)))
            }
            Atom::Forall(names, body) => self.binder("Forall ", names, body),
            Atom::Pi(names, body) => self.binder("Pi ", names, body),
            Atom::Sigma(names, body) => self.binder("Sigma ", names, body),
            Atom::Tuple(types) => self.form(self.text("Tup"), self.cut(types).map(|ty| self.ty(ty))),
            Atom::Record(fields) => self.form(self.text("Rec"), self.cut(fields).map(|(label, ty)| self.field_type(*label, ty))),
            Atom::Sum(payloads) => self.form(self.text("Sum"), self.cut(payloads).map(|(label, ty)| self.field_type(*label, ty))),
        }
    }

    /// The items of a type that are printed, one more than the budget allows so that `...` appears.
    fn cut<'i, T>(&self, items: &'i [T]) -> impl Iterator<Item = &'i T> {
        items.iter().take(self.budget.get().saturating_add(1))
    }

    fn field_type(&self, label: Symbol, ty: &Type) -> Doc<'a> {
        self.text("(").append(self.term_in_type(label)).append(" ").append(self.ty(ty)).append(")")
    }

    fn binder(&self, head: &'static str, names: &[Symbol], body: &Type) -> Doc<'a> {
        self.form(self.text(head).append(self.type_names(names)), std::iter::once_with(|| self.ty(body)))
    }

    fn param(&self, param: &Param) -> Doc<'a> {
        let Some(name) = param.name else { return self.ty(&param.ty) };
        let is_i64 = matches!(param.ty.atom(), Atom::Prim(crate::base::PrimType::I64)) && param.ty.shape().is_scalar();
        let name = self.type_name(name);
        let parts = if is_i64 { vec![name, self.ty(&param.ty)] } else { vec![name, self.text(":"), self.ty(&param.ty)] };
        self.text("[").append(self.words(parts)).append("]")
    }

    // Expressions.

    fn define(&self, define: &Define) -> Doc<'a> {
        let Define { name, ty, body, entry, recursive, span: _ } = define;
        let word = match (entry, recursive) {
            (true, false) => "entry ",
            (true, true) => "entry-rec ",
            (false, false) => "define ",
            (false, true) => "define-rec ",
        };
        let head = self.text(word).append(self.name(*name)).append(" : ");
        let head = head.append(self.nested(|| self.ty(ty)));
        let body = self.nested(|| self.arena.hardline().append(self.expr(body)));
        self.text("(").append(head).append(body).append(")")
    }

    fn expr(&self, expr: &Expr) -> Doc<'a> {
        let Some(left) = self.terms.get().checked_sub(1) else { return self.text("...") };
        self.terms.set(left);
        let one = |e: &Expr| self.expr(e);
        match expr.kind() {
            ExprKind::Var(name) => self.name(*name),
            ExprKind::Lit(value) => self.owned(scalar_text(*value)),
            ExprKind::Array { dims, elem, items } => self.array(dims, *elem, items),
            ExprKind::Frame { dims, cell, cells } => self.frame(dims, cell, cells),
            ExprKind::App { fun, args } => {
                let head = if let ExprKind::Var(name) = fun.kind()
                    && is_keyword(name.as_str())
                {
                    self.quoted(*name)
                } else {
                    self.nested(|| self.expr(fun))
                };
                self.form(head, args.iter().map(one))
            }
            ExprKind::Inst { fun, types, indices } => self.inst(fun, types, indices),
            ExprKind::Fn { params, ret, body } => self.function(params, ret, body),
            ExprKind::IFn { params, body } => self.form(self.text("i-fn ").append(self.type_names(params)), std::iter::once(body).map(one)),
            ExprKind::TFn { params, body } => self.form(self.text("t-fn ").append(self.type_names(params)), std::iter::once(body).map(one)),
            ExprKind::Let { name, ty, rhs, body } => {
                let mut head = self.text("let [").append(self.name(*name));
                if let Some(ty) = ty {
                    head = head.append(" : ").append(self.nested(|| self.ty(ty)));
                }
                let rhs = self.nested(|| self.arena.line().append(self.expr(rhs)));
                self.chain(head.append(rhs).append("]"), self.expr(body))
            }
            ExprKind::If { cond, then, els } => self.form(self.text("if"), [cond, then, els].into_iter().map(one)),
            ExprKind::Loop { params, form, body } => self.looping(params, form, body),
            ExprKind::Map { frame, args, body } => {
                let args = args.iter().map(|(name, arg)| self.binding(*name, arg));
                let args = self.list("(", args, ")", Fill::Lines);
                let head = self.text("map ").append(self.shape(frame)).append(" ").append(args);
                self.form(head, std::iter::once(body).map(one))
            }
            ExprKind::Rep { frame, arg } => self.form(self.text("rep ").append(self.shape(frame)), std::iter::once(arg).map(one)),
            ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Record(_)
            | ExprKind::Field(..)
            | ExprKind::Inject { .. }
            | ExprKind::Is(..)
            | ExprKind::Payload(..)
            | ExprKind::Box { .. }
            | ExprKind::Unbox { .. }
            | ExprKind::ReifyDim(_)
            | ExprKind::ReifyShape(_)
            | ExprKind::Coerce { .. }
            | ExprKind::Assert { .. } => self.data(expr),
        }
    }

    /// The forms that make and take apart tuples, records and boxes, and the remaining ones.
    fn data(&self, expr: &Expr) -> Doc<'a> {
        let one = |e: &Expr| self.expr(e);
        match expr.kind() {
            ExprKind::Tuple(parts) => self.form(self.text("tuple"), parts.iter().map(one)),
            ExprKind::Proj(at, tuple) => self.form(self.owned(format!("proj {at}")), std::iter::once(tuple).map(one)),
            ExprKind::Record(fields) => {
                let field =
                    |(label, e): &(Symbol, Expr)| self.text("(").append(self.name(*label)).append(" ").append(self.expr(e)).append(")");
                self.form(self.text("rec"), fields.iter().map(field))
            }
            ExprKind::Field(label, record) => self.form(self.text("field ").append(self.name(*label)), std::iter::once(record).map(one)),
            ExprKind::Inject { label, ty, payload } => {
                let head = self.text("inject ").append(self.name(*label)).append(" ");
                self.form(head.append(self.nested(|| self.ty(ty))), std::iter::once(payload).map(one))
            }
            ExprKind::Is(label, sum) => self.form(self.text("is ").append(self.name(*label)), std::iter::once(sum).map(one)),
            ExprKind::Payload(label, sum) => self.form(self.text("payload ").append(self.name(*label)), std::iter::once(sum).map(one)),
            ExprKind::Box { indices, ty, body } => {
                let pair = |(name, index): &(Symbol, Index)| {
                    self.text("(").append(self.type_name(*name)).append(" ").append(self.index(index)).append(")")
                };
                let head = self.text("box ").append(self.list("(", indices.iter().map(pair), ")", Fill::Words)).append(" ");
                self.form(head.append(self.nested(|| self.ty(ty))), std::iter::once(body).map(one))
            }
            ExprKind::Unbox { boxed, value, indices, body } => {
                let names = indices.iter().map(|name| self.type_name(*name));
                let names = self.words(std::iter::once(self.name(*value)).chain(names));
                let boxed = self.nested(|| self.expr(boxed));
                self.chain(self.text("unbox ").append(boxed).append(" (").append(names).append(")"), self.expr(body))
            }
            ExprKind::ReifyDim(dim) => self.text("(reify-dimension ").append(self.dim(dim)).append(")"),
            ExprKind::ReifyShape(shape) => self.text("(reify-shape ").append(self.shape(shape)).append(")"),
            ExprKind::Coerce { ty, expr } => {
                self.form(self.text("coerce ").append(self.nested(|| self.ty(ty))), std::iter::once(expr).map(one))
            }
            ExprKind::Assert { cond, message, expr } => {
                let message = std::iter::once_with(|| self.owned(quoted_text(message.as_str())));
                self.form(self.text("assert"), std::iter::once(cond).map(one).chain(message).chain(std::iter::once(expr).map(one)))
            }
            // The others are printed by `expr`.
            ExprKind::Var(_)
            | ExprKind::Lit(_)
            | ExprKind::Array { .. }
            | ExprKind::Frame { .. }
            | ExprKind::App { .. }
            | ExprKind::Inst { .. }
            | ExprKind::Fn { .. }
            | ExprKind::IFn { .. }
            | ExprKind::TFn { .. }
            | ExprKind::Let { .. }
            | ExprKind::If { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Map { .. }
            | ExprKind::Rep { .. } => self.arena.nil(),
        }
    }

    fn dims(&self, dims: &[u64]) -> Doc<'a> {
        self.list("[", dims.iter().map(|n| self.owned(n.to_string())), "]", Fill::Words)
    }

    fn array(&self, dims: &[u64], elem: crate::base::PrimType, items: &[Scalar]) -> Doc<'a> {
        let dims = self.dims(dims);
        if items.is_empty() {
            return self.text("(array ").append(dims).append(" ").append(elem.name()).append(")");
        }
        let items = items.iter().map(|value| self.owned(scalar_text(*value)));
        let items = self.nested(|| items.fold(self.arena.nil(), |doc, item| doc.append(self.arena.softline()).append(item)));
        self.text("(array ").append(dims).append(items).append(")").group()
    }

    fn frame(&self, dims: &[u64], cell: &Type, cells: &[Expr]) -> Doc<'a> {
        let evident = cells.first().and_then(evident_type).as_ref() == Some(cell);
        if evident && *dims == [cells.len() as u64] {
            return self.list("[", cells.iter().map(|cell| self.expr(cell)), "]", Fill::Lines);
        }
        let head = self.text("frame ").append(self.dims(dims)).append(" : ").append(self.nested(|| self.ty(cell)));
        self.form(head, cells.iter().map(|cell| self.expr(cell)))
    }

    fn inst(&self, fun: &Expr, types: &[Atom], indices: &[Index]) -> Doc<'a> {
        let types = types.iter().map(|atom| self.atom(atom).append(" "));
        let indices = indices.iter().map(|index| self.arena.space().append(self.index(index)));
        let inside = self.arena.concat(types).append("|").append(self.arena.concat(indices));
        self.expr(fun).append("{").append(inside).append("}")
    }

    fn function(&self, params: &[(Symbol, Type)], ret: &Type, body: &Expr) -> Doc<'a> {
        let param = |(name, ty): &(Symbol, Type)| {
            self.text("[").append(self.name(*name)).append(" ").append(self.nested(|| self.ty(ty))).append("]")
        };
        let head = self.text("fn ").append(self.list("(", params.iter().map(param), ")", Fill::Lines)).append(" : ");
        self.form(head.append(self.nested(|| self.ty(ret))), std::iter::once_with(|| self.expr(body)))
    }

    fn binding(&self, name: Symbol, arg: &Expr) -> Doc<'a> {
        let arg = self.nested(|| self.arena.line().append(self.expr(arg)));
        self.text("[").append(self.name(name)).append(arg).append("]").group()
    }

    fn looping(&self, params: &[LoopParam], form: &LoopForm, body: &Expr) -> Doc<'a> {
        let param = |LoopParam { name, ty, init }: &LoopParam| {
            let head = self.text("[").append(self.name(*name)).append(" ").append(self.nested(|| self.ty(ty)));
            let init = self.nested(|| self.arena.line().append(self.expr(init)));
            head.append(init).append("]").group()
        };
        let params = self.list("(", params.iter().map(param), ")", Fill::Lines);
        let form = || match form {
            LoopForm::For(name, count) => self.form(self.text("for ").append(self.name(*name)), std::iter::once_with(|| self.expr(count))),
            LoopForm::While(cond) => self.form(self.text("while"), std::iter::once_with(|| self.expr(cond))),
        };
        let rest = std::iter::once_with(form).chain(std::iter::once_with(|| self.expr(body)));
        self.form(self.text("loop ").append(params), rest)
    }
}

/// The type of an expression where it can be read off at once: then a vector of such cells is written `[e ..]`.
#[expect(clippy::wildcard_enum_match_arm, reason = "of literals it can be read off, of no other form")]
pub(super) fn evident_type(expr: &Expr) -> Option<Type> {
    match expr.kind() {
        ExprKind::Lit(value) => Some(Type::prim(value.prim())),
        ExprKind::Array { dims, elem, .. } => Some(Type::new(Atom::Prim(*elem), literal_shape(dims)?)),
        ExprKind::Frame { dims, cell, .. } => {
            matches!(cell.atom(), Atom::Prim(_)).then(|| literal_shape(dims).map(|frame| cell.framed(&frame))).flatten()
        }
        _ => None,
    }
}

/// The shape of a literal; none if a number does not fit.
pub(super) fn literal_shape(dims: &[u64]) -> Option<Shape> {
    let dims: Option<Vec<Dim>> = dims.iter().map(|n| i64::try_from(*n).ok().map(Dim::constant)).collect();
    dims.map(Shape::dims)
}
