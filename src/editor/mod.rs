//! What editors ask about a program: pure functions from a checked program and a place to an answer in the terms of the Language Server
//! Protocol. `cli/lsp` speaks the protocol.
//!
//! Everything is read off the tables that the compiler makes anyway; nothing is inferred here. Files whose names end in `.remc` are core:
//! of them diagnostics, insertions and symbols are known; those that end in `.apl` are scripts, of which `apl` knows words and types.

pub mod actions;
mod apl;
pub mod complete;
mod core;
pub mod diagnostics;
pub mod document;
pub mod format;
pub mod hints;
pub mod hover;
mod members;
mod mentions;
pub mod navigate;
mod places;
pub mod ranges;
pub mod rename;
pub mod rewrite;
pub mod signature;
pub mod symbols;
pub mod text;
pub mod tokens;

use crate::base::{FileId, SourceMap, Span};
use crate::driver::{self, Checked};
use crate::front::resolve::Loader;
use crate::ir::tables::{DefId, DefKind, InnerTypes};
use lsp_types::{Position, Range};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use text::Lines;

/// A document with all that is known about its program.
pub struct Analysis {
    /// All texts.
    pub sources: SourceMap,
    /// The file that was checked.
    pub root: FileId,
    /// The file of the document: the root, or a file of the library that the root imports.
    pub file: FileId,
    /// What the compiler found.
    pub checked: Checked,
    memo: Memo,
}

/// What is computed when it is first asked for.
#[derive(Default)]
struct Memo {
    lines: RefCell<FxHashMap<FileId, Rc<Lines>>>,
    occurrences: RefCell<Option<Rc<Vec<places::Occurrence>>>>,
    by_name: RefCell<Option<FxHashMap<Span, DefId>>>,
    inner: RefCell<FxHashMap<DefId, Rc<InnerTypes>>>,
}

impl Analysis {
    /// Checks the program whose main file has this name and text.
    pub fn new(name: &str, text: &str, loader: &dyn Loader) -> Analysis {
        let mut sources = SourceMap::default();
        let root = sources.add(name, text);
        let checked = driver::check(&mut sources, loader, root);
        Analysis::of(sources, root, checked)
    }

    /// [`Analysis::new`], given up as soon as `stop` says so.
    pub fn complete((name, text): (&str, &str), loader: &dyn Loader, stop: &dyn Fn() -> bool) -> Option<Analysis> {
        let mut sources = SourceMap::default();
        let root = sources.add(name, text);
        let checked = driver::check_unless(&mut sources, loader, root, stop)?;
        Some(Analysis::of(sources, root, checked))
    }

    /// [`Analysis::complete`] for a text that was another one before: what still holds is taken over. Size errors have no suggestions, and there is no core.
    /// `None` as soon as `stop` says so; the second result says whether [`Analysis::new`] could say more.
    pub fn again(
        (name, text): (&str, &str),
        loader: &dyn Loader,
        before: Option<&Analysis>,
        stop: &dyn Fn() -> bool,
    ) -> Option<(Analysis, bool)> {
        let mut sources = SourceMap::default();
        let root = sources.add(name, text);
        let previous = before.map(|old| driver::Previous { sources: &old.sources, root: old.root, checked: &old.checked });
        let (checked, more) = driver::recheck(&mut sources, loader, root, previous, stop)?;
        Some((Analysis::of(sources, root, checked), more))
    }

    /// What is known about a checked program.
    pub fn of(sources: SourceMap, root: FileId, checked: Checked) -> Analysis {
        Analysis { sources, root, file: root, checked, memo: Memo::default() }
    }

    /// The same about a file that the program imports, if there is one of this name.
    pub fn about(mut self, name: &str) -> Option<Analysis> {
        self.file = self.sources.files().find(|(_, file)| file.name == name)?.0;
        Some(self)
    }

    /// The text of the document.
    pub fn text(&self) -> &str {
        &self.sources.file(self.file).text
    }

    /// Whether the document is core.
    pub fn is_core(&self) -> bool {
        driver::is_core(&self.sources.file(self.file).name)
    }

    /// Whether the document is a script in APL.
    pub fn is_apl(&self) -> bool {
        driver::is_apl(&self.sources.file(self.file).name)
    }

    /// The lines of a file.
    pub fn lines(&self, file: FileId) -> Rc<Lines> {
        let mut lines = self.memo.lines.borrow_mut();
        lines.entry(file).or_insert_with(|| Rc::new(Lines::new(&self.sources.file(file).text))).clone()
    }

    /// The range of a span in its file.
    pub fn range(&self, span: Span) -> Range {
        self.lines(span.file).range(&self.sources.file(span.file).text, span)
    }

    /// The offset of a position in the document.
    pub fn offset(&self, position: Position) -> usize {
        self.lines(self.file).offset(self.text(), position)
    }

    /// The span of a range of the document.
    pub fn span(&self, range: Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span::new(self.file, start.min(end), end.max(start))
    }

    /// The definitions that are written in the document, in order.
    pub fn definitions(&self) -> impl Iterator<Item = DefId> + '_ {
        let own = self.checked.program.defs.iter().filter(|(_, def)| def.span.file == self.file && def.is_written());
        own.map(|(id, _)| id)
    }

    /// The types inside of a definition, with sizes; nothing of one with errors.
    fn inner(&self, def: DefId) -> Rc<InnerTypes> {
        self.know_inner(&[def]);
        self.memo.inner.borrow().get(&def).cloned().unwrap_or_default()
    }

    /// Finds out about several at once, which is cheaper.
    fn know_inner(&self, defs: &[DefId]) {
        let mut known = self.memo.inner.borrow_mut();
        let wanted: Vec<DefId> = defs.iter().copied().filter(|def| !known.contains_key(def) && self.checked.accepted(*def)).collect();
        if !wanted.is_empty() {
            let found = self.checked.inner_types(&wanted);
            known.extend(wanted.into_iter().zip(found.into_iter().map(Rc::new)));
        }
    }

    /// The definition that is written around a place of the document.
    pub fn definition_around(&self, place: Span) -> Option<DefId> {
        let defs = &self.checked.program.defs;
        self.definitions().find(|id| defs[*id].decl_span().contains(place))
    }

    /// The definitions in the language that have a part in this span, with known insertions.
    pub(crate) fn ranked_within(&self, span: Span) -> impl Iterator<Item = DefId> + '_ {
        let defs = &self.checked.program.defs;
        self.definitions().filter(move |id| {
            let own = defs[*id].decl_span();
            let meets = own.start <= span.end && span.start <= own.end;
            meets && matches!(defs[*id].decl, DefKind::Def(_)) && self.checked.ranked(*id)
        })
    }
}
