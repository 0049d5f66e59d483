//! Normal forms as a shared graph: what is equal to the last name is one node.
//!
//! A function that is applied several times to results of itself has a normal form whose text is doubly exponential in the number
//! of applications; as a graph it is as large as the evaluation was long.

use super::term::{Const, Tag, Var};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// A normal form: a node of [`Forms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Normal(u32);

/// What a normal form is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Form {
    /// A variable.
    Var(Var),
    /// A constant.
    Const(Const),
    /// A function.
    Lam(Var, Normal),
    /// An application of something that is no function abstraction.
    App(Normal, Vec<Normal>),
    /// A map: parameters, body, arrays.
    Map(Vec<Var>, Normal, Vec<Normal>),
    /// A replication.
    Rep(Normal),
    /// Any other form.
    Node(Tag, Vec<Normal>),
}

impl Form {
    /// The parts, in order.
    fn parts(&self) -> Vec<Normal> {
        match self {
            Form::Var(_) | Form::Const(_) => Vec::new(),
            Form::Lam(_, body) | Form::Rep(body) => vec![*body],
            Form::App(fun, args) | Form::Map(_, fun, args) => std::iter::once(*fun).chain(args.iter().copied()).collect(),
            Form::Node(_, parts) => parts.clone(),
        }
    }
}

/// A node, and what is known about it.
#[derive(Debug)]
struct Entry {
    form: Form,
    /// The same for all forms that are equal up to the names of bound variables.
    shape: u64,
    /// Whether a variable that a normal form made up occurs in it.
    bound: bool,
}

/// A graph of normal forms. Bound variables have names of their own.
#[derive(Debug, Default)]
pub struct Forms {
    entries: Vec<Entry>,
    ids: FxHashMap<Form, Normal>,
}

/// The first number of variables that normal forms make up.
pub(super) const FIRST_BOUND: u32 = 1 << 31;

fn is_bound(var: Var) -> bool {
    matches!(var, Var::Fresh(number) if number > FIRST_BOUND)
}

impl Forms {
    /// The node of a form.
    pub(super) fn intern(&mut self, form: Form) -> Normal {
        if let Some(known) = self.ids.get(&form) {
            return *known;
        }
        let (shape, bound) = (self.shape_of(&form), self.bound_of(&form));
        let id = Normal(self.entries.len() as u32);
        self.ids.insert(form.clone(), id);
        self.entries.push(Entry { form, shape, bound });
        id
    }

    /// What a node is.
    pub(super) fn form(&self, normal: Normal) -> &Form {
        &self.entries[normal.0 as usize].form
    }

    /// A number that is the same for equal forms.
    pub(super) fn shape(&self, normal: Normal) -> u64 {
        self.entries[normal.0 as usize].shape
    }

    fn shape_of(&self, form: &Form) -> u64 {
        let mut hasher = FxHasher::default();
        std::mem::discriminant(form).hash(&mut hasher);
        match form {
            Form::Var(var) if is_bound(*var) => {}
            Form::Var(var) => var.hash(&mut hasher),
            Form::Const(constant) => constant.hash(&mut hasher),
            Form::Node(tag, _) => tag.hash(&mut hasher),
            Form::Lam(..) | Form::App(..) | Form::Map(..) | Form::Rep(_) => {}
        }
        form.parts().iter().for_each(|part| self.shape(*part).hash(&mut hasher));
        hasher.finish()
    }

    fn bound_of(&self, form: &Form) -> bool {
        matches!(form, Form::Var(var) if is_bound(*var)) || form.parts().iter().any(|part| self.entries[part.0 as usize].bound)
    }

    /// Whether two normal forms are equal up to the names of bound variables.
    pub fn same(&self, a: Normal, b: Normal) -> bool {
        Alpha { forms: self, names: FxHashMap::default(), seen: FxHashSet::default() }.same(a, b)
    }

    /// Calls `f` with the variables of a form in the order of their first occurrence, as long as it returns true; every node is visited
    /// once. Returns the number of nodes.
    pub(super) fn vars(&self, normal: Normal, f: &mut dyn FnMut(Var) -> bool) -> usize {
        let mut seen = FxHashSet::default();
        let mut work = vec![normal];
        while let Some(at) = work.pop() {
            if !self.entries[at.0 as usize].bound || !seen.insert(at) {
                continue;
            }
            if let Form::Var(var) = self.form(at)
                && !f(*var)
            {
                break;
            }
            work.extend(self.form(at).parts().into_iter().rev());
        }
        seen.len()
    }
}

struct Alpha<'a> {
    forms: &'a Forms,
    /// Bound names on the left with those on the right. Names are unique, so that the pairs need not be taken back.
    names: FxHashMap<Var, Var>,
    /// Pairs that were compared: had they been different, the comparison would have ended.
    seen: FxHashSet<(Normal, Normal)>,
}

impl Alpha<'_> {
    fn same(&mut self, a: Normal, b: Normal) -> bool {
        let (left, right) = (&self.forms.entries[a.0 as usize], &self.forms.entries[b.0 as usize]);
        if a == b && !left.bound {
            return true;
        }
        if left.shape != right.shape {
            return false;
        }
        if !self.seen.insert((a, b)) {
            return true;
        }
        match (&left.form, &right.form) {
            (Form::Var(a), Form::Var(b)) => self.names.get(a).unwrap_or(a) == b,
            (Form::Const(a), Form::Const(b)) => a == b,
            (Form::Lam(x, a), Form::Lam(y, b)) => {
                self.names.insert(*x, *y);
                self.same(*a, *b)
            }
            (Form::App(f, a), Form::App(g, b)) => self.same(*f, *g) && self.all(a, b),
            (Form::Map(xs, f, a), Form::Map(ys, g, b)) => {
                self.names.extend(xs.iter().copied().zip(ys.iter().copied()));
                xs.len() == ys.len() && self.same(*f, *g) && self.all(a, b)
            }
            (Form::Rep(a), Form::Rep(b)) => self.same(*a, *b),
            (Form::Node(s, a), Form::Node(t, b)) => s == t && self.all(a, b),
            _ => false,
        }
    }

    fn all(&mut self, a: &[Normal], b: &[Normal]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(*a, *b))
    }
}
