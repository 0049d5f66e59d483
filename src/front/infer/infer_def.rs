//! Inference of one definition: its constraints, the solution of its rank system, and why there is none.

use super::context::{Context, SiteRef};
use super::error::{Error, ErrorKind};
use super::export::Inferred;
use super::types::{Base, Ty};
use super::{advice, blame};
use crate::base::Symbol;
use crate::ir::tables::{Def, DefId, DefKind, Program, Role, Tables, TypeParamId, TypeParamInfo};
use crate::rank::{self, Options, RankOutcome, Solution, System};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// Rank conflicts reported for one definition.
const MAX_CONFLICTS: usize = 5;
/// Definitions with more arguments than this get no irreducible conflict, only the first equation that cannot hold.
const EXPLAINED_ARGUMENTS: usize = 100;

/// Infers one definition, given the tables of those that it uses. Type parameters that generalisation finds are added to the
/// program.
pub fn infer_def(program: &mut Program, tables: &Tables, def: DefId) -> Result<Inferred, Vec<Error>> {
    infer_with(program, tables, def, &Options::default())
}

/// [`infer_def`] with options for the rank solver.
pub fn infer_with(program: &mut Program, tables: &Tables, def: DefId, options: &Options) -> Result<Inferred, Vec<Error>> {
    infer_in_mode(program, tables, def, options, true)
}

/// The rank system of a definition, with every argument as a site, as it is before it is solved: to be looked at.
pub fn rank_system(program: &Program, tables: &Tables, def: DefId) -> (System, Vec<SiteRef>) {
    let mut ctx = Context::new(program, tables, def, false);
    ctx.definition(def);
    (ctx.ranks.system, ctx.ranks.sites)
}

/// `local` says whether ranks that are known decide applications on the spot; the result is the same without.
pub(super) fn infer_in_mode(
    program: &mut Program,
    tables: &Tables,
    def: DefId,
    options: &Options,
    local: bool,
) -> Result<Inferred, Vec<Error>> {
    let futhark = program.ast.futhark.contains(&program.defs[def].span.file);
    let mut found = read(program, tables, def, options, Mode { local, whole: futhark });
    // A program of Futhark as it was before AUTOMAP needs no insertions. Where there are some, `==` goes through arrays like other operators.
    let plain = |(inferred, _): &(Inferred, Vec<Base>)| !inferred.may_compare_whole() || !inferred.inserts();
    if futhark && !found.as_ref().is_ok_and(plain) {
        found = read(program, tables, def, options, Mode { local, whole: false }).or(found);
    }
    let (inferred, free) = found?;
    let mut inferred = generalise(program, inferred, &free);
    let growing = advice::growing_loops(program, &inferred);
    inferred.warnings.extend(growing);
    Ok(inferred)
}

/// How a definition is read.
#[derive(Debug, Clone, Copy)]
struct Mode {
    /// Whether ranks that are known decide applications on the spot.
    local: bool,
    /// Whether `==` and `!=` may compare arrays as a whole.
    whole: bool,
}

/// What is found for a definition that is read in one way, and the bases that are left open.
fn read(program: &Program, tables: &Tables, def: DefId, options: &Options, mode: Mode) -> Result<(Inferred, Vec<Base>), Vec<Error>> {
    let mut ctx = Context::new(program, tables, def, mode.local);
    ctx.whole = mode.whole;
    let (declared, ty) = ctx.definition(def);
    if !ctx.reports.errors.is_empty() {
        ctx.report_holes(None);
        return Err(ctx.reports.errors);
    }
    let start = Instant::now();
    let solution = match rank::solve(&ctx.ranks.system, &Options { explain: false, ..options.clone() }) {
        RankOutcome::Solved(solution) => solution,
        RankOutcome::Infeasible(_) if super::recursion::needs_insertions(program, tables, def, options) => {
            let kind = ErrorKind::UnwrittenRecursion { unannotated: advice::unannotated(program, def), calls: ctx.own_calls() };
            return Err(vec![Error { at: program.defs[def].span, kind }]);
        }
        RankOutcome::Infeasible(_) => {
            let local = ctx.found.arguments() > EXPLAINED_ARGUMENTS;
            let mut errors = conflicts(program, tables, def, options, Mode { local, ..mode });
            ctx.report_holes(None);
            errors.append(&mut ctx.reports.errors);
            return Err(errors);
        }
        RankOutcome::TooHard(why) => {
            let kind = ErrorKind::Undecided { why, unannotated: advice::unannotated(program, def) };
            return Err(vec![Error { at: program.defs[def].span, kind }]);
        }
    };
    let rank_time = start.elapsed();
    ctx.report_holes(Some(&solution.values));
    let warnings = std::mem::take(&mut ctx.reports.errors);
    let free = ctx.free_bases(&ty);
    let inferred = ctx.into_inferred(def, declared, ty, solution);
    if let Some(deep) = inferred.too_deep(program) {
        return Err(vec![deep]);
    }
    if let Some(endless) = super::recursion::endless(program, &inferred) {
        return Err(vec![endless]);
    }
    Ok((Inferred { rank_time, warnings, ..inferred }, free))
}

/// Explains why ranks cannot agree. In small definitions every argument becomes a site and every equation is tagged, so that an
/// irreducible conflict can be found; in large ones the first equation that contradicts those before it is named.
fn conflicts(program: &Program, tables: &Tables, def: DefId, options: &Options, mode: Mode) -> Vec<Error> {
    let small = !mode.local;
    let mut ctx = Context::new(program, tables, def, mode.local);
    ctx.whole = mode.whole;
    ctx.definition(def);
    let mut found = Vec::new();
    // Indices of the equations that are not explained yet.
    let mut kept: Vec<usize> = (0..ctx.ranks.system.equations.len()).collect();
    while found.len() < MAX_CONFLICTS {
        let Some(conflict) = (if small { irreducible(&ctx, &kept, options) } else { first_contradiction(&ctx, &kept, options) }) else {
            break;
        };
        found.push(blame::rank_conflict(&mut ctx, &conflict, small));
        let dropped: FxHashSet<usize> = if small { conflict.into_iter().collect() } else { conflict.last().copied().into_iter().collect() };
        kept.retain(|equation| !dropped.contains(equation));
    }
    blame::without_branches(&program.ast, &mut found);
    if found.is_empty() {
        found.push(Error { at: program.defs[def].span, kind: ErrorKind::RanksCannotAgree });
    }
    found
}

/// The system with some of its equations only.
fn restricted(system: &System, equations: &[usize]) -> System {
    System {
        kinds: system.kinds.clone(),
        names: Vec::new(),
        equations: equations.iter().map(|i| system.equations[*i].clone()).collect(),
        sites: system.sites.clone(),
    }
}

/// Equations that cannot all hold, and of which none can be spared.
fn irreducible(ctx: &Context, equations: &[usize], options: &Options) -> Option<Vec<usize>> {
    let system = restricted(&ctx.ranks.system, equations);
    match rank::solve(&system, &Options { explain: true, ..options.clone() }) {
        RankOutcome::Infeasible(conflict) => {
            let mut chosen: Vec<usize> = conflict.equations.iter().filter_map(|i| equations.get(*i).copied()).collect();
            chosen.sort_unstable();
            (!chosen.is_empty()).then_some(chosen)
        }
        RankOutcome::Solved(_) | RankOutcome::TooHard(_) => None,
    }
}

/// The shortest beginning of the equations that cannot hold, found by bisection.
fn first_contradiction(ctx: &Context, equations: &[usize], options: &Options) -> Option<Vec<usize>> {
    let options = Options { explain: false, ..options.clone() };
    let fails = |count: usize| {
        let system = restricted(&ctx.ranks.system, &equations[..count]);
        matches!(rank::solve(&system, &options), RankOutcome::Infeasible(_))
    };
    if !fails(equations.len()) {
        return None;
    }
    let (mut holds, mut broken) = (0, equations.len());
    while broken - holds > 1 {
        let middle = holds + (broken - holds) / 2;
        if fails(middle) {
            broken = middle;
        } else {
            holds = middle;
        }
    }
    Some(equations[..broken].to_vec())
}

/// Names the type parameters that generalisation adds.
fn generalise(program: &mut Program, mut inferred: Inferred, free: &[Base]) -> Inferred {
    let mut taken: FxHashSet<Symbol> = inferred.tparams.iter().map(|p| program.tparams[*p].name).collect();
    let span = program.defs[inferred.def].span;
    let mut counter = 0usize;
    for base in free {
        let name = loop {
            let letter = char::from(b'a' + (counter % 26) as u8);
            let text = if counter < 26 { letter.to_string() } else { format!("{letter}{}", counter / 26) };
            counter += 1;
            let name = Symbol::new(&text);
            if taken.insert(name) {
                break name;
            }
        };
        let param = program.tparams.alloc(TypeParamInfo { name, span });
        inferred.tparams.push(param);
        inferred.generalised.insert(*base, param);
    }
    inferred
}

impl Context<'_> {
    /// Generates all constraints of a definition; returns its declared type parameters and its type.
    pub(super) fn definition(&mut self, def: DefId) -> (Vec<TypeParamId>, Ty) {
        let program = self.program;
        let Def { decl, role, .. } = &program.defs[def];
        let (declared, ty) = match decl {
            DefKind::Def(decl) => {
                let declared = self.bind_tparams(&decl.tparams);
                let ty = match program.defs[def].recursive {
                    true => self.recursive_function(decl),
                    false => self.lambda(&decl.params, decl.ret, decl.body),
                };
                let ty = match (role, decl.ret) {
                    (Role::Shown(_), Some(ret)) => self.shown_type(ret),
                    _ => ty,
                };
                (declared, ty)
            }
            DefKind::Val(decl) => {
                let declared = self.bind_tparams(&decl.tparams);
                (declared, self.annotation(decl.ty))
            }
        };
        self.unsettled_fields();
        self.check_cycles();
        self.check_escapes(&ty);
        (declared, ty)
    }

    fn into_inferred(self, def: DefId, tparams: Vec<TypeParamId>, ty: Ty, solution: Solution) -> Inferred {
        Inferred {
            def,
            nodes: self.bases.into_nodes(),
            tparams,
            generalised: FxHashMap::default(),
            ty,
            found: self.found,
            sites: self.ranks.sites,
            solution,
            rank_time: Duration::ZERO,
            warnings: Vec::new(),
        }
    }
}
