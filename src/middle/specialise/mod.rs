//! Core to first-order monomorphic programs: the program is evaluated as far as it is known without its data.
//!
//! Types, indices and functions are known, so polymorphism, function values and boxes disappear; what depends on data
//! becomes statements ([`ir::soac`](crate::ir::soac)). Functions that call themselves are called in what is made, so that this ends. In detail:
//!
//! * Definitions are inlined where that is small or happens once; else there is one function for each layout of their
//!   types (monomorphisation per element type and rank; sizes stay variables).
//! * A function is followed to where it is applied (Futhark's defunctionalisation, Hovgaard, Henriksen, Elsman: High-performance
//!   defunctionalisation in Futhark, TFP 2018, but without its restrictions): one that comes out of a branch becomes a choice
//!   between two by the condition of the branch, with the variables that they captured as results of the branch; an array of
//!   functions becomes arrays of what they captured.
//! * A function that is differentiated becomes a function of its own, as does its derivative, whose body is
//!   [made](super::differentiate) when everything else is.
//! * A tuple becomes its components, an array of tuples one array for each, a box its sizes and its content, a sum a tag and the parts of its
//!   payloads (`sums`).

mod apply;
mod arrays;
mod block;
mod calls;
mod carried;
mod constants;
mod control;
mod derivatives;
mod error;
mod expr;
mod form;
mod kinds;
mod loops;
mod plan;
mod prims;
mod recursion;
mod report;
mod rows;
mod sizes;
mod sums;
mod types;
mod values;

use crate::base::{Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::attributes::Attribute;
use crate::ir::core;
use crate::ir::core::names::FreeNames;
use crate::ir::soac::{self, Operand, Program};
use block::Block;
use constants::Constants;
use derivatives::Derivatives;
use error::{Error, Limit};
use plan::Plan;
use recursion::Instances;
use sizes::Sizes;
use sums::Sums;
use values::Static;

/// A result or the reason why this program cannot be specialised.
type Outcome<T> = Result<T, Error>;

/// Specialises the program for these definitions as entry points (if none are given, for all that are declared to be entry points).
///
/// # Errors
/// E0801 names what this compiler cannot do yet: arrays whose rank is known only at run time, loops that make a function of that of the
/// iteration before, arrays of functions or boxes that are used as data.
pub fn specialise(program: &core::Program, entries: &[Symbol]) -> Result<Program, Box<Diagnostic>> {
    let plan = Plan::new(program);
    let mut specialiser = Specialiser::new(&plan);
    for (span, attribute) in &program.attributes.regions {
        match attribute {
            Attribute::Sequential(depth) => specialiser.out.sequential.push((*span, *depth)),
            Attribute::Stripmine(depth) => specialiser.out.stripmined.push((*span, *depth)),
            Attribute::Bound(most) => specialiser.out.bounded.push((*span, *most)),
            Attribute::OnProcessors => specialiser.out.on_processors.push(*span),
            Attribute::Unsafe | Attribute::Unroll | Attribute::Inline | Attribute::NoInline | Attribute::Trace(_) | Attribute::Accepted => {
            }
        }
    }
    let called = program.defs.iter().filter(|define| program.attributes.noinline.contains(&define.name));
    specialiser.out.called = called.map(|define| define.span).collect();
    for define in &program.defs {
        if if entries.is_empty() { define.entry } else { entries.contains(&define.name) } {
            specialiser.entry(define).map_err(|error| Box::new(report::report(&error)))?;
        }
    }
    let Specialiser { out, derivatives, .. } = specialiser;
    derivatives.made_in(out).map_err(|error| Box::new(report::report(&error)))
}

struct Specialiser<'p> {
    /// What is known of the program.
    plan: &'p Plan<'p>,
    /// The free names of its expressions, found out where they are asked for.
    free: FreeNames,
    /// What has been made of it.
    out: Program,
    block: Block,
    sizes: Sizes,
    constants: Constants<'p>,
    sums: Sums,
    instances: Instances,
    derivatives: Derivatives,
}

impl<'p> Specialiser<'p> {
    fn new(plan: &'p Plan<'p>) -> Specialiser<'p> {
        Specialiser {
            plan,
            free: FreeNames::with_coerced(core::check::coerced_types(plan.program)),
            out: Program::default(),
            block: Block::default(),
            sizes: Sizes::default(),
            constants: Constants::default(),
            sums: Sums::default(),
            instances: Instances::default(),
            derivatives: Derivatives::default(),
        }
    }

    /// What this compiler cannot do.
    fn limit<T>(&self, at: Span, limit: Limit) -> Outcome<T> {
        Err(Error { at, limit })
    }
    /// Core that the checker would not have let pass: an internal error.
    fn broken<T>(&self, span: Span, what: &str) -> Outcome<T> {
        crate::ice!(span, "malformed core: {what}")
    }

    fn ty(&self, operand: Operand) -> soac::Type {
        self.out.operand_ty(operand)
    }
    /// The operands that a value consists of, sizes of boxes first.
    fn leaves(&mut self, value: &Static, span: Span) -> Outcome<Vec<Operand>> {
        let mut out = Vec::new();
        self.add_leaves(value, span, &mut out)?;
        Ok(out)
    }
    fn add_leaves(&mut self, value: &Static, span: Span, out: &mut Vec<Operand>) -> Outcome<()> {
        match value {
            Static::Data(a) => out.push(*a),
            Static::Tuple(parts) => parts.iter().try_for_each(|part| self.add_leaves(part, span, out))?,
            Static::Record(parts) => parts.iter().try_for_each(|(_, part)| self.add_leaves(part, span, out))?,
            Static::Box(boxed) => {
                for index in &boxed.indices {
                    for size in index.sizes() {
                        out.push(self.operand(size, span)?);
                    }
                }
                self.add_leaves(&boxed.value, span, out)?;
            }
            Static::Fun(_) => return self.limit(span, Limit::FunctionAsData),
            Static::Lifted(lifted) => self.add_row_leaves(lifted, span, out)?,
        }
        Ok(())
    }
    /// The value with each operand replaced. Boxes and functions are not allowed in it.
    fn each_leaf(&mut self, value: &Static, span: Span, f: &mut dyn FnMut(&mut Self, Operand) -> Outcome<Operand>) -> Outcome<Static> {
        Ok(match value {
            Static::Data(a) => Static::Data(f(self, *a)?),
            Static::Tuple(parts) => Static::Tuple(parts.iter().map(|part| self.each_leaf(part, span, f)).collect::<Outcome<_>>()?),
            Static::Record(parts) => {
                Static::Record(parts.iter().map(|(label, part)| Ok((*label, self.each_leaf(part, span, f)?))).collect::<Outcome<_>>()?)
            }
            Static::Box(_) => return self.limit(span, Limit::Boxes),
            Static::Fun(_) | Static::Lifted(_) => return self.limit(span, Limit::FunctionsInArrays),
        })
    }
}

/// A name without the number that tells it from others.
fn stem(name: Symbol) -> Symbol {
    match name.as_str().split_once('.') {
        Some((stem, _)) if !stem.is_empty() => Symbol::new(stem),
        _ => name,
    }
}
