//! Expressions other than applications and control.

use super::mode::Mode;
use super::roots::{Origin, Root};
use super::value::{self, Value};
use super::{Checker, FrameKind};
use crate::base::Symbol;
use crate::ir::surface::view::{self, Head};
use crate::ir::surface::{Access, ExprId, ExprKind, IndexArg, path_indices};
use crate::ir::tables::{DefId, RType, Res};

impl<'a> Checker<'a> {
    /// Where the value of an expression lies. What it uses must not have been consumed.
    pub(super) fn expr(&mut self, expr: ExprId) -> Value {
        let program = self.program;
        let mut at = expr;
        loop {
            at = view::strip(&program.ast, at);
            if let Some(app) = self.application_of(at) {
                return self.application(&app);
            }
            match &program.ast.exprs[at].kind {
                ExprKind::Let { pat, rhs, body, .. } => {
                    let value = self.expr(*rhs);
                    self.bind(*pat, value);
                    at = *body;
                }
                ExprKind::LetFun(fun) => {
                    let span = program.ast.pats[fun.binder].span;
                    let (mode, root) = self.function(&fun.params, fun.ret, fun.rhs, FrameKind::Function(span), &Mode::Plain);
                    self.locals.insert(fun.binder, Value::fun(mode, root, None));
                    at = fun.body;
                }
                ExprKind::LetUpdate { base, binder, path, value, body } => {
                    let updated = self.update(*base, path, *value);
                    self.locals.insert(*binder, updated);
                    at = *body;
                }
                ExprKind::Open { expr, .. } | ExprKind::Ascribe { expr, .. } | ExprKind::Coerce { expr, .. } => at = *expr,
                ExprKind::Assert { cond, expr } => {
                    self.expr(*cond);
                    at = *expr;
                }
                _ => return self.simple(at),
            }
        }
    }

    fn simple(&mut self, at: ExprId) -> Value {
        let program = self.program;
        match &program.ast.exprs[at].kind {
            ExprKind::Name(_) | ExprKind::Project { .. } => {
                let value = self.place(at);
                self.used(at, &value);
                value
            }
            ExprKind::OpFn(_) => self.operator(at),
            ExprKind::Tuple(items) => {
                let values = self.together(items);
                Value::parts(&mut self.roots, values)
            }
            ExprKind::Record(fields) => {
                let items: Vec<ExprId> = fields.iter().map(|(_, item)| *item).collect();
                let values = self.together(&items);
                let ty = self.ty(at);
                let mut parts = vec![Value::Scalar; ty.and_then(value::part_types).map_or(0, |parts| parts.len())];
                for ((label, _), value) in fields.iter().zip(values) {
                    if let Some(part) = ty.and_then(|ty| value::field_at(ty, label.name)).and_then(|at| parts.get_mut(at)) {
                        *part = value;
                    }
                }
                Value::parts(&mut self.roots, parts)
            }
            ExprKind::Array(items) => self.array(at, items),
            ExprKind::Index { array, indices } => {
                let array = self.expr(*array);
                self.indices(indices);
                Value::leaf(array.root())
            }
            ExprKind::Range { start, step, end, .. } => {
                [Some(*start), *step, Some(*end)].into_iter().flatten().for_each(|part| drop(self.expr(part)));
                self.fresh(at)
            }
            ExprKind::Lambda { .. } => self.lambda(at, &Mode::Plain),
            ExprKind::LeftSection { .. } | ExprKind::RightSection { .. } => self.section(at),
            ExprKind::IndexSection(indices) => {
                self.indices(indices);
                Value::fun(Mode::Plain, None, None)
            }
            ExprKind::ProjectSection(_) => Value::fun(Mode::Plain, None, None),
            ExprKind::If { cond, then, els } => self.conditional(*cond, *then, *els),
            ExprKind::Match { scrutinee, cases } => self.cases(*scrutinee, cases),
            ExprKind::Loop { pat, init, form, body, .. } => self.iteration(at, *pat, *init, form, *body),
            ExprKind::With { base, path, value } => self.update(*base, path, *value),
            // A constructor without payload.
            ExprKind::Constr { .. } => self.fresh(at),
            // Errors and holes, and the forms that `expr` sees to.
            ExprKind::Error
            | ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Imaginary { .. }
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Paren(_)
            | ExprKind::Apply { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Let { .. }
            | ExprKind::LetFun(_)
            | ExprKind::LetUpdate { .. }
            | ExprKind::Ascribe { .. }
            | ExprKind::Coerce { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Attr { .. }
            | ExprKind::Open { .. }
            | ExprKind::Hole => self.ty(at).map_or(Value::Scalar, |_| self.fresh(at)),
        }
    }

    /// The type of an expression.
    pub(super) fn ty(&self, expr: ExprId) -> Option<&'a RType> {
        self.tables.exprs.get(view::strip(&self.program.ast, expr))
    }
    /// A value of new memory.
    pub(super) fn fresh(&mut self, expr: ExprId) -> Value {
        match self.ty(expr) {
            Some(ty) => value::of_type(&mut self.roots, ty, &mut |roots| roots.make(Origin::Made, &[])),
            None => Value::Scalar,
        }
    }
    /// Values of parts of an expression, all of which are there in the end.
    pub(super) fn together(&mut self, items: &[ExprId]) -> Vec<Value> {
        let before: Vec<(Value, usize)> = items.iter().map(|item| (self.expr(*item), self.gifts.len())).collect();
        for (item, (value, gifts)) in items.iter().zip(&before) {
            if *gifts != self.gifts.len() {
                self.used(*item, value);
            }
        }
        before.into_iter().map(|(value, _)| value).collect()
    }
    fn indices<'i>(&mut self, indices: impl IntoIterator<Item = &'i IndexArg>) {
        for index in indices {
            match index {
                IndexArg::Index(index) => drop(self.expr(*index)),
                IndexArg::Slice { start, end, step, .. } => {
                    [start, end, step].into_iter().flatten().for_each(|part| drop(self.expr(*part)));
                }
            }
        }
    }
    /// The elements are copied, but functions stay what they are.
    fn array(&mut self, at: ExprId, items: &[ExprId]) -> Value {
        let values = self.together(items);
        match values.iter().find(|value| matches!(value, Value::Fun(_))) {
            Some(first) => {
                let mut all = first.clone();
                values.iter().for_each(|value| all = all.join(&mut self.roots, value));
                all
            }
            None => self.fresh(at),
        }
    }
    /// An array is updated: a new array, which shares memory with nothing.
    /// An update. An array is copied, so that what it shares memory with may be used as before; of a record only the field that is replaced changes.
    fn update(&mut self, base: ExprId, path: &[Access], value: ExprId) -> Value {
        let fields: Vec<Symbol> =
            path.iter().map_while(|access| if let Access::Field(field) = access { Some(field.name) } else { None }).collect();
        // What is replaced may have been consumed.
        let old = if fields.is_empty() { self.expr(base) } else { self.place(base) };
        let (part, ty) = self.part_at(&old, self.ty(base), &fields);
        let gifts = self.gifts.len();
        let within = fields.len() < path.len();
        if within && !fields.is_empty() {
            self.used(base, &part);
        }
        self.indices(path_indices(path));
        let new = self.expr(value);
        if !within {
            let updated = self.replaced(&old, self.ty(base), &fields, new);
            self.used(base, &updated);
            return updated;
        }
        if gifts != self.gifts.len() {
            self.used(base, &part);
        }
        let copied = match part {
            Value::Fun(_) => part.join(&mut self.roots, &new),
            Value::Scalar | Value::Leaf(_) | Value::Parts(_) => match ty {
                Some(ty) => value::of_type(&mut self.roots, ty, &mut |roots| roots.make(Origin::Made, &[])),
                None => Value::Scalar,
            },
        };
        if fields.is_empty() {
            return copied;
        }
        let updated = self.replaced(&old, self.ty(base), &fields, copied);
        self.used(base, &updated);
        updated
    }
    /// The field of a value to which a path leads, with its type.
    fn part_at<'t>(&mut self, value: &Value, mut ty: Option<&'t RType>, path: &[Symbol]) -> (Value, Option<&'t RType>) {
        let mut part = value.clone();
        for field in path {
            let at = ty.and_then(|ty| value::field_at(ty, *field));
            let inner = ty.and_then(value::part_types).zip(at).and_then(|(types, at)| types.get(at).copied());
            part = at.map_or(Value::Scalar, |at| part.part(&mut self.roots, at, inner));
            ty = inner;
        }
        (part, ty)
    }
    fn replaced(&mut self, old: &Value, ty: Option<&RType>, path: &[Symbol], new: Value) -> Value {
        let (Some((field, rest)), Some(ty)) = (path.split_first(), ty) else { return new };
        let (Value::Parts(parts), Some(types), Some(at)) = (old, value::part_types(ty), value::field_at(ty, *field)) else {
            return old.join(&mut self.roots, &new);
        };
        let mut parts = parts.parts.clone();
        if let Some(part) = parts.get_mut(at) {
            *part = self.replaced(&part.clone(), types.get(at).copied(), rest, new);
        }
        Value::parts(&mut self.roots, parts)
    }

    /// What a name or a field of it stands for, without being used as a whole.
    pub(super) fn place(&mut self, expr: ExprId) -> Value {
        let program = self.program;
        let at = view::strip(&program.ast, expr);
        if let Some(res) = program.names.exprs.get(at) {
            return self.named(*res);
        }
        match self.field_of(at) {
            Some((of, field)) => {
                let whole = self.place(of);
                let index = self.ty(of).and_then(|ty| value::field_at(ty, field));
                let ty = self.ty(at);
                index.map_or(Value::Scalar, |index| whole.part(&mut self.roots, index, ty))
            }
            None => self.expr(at),
        }
    }
    /// For a field of a value that is no array: the value and the field.
    pub(super) fn field_of(&self, at: ExprId) -> Option<(ExprId, Symbol)> {
        let ExprKind::Project { expr, field } = &self.program.ast.exprs[at].kind else { return None };
        if self.program.names.exprs.get(at).is_some() {
            return None;
        }
        (self.tables.apps.get(at).is_none_or(|info| info.frame() == 0)).then_some((*expr, field.name))
    }
    fn named(&mut self, res: Res) -> Value {
        match res {
            Res::Local(pat) => self.locals.get(&pat).cloned().unwrap_or(Value::Scalar),
            Res::Global(def) => self.global(def),
            Res::Scalar(..) => Value::fun(Mode::Plain, None, None),
        }
    }
    fn global(&mut self, def: DefId) -> Value {
        let Some(signature) = self.tables.defs.get(def) else { return Value::Scalar };
        if matches!(&*signature.ty.base, crate::ir::tables::RBase::Arrow(..)) {
            return Value::fun(self.modes.of(def), None, None);
        }
        self.constant(def, &signature.ty)
    }
    /// A constant: a part whose type has a type parameter in it is made for each use, the others are there once.
    fn constant(&mut self, def: DefId, ty: &RType) -> Value {
        let instance = |ty: &RType| value::mentions(ty, &|base| matches!(base, crate::ir::tables::RBase::Param(_))) == Some(true);
        match value::part_types(ty) {
            Some(parts) if instance(ty) && value::is_told_apart(ty) => {
                let parts = parts.into_iter().map(|part| self.constant(def, part)).collect();
                Value::parts(&mut self.roots, parts)
            }
            None if instance(ty) => value::of_type(&mut self.roots, ty, &mut |roots| roots.make(Origin::Made, &[])),
            _ => value::of_type(&mut self.roots, ty, &mut |roots| roots.make(Origin::Global(def), &[])),
        }
    }
    /// The function that an operator is, which stands in this node.
    pub(super) fn operator(&mut self, node: ExprId) -> Value {
        match self.program.names.exprs.get(node) {
            Some(res) => {
                let value = self.named(*res);
                self.used(node, &value);
                value
            }
            None => Value::fun(Mode::Plain, None, None),
        }
    }
    /// The application that an expression is.
    pub(super) fn application_of(&self, at: ExprId) -> Option<view::Application> {
        let program = self.program;
        let app = view::application(&program.ast, &|node| program.names.exprs.get(node).is_some(), at)?;
        // Fields of values that are no arrays are places.
        let place = matches!(app.head, Head::Project(_)) && app.node == at && self.field_of(at).is_some();
        (!place).then_some(app)
    }

    /// A value is used: it must be there still, and the functions around remember it.
    pub(super) fn used(&mut self, expr: ExprId, value: &Value) {
        if let Some(root) = value.root() {
            self.root_used(expr, root);
        }
    }
    fn root_used(&mut self, expr: ExprId, root: Root) {
        self.remember(root);
        if let Some(gift) = self.roots.dead(root) {
            self.report_use(expr, root, gift);
        }
    }
}
