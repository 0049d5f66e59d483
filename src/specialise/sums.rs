//! Sum types as tagged tuples.
//!
//! A sum becomes a record of its tag, the position of the constructor, and of *slots* that hold the leaves of payloads. The label of
//! the tag names the [`Layout`], so that a value knows its constructors; everything that works on records works on sums. Scalars of
//! one type are shared between constructors; an array has a slot of its own, since its sizes may differ from those of others.
//! What a constructor does not use is zero: then equality compares all slots.
//!
//! A payload is taken without a check where the tag is known: in the branch of a conditional that tested it, or where it is a constant.

use super::values::{Atom, Env, Static, Type};
use super::{Outcome, Specialiser, zero};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{self, Expr};
use crate::ir::soac::{self, Check, Exp, Operand, Var};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::rc::Rc;

/// How a sum type is laid out: the same for all types that differ in sizes only.
#[derive(Debug)]
pub(super) struct Layout {
    /// The name, unique for the structure.
    name: Symbol,
    tag: PrimType,
    /// For each constructor the form of its payload.
    constructors: Vec<(Symbol, Skeleton)>,
    /// The number of slots.
    slots: usize,
}

/// The form of a payload: leaves are numbers of slots.
#[derive(Debug)]
enum Skeleton {
    Slot(usize),
    Tuple(Vec<Skeleton>),
    Record(Vec<(Symbol, Skeleton)>),
}

/// The tag and the slots of a value.
type Slots = Rc<[(Symbol, Static)]>;

/// The layouts of a program and what is known about tags.
#[derive(Debug, Default)]
pub(super) struct Sums {
    layouts: FxHashMap<Symbol, Rc<Layout>>,
    /// What a truth value says about tags.
    facts: FxHashMap<Var, Facts>,
    /// What the branches around the current place know.
    known: Vec<Fact>,
}

/// A tag is, or is not, this constructor.
#[derive(Debug, Clone, Copy)]
struct Fact {
    tag: Var,
    constructor: usize,
    is: bool,
}

#[derive(Debug, Default, Clone)]
struct Facts {
    when_true: Vec<Fact>,
    when_false: Vec<Fact>,
}

/// The slots of a type while its layout is made.
#[derive(Default)]
struct Plan {
    slots: Vec<Type>,
    /// Scalar slots by type, and how many of each the constructor has used.
    scalars: Vec<(PrimType, usize)>,
    used: FxHashMap<PrimType, usize>,
}

impl Plan {
    fn scalar(&mut self, prim: PrimType) -> usize {
        let used = self.used.entry(prim).or_default();
        *used += 1;
        if let Some((_, slot)) = self.scalars.iter().filter(|(p, _)| *p == prim).nth(*used - 1) {
            return *slot;
        }
        let slot = self.slots.len();
        self.slots.push(Type { shape: Vec::new(), atom: Atom::Prim(prim) });
        self.scalars.push((prim, slot));
        slot
    }
}

impl Layout {
    fn find(&self, label: Symbol) -> Option<(usize, &Skeleton)> {
        let at = self.constructors.iter().position(|(name, _)| *name == label)?;
        Some((at, &self.constructors[at].1))
    }
    fn tag_of(&self, constructor: usize) -> Operand {
        Operand::Const(Scalar::from_i128(self.tag, constructor as i128))
    }
}

impl Specialiser<'_> {
    /// The record that a sum type becomes.
    pub(super) fn sum_type(&mut self, payloads: &[(Symbol, core::Type)], env: &mut Env, span: Span) -> Outcome<Atom> {
        let mut plan = Plan::default();
        let mut constructors = Vec::with_capacity(payloads.len());
        let mut name = String::from("#");
        for (label, payload) in payloads {
            let payload = self.resolve(payload, env, span)?;
            plan.used.clear();
            constructors.push((*label, self.skeleton(&payload, &[], &mut plan, span)?));
            let _ = write!(name, "{label} ");
            payload.layout(&mut name);
            name.push('|');
        }
        let name = Symbol::new(&name);
        let tag = if payloads.len() <= 256 { PrimType::U8 } else { PrimType::I32 };
        let slots = plan.slots.len();
        self.sums.layouts.entry(name).or_insert_with(|| Rc::new(Layout { name, tag, constructors, slots }));
        let tag = (name, Type { shape: Vec::new(), atom: Atom::Prim(tag) });
        let slots = plan.slots.into_iter().enumerate().map(|(at, ty)| (Symbol::new(&at.to_string()), ty));
        Ok(Atom::Record(std::iter::once(tag).chain(slots).collect()))
    }

    fn skeleton(&self, ty: &Type, frame: &[soac::Size], plan: &mut Plan, span: Span) -> Outcome<Skeleton> {
        let shape = [frame, &ty.shape].concat();
        Ok(match &ty.atom {
            Atom::Prim(prim) if shape.is_empty() => Skeleton::Slot(plan.scalar(*prim)),
            Atom::Prim(prim) => {
                plan.slots.push(Type { shape, atom: Atom::Prim(*prim) });
                Skeleton::Slot(plan.slots.len() - 1)
            }
            Atom::Tuple(parts) => {
                Skeleton::Tuple(parts.iter().map(|part| self.skeleton(part, &shape, plan, span)).collect::<Outcome<_>>()?)
            }
            Atom::Record(parts) => {
                let part = |(label, part): &(Symbol, Type)| Ok((*label, self.skeleton(part, &shape, plan, span)?));
                Skeleton::Record(parts.iter().map(part).collect::<Outcome<_>>()?)
            }
            Atom::Fun => return self.limit(span, "a function in the payload of a constructor is not compiled"),
            Atom::Sigma(_) => return self.limit(span, "an array of hidden size in the payload of a constructor is not compiled"),
        })
    }

    /// `(inject l T e)`.
    pub(super) fn injection(&mut self, label: Symbol, ty: &core::Type, payload: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let payload = self.eval(payload, env)?;
        let ty = self.resolve(ty, env, span)?;
        let Atom::Record(parts) = &ty.atom else { return self.broken(span, "a sum type was expected") };
        let layout = self.layout(parts.first().map(|(name, _)| *name), span)?;
        let Some((constructor, skeleton)) = layout.find(label) else { return self.broken(span, "no such constructor") };
        let mut slots: Vec<Option<Static>> = vec![None; layout.slots];
        if !spread(skeleton, &payload, &mut slots) {
            return self.broken(span, "a payload of another form");
        }
        let mut out = vec![(layout.name, Static::Data(layout.tag_of(constructor)))];
        for ((label, ty), slot) in parts[1..].iter().zip(slots) {
            let value = match slot {
                Some(value) => value,
                None => self.blank(ty, span)?,
            };
            out.push((*label, value));
        }
        Ok(Static::Record(out.into()))
    }
    /// What stands in a slot that is not used.
    fn blank(&mut self, ty: &Type, span: Span) -> Outcome<Static> {
        let Atom::Prim(elem) = ty.atom else { return self.broken(span, "a slot that is no data") };
        let none = Operand::Const(zero(elem));
        if ty.shape.is_empty() {
            return Ok(Static::Data(none));
        }
        Ok(Static::Data(self.bind("none", soac::Type { elem, shape: ty.shape.clone() }, Exp::Rep(none), span)?))
    }

    /// `(is l e)`.
    pub(super) fn is_made_by(&mut self, label: Symbol, sum: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let (layout, parts) = self.sum(sum, env, span)?;
        let Some((constructor, _)) = layout.find(label) else { return self.broken(span, "no such constructor") };
        let tag = self.scalar(&parts[0].1, span)?;
        if layout.constructors.len() == 1 {
            return Ok(Static::Data(Operand::Const(Scalar::Bool(true))));
        }
        let equal = self.op(layout.tag, "==", span)?;
        let truth = self.scalar_op(equal, vec![tag, layout.tag_of(constructor)], span)?;
        if let (Operand::Var(truth), Operand::Var(tag)) = (truth, tag) {
            let fact = |is| vec![Fact { tag, constructor, is }];
            self.sums.facts.insert(truth, Facts { when_true: fact(true), when_false: fact(false) });
        }
        Ok(Static::Data(truth))
    }

    /// `(payload l e)`.
    pub(super) fn payload(&mut self, label: Symbol, sum: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let (layout, parts) = self.sum(sum, env, span)?;
        let Some((constructor, skeleton)) = layout.find(label) else { return self.broken(span, "no such constructor") };
        let tag = self.scalar(&parts[0].1, span)?;
        if !self.is_known(tag, constructor, &layout) {
            let equal = self.op(layout.tag, "==", span)?;
            let truth = self.scalar_op(equal, vec![tag, layout.tag_of(constructor)], span)?;
            let message = Symbol::new(&format!("the value was not made by `#{label}`"));
            self.push(Vec::new(), Exp::Check(Check::Assert(truth, message)), span)?;
        }
        match gather(skeleton, &parts[1..]) {
            Some(payload) => Ok(payload),
            None => self.broken(span, "a sum without its slots"),
        }
    }

    fn is_known(&self, tag: Operand, constructor: usize, layout: &Layout) -> bool {
        let Operand::Var(tag) = tag else { return tag == layout.tag_of(constructor) };
        let facts = || self.sums.known.iter().filter(|fact| fact.tag == tag);
        let excluded = |other: usize| facts().any(|fact| !fact.is && fact.constructor == other);
        facts().any(|fact| fact.is && fact.constructor == constructor)
            || (0..layout.constructors.len()).all(|other| other == constructor || excluded(other))
    }

    fn sum(&mut self, sum: &Expr, env: &mut Env, span: Span) -> Outcome<(Rc<Layout>, Slots)> {
        match self.eval(sum, env)? {
            Static::Record(parts) => Ok((self.layout(parts.first().map(|(name, _)| *name), span)?, parts)),
            _ => self.broken(span, "a sum was expected"),
        }
    }
    fn layout(&self, name: Option<Symbol>, span: Span) -> Outcome<Rc<Layout>> {
        match name.and_then(|name| self.sums.layouts.get(&name)) {
            Some(layout) => Ok(layout.clone()),
            None => self.broken(span, "a sum was expected"),
        }
    }

    /// Runs `work` where a condition holds, or does not.
    pub(super) fn knowing<T>(&mut self, cond: Operand, holds: bool, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let before = self.sums.known.len();
        if let Some(facts) = cond.var().and_then(|var| self.sums.facts.get(&var)) {
            let new = if holds { &facts.when_true } else { &facts.when_false };
            self.sums.known.extend(new.iter().copied());
        }
        let result = work(self);
        self.sums.known.truncate(before);
        result
    }

    /// A condition that is another one and, where that holds, a third one: what it says about tags when it is true.
    pub(super) fn both_hold(&mut self, both: &Static, first: Operand, second: &Static) {
        let (Static::Data(Operand::Var(both)), Static::Data(second)) = (both, second) else { return };
        let of = |cond: Operand| cond.var().and_then(|var| self.sums.facts.get(&var)).map_or(&[][..], |facts| &facts.when_true);
        let when_true: Vec<Fact> = of(first).iter().chain(of(*second)).copied().collect();
        if !when_true.is_empty() {
            self.sums.facts.insert(*both, Facts { when_true, when_false: Vec::new() });
        }
    }
}

/// Puts the leaves of a payload into their slots; whether it has the form.
fn spread(skeleton: &Skeleton, payload: &Static, slots: &mut [Option<Static>]) -> bool {
    match (skeleton, payload) {
        (Skeleton::Slot(at), Static::Data(_)) => {
            slots[*at] = Some(payload.clone());
            true
        }
        (Skeleton::Tuple(forms), Static::Tuple(parts)) => {
            forms.len() == parts.len() && forms.iter().zip(parts.iter()).all(|(form, part)| spread(form, part, slots))
        }
        (Skeleton::Record(forms), Static::Record(parts)) => {
            forms.len() == parts.len() && forms.iter().zip(parts.iter()).all(|((_, form), (_, part))| spread(form, part, slots))
        }
        _ => false,
    }
}

/// The payload that the slots hold.
fn gather(skeleton: &Skeleton, slots: &[(Symbol, Static)]) -> Option<Static> {
    Some(match skeleton {
        Skeleton::Slot(at) => slots.get(*at)?.1.clone(),
        Skeleton::Tuple(forms) => Static::Tuple(forms.iter().map(|form| gather(form, slots)).collect::<Option<_>>()?),
        Skeleton::Record(forms) => {
            Static::Record(forms.iter().map(|(label, form)| Some((*label, gather(form, slots)?))).collect::<Option<_>>()?)
        }
    })
}
