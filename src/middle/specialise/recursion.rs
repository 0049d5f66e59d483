//! Definitions that call themselves. Each is a function for the layouts of its types and the code of its function arguments, made before its body
//! is: calls in the body find it. What function arguments have captured is data, which is passed.

use super::calls::{Instance, InstanceKey};
use super::error::Limit;
use super::kinds::Kind;
use super::values::Static;
use super::{Outcome, Specialiser};
use crate::base::{Idx, Span, Symbol};
use crate::ir::core;
use crate::ir::core::free::FreeVars;
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Exp, FunId, Size, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Instances of one definition for more function arguments than this are a sign of functions that grow.
const MOST: usize = 24;
/// Numbers of functions that are not made yet begin here.
const UNMADE: usize = 1 << 30;

/// The function for these function arguments.
type ForFunctions = (Vec<Kind>, Rc<Instance>);

/// The functions for definitions.
#[derive(Default)]
pub(super) struct Instances {
    made: FxHashMap<InstanceKey, Vec<ForFunctions>>,
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
    /// The instance for these functions as arguments, with what they have captured. `actual` are the sizes of index and type arguments, and
    /// whether function arguments see them.
    pub(super) fn known_instance(
        &self,
        key: &InstanceKey,
        functions: &[Static],
        actual: &[(Size, bool)],
    ) -> Option<(Rc<Instance>, Vec<Vec<Var>>)> {
        self.instances.made.get(key)?.iter().find_map(|(kinds, instance)| {
            let matched = functions.iter().zip(kinds).map(|(function, kind)| self.same_code(function, kind));
            let captured = matched.collect::<Option<Vec<_>>>()?;
            let own: Vec<Vec<Var>> = kinds.iter().map(|kind| kind.holes.clone()).collect();
            (in_terms_of(actual, &captured, &own) == instance.sizes).then(|| (instance.clone(), captured))
        })
    }
    /// What a function has captured, if it is of this kind.
    fn same_code(&self, function: &Static, kind: &Kind) -> Option<Vec<Var>> {
        self.kind_of(function, std::slice::from_ref(kind), 0).map(|(_, holes)| holes)
    }
    /// The kinds of function arguments, one each.
    pub(super) fn kinds_of_arguments(&self, functions: &[Static], span: Span) -> Outcome<Vec<Kind>> {
        let kind = |value: &Static| match matches!(value, Static::Fun(_)) && !value.is_later() {
            true => Ok(Kind { value: value.clone(), holes: self.inner_vars_below(value, 0), arrays: false }),
            false => self.limit(span, Limit::RecursionOverFunctions),
        };
        functions.iter().map(kind).collect()
    }
    /// Variables for what a function argument has captured, and the function in terms of them.
    pub(super) fn argument_of_kind(&mut self, kind: &Kind, vars: &mut Vec<Var>, span: Span) -> Outcome<Static> {
        let kinds = std::slice::from_ref(kind);
        let own = self.kind_vars(kinds);
        let value = self.one_of(kinds, &own, span)?;
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
    pub(super) fn announce(
        &mut self,
        key: &InstanceKey,
        kinds: Vec<Kind>,
        (constants, sizes): (&[Symbol], &[Option<Size>]),
        span: Span,
    ) -> Outcome<FunId> {
        let fun = self.instances.number();
        let instance = Instance { fun, constants: constants.to_vec(), sizes: sizes.to_vec() };
        self.add_instance(key.clone(), kinds, Rc::new(instance), span)?;
        Ok(fun)
    }
    /// Puts the function that was made in the place of the one that was announced. `first` is the number of functions before that.
    pub(super) fn keep_promise(&mut self, key: &InstanceKey, announced: FunId, made: FunId, first: usize, span: Span) -> Outcome<()> {
        for (_, instance) in self.instances.made.get_mut(key).into_iter().flatten() {
            if instance.fun == announced {
                *instance = Rc::new(Instance { fun: made, constants: instance.constants.clone(), sizes: instance.sizes.clone() });
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
            let mut found = false;
            if let Exp::Call(id, _) = stm.exp {
                let fun = (id.raw() < UNMADE).then(|| &self.out.funs[id]);
                found = fun.is_none_or(|fun| fun.recursive || self.calls_recursion(&fun.body));
            }
            stm.exp.parts(&mut |part| {
                if let Part::Body(_, body) = part {
                    found = found || self.calls_recursion(body);
                }
            });
            found
        })
    }
}

/// The names of the sizes and types that parameters which are functions mention: the code of such an argument is made for certain ones.
pub(super) fn seen_by_functions(params: &[(Symbol, core::Type)]) -> FxHashSet<Symbol> {
    let mut free = FreeVars::default();
    let functions = params.iter().filter(|(_, ty)| matches!(ty.atom(), core::Atom::Fun(..)));
    functions.flat_map(|(_, ty)| free.of(ty).iter().map(|name| name.symbol()).collect::<Vec<_>>()).collect()
}

/// The sizes that functions see, as far as these have captured all that they depend on, in terms of other variables for what was captured.
pub(super) fn in_terms_of(actual: &[(Size, bool)], captured: &[Vec<Var>], by: &[Vec<Var>]) -> Vec<Option<Size>> {
    let known = |var: Var| captured.iter().flatten().any(|own| *own == var);
    let fixed = |size: &Size, seen: bool| seen && size.vars().all(known);
    let by: Vec<Var> = by.iter().flatten().copied().collect();
    actual.iter().map(|(size, seen)| fixed(size, *seen).then(|| renamed(size, captured.iter().flatten(), &by))).collect()
}

/// A size with variables in the place of others.
pub(super) fn renamed<'v>(size: &Size, from: impl Iterator<Item = &'v Var>, to: &[Var]) -> Size {
    let map: FxHashMap<Var, Var> = from.copied().zip(to.iter().copied()).collect();
    size.subst(&mut |var| map.get(&var).map(|to| Size::var(*to)))
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
