//! Constraints of applications, the only places where maps and reps are inserted.

use super::context::{Context, Judgement, SiteRef, Slot, Spine};
use super::error::ErrorKind;
use super::reason::Kind;
use super::types::{Class, Node, Ty};
use crate::base::scalar::{self, Member};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::surface::view::{Application, Head};
use crate::ir::surface::{ExprId, ExprKind, Ident, IndexArg, Operator, UnaryOp, view};
use crate::rank::LinExpr;
use std::sync::Arc;

/// Frames with more terms than this are abbreviated by a variable, so that applications to thousands of arguments stay linear.
const LONG_FRAME: usize = 16;

/// What is applied, for messages.
#[derive(Clone, Copy)]
struct Callee {
    name: Option<Symbol>,
    span: Span,
    /// Whether nothing is inserted at its arguments: it is the definition itself, whose type is not written.
    exact: bool,
}

/// An argument: an expression, or a variable of an unapplied section.
#[derive(Clone)]
enum Operand {
    Expr(ExprId),
    Variable(Ty, Span),
}

/// The types at one argument and where they come from.
struct Meeting<'t> {
    param: &'t Ty,
    arg: &'t Ty,
    callee: Callee,
    span: Span,
}

impl Context<'_> {
    /// The judgement of an application.
    pub(super) fn apply(&mut self, app: &Application) -> Judgement {
        let args: Vec<Operand> = app.args.iter().map(|arg| Operand::Expr(*arg)).collect();
        match app.head {
            Head::Expr(head) => {
                let judgement = self.expr(head);
                let callee = Callee { name: self.callee_name(head), span: self.span(head), exact: self.is_unwritten_self(head) };
                self.apply_to(app.node, callee, judgement, args)
            }
            Head::Op(op) => {
                let naming = view::operator_node(self.ast(), app.node);
                let judgement = self.operator(naming, op.name);
                self.apply_to(app.node, Callee { name: Some(op.name), span: op.span, exact: false }, judgement, args)
            }
            Head::Unary(op, span) => {
                let naming = view::operator_node(self.ast(), app.node);
                let (class, name) = match op {
                    UnaryOp::Neg => (Class::numeric(), "-"),
                    UnaryOp::Not => (Class::scalars(|p| p.is_int() || p == PrimType::Bool), "!"),
                };
                let operand = Ty::cell(self.bases.var(class));
                self.found.ops.push((naming, operand.clone()));
                let ty = self.bases.arrow(operand.clone(), operand);
                self.apply_to(app.node, Callee { name: Some(Symbol::new(name)), span, exact: false }, Judgement::plain(ty), args)
            }
            Head::Project(field) => self.projection(app.node, field, args),
            Head::Constr(name) => {
                let payload: Arc<[(Ty, Span)]> = app.args.iter().map(|arg| (self.fresh(), self.span(*arg))).collect();
                let sum = self.constructor(name, payload.clone());
                let head = payload.iter().rev().fold(sum, |to, (from, _)| self.bases.arrow(from.clone(), to));
                let callee = Callee { name: Some(Symbol::new(&format!("#{}", name.name))), span: name.span, exact: false };
                self.apply_to(app.node, callee, Judgement::plain(head), args)
            }
            Head::Index(array) => {
                let count = match &self.ast().exprs[view::operator_node(self.ast(), app.node)].kind {
                    ExprKind::Index { indices, .. } => indices.len(),
                    _ => args.len(),
                };
                let ty = self.value(array);
                let head = self.index_function(&ty, count, self.span(array), self.span(app.node));
                self.apply_to(app.node, Callee { name: None, span: self.span(array), exact: false }, head, args)
            }
        }
    }

    fn callee_name(&self, head: ExprId) -> Option<Symbol> {
        match &self.ast().exprs[view::strip(self.ast(), head)].kind {
            ExprKind::Name(name) => Some(*name),
            ExprKind::Project { field, .. } => Some(field.name),
            ExprKind::OpFn(op) => Some(op.name),
            _ => None,
        }
    }

    /// A binary operator at the node that names it.
    fn operator(&mut self, node: ExprId, op: Symbol) -> Judgement {
        if self.program.names.exprs.get(node).is_some() {
            return self.resolved(node);
        }
        Judgement::plain(self.builtin(node, op))
    }

    /// The type of a built-in operator at a fresh operand type.
    pub(super) fn builtin(&mut self, node: ExprId, op: Symbol) -> Ty {
        let Some((class, comparison)) = operator_class(op.as_str()) else {
            // Resolution reported it.
            return self.error_type();
        };
        let base = self.bases.var(class);
        let whole = self.whole && matches!(op.as_str(), "==" | "!=");
        let operand = if whole { Ty::new(self.ranks.var(), base) } else { Ty::cell(base) };
        self.found.ops.push((node, operand.clone()));
        let result = if comparison { self.bases.prim(PrimType::Bool) } else { operand.clone() };
        let inner = self.bases.arrow(operand.clone(), result);
        self.bases.arrow(operand, inner)
    }

    /// The type of a member of a scalar module.
    pub(super) fn scalar_member(&mut self, node: ExprId, prim: PrimType, name: Symbol) -> Ty {
        match scalar::member(prim, name.as_str()) {
            Some(Member::Constant(value)) => self.bases.prim(value.prim()),
            Some(Member::Op(op)) => {
                let mut ty = self.bases.prim(op.result);
                for &param in op.params.iter().rev() {
                    let param = self.bases.prim(param);
                    ty = self.bases.arrow(param, ty);
                }
                ty
            }
            Some(Member::Fold(_)) => {
                let element = self.bases.prim(prim);
                let vector = Ty::new(LinExpr::constant(1), element.base);
                self.bases.arrow(vector, element)
            }
            None => {
                self.error(self.span(node), ErrorKind::NoSuchMember { module: prim, member: name });
                self.error_type()
            }
        }
    }

    /// The type of an index: any integer type, `i64` where nothing says which.
    pub(super) fn index_type(&mut self) -> Ty {
        Ty::cell(self.bases.var(Class::integral().prefer_i64()))
    }
    /// The function `\i1 .. ik -> a[i1, .., ik]`.
    fn index_function(&mut self, array: &Ty, count: usize, array_span: Span, span: Span) -> Judgement {
        let rank = self.cells(array, count, Kind::Indexed, span, array_span);
        let mut ty = Ty::new(rank, array.base);
        for _ in 0..count {
            let index = self.index_type();
            ty = self.bases.arrow(index, ty);
        }
        Judgement::plain(ty)
    }

    /// `e.x` and what it may further be applied to.
    fn projection(&mut self, node: ExprId, field: Ident, args: Vec<Operand>) -> Judgement {
        let mut args = args.into_iter();
        let Some(Operand::Expr(record)) = args.next() else {
            return Judgement::plain(self.error_type());
        };
        let arg = self.value(record);
        let (head, slot) = self.project(node, 0, &arg, field, self.span(record));
        let spine = Spine { head_frame: LinExpr::zero(), slots: vec![slot] };
        self.apply_rest(node, Callee { name: Some(field.name), span: field.span, exact: false }, head, spine, args)
    }

    /// One projection from a value: the function `(.x)` applied to it.
    fn project(&mut self, node: ExprId, argument: usize, arg: &Ty, field: Ident, span: Span) -> (Judgement, Slot) {
        let reason = self.reason(Kind::Field, field.span, span);
        let param = Ty::cell(arg.base);
        let callee = Callee { name: Some(field.name), span: field.span, exact: false };
        let meeting = Meeting { param: &param, arg, callee, span };
        let slot = self.insertion(SiteRef { node, argument }, LinExpr::zero(), &meeting);
        let ty = self.field(arg.base, field, reason);
        (Judgement { frame: slot.maps.clone(), ty }, slot)
    }

    /// A head applied to all arguments of the application `node`.
    fn apply_to(&mut self, node: ExprId, callee: Callee, head: Judgement, args: Vec<Operand>) -> Judgement {
        let spine = Spine { head_frame: head.frame.clone(), slots: Vec::with_capacity(args.len()) };
        self.apply_rest(node, callee, head, spine, args.into_iter())
    }

    fn apply_rest(
        &mut self,
        node: ExprId,
        callee: Callee,
        head: Judgement,
        mut spine: Spine,
        args: impl ExactSizeIterator<Item = Operand>,
    ) -> Judgement {
        let total = args.len() + spine.slots.len();
        let Judgement { mut frame, ty: mut function } = head;
        for operand in args {
            let index = spine.slots.len();
            let parts = self.function_parts(&function, index, total, callee);
            let (arg, span) = match operand {
                Operand::Expr(expr) => (self.value(expr), self.span(expr)),
                Operand::Variable(ty, span) => (ty, span),
            };
            let Some((param, result)) = parts else {
                function = self.error_type();
                spine.slots.push(Slot { maps: LinExpr::zero(), reps: LinExpr::zero(), frame: frame.clone() });
                continue;
            };
            frame = self.lifted_head(frame, &function, index, callee);
            if index == 0 {
                spine.head_frame = frame.clone();
            }
            let meeting = Meeting { param: &param, arg: &arg, callee, span };
            let slot = self.insertion(SiteRef { node, argument: index }, frame.clone(), &meeting);
            frame = self.short(frame.add(&slot.maps), callee);
            spine.slots.push(slot);
            function = result;
        }
        self.found.apps.push((node, spine));
        Judgement { frame, ty: function }
    }

    /// The frame when the head's type is an array of functions: its dimensions belong to the frame. Only at the first argument; the
    /// result of an application that is an array of functions has to be bound to a name first.
    fn lifted_head(&mut self, frame: LinExpr, function: &Ty, index: usize, callee: Callee) -> LinExpr {
        let rank = self.ranks.reduce(&function.rank);
        if rank.terms.is_empty() && rank.constant == 0 {
            return frame;
        }
        if index == 0 {
            return self.ranks.reduce(&frame.add(&rank));
        }
        let reason = self.reason(Kind::Function, callee.span, callee.span);
        let cell = Ty::cell(function.base);
        self.ranks.equate(&LinExpr::zero(), &rank, reason, (&cell, function));
        frame
    }

    fn short(&mut self, frame: LinExpr, callee: Callee) -> LinExpr {
        if frame.terms.is_empty() {
            return frame;
        }
        let frame = self.ranks.reduce(&frame);
        if frame.terms.len() <= LONG_FRAME {
            return frame;
        }
        let short = self.ranks.var();
        let reason = self.reason(Kind::Function, callee.span, callee.span);
        let unit = self.error_type();
        self.ranks.equate(&short, &frame, reason, (&unit, &unit));
        short
    }

    /// Parameter and result of a function type; an unknown type becomes one.
    fn function_parts(&mut self, function: &Ty, index: usize, total: usize, callee: Callee) -> Option<(Ty, Ty)> {
        match self.bases.node(function.base) {
            Node::Arrow(parts) => {
                let (param, result) = (parts.0.clone(), parts.1.clone());
                if index == 0 && total > 1 && self.takes_tuple_of(&param, &result, total) {
                    self.error(callee.span, ErrorKind::TakesTuple { name: callee.name, count: total });
                    return None;
                }
                Some((param, result))
            }
            Node::Var(_) => {
                let (param, result) = (self.fresh(), self.fresh());
                let arrow = self.bases.arrow(param.clone(), result.clone());
                let reason = self.reason(Kind::Function, callee.span, callee.span);
                self.unify(&arrow, function, reason);
                Some((param, result))
            }
            Node::Error => None,
            Node::Prim(_) | Node::Param(_) | Node::Tuple(_) | Node::Record(_) | Node::Sum(_) | Node::Abstract(..) | Node::Link(_) => {
                self.not_a_function(function, index, total, callee.name, callee.span);
                None
            }
        }
    }

    /// Whether a function of one parameter takes a tuple of so many components.
    fn takes_tuple_of(&mut self, param: &Ty, result: &Ty, count: usize) -> bool {
        let last = !matches!(self.bases.node(result.base), Node::Arrow(_) | Node::Var(_) | Node::Error);
        last && matches!(self.bases.node(param.base), Node::Tuple(parts) if parts.len() == count)
    }

    /// What is inserted at one argument: `[]^M frame param = []^R arg`, `M = 0 or R = 0`, decided on the spot where the ranks leave
    /// no choice.
    fn insertion(&mut self, site: SiteRef, frame: LinExpr, meeting: &Meeting) -> Slot {
        let Meeting { param, arg, callee, span } = *meeting;
        let reason = self.reason(Kind::Argument { number: site.argument + 1, of: callee.name }, callee.span, span);
        let lift = self.lift(param, arg);
        let param_rank = self.ranks.reduce(&param.rank.clone().add(&lift));
        let arg_rank = self.ranks.reduce(&arg.rank);
        let frame = self.ranks.reduce(&frame);
        let slot = match self.decided(&frame, &param_rank, &arg_rank) {
            _ if callee.exact => {
                self.ranks.equate(&frame.clone().add(&param_rank), &arg_rank, reason, (param, arg));
                Slot { maps: LinExpr::zero(), reps: LinExpr::zero(), frame }
            }
            Some((maps, reps)) => Slot { maps, reps, frame },
            None => {
                let (maps, reps) = self.ranks.site(site, frame.clone());
                let expected = maps.clone().add(&frame).add(&param_rank);
                let found = reps.clone().add(&arg_rank);
                self.ranks.equate(&expected, &found, reason, (param, arg));
                Slot { maps, reps, frame }
            }
        };
        self.unify_argument(param, arg, &lift, reason);
        slot
    }

    /// The only possible insertions, where ranks known already leave one. With `d` the argument's rank minus the parameter's minus
    /// the frame's, `M - R = d` and one of them is 0.
    fn decided(&self, frame: &LinExpr, param: &LinExpr, arg: &LinExpr) -> Option<(LinExpr, LinExpr)> {
        if !self.ranks.local {
            return None;
        }
        let missing = self.ranks.reduce(&param.clone().sub(arg));
        if !missing.terms.is_empty() {
            return None;
        }
        if frame.terms.is_empty() {
            let d = -missing.constant - frame.constant;
            return Some((LinExpr::constant(d.max(0)), LinExpr::constant((-d).max(0))));
        }
        // A frame is never negative: with `d <= 0` there are reps only, at a cost that does not depend on the frame.
        (missing.constant >= 0).then(|| (LinExpr::zero(), frame.clone().plus(missing.constant)))
    }

    /// By how many dimensions an array of functions is turned into a function on arrays where a function is expected: 0 unless both
    /// types are functions. A function of several parameters that is no array is lifted only as far as the ranks of its first
    /// parameter are written: otherwise `map (+) xss` would stand for `map (map (+)) xss` and for `map (rep (+)) xss`.
    fn lift(&mut self, param: &Ty, arg: &Ty) -> LinExpr {
        if self.bases.find(param.base) == self.bases.find(arg.base) {
            return LinExpr::zero();
        }
        let parts = (self.bases.node(param.base), self.bases.node(arg.base));
        let (Node::Arrow(p), Node::Arrow(a)) = parts else { return LinExpr::zero() };
        let written = p.0.rank.clone().sub(&a.0.rank);
        if written.terms.is_empty() {
            return LinExpr::constant(written.constant.max(0));
        }
        let curried = matches!((self.bases.node(p.1.base), self.bases.node(a.1.base)), (Node::Arrow(_), Node::Arrow(_)));
        if curried && arg.rank.constant == 0 {
            return LinExpr::zero();
        }
        if self.ranks.local && !curried {
            for (outer, inner) in [(&p.0, &a.0), (&p.1, &a.1)] {
                let lift = self.ranks.reduce(&outer.rank.clone().sub(&inner.rank));
                if lift.terms.is_empty() {
                    return LinExpr::constant(lift.constant.max(0));
                }
            }
        }
        self.ranks.var()
    }

    /// `(e op)`: the operator applied to its first operand.
    pub(super) fn left_section(&mut self, id: ExprId, lhs: ExprId, op: &Operator) -> Judgement {
        let (callee, head) = self.section_head(id, op);
        self.apply_to(id, callee, head, vec![Operand::Expr(lhs)])
    }

    /// `(op e)`: `\x -> x op e`.
    pub(super) fn right_section(&mut self, id: ExprId, op: &Operator, rhs: ExprId) -> Judgement {
        let (callee, head) = self.section_head(id, op);
        let param = self.fresh();
        let args = vec![Operand::Variable(param.clone(), op.ident.span), Operand::Expr(rhs)];
        let result = self.apply_to(id, callee, head, args).merged();
        Judgement::plain(self.bases.arrow(param, result))
    }

    fn section_head(&mut self, id: ExprId, op: &Operator) -> (Callee, Judgement) {
        let callee = Callee { name: Some(op.ident.name), span: op.ident.span, exact: false };
        let head = match op.backtick {
            Some(function) => self.expr(function),
            None => self.operator(id, op.ident.name),
        };
        (callee, head)
    }

    /// `(.x.y)`: `\r -> r.x.y`, with one entry per field in the insertions of the node.
    pub(super) fn project_section(&mut self, id: ExprId, path: &[Ident]) -> Judgement {
        let param = self.fresh();
        let mut at = param.clone();
        let mut spine = Spine { head_frame: LinExpr::zero(), slots: Vec::new() };
        for (index, field) in path.iter().enumerate() {
            let (judgement, slot) = self.project(id, index, &at, *field, field.span);
            spine.slots.push(slot);
            at = judgement.merged();
        }
        self.found.apps.push((id, spine));
        Judgement::plain(self.bases.arrow(param, at))
    }

    /// `(.[i, j])`: `\a -> a[i, j]`.
    pub(super) fn index_section(&mut self, id: ExprId, indices: &[IndexArg]) -> Judgement {
        let array = self.fresh();
        let span = self.span(id);
        let plain: Option<Vec<Operand>> =
            indices.iter().map(|i| if let IndexArg::Index(e) = i { Some(Operand::Expr(*e)) } else { None }).collect();
        let result = match plain {
            Some(args) => {
                let head = self.index_function(&array, args.len(), span, span);
                self.apply_to(id, Callee { name: None, span, exact: false }, head, args).merged()
            }
            None => self.selection(&array, indices, span, span).1,
        };
        Judgement::plain(self.bases.arrow(array, result))
    }
}

/// The operand types of a built-in operator, and whether its result is `bool`.
fn operator_class(op: &str) -> Option<(Class, bool)> {
    Some(match op {
        "+" | "-" | "*" | "/" | "**" => (Class::numeric(), false),
        "%" => (Class::real(), false),
        "//" | "%%" | "<<" | ">>" | ">>>" => (Class::integral(), false),
        "&" | "|" | "^" => (Class::scalars(|p| p.is_int() || p == PrimType::Bool), false),
        "<" | "<=" | ">" | ">=" => (Class::scalars(|p| !p.is_complex()), true),
        "==" | "!=" => (Class::EQUALITY, true),
        "&&" | "||" => (Class::scalars(|p| p == PrimType::Bool), false),
        _ => return None,
    })
}
