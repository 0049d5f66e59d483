//! Core piece by piece: names for what was computed, maps, boxes for what sizes are hidden.

use super::error::Result;
use super::value::{Arr, Kind, Rag, Val};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{Atom, Dim, DimAtom, Expr, ExprKind, Index, Prim, Shape, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Literals of more elements are not folded.
pub const MAX_LITERAL: usize = 64;

/// Something that has a name for the rest of its scope.
enum Bind {
    Let(Symbol, Expr),
    Unbox { boxed: Expr, value: Symbol, indices: Vec<Symbol> },
}

/// What was computed so far in a body.
#[derive(Default)]
pub struct Scope {
    binds: Vec<Bind>,
    owned: FxHashSet<Symbol>,
    /// Sizes that were computed, by what they were computed from.
    sizes: FxHashMap<SizeKey, Dim>,
}

/// What a size is computed from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SizeKey {
    /// The larger of two.
    Max(Dim, Dim),
    /// The smaller of two.
    Min(Dim, Dim),
    /// What is left without so many.
    Drop(i64, Dim),
    /// What is left without as many as an expression says, written out.
    DropComputed(String, Dim),
    /// How many windows there are.
    Windows {
        /// One less place, for windows of an even size.
        gap: i64,
        /// From one to the next.
        step: i64,
        /// Where they lie.
        of: Dim,
    },
}

/// Puts core together.
pub struct Build {
    scopes: Vec<Scope>,
    /// The types of variables that values are.
    types: FxHashMap<Symbol, (Kind, Vec<Dim>)>,
    next: u32,
    /// The glyph that is being executed.
    pub at: Span,
}

impl Build {
    /// Nothing computed yet.
    pub fn new(at: Span) -> Build {
        Build { scopes: vec![Scope::default()], types: FxHashMap::default(), next: 0, at }
    }
    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }
    /// A new name.
    pub fn fresh(&mut self, stem: &str) -> Symbol {
        self.next += 1;
        Symbol::new(&format!("{stem}{}", self.next))
    }
    /// A node at the present glyph.
    pub fn node(&self, kind: ExprKind) -> Expr {
        Expr::new(kind, self.at)
    }
    /// A variable.
    pub fn var(&self, name: Symbol) -> Expr {
        self.node(ExprKind::Var(name))
    }
    /// A scalar literal.
    pub fn lit(&self, value: Scalar) -> Expr {
        self.node(ExprKind::Lit(value))
    }
    /// A whole number.
    pub fn int(&self, value: i64) -> Expr {
        self.lit(Scalar::I64(value))
    }
    /// An application.
    pub fn app(&self, fun: Expr, args: Vec<Expr>) -> Expr {
        self.node(ExprKind::App { fun, args })
    }
    /// A scalar operation of one operand; folded if that is a literal.
    pub fn op1(&self, op: Op, prim: PrimType, a: Expr) -> Expr {
        if let ExprKind::Lit(x) = a.kind()
            && let Ok(value) = ScalarOp::new(op, prim).apply(&[*x])
        {
            return self.lit(value);
        }
        self.app(Expr::op(op, prim, self.at), vec![a])
    }
    /// A scalar operation of two operands; folded if they are literals.
    pub fn op2(&self, op: Op, prim: PrimType, a: Expr, b: Expr) -> Expr {
        if let (ExprKind::Lit(x), ExprKind::Lit(y)) = (a.kind(), b.kind())
            && let Ok(value) = ScalarOp::new(op, prim).apply(&[*x, *y])
        {
            return self.lit(value);
        }
        self.app(Expr::op(op, prim, self.at), vec![a, b])
    }
    /// A choice.
    pub fn choose(&self, cond: Expr, then: Expr, els: Expr) -> Expr {
        match cond.kind() {
            ExprKind::Lit(Scalar::Bool(true)) => then,
            ExprKind::Lit(Scalar::Bool(false)) => els,
            _ => self.node(ExprKind::If { cond, then, els }),
        }
    }
    /// A size as a number.
    pub fn size(&self, dim: &Dim) -> Expr {
        match dim.as_constant() {
            Some(value) => self.int(value),
            None => self.node(ExprKind::ReifyDim(dim.clone())),
        }
    }
    /// A primitive of arrays of cells, for these sizes and this shape of cells.
    pub fn prim(&self, prim: Prim, kind: Kind, sizes: &[Dim], cell: &[Dim], args: Vec<Expr>) -> Expr {
        let shape = std::iter::once(Index::Shape(Shape::dims(cell.iter().cloned())));
        let indices = sizes.iter().cloned().map(Index::Dim).chain(shape).collect();
        let fun = self.node(ExprKind::Inst { fun: Expr::prim(prim, self.at), types: vec![Atom::Prim(kind.prim())], indices });
        self.app(fun, args)
    }
    /// The type of an array.
    pub fn ty(kind: Kind, shape: &[Dim]) -> Type {
        Type::new(Atom::Prim(kind.prim()), Shape::dims(shape.iter().cloned()))
    }
    /// Gives an expression a name.
    pub fn bind(&mut self, expr: Expr) -> Expr {
        if matches!(expr.kind(), ExprKind::Var(_) | ExprKind::Lit(_)) {
            return expr;
        }
        let name = self.fresh("v");
        let scope = self.scopes.last_mut().expect("a scope is open");
        scope.binds.push(Bind::Let(name, expr));
        scope.owned.insert(name);
        self.var(name)
    }
    /// Opens a box; the hidden sizes.
    pub fn unbox(&mut self, boxed: Expr, count: usize) -> (Expr, Vec<Symbol>) {
        let indices: Vec<Symbol> = (0..count).map(|_| self.fresh("n")).collect();
        let value = self.fresh("u");
        let scope = self.scopes.last_mut().expect("a scope is open");
        scope.owned.extend(indices.iter().copied().chain([value]));
        scope.binds.push(Bind::Unbox { boxed, value, indices: indices.clone() });
        (self.var(value), indices)
    }
    /// The size that a number is: the number has a name from here on.
    pub fn size_of(&mut self, number: Expr) -> Dim {
        if let ExprKind::Lit(Scalar::I64(value)) = number.kind() {
            return Dim::constant(*value);
        }
        if let ExprKind::ReifyDim(dim) = number.kind() {
            return dim.clone();
        }
        // A name of its own: types mention it, and it is bound to what types see through.
        let name = match number.kind() {
            ExprKind::Var(name) => *name,
            _ => {
                let ExprKind::Var(name) = *self.bind(number).kind() else { unreachable!("bound to a name") };
                name
            }
        };
        self.types.entry(name).or_insert((Kind::Int, Vec::new()));
        Dim::size(name)
    }
    /// A size that was computed from `key`, computed once in a scope and those within it.
    pub fn memo(&mut self, key: SizeKey, make: impl FnOnce(&mut Build) -> Expr) -> Dim {
        if let Some(dim) = self.scopes.iter().rev().find_map(|scope| scope.sizes.get(&key)) {
            return dim.clone();
        }
        let expr = make(self);
        let dim = self.size_of(expr);
        self.scopes.last_mut().expect("a scope is open").sizes.insert(key, dim.clone());
        dim
    }
    /// Opens a scope.
    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }
    /// Closes the innermost scope around a result.
    pub fn close(&mut self, result: Expr) -> Expr {
        let scope = self.scopes.pop().expect("a scope is open");
        let mut body = result;
        for bind in scope.binds.into_iter().rev() {
            let span = body.span();
            body = match bind {
                Bind::Let(name, rhs) => {
                    if matches!(body.kind(), ExprKind::Var(last) if *last == name) {
                        rhs
                    } else {
                        Expr::new(ExprKind::Let { name, ty: None, rhs, body }, span)
                    }
                }
                Bind::Unbox { boxed, value, indices } => Expr::new(ExprKind::Unbox { boxed, value, indices, body }, span),
            };
        }
        body
    }
    /// Makes what the innermost scope has part of the one around it.
    pub fn merge(&mut self) {
        let inner = self.scopes.pop().expect("a scope is open");
        let outer = self.scopes.last_mut().expect("a scope is open");
        outer.binds.extend(inner.binds);
        outer.owned.extend(inner.owned);
        outer.sizes.extend(inner.sizes);
    }
    /// Takes the innermost scope away, to go on with it later.
    pub fn detach(&mut self) -> Scope {
        self.scopes.pop().expect("a scope is open")
    }
    /// Goes on with a scope.
    pub fn attach(&mut self, scope: Scope) {
        self.scopes.push(scope);
    }
    /// Closes scopes that an error left open.
    pub fn back_to(&mut self, depth: usize) {
        self.scopes.truncate(depth);
    }
    /// Makes names belong to the innermost scope.
    pub fn own(&mut self, names: impl IntoIterator<Item = Symbol>) {
        self.scopes.last_mut().expect("a scope is open").owned.extend(names);
    }
    /// Whether a size was found out in the innermost scope.
    pub fn is_local(&self, dim: &Dim) -> bool {
        self.is_within(dim, self.scopes.len() - 1)
    }
    /// Whether all of these names were bound in scopes that are open.
    pub fn sees_all<'a>(&self, names: impl Iterator<Item = &'a Symbol>) -> bool {
        names.into_iter().all(|name| self.scopes.iter().any(|scope| scope.owned.contains(name)))
    }
    /// Whether a size was found out in a scope from this depth on.
    fn is_within(&self, dim: &Dim, depth: usize) -> bool {
        dim.atoms().any(|atom| match atom {
            DimAtom::Var(name) | DimAtom::Size(name) => self.scopes[depth..].iter().any(|scope| scope.owned.contains(&name)),
            DimAtom::Meta(_) => false,
        })
    }
    /// The form of a value, and those of its sizes that were found out from this depth on.
    pub fn form_within(&self, val: &Val, depth: usize) -> (Form, Vec<Dim>) {
        let mut leaves = Vec::new();
        val.leaves(&mut leaves);
        let local = leaves.iter().flat_map(|arr| &arr.shape).filter(|dim| self.is_within(dim, depth)).cloned().collect();
        (Form::of(val), local)
    }

    /// A map over a frame: the cells of the arrays have names in the body.
    pub fn map(&mut self, frame: &[Dim], arrays: Vec<Expr>, body: impl FnOnce(&mut Build, Vec<Expr>) -> Result<Expr>) -> Result<Expr> {
        if frame.is_empty() {
            return body(self, arrays);
        }
        self.open();
        let names: Vec<Symbol> = arrays.iter().map(|_| self.fresh("c")).collect();
        self.own(names.iter().copied());
        let cells = names.iter().map(|name| self.var(*name)).collect();
        let made = body(self, cells)?;
        let body = self.close(made);
        let args = names.into_iter().zip(arrays).collect();
        Ok(self.node(ExprKind::Map { frame: Shape::dims(frame.iter().cloned()), args, body }))
    }
    /// The numbers from 0 up to a size.
    pub fn iota(&self, dim: &Dim) -> Expr {
        self.app(Expr::prim(Prim::Iota, self.at), vec![self.size(dim)])
    }
    /// An array of what a function says of each index.
    pub fn tabulate(&mut self, dims: &[Dim], body: &mut dyn FnMut(&mut Build, &[Expr]) -> Result<Expr>) -> Result<Expr> {
        self.tabulate_from(dims, &mut Vec::new(), body)
    }
    fn tabulate_from(
        &mut self,
        dims: &[Dim],
        indices: &mut Vec<Expr>,
        body: &mut dyn FnMut(&mut Build, &[Expr]) -> Result<Expr>,
    ) -> Result<Expr> {
        let Some((first, rest)) = dims.split_first() else { return body(self, indices) };
        let numbers = self.iota(first);
        self.map(std::slice::from_ref(first), vec![numbers], |build, cells| {
            indices.push(cells[0].clone());
            let made = build.tabulate_from(rest, indices, body);
            indices.pop();
            made
        })
    }
    /// The cell at an index of the first axes; each index is checked when the program runs.
    pub fn index(&self, kind: Kind, shape: &[Dim], array: Expr, at: &[Expr]) -> Expr {
        let mut expr = array;
        for (axis, index) in at.iter().enumerate() {
            expr = self.prim(Prim::Index, kind, &shape[axis..=axis], &shape[axis + 1..], vec![expr, index.clone()]);
        }
        expr
    }
    /// A named array.
    pub fn named(&mut self, kind: Kind, shape: Vec<Dim>, expr: Expr) -> Arr {
        let expr = self.bind(expr);
        let mut arr = Arr::new(kind, shape, expr);
        if let ExprKind::Lit(value) = arr.expr.kind() {
            arr.lit = Some(Rc::new(vec![*value]));
        }
        self.learn(&mut arr);
        arr
    }
    /// The kind and shape of the array that a variable is.
    pub fn type_of(&self, name: Symbol) -> Option<(Kind, Vec<Dim>)> {
        self.types.get(&name).cloned()
    }
    /// What is known of an array that has a name or is a literal.
    fn learn(&mut self, arr: &mut Arr) {
        if let ExprKind::Var(name) = arr.expr.kind() {
            self.types.insert(*name, (arr.kind, arr.shape.clone()));
        }
        if arr.known.is_some() || arr.kind > Kind::Int {
            return;
        }
        if let Some(ints) = arr.constant_ints().filter(|ints| ints.len() <= MAX_LITERAL) {
            arr.known = Some(Rc::new(ints.into_iter().map(Dim::constant).collect()));
        } else if arr.shape.is_empty()
            && arr.kind == Kind::Int
            && let ExprKind::Var(name) = arr.expr.kind()
        {
            arr.known = Some(Rc::new(vec![Dim::size(*name)]));
        }
    }
    /// An array of constants.
    pub fn literal(&mut self, kind: Kind, dims: &[u64], items: Vec<Scalar>) -> Arr {
        let expr = match (dims.is_empty(), items.first()) {
            (true, Some(item)) => self.lit(*item),
            _ => {
                let made = self.node(ExprKind::Array { dims: dims.to_vec(), elem: kind.prim(), items: items.clone() });
                self.bind(made)
            }
        };
        let shape = dims.iter().map(|dim| Dim::constant(*dim as i64)).collect();
        let mut arr = Arr::new(kind, shape, expr);
        arr.lit = Some(Rc::new(items));
        self.learn(&mut arr);
        arr
    }
    /// A vector of sizes as whole numbers.
    pub fn numbers(&mut self, dims: &[Dim]) -> Arr {
        if let Some(items) = dims.iter().map(|dim| dim.as_constant().map(Scalar::I64)).collect::<Option<Vec<_>>>() {
            return self.literal(Kind::Int, &[items.len() as u64], items);
        }
        let cells = dims.iter().map(|dim| self.size(dim)).collect();
        let count = dims.len() as u64;
        let made = self.node(ExprKind::Frame { dims: vec![count], cell: Build::ty(Kind::Int, &[]), cells });
        let expr = self.bind(made);
        let mut arr = Arr::new(Kind::Int, vec![Dim::constant(count as i64)], expr);
        arr.known = Some(Rc::new(dims.to_vec()));
        self.learn(&mut arr);
        arr
    }
    /// A scalar element converted to another kind.
    pub fn converted(&self, from: Kind, to: Kind, expr: Expr) -> Expr {
        if from == to { expr } else { self.op1(Op::Convert(from.prim()), to.prim(), expr) }
    }
    /// An array converted to a wider kind.
    pub fn convert(&mut self, arr: &Arr, kind: Kind) -> Result<Arr> {
        if arr.kind == kind {
            return Ok(arr.clone());
        }
        let mut out = match &arr.lit {
            Some(lit) if arr.shape.iter().all(|dim| dim.as_constant().is_some()) => {
                let items = lit.iter().map(|item| crate::base::scalar::convert(kind.prim(), *item)).collect();
                let dims: Vec<u64> = arr.shape.iter().filter_map(Dim::as_constant).map(|dim| dim as u64).collect();
                self.literal(kind, &dims, items)
            }
            _ => {
                let from = arr.kind;
                let made =
                    self.map(&arr.shape, vec![arr.expr.clone()], |build, cells| Ok(build.converted(from, kind, cells[0].clone())))?;
                self.named(kind, arr.shape.clone(), made)
            }
        };
        if out.known.is_none() && kind == Kind::Int {
            out.known = arr.known.clone();
        }
        out.levels = arr.levels.clone();
        Ok(out)
    }
}

/// What values have to look like where ways of a program meet: kinds, and shapes in which some sizes are hidden.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The value, with types only.
    pub form: Form,
    /// Names of hidden sizes.
    pub hidden: Vec<Symbol>,
}

/// The form of a value.
#[derive(Debug, Clone)]
pub enum Form {
    /// An array.
    Arr {
        /// Its kind.
        kind: Kind,
        /// Its sizes.
        shape: Vec<Dim>,
        /// Its levels.
        levels: Vec<usize>,
    },
    /// A tuple.
    Tup(Vec<Form>),
    /// A vector of vectors.
    Rag {
        /// How many there are.
        lengths: Dim,
        /// The kind of their elements.
        kind: Kind,
        /// How many elements they have together.
        total: Dim,
    },
}

impl Form {
    /// Of a value.
    pub fn of(val: &Val) -> Form {
        match val {
            Val::Arr(arr) => Form::Arr { kind: arr.kind, shape: arr.shape.clone(), levels: arr.levels.clone() },
            Val::Tup(items) => Form::Tup(items.iter().map(Form::of).collect()),
            Val::Rag(rag) => Form::Rag { lengths: rag.lengths.shape[0].clone(), kind: rag.data.kind, total: rag.data.shape[0].clone() },
        }
    }
    /// The kinds and shapes of its arrays.
    pub fn arrays(&self) -> Vec<(Kind, Vec<Dim>)> {
        let mut out = Vec::new();
        self.leaves(&mut out);
        out
    }
    fn leaves(&self, out: &mut Vec<(Kind, Vec<Dim>)>) {
        match self {
            Form::Arr { kind, shape, .. } => out.push((*kind, shape.clone())),
            Form::Tup(items) => items.iter().for_each(|item| item.leaves(out)),
            Form::Rag { lengths, kind, total } => out.extend([(Kind::Int, vec![lengths.clone()]), (*kind, vec![total.clone()])]),
        }
    }
    /// The value whose arrays are these.
    pub fn fill(&self, arrays: &mut impl Iterator<Item = Arr>) -> Option<Val> {
        Some(match self {
            Form::Arr { levels, .. } => Val::Arr(arrays.next()?.levelled(levels.clone())),
            Form::Tup(items) => Val::Tup(Rc::new(items.iter().map(|item| item.fill(arrays)).collect::<Option<_>>()?)),
            Form::Rag { .. } => Val::Rag(Rc::new(Rag { lengths: arrays.next()?, data: arrays.next()? })),
        })
    }
}

impl Layout {
    /// Its type in core.
    pub fn ty(&self) -> Type {
        let content = self.content();
        if self.hidden.is_empty() { content } else { Type::scalar(Atom::Sigma(self.hidden.clone(), content)) }
    }
    /// The type in the box.
    fn content(&self) -> Type {
        let mut types: Vec<Type> = self.form.arrays().iter().map(|(kind, shape)| Build::ty(*kind, shape)).collect();
        match types.len() {
            1 => types.remove(0),
            _ => Type::scalar(Atom::Tuple(types)),
        }
    }
}

impl Build {
    /// A value in a layout: converted, and in a box if sizes are hidden. The value has the layout's form.
    pub fn pack(&mut self, val: &Val, layout: &Layout) -> Result<Expr> {
        let (mut exprs, indices) = self.fitted(val, layout)?;
        let body = if exprs.len() == 1 { exprs.remove(0) } else { self.node(ExprKind::Tuple(exprs)) };
        if layout.hidden.is_empty() {
            return Ok(body);
        }
        let index = |name: &Symbol| (*name, Index::Dim(indices.get(name).cloned().unwrap_or(Dim::constant(0))));
        let indices = layout.hidden.iter().map(index).collect();
        Ok(self.node(ExprKind::Box { indices, ty: layout.content(), body }))
    }
    /// The layout with its constant sizes hidden, if it has any.
    pub fn without_constants(&mut self, layout: &Layout) -> Option<Layout> {
        let mut hidden = layout.hidden.clone();
        let form = self.hiding_constants(&layout.form, &mut hidden);
        (hidden.len() > layout.hidden.len()).then_some(Layout { form, hidden })
    }
    fn hiding_constants(&mut self, form: &Form, hidden: &mut Vec<Symbol>) -> Form {
        let mut hide = |dim: &Dim| match dim.as_constant() {
            Some(_) => {
                hidden.push(self.fresh("h"));
                Dim::var(hidden[hidden.len() - 1])
            }
            None => dim.clone(),
        };
        match form {
            Form::Arr { kind, shape, levels } => Form::Arr { kind: *kind, shape: shape.iter().map(hide).collect(), levels: levels.clone() },
            Form::Rag { lengths, kind, total } => Form::Rag { lengths: hide(lengths), kind: *kind, total: hide(total) },
            Form::Tup(items) => Form::Tup(items.iter().map(|item| self.hiding_constants(item, hidden)).collect()),
        }
    }
    /// The arrays of a value that has the layout's form, converted, and what its hidden sizes are.
    pub fn fitted(&mut self, val: &Val, layout: &Layout) -> Result<(Vec<Expr>, FxHashMap<Symbol, Dim>)> {
        let mut have = Vec::new();
        val.leaves(&mut have);
        let mut exprs = Vec::new();
        let mut indices: FxHashMap<Symbol, Dim> = FxHashMap::default();
        for (arr, (kind, shape)) in have.into_iter().zip(&layout.form.arrays()) {
            exprs.push(self.convert(arr, *kind)?.expr);
            for (dim, wanted) in arr.shape.iter().zip(shape) {
                if let Some(DimAtom::Var(name)) = wanted.as_atom()
                    && layout.hidden.contains(&name)
                {
                    indices.insert(name, dim.clone());
                }
            }
        }
        Ok((exprs, indices))
    }
    /// The value that was packed.
    pub fn unpack(&mut self, packed: Expr, layout: &Layout) -> Val {
        let (content, names) = match layout.hidden.len() {
            0 => (self.bind(packed), Vec::new()),
            count => self.unbox(packed, count),
        };
        let leaves = layout.form.arrays();
        let renamed = |dim: &Dim| match dim.as_atom() {
            Some(DimAtom::Var(name)) => match layout.hidden.iter().position(|hidden| *hidden == name) {
                Some(at) => Dim::var(names[at]),
                None => dim.clone(),
            },
            _ => dim.clone(),
        };
        let single = leaves.len() == 1;
        let mut arrays = Vec::new();
        for (at, (kind, shape)) in leaves.into_iter().enumerate() {
            let expr = if single { content.clone() } else { self.node(ExprKind::Proj(at, content.clone())) };
            let shape = shape.iter().map(renamed).collect();
            arrays.push(self.named(kind, shape, expr));
        }
        layout.form.fill(&mut arrays.into_iter()).expect("as many arrays as leaves")
    }
}
