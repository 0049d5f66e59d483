//! Equivalence of types: equal up to names of bound variables, sizes and shapes compared in normal form.
//!
//! Pairs of nodes that were found equivalent are remembered together with the pairing of the bound variables that occur
//! free in them, so graphs are compared in time proportional to their nodes, not to the trees they stand for.

use super::free::{FreeVars, Name, name_of};
use super::{ArrType, Atom, Dim, DimAtom, Param, Shape, ShapeItem, Type, is_shape};
use crate::base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Whether two types are equivalent. For many questions about the same types keep an [`Equality`].
pub fn equal(a: &Type, b: &Type) -> bool {
    Equality::default().equal(&mut FreeVars::default(), a, b)
}

/// How sizes are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Exact,
    /// Sizes may differ where a run-time check can find out: not inside functions, polymorphic types, boxes and sums.
    UpToSizes,
}

/// Compares types and remembers the answers.
#[derive(Default)]
pub struct Equality {
    /// Answers for nodes without bound variables; the types are kept alive.
    closed: FxHashMap<(*const ArrType, *const ArrType), (Type, Type, bool)>,
}

impl Equality {
    /// Whether two types are equivalent.
    pub fn equal(&mut self, free: &mut FreeVars, a: &Type, b: &Type) -> bool {
        self.compare(free, Mode::Exact, a, b)
    }

    /// Whether two types are equivalent but for sizes that can be checked at run time.
    pub fn equal_up_to_sizes(&mut self, free: &mut FreeVars, a: &Type, b: &Type) -> bool {
        self.compare(free, Mode::UpToSizes, a, b)
    }

    /// Number of answers remembered.
    pub fn len(&self) -> usize {
        self.closed.len()
    }
    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty()
    }

    fn compare(&mut self, free: &mut FreeVars, mode: Mode, a: &Type, b: &Type) -> bool {
        let mut pass = Pass { all: self, free, pairings: FxHashMap::default(), open: FxHashMap::default(), loose: FxHashMap::default() };
        pass.types(mode, a, b, &Pairing::default())
    }
}

/// Bound variables of the left type with those of the right, outermost first.
#[derive(Clone, Default)]
struct Pairing {
    pairs: Vec<(Name, Name)>,
    /// Where there are many: the innermost pair of each name of the left and of the right.
    last: Option<(FxHashMap<Name, usize>, FxHashMap<Name, usize>)>,
}

/// Pairings with at most this many pairs are searched one by one.
const FEW: usize = 8;

impl Pairing {
    fn new(pairs: Vec<(Name, Name)>) -> Pairing {
        let last = (pairs.len() > FEW).then(|| {
            let left = pairs.iter().enumerate().map(|(at, (x, _))| (*x, at)).collect();
            let right = pairs.iter().enumerate().map(|(at, (_, y))| (*y, at)).collect();
            (left, right)
        });
        Pairing { pairs, last }
    }
    fn push(&mut self, left: Name, right: Name) {
        let at = self.pairs.len();
        self.pairs.push((left, right));
        match &mut self.last {
            Some((lefts, rights)) => {
                lefts.insert(left, at);
                rights.insert(right, at);
            }
            None => *self = Pairing::new(std::mem::take(&mut self.pairs)),
        }
    }
    fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
    /// Position of the innermost pair with this name on the left.
    fn left(&self, name: Name) -> Option<usize> {
        match &self.last {
            Some((left, _)) => left.get(&name).copied(),
            None => self.pairs.iter().rposition(|(x, _)| *x == name),
        }
    }
    /// Position of the innermost pair with this name on the right.
    fn right(&self, name: Name) -> Option<usize> {
        match &self.last {
            Some((_, right)) => right.get(&name).copied(),
            None => self.pairs.iter().rposition(|(_, y)| *y == name),
        }
    }
    /// The pairs that are innermost for one of these names.
    fn of(&self, left: &FxHashSet<Name>, right: &FxHashSet<Name>) -> Pairing {
        let left = left.iter().filter_map(|name| self.left(*name));
        let mut positions: Vec<usize> = left.chain(right.iter().filter_map(|name| self.right(*name))).collect();
        positions.sort_unstable();
        positions.dedup();
        Pairing::new(positions.into_iter().filter_map(|at| self.pairs.get(at).copied()).collect())
    }
}

struct Pass<'a> {
    all: &'a mut Equality,
    free: &'a mut FreeVars,
    pairings: FxHashMap<Vec<(Name, Name)>, u32>,
    open: FxHashMap<(*const ArrType, *const ArrType, u32), bool>,
    loose: FxHashMap<(*const ArrType, *const ArrType), bool>,
}

fn paired(pairing: &Pairing, a: Name, b: Name) -> bool {
    let (left, right) = (pairing.left(a), pairing.right(b));
    left == right && (left.is_some() || a == b)
}

impl Pass<'_> {
    fn types(&mut self, mode: Mode, a: &Type, b: &Type, pairing: &Pairing) -> bool {
        let pairing = &self.restrict(pairing, a, b);
        if pairing.is_empty() && Arc::ptr_eq(&a.0, &b.0) {
            return true;
        }
        if !self.shapes(mode, a.shape(), b.shape(), pairing) {
            return false;
        }
        if let (Atom::Prim(a), Atom::Prim(b)) = (a.atom(), b.atom()) {
            return a == b;
        }
        let pointers = (Arc::as_ptr(&a.0), Arc::as_ptr(&b.0));
        if mode == Mode::UpToSizes {
            if let Some(answer) = self.loose.get(&pointers) {
                return *answer;
            }
            let answer = self.atoms(mode, a.atom(), b.atom(), pairing);
            self.loose.insert(pointers, answer);
            return answer;
        }
        if pairing.is_empty() {
            if let Some((_, _, answer)) = self.all.closed.get(&pointers) {
                return *answer;
            }
            let answer = self.atoms(mode, a.atom(), b.atom(), pairing);
            self.all.closed.insert(pointers, (a.clone(), b.clone(), answer));
            return answer;
        }
        let next = self.pairings.len() as u32;
        let number = *self.pairings.entry(pairing.pairs.clone()).or_insert(next);
        let key = (pointers.0, pointers.1, number);
        if let Some(answer) = self.open.get(&key) {
            return *answer;
        }
        let answer = self.atoms(mode, a.atom(), b.atom(), pairing);
        self.open.insert(key, answer);
        answer
    }

    /// The pairs that concern these types.
    fn restrict(&mut self, pairing: &Pairing, a: &Type, b: &Type) -> Pairing {
        if pairing.is_empty() {
            return Pairing::default();
        }
        let (left, right) = (self.free.of(a), self.free.of(b));
        pairing.of(&left, &right)
    }

    fn atoms(&mut self, mode: Mode, a: &Atom, b: &Atom, pairing: &Pairing) -> bool {
        match (a, b) {
            (Atom::Prim(a), Atom::Prim(b)) => a == b,
            (Atom::Var(a), Atom::Var(b)) => paired(pairing, Name::Type(*a), Name::Type(*b)),
            (Atom::Fun(p, r), Atom::Fun(q, s)) => self.functions((p, r), (q, s), pairing),
            (Atom::Forall(v, a), Atom::Forall(w, b)) => self.binders(v, a, w, b, Name::Type, pairing),
            (Atom::Pi(v, a), Atom::Pi(w, b)) | (Atom::Sigma(v, a), Atom::Sigma(w, b)) => self.binders(v, a, w, b, Name::Index, pairing),
            (Atom::Tuple(a), Atom::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.types(mode, a, b, pairing)),
            (Atom::Record(a), Atom::Record(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && self.types(mode, a, b, pairing))
            }
            (Atom::Sum(a), Atom::Sum(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && self.types(Mode::Exact, a, b, pairing))
            }
            _ => false,
        }
    }

    fn functions(&mut self, (p, r): (&[Param], &Type), (q, s): (&[Param], &Type), pairing: &Pairing) -> bool {
        if p.len() != q.len() {
            return false;
        }
        let mut pairing = pairing.clone();
        // An unnamed parameter is paired with a name that no program can contain.
        let unnamed = Symbol::new("");
        for (p, q) in p.iter().zip(q) {
            if !self.types(Mode::Exact, &p.ty, &q.ty, &pairing) {
                return false;
            }
            if p.name.is_some() || q.name.is_some() {
                pairing.push(Name::Size(p.name.unwrap_or(unnamed)), Name::Size(q.name.unwrap_or(unnamed)));
            }
        }
        self.types(Mode::Exact, r, s, &pairing)
    }

    fn binders(&mut self, v: &[Symbol], a: &Type, w: &[Symbol], b: &Type, kind: fn(Symbol) -> Name, pairing: &Pairing) -> bool {
        let same_sort = |v: &Symbol, w: &Symbol| is_shape(*v) == is_shape(*w);
        if v.len() != w.len() || !v.iter().zip(w).all(|(v, w)| same_sort(v, w)) {
            return false;
        }
        let bound = v.iter().zip(w).map(|(v, w)| (kind(*v), kind(*w)));
        let pairing = Pairing::new(pairing.pairs.iter().copied().chain(bound).collect());
        self.types(Mode::Exact, a, b, &pairing)
    }

    fn shapes(&self, mode: Mode, a: &Shape, b: &Shape, pairing: &Pairing) -> bool {
        a.items.len() == b.items.len()
            && a.items.iter().zip(&b.items).all(|pair| match pair {
                (ShapeItem::Dim(a), ShapeItem::Dim(b)) => mode == Mode::UpToSizes || dims(a, b, pairing),
                (ShapeItem::Var(a), ShapeItem::Var(b)) => paired(pairing, Name::Index(*a), Name::Index(*b)),
                _ => false,
            })
    }
}

/// Compares sizes by giving each pair of bound variables an indeterminate of its own on both sides.
fn dims(a: &Dim, b: &Dim, pairing: &Pairing) -> bool {
    if pairing.is_empty() {
        return a == b;
    }
    let number = |position: Option<usize>| position.map(|at| Dim::atom(DimAtom::Meta(u32::MAX - at as u32)));
    let left = a.subst(&mut |atom| number(name_of(atom).and_then(|name| pairing.left(name))));
    let right = b.subst(&mut |atom| number(name_of(atom).and_then(|name| pairing.right(name))));
    left == right
}
