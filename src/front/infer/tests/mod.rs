//! Definitions with the types and ranks that inference finds, or the errors.

mod automap;
mod errors;
mod modes;
mod scale;

use super::infer_def::infer_in_mode;
use super::{Error, Inferred};
use crate::base::{SourceMap, with_big_stack};
use crate::diag::{Diagnostic, Severity};
use crate::front::resolve;
use crate::front::tests::NoFiles;
use crate::ir::tables::{Program, RBase, RType, Tables};
use crate::rank::Options;
use std::fmt::Write;

/// A program with everything inferred but the last definition, which is inferred in both modes.
struct Checked {
    program: Program,
    tables: Tables,
    last: Inferred,
    /// What inference of everything took.
    time: std::time::Duration,
}

/// Loads a text as a program, whatever is wrong with it.
fn load_anyway(text: &str) -> (Program, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let root = sources.add("test.rem", text);
    resolve::load(&mut sources, &NoFiles, &[root])
}

/// Loads a text as a program.
fn load(text: &str) -> Program {
    let (program, said) = load_anyway(text);
    let error = said.iter().find(|said| said.severity == Severity::Error);
    assert!(error.is_none(), "{error:?}");
    program
}

/// Infers all definitions of the prelude and a text.
fn infer(text: &str) -> Result<Checked, Vec<Diagnostic>> {
    infer_mode(text, true)
}

fn infer_mode(text: &str, local: bool) -> Result<Checked, Vec<Diagnostic>> {
    with_big_stack(|| {
        let mut program = load(text);
        let mut tables = Tables::default();
        let start = std::time::Instant::now();
        let defs: Vec<_> = program.defs.iter().map(|(id, _)| id).collect();
        let mut last = None;
        for def in defs {
            let inferred = infer_in_mode(&mut program, &tables, def, &Options::default(), local)
                .map_err(|errors| errors.iter().map(Error::report).collect::<Vec<_>>())?;
            inferred.fill(&inferred.solution().values, &mut tables);
            last = Some(inferred);
        }
        let last = last.expect("there is a definition");
        Ok(Checked { program, tables, last, time: start.elapsed() })
    })
}

impl Checked {
    /// The type of the last definition.
    fn ty(&self) -> String {
        show(&self.program, &self.tables.defs.get(self.last.def()).expect("inferred").ty)
    }
    /// The insertions of all applications in source order, as `M1` or `R2(1)` with the induced ones in parentheses, for some values.
    fn insertions(&self, values: &[u32]) -> String {
        let tables = self.last.tables(values);
        let mut out = Vec::new();
        let mut apps: Vec<_> = tables.apps.iter().map(|(id, app)| (self.program.ast.exprs[id].span, app)).collect();
        apps.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        for (_, app) in apps {
            for (index, arg) in app.args.iter().enumerate() {
                let mut text = String::new();
                if arg.maps > 0 {
                    let _ = write!(text, "{}:M{}", index + 1, arg.maps);
                }
                if arg.reps > 0 {
                    let _ = write!(text, "{}:R{}", index + 1, arg.reps);
                    let _ = if arg.induced > 0 { write!(text, "({})", arg.induced) } else { Ok(()) };
                }
                if !text.is_empty() {
                    out.push(text);
                }
            }
        }
        out.join(" ")
    }
    fn canonical(&self) -> String {
        self.insertions(&self.last.solution().values)
    }
    /// Sum of the costs of all applications.
    fn cost(&self) -> u32 {
        let tables = self.last.tables(&self.last.solution().values);
        tables.apps.iter().map(|(_, app)| app.cost()).sum()
    }
    /// Number of optima of each component that has several.
    fn optima(&self) -> Vec<usize> {
        self.last.components().iter().map(|c| c.optima.len()).collect()
    }
    /// Every reading of the first ambiguous component.
    fn readings(&self) -> Vec<String> {
        let count = self.last.components().first().map_or(0, |c| c.optima.len());
        (0..count).map(|optimum| self.insertions(&self.last.values(&[(0, optimum)]))).collect()
    }
}

fn show(program: &Program, ty: &RType) -> String {
    let mut out = "[]".repeat(ty.rank as usize);
    match &*ty.base {
        RBase::Prim(p) => out += p.name(),
        RBase::Param(p) => out += program.tparams[*p].name.as_str(),
        RBase::Abstract { name, .. } => out += name.as_str(),
        RBase::Arrow(a, b) => {
            let function = a.rank == 0 && matches!(&*a.base, RBase::Arrow(..));
            let (a, b) = (show(program, a), show(program, b));
            let a = if function { format!("({a})") } else { a };
            out = if ty.rank > 0 { format!("{out}({a} -> {b})") } else { format!("{a} -> {b}") };
        }
        RBase::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|p| show(program, p)).collect();
            let _ = write!(out, "({})", parts.join(", "));
        }
        RBase::Record(fields) => {
            let fields: Vec<String> = fields.iter().map(|(l, p)| format!("{l}: {}", show(program, p))).collect();
            let _ = write!(out, "{{{}}}", fields.join(", "));
        }
        RBase::Sum(constructors) => {
            let show = |payload: &[RType]| payload.iter().map(|p| format!(" {}", show(program, p))).collect::<String>();
            let all: Vec<String> = constructors.iter().map(|(l, payload)| format!("#{l}{}", show(payload))).collect();
            out += &all.join(" | ");
        }
    }
    out
}

/// The errors of a program: `CODE message`, and below each label `[text under it] what is said`, notes and help.
fn errors(text: &str) -> String {
    let Err(errors) = infer(text) else { return String::new() };
    let mut lines = Vec::new();
    for error in errors {
        lines.push(format!("{} {}", error.code, error.message));
        for label in error.labels {
            let place = if label.span.file.0 == 0 { &text[label.span.start as usize..label.span.end as usize] } else { "prelude" };
            lines.push(format!("  [{place}] {}", label.text));
        }
        lines.extend(error.notes.iter().map(|n| format!("  note: {n}")));
        lines.extend(error.help.iter().map(|n| format!("  help: {n}")));
    }
    lines.join("\n")
}
