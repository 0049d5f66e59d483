//! The last step of a definition: every unknown size is replaced by its solution, and bindings whose sizes turned out to
//! come from later bindings are moved behind them.

use super::Elab;
use super::sizes::{Sizes, evidently_natural};
use super::types::{Rewrite, rewrite};
use crate::base::scalar::Op;
use crate::base::{Scalar, Symbol};
use crate::ir::core::{Atom, Dim, DimAtom, Expr, ExprKind, Index, LoopForm, LoopParam, Shape, ShapeItem, Type, prims};
use rustc_hash::{FxHashMap, FxHashSet};

/// The expression without unknowns.
pub(super) fn expr(elab: &Elab<'_>, e: &Expr) -> Expr {
    let mut zonker = Zonker { sizes: &elab.sizes, memo: FxHashMap::default(), reorder: elab.sizes.late };
    zonker.expr(e)
}

struct Zonker<'a> {
    sizes: &'a Sizes,
    memo: FxHashMap<usize, (Type, Type)>,
    reorder: bool,
}

impl Rewrite for Zonker<'_> {
    fn dim(&mut self, dim: &Dim) -> Option<Dim> {
        dim.atoms().any(|a| matches!(a, DimAtom::Meta(_))).then(|| self.sizes.zonk(dim))
    }
    fn memo(&mut self) -> Option<&mut FxHashMap<usize, (Type, Type)>> {
        Some(&mut self.memo)
    }
}

impl Zonker<'_> {
    fn ty(&mut self, ty: &Type) -> Type {
        rewrite(ty, self)
    }
    fn atom(&mut self, atom: &Atom) -> Atom {
        self.ty(&Type::scalar(atom.clone())).atom().clone()
    }
    fn index(&mut self, index: &Index) -> Index {
        match index {
            Index::Dim(d) => Index::Dim(self.sizes.zonk(d)),
            Index::Shape(s) => Index::Shape(self.sizes.zonk_shape(s)),
        }
    }
    fn exprs(&mut self, es: &[Expr]) -> Vec<Expr> {
        es.iter().map(|e| self.expr(e)).collect()
    }
    fn pairs(&mut self, es: &[(Symbol, Expr)]) -> Vec<(Symbol, Expr)> {
        es.iter().map(|(n, e)| (*n, self.expr(e))).collect()
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        let kind = match e.kind() {
            ExprKind::Var(_) | ExprKind::Lit(_) | ExprKind::Array { .. } => return e.clone(),
            ExprKind::Let { .. } | ExprKind::Unbox { .. } => return self.chain(e),
            ExprKind::Frame { dims, cell, cells } => ExprKind::Frame { dims: dims.clone(), cell: self.ty(cell), cells: self.exprs(cells) },
            ExprKind::App { fun, args } => ExprKind::App { fun: self.expr(fun), args: self.exprs(args) },
            ExprKind::Inst { fun, types, indices } => ExprKind::Inst {
                fun: self.expr(fun),
                types: types.iter().map(|a| self.atom(a)).collect(),
                indices: indices.iter().map(|i| self.index(i)).collect(),
            },
            ExprKind::Fn { params, ret, body } => {
                ExprKind::Fn { params: params.iter().map(|(n, t)| (*n, self.ty(t))).collect(), ret: self.ty(ret), body: self.expr(body) }
            }
            ExprKind::IFn { params, body } => ExprKind::IFn { params: params.clone(), body: self.expr(body) },
            ExprKind::TFn { params, body } => ExprKind::TFn { params: params.clone(), body: self.expr(body) },
            ExprKind::If { cond, then, els } => ExprKind::If { cond: self.expr(cond), then: self.expr(then), els: self.expr(els) },
            ExprKind::Loop { params, form, body } => ExprKind::Loop {
                params: params.iter().map(|p| LoopParam { name: p.name, ty: self.ty(&p.ty), init: self.expr(&p.init) }).collect(),
                form: match form {
                    LoopForm::For(i, n) => LoopForm::For(*i, self.expr(n)),
                    LoopForm::While(c) => LoopForm::While(self.expr(c)),
                },
                body: self.expr(body),
            },
            ExprKind::Map { frame, args, body } => {
                ExprKind::Map { frame: self.sizes.zonk_shape(frame), args: self.pairs(args), body: self.expr(body) }
            }
            ExprKind::Rep { frame, arg } => ExprKind::Rep { frame: self.sizes.zonk_shape(frame), arg: self.expr(arg) },
            ExprKind::Tuple(es) => ExprKind::Tuple(self.exprs(es)),
            ExprKind::Proj(i, e) => ExprKind::Proj(*i, self.expr(e)),
            ExprKind::Record(es) => ExprKind::Record(self.pairs(es)),
            ExprKind::Field(l, e) => ExprKind::Field(*l, self.expr(e)),
            ExprKind::Inject { label, ty, payload } => ExprKind::Inject { label: *label, ty: self.ty(ty), payload: self.expr(payload) },
            ExprKind::Is(l, e) => ExprKind::Is(*l, self.expr(e)),
            ExprKind::Payload(l, e) => ExprKind::Payload(*l, self.expr(e)),
            ExprKind::Box { indices, ty, body } => ExprKind::Box {
                indices: indices.iter().map(|(n, i)| (*n, self.index(i))).collect(),
                ty: self.ty(ty),
                body: self.expr(body),
            },
            ExprKind::ReifyDim(d) => ExprKind::ReifyDim(self.sizes.zonk(d)),
            ExprKind::ReifyShape(s) => ExprKind::ReifyShape(self.sizes.zonk_shape(s)),
            ExprKind::Coerce { ty, expr } => ExprKind::Coerce { ty: self.ty(ty), expr: self.expr(expr) },
            ExprKind::Assert { cond, expr, .. } if self.is_size(cond) => return self.expr(expr),
            ExprKind::Assert { cond, message, expr } => {
                ExprKind::Assert { cond: self.expr(cond), message: *message, expr: self.expr(expr) }
            }
        };
        Expr::new(kind, e.span())
    }

    /// Whether a condition says that a number is a size that cannot be negative.
    fn is_size(&self, cond: &Expr) -> bool {
        let ExprKind::App { fun, args } = cond.kind() else { return false };
        let (ExprKind::Var(op), [size, zero]) = (fun.kind(), args.as_slice()) else { return false };
        let (ExprKind::ReifyDim(size), ExprKind::Lit(Scalar::I64(0))) = (size.kind(), zero.kind()) else { return false };
        prims::int_op(*op) == Some(Op::Ge) && evidently_natural(&self.sizes.zonk(size))
    }

    /// A run of bindings and what they are around.
    fn chain(&mut self, e: &Expr) -> Expr {
        let mut bindings = Vec::new();
        let mut at = e.clone();
        while let ExprKind::Let { body, .. } | ExprKind::Unbox { body, .. } = at.kind() {
            let next = body.clone();
            bindings.push(self.binding(&at));
            at = next;
        }
        let result = self.expr(&at);
        let order = if self.reorder { order(&bindings) } else { (0..bindings.len()).collect() };
        order.into_iter().rev().fold(result, |body, i| {
            let kind = match bindings[i].kind() {
                ExprKind::Let { name, ty, rhs, .. } => ExprKind::Let { name: *name, ty: ty.clone(), rhs: rhs.clone(), body },
                ExprKind::Unbox { boxed, value, indices, .. } => {
                    ExprKind::Unbox { boxed: boxed.clone(), value: *value, indices: indices.clone(), body }
                }
                _ => return body,
            };
            Expr::new(kind, bindings[i].span())
        })
    }
    /// A binding without its body (the old body is kept as a placeholder).
    fn binding(&mut self, e: &Expr) -> Expr {
        let hole = Expr::new(ExprKind::Tuple(Vec::new()), e.span());
        let kind = match e.kind() {
            ExprKind::Let { name, ty, rhs, .. } => {
                ExprKind::Let { name: *name, ty: ty.as_ref().map(|t| self.ty(t)), rhs: self.expr(rhs), body: hole }
            }
            ExprKind::Unbox { boxed, value, indices, .. } => {
                ExprKind::Unbox { boxed: self.expr(boxed), value: *value, indices: indices.clone(), body: hole }
            }
            _ => return e.clone(),
        };
        Expr::new(kind, e.span())
    }
}

/// An order of bindings in which every name is bound before it is used; as close to the given one as possible.
fn order(bindings: &[Expr]) -> Vec<usize> {
    let mut binder: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (i, b) in bindings.iter().enumerate() {
        match b.kind() {
            ExprKind::Let { name, .. } => {
                binder.insert(*name, i);
            }
            ExprKind::Unbox { value, indices, .. } => {
                binder.insert(*value, i);
                binder.extend(indices.iter().map(|n| (*n, i)));
            }
            _ => {}
        }
    }
    let needs: Vec<Vec<usize>> = bindings
        .iter()
        .enumerate()
        .map(|(i, b)| {
            let mut names = FxHashSet::default();
            mentioned(b, &mut names);
            let mut needs: Vec<usize> = names.iter().filter_map(|n| binder.get(n).copied()).filter(|j| *j != i).collect();
            needs.sort_unstable();
            needs
        })
        .collect();
    let mut out = Vec::with_capacity(bindings.len());
    let mut state = vec![0u8; bindings.len()];
    fn visit(i: usize, needs: &[Vec<usize>], state: &mut [u8], out: &mut Vec<usize>) {
        if state[i] != 0 {
            return;
        }
        state[i] = 1;
        for &j in &needs[i] {
            visit(j, needs, state, out);
        }
        out.push(i);
    }
    for i in 0..bindings.len() {
        visit(i, &needs, &mut state, &mut out);
    }
    out
}

/// The variables that are sizes somewhere in an expression.
pub(super) fn mentioned_sizes(e: &Expr) -> FxHashSet<Symbol> {
    let (mut names, mut sizes) = (FxHashSet::default(), FxHashSet::default());
    collect(e, &mut names, &mut sizes);
    sizes
}

/// All names that occur in an expression, bound ones included (names are unique in a definition).
fn mentioned(e: &Expr, out: &mut FxHashSet<Symbol>) {
    let mut sizes = FxHashSet::default();
    collect(e, out, &mut sizes);
    out.extend(sizes);
}

/// The names of an expression: those of its variables, and those in its sizes.
fn collect(e: &Expr, out: &mut FxHashSet<Symbol>, in_sizes: &mut FxHashSet<Symbol>) {
    let mut stack = vec![e.clone()];
    let mut types: Vec<Type> = Vec::new();
    let mut shapes: Vec<Shape> = Vec::new();
    while let Some(e) = stack.pop() {
        match e.kind() {
            ExprKind::Var(x) => drop(out.insert(*x)),
            ExprKind::Lit(_) | ExprKind::Array { .. } => {}
            ExprKind::Frame { cell, cells, .. } => {
                types.push(cell.clone());
                stack.extend(cells.iter().cloned());
            }
            ExprKind::App { fun, args } => {
                stack.push(fun.clone());
                stack.extend(args.iter().cloned());
            }
            ExprKind::Inst { fun, types: ts, indices } => {
                stack.push(fun.clone());
                types.extend(ts.iter().map(|a| Type::scalar(a.clone())));
                shapes.extend(indices.iter().map(as_shape));
            }
            ExprKind::Fn { params, ret, body } => {
                types.extend(params.iter().map(|(_, t)| t.clone()));
                types.push(ret.clone());
                stack.push(body.clone());
            }
            ExprKind::IFn { body, .. } | ExprKind::TFn { body, .. } => stack.push(body.clone()),
            ExprKind::Let { ty, rhs, body, .. } => {
                types.extend(ty.clone());
                stack.extend([rhs.clone(), body.clone()]);
            }
            ExprKind::If { cond, then, els } => stack.extend([cond.clone(), then.clone(), els.clone()]),
            ExprKind::Loop { params, form, body } => {
                for p in params {
                    types.push(p.ty.clone());
                    stack.push(p.init.clone());
                }
                match form {
                    LoopForm::For(_, e) | LoopForm::While(e) => stack.push(e.clone()),
                }
                stack.push(body.clone());
            }
            ExprKind::Map { frame, args, body } => {
                shapes.push(frame.clone());
                stack.extend(args.iter().map(|(_, e)| e.clone()));
                stack.push(body.clone());
            }
            ExprKind::Rep { frame, arg } => {
                shapes.push(frame.clone());
                stack.push(arg.clone());
            }
            ExprKind::Tuple(es) => stack.extend(es.iter().cloned()),
            ExprKind::Record(es) => stack.extend(es.iter().map(|(_, e)| e.clone())),
            ExprKind::Proj(_, e) | ExprKind::Field(_, e) | ExprKind::Is(_, e) | ExprKind::Payload(_, e) => stack.push(e.clone()),
            ExprKind::Inject { ty, payload, .. } => {
                types.push(ty.clone());
                stack.push(payload.clone());
            }
            ExprKind::Box { indices, ty, body } => {
                shapes.extend(indices.iter().map(|(_, i)| as_shape(i)));
                types.push(ty.clone());
                stack.push(body.clone());
            }
            ExprKind::Unbox { boxed, body, .. } => stack.extend([boxed.clone(), body.clone()]),
            ExprKind::ReifyDim(d) => shapes.push(Shape::dims([d.clone()])),
            ExprKind::ReifyShape(s) => shapes.push(s.clone()),
            ExprKind::Coerce { ty, expr } => {
                types.push(ty.clone());
                stack.push(expr.clone());
            }
            ExprKind::Assert { cond, expr, .. } => stack.extend([cond.clone(), expr.clone()]),
        }
    }
    let mut add = |atom: DimAtom| match atom {
        DimAtom::Var(x) | DimAtom::Size(x) => drop(in_sizes.insert(x)),
        DimAtom::Meta(_) => {}
    };
    types.iter().flat_map(super::sizes::free_atoms).for_each(&mut add);
    for item in shapes.iter().flat_map(|s| &s.items) {
        if let ShapeItem::Dim(d) = item {
            d.atoms().for_each(&mut add);
        }
    }
}

fn as_shape(index: &Index) -> Shape {
    match index {
        Index::Dim(d) => Shape::dims([d.clone()]),
        Index::Shape(s) => s.clone(),
    }
}
