//! Definitions that are no functions: computed before everything else, or where an entry point starts if they may fail.

use super::values::{Env, Static};
use super::{Outcome, Specialiser};
use crate::base::Symbol;
use crate::ir::core::{Define, constants};
use crate::ir::soac::Exp;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What is known of constants.
#[derive(Default)]
pub(super) struct Constants<'p> {
    /// The values of those that cannot fail.
    values: FxHashMap<Symbol, Static>,
    /// Those that are computed before everything else, in more than one step.
    computed: FxHashSet<Symbol>,
    /// The values of those that are known in the function that is being made only: those that may fail, computed where an entry point
    /// starts, and those that a function gets.
    local: Local,
    /// The constants that a definition needs.
    needed: FxHashMap<Symbol, Rc<[&'p Define]>>,
}

/// The constants that are known in one function only.
type Local = FxHashMap<Symbol, Static>;

impl Constants<'_> {
    /// The value of a constant, where it is known.
    pub fn value(&self, name: Symbol) -> Option<Static> {
        self.local.get(&name).or_else(|| self.values.get(&name)).cloned()
    }
    /// Adds a constant that is known in the function that is being made only.
    pub fn add_local(&mut self, name: Symbol, value: Static) {
        self.local.insert(name, value);
    }
    /// Begins another function; [`Self::show_local`] goes back.
    pub fn hide_local(&mut self) -> Local {
        std::mem::take(&mut self.local)
    }
    /// Goes back to a function that another one was made in between.
    pub fn show_local(&mut self, local: Local) {
        self.local = local;
    }
}

impl<'p> Specialiser<'p> {
    /// The value of a constant that cannot fail: it is computed before everything else.
    pub(super) fn constant(&mut self, define: &Define) -> Outcome<Option<Static>> {
        let (block, value) = self.apart(0, |this| this.eval(&define.body, &mut Env::default()))?;
        if block.iter().any(|stm| stm.exp.may_fail()) {
            return Ok(None);
        }
        if block.iter().any(|stm| !matches!(stm.exp, Exp::Literal(_))) {
            self.constants.computed.insert(define.name);
        }
        self.out.consts.extend(block);
        self.constants.values.insert(define.name, value.clone());
        Ok(Some(value))
    }
    /// Computes the constants that an entry point needs and that may fail, here and now.
    pub(super) fn failing_constants(&mut self, define: &Define) -> Outcome<()> {
        for &constant in self.needed(define).iter() {
            if self.constants.values.contains_key(&constant.name) {
                continue;
            }
            let of_failing = self.needed(constant).iter().any(|other| self.constants.local.contains_key(&other.name));
            if !of_failing && self.constant(constant)?.is_some() {
                continue;
            }
            let value = self.eval(&constant.body, &mut Env::default())?;
            self.constants.add_local(constant.name, value);
        }
        Ok(())
    }
    /// The constants that a definition needs and that are no literals: a function for it takes them as arguments.
    pub(super) fn computed_constants(&mut self, define: &Define) -> Vec<&'p Define> {
        let needed = self.needed(define);
        let known = |name| self.constants.local.contains_key(name) || self.constants.computed.contains(name);
        needed.iter().copied().filter(|constant| known(&constant.name)).collect()
    }
    /// The constants that a definition needs, in the order of the program.
    fn needed(&mut self, define: &Define) -> Rc<[&'p Define]> {
        if let Some(known) = self.constants.needed.get(&define.name) {
            return known.clone();
        }
        let plan = self.plan;
        let Some(own) = plan.find(define.name) else { return Rc::new([]) };
        let find = |name: Symbol| plan.find(name).map(|found| (found.number, found.define));
        let numbers = constants::needed(own.define, &mut self.free, &find);
        let found: Rc<[&'p Define]> = numbers.into_iter().map(|number| &plan.program.defs[number]).collect();
        self.constants.needed.insert(define.name, found.clone());
        found
    }
}
