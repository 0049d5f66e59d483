//! What is differentiated has a derivative: arguments and results of differentiated functions consist of numbers.
//!
//! The pass walks core, where the types that functions are instantiated with are written. A definition that differentiates what has a
//! type parameter asks for as much wherever it is instantiated, as the operators themselves do (`Needs`): `jvp` of the prelude does so of both
//! of its type parameters. So only instances are refused, at the place where all types are known.
//!
//! Cost: linear in definitions that name a function with needs; the others are not looked at.

mod error;
mod report;
mod walk;

pub use error::{Error, ErrorKind, Part};

use crate::base::Symbol;
use crate::ir::core::{Define, Prim, prims::Primitive};
use rustc_hash::FxHashMap;

/// What a function asks of the types that it is instantiated with.
#[derive(Debug, Clone, Default, PartialEq)]
struct Needs {
    needs: Vec<Need>,
}

/// What must hold of a type parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Need {
    /// Its place among the type parameters.
    ty: usize,
    /// The place among the index parameters of the shape that goes with it, where that matters.
    shape: Option<usize>,
    wants: Wants,
    /// The place of the differentiated function among the arguments, if it is one of them.
    function: Option<usize>,
}

/// What an operator asks of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wants {
    /// Its values consist of numbers, as the argument or the result of a differentiated function.
    Numbers(Part),
    /// It is a single float.
    Float,
}

/// What the definitions looked at so far ask of their instances, by their names in core.
#[derive(Debug, Clone, Default)]
pub struct Demands {
    known: FxHashMap<Symbol, Needs>,
}

impl Demands {
    /// Takes over what is known about a definition from another version of the program.
    pub fn adopt(&mut self, name: Symbol, from: &Demands) {
        from.known.get(&name).into_iter().for_each(|needs| drop(self.known.insert(name, needs.clone())));
    }
    /// Whether a definition asks for what it did before.
    pub fn agrees(&self, name: Symbol, before: &Demands) -> bool {
        self.known.get(&name) == before.known.get(&name)
    }
    /// Whether a definition asks something of its instances.
    pub fn asks(&self, name: Symbol) -> bool {
        self.known.contains_key(&name) || !of_primitive(name).needs.is_empty()
    }

    /// Checks a definition, after all that it uses.
    ///
    /// # Errors
    /// E0951 to E0954, in the order in which they stand in the core.
    pub fn check(&mut self, define: &Define) -> Vec<Error> {
        let mut walk = walk::Walk::new(self);
        let needs = walk.abstraction(&define.body);
        let errors = walk.errors;
        if !needs.needs.is_empty() {
            self.known.insert(define.name, needs);
        }
        errors
    }
}

/// What a primitive asks of its instances.
fn of_primitive(name: Symbol) -> Needs {
    let Some(Primitive::Prim(prim)) = Primitive::find(name) else { return Needs::default() };
    let need = |ty: usize, wants: Wants| Need { ty, shape: (wants == Wants::Float).then_some(ty), wants, function: Some(0) };
    let needs = match prim {
        Prim::Jvp2 | Prim::Vjp2 | Prim::WithVjp => vec![need(0, Wants::Numbers(Part::Argument)), need(1, Wants::Numbers(Part::Result))],
        Prim::ValueAndGrad => vec![need(0, Wants::Numbers(Part::Argument)), need(1, Wants::Float)],
        _ => Vec::new(),
    };
    Needs { needs }
}
