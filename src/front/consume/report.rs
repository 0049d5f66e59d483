//! What is said about it.

use super::mode::Misfit;
use super::roots::{GiftId, Lender, Origin, Root};
use super::{Checker, FrameKind};
use crate::base::{Code, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::surface::view;
use crate::ir::surface::{ExprId, ExprKind, PatId, PatKind, TypeId};
use crate::ir::tables::{DefId, RBase, Role};

/// Memory was consumed.
#[derive(Debug, Clone)]
pub(super) struct Gift {
    /// What is consumed.
    pub(super) span: Span,
    /// Its name, if it has one.
    pub(super) what: Option<Symbol>,
    /// To whom.
    pub(super) by: By,
    /// The function whose result it may be, if that may share memory with arguments.
    pub(super) returned: Option<Lender>,
}

impl Gift {
    /// A gift.
    pub(super) fn new(span: Span, what: Option<Symbol>, by: By) -> Gift {
        Gift { span, what, by, returned: None }
    }
}

/// To whom something is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A function.
    Call(Option<Symbol>),
    /// A closure that captures a consumed value, at its only call.
    Once,
    /// A loop, whose body gives it on at the second place.
    Loop(Span, Option<Span>),
    /// The next iteration.
    Next,
    /// Whoever called.
    Result,
}

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

/// `x` in backticks, or something else.
fn quoted(name: Option<Symbol>, otherwise: &str) -> String {
    name.map_or_else(|| otherwise.to_string(), |name| format!("`{name}`"))
}

/// A function in an example.
fn called(name: Option<Symbol>) -> &'static str {
    name.map_or("f", |name| name.as_str())
}

fn copy_of(name: Option<Symbol>) -> String {
    name.map_or_else(|| "`copy (..)`".to_string(), |name| format!("`copy {name}`"))
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
    pub(super) fn gift_span(&self, gift: GiftId) -> Option<Span> {
        self.gifts.get(gift as usize).map(|gift| gift.span)
    }
    fn span(&self, expr: ExprId) -> Span {
        self.program.ast.exprs[expr].span
    }
    fn pat_name(&self, pat: PatId) -> Option<Symbol> {
        match &self.program.ast.pats[pat].kind {
            PatKind::Name(name) => Some(*name),
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => self.pat_name(*inner),
            _ => None,
        }
    }
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
    /// Says why two things may share memory that have different names.
    fn with_reason(&mut self, mut diagnostic: Diagnostic, root: Root, gift: Option<GiftId>) -> Diagnostic {
        let returned = self.roots.ancestors(root, 0).into_iter().find_map(|root| self.roots.origin(root).lender());
        let given = gift.and_then(|gift| self.gifts.get(gift as usize)).and_then(|gift| gift.returned);
        if let Some(Lender { at: span, name, library }) = returned.or(given) {
            if diagnostic.labels.iter().all(|label| label.span != span) {
                diagnostic = diagnostic.label(span, format!("what `{name}` returns may share memory with its arguments"));
            }
            if !library {
                diagnostic = diagnostic.note(format!("a `*` before the type of the result of `{name}` would say that it never does"));
            }
        }
        diagnostic
    }

    /// Something is used that was consumed.
    pub(super) fn report_use(&mut self, expr: ExprId, root: Root, gift: GiftId) {
        let name = self.name_of(expr);
        let Some(Gift { span, what, by, .. }) = self.gifts.get(gift as usize).cloned() else { return };
        if !self.reported.insert((gift, name)) {
            return;
        }
        self.reported.insert((gift, None));
        let own = self.span(expr);
        let same = name.is_some() && name == what;
        let message = match (name, same) {
            (Some(name), _) => format!("`{name}` is used after it was consumed"),
            (None, _) => "this is used after its memory was consumed".to_string(),
        };
        let here = if same || what.is_none() || name.is_none() {
            "used here".to_string()
        } else {
            format!("shares memory with {}", quoted(what, "it"))
        };
        let mut error = Diagnostic::error(Code::UseAfterConsumption, own, message).here(here);
        error = if span == own { error } else { error.label(span, self.given_to(what, by)) };
        if let By::Loop(_, Some(inside)) = by {
            error = error.label(inside, "the loop consumes it here");
        }
        if !same {
            error = self.with_reason(error, root, Some(gift));
        }
        self.report(error.help(format!("pass a copy: {}", copy_of(what))));
    }
    fn given_to(&self, what: Option<Symbol>, by: By) -> String {
        let what = quoted(what, "this");
        match by {
            By::Call(Some(name)) => format!("`{name}` takes {what}"),
            By::Call(None) | By::Once => format!("{what} is consumed here"),
            By::Loop(..) => format!("the loop takes {what}"),
            By::Next => format!("the next iteration takes {what}"),
            By::Result => "given to the caller, who may overwrite it".to_string(),
        }
    }

    /// Something is consumed that cannot be.
    pub(super) fn report_gift(&mut self, expr: ExprId, gift: &Gift, blame: Blame) {
        let what = quoted(gift.what, "this");
        match blame {
            Blame::Dead(earlier) => self.report_twice(expr, gift, earlier),
            Blame::Kept(pat) => {
                let name = self.pat_name(pat);
                let part = |name: Symbol| gift.what.is_some_and(|what| what == name || what.as_str().starts_with(&format!("{name}.")));
                let own = name.is_some_and(part);
                let message = if own {
                    format!("{what} is consumed, but the caller keeps it")
                } else {
                    format!("{what} is consumed, but it may share memory with {}, which the caller keeps", quoted(name, "a parameter"))
                };
                let mut error = Diagnostic::error(Code::ConsumesBorrowed, gift.span, message).here(self.given_to(gift.what, gift.by));
                error = error.label(self.program.ast.pats[pat].span, "a parameter without `*` stays with the caller");
                if let By::Loop(_, Some(inside)) = gift.by {
                    error = error.label(inside, "the loop consumes it here");
                }
                let error = error.help(format!(
                    "write `*` before the type of {}, or pass a copy: {}",
                    quoted(name, "the parameter"),
                    copy_of(gift.what)
                ));
                self.report(error);
            }
            Blame::Global(def) => {
                let def = &self.program.defs[def];
                let own = gift.what == Some(def.name);
                let which = if own { "it".to_string() } else { format!("`{}`", def.name) };
                let error = Diagnostic::error(
                    Code::ConsumesBorrowed,
                    gift.span,
                    format!("{what} is consumed, but {which} is a constant of the program"),
                )
                .here(self.given_to(gift.what, gift.by));
                let error = if def.stdlib { error } else { error.label(def.span, "declared here") };
                self.report(error.help(format!("pass a copy: {}", copy_of(gift.what))));
            }
            Blame::Around(kind, root) => self.report_around(gift, kind, root),
        }
    }
    fn report_twice(&mut self, expr: ExprId, gift: &Gift, earlier: GiftId) {
        let Some(first) = self.gifts.get(earlier as usize).cloned() else { return };
        if !self.reported.insert((earlier, gift.what)) {
            return;
        }
        let (own, what) = (self.span(expr), quoted(gift.what, "this"));
        let shares = gift.what != first.what && gift.what.is_some() && first.what.is_some();
        let (message, again, before, help) = match gift.by {
            By::Once => (
                format!("{} captures a consumed value, but is called twice", quoted(gift.what, "this function")),
                "applied again here".to_string(),
                "applied here".to_string(),
                "write a function of all arguments instead of applying it to some of them".to_string(),
            ),
            _ => (
                format!("{what} is consumed twice"),
                if shares { format!("may share memory with {}", quoted(first.what, "it")) } else { self.given_to(gift.what, gift.by) },
                self.given_to(first.what, first.by),
                format!("pass a copy: {}", copy_of(first.what)),
            ),
        };
        let error = Diagnostic::error(Code::UseAfterConsumption, own, message).here(again);
        let error = if first.span == own { error } else { error.label(first.span, before) };
        self.report(error.help(help));
    }
    fn report_around(&mut self, gift: &Gift, kind: FrameKind, root: Root) {
        let what = quoted(gift.what, "this");
        let whose = match self.roots.origin(root) {
            Origin::Kept(pat) | Origin::Open(pat) => self.pat_name(pat),
            _ => None,
        };
        let aliases = match whose.filter(|name| Some(*name) != gift.what) {
            Some(name) => format!("it may share memory with `{name}`, which is"),
            None => "it is".to_string(),
        };
        let (code, message, span, label, help) = match kind {
            FrameKind::Function(span) => (
                Code::ConsumesCaptured,
                format!("{what} is consumed in a function, but {aliases} from outside of it"),
                span,
                "this function may be applied any number of times",
                "make it a parameter of the function",
            ),
            FrameKind::Loop(span) => (
                Code::LoopConsumesOuter,
                format!("{what} is consumed in every iteration, but {aliases} from outside of the loop"),
                head_of(span),
                "in this loop",
                "make it a variable of the loop",
            ),
            FrameKind::Definition => return,
        };
        let error = Diagnostic::error(code, gift.span, message).here(self.given_to(gift.what, gift.by)).label(span, label);
        self.report(error.help(format!("{help}, or pass a copy: {}", copy_of(gift.what))));
    }

    /// The next value of a loop variable that is consumed is not the loop's own.
    pub(super) fn report_next(&mut self, body: ExprId, pat: PatId, root: Root, blame: Blame, opened: Option<GiftId>) {
        let tail = self.tail(body);
        let span = self.span(tail);
        let own = match blame {
            Blame::Dead(gift) => {
                if !self.reported.insert((gift, None)) {
                    return;
                }
                "two variables of the loop may share memory, and one of them is consumed in every iteration".to_string()
            }
            Blame::Kept(_) | Blame::Global(_) | Blame::Around(..) => {
                let from = match blame {
                    Blame::Around(_, root) => match self.roots.origin(root) {
                        Origin::Kept(pat) | Origin::Open(pat) => self.pat_name(pat),
                        _ => None,
                    },
                    Blame::Global(def) => Some(self.program.defs[def].name),
                    Blame::Kept(pat) => self.pat_name(pat),
                    Blame::Dead(_) => None,
                };
                format!(
                    "the loop gives its variable away, but the next value may share memory with {}",
                    quoted(from, "something outside of it")
                )
            }
        };
        let mut error = Diagnostic::error(Code::LoopConsumesOuter, span, own).here("the next values");
        error = match opened.and_then(|gift| self.gift_span(gift)) {
            Some(given) if given != span => error.label(given, "consumed here"),
            _ => error.label(self.program.ast.pats[pat].span, "the variables of the loop"),
        };
        error = self.with_reason(error, root, None);
        self.report(error.help("go on with a copy: `copy (..)`"));
    }

    /// A result does not keep its promise.
    pub(super) fn report_result(&mut self, expr: ExprId, root: Root, blame: Blame, ret: TypeId) {
        let name = self.name_of(expr);
        let what = quoted(name, "it");
        let mut help = format!("return a copy: {}", copy_of(name));
        let (message, place) = match blame {
            Blame::Dead(gift) => {
                let by = self.gifts.get(gift as usize).map(|gift| gift.by);
                if !self.reported.insert((gift, None)) {
                    return;
                }
                let message = match by {
                    Some(By::Result) => {
                        format!("{what} may share memory with another part of the result, but one of them is declared unique (`*`)")
                    }
                    _ => format!("{what} was consumed"),
                };
                (message, self.gift_span(gift).map(|span| (span, "the other part")))
            }
            Blame::Kept(pat) => {
                let own = self.pat_name(pat);
                let function = self.tables.pats.get(pat).is_some_and(|ty| matches!(&*ty.base, RBase::Arrow(..)));
                let shares = match (own == name, function) {
                    (true, _) => "is a parameter that the caller keeps".to_string(),
                    (false, true) => format!("may share memory with what {} captures", quoted(own, "a parameter")),
                    (false, false) => format!("may share memory with {}, which the caller keeps", quoted(own, "a parameter")),
                };
                if !function {
                    help += &format!(", or write `*` before the type of {}", quoted(own, "the parameter"));
                }
                (
                    format!("the result is declared unique (`*`), but {what} {shares}"),
                    Some((self.program.ast.pats[pat].span, "a parameter without `*` stays with the caller")),
                )
            }
            Blame::Global(def) => {
                let def = &self.program.defs[def];
                let place = (!def.stdlib).then_some((def.span, "a constant of the program"));
                (format!("the result is declared unique (`*`), but {what} is, or is a part of, the constant `{}`", def.name), place)
            }
            Blame::Around(..) => (format!("the result is declared unique (`*`), but {what} comes from outside of the function"), None),
        };
        let mut error = Diagnostic::error(Code::ResultNotUnique, self.span(expr), message).here("this is returned");
        if let Some((span, text)) = place
            && span != self.span(expr)
        {
            error = error.label(span, text);
        }
        error = error.label(self.program.ast.types[ret].span, "declared unique here");
        error = self.with_reason(error, root, None);
        self.report(error.help(help));
    }

    /// A function with another mode than its place needs.
    pub(super) fn report_misfit(&mut self, expr: ExprId, name: Option<Symbol>, misfit: Misfit, receiver: Option<Symbol>) {
        let what = quoted(name, "this function");
        let place = receiver.map_or_else(|| "its place".to_string(), |receiver| format!("`{receiver}`"));
        let (message, here, help) = match misfit {
            Misfit::Takes => (
                format!("{what} consumes its argument, but {place} may apply it to what is used again"),
                "consumes its argument",
                format!(
                    "apply it to a copy: `\\x -> {} (copy x)`, or write `*` before the type of the argument where it is expected",
                    called(name)
                ),
            ),
            Misfit::Shares => (
                format!("{place} needs a function whose result is unique (`*`), but what {what} returns may share memory"),
                "there is no `*` before the type of its result",
                format!("return a copy: `\\x -> copy ({} x)`", called(name)),
            ),
        };
        let error = Diagnostic::error(Code::ConsumingArgument, self.span(expr), message).here(here);
        self.report(error.help(help));
    }
    /// A function that may be applied once only is passed on.
    pub(super) fn report_often(&mut self, expr: ExprId, name: Option<Symbol>) {
        let message = format!("{} captures a consumed value, so it can be called only once", quoted(name, "this function"));
        let error = Diagnostic::error(Code::ConsumingArgument, self.span(expr), message).here("may be applied several times here");
        self.report(error.help("write a function that takes all arguments, or one that passes a copy"));
    }
    /// A function is no function of the type that is promised.
    pub(super) fn report_promised_function(&mut self, expr: ExprId, misfit: Misfit) {
        let Role::Shown(matching) = self.program.defs[self.def].role else {
            return self.report_misfit(expr, self.name_of(expr), misfit, None);
        };
        let name = self.program.defs[self.def].name.as_str();
        let name = name.rsplit('.').next().unwrap_or(name);
        let (message, member, help) = match misfit {
            Misfit::Takes => (
                format!("`{name}` consumes an argument that its module type does not consume"),
                "consumes an argument (`*`)",
                "write `*` before the type of the argument in the module type, or copy the argument in the module",
            ),
            Misfit::Shares => (
                format!("the module type declares the result of `{name}` unique (`*`), but it may share memory with its arguments"),
                "has a result without `*`",
                "return a copy in the module and write `*` before the type of the result",
            ),
        };
        let mut error = Diagnostic::error(Code::ModuleConsumes, matching.at, message)
            .here(format!("the `{name}` of this module"))
            .label(matching.spec, "the module type says this");
        if let Some(span) = matching.member {
            error = error.label(span, member);
        }
        self.report(error.help(help));
    }
    /// Several applications would take the same argument.
    pub(super) fn report_shared(&mut self, expr: ExprId, function: Option<Symbol>) {
        let name = self.name_of(expr);
        let what = quoted(name, "this argument");
        let message = format!("{what} is consumed, but it is the same in all applications of {}", quoted(function, "the function"));
        let error = Diagnostic::error(Code::ConsumesShared, self.span(expr), message).here("one of them would take it from the others");
        let rep = name.map_or_else(|| "`rep (..)`".to_string(), |name| format!("`(rep {name})`"));
        self.report(error.help(format!("give each of them a copy: {rep}")));
    }
}

/// The beginning of a loop.
fn head_of(span: Span) -> Span {
    Span { end: span.end.min(span.start + 4), ..span }
}
