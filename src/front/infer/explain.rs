//! Errors: types as the user writes them, mismatches, and rank conflicts as two places that ask for different ranks.

use super::context::Context;
use super::reason::{Kind, Reason, ReasonId};
use super::types::{Base, Node, Ty};
use crate::base::{Code, PrimType, Span, Symbol};
use crate::diag::{Diagnostic, Label, closest};
use crate::ir::surface::{Ident, TypeParam};
use crate::rank::{self, LinExpr, Options, Outcome};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Types are cut after this many nodes.
const SHOWN_NODES: usize = 1000;
/// Places shown for a rank conflict besides the two that disagree.
const MORE_PLACES: usize = 3;

/// Errors of a definition for which advice is sought in the whole tree.
const MOST_ADVICE: usize = 10;

/// Prints types of inference.
struct Show<'c, 'a> {
    ctx: &'c mut Context<'a>,
    values: Option<&'c [u32]>,
    out: String,
    budget: usize,
    /// Whether abbreviations are written for the types that they stand for.
    names: bool,
}

impl Show<'_, '_> {
    fn ty(&mut self, ty: &Ty, atomic: bool) {
        if self.budget == 0 {
            self.out.push_str("...");
            return;
        }
        self.budget -= 1;
        let rank = self.rank(&ty.rank);
        if rank > 16 {
            let _ = write!(self.out, "[]^{rank}");
        } else {
            (0..rank).for_each(|_| self.out.push_str("[]"));
        }
        self.base(ty.base, atomic || rank > 0);
    }

    /// Ranks that are not known count as 0.
    fn rank(&self, rank: &LinExpr) -> usize {
        let rank = match self.values {
            Some(values) => rank.eval(values).unwrap_or(0),
            None => i128::from(self.ctx.ranks.reduce(rank).constant),
        };
        usize::try_from(rank).unwrap_or(0)
    }

    fn base(&mut self, base: Base, atomic: bool) {
        let node = self.ctx.bases.node(base);
        let names = std::mem::replace(&mut self.names, true);
        if names && matches!(node, Node::Record(_) | Node::Sum(_)) && self.abbreviation(base, atomic) {
            return;
        }
        match node {
            Node::Var(class) => self.out.push_str(class.placeholder()),
            Node::Prim(prim) => self.out.push_str(prim.name()),
            Node::Param(param) => self.out.push_str(self.ctx.program.tparams[param].name.as_str()),
            Node::Arrow(parts) => {
                self.out.push_str(if atomic { "(" } else { "" });
                let function = matches!(self.ctx.bases.node(parts.0.base), Node::Arrow(_));
                self.ty(&parts.0, function);
                self.out.push_str(" -> ");
                self.ty(&parts.1, false);
                self.out.push_str(if atomic { ")" } else { "" });
            }
            Node::Tuple(parts) => {
                self.list('(', ')', parts.iter().map(|part| (None, part)));
            }
            Node::Record(fields) => {
                self.list('{', '}', fields.iter().map(|(label, part)| (Some(*label), part)));
            }
            Node::Abstract(_, name, args) => {
                let parens = atomic && !args.is_empty();
                self.out.push_str(if parens { "(" } else { "" });
                self.out.push_str(name.as_str());
                for arg in args.iter() {
                    self.out.push(' ');
                    self.ty(arg, true);
                }
                self.out.push_str(if parens { ")" } else { "" });
            }
            Node::Sum(constructors) => {
                self.out.push_str(if atomic { "(" } else { "" });
                for (index, (label, payload)) in constructors.iter().enumerate() {
                    let _ = write!(self.out, "{}#{label}", if index > 0 { " | " } else { "" });
                    for part in payload.iter() {
                        self.out.push(' ');
                        self.ty(part, true);
                    }
                }
                self.out.push_str(if atomic { ")" } else { "" });
            }
            Node::Link(_) | Node::Error => self.out.push('_'),
        }
    }

    /// Writes the abbreviation that the user wrote for a type, if there is one.
    fn abbreviation(&mut self, base: Base, atomic: bool) -> bool {
        let root = self.ctx.bases.find(base);
        let Some(at) = (0..self.ctx.annotated.abbreviations.len()).find(|at| {
            let named = self.ctx.annotated.abbreviations[*at].0;
            self.ctx.bases.find(named) == root
        }) else {
            return false;
        };
        let (_, def, types) = self.ctx.annotated.abbreviations[at].clone();
        let program = self.ctx.program;
        let decl = &program.types[def].decl;
        let parens = atomic && !decl.tparams.is_empty();
        self.out.push_str(if parens { "(" } else { "" });
        self.out.push_str(decl.name.name.as_str());
        let mut types = types.iter();
        for param in &decl.tparams {
            match param {
                TypeParam::Size(_) => self.out.push_str(" []"),
                TypeParam::Type(_) => {
                    self.out.push(' ');
                    types.next().into_iter().for_each(|ty| self.ty(ty, true));
                }
            }
        }
        self.out.push_str(if parens { ")" } else { "" });
        true
    }

    fn list<'t>(&mut self, open: char, close: char, parts: impl Iterator<Item = (Option<Symbol>, &'t Ty)>) {
        self.out.push(open);
        for (index, (label, part)) in parts.enumerate() {
            self.out.push_str(if index > 0 { ", " } else { "" });
            if self.budget == 0 {
                self.out.push_str("...");
                break;
            }
            if let Some(label) = label {
                let _ = write!(self.out, "{label}: ");
            }
            self.ty(part, false);
        }
        self.out.push(close);
    }
}

impl Context<'_> {
    /// A type as the user writes it.
    pub(super) fn show(&mut self, ty: &Ty, values: Option<&[u32]>) -> String {
        let mut show = Show { ctx: self, values, out: String::new(), budget: SHOWN_NODES, names: true };
        show.ty(ty, false);
        show.out
    }

    /// What an abbreviation stands for that is written for the type.
    fn stands_for(&mut self, ty: &Ty) -> Option<String> {
        let cell = Ty::cell(ty.base);
        let name = self.show(&cell, None);
        let mut show = Show { ctx: self, values: None, out: String::new(), budget: SHOWN_NODES, names: false };
        show.ty(&cell, false);
        (show.out != name).then(|| format!("`{name}` is `{}`", show.out))
    }

    /// Reports two types whose bases cannot be equal, once per reason.
    pub(super) fn mismatch(&mut self, expected: &Ty, found: &Ty, left: Base, right: Base, id: ReasonId) {
        if !self.reports.reasons.insert(id.0) {
            return;
        }
        if self.contains_itself(expected) || self.contains_itself(found) {
            // That is what is wrong, and is reported at the end.
            return;
        }
        let Reason { kind, expected: from, found: at } = self.reasons[id.0 as usize];
        let (left, right) = (Ty::cell(left), Ty::cell(right));
        let (wanted, got) = (self.show(expected, None), self.show(found, None));
        let (inner_wanted, inner_got) = (self.show(&left, None), self.show(&right, None));
        let mut error = match self.requirement(&left) {
            Some(class) => {
                Diagnostic::error(Code::OperandType, at, format!("{} has the type `{got}`, but {class} is needed", kind.subject()))
            }
            None => {
                Diagnostic::error(Code::TypeMismatch, at, format!("{} has the type `{got}`, but `{wanted}` is expected", kind.subject()))
            }
        };
        error = error.here(format!("`{got}`"));
        if from != at {
            error = error.label(from, format!("{}: `{wanted}`", kind.expected_label()));
        }
        let class = matches!(self.bases.node(left.base), Node::Var(_)) || matches!(self.bases.node(right.base), Node::Var(_));
        if !class && (inner_wanted.as_str(), inner_got.as_str()) != (wanted.as_str(), got.as_str()) {
            error = error.note(format!("`{inner_got}` and `{inner_wanted}` are different"));
        }
        if class {
            error.notes.extend(self.stands_for(found));
        }
        error.notes.extend(self.label_differences(&left, &right));
        if let (Node::Tuple(a), Node::Tuple(b)) = (self.bases.node(left.base), self.bases.node(right.base)) {
            error = error.note(format!("a tuple of {} is expected, this is one of {}", a.len(), b.len()));
        }
        if let (Node::Prim(to), Node::Prim(from)) = (self.bases.node(left.base), self.bases.node(right.base))
            && to != from
        {
            error = error.help(format!("nothing is converted by itself; `{to}.{from} e` converts"));
        }
        let advice = match kind {
            _ if self.reports.diagnostics.len() >= MOST_ADVICE => None,
            Kind::Function => self.spoken_operator(at),
            _ if matches!(self.bases.node(right.base), Node::Arrow(_)) => self.missing_argument(at),
            _ if matches!(self.bases.node(right.base), Node::Prim(PrimType::Bool)) => self.mask(at),
            Kind::Argument { number: 1, of: Some(name) } if matches!(self.bases.node(left.base), Node::Arrow(_)) => {
                self.function_first(name, at)
            }
            _ => self.float_operator(from),
        };
        error.help.extend(advice);
        self.error(error);
    }

    /// In words, which fields or constructors only one of two types has.
    fn label_differences(&mut self, wanted: &Ty, got: &Ty) -> Vec<String> {
        let (what, mark, wanted, got) = match (self.bases.node(wanted.base), self.bases.node(got.base)) {
            (Node::Record(a), Node::Record(b)) => {
                ("field", "", a.iter().map(|f| f.0).collect::<Vec<_>>(), b.iter().map(|f| f.0).collect::<Vec<_>>())
            }
            (Node::Sum(a), Node::Sum(b)) => ("constructor", "#", a.iter().map(|c| c.0).collect(), b.iter().map(|c| c.0).collect()),
            _ => return Vec::new(),
        };
        let listed = |from: &[Symbol], without: &[Symbol]| {
            let only: Vec<String> = from.iter().filter(|l| !without.contains(l)).map(|l| format!("`{mark}{l}`")).collect();
            let plural = if only.len() == 1 { "" } else { "s" };
            (!only.is_empty()).then(|| format!("{what}{plural} {}", only.join(", ")))
        };
        let missing = listed(&wanted, &got).map(|list| format!("the {list} is only in the type that is expected"));
        let extra = listed(&got, &wanted).map(|list| format!("the {list} is only in the type found"));
        [missing, extra]
            .into_iter()
            .flatten()
            .map(|note| if note.contains("`, `") { note.replace(" is only", " are only") } else { note })
            .collect()
    }

    /// In words, what an overloaded operator or literal needs.
    fn requirement(&mut self, ty: &Ty) -> Option<&'static str> {
        match self.bases.node(ty.base) {
            Node::Var(class) => Some(class.describe()),
            _ => None,
        }
    }

    /// Reports an application of something that is no function.
    pub(super) fn not_a_function(&mut self, function: &Ty, index: usize, total: usize, name: Option<Symbol>, span: Span) {
        let shown = self.show(function, None);
        let callee = name.map_or("this".to_string(), |name| format!("`{name}`"));
        let error = if index == 0 {
            Diagnostic::error(Code::NotAFunction, span, format!("{callee} is not a function")).here(format!("`{shown}`"))
        } else {
            let message = format!("{callee} takes {index} argument{}, but {total} are given", if index == 1 { "" } else { "s" });
            Diagnostic::error(Code::NotAFunction, span, message).here(format!("after {index}, the result is `{shown}`"))
        };
        let advice = if self.reports.diagnostics.len() < MOST_ADVICE { self.spoken_operator(span) } else { None };
        let error = Diagnostic { help: advice.into_iter().collect(), ..error };
        self.error(error);
    }

    /// Reports an application to several arguments of a function that takes a tuple of so many components.
    pub(super) fn one_tuple(&mut self, count: usize, name: Option<Symbol>, span: Span) {
        let callee = name.map_or("this".to_string(), |name| format!("`{name}`"));
        let applied = name.map_or("f".to_string(), |name| name.to_string());
        let arguments = ["a", "b", "c", "d"].iter().take(count).copied().collect::<Vec<_>>().join(", ");
        let arguments = if count > 4 { format!("{arguments}, ..") } else { arguments };
        let message = format!("{callee} takes one tuple of {count} components, but {count} arguments are given");
        let error = Diagnostic::error(Code::NotAFunction, span, message)
            .here("takes 1 argument")
            .help(format!("put the arguments into a tuple: `{applied} ({arguments})`"));
        self.error(error);
    }

    /// Reports the holes with the types that are wanted there.
    pub(super) fn report_holes(&mut self, values: Option<&[u32]>) {
        for (span, ty) in std::mem::take(&mut self.holes) {
            let known =
                !matches!(self.bases.node(ty.base), Node::Var(class) if class.is_any()) && !matches!(self.bases.node(ty.base), Node::Error);
            let shown = self.show(&ty, values);
            let error = Diagnostic::error(Code::Hole, span, "a hole is left in the program");
            self.error(if known {
                error.here(format!("a value of type `{shown}` is wanted here"))
            } else {
                error.here("nothing says what is wanted here")
            });
        }
    }

    /// Reports a constructor that its type does not have, or not with as many values.
    pub(super) fn no_such_constructor(
        &mut self,
        node: &Node,
        base: Base,
        name: Ident,
        given: usize,
        declared: Option<usize>,
        source: ReasonId,
    ) {
        if !matches!(node, Node::Sum(_)) {
            let root = self.bases.find(base);
            if !self.reports.no_sums.insert(root) {
                return;
            }
        }
        let shown = self.show(&Ty::cell(base), None);
        let values = |count: usize| if count == 1 { "1 value".to_string() } else { format!("{count} values") };
        let label = name.name;
        let payload = match &node {
            Node::Sum(constructors) => constructors.iter().find(|(other, _)| *other == label).map(|(_, payload)| payload.clone()),
            _ => None,
        };
        let written: String = payload.iter().flat_map(|payload| payload.iter()).map(|ty| format!(" {}", self.show(ty, None))).collect();
        let mut error = match (node, declared) {
            (Node::Sum(_), Some(count)) => {
                let verb = if given == 1 { "is" } else { "are" };
                let given = if given == 0 { "none".to_string() } else { given.to_string() };
                Diagnostic::error(Code::WrongConstructor, name.span, format!("`#{label}` has {}, but {given} {verb} given", values(count)))
                    .note(format!("in `{shown}` it is `#{label}{written}`"))
            }
            (Node::Sum(constructors), None) => {
                let all: Vec<String> = constructors.iter().map(|(label, _)| format!("`#{label}`")).collect();
                let error = Diagnostic::error(Code::WrongConstructor, name.span, format!("`{shown}` has no constructor `#{label}`"));
                match closest(label.as_str(), constructors.iter().map(|(label, _)| label.as_str())) {
                    Some(close) => error.help(format!("a constructor with a similar name is `#{close}`")),
                    None => error.help(format!("its constructors are {}", all.join(", "))),
                }
            }
            _ => Diagnostic::error(
                Code::TypeMismatch,
                name.span,
                format!("`#{label}` makes a value of a sum type, but `{shown}` is expected"),
            ),
        };
        let Reason { kind, expected, found } = self.reasons[source.0 as usize];
        {
            let (place, what) = if expected.contains(name.span) { (found, kind.subject()) } else { (expected, kind.expected_label()) };
            if !place.contains(name.span) {
                error = error.label(place, format!("{what}: `{shown}`"));
            }
        }
        self.error(error);
    }

    /// Reports a projection from a type without this field.
    pub(super) fn no_such_field(&mut self, node: &Node, record: Base, field: Ident) {
        if matches!(node, Node::Error) {
            return;
        }
        let shown = self.show(&Ty::cell(record), None);
        let message = format!("`{shown}` has no field `{}`", field.name);
        let mut error = Diagnostic::error(Code::WrongFields, field.span, message);
        if let Node::Tuple(parts) = &node {
            error = error.help(format!("the fields of a tuple of {} are `0` to `{}`", parts.len(), parts.len().saturating_sub(1)));
        }
        if let Node::Record(fields) = node {
            let labels: Vec<String> = fields.iter().map(|(label, _)| format!("`{label}`")).collect();
            error = error.help(format!("its fields are {}", labels.join(", ")));
        }
        let advice = match field.name.as_str() {
            "T" | "transpose" => Some("arrays have no fields: the transposed array is `transpose a`"),
            "shape" | "size" | "ndim" => Some("arrays have no fields: the size of the outermost dimension is `length a`"),
            "sum" | "max" | "min" | "prod" | "mean" | "std" => {
                Some("arrays have no methods: functions are applied to them, `f64.sum a`, `f64.maximum a`, `mean a`")
            }
            "reshape" => Some("arrays have no methods: functions are applied to them, `flatten a`, `unflatten a`"),
            "astype" => Some("arrays have no methods: `f32.f64 a` converts to f32 from f64, element by element"),
            _ => None,
        };
        if let Some(advice) = advice.filter(|_| !matches!(node, Node::Record(_))) {
            error = error.help(advice);
        }
        self.error(error);
    }
}

/// One side of an equation that does not hold.
struct Claim {
    span: Span,
    what: String,
    rank: i128,
    shown: String,
}

/// The error for equations that cannot all hold. Without the last of them the others can; under their solution its two sides have
/// different ranks: these are the two places that the message names.
/// With `all`, every equation matters and the applications among them are shown too.
pub(super) fn rank_conflict(ctx: &mut Context, equations: &[usize], all: bool) -> Diagnostic {
    let Some((&last, rest)) = equations.split_last() else {
        return Diagnostic::bare(Code::RankConflict, "ranks cannot agree");
    };
    let reason = ctx.reasons[ctx.ranks.system.equations[last].tag as usize];
    let mut system = ctx.ranks.system.clone();
    system.equations = rest.iter().map(|i| ctx.ranks.system.equations[*i].clone()).collect();
    let values = match rank::solve(&system, &Options { explain: false, ..Options::default() }) {
        Outcome::Solved(solution) => solution.values,
        _ => vec![0; system.kinds.len()],
    };
    let Some(sides) = ctx.ranks.sides.get(last).cloned() else {
        return Diagnostic::error(Code::RankConflict, reason.found, format!("{} has a rank that does not fit", reason.kind.subject()))
            .label(reason.expected, reason.kind.expected_label());
    };
    let wanted = claim(ctx, reason.expected, reason.kind.expected_label(), &sides.expected, &values);
    let got = claim(ctx, reason.found, reason.kind.subject(), &sides.found, &values);
    let verb = match reason.kind {
        Kind::Argument { .. } => "cannot be made to fit",
        _ => "does not fit",
    };
    let message = match reason.kind {
        Kind::Condition => format!("ranks cannot agree: a condition is one truth value, this one is an array of rank {}", got.rank),
        _ => format!("ranks cannot agree: {} of rank {} {verb} {} of rank {}", got.what, got.rank, wanted.what, wanted.rank),
    };
    let mut error = Diagnostic::error(Code::RankConflict, got.span, message).here(format!("rank {}: `{}`", got.rank, got.shown));
    if wanted.span != got.span {
        error = error.label(wanted.span, format!("{}, rank {}: `{}`", wanted.what, wanted.rank, wanted.shown));
    }
    if all {
        more_places(ctx, rest, &values, &mut error);
    }
    match reason.kind {
        Kind::Branch | Kind::Element => error.help("nothing is inserted here; `id e` is an application and may be replicated"),
        Kind::Condition if got.rank == 1 => {
            error.help("`and (..)` says whether all of them are true, `or (..)` whether one of them is; nothing is inserted here")
        }
        Kind::Condition => error.help("nothing is inserted here"),
        _ => error,
    }
}

fn claim(ctx: &mut Context, span: Span, what: String, ty: &Ty, values: &[u32]) -> Claim {
    let rank = ty.rank.eval(values).unwrap_or(0);
    Claim { span, what, rank, shown: ctx.show(ty, Some(values)) }
}

/// Labels for the applications among the other equations of a conflict.
fn more_places(ctx: &mut Context, equations: &[usize], values: &[u32], error: &mut Diagnostic) {
    let mut shown: FxHashMap<Span, ()> = error.labels.iter().map(|label| (label.span, ())).collect();
    let mut more = 0;
    for &equation in equations.iter().rev() {
        let reason = ctx.reasons[ctx.ranks.system.equations[equation].tag as usize];
        let Some(sides) = ctx.ranks.sides.get(equation).cloned() else { continue };
        if more == MORE_PLACES || shown.insert(reason.found, ()).is_some() {
            continue;
        }
        let got = sides.found.rank.eval(values).unwrap_or(0);
        let wanted = sides.expected.rank.eval(values).unwrap_or(0);
        let text = format!("{} has rank {got}, {} rank {wanted}", reason.kind.subject(), reason.kind.expected_label());
        error.labels.push(Label { span: reason.found, text });
        more += 1;
    }
}
