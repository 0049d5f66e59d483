//! Sum types as tagged tuples.
//!
//! A sum becomes a record of its tag and of its [`slots`]. The label of the tag says which [`SumLayout`] it has, so that a value knows its
//! constructors; everything that works on records works on sums. What a constructor does not use is zero: then equality compares all slots. A
//! function and a box have slots of their own too; in those that a constructor does not use stand a function that is never applied and a box
//! of sizes 0.
//!
//! A payload is taken without a check where the tag is known: in the branch of a conditional that tested it, or where it is a constant.

use super::error::Limit;
use super::values::{Atom, Env, Fun, Label, Layout, Static, Type};
use super::{Outcome, Specialiser};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{Arena, Idx, PrimType, Scalar, Span, Symbol};
use crate::ir::core::slots::{self, Numbering};
use crate::ir::core::{self, Expr};
use crate::ir::soac::{self, Check, Exp, Operand, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How a sum type is laid out: the same for all types that differ in sizes only.
#[derive(Debug)]
pub struct SumLayout {
    id: SumId,
    tag: PrimType,
    /// For each constructor the form of its payload.
    constructors: Vec<(Symbol, Skeleton)>,
    /// The number of slots.
    slots: usize,
}

/// A layout of sums. Types that differ in sizes only have the same one.
pub type SumId = Idx<Rc<SumLayout>>;

/// The form of a payload: leaves are numbers of slots.
#[derive(Debug)]
enum Skeleton {
    Slot(usize),
    Tuple(Vec<Skeleton>),
    Record(Vec<(Label, Skeleton)>),
}

/// The tag and the slots of a value.
type Slots = Rc<[(Label, Static)]>;

/// The layouts of a program and what is known about tags.
#[derive(Debug, Default)]
pub(super) struct Sums {
    layouts: Arena<Rc<SumLayout>>,
    /// The layouts by their constructors.
    ids: FxHashMap<Vec<(Symbol, Layout)>, SumId>,
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
struct SlotPlan {
    slots: Vec<Type>,
    numbering: Numbering,
}

impl SlotPlan {
    fn slot(&mut self, ty: Type, prim: PrimType) -> usize {
        let (slot, new) = self.numbering.leaf(prim, ty.shape.is_empty());
        if new {
            self.slots.push(ty);
        }
        slot
    }
}

impl SumLayout {
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
        let mut plan = SlotPlan::default();
        let mut constructors = Vec::with_capacity(payloads.len());
        let mut key = Vec::with_capacity(payloads.len());
        for (label, payload) in payloads {
            let payload = self.resolve(payload, env, span)?;
            plan.numbering.constructor();
            constructors.push((*label, skeleton(&payload, &[], &mut plan)));
            key.push((*label, payload.layout()));
        }
        let tag = slots::tag(payloads.len());
        let slots = plan.slots.len();
        let layouts = &mut self.sums.layouts;
        let id = *self.sums.ids.entry(key).or_insert_with(|| {
            let id = SumId::new(layouts.len());
            layouts.alloc(Rc::new(SumLayout { id, tag, constructors, slots }))
        });
        let tag = (Label::Tag(id), Type { shape: Vec::new(), atom: Atom::Prim(tag) });
        let slots = plan.slots.into_iter().enumerate().map(|(at, ty)| (Label::Slot(at), ty));
        Ok(Atom::Record(std::iter::once(tag).chain(slots).collect()))
    }

    /// `(inject l T e)`.
    pub(super) fn injection(&mut self, label: Symbol, ty: &core::Type, payload: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let payload = self.eval(payload, env)?;
        self.inject(label, ty, &payload, env, span)
    }
    fn inject(&mut self, label: Symbol, sum: &core::Type, payload: &Static, env: &mut Env, span: Span) -> Outcome<Static> {
        let ty = self.resolve(sum, env, span)?;
        let Atom::Record(parts) = &ty.atom else { return self.broken(span, "a sum type was expected") };
        let layout = self.layout(parts.first().map(|(label, _)| *label), span)?;
        let Some((constructor, skeleton)) = layout.find(label) else { return self.broken(span, "no such constructor") };
        let mut slots: Vec<Option<Static>> = vec![None; layout.slots];
        if !spread(skeleton, payload, &mut slots) {
            return self.broken(span, "a payload of another form");
        }
        if let core::Atom::Sum(payloads) = sum.atom() {
            let others = layout.constructors.iter().zip(payloads).filter(|((name, _), _)| *name != label);
            others.for_each(|((_, skeleton), (_, ty))| self.absent(skeleton, ty, env, &mut slots));
        }
        let mut out = vec![(Label::Tag(layout.id), Static::Data(layout.tag_of(constructor)))];
        for ((label, ty), slot) in parts[1..].iter().zip(slots) {
            let value = match slot {
                Some(value) => value,
                None => self.blank(ty, &[], span)?,
            };
            out.push((*label, value));
        }
        Ok(Static::Record(out.into()))
    }
    /// Puts functions that are never applied into the slots for functions in the payload of a constructor that was not used.
    fn absent(&mut self, skeleton: &Skeleton, ty: &core::Type, env: &Env, slots: &mut [Option<Static>]) {
        match (skeleton, ty.atom()) {
            (Skeleton::Slot(at), core::Atom::Fun(..)) => {
                let cell = core::Type::scalar(ty.atom().clone());
                let env = env.only(&self.free.of_type(&cell));
                slots[*at] = Some(Static::Fun(Rc::new(Fun::Absent { ty: cell, env })));
            }
            (Skeleton::Tuple(forms), core::Atom::Tuple(parts)) => {
                forms.iter().zip(parts).for_each(|(form, part)| self.absent(form, part, env, slots));
            }
            (Skeleton::Record(forms), core::Atom::Record(parts)) => {
                forms.iter().zip(parts).for_each(|((_, form), (_, part))| self.absent(form, part, env, slots));
            }
            _ => {}
        }
    }
    /// A value that is never looked at: numbers are 0, functions are absent, sums are made by their first constructor.
    pub(super) fn nothing(&mut self, ty: &core::Type, env: &mut Env, span: Span) -> Outcome<Static> {
        if ty.shape().is_scalar() {
            match ty.atom() {
                core::Atom::Fun(..) => {
                    let env = env.only(&self.free.of_type(ty));
                    return Ok(Static::Fun(Rc::new(Fun::Absent { ty: ty.clone(), env })));
                }
                core::Atom::Tuple(parts) => {
                    return Ok(Static::Tuple(parts.iter().map(|part| self.nothing(part, env, span)).collect::<Outcome<_>>()?));
                }
                core::Atom::Record(parts) => {
                    let part = |(label, part): &(Symbol, core::Type)| Ok((Label::Field(*label), self.nothing(part, env, span)?));
                    return Ok(Static::Record(parts.iter().map(part).collect::<Outcome<_>>()?));
                }
                core::Atom::Sum(payloads) if !payloads.is_empty() => {
                    let (label, payload) = &payloads[0];
                    let payload = self.nothing(payload, env, span)?;
                    return self.inject(*label, ty, &payload, env, span);
                }
                core::Atom::Prim(_)
                | core::Atom::Var(_)
                | core::Atom::Forall(..)
                | core::Atom::Pi(..)
                | core::Atom::Sigma(..)
                | core::Atom::Sum(_) => {}
            }
        }
        let resolved = self.resolve(ty, env, span)?;
        if resolved.is_data() || resolved.shape.is_empty() {
            return self.blank(&resolved, &[], span);
        }
        let cell = self.nothing(&core::Type::scalar(ty.atom().clone()), env, span)?;
        self.replicate(&resolved.shape, cell, span)
    }
    /// Zeros, and boxes of sizes 0. `frame` stands in front of the shape.
    pub(super) fn blank(&mut self, ty: &Type, frame: &[soac::Size], span: Span) -> Outcome<Static> {
        let shape = [frame, &ty.shape].concat();
        Ok(match &ty.atom {
            Atom::Prim(elem) => {
                let none = Operand::Const(Scalar::from_i128(*elem, 0));
                if shape.is_empty() {
                    return Ok(Static::Data(none));
                }
                Static::Data(self.bind("none", soac::Type { elem: *elem, shape }, Exp::Rep(none), span)?)
            }
            Atom::Tuple(parts) => Static::Tuple(parts.iter().map(|part| self.blank(part, &shape, span)).collect::<Outcome<_>>()?),
            Atom::Record(parts) => {
                let part = |(label, part): &(Label, Type)| Ok((*label, self.blank(part, &shape, span)?));
                Static::Record(parts.iter().map(part).collect::<Outcome<_>>()?)
            }
            Atom::Sigma(sigma) if shape.is_empty() => {
                let sizes = vec![soac::Size::constant(0); sigma.params.len()];
                let content = self.opened(sigma, &sizes);
                let content = self.blank(&content, &[], span)?;
                self.boxed(sizes, content, ty, span)?
            }
            Atom::Sigma(_) => {
                let cell = self.blank(&Type { shape: Vec::new(), atom: ty.atom.clone() }, &[], span)?;
                self.replicate(&shape, cell, span)?
            }
            Atom::Fun => return self.limit(span, Limit::UnknownFunction),
        })
    }

    /// `(is l e)`.
    pub(super) fn is_made_by(&mut self, label: Symbol, sum: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let (layout, parts) = self.sum(sum, env, span)?;
        let Some((constructor, _)) = layout.find(label) else { return self.broken(span, "no such constructor") };
        let tag = self.scalar(&parts[0].1, span)?;
        if layout.constructors.len() == 1 {
            return Ok(Static::Data(Operand::Const(Scalar::Bool(true))));
        }
        let equal = ScalarOp::new(Op::Eq, layout.tag);
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
            let equal = ScalarOp::new(Op::Eq, layout.tag);
            let truth = self.scalar_op(equal, vec![tag, layout.tag_of(constructor)], span)?;
            let message = Symbol::new(&format!("the value was not made by `#{label}`"));
            self.push(Vec::new(), Exp::Check(Check::Assert(truth, message)), span)?;
        }
        match gather(skeleton, &parts[1..]) {
            Some(payload) => Ok(payload),
            None => self.broken(span, "a sum without its slots"),
        }
    }

    fn is_known(&self, tag: Operand, constructor: usize, layout: &SumLayout) -> bool {
        let Operand::Var(tag) = tag else { return tag == layout.tag_of(constructor) };
        let facts = || self.sums.known.iter().filter(|fact| fact.tag == tag);
        let excluded = |other: usize| facts().any(|fact| !fact.is && fact.constructor == other);
        facts().any(|fact| fact.is && fact.constructor == constructor)
            || (0..layout.constructors.len()).all(|other| other == constructor || excluded(other))
    }

    fn sum(&mut self, sum: &Expr, env: &mut Env, span: Span) -> Outcome<(Rc<SumLayout>, Slots)> {
        match self.eval(sum, env)? {
            Static::Record(parts) => Ok((self.layout(parts.first().map(|(label, _)| *label), span)?, parts)),
            Static::Data(_) | Static::Tuple(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
                self.broken(span, "a sum was expected")
            }
        }
    }
    fn layout(&self, tag: Option<Label>, span: Span) -> Outcome<Rc<SumLayout>> {
        match tag {
            Some(Label::Tag(id)) => Ok(self.sums.layouts[id].clone()),
            Some(Label::Field(_) | Label::Slot(_)) | None => self.broken(span, "a sum was expected"),
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

/// The form of a payload of this type, with `frame` in front of its shape.
fn skeleton(ty: &Type, frame: &[soac::Size], plan: &mut SlotPlan) -> Skeleton {
    let shape = [frame, &ty.shape].concat();
    match &ty.atom {
        Atom::Prim(prim) => Skeleton::Slot(plan.slot(Type { shape, atom: ty.atom.clone() }, *prim)),
        Atom::Tuple(parts) => Skeleton::Tuple(parts.iter().map(|part| skeleton(part, &shape, plan)).collect()),
        Atom::Record(parts) => Skeleton::Record(parts.iter().map(|(label, part)| (*label, skeleton(part, &shape, plan))).collect()),
        Atom::Fun | Atom::Sigma(_) => {
            plan.slots.push(Type { shape, atom: ty.atom.clone() });
            Skeleton::Slot(plan.numbering.array())
        }
    }
}

/// Puts the leaves of a payload into their slots; whether it has the form.
fn spread(skeleton: &Skeleton, payload: &Static, slots: &mut [Option<Static>]) -> bool {
    match (skeleton, payload) {
        (Skeleton::Slot(at), Static::Data(_) | Static::Fun(_) | Static::Box(_)) => {
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
fn gather(skeleton: &Skeleton, slots: &[(Label, Static)]) -> Option<Static> {
    Some(match skeleton {
        Skeleton::Slot(at) => slots.get(*at)?.1.clone(),
        Skeleton::Tuple(forms) => Static::Tuple(forms.iter().map(|form| gather(form, slots)).collect::<Option<_>>()?),
        Skeleton::Record(forms) => {
            Static::Record(forms.iter().map(|(label, form)| Some((*label, gather(form, slots)?))).collect::<Option<_>>()?)
        }
    })
}
