//! Why a definition has no one reading, in words: E0402 with the readings of an ambiguous application as source text, and E0407.

use super::compare::{Question, same_type};
use super::words::{describe, is_open};
use super::{MAX_REPORTED, Refusal, RefusalKind};
use crate::base::{Code, SourceMap};
use crate::diag::{Diagnostic, Reading};
use crate::front::explicit::nest::nest;
use crate::front::explicit::{Printer, frames_of, head_span, namer, show_type};
use crate::front::infer::{Inferred, unannotated};
use crate::ir::surface::{PatId, PatKind};
use crate::ir::tables::{DefId, DefKind, InnerTypes, Insertion, Program, RBase, RType, Tables};

/// Most readings of one application that are printed.
const MAX_READINGS: usize = 8;
/// Most places of one ambiguity that are pointed at.
const MAX_LABELS: usize = 12;

impl Refusal {
    /// One diagnostic for each question, up to a limit: the readings of what was inferred for a definition.
    pub fn report(&self, program: &Program, sources: &SourceMap, inferred: &Inferred) -> Vec<Diagnostic> {
        let readings = Readings { program, sources, inferred, def: inferred.def(), picks: &self.picks };
        let printer = Printer::new(program, sources);
        let shown = self.questions.iter().take(MAX_REPORTED);
        let mut diagnostics: Vec<Diagnostic> = match self.kind {
            RefusalKind::Ambiguous => shown.map(|question| readings.question(&printer, question)).collect(),
            RefusalKind::Undecided => shown.map(|question| readings.undecided(question)).collect(),
        };
        let more = self.questions.len().saturating_sub(MAX_REPORTED);
        if more > 0
            && let Some(last) = diagnostics.pop()
        {
            diagnostics.push(last.note(match self.kind {
                RefusalKind::Ambiguous => {
                    let s = if more == 1 { "" } else { "s" };
                    format!("{more} more ambiguous application{s} in `{}`", program.defs[inferred.def()].name)
                }
                RefusalKind::Undecided => format!("and {more} more"),
            }));
        }
        diagnostics
    }
}

/// Adds to an error of elaboration that a limit was reached in the search for a way around it.
pub fn not_all_tried(error: Diagnostic, program: &Program, def: DefId) -> Diagnostic {
    error
        .note("there are other ways to insert the same number of `map`s and `rep`s; the limit on how many are tried was reached")
        .help(unannotated(program, def).advice())
}

/// What the questions are about.
struct Readings<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    inferred: &'a Inferred,
    def: DefId,
    /// The optima that other components take.
    picks: &'a [(usize, usize)],
}

impl Readings<'_> {
    /// A question that may be none.
    fn undecided(&self, question: &Question) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::bare(Code::Undecided, "whether this has one meaning was not decided within the limits".to_string());
        let tables = self.tables(question.component, 0);
        for &node in question.nodes.iter().take(MAX_LABELS) {
            if let Some(nest) = nest(&self.program.ast, &self.program.names, &tables, node) {
                diagnostic = diagnostic.label(head_span(self.program, &nest), "");
            }
        }
        let count = self.inferred.components().get(question.component).map_or(0, |component| component.optima.len());
        let note = match (question.compared, question.complete) {
            (true, _) => format!(
                "there are more than {count} equally small ways to insert `map`s and `rep`s here; the first {count} are the same program"
            ),
            (false, true) => format!(
                "there are {count} equally small ways to insert `map`s and `rep`s here; to find out whether they are the same program takes \
                 more steps than are allowed"
            ),
            (false, false) => format!(
                "there are more than {count} equally small ways to insert `map`s and `rep`s here; to find out whether they are the same \
                 program takes more steps than are allowed"
            ),
        };
        diagnostic.note(note).help(unannotated(self.program, self.def).advice())
    }

    fn tables(&self, component: usize, optimum: usize) -> Tables {
        let mut picks: Vec<(usize, usize)> = self.picks.iter().copied().filter(|(c, _)| *c != component).collect();
        picks.push((component, optimum));
        self.inferred.tables(&self.inferred.values(&picks))
    }

    fn question(&self, printer: &Printer, question: &Question) -> Diagnostic {
        let count = question.groups.len();
        let message = if question.complete {
            format!("ambiguous application: {count} equally small readings")
        } else {
            "ambiguous application: too many equally small readings to list".to_string()
        };
        let shown = question.groups.iter().take(MAX_READINGS);
        let all: Vec<Tables> = shown.map(|group| self.tables(question.component, group.optimum)).collect();
        let differences = self.differences(question, &all);
        let mut diagnostic = Diagnostic::bare(Code::Ambiguous, message);
        let places: Vec<_> = if differences.iter().any(|d| d.contains(&true)) {
            question.nodes.iter().zip(&differences).filter(|(_, d)| d.contains(&true)).map(|(n, _)| *n).collect()
        } else {
            question.nodes.clone()
        };
        for &node in places.iter().take(MAX_LABELS) {
            let nest = all.first().and_then(|t| nest(&self.program.ast, &self.program.names, t, node));
            let updated = self.program.ast.update_value(node).map(|value| self.program.ast.exprs[value].span);
            if let Some(place) = nest.map(|nest| head_span(self.program, &nest)).or(updated) {
                diagnostic = diagnostic.label(place, "");
            }
        }
        if !question.complete {
            return diagnostic
                .note("there are so many ways to insert the same number of `map`s and `rep`s here that they were not all compared")
                .help("annotate the types of the variables that take part, or write some of the `map`s");
        }
        for tables in &all {
            let notes: Vec<String> = question
                .nodes
                .iter()
                .zip(&differences)
                .flat_map(|(&node, differ)| describe(self.program, self.sources, tables, node, differ))
                .collect();
            let drawn = question.nodes.iter().take(MAX_LABELS).filter(|_| self.program.defs[self.def].is_written());
            let frames = drawn.filter_map(|node| frames_of(printer, tables, &InnerTypes::default(), self.def, *node));
            diagnostic.readings.push(Reading {
                frames: frames.collect(),
                source: printer.source(tables, self.def),
                fragment: printer.expression(tables, self.def, question.subterm),
                open: question.nodes.iter().any(|&node| is_open(self.program, tables, node)),
                cost: tables.apps.iter().map(|(_, info)| info.cost()).sum(),
                note: if notes.is_empty() { "inserts nothing here".to_string() } else { notes.join("; ") },
            });
        }
        if count > all.len() {
            diagnostic = diagnostic.note(format!("{} more readings", count - all.len()));
        }
        let write = written(&diagnostic.readings);
        let (notes, annotate) = self.parameters(&all);
        notes.into_iter().fold(diagnostic, Diagnostic::note).help(match annotate {
            Some(names) => format!("annotate the type of {names}, or {write}"),
            None => write,
        })
    }

    /// For each application, the arguments at which the readings differ.
    fn differences(&self, question: &Question, all: &[Tables]) -> Vec<Vec<bool>> {
        let insertions = |tables: &Tables, node| -> Vec<Insertion> { tables.apps.get(node).map_or(Vec::new(), |info| info.args.clone()) };
        question
            .nodes
            .iter()
            .map(|&node| {
                let first = all.first().map_or(Vec::new(), |t| insertions(t, node));
                (0..first.len()).map(|i| all.iter().any(|t| insertions(t, node).get(i) != first.get(i))).collect()
            })
            .collect()
    }

    /// The parameters of the definition whose types differ, in words, and their names.
    fn parameters(&self, all: &[Tables]) -> (Vec<String>, Option<String>) {
        let DefKind::Def(decl) = &self.program.defs[self.def].decl else { return (Vec::new(), None) };
        let signatures: Vec<_> = all.iter().filter_map(|t| t.defs.get(self.def)).collect();
        let (mut notes, mut names) = (Vec::new(), Vec::new());
        let Some(first) = signatures.first() else { return (notes, None) };
        for (index, &pat) in decl.params.iter().enumerate() {
            let types: Vec<RType> = signatures.iter().filter_map(|s| parameter(&s.ty, index)).collect();
            let Some(name) = self.name_of(pat) else { continue };
            let differ = types.iter().skip(1).any(|t| !same_type(t, &types[0], &mut Default::default()));
            if !differ {
                continue;
            }
            let namer = namer(self.program, first);
            let shown: Vec<String> = types.iter().map(|t| format!("`{}`", show_type(t, &namer))).collect();
            notes.push(format!("the type of `{name}` is {} in the readings, in this order", shown.join(", ")));
            names.push(format!("`{name}`"));
        }
        let names = if names.is_empty() { None } else { Some(names.join(", ")) };
        (notes, names)
    }

    fn name_of(&self, pat: PatId) -> Option<crate::base::Symbol> {
        match &self.program.ast.pats[pat].kind {
            PatKind::Name(name) => Some(*name),
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => self.name_of(*inner),
            _ => None,
        }
    }
}

/// The type of a parameter of a curried function.
fn parameter(ty: &RType, index: usize) -> Option<RType> {
    let mut at = ty;
    for _ in 0..index {
        match &*at.base {
            RBase::Arrow(_, to) => at = to,
            _ => return None,
        }
    }
    match &*at.base {
        RBase::Arrow(from, _) => Some(from.clone()),
        _ => None,
    }
}

/// Says which of the readings can be written: one that replicates something, and nothing determines how often, would be refused.
fn written(readings: &[Reading]) -> String {
    let possible: Vec<usize> = readings.iter().enumerate().filter(|(_, reading)| !reading.open).map(|(at, _)| at + 1).collect();
    match possible.as_slice() {
        [one] => format!("write reading {one} if you mean it; where another has `rep e`, write `replicate n e`, with how often"),
        _ => "write the `map` or the `rep` that you mean, as in one of the readings".to_string(),
    }
}
