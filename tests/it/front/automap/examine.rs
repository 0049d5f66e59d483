//! Examining programs: every property on every program of a batch.

use super::determinism;
use super::variants::{Kind, added, readings, removed, renamed, suffix};
use crate::support::batch::{Batch, Verdict};
use crate::support::generate::shrink::shrink;
use crate::support::generate::{Case, Random};
use remora::base::Code;
use remora::driver;
use remora::interp::core::Machine;
use remora::ir::surface::ExprId;
use remora::runtime::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The properties, by the names that the report and the documentation use.
pub const WELL_TYPED: &str = "well-typedness";
pub const DETERMINISM: &str = "determinism";
pub const DISAMBIGUATION: &str = "disambiguation";
pub const FORWARDS: &str = "forwards consistency";
pub const BACKWARDS: &str = "backwards consistency";
pub const FIXED_POINT: &str = "fixed point";
pub const SAME_VALUES: &str = "same values";

/// A property that does not hold of a program.
#[derive(Clone, Debug)]
pub struct Failure {
    pub property: &'static str,
    /// Which program of the batch.
    pub at: usize,
    pub why: String,
}

/// What was examined.
#[derive(Default, Debug)]
pub struct Tally {
    /// Cases by property.
    pub cases: BTreeMap<&'static str, usize>,
    /// Further counts.
    pub notes: BTreeMap<String, usize>,
    pub failures: Vec<Failure>,
}

impl Tally {
    fn case(&mut self, property: &'static str, at: usize, result: Result<(), String>) {
        *self.cases.entry(property).or_default() += 1;
        if let Err(why) = result {
            self.failures.push(Failure { property, at, why });
        }
    }

    fn note(&mut self, text: impl Into<String>) {
        *self.notes.entry(text.into()).or_default() += 1;
    }

    pub fn add(&mut self, other: Tally) {
        other.cases.into_iter().for_each(|(property, count)| *self.cases.entry(property).or_default() += count);
        other.notes.into_iter().for_each(|(note, count)| *self.notes.entry(note).or_default() += count);
        self.failures.extend(other.failures);
    }

    pub fn count(&self, property: &str) -> usize {
        self.cases.get(property).copied().unwrap_or(0)
    }
}

/// A variant of a program, where it came from, and its text.
struct Derived {
    at: usize,
    kind: Kind,
    text: String,
    /// The remark of a reading.
    remark: String,
}

/// The types and the result of a reading.
type Shown = (Vec<String>, Option<Result<Value, String>>);

/// What an accepted program is and does.
struct Meaning {
    types: Vec<String>,
    arguments: Option<Vec<Value>>,
    result: Option<Result<Value, String>>,
}

/// How much to examine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The readings of ambiguous programs.
    Readings,
    /// Every property, with two variants of each kind.
    Some,
    /// Every property, with all variants.
    All,
}

/// Examines programs. Properties that had enough cases need not be looked at.
pub fn examine(cases: &[Case], seed: u64, scope: Scope, enough: &[&str]) -> Tally {
    match catch_unwind(AssertUnwindSafe(|| examine_together(cases, seed, scope, enough))) {
        Ok(tally) => tally,
        Err(_) if cases.len() > 1 => {
            let (left, right) = cases.split_at(cases.len() / 2);
            let mut tally = examine(left, seed, scope, enough);
            let mut rest = examine(right, seed, scope, enough);
            rest.failures.iter_mut().for_each(|failure| failure.at += left.len());
            tally.add(rest);
            tally
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned().or(panic.downcast_ref::<&str>().map(|s| s.to_string()));
            let mut tally = Tally::default();
            tally.case(WELL_TYPED, 0, Err(format!("panic: {}", text.unwrap_or_default())));
            tally
        }
    }
}

fn examine_together(cases: &[Case], seed: u64, scope: Scope, enough: &[&str]) -> Tally {
    let all = scope == Scope::All;
    let mut tally = Tally::default();
    let random = &mut Random::new(seed);
    let printed: Vec<_> = cases.iter().enumerate().map(|(at, case)| case.print(&suffix(at))).collect();
    let texts: Vec<&str> = printed.iter().map(|printed| printed.text.as_str()).collect();
    let batch = Batch::new(&texts);
    let typed = driver::core_problem(&batch.sources, &batch.checked);
    let machine = batch.machine();
    let mut meanings = Vec::new();
    let mut derived = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let verdict = batch.verdict(at);
        tally.note(match verdict {
            Verdict::Accepted => "accepted".to_string(),
            Verdict::Ambiguous => "ambiguous".to_string(),
            Verdict::Rejected(code) => format!("rejected {}", code.number()),
            Verdict::Unchecked => "not checked".to_string(),
        });
        if scope != Scope::Readings
            && !enough.contains(&DETERMINISM)
            && let Some(id) = batch.entry(at)
            && let Some(result) = determinism::check(&batch, id, random)
        {
            tally.case(DETERMINISM, at, result);
        }
        meanings.push((verdict == Verdict::Accepted && scope != Scope::Readings).then(|| meaning(&batch, &machine, at, case)));
        if verdict == Verdict::Accepted && scope != Scope::Readings {
            tally.case(WELL_TYPED, at, typed.clone());
            tally.note(if batch.cost(at) > 0 { "accepted with insertions" } else { "accepted without insertions" });
            tally.note(match meanings[at].as_ref().and_then(|m| m.result.as_ref()) {
                Some(Ok(_)) => "runs",
                Some(Err(_)) => "runs, and fails",
                None => "has no arguments",
            });
            derived.push(Derived { at, kind: Kind::Explicit, text: batch.explicit(at), remark: String::new() });
            let variants = if enough.contains(&FORWARDS) { Vec::new() } else { added(&batch, at, case, &printed[at]) };
            for index in chosen(variants.len(), random, all) {
                let (case, kind) = &variants[index];
                derived.push(Derived { at, kind: *kind, text: case.print(&suffix(at)).text, remark: String::new() });
            }
        }
        if let Some(id) = batch.entry(at).filter(|_| verdict == Verdict::Ambiguous) {
            match determinism::hidden(&batch, id) {
                Some(true) => tally.note("conjecture: ambiguous systems whose optima have the same sides zero"),
                Some(false) => tally.note("conjecture: ambiguous systems with optima that differ in which sides are zero"),
                None => {}
            }
        }
        for (text, kind, remark) in readings(&batch, at) {
            derived.push(Derived { at, kind, text, remark });
        }
    }
    rename(&mut derived);
    let second = Batch::new(&derived.iter().map(|d| d.text.as_str()).collect::<Vec<_>>());
    judge(&mut tally, &second, &derived, cases, &meanings);
    let mut removals = Vec::new();
    for (position, from) in derived.iter().enumerate().filter(|(_, d)| d.kind == Kind::Explicit) {
        if second.verdict(position) == Verdict::Accepted && !enough.contains(&BACKWARDS) {
            let variants = removed(&second, position);
            for index in chosen(variants.len(), random, all) {
                let (text, kind) = variants[index].clone();
                removals.push(Derived { at: from.at, kind, text, remark: String::new() });
            }
        }
    }
    rename(&mut removals);
    let third = Batch::new(&removals.iter().map(|d| d.text.as_str()).collect::<Vec<_>>());
    judge(&mut tally, &third, &removals, cases, &meanings);
    tally
}

/// Which of some variants to look at.
fn chosen(count: usize, random: &mut Random, all: bool) -> Vec<usize> {
    let mut order = random.permutation(count);
    order.truncate(if all { count } else { 2 });
    order
}

/// Gives every variant names of its own.
fn rename(derived: &mut [Derived]) {
    for (position, d) in derived.iter_mut().enumerate() {
        d.text = renamed(&d.text, d.at, position);
    }
}

fn meaning(batch: &Batch, machine: &Machine, at: usize, case: &Case) -> Meaning {
    let arguments = batch.arguments(at, &case.args);
    let result = arguments.clone().and_then(|arguments| batch.run(machine, at, arguments));
    // Functions cannot be compared.
    let result = result.filter(|result| !format!("{result:?}").contains("<function>"));
    Meaning { types: batch.types(at), arguments, result }
}

/// Judges variants by the programs they came from.
fn judge(tally: &mut Tally, batch: &Batch, derived: &[Derived], cases: &[Case], meanings: &[Option<Meaning>]) {
    let machine = batch.machine();
    let mut results: BTreeMap<usize, Vec<Shown>> = BTreeMap::new();
    for (position, d) in derived.iter().enumerate() {
        if let Kind::Reading(def) = d.kind {
            let result = pasted(tally, batch, position, def, d);
            tally.case(DISAMBIGUATION, d.at, result);
            let fresh = |text: String| text.replace(&format!("z{position}_"), "z");
            let types = batch.types(position).into_iter().map(fresh).collect();
            let result = batch.arguments(position, &cases[d.at].args).and_then(|args| batch.run(&machine, position, args));
            results.entry(d.at).or_default().push((types, result));
            continue;
        }
        let Some(meaning) = &meanings[d.at] else { continue };
        match d.kind {
            Kind::Explicit => {
                let result = explicit(tally, batch, position, meaning).map_err(|why| format!("{why}\n{}", d.text));
                tally.case(FIXED_POINT, d.at, result);
                let same = same_value(batch, &machine, position, meaning).map_err(|why| format!("{why}\n{}", d.text));
                if meaning.result.is_some() {
                    tally.case(SAME_VALUES, d.at, same);
                }
            }
            kind @ (Kind::Added(_) | Kind::AddedNamed(_) | Kind::AddedInduced(_)) if batch.verdict(position) == Verdict::Ambiguous => {
                // See "forwards consistency" in docs/theory.md for when this happens.
                tally.case(FORWARDS, d.at, Ok(()));
                tally.note(match kind {
                    Kind::AddedInduced(_) => "forwards: ambiguous with an induced rep",
                    Kind::AddedNamed(_) => "forwards: ambiguous with a named array of functions",
                    _ => "forwards: ambiguous with a map or rep",
                });
            }
            Kind::Added(cost) | Kind::AddedNamed(cost) | Kind::AddedInduced(cost) => {
                let result = forwards(tally, batch, &machine, position, meaning, cost).map_err(|why| format!("{why}\n{}", d.text));
                tally.case(FORWARDS, d.at, result);
            }
            _ => {
                let result = backwards(tally, batch, &machine, position, meaning).map_err(|why| format!("{why}\n{}", d.text));
                tally.case(BACKWARDS, d.at, result);
            }
        }
    }
    for readings in results.values() {
        let known = readings.iter().all(|(types, result)| !types.is_empty() && result.is_some());
        let differ = readings.iter().skip(1).any(|other| other != &readings[0]);
        tally.note(match (differ, known) {
            (true, _) => "readings of other types or results",
            (false, true) => "readings with the same results for these arguments",
            (false, false) => "readings that could not be run",
        });
    }
}

fn refusal(batch: &Batch, at: usize) -> String {
    let messages: Vec<String> = batch.errors(at).map(|e| format!("{} {} {:?}", e.code, e.message, e.notes)).collect();
    format!("{:?}: {}", batch.verdict(at), messages.join("; "))
}

/// Types whose sizes are left out: `?[k].[k][2]i32` as `[][]i32`.
fn without_sizes(types: &[String]) -> Vec<String> {
    let each = |ty: &String| {
        let (mut out, mut depth) = (String::new(), 0);
        let mut rest = ty.as_str();
        while let Some(c) = rest.chars().next() {
            // Sizes that are bound in front of a type.
            if let Some((_, after)) = rest.strip_prefix("?[").and_then(|bound| bound.split_once("].")) {
                rest = after;
                continue;
            }
            rest = &rest[c.len_utf8()..];
            depth -= i32::from(c == ']');
            if depth == 0 {
                out.push(c);
            }
            depth += i32::from(c == '[');
        }
        out
    };
    types.iter().map(each).collect()
}

/// The explicit form is accepted with nothing inserted, has the same types, and is its own explicit form.
fn explicit(tally: &mut Tally, batch: &Batch, at: usize, meaning: &Meaning) -> Result<(), String> {
    if batch.verdict(at) != Verdict::Accepted {
        return Err(format!("the explicit form is refused: {}", refusal(batch, at)));
    }
    if batch.insertions(at).any(|(_, _, info)| info.args.iter().any(|arg| arg.maps + arg.reps > 0)) {
        return Err("something is still inserted".into());
    }
    if without_sizes(&batch.types(at)) != without_sizes(&meaning.types) {
        return Err(format!("types {:?} instead of {:?}", batch.types(at), meaning.types));
    }
    if batch.types(at) != meaning.types {
        tally.note("fixed point: sizes are known better");
    }
    let text = &batch.sources.file(batch.file).text[batch.ranges[at].clone()];
    let again = batch.explicit(at);
    if again.trim_end() != text.trim_end() { Err(format!("its explicit form is another:\n{again}")) } else { Ok(()) }
}

/// The results for the same arguments are the same.
fn same_value(batch: &Batch, machine: &Machine, at: usize, meaning: &Meaning) -> Result<(), String> {
    let (Some(arguments), Some(expected)) = (&meaning.arguments, &meaning.result) else { return Ok(()) };
    match batch.run(machine, at, arguments.clone()) {
        Some(result) if result == *expected => Ok(()),
        other => Err(format!("result {other:?} instead of {expected:?}")),
    }
}

fn forwards(tally: &mut Tally, batch: &Batch, machine: &Machine, at: usize, meaning: &Meaning, cost: u32) -> Result<(), String> {
    // `map` and `rep` are functions, whose own arguments may be mapped and replicated: there may be a cheaper program now.
    if batch.entry(at).is_some_and(|id| batch.checked.ranked(id)) && batch.cost(at) < cost {
        tally.note("forwards: a cheaper program");
        return Ok(());
    }
    if batch.verdict(at) == Verdict::Rejected(Code::Undecided) {
        tally.note("forwards: not decided within the limits");
        return Ok(());
    }
    if batch.verdict(at) != Verdict::Accepted {
        // The theorem speaks of ranks. What is known of sizes, and when, depends on how a program is written.
        if ranks_are_decided(batch, at) {
            tally.note("forwards: refused because of sizes");
            return Ok(());
        }
        return Err(refusal(batch, at));
    }
    if batch.types(at) != meaning.types {
        if without_sizes(&batch.types(at)) != without_sizes(&meaning.types) {
            return Err(format!("types {:?} instead of {:?}", batch.types(at), meaning.types));
        }
        tally.note("forwards: the same, with other sizes");
    }
    if batch.cost(at) != cost {
        return Err(format!("cost {} instead of {cost}", batch.cost(at)));
    }
    same_value(batch, machine, at, meaning)
}

/// Whether the refused definitions of a text are refused for other reasons than their ranks.
fn ranks_are_decided(batch: &Batch, at: usize) -> bool {
    let mut places = batch.errors(at).filter_map(|error| error.labels.first()).map(|label| label.span).peekable();
    let around = |place| batch.defs[at].iter().find(|id| batch.def(**id).decl_span().contains(place));
    places.peek().is_some() && places.all(|place| around(place).is_some_and(|id| batch.checked.ranked(*id)))
}

/// Whether a definition has another rank, and nothing inserted in it: without the map that was removed there is something cheaper.
fn has_cheaper_definition(batch: &Batch, at: usize, meaning: &Meaning) -> bool {
    batch.defs[at].iter().zip(&meaning.types).any(|(id, before)| {
        let Some(now) = batch.checked.type_of(*id) else { return false };
        let own = batch.def(*id).decl_span();
        let inserted = |app: &ExprId| batch.checked.tables.apps.get(*app).is_some_and(|info| info.cost() > 0);
        let apps = batch.apps(at).filter(|app| own.contains(batch.checked.program.ast.exprs[*app].span));
        without_sizes(&[now]) != without_sizes(std::slice::from_ref(before)) && !apps.into_iter().any(|app| inserted(&app))
    })
}

fn backwards(tally: &mut Tally, batch: &Batch, machine: &Machine, at: usize, meaning: &Meaning) -> Result<(), String> {
    match batch.verdict(at) {
        Verdict::Ambiguous => {
            tally.note("backwards: ambiguous");
            return Ok(());
        }
        Verdict::Rejected(_) if ranks_are_decided(batch, at) && batch.cost(at) == 0 => {
            tally.note("backwards: a cheaper program, refused by elaboration");
            return Ok(());
        }
        // The definition that was changed is cheaper; another one that uses it has no sizes, or no ranks, for that.
        Verdict::Rejected(code)
            if code == Code::UndeterminedSize && ranks_are_decided(batch, at) || has_cheaper_definition(batch, at, meaning) =>
        {
            tally.note("backwards: a cheaper definition, whose use is refused");
            return Ok(());
        }
        Verdict::Rejected(code) => {
            tally.note(format!("backwards: rejected {}", code.number()));
            return Err(refusal(batch, at));
        }
        Verdict::Unchecked => {
            tally.note("backwards: not checked");
            return Err(refusal(batch, at));
        }
        Verdict::Accepted => {}
    }
    let same = match batch.types(at) == meaning.types {
        true => same_value(batch, machine, at, meaning),
        false if without_sizes(&batch.types(at)) == without_sizes(&meaning.types) => {
            // Readings of one meaning may differ in the sizes of what is never looked at.
            let same = same_value(batch, machine, at, meaning);
            if same.is_ok() {
                tally.note("backwards: the same, with other sizes");
                return Ok(());
            }
            same
        }
        false => Err(format!("types {:?} instead of {:?}", batch.types(at), meaning.types)),
    };
    match (batch.cost(at), same) {
        (0, Err(_)) => {
            // Something cheaper than what was removed: the theorem does not speak of it.
            tally.note("backwards: a cheaper program");
            Ok(())
        }
        (_, Err(_)) if has_cheaper_definition(batch, at, meaning) => {
            tally.note("backwards: a cheaper definition");
            Ok(())
        }
        (_, same) => {
            tally.note("backwards: the same");
            same
        }
    }
}

/// A reading is accepted where it is pasted, with nothing inserted in the definition.
fn pasted(tally: &mut Tally, batch: &Batch, at: usize, def: usize, d: &Derived) -> Result<(), String> {
    let id = *batch.defs[at].get(def).ok_or("the definition is not there")?;
    if !batch.checked.accepted(id) {
        let span = batch.def(id).decl_span();
        let mut own = batch.errors(at).filter(|e| e.labels.iter().any(|label| span.contains(label.span))).peekable();
        if own.peek().is_some() && own.all(|e| e.code == Code::UndeterminedSize) {
            tally.note("readings with a rep of unknown length");
            return Ok(());
        }
        return Err(format!("{} ({})\n{}", refusal(batch, at), d.remark, d.text));
    }
    let span = batch.def(id).decl_span();
    let start = batch.ranges[at].start;
    let place = span.start as usize - start..span.end as usize - start;
    let inside = batch.insertions(at).filter(|(range, _, _)| place.contains(&range.start));
    let cost: u32 = inside.map(|(_, _, info)| info.args.iter().map(|arg| arg.maps + arg.reps).sum::<u32>()).sum();
    if cost > 0 { Err(format!("{cost} insertions\n{}", d.text)) } else { Ok(()) }
}

/// A failure with the smallest program that was found to have it.
pub fn report(cases: &[Case], failure: &Failure, attempts: usize) -> String {
    let case = &cases[failure.at];
    let mut why = failure.why.clone();
    let mut fails = |case: &Case| {
        if Batch::new(&[case.print("").text]).errors(0).any(|error| error.code.number().starts_with("E02")) {
            return false;
        }
        let tally = examine(std::slice::from_ref(case), 1, Scope::All, &[]);
        match tally.failures.into_iter().find(|f| f.property == failure.property) {
            Some(found) => {
                why = found.why;
                true
            }
            None => false,
        }
    };
    let small = shrink(case, attempts, &mut fails);
    format!("{} fails:\n{}made smaller:\n{}\n{why}\n", failure.property, case.print("").text, small.print("").text)
}
