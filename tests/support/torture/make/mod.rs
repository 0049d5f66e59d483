//! Making programs that are well typed by construction.
//!
//! A body is a chain of statements that make new arrays of those that are there (`statements`), with sizes that follow, and ends with an
//! expression of a wanted type (`values`, `scalars`). What may share memory is followed far enough that what is consumed is not used again.

mod arrays;
mod derivatives;
mod functions;
mod loops;
mod operators;
mod program;
mod scalars;
mod statements;
mod structures;
mod updates;
mod views;

pub use program::program;

use super::tree::{Kind, Node};
use super::types::{Dim, Prim, Ty};
use crate::support::generate::Random;

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub ty: Ty,
    /// For integers that are known to be valid indices: of what.
    pub below: Option<Dim>,
    /// The memory that it may share with others.
    roots: Vec<u32>,
    /// Whether it may be consumed.
    owned: bool,
    /// The body that it was made in.
    frame: usize,
}

/// A name of a size.
#[derive(Clone, Debug)]
pub struct Size {
    pub name: String,
    /// Its value in the first input, if that is known.
    pub value: Option<i64>,
    /// It is not larger than this in the first input.
    pub most: i64,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub struct Fun {
    pub name: String,
    /// Sizes that follow from the arguments.
    pub sizes: Vec<String>,
    /// Parameters, and whether the argument is consumed.
    pub params: Vec<(Ty, bool)>,
    pub result: Ty,
    /// Whether elements may be of any type: the types say `i64`.
    pub polymorphic: bool,
}

/// A statement in front of a body.
pub struct Binding {
    pub names: Vec<String>,
    pub template: String,
    pub parts: Vec<Node>,
}

/// A value with the sizes in its type that nobody can know.
pub struct Made {
    pub node: Node,
    /// Names for them, and how large they are at most.
    pub hidden: Vec<(String, i64)>,
}

impl From<Node> for Made {
    fn from(node: Node) -> Made {
        Made { node, hidden: Vec::new() }
    }
}

/// What was in scope.
struct Mark {
    vars: Vec<Var>,
    sizes: usize,
    funs: usize,
}

/// Makes expressions.
pub struct Maker<'a> {
    pub random: &'a mut Random,
    pub vars: Vec<Var>,
    pub sizes: Vec<Size>,
    pub funs: Vec<Fun>,
    fresh: usize,
    roots: u32,
    frame: usize,
    /// How many loops and maps are around what is being made.
    nest: usize,
    /// Whether what is made is differentiated, so that most numbers are floats.
    floats: bool,
    /// Whether recursive functions and derivatives are made too: if `FORMS` is set. Some of them are not compiled (E0801).
    pub all_forms: bool,
    /// How many statements may still be made.
    budget: isize,
    pub features: Vec<&'static str>,
}

/// The most elements of an array.
const MOST: i64 = 200;

impl<'a> Maker<'a> {
    pub fn new(random: &'a mut Random, budget: isize) -> Maker<'a> {
        Maker {
            random,
            vars: Vec::new(),
            sizes: Vec::new(),
            funs: Vec::new(),
            fresh: 0,
            roots: 0,
            frame: 0,
            nest: 0,
            floats: false,
            all_forms: std::env::var_os("FORMS").is_some(),
            budget,
            features: Vec::new(),
        }
    }

    /// Notes that the program has a feature.
    pub fn seen(&mut self, feature: &'static str) {
        self.features.push(feature);
    }

    /// A name that nothing else has.
    pub fn name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        // `i64` and the like are modules, which a variable of the same name hides.
        if ["i", "u", "f"].contains(&stem) && [8, 16, 32, 64].contains(&self.fresh) {
            self.fresh += 1;
        }
        format!("{stem}{}", self.fresh)
    }

    fn enter(&mut self) -> Mark {
        self.frame += 1;
        Mark { vars: self.vars.clone(), sizes: self.sizes.len(), funs: self.funs.len() }
    }
    fn leave(&mut self, mark: Mark) {
        self.frame -= 1;
        self.vars = mark.vars;
        self.sizes.truncate(mark.sizes);
        self.funs.truncate(mark.funs);
    }

    /// A body in a scope of its own, in a loop or a map if `inner`.
    fn scoped<R>(&mut self, inner: bool, make: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.enter();
        self.nest += usize::from(inner);
        let made = make(self);
        self.nest -= usize::from(inner);
        self.leave(mark);
        made
    }

    fn new_root(&mut self) -> u32 {
        self.roots += 1;
        self.roots
    }

    /// Brings a variable into scope that shares memory with nothing.
    pub fn declare(&mut self, name: &str, ty: &Ty, owned: bool) {
        let root = self.new_root();
        self.vars.push(Var { name: name.into(), ty: ty.clone(), below: None, roots: vec![root], owned, frame: self.frame });
    }

    /// Brings an integer into scope that is a valid index of arrays of this size.
    pub fn declare_index(&mut self, name: &str, below: &Dim) {
        self.declare(name, &Ty::prim(Prim::I64), false);
        self.vars.last_mut().expect("declared").below = Some(below.clone());
    }

    /// Brings the value of an expression into scope.
    pub fn declare_value(&mut self, name: &str, ty: &Ty, value: &Node) {
        let owned = value.kind == Kind::Fresh;
        let mut roots = Vec::new();
        if !owned {
            let words = value.words();
            for var in self.vars.iter().filter(|var| words.contains(&var.name)) {
                roots.extend(&var.roots);
            }
        }
        roots.push(self.new_root());
        self.vars.push(Var { name: name.into(), ty: ty.clone(), below: None, roots, owned, frame: self.frame });
    }

    /// The variables that can be named: the last of each name.
    fn visible(&self) -> Vec<&Var> {
        let hidden = |at: usize, var: &Var| self.vars[at + 1..].iter().any(|later| later.name == var.name);
        self.vars.iter().enumerate().filter(|(at, var)| !hidden(*at, var)).map(|(_, var)| var).collect()
    }

    /// A variable, rather a late one.
    pub fn var(&mut self, fits: impl Fn(&Var) -> bool) -> Option<Var> {
        let mut all: Vec<Var> = self.visible().into_iter().filter(|var| fits(var)).cloned().collect();
        if all.is_empty() {
            return None;
        }
        let floats: Vec<Var> = all.iter().filter(|var| self.floats && var.ty.element() == Some(Prim::F64)).cloned().collect();
        if !floats.is_empty() && self.random.percent(60) {
            all = floats;
        }
        let at = self.random.below(all.len()).max(self.random.below(all.len()));
        all.into_iter().nth(at)
    }

    /// A variable that is an array of scalars of this rank or more.
    pub fn array_var(&mut self, rank: usize) -> Option<Var> {
        self.var(|var| var.ty.rank() >= rank && var.ty.element().is_some())
    }

    /// A variable of a type, as an expression.
    pub fn var_of(&mut self, ty: &Ty) -> Option<Node> {
        let var = self.var(|var| var.ty == *ty)?;
        Some(Node::name(ty, &var.name))
    }

    /// Gives a variable away: neither it nor what may share memory with it is used from now on.
    pub fn give(&mut self) -> Option<Var> {
        let frame = self.frame;
        let var = self.var(|var| var.owned && var.frame == frame && var.ty.rank() > 0 && var.ty.element().is_some())?;
        let gone: Vec<String> =
            self.vars.iter().filter(|other| other.roots.iter().any(|root| var.roots.contains(root))).map(|var| var.name.clone()).collect();
        self.vars.retain(|other| !gone.contains(&other.name));
        Some(var)
    }

    // Sizes -----------------------------------------------------------------------------------------------------------

    /// Brings a name of a size into scope, which is a variable as well.
    pub fn declare_size(&mut self, name: &str, value: Option<i64>, most: i64) {
        self.sizes.push(Size { name: name.into(), value, most });
        self.declare(name, &Ty::prim(Prim::I64), false);
    }

    /// What a size is in the first input.
    pub fn value(&self, dim: &Dim) -> Option<i64> {
        dim.value(&|name| self.sizes.iter().rfind(|size| size.name == name)?.value)
    }

    /// How large a size is at most.
    pub fn most(&self, dim: &Dim) -> i64 {
        dim.value(&|name| self.sizes.iter().rfind(|size| size.name == name).map(|size| size.most)).unwrap_or(0)
    }

    /// Whether an array of this type is small enough.
    pub fn small(&self, ty: &Ty) -> bool {
        ty.dims.iter().map(|dim| self.most(dim).max(1)).product::<i64>() <= MOST
    }

    /// Whether all sizes of a type can be named.
    pub fn nameable(&self, ty: &Ty) -> bool {
        let mut fine = true;
        ty.each_dim(&mut |dim| fine &= dim.names().all(|name| self.sizes.iter().any(|size| size.name == name)));
        fine
    }

    /// A size that has a name, or a constant.
    pub fn dim(&mut self) -> Dim {
        if self.sizes.is_empty() || self.random.percent(20) {
            return Dim::constant(self.random.pick(&[0, 1, 2, 2, 3, 3, 4]));
        }
        let at = self.random.below(self.sizes.len());
        Dim::name(&self.sizes[at].name)
    }

    /// A size as an operand.
    pub fn dim_node(&self, dim: &Dim) -> Node {
        let node = Node::atom(&Ty::prim(Prim::I64), dim.to_string());
        Node { atomic: dim.is_token(), ..node }
    }

    // Types -----------------------------------------------------------------------------------------------------------

    /// An element type, often `i64`.
    pub fn prim(&mut self) -> Prim {
        if self.floats && self.random.percent(80) {
            return Prim::F64;
        }
        match self.random.below(20) {
            0..=10 => Prim::I64,
            11..=12 => Prim::I32,
            13 => Prim::U8,
            14 => self.random.pick(&[Prim::I8, Prim::I16, Prim::U16]),
            15 => self.random.pick(&[Prim::U32, Prim::U64]),
            16 => Prim::Bool,
            17 => Prim::F32,
            18 => Prim::C128,
            _ => Prim::F64,
        }
    }

    /// A type of scalars, or of arrays whose sizes have names.
    pub fn ty(&mut self, most: usize) -> Ty {
        if self.random.percent(40)
            && let Some(var) = self.var(|var| var.ty.rank() <= most && var.ty.element().is_some())
        {
            return var.ty;
        }
        let rank = self.random.below(most + 1);
        let dims: Vec<Dim> = (0..rank).map(|_| self.dim()).collect();
        let ty = Ty::array(&dims, self.prim());
        if self.small(&ty) { ty } else { Ty::array(&dims[..1], Prim::I64) }
    }
}
