//! Consumption: what is consumed with `*` is not used afterwards, and what a result promises with `*` shares memory with nothing.
//!
//! An update makes a new array and gives nothing away; whether it is done in place is the business of
//! [`in_place`](crate::middle::optimise::in_place), which copies where the old array is used again. Only `*` takes: a parameter `*t` of a definition,
//! of a local function, or in the type of a function that is a parameter; a loop variable that the body consumes; a result `*t`.
//!
//! The rules are those of the public language reference of Futhark (In-place updates; Alias analysis; In-place updates and higher-order
//! functions), with these differences: updates take nothing; `map` and inserted maps take the whole array of which their function takes the
//! elements; a parameter without annotation is consumed if the function consumes it; a partial application may take
//! arguments, and may then be applied once.
//!
//! The pass walks the surface tree, where names and places are, with the types and insertions in the tables. The value of an
//! expression is where its memory lies (`value::Value`), memory is a graph of roots (`roots`), types say what is given
//! away (`mode::Mode`). A definition is checked with the modes of those before it. Cost: linear in the definition, but for memory that dies
//! in several branches.
//!
//! Glossary:
//! - **gift**: an event in which memory is consumed;
//! - **dead**: what may share memory with a gift;
//! - **open**: a parameter of which the body decides whether it is consumed;
//! - **frame**: a function or loop around an expression; memory from before it cannot be consumed in it.

mod apply;
mod bind;
mod blame;
mod error;
mod expr;
mod flow;
mod mode;
mod report;
mod roots;
mod value;

pub use error::Error;

use crate::base::{IdxMap, Span, Symbol};
use crate::ir::surface::{DefDecl, PatId, PatKind};
use crate::ir::tables::{Def, DefId, DefKind, Program, Role, Tables};
use error::Consumption;
use mode::{Mode, Types};
use roots::{Root, Roots};
use rustc_hash::{FxHashMap, FxHashSet};
use value::Value;

/// What the types of the definitions looked at so far say about consuming.
#[derive(Debug, Default)]
pub struct Modes {
    defs: IdxMap<Def, Mode>,
    types: Types,
    /// Functions of the library that take what the functions given to them take, or return what they return.
    special: FxHashMap<DefId, Special>,
}

/// A function of the library that takes what the functions given to it take, or returns what they return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    /// `map` and its like.
    Map,
    /// `>->`.
    Forward,
    /// `<-<`.
    Backward,
    /// `reduce` and its like: what they return is the neutral element, or comes from the operator.
    Reduce,
}

impl Special {
    fn named(name: &str) -> Option<Special> {
        match name {
            "map" | "map2" | "map3" | "map4" | "map5" => Some(Special::Map),
            ">->" => Some(Special::Forward),
            "<-<" => Some(Special::Backward),
            "reduce" | "reduce_comm" => Some(Special::Reduce),
            _ => None,
        }
    }
}

impl Modes {
    /// Takes over what is known about a definition, or what it was before in another version of the program.
    pub fn adopt(&mut self, def: DefId, from: &Modes, old: DefId) {
        from.defs.get(old).into_iter().for_each(|mode| drop(self.defs.insert(def, mode.clone())));
        self.special.extend(from.special.get(&old).map(|special| (def, *special)));
    }
    /// Whether a definition consumes what it did before.
    pub fn agrees(&self, def: DefId, before: &Modes, old: DefId) -> bool {
        self.defs.get(def) == before.defs.get(old) && self.special.get(&def) == before.special.get(&old)
    }
    /// Remembers a definition of the library that is special.
    fn named(&mut self, known: &Def, def: DefId) {
        if known.stdlib
            && known.is_plain()
            && let Some(special) = Special::named(known.name.as_str())
        {
            self.special.insert(def, special);
        }
    }
    fn of(&self, def: DefId) -> Mode {
        self.defs.get(def).cloned().unwrap_or(Mode::Plain)
    }
}

/// Checks a definition whose types are known, after all that it uses. Definitions of the standard library are taken at
/// their word.
///
/// # Errors
/// E0651 to E0658, in the order of the places where something is wrong; none for copies of what was checked as part of a parametric module.
pub fn check(program: &Program, tables: &Tables, modes: &mut Modes, def: DefId) -> Vec<Error> {
    let known = &program.defs[def];
    match &known.decl {
        DefKind::Val(decl) => {
            let mode = modes.types.mode(program, def, decl.ty);
            modes.named(known, def);
            modes.defs.insert(def, mode);
            Vec::new()
        }
        DefKind::Def(decl) if known.stdlib && known.is_written() => {
            debug_assert!(keeps_its_word(program, tables, modes, def, decl), "the library breaks its word in `{}`", known.name);
            let mode = declared(program, modes, def, decl);
            modes.named(known, def);
            modes.defs.insert(def, mode);
            Vec::new()
        }
        DefKind::Def(decl) => {
            if known.recursive {
                // In its own calls it is what its annotations say.
                let mode = declared(program, modes, def, decl);
                modes.defs.insert(def, mode);
            }
            let (mode, mut errors) = Checker::new(program, tables, modes, def).definition(decl);
            modes.defs.insert(def, mode);
            let copy = matches!(known.role, Role::Copy { .. }) || known.is_written() && program.application_of(def).is_some();
            if copy || matches!(known.role, Role::SameType(_)) {
                errors.clear();
            }
            errors
        }
    }
}

/// Whether a definition of the library keeps its promises. `copy` is the one function whose result is new memory by decree.
fn keeps_its_word(program: &Program, tables: &Tables, modes: &mut Modes, def: DefId, decl: &DefDecl) -> bool {
    program.defs[def].name.as_str() == "copy" || Checker::new(program, tables, modes, def).definition(decl).1.is_empty()
}

/// The mode that the annotations of a definition give it.
fn declared(program: &Program, modes: &mut Modes, def: DefId, decl: &DefDecl) -> Mode {
    let mut mode = decl.ret.map_or(Mode::Plain, |ret| modes.types.mode(program, def, ret));
    for (at, param) in decl.params.iter().enumerate().rev() {
        let given = annotation(program, modes, def, *param);
        mode = Mode::fun(given, mode, at + 1 == decl.params.len());
    }
    mode
}

fn annotation(program: &Program, modes: &mut Modes, def: DefId, pat: PatId) -> Mode {
    match &program.ast.pats[pat].kind {
        PatKind::Ascribe(_, ty) => modes.types.mode(program, def, *ty),
        PatKind::Paren(inner) => annotation(program, modes, def, *inner),
        PatKind::Tuple(parts) => Mode::parts(parts.iter().map(|part| annotation(program, modes, def, *part)).collect()),
        _ => Mode::Plain,
    }
}

/// A function or loop around an expression.
#[derive(Debug)]
struct Frame {
    /// Roots with smaller numbers are from before it.
    floor: usize,
    kind: FrameKind,
    /// What is used in it from before it; for functions only.
    captured: FxHashSet<Root>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    /// The definition itself.
    Definition,
    /// A lambda or a local function.
    Function(Span),
    /// A loop.
    Loop(Span),
}

struct Checker<'a> {
    program: &'a Program,
    tables: &'a Tables,
    modes: &'a mut Modes,
    def: DefId,
    roots: Roots,
    locals: FxHashMap<PatId, Value>,
    /// Open parameters that were consumed, with what consumed them first.
    opened: FxHashMap<Root, roots::GiftId>,
    gifts: Vec<Consumption>,
    frames: Vec<Frame>,
    errors: Vec<Error>,
    /// What was reported: gifts with the name of what was used, so that each is reported once.
    reported: FxHashSet<(roots::GiftId, Option<Symbol>)>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, tables: &'a Tables, modes: &'a mut Modes, def: DefId) -> Checker<'a> {
        Checker {
            program,
            tables,
            modes,
            def,
            roots: Roots::default(),
            locals: FxHashMap::default(),
            opened: FxHashMap::default(),
            gifts: Vec::new(),
            frames: Vec::new(),
            errors: Vec::new(),
            reported: FxHashSet::default(),
        }
    }

    /// The mode of a definition, and what is wrong in it.
    fn definition(mut self, decl: &DefDecl) -> (Mode, Vec<Error>) {
        let (mode, _) = self.function(&decl.params, decl.ret, decl.body, FrameKind::Definition, &Mode::Plain);
        (mode, self.errors)
    }
}

#[cfg(test)]
mod tests;
