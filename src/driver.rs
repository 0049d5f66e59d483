//! From texts to a checked program in core, and the answers that commands ask for: the order of the passes, their timers, and the validators
//! that run between them: all in debug builds and tests, in release builds those behind `specialise`, `lower` and the last pass of each list.
//!
//! ```text
//! resolve::load        texts -> Program                 all syntax errors, all unknown names
//! for each definition that the program uses, in order:
//!   infer              -> types, ranks                  types that differ, ranks that cannot agree
//!   ambiguity          -> one of the smallest choices   E0402
//!   elaborate          -> core                          sizes
//!   derive                                              what is differentiated and has no derivative
//!   consume                                             what is used after it was consumed with `*`
//!   folds                                               operators that are not associative (warnings)
//! ir::core::check      (validator)
//! ```
//!
//! A `.remc` file is made explicit by `remc::program` instead, an `.apl` file by `apl::program`, with the same validator behind them.
//!
//! A definition with an error is left out, and so is what uses it; everything else is checked. Nothing of the standard
//! library is inferred unless it is used.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

mod again;
mod apl;
mod attributes;
pub mod backends;
mod compile;
mod entries;
mod failures;
#[cfg(feature = "mutations")]
pub mod faults;
pub mod memory;
mod modules;
mod offload_cost;
pub mod outside;
pub mod pipeline;
mod places;
pub mod profile;
mod remc;
mod results;
mod stats;
mod suggest;
mod validate;

pub use crate::back::c::LOOPS;
pub use crate::back::cuda::LOADED_DRIVER as CUDA_DRIVER;
pub use crate::rank::look_for_solver_in;
pub use again::{Previous, recheck};
pub use apl::is_apl;
pub use compile::{
    CudaProgram, Native, compile, compile_cuda, cuda_library, kernels, launches, library, memory, optimise, own_text, run_kernels,
    run_soac, specialise,
};
pub(crate) use entries::too_many_parts;
pub use failures::{Counting, FailurePlace, compiled_failure, failed, internal};
pub(crate) use modules::scalar_type;
pub use offload_cost::{OffloadCost, Work, work};
pub use remc::is_core;
pub use stats::{Stats, Times, times_table};
pub use validate::core_problem;

use crate::base::{Code, FileId, SourceMap, Span, Symbol, ice};
use crate::diag::{Diagnostic, Severity};
use crate::front::ambiguity::{self, Reception, Search, Verdict};
use crate::front::elaborate::{self, ErrorKind, Failure, Schemes};
use crate::front::infer::{self, Inferred};
use crate::front::resolve::{self, Loader};
use crate::front::{consume, derive, folds};
use crate::interp;
use crate::ir::core::{self};
use crate::ir::surface::{Ast, PatId, PatKind};
use crate::ir::tables::{Def, DefId, DefKind, Program, Tables};
use crate::ir::tuning::Tuning;
use crate::rank::{self, text::Fixture};
use crate::runtime::Value;
use failures::failure_diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::time::Instant;
use suggest::{Misfit, Reading};
use validate::{validate_core, validate_trees, validating};

/// Everything that is known about a program.
#[derive(Debug, Default)]
pub struct Checked {
    /// The trees, with their names resolved.
    pub program: Program,
    /// Types and ranks of the accepted definitions.
    pub tables: Tables,
    /// Sized types of the accepted definitions.
    pub schemes: Schemes,
    /// The accepted definitions as core.
    pub core: core::Program,
    /// What is wrong, in the order of the definitions.
    pub diagnostics: Vec<Diagnostic>,
    /// How much work it was.
    pub stats: Stats,
    /// Names in core of definitions with their names in the source.
    names: FxHashMap<Symbol, DefId>,
    /// The numbers that compilation goes by.
    pub tuning: Tuning,
    /// For core written by hand, what is known about it besides its explicit form.
    pub remc: Option<crate::front::remc::Elaborated>,
    /// For APL, what is known about it besides its explicit form.
    pub apl: Option<crate::front::apl::Elaborated>,
    /// The numbers that the program reads.
    numbers: Vec<i64>,
    /// What is known beside the results.
    state: CheckState,
}

/// What checking goes by from one definition to the next, and [`recheck`] from one check to the next.
#[derive(Debug, Default)]
struct CheckState {
    /// Definitions whose ranks are decided, those with size errors included.
    ranked: FxHashSet<DefId>,
    /// What the types of definitions say about consuming.
    modes: consume::Modes,
    /// What the definitions ask of their instances that they differentiate.
    demands: derive::Demands,
    /// The definitions that operators of folds may consist of.
    folds: folds::Definitions,
    /// Definitions that are accepted and of which nothing was said.
    clean: FxHashSet<DefId>,
    /// How many type parameters are declared; the others were found by generalisation.
    declared_tparams: usize,
    /// What was reported of modules that do not fit their module types, by where they are given.
    misfits: FxHashMap<Span, modules::Misfits>,
}

/// Checks the program whose main file is `root`; imports come from `loader`. A file whose name ends in `.remc` is core, one in `.apl` APL.
pub fn check(sources: &mut SourceMap, loader: &dyn Loader, root: FileId) -> Checked {
    check_unless(sources, loader, root, &|| false).unwrap_or_default()
}

/// [`check`], given up as soon as `stop` says so.
pub fn check_unless(sources: &mut SourceMap, loader: &dyn Loader, root: FileId, stop: &dyn Fn() -> bool) -> Option<Checked> {
    if is_core(&sources.file(root).name) {
        return Some(remc::check(sources, root));
    }
    if is_apl(&sources.file(root).name) {
        return Some(apl::check(sources, loader, root, None));
    }
    let mut errors = Vec::new();
    let mut checked = check_collecting(sources, loader, root, &mut errors, None, stop)?;
    suggest::explain(sources, loader, root, &mut checked, errors, stop);
    Some(checked)
}

/// Checks an APL script, and one of its functions as an entry point for arguments of these types.
pub fn check_apl(sources: &mut SourceMap, loader: &dyn Loader, root: FileId, request: &crate::front::apl::Request) -> Checked {
    apl::check(sources, loader, root, Some(request))
}

/// [`check`] without suggestions for size errors.
fn check_plain(sources: &mut SourceMap, loader: &dyn Loader, root: FileId) -> Checked {
    check_collecting(sources, loader, root, &mut Vec::new(), None, &|| false).unwrap_or_default()
}

fn check_collecting(
    sources: &mut SourceMap,
    loader: &dyn Loader,
    root: FileId,
    errors: &mut Vec<Misfit>,
    previous: Option<Previous>,
    stop: &dyn Fn() -> bool,
) -> Option<Checked> {
    let start = Instant::now();
    let (mut program, mut diagnostics) = step("resolve", || resolve::load(sources, loader, &[root]));
    // What is wrong in a parametric module is wrong in its copies.
    let mut seen = FxHashSet::default();
    diagnostics.retain(|d| seen.insert((d.code, d.message.clone(), d.labels.first().map(|label| label.span))));
    // Said only of programs that are right: who looks for a mistake may not have written the rest yet.
    let unused: Vec<Diagnostic> = diagnostics.extract_if(.., |d| d.code == Code::UnusedName).collect();
    let schemes = Schemes::new(&program);
    let state = CheckState { declared_tparams: program.tparams.len(), ..CheckState::default() };
    let mut reuse = previous.and_then(|previous| again::Reuse::new(previous, sources, root, &mut program));
    let mut checked = Checked { program, diagnostics, schemes, state, ..Checked::default() };
    checked.stats.times.parse = start.elapsed();
    validate_trees(&checked);
    let places = places::Places::new(&checked.program);
    let wrong = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let broken: Vec<Span> = wrong.filter_map(|d| d.labels.first()).map(|l| l.span).collect();
    let mut refused = places.around(&broken);
    let needed: Vec<DefId> = checked.program.defs.iter().filter(|(_, def)| def.needed).map(|(id, _)| id).collect();
    // A definition refers only to earlier ones.
    for def in resolve::reachable(&checked.program, needed) {
        if stop() {
            return None;
        }
        let template = modules::template(&checked, def);
        if resolve::dependencies(&checked.program, def).into_iter().chain(template).any(|used| refused.contains(&used)) {
            refused.insert(def);
        }
        if refused.contains(&def) || reuse.as_mut().is_some_and(|reuse| reuse.keep(sources, &mut checked, def)) {
            continue;
        }
        let said = checked.diagnostics.len();
        let done = ice::in_pass("check", |span| sources.place(span), || check_definition(sources, &mut checked, def, errors));
        if done.is_none() {
            refused.insert(def);
        } else {
            reuse.iter_mut().for_each(|reuse| reuse.checked(&checked, def));
            if checked.diagnostics.len() == said {
                checked.state.clean.insert(def);
            }
        }
    }
    if !checked.failed() {
        checked.diagnostics.extend(unused);
    }
    checked.names = checked.program.defs.iter().map(|(id, def)| (def.unique, id)).collect();
    checked.core.attributes = attributes::attributes(&checked.program, sources);
    match reuse {
        // Of what was kept there is no core.
        Some(reuse) => {
            checked.stats.kept = reuse.kept;
            checked.core = core::Program::default();
        }
        None => validate_core(sources, &checked),
    }
    Some(checked)
}

/// Runs a step of checking under its name.
fn step<R>(name: &'static str, work: impl FnOnce() -> R) -> R {
    ice::named(name, || {
        #[cfg(feature = "mutations")]
        faults::stop(name);
        work()
    })
}

/// Infers and elaborates one definition; `None` after reporting what is wrong with it.
fn check_definition(sources: &SourceMap, checked: &mut Checked, def: DefId, errors: &mut Vec<Misfit>) -> Option<()> {
    let Checked { program, tables, schemes, diagnostics, stats, state, .. } = checked;
    let start = Instant::now();
    let inferred = match step("infer", || infer::infer_def(program, tables, def)) {
        Ok(inferred) => inferred,
        Err(wrong) => {
            stats.times.infer += start.elapsed();
            let reports: Vec<Diagnostic> = wrong.iter().map(infer::Error::report).collect();
            errors.extend(rank_misfits(checked, def, &reports));
            refuse(sources, checked, def, reports);
            return None;
        }
    };
    if program.defs[def].is_written() {
        diagnostics.extend(inferred.warnings().iter().map(infer::Error::report));
    }
    stats.add(&inferred, program.defs[def].stdlib);
    stats.times.infer += start.elapsed().saturating_sub(inferred.rank_time());
    stats.times.rank += inferred.rank_time();
    let start = Instant::now();
    let decided = step("ambiguity", || decide(program, tables, schemes, &state.demands, &inferred));
    stats.times.rank += start.elapsed();
    let verdict = match decided {
        Ok(verdict) => verdict,
        Err(refusal) => {
            let reports = refusal.report(program, sources, &inferred);
            errors.extend(rank_misfits(checked, def, &reports));
            refuse(sources, checked, def, reports);
            return None;
        }
    };
    state.ranked.insert(def);
    let start = Instant::now();
    let before = schemes.size_time;
    let Elaborated { values, result, limited } = step("elaborate", || elaborate_one(program, tables, schemes, &inferred, verdict));
    let sizes = schemes.size_time - before;
    stats.times.sizes += sizes;
    stats.times.elaborate += start.elapsed().saturating_sub(sizes);
    match result {
        Ok(defines) => {
            // Applications of parametric modules have the patterns of these.
            let written = program.defs[def].is_written() && program.application_of(def).is_none();
            let cases = if written { step("cases", || infer::check_cases(program, tables, def)) } else { Vec::new() };
            diagnostics.extend(cases.iter().map(infer::CaseError::report));
            if cases.iter().any(infer::CaseError::refuses) {
                return None;
            }
            let underived = step("derive", || underived(checked, def, &defines));
            if !underived.is_empty() {
                refuse(sources, checked, def, underived);
                return None;
            }
            let start = Instant::now();
            let consumed = step("consume", || consume::check(&checked.program, &checked.tables, &mut checked.state.modes, def));
            checked.stats.times.consume += start.elapsed();
            if !consumed.is_empty() {
                checked.diagnostics.extend(consumed.iter().map(consume::Error::report));
                return None;
            }
            let errors = step("entries", || entries::check(&checked.program, def, &defines));
            checked.diagnostics.extend(errors.iter().map(entries::Error::report));
            if written && resolve::dependencies(&checked.program, def).iter().any(|used| folds::is_fold(checked.program.defs[*used].unique))
            {
                let errors: Vec<_> = step("folds", || defines.iter().flat_map(|define| checked.state.folds.check(define)).collect());
                checked.diagnostics.extend(errors.iter().map(folds::Error::report));
            }
            defines.iter().for_each(|define| checked.state.folds.add(define));
            if !checked.program.is_template(def) {
                checked.core.defs.extend(defines);
            }
            Some(())
        }
        Err(Failure::Unread(span)) => {
            if !checked.failed() {
                step("elaborate", || crate::ice!(span, "inference says nothing about this expression"));
            }
            None
        }
        Err(Failure::Refused(error)) => {
            if error.is_contradiction() && checked.program.defs[def].is_written() {
                let place = error.application();
                let reading = Reading { undecided: error.undecided(), tables: inferred.tables(&values) };
                errors.push(Misfit { diagnostic: diagnostics.len(), place, def, reading: Some(reading) });
            }
            let mut report = error.report();
            if limited {
                report = ambiguity::not_all_tried(report, &checked.program, def);
            }
            refuse(sources, checked, def, vec![report]);
            None
        }
    }
}

/// What of these reports is about applications whose ranks cannot agree: another nesting may be suggested.
fn rank_misfits(checked: &Checked, def: DefId, reports: &[Diagnostic]) -> Vec<Misfit> {
    if !checked.program.defs[def].is_written() {
        return Vec::new();
    }
    let before = checked.diagnostics.len();
    let about = reports.iter().enumerate().filter(|(_, report)| report.code == Code::RankConflict);
    let misfits = about.filter_map(|(i, report)| {
        let place = report.labels.first()?.span;
        Some(Misfit { diagnostic: before + i, place, def, reading: None })
    });
    misfits.collect()
}

/// Whether a definition names what asks for derivatives.
fn takes_derivatives(program: &Program, demands: &derive::Demands, def: DefId) -> bool {
    resolve::dependencies(program, def).iter().any(|used| demands.asks(program.defs[*used].unique))
}

/// What is said of derivatives that a definition takes and that there are not.
fn underived(checked: &mut Checked, def: DefId, defines: &[core::Define]) -> Vec<Diagnostic> {
    if !takes_derivatives(&checked.program, &checked.state.demands, def) {
        return Vec::new();
    }
    let used = resolve::dependencies(&checked.program, def).into_iter().map(|used| &checked.program.defs[used]);
    let names: FxHashMap<Symbol, Symbol> = used.map(|used| (used.unique, used.name)).collect();
    let errors: Vec<derive::Error> = defines.iter().flat_map(|define| checked.state.demands.check(define)).collect();
    errors.iter().map(|error| error.report(names.get(&error.operator).unwrap_or(&error.operator).as_str())).collect()
}

/// Reports what a pass says of a definition; of members of modules, what was written says more.
fn refuse(sources: &SourceMap, checked: &mut Checked, def: DefId, reports: Vec<Diagnostic>) {
    let reports = modules::explain(sources, checked, def, reports);
    checked.diagnostics.extend(reports);
}

/// What came of the elaboration of a definition.
struct Elaborated {
    /// The solution of the rank system that was taken.
    values: Vec<u32>,
    result: Result<Vec<core::Define>, Failure>,
    /// Whether there are other solutions that were not tried.
    limited: bool,
}

/// Elaborates the chosen reading, or another one of the same meaning if only that can be elaborated, and leaves its tables filled in.
fn elaborate_one(program: &Program, tables: &mut Tables, schemes: &mut Schemes, inferred: &Inferred, verdict: Verdict) -> Elaborated {
    let mut elaborate = |values: &[u32]| {
        inferred.fill(values, tables);
        elaborate::elaborate(program, tables, schemes, inferred.def())
    };
    let reception = |result: &Result<_, Failure>| match result {
        Ok(_) => Reception::Fine,
        Err(error) if matches!(error.kind(), Some(ErrorKind::Undetermined(_))) => Reception::Undetermined(error.span()),
        Err(error) => Reception::Refused(error.span()),
    };
    let first = elaborate(&verdict.values);
    if first.is_ok() || verdict.equals.is_empty() {
        return Elaborated { values: verdict.values, result: first, limited: false };
    }
    let mut last = None;
    let other = verdict.search(inferred, reception(&first), &mut |values| {
        let result = elaborate(values);
        let received = reception(&result);
        last = Some(result);
        received
    });
    match (other, last) {
        (Search::Found(values), Some(result)) => Elaborated { values, result, limited: false },
        (other, _) => {
            inferred.fill(&verdict.values, tables);
            Elaborated { values: verdict.values, result: first, limited: other == Search::Limit }
        }
    }
}

/// Chooses among the smallest solutions. Readings whose sizes contradict each other are no readings.
fn decide(
    program: &Program,
    tables: &mut Tables,
    schemes: &Schemes,
    demands: &derive::Demands,
    inferred: &Inferred,
) -> Result<Verdict, ambiguity::Refusal> {
    // Entries of this definition are overwritten by whatever reading is looked at; the chosen one is filled in last.
    let tables = RefCell::new(tables);
    let well_sized = |reading: &Tables| {
        let mut tables = tables.borrow_mut();
        tables.overlay(reading);
        match elaborate::elaborate(program, &tables, &mut schemes.clone(), inferred.def()) {
            // Nor is there a gradient of what is no float.
            Ok(defines) if takes_derivatives(program, demands, inferred.def()) => {
                let mut demands = demands.clone();
                let errors: Vec<derive::Error> = defines.iter().flat_map(|define| demands.check(define)).collect();
                !errors.iter().any(derive::Error::is_about_shape)
            }
            Ok(_) => true,
            Err(Failure::Refused(error)) => !error.is_contradiction(),
            Err(Failure::Unread(_)) => true,
        }
    };
    ambiguity::decide(program, inferred, &well_sized)
}

/// Runs an entry point of an accepted program. Boxes in the result are opened, but not those of core written by hand. A failure inside
/// the standard library names the user's call that led there.
pub fn run(checked: &Checked, entry: Symbol, arguments: Vec<Value>, threads: Option<usize>) -> Result<Value, Box<Diagnostic>> {
    let mut machine = interp::core::load(&checked.core, threads.unwrap_or(0));
    if checked.reads_numbers() {
        machine = machine.with_input(checked.numbers.clone());
    }
    machine.name_parameters(entry, checked.parameter_names(entry));
    let closed = checked.remc.is_some();
    let result = if closed { machine.call_closed(entry, arguments) } else { machine.call(entry, arguments) };
    result.map_err(|failure| Box::new(failure_diagnostic(checked, &failure)))
}

/// The rank systems of the definitions of a file in the solver's text format, with their names: also of refused definitions, but not of
/// those that use refused ones. Sites are labelled with the place of the application and the number of the argument.
pub fn rank_systems(sources: &SourceMap, checked: &Checked, file: FileId) -> Vec<(Symbol, String)> {
    let own = checked.program.defs.iter().filter(|(_, def)| def.file == file && matches!(def.decl, DefKind::Def(_)));
    let known =
        own.filter(|(id, _)| resolve::dependencies(&checked.program, *id).into_iter().all(|used| checked.tables.defs.get(used).is_some()));
    let system = |(id, def): (DefId, &Def)| {
        let (system, sites) = infer::rank_system(&checked.program, &checked.tables, id);
        let label = |site: &infer::SiteRef| {
            let (line, column) = sources.line_column(checked.program.ast.exprs[site.node].span);
            format!("{line}:{column}.{}", site.argument + 1)
        };
        let labels = sites.iter().map(label).collect();
        (def.name, rank::text::print(&Fixture { system, labels, ..Fixture::default() }))
    };
    known.map(system).collect()
}

impl Checked {
    /// Whether there are errors.
    pub fn failed(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
    /// Whether a place is in the standard library.
    fn is_library(&self, place: Span) -> bool {
        self.program.units.iter().any(|unit| unit.stdlib && unit.source.file == place.file)
    }
    /// Whether a definition has no errors and uses none with errors.
    pub fn accepted(&self, def: DefId) -> bool {
        self.schemes.get(def).is_some()
    }
    /// Whether the insertions of a definition are known. It may still have size errors.
    pub fn ranked(&self, def: DefId) -> bool {
        self.state.ranked.contains(&def)
    }
    /// The type of an accepted definition, sizes included.
    pub fn type_of(&self, def: DefId) -> Option<String> {
        let scheme = self.schemes.get(def)?;
        match self.tables.defs.get(def) {
            Some(signature) => Some(elaborate::show_type_as(&scheme.ty, &signature.ty)),
            None => Some(elaborate::show_type(&scheme.ty)),
        }
    }
    /// The name in the source of a definition of core.
    pub fn source_name(&self, core_name: Symbol) -> Symbol {
        if let Some(name) = self.remc.as_ref().and_then(|remc| remc.names.get(&core_name)) {
            return *name;
        }
        self.names.get(&core_name).map_or(core_name, |def| self.program.defs[*def].name)
    }
    /// Whether a definition of core was declared with `entry`.
    pub fn declares_entry(&self, core_name: Symbol) -> bool {
        let decl = self.names.get(&core_name).map(|def| &self.program.defs[*def].decl);
        matches!(decl, Some(DefKind::Def(decl)) if decl.entry) || self.is_apl_definition(core_name)
    }
    /// The names of the parameters of a definition of core, where they have names.
    pub fn parameter_names(&self, core_name: Symbol) -> Vec<Option<Symbol>> {
        match self.names.get(&core_name).map(|def| &self.program.defs[*def].decl) {
            Some(DefKind::Def(decl)) => decl.params.iter().map(|pat| pattern_name(&self.program.ast, *pat)).collect(),
            _ if self.remc.is_some() || self.is_apl_definition(core_name) => remc::parameter_names(&self.core, core_name),
            _ => Vec::new(),
        }
    }
    /// Definitions that are accepted, by name.
    pub fn accepted_names(&self) -> FxHashSet<Symbol> {
        self.program.defs.iter().filter(|(id, _)| self.accepted(*id)).map(|(_, def)| def.name).collect()
    }
}

fn pattern_name(ast: &Ast, pat: PatId) -> Option<Symbol> {
    match ast.pats[pat].kind {
        PatKind::Name(name) => Some(name),
        PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => pattern_name(ast, inner),
        PatKind::Error | PatKind::Wild | PatKind::Tuple(_) | PatKind::Record(_) | PatKind::Lit(_) | PatKind::Constr(..) => None,
    }
}
