//! Well-typed closed terms of core, made from lists of choices.
//!
//! A term is built by its type: to make an expression of a type in a scope, one of the forms that have this type is chosen, and then its
//! parts in the same way. So every list of numbers is a term, a shorter list or smaller numbers a simpler one, and
//! proptest's shrinking of lists shrinks terms. When the list ends, or the budget does, the simplest form is taken.

mod arrays;
mod atoms;
mod forms;
mod scope;

use remora::base::{PrimType, Scalar, Span, Symbol};
use remora::ir::core::free::{FreeVars, Name};
use remora::ir::core::subst::{Replacement, Subst};
use remora::ir::core::{Atom, Dim, Expr, ExprKind, Index, Shape, ShapeItem, Type};
use scope::Scope;

/// The term and the type that these choices stand for.
pub fn term(choices: &[u16]) -> (Expr, Type) {
    let mut generator = Gen { choices, at: 0, budget: 0, fresh: 0, scope: Scope::default(), free: FreeVars::default() };
    generator.budget = 3 + generator.choose(14) as i32;
    let ty = generator.ty(2);
    let expr = generator.expr(&ty).expect("closed types have values");
    (expr, ty)
}

/// An expression with free variables, and what can be put in their place.
pub struct Open {
    /// The expression.
    pub body: Expr,
    /// Its free term variables with their types.
    pub variables: Vec<(Symbol, Type)>,
    /// Its free size, shape and type variable with the closed indices and the closed type to put there.
    pub size: (Symbol, Dim),
    pub shape: (Symbol, Shape),
    pub atom: (Symbol, Atom),
    /// Closed values for the term variables, of the types after substitution.
    pub values: Vec<Expr>,
}

/// An expression with the free variables `n`, `@s`, `t`, `a : [t n @s]`, `b : i64` and `c` of any type.
pub fn open(choices: &[u16]) -> Open {
    let mut generator = Gen { choices, at: 0, budget: 0, fresh: 0, scope: Scope::default(), free: FreeVars::default() };
    let [n, s, t, a, b, c] = ["n", "@s", "t", "a", "b", "c"].map(Symbol::new);
    let (size, shape) = (generator.dim(), generator.shape(1));
    let atom = generator.atom(1);
    let closed = generator.ty(1);
    let general = Type::new(Atom::Var(t), Shape::dims([Dim::var(n)]).append(&Shape::var(s)));
    let mut subst = Subst::default();
    subst.insert(Name::Index(n), Replacement::Dim(size.clone()));
    subst.insert(Name::Index(s), Replacement::Shape(shape.clone()));
    subst.insert(Name::Type(t), Replacement::Atom(atom.clone()));
    let first = generator.substituted(&subst, &general);
    let values = [&first, &i64_ty(), &closed].map(|ty| generator.simple(ty).expect("closed types have values"));
    let variables = vec![(a, general.clone()), (b, i64_ty()), (c, closed)];
    generator.scope.terms.extend(variables.iter().cloned());
    generator.scope.indices.push(n);
    generator.scope.shapes.push(s);
    generator.budget = 3 + generator.choose(14) as i32;
    let ty = if generator.choose(2) == 0 { general } else { generator.ty(2) };
    let body = generator.expr(&ty).expect("a value is in scope");
    Open { body, variables, size: (n, size), shape: (s, shape), atom: (t, atom), values: values.to_vec() }
}

pub struct Gen<'c> {
    choices: &'c [u16],
    at: usize,
    budget: i32,
    fresh: u32,
    scope: Scope,
    free: FreeVars,
}

pub fn make(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

pub fn var(name: &str) -> Expr {
    make(ExprKind::Var(Symbol::new(name)))
}

pub fn local(name: Symbol) -> Expr {
    make(ExprKind::Var(name))
}

pub fn call(fun: Expr, args: Vec<Expr>) -> Expr {
    make(ExprKind::App { fun, args })
}

pub fn int(n: i64) -> Expr {
    make(ExprKind::Lit(Scalar::I64(n)))
}

pub fn i64_ty() -> Type {
    Type::prim(PrimType::I64)
}

pub fn bool_ty() -> Type {
    Type::prim(PrimType::Bool)
}

/// A primitive at an element type and indices.
pub fn inst(name: &str, atom: &Atom, dims: &[Dim], rest: &Shape) -> Expr {
    let indices = dims.iter().cloned().map(Index::Dim).chain([Index::Shape(rest.clone())]).collect();
    make(ExprKind::Inst { fun: var(name), types: vec![atom.clone()], indices })
}

pub fn shape(items: &[ShapeItem]) -> Shape {
    Shape { items: items.to_vec() }
}

/// The type with this size in front.
pub fn with_outer(dim: &Dim, ty: &Type) -> Type {
    ty.framed(&Shape::dims([dim.clone()]))
}

impl Gen<'_> {
    /// A number below `n`; 0 when there are no more choices.
    pub fn choose(&mut self, n: usize) -> usize {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(choice) % n.max(1)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.choose(n) == n - 1
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() {
            return None;
        }
        let at = self.choose(items.len());
        items.get(at).cloned()
    }

    /// A name that no variable has.
    pub fn name(&mut self, stem: &str) -> Symbol {
        self.fresh += 1;
        Symbol::new(&format!("{stem}{}", self.fresh))
    }

    /// A name for a term variable: a new one, or one that hides a variable which no type mentions.
    pub fn term_name(&mut self) -> Symbol {
        if self.one_in(6) {
            let hideable = self.scope.hideable();
            if let Some(name) = self.pick(&hideable) {
                return name;
            }
        }
        self.name("x")
    }

    pub fn substituted(&mut self, subst: &Subst, ty: &Type) -> Type {
        subst.ty(&mut self.free, ty).expect("small sizes")
    }

    /// A small size: a number, or something in scope.
    pub fn dim(&mut self) -> Dim {
        let numbers = [2, 1, 0, 3];
        match self.choose(6) {
            0..=3 => {
                let n = self.choose(4);
                Dim::constant(numbers[n])
            }
            4 => {
                let known = self.scope.dims();
                self.pick(&known).unwrap_or_else(|| Dim::constant(2))
            }
            _ => {
                let known = self.scope.dims();
                let dim = self.pick(&known).unwrap_or_else(|| Dim::constant(0));
                dim.add(&Dim::constant(1))
            }
        }
    }

    pub fn shape(&mut self, rank: usize) -> Shape {
        let mut items = Vec::new();
        let ranks = [0, 1, 1, 0, 1, rank];
        let rank = ranks[self.choose(6)];
        for _ in 0..rank {
            items.push(ShapeItem::Dim(self.dim()));
        }
        if !self.scope.shapes.is_empty() && self.one_in(3) {
            let shapes = self.scope.shapes.clone();
            items.extend(self.pick(&shapes).map(ShapeItem::Var));
        }
        Shape { items }
    }

    pub fn prim(&mut self) -> PrimType {
        let all = [PrimType::I64, PrimType::F64, PrimType::Bool, PrimType::I32, PrimType::U8, PrimType::F32];
        let n = self.choose(all.len());
        all[n]
    }

    /// A type; parts of it nest up to `depth`.
    pub fn ty(&mut self, depth: usize) -> Type {
        let atom = self.atom(depth);
        let shape = self.shape(2);
        Type::new(atom, shape)
    }

    fn atom(&mut self, depth: usize) -> Atom {
        match if depth == 0 { 0 } else { self.choose(10) } {
            0..=4 => Atom::Prim(self.prim()),
            5 => {
                let parts = (0..self.choose(3)).map(|_| self.ty(depth - 1)).collect();
                Atom::Tuple(parts)
            }
            6 => {
                let labels = ["a", "b"].map(Symbol::new);
                let count = 1 + self.choose(2);
                Atom::Record(labels.into_iter().take(count).map(|label| (label, self.ty(depth - 1))).collect())
            }
            7 => {
                let labels = ["c", "d", "e"].map(Symbol::new);
                let count = 1 + self.choose(3);
                Atom::Sum(labels.into_iter().take(count).map(|label| (label, self.ty(depth - 1))).collect())
            }
            8 => {
                let params = (0..=self.choose(2)).map(|_| self.ty(depth - 1)).collect();
                self.fun_ty(params, depth - 1).atom().clone()
            }
            _ => self.sigma(depth - 1),
        }
    }

    fn fun_ty(&mut self, params: Vec<Type>, depth: usize) -> Type {
        let ret = self.ty(depth);
        let params = params.into_iter().map(|ty| remora::ir::core::Param { name: None, ty }).collect();
        Type::fun(params, ret)
    }

    fn sigma(&mut self, depth: usize) -> Atom {
        let content = if self.choose(3) == 1 { i64_ty() } else { self.ty(depth) };
        let k = self.name("k");
        match self.choose(4) {
            0 | 1 => Atom::Sigma(vec![k], with_outer(&Dim::var(k), &content)),
            2 => {
                let s = self.name("@s");
                Atom::Sigma(vec![s], content.framed(&Shape::var(s)))
            }
            _ => {
                let other = Type::new(Atom::Prim(self.prim()), Shape::dims([Dim::var(k)]));
                let both = Atom::Tuple(vec![with_outer(&Dim::var(k), &content), other]);
                Atom::Sigma(vec![k], Type::scalar(both))
            }
        }
    }

    /// An expression of this type. `None` only for types that mention a type variable of which nothing is in scope.
    pub fn expr(&mut self, ty: &Type) -> Option<Expr> {
        if self.budget <= 0 {
            return self.leaf(ty);
        }
        self.budget -= 1;
        let before = self.scope.depth();
        let made = self.form(ty);
        self.scope.restore(before);
        made.or_else(|| self.leaf(ty))
    }

    /// A small expression: a variable or a literal.
    pub fn leaf(&mut self, ty: &Type) -> Option<Expr> {
        let known = self.scope.of_type(&mut self.free, ty);
        if !known.is_empty() && self.choose(3) != 0 {
            return self.pick(&known).map(local);
        }
        self.simple(ty).or_else(|| known.first().copied().map(local))
    }
}
