//! Source files and places in them.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A range of bytes of one file, end exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Through which calls the place was reached, where code of several places has been put together. Source text has none.
    pub via: Chain,
}

/// Calls that lie inside of each other: the number of a chain in a [`Chains`]. The default is no call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Chain(u32);

/// Chains of calls. Each is its innermost call, whose own `via` is the rest; so chains share what is outside of them.
#[derive(Debug, Clone, Default)]
pub struct Chains {
    innermost: Vec<Span>,
    numbers: FxHashMap<Span, Chain>,
}

impl Chains {
    /// The chain whose innermost call is this one. Calls without a place are left out.
    pub fn into_call(&mut self, call: Span) -> Chain {
        if call.bare().is_none() {
            return call.via;
        }
        let next = Chain(self.innermost.len() as u32 + 1);
        let number = *self.numbers.entry(call).or_insert(next);
        if number == next {
            self.innermost.push(call);
        }
        number
    }
    /// A place in what is called as it is reached through the call: the call, and the calls around it, are outside of those of the place.
    pub fn within(&mut self, place: Span, call: Span) -> Span {
        let inner: Vec<Span> = self.calls(place).collect();
        let via = inner.into_iter().rev().fold(self.into_call(call), |via, call| self.into_call(Span { via, ..call }));
        Span { via, ..place }
    }
    /// The calls through which a place is reached, innermost first.
    pub fn calls(&self, place: Span) -> impl Iterator<Item = Span> + '_ {
        let call = |place: &Span| self.innermost.get((place.via.0 as usize).wrapping_sub(1)).copied();
        std::iter::successors(call(&place), move |place| call(place))
    }
}

impl Span {
    /// No place: the default. It is what begins the first file and is empty, where nothing is said to be.
    pub const NONE: Span = Span { file: FileId(0), start: 0, end: 0, via: Chain(0) };

    /// Whether it is no place.
    pub fn is_none(self) -> bool {
        self == Span::NONE
    }
    /// The range `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span::between(file, start as u32, end as u32)
    }
    /// [`Span::new`] for numbers of bytes as spans have them.
    pub fn between(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end, via: Chain::default() }
    }
    /// The smallest span that covers both (of the same file).
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
    }
    /// The place alone, without the calls through which it is reached.
    pub fn bare(self) -> Span {
        Span { via: Chain::default(), ..self }
    }
    /// Whether `other` lies inside.
    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// One source text.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The name shown in messages: the path as the user gave it.
    pub name: String,
    /// The whole text.
    pub text: Arc<str>,
    line_starts: Vec<u32>,
}

/// All source texts of one run, the standard library's included.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file. Texts are at most 4 GiB minus one byte long: the caller checks.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let text = text.into();
        let line_starts =
            std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1)).collect();
        self.files.push(SourceFile { name: name.into(), text, line_starts });
        FileId(self.files.len() as u32 - 1)
    }
    /// The file.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }
    /// All files in order of addition.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }
    /// The text under a span.
    pub fn snippet(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
    /// Line and column of the start of a span, both from 1; columns count characters.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let file = self.file(span.file);
        let line = file.line_starts.partition_point(|&start| start <= span.start) - 1;
        let begin = file.line_starts[line] as usize;
        let upto = file.text.get(begin..span.start as usize).unwrap_or("");
        (line + 1, upto.chars().count() + 1)
    }
    /// `FILE:LINE:COLUMN` of the start of a span.
    pub fn place(&self, span: Span) -> String {
        let (line, column) = self.line_column(span);
        format!("{}:{line}:{column}", self.file(span.file).name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_what_is_inlined_twice() {
        let at = |file: u32, start: usize| Span::new(FileId(file), start, start + 1);
        let mut chains = Chains::default();
        let inner = chains.within(at(0, 1), at(1, 2));
        let outer = chains.within(inner, at(2, 3));
        assert_eq!(outer.bare(), at(0, 1));
        let calls: Vec<Span> = chains.calls(outer).map(Span::bare).collect();
        assert_eq!(calls, [at(1, 2), at(2, 3)]);
        // The same as when the outer call is there first, and a chain has one number.
        let call = chains.within(at(1, 2), at(2, 3));
        assert_eq!(chains.within(at(0, 1), call), outer);
        assert_eq!(chains.within(at(0, 1), Span::default()), at(0, 1));
    }
}
