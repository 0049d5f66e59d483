//! Expectations in the comments of a program, in Futhark's notation (the manual page of `futhark test`).
//!
//! ```text
//! -- A description, which is for people.
//! -- ==
//! -- tags { fast }
//! -- entry: f g
//! -- input { [1, 2] 3i64 } output { 6 }
//! -- "by zero" input { [1, 2] 0i64 } error: division by zero
//! -- "large" compiled nobench random input { [1000]f32 10i64 } auto output
//! -- script input { make 10 } output @ data/a.out.gz
//! -- input @ data/a.in
//! -- warning: unused
//! -- structure { Screma 1 }
//! -- property: associative
//! ```
//!
//! A block starts with a line `-- ==` and lasts as long as the comment, or until documentation (`-- |`) begins. `entry:` is for the cases after it. A block with `error: regex`
//! and no input says that the program is refused with such a message. In core the comments begin with `;`.

mod report;

pub use report::{Error, ErrorKind, report};

use super::reader::{Reader, Result, error};
use super::structure;
use crate::base::{FileId, PrimType, Span};
use crate::diag::Diagnostic;
use regex::Regex;
use report::Names;
use std::collections::BTreeSet;

/// A block of expectations.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// Where it starts.
    pub span: Span,
    /// Words after `tags`.
    pub tags: Vec<String>,
    /// What the message that refuses the program matches.
    pub refused: Option<Regex>,
    /// What the warnings about the program match, one each, with their places.
    pub warnings: Vec<(Regex, Span)>,
    /// What the optimised program consists of.
    pub structures: Vec<Shape>,
    /// Entry points that hold for all values, with their places.
    pub properties: Vec<(String, Span)>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// One run of some entry points.
#[derive(Debug, Clone)]
pub struct Case {
    /// Where it starts.
    pub span: Span,
    /// Its name as given or `#1`, `#2`, .. in the block.
    pub name: String,
    /// Words in front of `input`, such as `compiled`.
    pub tags: Vec<String>,
    /// What is run, with the places of the names; `main` where none is given.
    pub entries: Vec<(String, Span)>,
    /// Arguments.
    pub input: Data,
    /// What must come out.
    pub expect: Expect,
}

/// The entry points that blocks are about, each once.
pub fn entries(blocks: &[Block]) -> Vec<String> {
    let cases = blocks.iter().flat_map(|block| &block.cases).flat_map(|case| &case.entries);
    let properties = blocks.iter().flat_map(|block| &block.properties);
    let names: BTreeSet<&String> = cases.chain(properties).map(|(name, _)| name).collect();
    names.into_iter().cloned().collect()
}

/// Values in a block.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// `{ .. }`: values in text form.
    Text(String, Span),
    /// `@ file`, relative to the program.
    File(String, Span),
    /// `random input { type .. }`.
    Random(Vec<Random>, Span),
    /// `script input { expression }`.
    Script(String, Span),
    /// `script input @ file`.
    ScriptFile(String, Span),
}

/// A value that is made up.
#[derive(Debug, Clone, PartialEq)]
pub enum Random {
    /// Of this shape and element type.
    Of(Vec<usize>, PrimType),
    /// A constant.
    Constant(String),
}

/// What must come out.
#[derive(Debug, Clone)]
pub enum Expect {
    /// Anything but a failure.
    Success,
    /// What another back end makes of the same input.
    Auto,
    /// These values.
    Values(Data),
    /// A failure whose message matches this regular expression.
    Failure(Regex),
}

/// What a program must consist of.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Where it is written.
    pub span: Span,
    /// The pipeline: empty for the optimised program, or `gpu`, `seq`, `mc`, with `-mem`.
    pub pipeline: String,
    /// The entry points that it is about, where an `entry:` stands before it.
    pub entries: Vec<String>,
    /// How many there are of each kind, with the places of the names.
    pub counts: Vec<(String, usize, Span)>,
}

/// All blocks of a program; what is wrong with one of them comes as a diagnostic.
/// `mark` is what comments begin with: `--`, in core `;`.
pub fn blocks(file: FileId, text: &str, mark: &str) -> (Vec<Block>, Vec<Diagnostic>) {
    let (mut blocks, mut diagnostics) = (Vec::new(), Vec::new());
    let mut region = String::new();
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n').chain([""]) {
        let trimmed = line.trim_start();
        let comment = trimmed.strip_prefix(mark);
        match (comment, start) {
            (Some(rest), None) if rest.trim() == "==" => (start, region) = (Some(at), String::new()),
            (Some(rest), Some(_)) if rest.trim() != "==" && !rest.trim_start().starts_with('|') => {
                // The marker becomes blanks, so that positions in the region are positions in the file.
                region.push_str(&" ".repeat(line.len() - rest.len()));
                region.push_str(rest);
            }
            (_, Some(begin)) => {
                finish(file, begin, at, &region, &mut blocks, &mut diagnostics);
                (start, region) = (comment.filter(|rest| rest.trim() == "==").map(|_| at), String::new());
            }
            (_, None) => {}
        }
        if start == Some(at) {
            region.push_str(&" ".repeat(line.len()));
        }
        at += line.len();
    }
    (blocks, diagnostics)
}

fn finish(file: FileId, begin: usize, end: usize, region: &str, blocks: &mut Vec<Block>, diagnostics: &mut Vec<Diagnostic>) {
    let span = Span::new(file, begin, end);
    let main = vec![("main".to_string(), span)];
    let mut parser = Parser { reader: Reader::new(file, region, begin), block: span, entries: main };
    match parser.block(span) {
        Ok(block) => blocks.push(block),
        Err(error) => diagnostics.push(report(&error)),
    }
}

/// Words that begin something, so that they are no tags.
const KEYWORDS: &[&str] =
    &["input", "output", "random", "script", "auto", "entry:", "error:", "warning:", "property:", "tags", "structure"];

/// What the optimised program may be looked at as.
const PIPELINES: &[&str] = &["soacs", "gpu", "gpu-mem", "seq", "seq-mem", "mc", "mc-mem", "distributed", "kernels", "internalised", "cpu"];

/// Reads a block; `entries` are those of the cases that follow.
struct Parser<'a> {
    reader: Reader<'a>,
    /// Where the block is: the place of the name `main` where no `entry:` gives one.
    block: Span,
    entries: Vec<(String, Span)>,
}

impl Parser<'_> {
    fn block(&mut self, span: Span) -> Result<Block> {
        let mut block = Block { span, ..Block::default() };
        while let Some((word, place)) = self.reader.peek() {
            match word {
                "tags" => {
                    self.reader.word();
                    block.tags.extend(self.reader.braces()?.0.split_whitespace().map(String::from));
                }
                "entry:" => self.entries = self.names(Names::Entry)?,
                "property:" => block.properties.extend(self.names(Names::Property)?),
                "error:" => {
                    block.refused = Some(self.regex()?.0);
                    if !block.cases.is_empty() {
                        return Err(error(place, ErrorKind::RefusedAfterCases));
                    }
                }
                "warning:" => block.warnings.push(self.regex()?),
                "structure" => {
                    let shape = self.structure(place)?;
                    block.structures.push(shape);
                }
                _ => {
                    let number = block.cases.len() + 1;
                    let case = self.case(number)?;
                    if block.refused.is_some() {
                        return Err(error(case.span, ErrorKind::CaseOfRefused));
                    }
                    block.cases.push(case);
                }
            }
        }
        Ok(block)
    }

    /// The names on the line after a keyword.
    fn names(&mut self, what: Names) -> Result<Vec<(String, Span)>> {
        let place = self.reader.word().1;
        let names: Vec<(String, Span)> = self.reader.words_of_line().into_iter().map(|(word, span)| (word.to_string(), span)).collect();
        if names.is_empty() {
            return Err(error(place, ErrorKind::NoNames(what)));
        }
        Ok(names)
    }

    /// A keyword and the regular expression on the rest of its line.
    fn regex(&mut self) -> Result<(Regex, Span)> {
        self.reader.word();
        let (text, span) = self.reader.line();
        match Regex::new(text) {
            Ok(regex) => Ok((regex, span)),
            Err(why) => Err(error(span, ErrorKind::NoRegex(Box::new(why)))),
        }
    }

    /// `structure [pipeline] { name number .. }`.
    fn structure(&mut self, span: Span) -> Result<Shape> {
        self.reader.word();
        let mut pipeline = String::new();
        if let Some((word, place)) = self.reader.peek().filter(|(word, _)| *word != "{") {
            self.reader.word();
            if !PIPELINES.contains(&word) {
                return Err(error(place, ErrorKind::NoPipeline(word.to_string())));
            }
            pipeline = word.to_string();
        }
        let mut inner = self.reader.inside()?;
        let mut counts = Vec::new();
        while let Some((name, place)) = inner.peek() {
            inner.word();
            if let Some((part, near)) = structure::misspelt(name) {
                return Err(error(place, ErrorKind::NoStatement { name: part.to_string(), near }));
            }
            let Some((number, at)) = inner.peek() else {
                return Err(error(place, ErrorKind::NoCount(name.to_string())));
            };
            inner.word();
            let Ok(number) = number.parse() else {
                return Err(error(at, ErrorKind::CountIsNoNumber));
            };
            counts.push((name.to_string(), number, place));
        }
        let named = self.entries.iter().filter(|(_, place)| !place.eq(&self.block));
        let entries = named.map(|(name, _)| name.clone()).collect();
        Ok(Shape { span, pipeline, entries, counts })
    }

    /// `["name"] [tag ..] [random|script] input ..` and what is expected of it.
    fn case(&mut self, number: usize) -> Result<Case> {
        let start = self.reader.start();
        let name = self.reader.quoted(ErrorKind::UnclosedName)?.unwrap_or_else(|| format!("#{number}"));
        let (mut random, mut script, mut tags) = (false, false, Vec::new());
        loop {
            let (word, place) = self.reader.word();
            match word {
                "random" => random = true,
                "script" => script = true,
                "input" => break,
                _ if KEYWORDS.contains(&word) => {
                    let mistake = match word {
                        "output" | "auto" | "error:" => ErrorKind::OutputWithoutInput,
                        _ => ErrorKind::InputWanted(word.to_string()),
                    };
                    return Err(error(place, mistake));
                }
                _ if is_tag(word) && self.reader.peek().is_some_and(|(next, _)| KEYWORDS.contains(&next) || is_tag(next)) => {
                    tags.push(word.to_string());
                }
                word => {
                    let near = crate::diag::closest(word, KEYWORDS.iter().copied());
                    return Err(error(place, ErrorKind::UnknownWord { word: word.to_string(), near }));
                }
            }
        }
        let data = self.data()?;
        let input = match (random, script, data) {
            (true, true, _) => return Err(error(self.reader.span_from(start), ErrorKind::RandomScript)),
            (true, _, Data::File(_, span)) => return Err(error(span, ErrorKind::RandomFile)),
            (true, _, Data::Text(_, span)) => Data::Random(self.random(span)?, span),
            (_, true, Data::Text(text, span)) => Data::Script(text, span),
            (_, true, Data::File(name, span)) => Data::ScriptFile(name, span),
            (_, _, data) => data,
        };
        let expect = self.expect()?;
        Ok(Case { span: self.reader.span_from(start), name, tags, entries: self.entries.clone(), input, expect })
    }

    fn expect(&mut self) -> Result<Expect> {
        match self.reader.peek() {
            Some(("auto", place)) => {
                self.reader.word();
                if self.reader.peek().is_none_or(|(word, _)| word != "output") {
                    return Err(error(place, ErrorKind::AutoWithoutOutput));
                }
                self.reader.word();
                Ok(Expect::Auto)
            }
            Some(("output", _)) => {
                self.reader.word();
                Ok(Expect::Values(self.data()?))
            }
            Some(("error:", _)) => Ok(Expect::Failure(self.regex()?.0)),
            _ => Ok(Expect::Success),
        }
    }

    /// `{ .. }` or `@ file`.
    fn data(&mut self) -> Result<Data> {
        if let Some(("@", at)) = self.reader.peek() {
            self.reader.word();
            let (path, span) = self.reader.file_name();
            if path.is_empty() {
                return Err(error(at, ErrorKind::NoFile));
            }
            return Ok(Data::File(path.to_string(), span));
        }
        let (text, span) = self.reader.braces()?;
        Ok(Data::Text(text.to_string(), span))
    }

    /// The types in `[10]f32 [2] [3]i64 i32`, and constants.
    fn random(&self, span: Span) -> Result<Vec<Random>> {
        let mut inner = self.reader.at(span);
        let mut out = Vec::new();
        while let Some((first, from)) = inner.peek() {
            let mut dims = Vec::new();
            let mut word = first;
            let mut place = from;
            while word == "[" {
                inner.word();
                let (number, at) = inner.word();
                let digits: String = number.strip_suffix("i64").unwrap_or(number).chars().filter(|c| *c != '_').collect();
                let Ok(size) = digits.parse() else {
                    return Err(error(at, ErrorKind::NoSize));
                };
                dims.push(size);
                let (close, at) = inner.word();
                if close != "]" {
                    return Err(error(at, ErrorKind::NoBracket));
                }
                (word, place) = inner.peek().unwrap_or(("", at));
            }
            inner.word();
            out.push(match PrimType::from_name(word) {
                Some(prim) => Random::Of(dims, prim),
                None if dims.is_empty() && is_constant(word) => Random::Constant(word.to_string()),
                None => return Err(error(place, ErrorKind::NoRandom(word.to_string()))),
            });
        }
        Ok(out)
    }
}

fn is_tag(word: &str) -> bool {
    word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') && word.starts_with(char::is_alphanumeric)
}

fn is_constant(word: &str) -> bool {
    word == "true" || word == "false" || word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Code;

    fn read(text: &str) -> (Vec<Block>, Vec<Diagnostic>) {
        blocks(FileId(0), text, "--")
    }

    #[test]
    fn several_blocks_with_everything() {
        let text = "-- a comment\n-- ==\n-- entry: f g\n-- tags { a b }\n-- input { [1,\n--  2] } output { 3 }\n\
                    -- \"zero\" input { 0 } error: by zero.*\n-- random input { [10] f32 i64 }\n\ndef f = 1\n-- ==\n-- error: bad (thing)\n\
                    -- ==\n-- input @ a.in\n-- output @ a.out\n-- compiled input {} auto output\nlet x = 1 -- ==\n";
        let (found, problems) = read(text);
        assert_eq!(problems, vec![]);
        assert_eq!(found.len(), 3);
        let case = &found[0].cases[0];
        let names: Vec<&str> = case.entries.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["f", "g"]);
        let place = case.entries[1].1;
        assert_eq!(&text[place.start as usize..place.end as usize], "g");
        assert_eq!(found[0].tags, ["a", "b"]);
        assert_eq!(found[0].cases.len(), 3);
        let Data::Text(input, place) = &case.input else { panic!("text") };
        assert_eq!(input.split_whitespace().collect::<String>(), "[1,2]");
        assert!(text[place.start as usize..].starts_with(" [1,\n"));
        assert_eq!(found[0].cases[1].name, "zero");
        assert!(matches!(&found[0].cases[1].expect, Expect::Failure(regex) if regex.as_str() == "by zero.*"));
        let random = [Random::Of(vec![10], PrimType::F32), Random::Of(vec![], PrimType::I64)];
        assert!(matches!(&found[0].cases[2].input, Data::Random(types, _) if *types == random));
        assert_eq!(found[1].refused.as_ref().map(Regex::as_str), Some("bad (thing)"));
        assert!(matches!(&found[2].cases[0].expect, Expect::Values(Data::File(path, _)) if path == "a.out"));
        assert!(matches!(found[2].cases[1].expect, Expect::Auto));
        assert_eq!(found[2].cases[1].tags, ["compiled"]);
    }

    #[test]
    fn documentation_and_code_end_a_block() {
        let text = "-- ==\n-- input { 1 }\n-- | What `main` does.\n--\n-- input { 2 }\ndef main x = x\n-- ==\n-- input { 3 }\ndef f x = x\n-- input { 4 }\n";
        let (found, problems) = read(text);
        assert_eq!(problems, vec![]);
        assert_eq!(found.iter().map(|block| block.cases.len()).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn entries_structures_scripts_and_properties() {
        let text = "-- ==\n-- entry: f\n-- input { 1 }\n-- entry: g h\n-- \"n\" nobench large script input { f {x = 1} \"}\" }\n\
                    -- script input @ a.fut output { \"a}\" }\n-- structure gpu { SegMap 2 If/BinOp 0 }\n-- warning: unused\n\
                    -- property: p q\n-- random input {[2][ 3 ]f32 7i64 -1.5f32 true[1]u8}\n";
        let (found, problems) = read(text);
        assert_eq!(problems, vec![]);
        let [block] = &found[..] else { panic!("one block") };
        let entries = |case: usize| block.cases[case].entries.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        assert_eq!((entries(0), entries(1)), (vec!["f"], vec!["g", "h"]));
        assert_eq!(block.cases[1].tags, ["nobench", "large"]);
        assert!(matches!(&block.cases[1].input, Data::Script(text, _) if text.trim() == "f {x = 1} \"}\""));
        assert!(matches!(&block.cases[2].input, Data::ScriptFile(name, _) if name == "a.fut"));
        let counts: Vec<(&str, usize)> = block.structures[0].counts.iter().map(|(name, n, _)| (name.as_str(), *n)).collect();
        assert_eq!((block.structures[0].pipeline.as_str(), counts), ("gpu", vec![("SegMap", 2), ("If/BinOp", 0)]));
        assert_eq!((block.warnings.len(), block.properties.len()), (1, 2));
        let Data::Random(random, _) = &block.cases[3].input else { panic!("random") };
        assert_eq!(random.len(), 5);
        assert_eq!(random[2], Random::Constant("-1.5f32".into()));
    }

    #[test]
    fn mistakes_are_reported_at_their_places() {
        for (text, part) in [
            ("-- ==\n-- inptu { 1 }\n", "inptu"),
            ("-- ==\n-- input { 1 \n", "{"),
            ("-- ==\n-- input 1\n", "1"),
            ("-- ==\n-- \"x input { 1 }\n", "\""),
            ("-- ==\n-- ä { 1 }\n", "ä"),
            ("-- ==\n-- input", ""),
            ("-- ==\n-- output { 1 }\n", "output"),
            ("-- ==\n-- input { 1 } auto { 2 }\n", "auto"),
            ("-- ==\n-- input { 1 } error: (a\n", "(a"),
            ("-- ==\n-- random input @ f\n", "f"),
            ("-- ==\n-- random script input { 1 }\n", "random script input { 1 }"),
            ("-- ==\n-- random input { [n]i32 }\n", "n"),
            ("-- ==\n-- random input { [3]int }\n", "int"),
            ("-- ==\n-- random input { 3 [4] }\n", "]"),
            ("-- ==\n-- structure { Map }\n", "Map"),
            ("-- ==\n-- structure { Map one }\n", "one"),
            ("-- ==\n-- structure gpi { Map 1 }\n", "gpi"),
            ("-- ==\n-- structure { map 1 mpa 1 }\n", "mpa"),
            ("-- ==\n-- structure { Screma/Mpa 1 }\n", "Screma/Mpa"),
            ("-- ==\n-- entry:\n-- input { 1 }\n", "entry:"),
            ("-- ==\n-- input { 1 }\n-- warning: [\n", "["),
            ("-- ==\n-- input @\n", "@"),
            ("-- ==\n-- error: x\n-- input { 1 }\n", "input { 1 }"),
            ("-- ==\n-- compiled\n", "compiled"),
        ] {
            let (_, problems) = read(text);
            assert_eq!(problems.len(), 1, "{text}");
            assert_eq!(problems[0].code, Code::TestBlock);
            let span = problems[0].labels[0].span;
            assert_eq!(text.get(span.start as usize..span.end as usize).unwrap_or(""), part, "{text}");
        }
    }
}
