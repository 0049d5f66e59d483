//! Definitions that call themselves. Each is a function for the layouts of its types and the code of its function arguments, made before its body
//! is: calls in the body find it. What function arguments have captured is data, which is passed.

use super::calls::{Instance, InstanceKey};
use super::control::Kind;
use super::error::Limit;
use super::values::Static;
use super::{Outcome, Specialiser};
use crate::base::{Idx, Span, Symbol};
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Exp, FunId, Operand, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Instances of one definition for more function arguments than this are a sign of functions that grow.
const MOST: usize = 24;
/// Numbers of functions that are not made yet begin here.
const UNMADE: usize = 1 << 30;

/// The functions for definitions.
#[derive(Default)]
pub(super) struct Instances {
    made: FxHashMap<InstanceKey, Vec<(Vec<Kind>, Rc<Instance>)>>,
    /// How many numbers of functions were handed out before they were made.
    unmade: usize,
}

impl Instances {
    /// A number for a function that is not made yet.
    fn number(&mut self) -> FunId {
        self.unmade += 1;
        Idx::new(UNMADE + self.unmade)
    }
}

impl Specialiser<'_> {
    /// The instance for these functions as arguments, with what they have captured.
    pub(super) fn known_instance(&self, key: &InstanceKey, functions: &[Static]) -> Option<(Rc<Instance>, Vec<Vec<Var>>)> {
        self.instances.made.get(key)?.iter().find_map(|(kinds, instance)| {
            let matched = functions.iter().zip(kinds).map(|(function, kind)| self.same_code(function, kind));
            Some((instance.clone(), matched.collect::<Option<Vec<_>>>()?))
        })
    }
    /// What a function has captured, if it is of this kind.
    fn same_code(&self, function: &Static, kind: &Kind) -> Option<Vec<Var>> {
        let kinds = vec![Kind { value: kind.value.clone(), holes: kind.holes.clone(), arrays: false }];
        self.kind_of(function, &kinds, 0).map(|(_, holes)| holes)
    }
    /// The kinds of function arguments, one each.
    pub(super) fn kinds_of_arguments(&self, functions: &[Static], span: Span) -> Outcome<Vec<Kind>> {
        let kind = |value: &Static| match value {
            Static::Fun(_) if !value.is_later() => {
                Ok(Kind { value: value.clone(), holes: self.inner_vars_below(value, 0), arrays: false })
            }
            _ => self.limit(span, Limit::RecursionOverFunctions),
        };
        functions.iter().map(kind).collect()
    }
    /// Variables for what a function argument has captured, and the function in terms of them.
    pub(super) fn argument_of_kind(&mut self, kind: &Kind, vars: &mut Vec<Var>, span: Span) -> Outcome<Static> {
        let kinds = vec![Kind { value: kind.value.clone(), holes: kind.holes.clone(), arrays: false }];
        let own = self.kind_vars(&kinds);
        let value = self.one_of(&kinds, &own, span)?;
        vars.extend(own);
        Ok(value)
    }
    /// Adds an instance.
    pub(super) fn add_instance(&mut self, key: InstanceKey, kinds: Vec<Kind>, instance: Rc<Instance>, span: Span) -> Outcome<()> {
        let made = self.instances.made.entry(key).or_default();
        if made.len() >= MOST {
            return self.limit(span, Limit::EndlessInstances);
        }
        made.push((kinds, instance));
        Ok(())
    }
    /// Announces the instance of a recursive definition whose body is about to be made.
    pub(super) fn announce(&mut self, key: &InstanceKey, kinds: Vec<Kind>, constants: &[Symbol], span: Span) -> Outcome<FunId> {
        let fun = self.instances.number();
        self.add_instance(key.clone(), kinds, Rc::new(Instance { fun, constants: constants.to_vec() }), span)?;
        Ok(fun)
    }
    /// Puts the function that was made in the place of the one that was announced. `first` is the number of functions before that.
    pub(super) fn keep_promise(&mut self, key: &InstanceKey, announced: FunId, made: FunId, first: usize, span: Span) -> Outcome<()> {
        for (_, instance) in self.instances.made.get_mut(key).into_iter().flatten() {
            if instance.fun == announced {
                *instance = Rc::new(Instance { fun: made, constants: instance.constants.clone() });
            }
        }
        // The functions that it calls were made before; one of them that calls it would make a cycle.
        for id in first..self.out.funs.len() {
            let id: FunId = Idx::new(id);
            let mut body = std::mem::take(&mut self.out.funs[id].body);
            let calls = renumber(&mut body, announced, made);
            self.out.funs[id].body = body;
            if calls && id != made {
                return self.limit(span, Limit::MutualRecursion);
            }
            if calls {
                self.out.funs[id].recursive = true;
            }
        }
        Ok(())
    }
    /// Whether a body calls a function that calls itself, directly or not.
    pub(super) fn calls_recursion(&self, body: &Body) -> bool {
        body.stms.iter().any(|stm| {
            let mut found = match stm.exp {
                Exp::Call(id, _) => {
                    let fun = (id.raw() < UNMADE).then(|| &self.out.funs[id]);
                    fun.is_none_or(|fun| fun.recursive || self.calls_recursion(&fun.body))
                }
                _ => false,
            };
            stm.exp.parts(&mut |part| {
                if let Part::Body(_, body) = part {
                    found = found || self.calls_recursion(body);
                }
            });
            found
        })
    }
}

/// The operands that are passed for captured variables.
pub(super) fn passed(captured: &[Var]) -> impl Iterator<Item = Operand> {
    captured.iter().map(|var| Operand::Var(*var))
}

/// Puts the number of one function for that of another in all calls; returns whether there were any.
fn renumber(body: &mut Body, from: FunId, to: FunId) -> bool {
    let mut found = false;
    for stm in &mut body.stms {
        if let Exp::Call(id, _) = &mut stm.exp
            && *id == from
        {
            *id = to;
            found = true;
        }
        stm.exp.bodies_mut(&mut |body| found |= renumber(body, from, to));
    }
    found
}
