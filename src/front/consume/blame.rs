//! Gathers what an error of consumption says before it is put into words: where it was consumed, by whom, what shares memory with it.

use super::error::{Around, Consumer, Consumption, Error, Item, LoopCause, Sharing};
use super::mode::Misfit;
use super::roots::{GiftId, Lender, Origin, Root};
use super::{Checker, FrameKind};
use crate::base::{Span, Symbol};
use crate::ir::surface::view;
use crate::ir::surface::{ExprId, ExprKind, PatId, PatKind, TypeId};
use crate::ir::tables::{DefId, RBase, Role};

/// Why memory cannot be consumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blame {
    /// It was already.
    Dead(GiftId),
    /// It may be that of a parameter that the caller keeps.
    Kept(PatId),
    /// It may be that of a constant.
    Global(DefId),
    /// It may come from outside of a function or loop.
    Around(FrameKind, Root),
}

impl Checker<'_> {
    /// The name by which an expression is called in messages: a variable, or fields of one.
    pub(super) fn name_of(&self, expr: ExprId) -> Option<Symbol> {
        let at = view::strip(&self.program.ast, expr);
        match &self.program.ast.exprs[at].kind {
            ExprKind::Name(name) => Some(*name),
            ExprKind::OpFn(op) => Some(Symbol::new(&format!("({})", op.name))),
            ExprKind::Project { expr, field } => Some(Symbol::new(&format!("{}.{}", self.name_of(*expr)?, field.name))),
            ExprKind::Ascribe { expr, .. } | ExprKind::Coerce { expr, .. } => self.name_of(*expr),
            _ => None,
        }
    }
    /// The variable that an expression is, or is a field of.
    fn variable_of(&self, expr: ExprId) -> Option<Symbol> {
        let at = view::strip(&self.program.ast, expr);
        match &self.program.ast.exprs[at].kind {
            ExprKind::Name(name) => Some(*name),
            ExprKind::Project { expr, .. } | ExprKind::Ascribe { expr, .. } | ExprKind::Coerce { expr, .. } => self.variable_of(*expr),
            _ => None,
        }
    }
    fn pat_name(&self, pat: PatId) -> Option<Symbol> {
        match &self.program.ast.pats[pat].kind {
            PatKind::Name(name) => Some(*name),
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => self.pat_name(*inner),
            _ => None,
        }
    }
    fn value(&self, expr: ExprId) -> Item {
        Item { name: self.name_of(expr), at: self.program.ast.exprs[expr].span }
    }
    fn parameter(&self, pat: PatId) -> Item {
        Item { name: self.pat_name(pat), at: self.program.ast.pats[pat].span }
    }
    /// Where a constant is declared, if not in the library.
    fn declaration(&self, def: DefId) -> Option<Span> {
        let def = &self.program.defs[def];
        (!def.stdlib).then_some(def.span)
    }
    /// The parameter whose memory this is.
    fn owner(&self, root: Root) -> Option<Symbol> {
        match self.roots.origin(root) {
            Origin::Kept(pat) | Origin::Open(pat) => self.pat_name(pat),
            Origin::Made | Origin::Returned { .. } | Origin::Given | Origin::Global(_) => None,
        }
    }
    /// What gives the value of an expression to somebody.
    pub(super) fn gift(&self, expr: ExprId, by: Consumer) -> Consumption {
        Consumption { item: self.value(expr), by, returned: None }
    }
    pub(super) fn gift_span(&self, gift: GiftId) -> Span {
        self.gifts[gift as usize].item.at
    }
    /// The function by whose result two things may share memory that have different names.
    fn lender(&mut self, root: Root, gift: Option<GiftId>) -> Option<Lender> {
        let returned = self.roots.ancestors(root, 0).into_iter().find_map(|root| self.roots.origin(root).lender());
        returned.or_else(|| self.gifts[gift? as usize].returned)
    }

    /// Something is used that was consumed.
    pub(super) fn report_use(&mut self, expr: ExprId, root: Root, gift: GiftId) {
        let used = self.value(expr);
        if !self.reported.insert((gift, used.name)) {
            return;
        }
        self.reported.insert((gift, None));
        let lender = self.lender(root, Some(gift));
        self.errors.push(Error::UsedAfterConsumed { used, consumed: self.gifts[gift as usize], lender });
    }

    /// Something is consumed that cannot be.
    pub(super) fn report_gift(&mut self, expr: ExprId, by: Consumer, blame: Blame) {
        let gift = self.gift(expr, by);
        let error = match blame {
            Blame::Dead(earlier) => {
                if !self.reported.insert((earlier, gift.item.name)) {
                    return;
                }
                Error::ConsumedTwice { gift, earlier: self.gifts[earlier as usize] }
            }
            Blame::Kept(pat) => {
                let parameter = self.parameter(pat);
                let own = parameter.name.is_some() && parameter.name == self.variable_of(expr);
                Error::ConsumesParameter { gift, parameter, own }
            }
            Blame::Global(def) => Error::ConsumesConstant { gift, constant: self.program.defs[def].name, declared: self.declaration(def) },
            Blame::Around(kind, root) => {
                let around = match kind {
                    FrameKind::Function(span) => Around::Function(span),
                    FrameKind::Loop(span) => Around::Loop(span),
                    FrameKind::Definition => return,
                };
                Error::ConsumesOuter { gift, around, parameter: self.owner(root) }
            }
        };
        self.errors.push(error);
    }

    /// The next value of a loop variable that is consumed is not the loop's own.
    pub(super) fn report_next(&mut self, body: ExprId, pat: PatId, root: Root, blame: Blame, opened: Option<GiftId>) {
        let next = self.program.ast.exprs[self.tail(body)].span;
        let consumed = opened.map(|gift| self.gift_span(gift));
        let cause = LoopCause { consumed, variables: self.program.ast.pats[pat].span };
        let with = match blame {
            Blame::Dead(gift) => {
                if self.reported.insert((gift, None)) {
                    let lender = self.lender(root, None);
                    self.errors.push(Error::LoopVariablesShare { next, cause, lender });
                }
                return;
            }
            Blame::Kept(pat) => self.pat_name(pat),
            Blame::Global(def) => Some(self.program.defs[def].name),
            Blame::Around(_, root) => self.owner(root),
        };
        let lender = self.lender(root, None);
        self.errors.push(Error::NextValueShared { next, with, cause, lender });
    }

    /// A result does not keep its promise.
    pub(super) fn report_result(&mut self, expr: ExprId, root: Root, blame: Blame, ret: TypeId) {
        let sharing = match blame {
            Blame::Dead(gift) => {
                if !self.reported.insert((gift, None)) {
                    return;
                }
                let Consumption { item, by, .. } = self.gifts[gift as usize];
                if by == Consumer::Result { Sharing::Part(item.at) } else { Sharing::Consumed(item.at) }
            }
            Blame::Kept(pat) => {
                let function = self.tables.pats.get(pat).is_some_and(|ty| matches!(&*ty.base, RBase::Arrow(..)));
                Sharing::Parameter { parameter: self.parameter(pat), function }
            }
            Blame::Global(def) => Sharing::Constant { constant: self.program.defs[def].name, declared: self.declaration(def) },
            Blame::Around(..) => Sharing::Outside,
        };
        let (result, declared) = (self.value(expr), self.program.ast.types[ret].span);
        let lender = self.lender(root, None);
        self.errors.push(Error::ResultNotUnique { result, sharing, declared, lender });
    }

    /// A function with another mode than its place needs.
    pub(super) fn report_misfit(&mut self, expr: ExprId, misfit: Misfit, receiver: Option<Symbol>) {
        self.errors.push(Error::FunctionMisfit { function: self.value(expr), misfit, receiver });
    }
    /// A function that may be applied once only is passed on.
    pub(super) fn report_often(&mut self, expr: ExprId) {
        self.errors.push(Error::CalledOften { function: self.value(expr) });
    }
    /// A function is no function of the type that is promised.
    pub(super) fn report_promised_function(&mut self, expr: ExprId, misfit: Misfit) {
        match self.program.defs[self.def].role {
            Role::Shown(matching) => {
                self.errors.push(Error::MemberMisfit { member: self.program.defs[self.def].name, misfit, matching });
            }
            _ => self.report_misfit(expr, misfit, None),
        }
    }
    /// Several applications would take the same argument.
    pub(super) fn report_shared(&mut self, expr: ExprId, function: Option<Symbol>) {
        self.errors.push(Error::ConsumesShared { argument: self.value(expr), function });
    }
}
