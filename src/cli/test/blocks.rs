//! Expectations in the comments of a program, in Futhark's notation.
//!
//! ```text
//! -- ==
//! -- entry: f g
//! -- tags { fast }
//! -- input { [1, 2] 3i64 } output { 6 }
//! -- "by zero" input { [1, 2] 0i64 } error: division by zero
//! -- random input { [10]f32 }
//! -- input @ data/a.in output @ data/a.out
//! ```
//!
//! A block starts with a line `-- ==` and lasts as long as the comment. A block with `error: regex` and no input says that
//! the program is refused with such a message. In core the comments begin with `;`.

use crate::base::{FileId, Span};
use crate::diag::Diagnostic;

/// A block of expectations.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Where it starts.
    pub span: Span,
    /// Words after `tags`.
    pub tags: Vec<String>,
    /// Entry points that every case is for, with their places; `main` where none are given.
    pub entries: Vec<(String, Span)>,
    /// What the message that refuses the program matches.
    pub refused: Option<String>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// One run of each entry point of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Where it starts.
    pub span: Span,
    /// Its name as given or `#1`, `#2`, .. in the block.
    pub name: String,
    /// Arguments.
    pub input: Data,
    /// What must come out.
    pub expect: Expect,
}

/// Values in a block.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// `{ .. }`: values in text form.
    Text(String, Span),
    /// `@ file`, relative to the program.
    File(String, Span),
    /// `random input { type .. }`.
    Random(Vec<String>, Span),
}

/// What must come out.
#[derive(Debug, Clone, PartialEq)]
pub enum Expect {
    /// Anything but a failure.
    Success,
    /// These values.
    Values(Data),
    /// A failure whose message matches this regular expression.
    Failure(String),
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
            (Some(rest), Some(_)) if rest.trim() != "==" => {
                // The marker becomes blanks, so that positions in the region are positions in the file.
                region.push_str(&" ".repeat(line.len() - rest.len()));
                region.push_str(rest);
            }
            (_, Some(begin)) => {
                finish(file, begin, at, &region, &mut blocks, &mut diagnostics);
                (start, region) = (comment.map(|_| at), String::new());
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
    let mut reader = Reader { file, text: region, at: 0, base: begin };
    let span = Span::new(file, begin, end);
    match reader.block(span) {
        Ok(block) => blocks.push(block),
        Err(diagnostic) => diagnostics.push(*diagnostic),
    }
}

/// Reads the words of a block.
struct Reader<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    base: usize,
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl<'a> Reader<'a> {
    fn block(&mut self, span: Span) -> Result<Block> {
        let mut block = Block { span, tags: Vec::new(), entries: Vec::new(), refused: None, cases: Vec::new() };
        while let Some(word) = self.peek() {
            match word {
                "tags" => {
                    self.word();
                    block.tags = self.braces()?.0.split_whitespace().map(String::from).collect();
                }
                "entry:" => {
                    self.word();
                    block.entries = self.entries();
                }
                "error:" => {
                    self.word();
                    block.refused = Some(self.line().trim().to_string());
                }
                "structure" => {
                    while self.peek().is_some_and(|word| !word.starts_with('{')) {
                        self.word();
                    }
                    self.braces()?;
                }
                _ => {
                    let number = block.cases.len() + 1;
                    block.cases.push(self.case(number)?);
                }
            }
        }
        Ok(block)
    }

    fn entries(&mut self) -> Vec<(String, Span)> {
        let from = self.at;
        let line = self.line();
        let offset = |word: &str| from + (word.as_ptr() as usize - line.as_ptr() as usize);
        line.split_whitespace().map(|word| (word.to_string(), self.span(offset(word), offset(word) + word.len()))).collect()
    }

    /// `["name"] [random] input ..` and what is expected of it.
    fn case(&mut self, number: usize) -> Result<Case> {
        self.blanks();
        let start = self.at;
        let mut name = format!("#{number}");
        if self.text[self.at..].starts_with('"') {
            let rest = &self.text[self.at + 1..];
            let Some(end) = rest.find(['"', '\n']).filter(|end| rest.as_bytes()[*end] == b'"') else {
                return Err(self.error(start, self.at + 1, "the name of this case has no closing quote"));
            };
            name = rest[..end].to_string();
            self.at += end + 2;
        }
        let mut random = false;
        loop {
            self.blanks();
            let from = self.at;
            match self.word() {
                "random" => random = true,
                "compiled" | "nobench" | "notest" | "script" => {}
                "input" => break,
                word => {
                    let message = format!("a test block has no `{}` here", word.escape_debug());
                    return Err(self.error(from, self.at, &message));
                }
            }
        }
        let input = match (random, self.data()?) {
            (true, Data::Text(text, span)) => Data::Random(random_types(&text), span),
            (_, data) => data,
        };
        let expect = self.expect()?;
        Ok(Case { span: self.span(start, self.at), name, input, expect })
    }

    fn expect(&mut self) -> Result<Expect> {
        match self.peek() {
            Some("auto") => {
                self.word();
                self.word();
                Ok(Expect::Success)
            }
            Some("output") => {
                self.word();
                Ok(Expect::Values(self.data()?))
            }
            Some("error:") => {
                self.word();
                Ok(Expect::Failure(self.line().trim().to_string()))
            }
            _ => Ok(Expect::Success),
        }
    }

    /// `{ .. }` or `@ file`.
    fn data(&mut self) -> Result<Data> {
        self.blanks();
        let start = self.at;
        if self.text[self.at..].starts_with('@') {
            self.at += 1;
            self.blanks();
            let path = self.word().to_string();
            return Ok(Data::File(path, self.span(start, self.at)));
        }
        let (text, span) = self.braces()?;
        Ok(Data::Text(text.to_string(), span))
    }

    /// The text between braces and its place.
    fn braces(&mut self) -> Result<(&'a str, Span)> {
        self.blanks();
        let start = self.at;
        let rest = &self.text[start..];
        if !rest.starts_with('{') {
            return Err(self.error(start, start + 1, "`{` expected in this test block"));
        }
        let (mut depth, mut quoted) = (0usize, false);
        for (offset, c) in rest.char_indices() {
            match c {
                '"' => quoted = !quoted,
                '{' if !quoted => depth += 1,
                '}' if !quoted => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at = start + offset + 1;
                return Ok((&self.text[start + 1..start + offset], self.span(start + 1, start + offset)));
            }
        }
        Err(self.error(start, start + 1, "this `{` is not closed in the test block"))
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.base + start, self.base + end)
    }

    fn error(&self, start: usize, end: usize, message: &str) -> Box<Diagnostic> {
        let form = "a case is `[\"name\"] input { values }` and then `output { values }`, `error: regex` or nothing";
        Box::new(Diagnostic::error("E0610", self.span(start, end), message).note(form))
    }

    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&mut self) -> Option<&'a str> {
        self.blanks();
        let at = self.at;
        let word = self.word();
        self.at = at;
        (!word.is_empty()).then_some(word)
    }

    /// The next word: up to white space or a brace.
    fn word(&mut self) -> &'a str {
        self.blanks();
        let rest = &self.text[self.at..];
        let word = &rest[..rest.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(rest.len())];
        let word = if word.is_empty() { &rest[..rest.chars().next().map_or(0, char::len_utf8)] } else { word };
        self.at += word.len();
        word
    }

    fn line(&mut self) -> &'a str {
        let line = self.text[self.at..].split('\n').next().unwrap_or("");
        self.at += line.len();
        line
    }
}

/// The types in `{ [10]f32 [2] [3]i64 i32 }`.
fn random_types(text: &str) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    let mut open = false;
    for word in text.split_whitespace() {
        match types.last_mut() {
            Some(last) if open => last.push_str(word),
            _ => types.push(word.to_string()),
        }
        open = word.ends_with([']', '[']);
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let names: Vec<&str> = found[0].entries.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["f", "g"]);
        let place = found[0].entries[1].1;
        assert_eq!(&text[place.start as usize..place.end as usize], "g");
        assert_eq!(found[0].tags, ["a", "b"]);
        assert_eq!(found[0].cases.len(), 3);
        let Data::Text(input, place) = &found[0].cases[0].input else { panic!("text") };
        assert_eq!(input.split_whitespace().collect::<String>(), "[1,2]");
        assert!(text[place.start as usize..].starts_with(" [1,\n"));
        assert_eq!(found[0].cases[1].name, "zero");
        assert_eq!(found[0].cases[1].expect, Expect::Failure("by zero.*".into()));
        assert!(matches!(&found[0].cases[2].input, Data::Random(types, _) if *types == ["[10]f32", "i64"]));
        assert_eq!(found[1].refused.as_deref(), Some("bad (thing)"));
        assert!(matches!(&found[2].cases[0].expect, Expect::Values(Data::File(path, _)) if path == "a.out"));
        assert_eq!(found[2].cases[1].expect, Expect::Success);
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
        ] {
            let (_, problems) = read(text);
            assert_eq!(problems.len(), 1, "{text}");
            let span = problems[0].labels[0].span;
            assert_eq!(text.get(span.start as usize..span.end as usize).unwrap_or(""), part, "{text}");
        }
    }
}
