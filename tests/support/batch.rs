//! Many programs checked as one: definitions are checked one by one, so that a refused one spoils only those that use it,
//! and the library is read once for all.

use crate::support::generate::Argument;
use remora::base::{Code, FileId, SourceMap};
use remora::diag::{Diagnostic, Severity};
use remora::driver::{self, Checked};
use remora::front::explicit::Printer;
use remora::front::resolve::Loader;
use remora::interp::core::Machine;
use remora::ir::surface::ExprId;
use remora::ir::tables::{AppInfo, Def, DefId};
use remora::runtime::{Array, Value};
use std::ops::Range;

/// No imports.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str) -> Result<String, String> {
        Err(format!("no file {path}"))
    }
}

/// Checked texts.
pub struct Batch {
    pub sources: SourceMap,
    pub checked: Checked,
    pub file: FileId,
    /// Where each text is in the file.
    pub ranges: Vec<Range<usize>>,
    /// The definitions of each text.
    pub defs: Vec<Vec<DefId>>,
    /// The errors of each text, as indices into those of the program.
    errors: Vec<Vec<usize>>,
    /// The applications of each text, in order of place.
    apps: Vec<Vec<ExprId>>,
}

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Accepted,
    /// Some definition has several meanings.
    Ambiguous,
    /// Refused, with this code.
    Rejected(Code),
    /// Neither accepted nor refused itself: something that it needs is.
    Unchecked,
}

/// Shortest text of which no size error gets suggestions, which take as long as checking everything again.
const NO_SUGGESTIONS: usize = 60_000;

impl Batch {
    /// Checks texts whose definitions have different names.
    pub fn new<T: AsRef<str>>(texts: &[T]) -> Batch {
        let (mut whole, mut ranges) = (String::new(), Vec::new());
        for text in texts {
            let start = whole.len();
            whole.push_str(text.as_ref());
            whole.push('\n');
            ranges.push(start..whole.len());
        }
        if texts.len() > 1 && whole.len() < NO_SUGGESTIONS {
            whole.push_str(&format!("-- {}\n", "-".repeat(NO_SUGGESTIONS)));
        }
        let mut sources = SourceMap::default();
        let file = sources.add("generated.rem", whole);
        let checked = driver::check(&mut sources, &NoFiles, file);
        let mut batch = Batch {
            sources,
            checked,
            file,
            defs: vec![Vec::new(); ranges.len()],
            errors: vec![Vec::new(); ranges.len()],
            apps: vec![Vec::new(); ranges.len()],
            ranges,
        };
        batch.sort();
        batch
    }

    /// Finds out what belongs to which text.
    fn sort(&mut self) {
        let at = |span: remora::base::Span| {
            let at = self.ranges.partition_point(|range| range.end <= span.start as usize);
            (span.file == self.file && at < self.ranges.len()).then_some(at)
        };
        for (id, def) in self.checked.program.defs.iter() {
            if let Some(at) = at(def.span) {
                self.defs[at].push(id);
            }
        }
        for (index, error) in self.checked.diagnostics.iter().enumerate().filter(|(_, d)| d.severity == Severity::Error) {
            if let Some(at) = error.labels.first().and_then(|label| at(label.span)) {
                self.errors[at].push(index);
            }
        }
        for (id, _) in self.checked.tables.apps.iter() {
            if let Some(at) = at(self.checked.program.ast.exprs[id].span) {
                self.apps[at].push(id);
            }
        }
        for apps in &mut self.apps {
            apps.sort_by_key(|id| {
                let span = self.checked.program.ast.exprs[*id].span;
                (span.start, std::cmp::Reverse(span.end), *id)
            });
        }
    }

    /// The entry point of a text: its last definition.
    pub fn entry(&self, at: usize) -> Option<DefId> {
        self.defs[at].last().copied()
    }

    /// A definition.
    pub fn def(&self, id: DefId) -> &Def {
        &self.checked.program.defs[id]
    }

    /// The errors of a text.
    pub fn errors(&self, at: usize) -> impl Iterator<Item = &Diagnostic> {
        self.errors[at].iter().map(|&index| &self.checked.diagnostics[index])
    }

    /// What became of a text.
    pub fn verdict(&self, at: usize) -> Verdict {
        if self.errors(at).any(|d| d.code == Code::Ambiguous) {
            return Verdict::Ambiguous;
        }
        match self.errors(at).next() {
            Some(error) => Verdict::Rejected(error.code),
            None if self.entry(at).is_some_and(|entry| self.checked.accepted(entry)) => Verdict::Accepted,
            None => Verdict::Unchecked,
        }
    }

    /// The types of the definitions of an accepted text, sizes included.
    pub fn types(&self, at: usize) -> Vec<String> {
        self.defs[at].iter().filter_map(|id| self.checked.type_of(*id)).collect()
    }

    /// What was inserted in a text: places are counted from its beginning.
    pub fn insertions(&self, at: usize) -> impl Iterator<Item = (Range<usize>, ExprId, &AppInfo)> {
        let start = self.ranges[at].start;
        self.apps[at].iter().filter_map(move |&id| {
            let span = self.checked.program.ast.exprs[id].span;
            Some((span.start as usize - start..span.end as usize - start, id, self.checked.tables.apps.get(id)?))
        })
    }

    /// The applications of a text.
    pub fn apps(&self, at: usize) -> impl Iterator<Item = ExprId> {
        self.apps[at].iter().copied()
    }

    /// The sum of all insertions in an accepted text.
    pub fn cost(&self, at: usize) -> u32 {
        self.insertions(at).map(|(_, _, info)| info.cost()).sum()
    }

    /// Every definition of a text with every insertion written out.
    pub fn explicit(&self, at: usize) -> String {
        let printer = Printer::new(&self.checked.program, &self.sources);
        self.defs[at].iter().map(|id| printer.source(&self.checked.tables, *id) + "\n").collect()
    }

    /// Everything that was accepted, ready to run.
    pub fn machine(&self) -> Machine {
        remora::interp::core::load(&self.checked.core, 1)
    }

    /// The result of an entry point, or the code of the failure.
    pub fn run(&self, machine: &Machine, at: usize, args: Vec<Value>) -> Option<Result<Value, String>> {
        let name = self.def(self.entry(at)?).unique;
        Some(machine.call(name, args).map_err(|failure| failure.code.to_string()))
    }

    /// Arguments for an accepted text: the given ones where they fit, others where inference found other types; `None` where
    /// some parameter is a function or has a size that is not plain.
    pub fn arguments(&self, at: usize, given: &[Argument]) -> Option<Vec<Value>> {
        let ty = self.checked.type_of(self.entry(at)?)?;
        let mut known: Vec<(String, usize)> = Vec::new();
        let mut values = Vec::new();
        for (index, given) in given.iter().enumerate() {
            let (dims, prim) = parameter(&ty, index)?;
            let mut sizes = Vec::new();
            for (position, dim) in dims.iter().enumerate() {
                let fresh = given.dims.get(position).copied().unwrap_or(2 + known.len() % 3);
                sizes.push(match (dim.parse(), known.iter().find(|(name, _)| name == dim)) {
                    (Ok(size), _) | (_, Some(&(_, size))) => size,
                    _ if dim.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '_') => {
                        known.push((dim.clone(), fresh));
                        fresh
                    }
                    _ => return None,
                });
            }
            values.push(value(&sizes, &prim, given)?);
        }
        Some(values)
    }
}

/// The dimensions and the element type of a parameter of a function, when it is no function, tuple or record itself.
fn parameter(ty: &str, index: usize) -> Option<(Vec<String>, String)> {
    let text = ty.split(" -> ").nth(index)?;
    let (dims, prim) = text.rfind(']').map_or(("", text), |end| text.split_at(end + 1));
    let dims = dims.split('[').skip(1).map(|dim| dim.strip_suffix(']').map(str::to_string)).collect::<Option<Vec<_>>>()?;
    ["i32", "bool", "i64"].contains(&prim).then(|| (dims, prim.to_string()))
}

/// A value with items of the given argument, again and again.
fn value(dims: &[usize], prim: &str, given: &Argument) -> Option<Value> {
    let count = dims.iter().product::<usize>();
    let items = given.items.iter().copied().cycle().take(count);
    let array = match prim {
        "bool" => Array::vector(items.map(|item| item.rem_euclid(2) == 1).collect::<Vec<bool>>()),
        "i64" => Array::vector(items.map(i64::from).collect::<Vec<i64>>()),
        _ => Array::vector(items.collect::<Vec<i32>>()),
    };
    if dims.is_empty() { array.at(0).map(Value::Scalar) } else { array.reshaped(dims).map(Value::Array) }
}
