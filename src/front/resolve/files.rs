//! Finding, reading and ordering the files of a program.

use super::error::{Error, ErrorKind, LoadProblem};
use super::suggest;
use crate::base::{FileId, SourceMap, Span, ice};
use crate::diag::Diagnostic;
use crate::front::syntax;
use crate::ir::surface::ImportDecl;
use crate::ir::surface::modules::imports_of;
use crate::ir::tables::{Program, Unit};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Reads source files: the only way in which resolution touches the outside.
pub trait Loader {
    /// The text of a file, or why it cannot be had.
    fn load(&self, path: &str) -> Result<String, String>;
    /// The names of the source files in a directory, for suggestions.
    fn list(&self, directory: &str) -> Vec<String> {
        let _ = directory;
        Vec::new()
    }
}

/// The parts of the standard library that are inside the compiler: the path in an `import`, and the text.
const LIBRARY: [(&str, &str); 20] = [
    ("lib/np", include_str!("../../../stdlib/lib/np.rem")),
    ("lib/ad", include_str!("../../../stdlib/lib/ad.rem")),
    ("lib/complex", include_str!("../../../stdlib/lib/complex.rem")),
    ("lib/fft", include_str!("../../../stdlib/lib/fft.rem")),
    ("lib/image", include_str!("../../../stdlib/lib/image.rem")),
    ("lib/integrate", include_str!("../../../stdlib/lib/integrate.rem")),
    ("lib/interpolate", include_str!("../../../stdlib/lib/interpolate.rem")),
    ("lib/linalg", include_str!("../../../stdlib/lib/linalg.rem")),
    ("lib/optimize", include_str!("../../../stdlib/lib/optimize.rem")),
    ("lib/random", include_str!("../../../stdlib/lib/random.rem")),
    ("lib/pcg64", include_str!("../../../stdlib/lib/pcg64.rem")),
    ("lib/graph", include_str!("../../../stdlib/lib/graph.rem")),
    ("lib/ragged", include_str!("../../../stdlib/lib/ragged.rem")),
    ("lib/text", include_str!("../../../stdlib/lib/text.rem")),
    ("lib/segmented", include_str!("../../../stdlib/lib/segmented.rem")),
    ("lib/signal", include_str!("../../../stdlib/lib/signal.rem")),
    ("lib/sorting", include_str!("../../../stdlib/lib/sorting.rem")),
    ("lib/sparse", include_str!("../../../stdlib/lib/sparse.rem")),
    ("lib/stats", include_str!("../../../stdlib/lib/stats.rem")),
    ("lib/vector", include_str!("../../../stdlib/lib/vector.rem")),
];
const PRELUDE: &str = include_str!("../../../stdlib/prelude.rem");

/// The paths of the parts of the standard library, as they are imported.
pub fn library_paths() -> impl Iterator<Item = &'static str> {
    LIBRARY.iter().map(|(path, _)| *path)
}

/// The import that would bring a definition of this name.
pub(super) fn import_with(name: &str) -> Option<&'static str> {
    static DEFINED: OnceLock<FxHashMap<&str, &str>> = OnceLock::new();
    let defined = DEFINED.get_or_init(|| {
        let mut defined = FxHashMap::default();
        for (path, text) in LIBRARY {
            // The functions for f64 of the library for NumPy users stand in parametric modules.
            let inside = if path == "lib/np" { "  def " } else { "def " };
            let names = text.lines().filter_map(|line| {
                let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix(inside))?;
                rest.split_whitespace().next()
            });
            for name in names {
                defined.entry(name).or_insert(path);
            }
        }
        defined
    });
    defined.get(name).copied()
}

/// The import that would bring a module of this name.
pub(super) fn import_with_module(name: &str) -> Option<&'static str> {
    let declares = |text: &str| {
        let names = text.lines().filter_map(|line| line.strip_prefix("module ")?.split_whitespace().next());
        names.into_iter().any(|declared| declared == name)
    };
    LIBRARY.iter().find(|(_, text)| declares(text)).map(|(path, _)| *path)
}

/// What loading found out beside the trees.
pub(super) struct Loaded {
    /// The file that each import names, by the place of its path.
    pub imports: FxHashMap<Span, FileId>,
    pub problems: Vec<Problem>,
}

/// What is wrong with a file.
pub(super) enum Problem {
    /// With its text.
    Syntax(Diagnostic),
    /// With an import in it.
    Import(Error),
}

/// How far a file is.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Loading,
    Done(FileId),
    Failed,
}

struct Files<'a> {
    program: &'a mut Program,
    sources: &'a mut SourceMap,
    loader: &'a dyn Loader,
    /// By normalised path.
    states: FxHashMap<String, State>,
    /// The files being loaded, outermost first: their path and the place of the import that asked for them.
    chain: Vec<(String, Option<Span>)>,
    loaded: Loaded,
}

/// Parses everything; fills `program.units` in order of dependency, the prelude first.
pub(super) fn load_all(program: &mut Program, sources: &mut SourceMap, loader: &dyn Loader, roots: &[FileId]) -> Loaded {
    let loaded = Loaded { imports: FxHashMap::default(), problems: Vec::new() };
    let prelude = sources.add("stdlib/prelude.rem", PRELUDE);
    let mut files = Files { program, sources, loader, states: FxHashMap::default(), chain: Vec::new(), loaded };
    files.file(prelude, "<stdlib>/prelude.rem".to_string(), true);
    for root in roots {
        let path = normalise(&files.sources.file(*root).name);
        if !files.states.contains_key(&path) {
            files.chain.push((path.clone(), None));
            files.file(*root, path, false);
            files.chain.pop();
        }
    }
    files.loaded
}

impl Files<'_> {
    /// Parses a file and first loads what it imports.
    fn file(&mut self, file: FileId, path: String, stdlib: bool) {
        self.states.insert(path.clone(), State::Loading);
        let text = self.sources.file(file).text.clone();
        let parse = if self.sources.file(file).name.ends_with(".fut") { syntax::parse_futhark } else { syntax::parse };
        let (source, diagnostics) = ice::named("parse", || parse(&mut self.program.ast, file, &text));
        self.loaded.problems.extend(diagnostics.into_iter().map(Problem::Syntax));
        let mut imports = Vec::new();
        source.decls.iter().for_each(|decl| imports_of(decl, &mut imports));
        for import in imports {
            if let Some(imported) = self.import(import, &path) {
                self.loaded.imports.insert(import.path_span, imported);
            }
        }
        self.states.insert(path, State::Done(file));
        self.program.units.push(Unit { source, stdlib });
    }

    /// The file that an import names.
    fn import(&mut self, import: &ImportDecl, from: &str) -> Option<FileId> {
        let written = import.path.as_str();
        let bare = written.strip_suffix(".rem").unwrap_or(written);
        if let Some((name, text)) = LIBRARY.iter().find(|(name, _)| *name == bare) {
            return self.library(name, text);
        }
        if written.is_empty() {
            self.error(import.path_span, ErrorKind::EmptyImport);
            return None;
        }
        let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        let mut candidates = paths(from, written);
        if written.starts_with("lib/")
            && let Some((root, _)) = self.chain.first()
        {
            // Packages lie in `lib` beside the program, also for the files of other packages.
            let of_root = paths(root, written);
            candidates.extend(of_root.into_iter().filter(|path| !candidates.contains(path)).collect::<Vec<_>>());
        }
        self.read(candidates, import, directory)
    }

    fn library(&mut self, name: &str, text: &'static str) -> Option<FileId> {
        let path = format!("<stdlib>/{name}.rem");
        match self.states.get(&path) {
            Some(State::Done(file)) => Some(*file),
            Some(_) => None,
            None => {
                let file = self.sources.add(format!("stdlib/{name}.rem"), text);
                self.file(file, path, true);
                Some(file)
            }
        }
    }

    fn read(&mut self, candidates: Vec<String>, import: &ImportDecl, directory: &str) -> Option<FileId> {
        let mut problems = Vec::new();
        for path in &candidates {
            match self.states.get(path) {
                Some(State::Done(file)) => return Some(*file),
                Some(State::Failed) => continue,
                Some(State::Loading) => {
                    self.cycle(path, import.path_span);
                    return None;
                }
                None => {}
            }
            match self.loader.load(path) {
                Ok(text) if text.len() >= u32::MAX as usize => problems.push(LoadProblem::TooLarge(path.clone())),
                Ok(text) => {
                    let file = self.sources.add(path.clone(), text);
                    self.chain.push((path.clone(), Some(import.path_span)));
                    self.file(file, path.clone(), false);
                    self.chain.pop();
                    return Some(file);
                }
                Err(problem) => problems.push(LoadProblem::Loader(problem)),
            }
        }
        if problems.is_empty() {
            // Reported where the file was first asked for.
            return None;
        }
        let listed = self.loader.list(if directory.is_empty() { "." } else { directory });
        let known = listed.iter().map(|name| name.trim_end_matches(".rem").trim_end_matches(".fut"));
        let known = known.chain(LIBRARY.iter().map(|(name, _)| *name));
        let library = LIBRARY.iter().map(|(name, _)| *name).find(|name| name.strip_prefix("lib/") == Some(import.path.as_str()));
        let near = library.or_else(|| suggest::closest(import.path.as_str(), known)).map(String::from);
        self.error(import.path_span, ErrorKind::UnreadableImport { path: import.path, problems, near });
        for path in candidates {
            self.states.insert(path, State::Failed);
        }
        None
    }

    fn cycle(&mut self, path: &str, span: Span) {
        let from = self.chain.iter().position(|(p, _)| p == path).unwrap_or(0);
        let mut files: Vec<String> = self.chain[from..].iter().map(|(p, _)| p.clone()).collect();
        files.push(path.to_string());
        let imports = self.chain[from + 1..].iter().filter_map(|(_, asked)| *asked).collect();
        self.error(span, ErrorKind::CyclicImports { files, imports });
    }

    fn error(&mut self, at: Span, kind: ErrorKind) {
        self.loaded.problems.push(Problem::Import(Error { at, kind }));
    }
}

/// The files that an import in the file `from` may mean, the first that there is.
fn paths(from: &str, written: &str) -> Vec<String> {
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    let joined = if written.starts_with('/') || directory.is_empty() { written.to_string() } else { format!("{directory}/{written}") };
    let joined = if directory.is_empty() && from.starts_with('/') && !written.starts_with('/') { format!("/{joined}") } else { joined };
    let target = normalise(&joined);
    match target.ends_with(".rem") || target.ends_with(".fut") {
        true => vec![target],
        false => vec![format!("{target}.rem"), format!("{target}.fut")],
    }
}

/// The path without `.` and without `..` where that can be told from the text.
pub fn normalise(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|p| !matches!(*p, ".." | "")) => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised() {
        for (path, expected) in
            [("a/./b", "a/b"), ("a/../b", "b"), ("../a", "../a"), ("/a//b", "/a/b"), ("./x.rem", "x.rem"), ("../../a/..", "../..")]
        {
            assert_eq!(normalise(path), expected, "{path}");
        }
    }
}
