//! How a program is built: how many statements of which kind an entry point runs, so that tests can say that a formula is one map.

use super::visit::Part;
use super::{Body, Exp, FunId, Program, count_exp};
use crate::base::Symbol;
use std::fmt;

/// Numbers of statements. What calls run is counted at the call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Structure {
    /// Array operators that neither scan nor reduce.
    pub maps: usize,
    /// Array operators that reduce.
    pub reduces: usize,
    /// Array operators that scan.
    pub scans: usize,
    /// Filters.
    pub filters: usize,
    /// Scatters.
    pub scatters: usize,
    /// Histograms.
    pub hists: usize,
    /// Loops.
    pub loops: usize,
    /// Copies of arrays.
    pub copies: usize,
    /// Checks, those in indices, slices and updates included.
    pub checks: usize,
    /// Calls from outside of functions that call themselves.
    pub calls: usize,
    /// The function that calls itself in which statements are being counted.
    inside: Option<FunId>,
}

impl Structure {
    /// That of an entry point, inner bodies included.
    pub fn of(program: &Program, entry: Symbol) -> Option<Structure> {
        let mut structure = Structure::default();
        structure.body(program, &program.entry(entry)?.body, true);
        Some(structure)
    }
    /// That of an entry point without what is in lambdas, loops and branches.
    pub fn outer(program: &Program, entry: Symbol) -> Option<Structure> {
        let mut structure = Structure::default();
        structure.body(program, &program.entry(entry)?.body, false);
        Some(structure)
    }
    /// What a function does, without what it does when it calls itself.
    fn call(&mut self, program: &Program, id: FunId, inner: bool) {
        let fun = &program.funs[id];
        if fun.recursive {
            if self.inside == Some(id) {
                return;
            }
            self.calls += 1;
        }
        let outer = self.inside;
        self.inside = if fun.recursive { Some(id) } else { outer };
        self.body(program, &fun.body, inner);
        self.inside = outer;
    }
    fn body(&mut self, program: &Program, body: &Body, inner: bool) {
        for stm in &body.stms {
            match &stm.exp {
                Exp::Soac(soac) if !soac.scans.is_empty() => self.scans += 1,
                Exp::Soac(soac) if !soac.reduces.is_empty() => self.reduces += 1,
                Exp::Soac(_) => self.maps += 1,
                Exp::Filter { .. } => self.filters += 1,
                Exp::Scatter { .. } => self.scatters += 1,
                Exp::Hist { .. } => self.hists += 1,
                Exp::Loop { .. } => self.loops += 1,
                Exp::Copy(a) if program.operand_ty(*a).rank() > 0 => self.copies += 1,
                Exp::Check(_) | count_exp!() => self.checks += 1,
                Exp::Index { checked: true, .. }
                | Exp::Slice { checked: true, .. }
                | Exp::Update { checked: true, .. }
                | Exp::UpdateSlice { checked: true, .. } => self.checks += 1,
                Exp::Call(id, _) => self.call(program, *id, inner),
                Exp::Copy(_)
                | Exp::Scalar(..)
                | Exp::Size(_)
                | Exp::Literal(_)
                | Exp::Stack(_)
                | Exp::Index { checked: false, .. }
                | Exp::Slice { checked: false, .. }
                | Exp::Rotate { .. }
                | Exp::Rearrange { .. }
                | Exp::Reshape(_)
                | Exp::Coerce(_)
                | Exp::Rep(_)
                | Exp::Iota { .. }
                | Exp::Concat(_)
                | Exp::Update { checked: false, .. }
                | Exp::UpdateSlice { checked: false, .. }
                | Exp::If { .. }
                | Exp::Seg(_) => {}
            }
            if inner {
                stm.exp.parts(&mut |part| {
                    if let Part::Body(_, body) = part {
                        self.body(program, body, inner);
                    }
                });
            }
        }
    }
}

impl fmt::Display for Structure {
    /// The numbers that are not 0: `map 1 reduce 2`; `scalar` if there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            ("map", self.maps),
            ("reduce", self.reduces),
            ("scan", self.scans),
            ("filter", self.filters),
            ("scatter", self.scatters),
            ("hist", self.hists),
            ("loop", self.loops),
            ("copy", self.copies),
            ("check", self.checks),
        ];
        let words: Vec<String> = kinds.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{kind} {count}")).collect();
        f.write_str(if words.is_empty() { "scalar" } else { "" })?;
        f.write_str(&words.join(" "))
    }
}
