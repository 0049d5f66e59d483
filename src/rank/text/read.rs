//! Reader of rank systems. Total: any input gives a fixture or an error with its place; memory is linear in the input.

use std::collections::HashMap;

use super::{ErrorKind, Expect, Fixture, TextError, Wanted};
use crate::rank::{LinExpr, Site, Var, VarKind};

/// Largest number in the text.
pub(super) const LARGEST: u64 = 1_000_000_000;

/// Reads a rank system from bytes.
pub fn parse_bytes(bytes: &[u8]) -> Result<Fixture, TextError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = good.matches('\n').count() + 1;
            let column = good.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
            Err(TextError { line, column, mistake: ErrorKind::Encoding })
        }
    }
}

/// Reads a rank system.
pub fn parse(text: &str) -> Result<Fixture, TextError> {
    let mut reader = Reader { fixture: Fixture::default(), vars: HashMap::new(), sites: HashMap::new(), equations: 0 };
    for (number, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or("");
        let mut tokens = Tokens { code, at: 0, line: number + 1 };
        if !tokens.done() {
            reader.statement(&mut tokens)?;
            tokens.end()?;
        }
    }
    reader.finish()
}

/// The tokens of one line.
struct Tokens<'a> {
    code: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Tokens<'a> {
    fn skip(&mut self) {
        let rest = &self.code[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn done(&mut self) -> bool {
        self.skip();
        self.at == self.code.len()
    }

    fn error<T>(&self, mistake: ErrorKind) -> Result<T, TextError> {
        let column = self.code[..self.at].chars().count() + 1;
        Err(TextError { line: self.line, column, mistake })
    }

    fn wanted<T>(&self, wanted: Wanted) -> Result<T, TextError> {
        self.error(ErrorKind::Wanted(wanted))
    }

    fn end(&mut self) -> Result<(), TextError> {
        if self.done() { Ok(()) } else { self.error(ErrorKind::Rest) }
    }

    fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        self.skip();
        let rest = &self.code[self.at..];
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn peek(&mut self) -> Option<char> {
        self.skip();
        self.code[self.at..].chars().next()
    }

    fn eat(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(symbol);
        self.at += if found { symbol.len_utf8() } else { 0 };
        found
    }

    /// A name, if one comes next.
    fn name(&mut self) -> Option<&'a str> {
        match self.peek() {
            Some(c) if c.is_ascii_alphabetic() || c == '_' => Some(self.take(in_name)),
            _ => None,
        }
    }

    fn number(&mut self) -> Result<u64, TextError> {
        let start = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        match digits.parse::<u64>() {
            Ok(number) if number <= LARGEST => Ok(number),
            Ok(_) => self.rewind(start, ErrorKind::Number),
            Err(_) if digits.is_empty() => self.wanted(Wanted::Number),
            Err(_) => self.rewind(start, ErrorKind::Number),
        }
    }

    fn rewind<T>(&mut self, start: usize, mistake: ErrorKind) -> Result<T, TextError> {
        self.at = start;
        self.skip();
        self.error(mistake)
    }
}

/// Characters of a variable's name.
fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '\''
}

/// The numbers of a sum that has been put together are as small as those that may be written.
fn fits(tokens: &Tokens, sum: &LinExpr) -> Result<(), TextError> {
    let numbers = sum.terms.iter().map(|(_, number)| *number).chain([sum.constant]);
    match numbers.map(i64::unsigned_abs).max() {
        Some(largest) if largest > LARGEST => tokens.error(ErrorKind::Sum),
        _ => Ok(()),
    }
}

struct Reader {
    fixture: Fixture,
    vars: HashMap<String, Var>,
    /// The first site of each label.
    sites: HashMap<String, usize>,
    equations: u32,
}

impl Reader {
    fn statement(&mut self, tokens: &mut Tokens) -> Result<(), TextError> {
        let start = tokens.at;
        match tokens.name() {
            Some("type") => self.declare(tokens, VarKind::Type),
            Some("map") => self.declare(tokens, VarKind::Map),
            Some("rep") => self.declare(tokens, VarKind::Rep),
            Some("site") => self.site(tokens),
            Some("eq") => self.equation(tokens),
            Some("expect") => self.expect(tokens),
            Some("presolve") => {
                self.fixture.presolve = true;
                Ok(())
            }
            Some("components") => {
                self.fixture.components = Some(tokens.number()? as usize);
                Ok(())
            }
            Some("optimum") => self.optimum(tokens),
            Some("conflict") => self.conflict(tokens),
            _ => tokens.rewind(start, ErrorKind::Statement),
        }
    }

    fn declare(&mut self, tokens: &mut Tokens, kind: VarKind) -> Result<(), TextError> {
        while !tokens.done() {
            let Some(name) = tokens.name() else { return tokens.wanted(Wanted::Variable) };
            if self.vars.contains_key(name) {
                return tokens.error(ErrorKind::DeclaredTwice(name.into()));
            }
            self.fresh(name, kind);
        }
        Ok(())
    }

    fn fresh(&mut self, name: &str, kind: VarKind) -> Var {
        let var = self.fixture.system.named(kind, name);
        self.vars.insert(name.into(), var);
        var
    }

    /// A side of a site: declared before, or here.
    fn side(&mut self, tokens: &mut Tokens, kind: VarKind) -> Result<Var, TextError> {
        let Some(name) = tokens.name() else { return tokens.wanted(Wanted::Variable) };
        match self.vars.get(name).copied() {
            Some(var) if self.fixture.system.kinds[var.index()] == kind => Ok(var),
            Some(_) => tokens.error(ErrorKind::OtherKind(name.into())),
            None => Ok(self.fresh(name, kind)),
        }
    }

    fn site(&mut self, tokens: &mut Tokens) -> Result<(), TextError> {
        let label = tokens.take(|c| !c.is_whitespace());
        if label.is_empty() {
            return tokens.wanted(Wanted::Label);
        }
        let map = self.side(tokens, VarKind::Map)?;
        let rep = self.side(tokens, VarKind::Rep)?;
        let mut frame = LinExpr::zero();
        if !tokens.done() {
            if tokens.name() != Some("frame") {
                return tokens.wanted(Wanted::Frame);
            }
            frame = self.sum(tokens)?;
            let mut merged = frame.clone();
            merged.normalise();
            fits(tokens, &merged)?;
        }
        let at = self.fixture.system.sites.len();
        let tag = u32::try_from(at).unwrap_or(u32::MAX);
        self.sites.entry(label.into()).or_insert(at);
        self.fixture.labels.push(label.into());
        self.fixture.system.sites.push(Site { map, rep, frame, tag });
        Ok(())
    }

    fn var(&self, tokens: &mut Tokens) -> Result<Var, TextError> {
        let start = tokens.at;
        let Some(name) = tokens.name() else { return tokens.wanted(Wanted::Variable) };
        match self.vars.get(name) {
            Some(&var) => Ok(var),
            None => tokens.rewind(start, ErrorKind::Undeclared(name.into())),
        }
    }

    fn sum(&self, tokens: &mut Tokens) -> Result<LinExpr, TextError> {
        let mut sum = LinExpr::zero();
        let mut sign = if tokens.eat('-') { -1 } else { 1 };
        loop {
            match tokens.peek() {
                Some(c) if c.is_ascii_digit() => {
                    let number = sign * tokens.number()? as i64;
                    let times = tokens.eat('*');
                    let variable = tokens.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
                    if times || variable {
                        sum.terms.push((self.var(tokens)?, number));
                    } else {
                        sum.constant = sum.constant.saturating_add(number);
                    }
                }
                _ => sum.terms.push((self.var(tokens)?, sign)),
            }
            sign = match tokens.peek() {
                Some('+') => 1,
                Some('-') => -1,
                _ => return Ok(sum),
            };
            tokens.at += 1;
        }
    }

    fn equation(&mut self, tokens: &mut Tokens) -> Result<(), TextError> {
        let left = self.sum(tokens)?;
        if !tokens.eat('=') {
            return tokens.wanted(Wanted::Equals);
        }
        let right = self.sum(tokens)?;
        self.equations = self.equations.saturating_add(1);
        self.fixture.system.equate(left, right, self.equations);
        self.fixture.system.equations.last().map_or(Ok(()), |equation| fits(tokens, &equation.expr))
    }

    fn expect(&mut self, tokens: &mut Tokens) -> Result<(), TextError> {
        let start = tokens.at;
        let kind: fn(u64) -> Expect = match tokens.name() {
            Some("infeasible") => {
                self.fixture.expect = Some(Expect::Infeasible);
                return Ok(());
            }
            Some("unique") => Expect::Unique,
            Some("ambiguous") => Expect::Ambiguous,
            Some("many") => Expect::Many,
            _ => return tokens.rewind(start, ErrorKind::Expectation),
        };
        if tokens.name() != Some("cost") {
            return tokens.wanted(Wanted::Cost);
        }
        self.fixture.expect = Some(kind(tokens.number()?));
        Ok(())
    }

    fn optimum(&mut self, tokens: &mut Tokens) -> Result<(), TextError> {
        let mut optimum = Vec::new();
        while !tokens.done() {
            let var = self.var(tokens)?;
            if !tokens.eat('=') {
                return tokens.wanted(Wanted::Equals);
            }
            optimum.push((var, tokens.number()? as u32));
        }
        optimum.sort_unstable();
        self.fixture.optima.push(optimum);
        Ok(())
    }

    fn conflict(&mut self, tokens: &mut Tokens) -> Result<(), TextError> {
        let (mut equations, mut sites) = (Vec::new(), Vec::new());
        let mut in_equations = false;
        while !tokens.done() {
            let start = tokens.at;
            match tokens.peek() {
                Some(c) if in_equations && c.is_ascii_digit() => {
                    let number = tokens.number()? as usize;
                    if number == 0 || number > self.fixture.system.equations.len() {
                        return tokens.rewind(start, ErrorKind::NoEquation(number));
                    }
                    equations.push(number - 1);
                }
                _ => match tokens.take(|c| !c.is_whitespace()) {
                    "eq" => in_equations = true,
                    "site" => in_equations = false,
                    label if !in_equations && self.sites.contains_key(label) => sites.push(self.sites[label]),
                    label => return tokens.rewind(start, ErrorKind::NoSite(label.into())),
                },
            }
        }
        equations.sort_unstable();
        sites.sort_unstable();
        self.fixture.conflict = Some((equations, sites));
        Ok(())
    }

    fn finish(self) -> Result<Fixture, TextError> {
        Ok(self.fixture)
    }
}
