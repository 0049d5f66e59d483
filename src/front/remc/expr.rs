//! Expressions: the forms, and those that bind variables.

use super::data::DataForm;
use super::error::{Binding, DataError, FormError, Place, TypeError};
use super::insertions::Lifted;
use super::lift::Part;
use super::local::is_body;
use super::scope::is_i64;
use super::{Elaborator, Typed};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::read::{self, BinderKind, Wanted};
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, LoopForm, LoopParam, Shape, Type, is_shape};

impl Elaborator<'_> {
    /// An expression; `wanted` is the type that its place asks for, if that is known. The result may have another.
    pub(super) fn expr(&mut self, item: &Sexp, wanted: Option<&Type>) -> Option<Typed> {
        let span = item.span;
        match &item.kind {
            SexpKind::Symbol(name) if is_shape(*name) => self.error(span, read::ErrorKind::ShapeAsExpression(*name)),
            SexpKind::Symbol(name) | SexpKind::Quoted(name) => self.variable(span, *name),
            SexpKind::Scalar(value) => Some(literal(*value, span)),
            SexpKind::Text(text) => Some(self.string(text, span)),
            SexpKind::Bracket(cells) => self.vector(span, cells, wanted),
            SexpKind::Inst { .. } => self.instance(item, wanted),
            SexpKind::Paren(parts) => match parts.split_first() {
                None => self.wanted(span, Wanted::Expression),
                Some((head, operands)) => match head.keyword() {
                    Some(word) => self.form_or_application(item, word, head, operands, wanted),
                    None => self.application(span, head, operands, wanted),
                },
            },
        }
    }

    /// An expression of exactly this type.
    pub(super) fn exactly(&mut self, item: &Sexp, wanted: &Type, place: Place) -> Option<Typed> {
        let value = self.expr(item, Some(wanted))?;
        self.expect(wanted, &value, place)?;
        Some(value)
    }

    fn form_or_application(
        &mut self,
        item: &Sexp,
        word: &'static str,
        head: &Sexp,
        operands: &[Sexp],
        wanted: Option<&Type>,
    ) -> Option<Typed> {
        let span = item.span;
        // The paper's `reshape` is a function.
        if self.libraries.all.defines(self.libraries.inside.unwrap_or(0), Symbol::new(word)) {
            return self.application(span, head, operands, wanted);
        }
        let colon = |item: &Sexp| item.keyword() == Some(":");
        let word = self.canonical(word);
        match (word, operands) {
            ("array", [dims, items @ ..]) => self.array(span, dims, items, wanted),
            ("frame", [dims, cells @ ..]) => self.frame(span, dims, cells, wanted),
            ("t-app" | "i-app", [_, ..]) => self.instance(item, wanted),
            ("fn", [params, sign, ret, body @ ..]) if colon(sign) && is_body(body) => {
                let params = self.list(params, "parameters ([x T] ..)")?;
                self.function(span, params, Some(ret), body, &mut None)
            }
            ("fn", [params, body @ ..]) if is_body(body) => {
                let params = self.list(params, "parameters ([x T] ..)")?;
                self.function(span, params, None, body, &mut None)
            }
            ("i-fn", [names, body @ ..]) if is_body(body) => {
                let names = self.binder_list(names, BinderKind::Index)?;
                self.abstraction(names, &[], |this| this.body(body, None))
            }
            ("t-fn", [names, body @ ..]) if is_body(body) => {
                let names = self.binder_list(names, BinderKind::Type)?;
                self.abstraction(&[], names, |this| this.body(body, None))
            }
            ("#r", _) => self.error(span, FormError::RanksNotApplied),
            ("#A", [dims, items]) => self.tagged_array(span, None, dims, items, wanted),
            ("#A", [elem, dims, items]) => self.tagged_array(span, Some(elem), dims, items, wanted),
            ("let", [binding, body @ ..]) if is_body(body) => self.binding(span, binding, body, wanted),
            ("if", [cond, then, els]) => self.branch(span, cond, then, els, wanted),
            ("loop", [params, form, body @ ..]) if is_body(body) => self.looping(span, params, form, body),
            ("map", [frame, args, body @ ..]) if is_body(body) => self.map(span, frame, args, body),
            ("rep", [frame, arg]) => {
                let items = self.list(frame, "a frame [i ..]")?;
                let frame = self.read(|reader| reader.shape_items(items))?;
                let arg = self.expr(arg, None)?;
                let ty = arg.ty.framed(&frame);
                Some(Typed::new(Expr::new(ExprKind::Rep { frame, arg: arg.expr }, span), ty))
            }
            ("box", [_, _, ..]) => self.boxed(span, operands),
            ("boxes", [names, ty, dims, cells @ ..]) => self.boxes(span, names, ty, dims, cells),
            ("unbox", [first, _, ..]) => self.unbox(span, first, operands),
            ("lift", [binding, body @ ..]) if is_body(body) => self.lifted_index(span, binding, body),
            ("reshape", [shape, value]) => self.reshape(span, shape, value),
            _ => match self.data_form(span, word, operands, wanted) {
                DataForm::Typed(typed) => Some(typed),
                DataForm::Failed => None,
                DataForm::NotData if form_syntax(word).is_some() => self.error(span, FormError::Keyword(word)),
                DataForm::NotData => self.application(span, head, operands, wanted),
            },
        }
    }

    /// Variables of an abstraction; there is at least one.
    fn binder_list<'s>(&mut self, item: &'s Sexp, kind: BinderKind) -> Option<&'s [Sexp]> {
        let notation = match kind {
            BinderKind::Index => "index variables in parentheses",
            BinderKind::Type => "type variables in parentheses",
        };
        match self.list(item, notation)? {
            [] => self.error(item.span, FormError::NoVariables(kind)),
            names => Some(names),
        }
    }

    fn binding(&mut self, span: Span, binding: &Sexp, body: &[Sexp], wanted: Option<&Type>) -> Option<Typed> {
        const FORM: &str = "a binding [x e] or [x : T e]";
        let (name, ty, rhs) = match self.list(binding, FORM)? {
            [name, rhs] => (name, None, rhs),
            [name, colon, ty, rhs] if colon.keyword() == Some(":") => (name, Some(ty), rhs),
            _ => return self.expected(binding.span, FORM),
        };
        let name = self.name(name);
        let declared = ty.map(|ty| self.ty(ty));
        let value = match &declared {
            Some(Some(declared)) => self.exactly(rhs, declared, name.map_or(Place::Value, Place::ValueOf)),
            _ => self.expr(rhs, None),
        };
        self.bound_in(span, name?, declared.flatten(), value, |this| this.body(body, wanted))
    }

    /// `body` where a name has this value.
    pub(super) fn bound_in(
        &mut self,
        span: Span,
        name: Symbol,
        declared: Option<Type>,
        value: Option<Typed>,
        body: impl FnOnce(&mut Self) -> Option<Typed>,
    ) -> Option<Typed> {
        let ty = declared.or_else(|| value.as_ref().map(|value| value.ty.clone()));
        let dim = value.as_ref().and_then(|value| value.dim.clone());
        let (inner, bound) = self.bind(name, ty.clone(), dim);
        let body = body(self);
        self.scope.unbind(vec![bound]);
        let (body, value) = (body?, value?);
        self.stays_inside(&body.ty, &[bound], body.span(), Binding::Let)?;
        let kind = ExprKind::Let { name: inner, ty, rhs: value.expr, body: body.expr };
        Some(Typed::new(Expr::new(kind, span), body.ty))
    }

    fn branch(&mut self, span: Span, cond: &Sexp, then: &Sexp, els: &Sexp, wanted: Option<&Type>) -> Option<Typed> {
        let cond = self.condition(cond);
        let then = self.expr(then, wanted);
        let wanted = then.as_ref().map(|then| then.ty.clone()).or_else(|| wanted.cloned());
        let els = self.expr(els, wanted.as_ref());
        let (cond, then, els) = (cond?, then?, els?);
        self.expect(&then.ty, &els, Place::SecondBranch)?;
        Some(Typed::new(Expr::new(ExprKind::If { cond: cond.expr, then: then.expr, els: els.expr }, span), then.ty))
    }

    /// A rank-0 `bool`.
    pub(super) fn condition(&mut self, item: &Sexp) -> Option<Typed> {
        let cond = self.expr(item, None)?;
        let bool = Type::prim(PrimType::Bool);
        if matches!(cond.ty.atom(), Atom::Prim(PrimType::Bool)) && !cond.ty.shape().is_scalar() {
            return self.error(item.span, TypeError::ArrayCondition(cond.ty.shape().clone()));
        }
        self.expect(&bool, &cond, Place::Condition)?;
        Some(cond)
    }

    fn looping(&mut self, span: Span, params: &Sexp, form: &Sexp, body: &[Sexp]) -> Option<Typed> {
        let mut starts = Vec::new();
        for param in self.list(params, "loop parameters ([x T e] ..)")? {
            let [name, ty, init] = self.list(param, "a loop parameter [x T e]")? else {
                return self.expected(param.span, "a loop parameter [x T e]");
            };
            let name = self.name(name)?;
            let ty = self.ty(ty)?;
            let init = self.exactly(init, &ty, Place::FirstValueOf(name))?;
            starts.push((name, ty, init));
        }
        let result = match starts.as_slice() {
            [(_, ty, _)] => ty.clone(),
            _ => Type::scalar(Atom::Tuple(starts.iter().map(|(_, ty, _)| ty.clone()).collect())),
        };
        let i64 = Type::prim(PrimType::I64);
        let (counter, test) = match self.list(form, "(for i n) or (while c)")? {
            [head, name, count] if head.keyword() == Some("for") => {
                let name = self.name(name)?;
                (Some((name, self.exactly(count, &i64, Place::Iterations)?)), None)
            }
            [head, cond] if head.keyword() == Some("while") => (None, Some(cond)),
            _ => return self.expected(form.span, "(for i n) or (while c)"),
        };
        let names: Vec<Symbol> = starts.iter().map(|(name, ..)| *name).chain(counter.as_ref().map(|(name, _)| *name)).collect();
        self.distinct_names(params.span, &names)?;
        let mut bound = Vec::new();
        let mut out = Vec::with_capacity(starts.len());
        for (name, ty, init) in starts {
            let (inner, binding) = self.bind(name, Some(ty.clone()), None);
            bound.push(binding);
            out.push(LoopParam { name: inner, ty, init: init.expr });
        }
        let test = test.map(|cond| self.condition(cond));
        let counter = counter.map(|(name, count)| {
            let (inner, binding) = self.bind(name, Some(i64), None);
            bound.push(binding);
            LoopForm::For(inner, count.expr)
        });
        let body = self.exactly_body(body, &result, Place::LoopBody);
        self.scope.unbind(bound);
        let form = match (counter, test) {
            (Some(form), _) => form,
            (None, test) => LoopForm::While(test??.expr),
        };
        Some(Typed::new(Expr::new(ExprKind::Loop { params: out, form, body: body?.expr }, span), result))
    }

    /// Names that one form binds are different.
    pub(super) fn distinct_names(&mut self, span: Span, names: &[Symbol]) -> Option<()> {
        match names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
            Some((_, name)) => self.error(span, FormError::BoundTwice(*name)),
            None => Some(()),
        }
    }

    /// The explicit map.
    fn map(&mut self, span: Span, frame: &Sexp, args: &Sexp, body: &[Sexp]) -> Option<Typed> {
        let items = self.list(frame, "a frame [i ..]")?;
        let frame = self.read(|reader| reader.shape_items(items))?;
        let mut arrays = Vec::new();
        for arg in self.list(args, "arrays ([x e] ..)")? {
            let [name, value] = self.list(arg, "an array [x e]")? else { return self.expected(arg.span, "an array [x e]") };
            let name = self.name(name)?;
            let value = self.expr(value, None)?;
            let Some(rest) = value.ty.shape().without_prefix(&frame) else {
                let found = value.ty.shape().clone();
                return self.error(arg.span, TypeError::NoFrame { name, found, frame });
            };
            let cell = Type::new(value.ty.atom().clone(), rest);
            arrays.push((name, cell, value));
        }
        let names: Vec<Symbol> = arrays.iter().map(|(name, ..)| *name).collect();
        self.distinct_names(args.span, &names)?;
        let mut bound = Vec::new();
        let mut out = Vec::with_capacity(arrays.len());
        for (name, cell, value) in arrays {
            let (inner, binding) = self.bind(name, Some(cell), None);
            bound.push(binding);
            out.push((inner, value.expr));
        }
        let body = self.body(body, None);
        self.scope.unbind(bound.clone());
        let body = body?;
        self.stays_inside(&body.ty, &bound, body.span(), Binding::Map)?;
        let ty = body.ty.framed(&frame);
        Some(Typed::new(Expr::new(ExprKind::Map { frame, args: out, body: body.expr }, span), ty))
    }

    /// The value, cell by cell where it has a frame: `build` gets a single cell and says what comes of it.
    pub(super) fn for_each_cell(
        &mut self,
        span: Span,
        value: Typed,
        rank: usize,
        form: &'static str,
        build: impl FnOnce(&mut Self, Typed) -> Option<Typed>,
    ) -> Option<Typed> {
        let items = &value.ty.shape().items;
        let split = items.len().saturating_sub(rank);
        let frame = Shape { items: items[..split].to_vec() };
        let cell = Type::new(value.ty.atom().clone(), Shape { items: items[split..].to_vec() });
        if frame.is_scalar() {
            return build(self, value);
        }
        self.lifted(span, Lifted::Form(form), &frame);
        let part = Part { value, frame: frame.clone() };
        let mut result = None;
        let expr = self.over(span, &frame, vec![part], |this, cells| {
            let expr = cells.into_iter().next()?;
            let dim = match expr.kind() {
                ExprKind::Var(name) if is_i64(&cell) => Some(Dim::size(*name)),
                _ => None,
            };
            let built = build(this, Typed { expr, ty: cell, dim })?;
            let expr = built.expr.clone();
            result = Some(built.ty);
            Some(expr)
        })?;
        Some(Typed::new(expr, result?.framed(&frame)))
    }

    /// The number of items is that of the shape.
    pub(super) fn count(&mut self, span: Span, dims: &[u64], items: usize) -> Option<Shape> {
        let product = if dims.contains(&0) { Some(0) } else { dims.iter().try_fold(1u64, |product, n| product.checked_mul(*n)) };
        let sizes: Option<Vec<Dim>> = dims.iter().map(|n| i64::try_from(*n).ok().map(Dim::constant)).collect();
        let shape = sizes.map(Shape::dims);
        match (shape, product) {
            (Some(shape), Some(product)) if product == items as u64 => Some(shape),
            _ => self.error(span, DataError::Count { dims: dims.to_vec(), items }),
        }
    }
}

/// A scalar literal.
pub(super) fn literal(value: Scalar, span: Span) -> Typed {
    let dim = if let Scalar::I64(n) = value { Some(Dim::constant(n)) } else { None };
    Typed { expr: Expr::new(ExprKind::Lit(value), span), ty: Type::prim(value.prim()), dim }
}

/// What the form with this head looks like; none if it is no keyword.
pub(super) fn form_syntax(word: &str) -> Option<&'static str> {
    Some(match word {
        "array" => "(array [n ..] a ..) or (array [n ..] t)",
        "frame" => "(frame [n ..] e ..), (frame [n ..] T) or (frame [n ..] : T e ..)",
        "t-app" => "(t-app e t ..)",
        "i-app" => "(i-app e i ..)",
        "fn" => "(fn ([x T] ..) e) or (fn ([x T] ..) : T e)",
        "i-fn" => "(i-fn (n ..) e)",
        "t-fn" => "(t-fn (t ..) e)",
        "let" => "(let [x e] e) or (let [x : T e] e)",
        "if" => "(if e e e)",
        "loop" => "(loop ([x T e] ..) (for i n) e) or (loop ([x T e] ..) (while c) e)",
        "map" => "(map [i ..] ([x e] ..) e)",
        "rep" => "(rep [i ..] e)",
        "proj" => "(proj k e)",
        "field" => "(field label e)",
        "box" => "(box ((n i) ..) T e) or (box i .. e T)",
        "boxes" => "(boxes (n ..) T [k ..] ((i ..) e) ..)",
        "unbox" => "(unbox e (x n ..) e) or (unbox (n .. x e) e)",
        "lift" => "(lift [n e] e)",
        "reshape" => "(reshape s e)",
        "reify-dimension" => "(reify-dimension d)",
        "reify-shape" => "(reify-shape s)",
        "coerce" => "(coerce T e)",
        "assert" => "(assert e \"text\" e)",
        "#A" => "(A (n ..) (e ..)) or (A T (n ..) (e ..))",
        "define" | "entry" | "define-rec" | "entry-rec" => {
            "an expression; definitions stand at the top level or, with `define`, in front of the expression of a body"
        }
        _ => return None,
    })
}
