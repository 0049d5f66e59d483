//! Core to first-order monomorphic programs: the program is evaluated as far as it is known without its data.
//!
//! Types, indices and functions are known, so polymorphism, function values and boxes disappear; what depends on data
//! becomes statements ([`ir::soac`](crate::ir::soac)). Since core has no recursion this ends. In detail:
//!
//! * Definitions are inlined where that is small or happens once; else there is one function for each layout of their
//!   types (monomorphisation per element type and rank; sizes stay variables).
//! * A function is followed to where it is applied (Futhark's defunctionalisation, Hovgaard, Henriksen, Elsman: High-performance
//!   defunctionalisation in Futhark, TFP 2018, but without its restrictions): one that comes out of a branch becomes a choice
//!   between two by the condition of the branch, with the variables that they captured as results of the branch; an array of
//!   functions becomes arrays of what they captured.
//! * A tuple becomes its components, an array of tuples one array for each, a box its sizes and its content, a sum a tag and the parts of its
//!   payloads (`sums`).

mod apply;
mod arrays;
mod calls;
mod carried;
mod control;
mod expr;
mod prims;
mod sums;
mod types;
mod values;

use crate::base::{Chain, Code, MAX_SIZE, PrimType, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::attributes::{Attribute, Attributes};
use crate::ir::core;
use crate::ir::core::names::FreeNames;
use crate::ir::soac::{self, Exp, Operand, Program, Size, Stm, Var};
use calls::Instance;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;
use values::Static;

/// More statements than this are a sign of code that doubles at every level.
const MAX_STATEMENTS: usize = 4_000_000;

/// What is said of sizes that only types hold, where the type is not known.
const HOLLOW: &str = "checking the size of an array of empty tuples or records is not compiled here";

/// What is said of functions that are not followed to where they are made.
const UNKNOWN_FUNCTION: &str = "a function whose code is not known here is not compiled";

/// A result or the reason why this program cannot be specialised.
type Outcome<T> = Result<T, Box<Diagnostic>>;

/// Specialises the program for these definitions as entry points (if none are given, for all that are declared to be entry points).
///
/// # Errors
/// E0801 names what this compiler cannot do yet: arrays whose rank is known only at run time, loops that make a function of that of the
/// iteration before, arrays of functions or boxes that are used as data.
pub fn specialise(program: &core::Program, entries: &[Symbol]) -> Result<Program, Box<Diagnostic>> {
    let mut specialiser = Specialiser::new(program);
    let regions = program.attributes.regions.iter();
    let sequential = regions.filter_map(|(span, attribute)| match attribute {
        Attribute::Sequential(depth) => Some((*span, *depth)),
        Attribute::Unsafe | Attribute::Unroll | Attribute::Inline | Attribute::NoInline | Attribute::Trace(_) | Attribute::Accepted => None,
    });
    specialiser.out.sequential = sequential.collect();
    let called = program.defs.iter().filter(|define| program.attributes.noinline.contains(&define.name));
    specialiser.out.called = called.map(|define| define.span).collect();
    for define in &program.defs {
        if if entries.is_empty() { define.entry } else { entries.contains(&define.name) } {
            specialiser.entry(define)?;
        }
    }
    Ok(specialiser.out)
}

struct Specialiser<'p> {
    program: &'p core::Program,
    defs: FxHashMap<Symbol, &'p core::Define>,
    /// Size of the code of a definition with all that it would inline, and how often definitions are mentioned.
    weights: FxHashMap<Symbol, u64>,
    mentions: FxHashMap<Symbol, u32>,
    free: FreeNames,
    out: Program,
    /// Statements of the block that is being made.
    block: Vec<Stm>,
    /// How deep the block is, and in which depth each variable was bound.
    depth: u32,
    depths: Vec<u32>,
    /// What variables of type `i64` are as sizes.
    sizes: FxHashMap<Var, Size>,
    /// Variables that are sizes of something, hence not negative.
    naturals: FxHashSet<Var>,
    constants: FxHashMap<Symbol, Static>,
    /// The numbers of definitions, and the constants that they need.
    order: FxHashMap<Symbol, usize>,
    needed: FxHashMap<Symbol, Rc<[&'p core::Define]>>,
    /// Constants that are computed before everything else, in more than one step.
    computed: FxHashSet<Symbol>,
    /// Constants in the function that is being made: those that may fail, computed where an entry point starts, and those that a function gets.
    local: FxHashMap<Symbol, Static>,
    instances: FxHashMap<String, Arc<Instance>>,
    statements: usize,
    sums: sums::Sums,
    attributes: &'p Attributes,
    /// Whether statements are made for an expression with attributes. What is inlined there belongs to it.
    attributed: bool,
    /// Whether nothing is checked there.
    unchecked: bool,
    /// The calls whose statements are being made.
    via: Chain,
}

impl<'p> Specialiser<'p> {
    fn new(program: &'p core::Program) -> Specialiser<'p> {
        let mut mentions = FxHashMap::default();
        let weights = calls::weights(program, &mut mentions);
        Specialiser {
            program,
            defs: program.defs.iter().map(|def| (def.name, def)).collect(),
            weights,
            mentions,
            free: FreeNames::with_coerced(core::check::coerced_types(program)),
            out: Program::default(),
            block: Vec::new(),
            depth: 0,
            depths: Vec::new(),
            sizes: FxHashMap::default(),
            naturals: FxHashSet::default(),
            constants: FxHashMap::default(),
            order: program.defs.iter().enumerate().map(|(number, define)| (define.name, number)).collect(),
            needed: FxHashMap::default(),
            computed: FxHashSet::default(),
            local: FxHashMap::default(),
            instances: FxHashMap::default(),
            statements: 0,
            sums: sums::Sums::default(),
            attributes: &program.attributes,
            attributed: false,
            unchecked: false,
            via: Chain::default(),
        }
    }

    /// What this compiler cannot do.
    fn limit<T>(&self, span: Span, what: impl Into<String>) -> Outcome<T> {
        Err(Box::new(Diagnostic::error(Code::NotCompiled, span, what).help("`--backend interp` runs this program")))
    }
    /// The same, with how the program can be written instead.
    fn limit_with<T>(&self, span: Span, what: &str, help: &str) -> Outcome<T> {
        let diagnostic = Diagnostic::error(Code::NotCompiled, span, what).help(format!("{help}; or run it with `--backend interp`"));
        Err(Box::new(diagnostic))
    }
    /// Core that the checker would not have let pass: an internal error.
    fn broken<T>(&self, span: Span, what: &str) -> Outcome<T> {
        crate::ice!(span, "malformed core: {what}")
    }

    fn fresh(&mut self, name: Symbol, ty: soac::Type) -> Var {
        let var = self.out.fresh(name, ty);
        self.depths.push(self.depth);
        var
    }
    /// A variable that stands for something that is bound elsewhere.
    fn placeholder(&mut self, name: Symbol, ty: soac::Type) -> Var {
        let depth = std::mem::replace(&mut self.depth, 0);
        let var = self.fresh(name, ty);
        self.depth = depth;
        var
    }
    fn push(&mut self, pat: Vec<Var>, exp: Exp, span: Span) -> Outcome<()> {
        self.statements += 1;
        if self.statements > MAX_STATEMENTS {
            return self.limit(span, "the program is too large when its functions are inlined");
        }
        let mut exp = exp;
        if self.unchecked {
            if let Exp::Check(_) = exp {
                return Ok(());
            }
            if let Exp::Index { checked, .. }
            | Exp::Slice { checked, .. }
            | Exp::Update { checked, .. }
            | Exp::UpdateSlice { checked, .. } = &mut exp
            {
                *checked = false;
            }
        }
        self.block.push(Stm { pat, exp, span: Span { via: self.via, ..span } });
        Ok(())
    }
    /// Runs `work`, which makes the statements of what is called at a place.
    fn in_call<T>(&mut self, call: Span, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let via = self.out.chains.into_call(Span { via: self.via, ..call });
        let outer = std::mem::replace(&mut self.via, via);
        let result = work(self);
        self.via = outer;
        result
    }
    /// Runs `work` in a block that has nothing to do with the one that is being made.
    fn apart<T>(&mut self, depth: u32, work: impl FnOnce(&mut Self) -> Outcome<T>) -> (Vec<Stm>, Outcome<T>) {
        let (depth, block) = (std::mem::replace(&mut self.depth, depth), std::mem::take(&mut self.block));
        let (attributed, unchecked) = (std::mem::take(&mut self.attributed), std::mem::take(&mut self.unchecked));
        let (via, local) = (std::mem::take(&mut self.via), std::mem::take(&mut self.local));
        let result = work(self);
        (self.depth, self.attributed, self.unchecked, self.via, self.local) = (depth, attributed, unchecked, via, local);
        (std::mem::replace(&mut self.block, block), result)
    }
    /// Binds an expression to a new variable.
    fn bind(&mut self, name: &str, ty: soac::Type, exp: Exp, span: Span) -> Outcome<Operand> {
        self.bind_as(Symbol::new(name), ty, exp, span)
    }
    fn bind_as(&mut self, name: Symbol, ty: soac::Type, exp: Exp, span: Span) -> Outcome<Operand> {
        let var = self.fresh(name, ty);
        self.push(vec![var], exp, span)?;
        Ok(Operand::Var(var))
    }
    /// Runs `work` in a block of its own.
    fn in_block<T>(&mut self, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<(Vec<Stm>, T)> {
        let outer = std::mem::take(&mut self.block);
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        let block = std::mem::replace(&mut self.block, outer);
        Ok((block, result?))
    }
    /// Runs `work` at the end of a block that was made by [`Self::in_block`].
    fn at_end<T>(&mut self, block: &mut Vec<Stm>, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        std::mem::swap(&mut self.block, block);
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        std::mem::swap(&mut self.block, block);
        result
    }
    /// Whether a variable is bound in a block that is closed.
    fn is_inner(&self, var: Var) -> bool {
        self.depths[var.raw()] > self.depth
    }
    fn mentions_inner(&self, ty: &soac::Type) -> bool {
        ty.shape.iter().any(|size| size.vars().any(|var| self.is_inner(var)))
    }

    fn ty(&self, operand: Operand) -> soac::Type {
        self.out.operand_ty(operand)
    }
    /// An operand of type `i64` as a size.
    fn size_of(&self, operand: Operand) -> Size {
        match operand {
            Operand::Const(scalar) => Size::constant(scalar.as_i128().unwrap_or(0) as i64),
            Operand::Var(var) => self.sizes.get(&var).cloned().unwrap_or_else(|| Size::var(var)),
        }
    }
    /// A size as an operand of type `i64`.
    fn operand(&mut self, size: &Size, span: Span) -> Outcome<Operand> {
        if let Some(value) = size.as_constant() {
            return Ok(Operand::int(value));
        }
        if let Some(var) = size.as_var() {
            return Ok(Operand::Var(var));
        }
        let operand = self.bind("size", soac::Type::scalar(PrimType::I64), Exp::Size(size.clone()), span)?;
        operand.var().into_iter().for_each(|var| {
            self.sizes.insert(var, size.clone());
        });
        Ok(operand)
    }
    /// Whether an array is known to be able to have a size: that of another one, or a few more.
    fn is_natural(&self, size: &Size) -> bool {
        size.terms().all(|(monomial, coefficient)| match monomial {
            [] => (0..1 << 10).contains(&coefficient) || ((0..=MAX_SIZE).contains(&coefficient) && size.as_constant().is_some()),
            [var] => {
                coefficient == 1
                    && self.naturals.contains(var)
                    && size.extent().0 <= 1 + usize::from(size.terms().any(|(m, _)| m.is_empty()))
            }
            _ => false,
        })
    }
    /// Checks that there can be an array of this size.
    fn check_natural(&mut self, size: &Size, span: Span) -> Outcome<()> {
        if self.is_natural(size) {
            return Ok(());
        }
        self.push(Vec::new(), Exp::Check(soac::Check::NonNegative(size.clone())), span)
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
            Static::Fun(_) => return self.limit(span, "a function is used as data here"),
            Static::Lifted(_) => {
                let help = "make arrays of one size of it before: sums, sizes, or one array after the other";
                return self.limit_with(span, "an array of functions, or of boxes of different sizes, is used as data here", help);
            }
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
            Static::Box(_) => return self.limit(span, "an array of boxes (arrays of different sizes) is not compiled yet"),
            Static::Fun(_) | Static::Lifted(_) => return self.limit(span, "this operation on functions in arrays is not compiled yet"),
        })
    }
}
