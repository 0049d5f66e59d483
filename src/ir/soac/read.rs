//! The reader of the notation that [`print`](super::print) writes.
//!
//! Variables and functions are found by their whole names, numbers included; what is read is numbered anew in the order of the text,
//! so a program that is [numbered like that](super::visit_mut::renumber) is read back as it is. What is read has passed the
//! [validator](super::check), and spans are places in the text.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is none of the forms that may stand there is a mistake of the text")]

mod report;

use super::{
    Body, Check, Exp, Fun, FunId, Lambda, LoopForm, Operand, Operator, Program, RangeKind, Seg, SegKind, Size, Soac, Stm, Type, Var,
    VarInfo, check,
};
use crate::base::scalar::{Member, qualified};
use crate::base::{FileId, PrimType, Scalar, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::core::sexp::{self, Sexp, SexpKind};
use report::{Error, ErrorKind, report};
use rustc_hash::FxHashMap;

/// What is read, or what is wrong.
type Read<T> = Result<T, Error>;

/// Reads a program.
///
/// # Errors
/// All errors of the layer of s-expressions (E0181, E0182), or the first form that is none of this language or breaks its rules (E0183).
pub fn program(file: FileId, text: &str) -> Result<Program, Vec<Diagnostic>> {
    let (items, errors) = sexp::parse(file, text);
    if !errors.is_empty() {
        return Err(errors.iter().map(sexp::report).collect());
    }
    let mut reader = Reader { program: Program::default(), vars: FxHashMap::default(), funs: FxHashMap::default() };
    let all = items.iter().try_for_each(|item| reader.item(item));
    let valid = all.and_then(|()| {
        let invalid = |problem| Error { at: Span::new(file, 0, 0), kind: ErrorKind::Invalid(problem) };
        check::validate(&reader.program).map_err(invalid)
    });
    match valid {
        Ok(()) => Ok(reader.program),
        Err(error) => Err(vec![report(&error)]),
    }
}

struct Reader {
    program: Program,
    vars: FxHashMap<Symbol, Var>,
    funs: FxHashMap<Symbol, FunId>,
}

fn error<T>(at: &Sexp, kind: ErrorKind) -> Read<T> {
    Err(Error { at: at.span, kind })
}
fn expected<T>(at: &Sexp, what: &'static str) -> Read<T> {
    error(at, ErrorKind::Expected(what))
}
fn paren<'s>(at: &'s Sexp, what: &'static str) -> Read<&'s [Sexp]> {
    match &at.kind {
        SexpKind::Paren(items) => Ok(items),
        _ => expected(at, what),
    }
}
fn bracket<'s>(at: &'s Sexp, what: &'static str) -> Read<&'s [Sexp]> {
    match &at.kind {
        SexpKind::Bracket(items) => Ok(items),
        _ => expected(at, what),
    }
}
/// A parenthesised form with its keyword.
fn form<'s>(at: &'s Sexp, what: &'static str) -> Read<(&'static str, &'s [Sexp])> {
    match paren(at, what)?.split_first() {
        Some((head, rest)) => match head.keyword() {
            Some(word) => Ok((word, rest)),
            None => expected(head, "a keyword"),
        },
        None => expected(at, what),
    }
}
/// The form with this keyword.
fn headed<'s>(at: &'s Sexp, word: &'static str) -> Read<&'s [Sexp]> {
    let items = match &at.kind {
        SexpKind::Paren(items) => items.as_slice(),
        _ => &[],
    };
    match items.split_first() {
        Some((head, rest)) => match head.keyword() {
            Some(found) if found == word => Ok(rest),
            Some(_) => error(at, ErrorKind::ExpectedHead(word)),
            None => expected(head, "a keyword"),
        },
        None => error(at, ErrorKind::ExpectedHead(word)),
    }
}
fn name(at: &Sexp) -> Read<Symbol> {
    at.name().map_or_else(|| expected(at, "a name"), Ok)
}
/// Strips `unchecked` from the end.
fn checked(items: &[Sexp]) -> (&[Sexp], bool) {
    match items.split_last() {
        Some((last, rest)) if last.keyword() == Some("unchecked") => (rest, false),
        _ => (items, true),
    }
}

impl Reader {
    fn item(&mut self, item: &Sexp) -> Read<()> {
        match form(item, "a function or constant")? {
            ("let", rest) => {
                let stm = self.stm(item, rest)?;
                self.program.consts.push(stm);
            }
            (word @ ("fun" | "fun-rec" | "entry"), [id, params, results, body @ ..]) => {
                let id = name(id)?;
                let params = self.binders(params)?;
                let results = self.binders(results)?;
                let (entry, recursive) = (word == "entry", word == "fun-rec");
                let fun = Fun { name: id, params, results, body: Body::default(), entry, recursive, span: item.span };
                let number = self.program.funs.alloc(fun);
                let own = Symbol::new(&format!("{id}.{}", number.raw()));
                if recursive {
                    self.funs.insert(own, number);
                }
                let (body, rest) = self.body(item, body)?;
                end(rest)?;
                self.program.funs[number].body = body;
                self.funs.insert(own, number);
            }
            _ => return expected(item, "`(let ..)`, `(fun ..)`, `(fun-rec ..)` or `(entry ..)`"),
        }
        Ok(())
    }

    /// `([x T] ..)`; the types may mention all of the variables.
    fn binders(&mut self, at: &Sexp) -> Read<Vec<Var>> {
        let items = paren(at, "`([x T] ..)`")?;
        let mut vars = Vec::with_capacity(items.len());
        for item in items {
            let [id, _] = bracket(item, "`[x T]`")? else { return expected(item, "`[x T]`") };
            vars.push(self.declare(id)?);
        }
        for (item, var) in items.iter().zip(&vars) {
            if let SexpKind::Bracket(parts) = &item.kind {
                self.typed(*var, &parts[1])?;
            }
        }
        Ok(vars)
    }
    fn declare(&mut self, at: &Sexp) -> Read<Var> {
        let full = name(at)?;
        let base = match full.as_str().rsplit_once('.') {
            Some((base, number)) if number.bytes().all(|b| b.is_ascii_digit()) => Symbol::new(base),
            _ => full,
        };
        let var = self.program.vars.alloc(VarInfo { name: base, ty: Type::scalar(PrimType::I64) });
        if self.vars.insert(full, var).is_some() {
            return error(at, ErrorKind::BoundTwice(full));
        }
        Ok(var)
    }
    fn typed(&mut self, var: Var, at: &Sexp) -> Read<()> {
        let ty = self.ty(at)?;
        self.program.vars[var].ty = ty;
        Ok(())
    }
    fn ty(&self, at: &Sexp) -> Read<Type> {
        let elem = |at: &Sexp| at.keyword().and_then(PrimType::from_name).map_or_else(|| expected(at, "a scalar type"), Ok);
        match &at.kind {
            SexpKind::Bracket(items) => match items.as_slice() {
                [first, rest @ ..] if !rest.is_empty() => {
                    Ok(Type { elem: elem(first)?, shape: rest.iter().map(|size| self.size(size)).collect::<Read<_>>()? })
                }
                _ => expected(at, "`[T size ..]`"),
            },
            _ => elem(at).map(Type::scalar),
        }
    }
    fn size(&self, at: &Sexp) -> Read<Size> {
        let SexpKind::Paren(items) = &at.kind else { return self.monomial(at) };
        match items.split_first() {
            Some((head, rest)) if head.keyword() == Some("+") => {
                rest.iter().try_fold(Size::default(), |sum, term| Ok(sum.add(&self.monomial(term)?)))
            }
            _ => self.monomial(at),
        }
    }
    /// A number, a variable or a product of those.
    fn monomial(&self, at: &Sexp) -> Read<Size> {
        let factor = |at: &Sexp| match at.kind {
            SexpKind::Scalar(Scalar::I64(value)) => Ok(Size::constant(value)),
            SexpKind::Symbol(_) | SexpKind::Quoted(_) => self.var(at).map(Size::var),
            _ => expected(at, "a size: a number, a variable, a product of those, or a sum of products"),
        };
        let SexpKind::Paren(items) = &at.kind else { return factor(at) };
        match items.split_first() {
            Some((head, rest)) if head.keyword() == Some("*") => {
                rest.iter().try_fold(Size::constant(1), |product, at| Ok(product.mul(&factor(at)?)))
            }
            _ => expected(at, "a size"),
        }
    }
    fn var(&self, at: &Sexp) -> Read<Var> {
        let id = name(at)?;
        self.vars.get(&id).map_or_else(|| error(at, ErrorKind::Unbound(id)), |var| Ok(*var))
    }
    fn var_list(&self, items: &[Sexp]) -> Read<Vec<Var>> {
        items.iter().map(|at| self.var(at)).collect()
    }
    fn operand(&self, at: &Sexp) -> Read<Operand> {
        match at.kind {
            SexpKind::Scalar(scalar) => Ok(Operand::Const(scalar)),
            _ => self.var(at).map(Operand::Var),
        }
    }
    fn operands(&self, items: &[Sexp]) -> Read<Vec<Operand>> {
        items.iter().map(|at| self.operand(at)).collect()
    }

    /// Statements up to `(return ..)`, and what follows.
    fn body<'s>(&mut self, at: &Sexp, items: &'s [Sexp]) -> Read<(Body, &'s [Sexp])> {
        let mut stms = Vec::new();
        for (k, item) in items.iter().enumerate() {
            match form(item, "a statement")? {
                ("let", rest) => stms.push(self.stm(item, rest)?),
                ("return", rest) => return Ok((Body { stms, result: self.operands(rest)? }, &items[k + 1..])),
                _ => return expected(item, "`(let ..)` or `(return ..)`"),
            }
        }
        expected(at, "`(return ..)` at the end")
    }
    fn stm(&mut self, at: &Sexp, rest: &[Sexp]) -> Read<Stm> {
        let [pat, exp] = rest else { return expected(at, "`(let (..) (..))`") };
        let pat = self.binders(pat)?;
        let exp = self.exp(exp)?;
        Ok(Stm { pat, exp, span: at.span })
    }

    fn exp(&mut self, at: &Sexp) -> Read<Exp> {
        let (word, args) = form(at, "an expression")?;
        if let Some(Member::Op(op)) = qualified(word) {
            return Ok(Exp::Scalar(op, self.operands(args)?));
        }
        Ok(match (word, args) {
            ("copy", [a]) => Exp::Copy(self.operand(a)?),
            ("size", [n]) => Exp::Size(self.size(n)?),
            ("literal", items) => {
                let scalar = |at: &Sexp| if let SexpKind::Scalar(value) = at.kind { Ok(value) } else { expected(at, "a scalar") };
                Exp::Literal(items.iter().map(scalar).collect::<Read<_>>()?)
            }
            ("stack", cells) => Exp::Stack(self.operands(cells)?),
            ("index", [array, rest @ ..]) => {
                let (at, checked) = checked(rest);
                Exp::Index { array: self.var(array)?, at: self.operands(at)?, checked }
            }
            ("slice", [array, start, step, rest @ ..]) => {
                let checked = checked(rest).1;
                Exp::Slice { array: self.var(array)?, start: self.operand(start)?, step: self.operand(step)?, checked }
            }
            ("rotate", [array, by]) => Exp::Rotate { array: self.var(array)?, by: self.operand(by)? },
            ("rearrange", [array, perm @ ..]) => {
                let dim = |at: &Sexp| match at.kind {
                    SexpKind::Scalar(Scalar::I64(k)) => usize::try_from(k).or_else(|_| expected(at, "a dimension")),
                    _ => expected(at, "a dimension"),
                };
                Exp::Rearrange { array: self.var(array)?, perm: perm.iter().map(dim).collect::<Read<_>>()? }
            }
            ("reshape", [array]) => Exp::Reshape(self.var(array)?),
            ("coerce", [array]) => Exp::Coerce(self.var(array)?),
            ("rep", [a]) => Exp::Rep(self.operand(a)?),
            ("iota", [start, step]) => Exp::Iota { start: self.operand(start)?, step: self.operand(step)? },
            ("concat", arrays) if !arrays.is_empty() => Exp::Concat(self.var_list(arrays)?),
            ("update", [array, indices, value, rest @ ..]) => {
                let checked = checked(rest).1;
                let indices = self.operands(paren(indices, "indices")?)?;
                Exp::Update { array: self.var(array)?, at: indices, value: self.operand(value)?, checked }
            }
            ("update-slice", [array, start, step, value, rest @ ..]) => {
                let checked = checked(rest).1;
                let (start, step) = (self.operand(start)?, self.operand(step)?);
                Exp::UpdateSlice { array: self.var(array)?, start, step, value: self.var(value)?, checked }
            }
            ("range-count", [kind, a, s, b]) => {
                let kind = match kind.keyword() {
                    Some("upto") => RangeKind::Upto,
                    Some("downto") => RangeKind::Downto,
                    Some("through") => RangeKind::Through,
                    _ => return expected(kind, "`upto`, `downto` or `through`"),
                };
                Exp::RangeCount { kind, start: self.operand(a)?, step: self.operand(s)?, end: self.operand(b)? }
            }
            ("slice-count", [i, j, s, n]) => {
                Exp::SliceCount { start: self.operand(i)?, end: self.operand(j)?, step: self.operand(s)?, size: self.size(n)? }
            }
            ("check", args) => Exp::Check(self.check(at, args)?),
            ("call", [fun, args @ ..]) => {
                let id = name(fun)?;
                let Some(id) = self.funs.get(&id).copied() else { return error(fun, ErrorKind::NoFunction(id)) };
                Exp::Call(id, self.operands(args)?)
            }
            _ => return self.nest(at, word, args),
        })
    }

    /// Expressions with bodies.
    fn nest(&mut self, at: &Sexp, word: &'static str, args: &[Sexp]) -> Read<Exp> {
        Ok(match (word, args) {
            ("soac", args) => {
                let (width, inputs, lambda, rest) = self.inputs(at, args)?;
                let mut soac = Soac { width, inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
                for operator in rest {
                    match form(operator, "an operator")? {
                        ("scan", args) if soac.reduces.is_empty() => soac.scans.push(self.operator(operator, args)?),
                        ("reduce", args) => soac.reduces.push(self.operator(operator, args)?),
                        _ => return expected(operator, "`(scan ..)` and then `(reduce ..)`"),
                    }
                }
                Exp::Soac(soac)
            }
            ("seg", [space, body @ ..]) => {
                let (mut vars, mut sizes) = (Vec::new(), Vec::new());
                for item in paren(space, "a space")? {
                    let [id, size] = bracket(item, "`[i n]`")? else { return expected(item, "`[i n]`") };
                    sizes.push(self.size(size)?);
                    vars.push(self.declare(id)?);
                }
                let (body, rest) = self.body(at, body)?;
                let (mut reduces, mut scans) = (Vec::new(), Vec::new());
                for operator in rest {
                    match form(operator, "an operator")? {
                        ("scan", args) => scans.push(self.operator(operator, args)?),
                        ("reduce", args) => reduces.push(self.operator(operator, args)?),
                        _ => return expected(operator, "`(scan ..)` or `(reduce ..)`"),
                    }
                }
                let kind = match (reduces.is_empty(), scans.is_empty()) {
                    (true, true) => SegKind::Map,
                    (false, true) => SegKind::Reduce(reduces),
                    (true, false) => SegKind::Scan(scans),
                    (false, false) => return expected(at, "either scans or reductions"),
                };
                Exp::Seg(Box::new(Seg { space: vars, sizes, body, kind }))
            }
            ("filter", args) => {
                let (width, inputs, lambda, rest) = self.inputs(at, args)?;
                end(rest)?;
                Exp::Filter { width, inputs, lambda }
            }
            ("scatter", [dests, args @ ..]) => {
                let dests = self.var_list(paren(dests, "arrays")?)?;
                let (width, inputs, lambda, rest) = self.inputs(at, args)?;
                end(rest)?;
                Exp::Scatter { width, inputs, lambda, dests }
            }
            ("hist", [dests, args @ ..]) => {
                let dests = self.var_list(paren(dests, "arrays")?)?;
                let (width, inputs, lambda, rest) = self.inputs(at, args)?;
                let [operator] = rest else { return expected(at, "one operator at the end") };
                let operator = self.operator(operator, headed(operator, "with")?)?;
                Exp::Hist { width, inputs, lambda, dests, operator }
            }
            ("if", [cond, then, els]) => {
                let cond = self.operand(cond)?;
                let then = self.inner(then, "then")?;
                let els = self.inner(els, "else")?;
                Exp::If { cond, then, els }
            }
            ("loop", [params, how, body @ ..]) => self.looping(at, params, how, body)?,
            _ => return expected(at, "an expression"),
        })
    }
    fn inner(&mut self, at: &Sexp, word: &'static str) -> Read<Body> {
        let (body, rest) = self.body(at, headed(at, word)?)?;
        end(rest)?;
        Ok(body)
    }
    fn looping(&mut self, at: &Sexp, params: &Sexp, how: &Sexp, body: &[Sexp]) -> Read<Exp> {
        let items = paren(params, "parameters")?;
        let mut params = Vec::with_capacity(items.len());
        for item in items {
            let [id, _, init] = bracket(item, "`[x T init]`")? else { return expected(item, "`[x T init]`") };
            let init = self.operand(init)?;
            params.push((self.declare(id)?, init));
        }
        for (item, (var, _)) in items.iter().zip(&params) {
            if let SexpKind::Bracket(parts) = &item.kind {
                self.typed(*var, &parts[1])?;
            }
        }
        let form = match form(how, "`(for ..)` or `(while ..)`")? {
            ("for", [counter, n]) => {
                let counter = self.declare(counter)?;
                LoopForm::For(counter, self.operand(n)?)
            }
            ("while", _) => LoopForm::While(self.inner(how, "while")?),
            _ => return expected(how, "`(for i n)` or `(while ..)`"),
        };
        let (body, rest) = self.body(at, body)?;
        end(rest)?;
        Ok(Exp::Loop { params, form, body })
    }
    /// The width, inputs with their parameters, the lambda, and what follows.
    fn inputs<'s>(&mut self, at: &Sexp, args: &'s [Sexp]) -> Read<(Size, Vec<Var>, Lambda, &'s [Sexp])> {
        let [width, inputs, body @ ..] = args else { return expected(at, "a size, inputs and a body") };
        let width = self.size(width)?;
        let (mut arrays, mut params) = (Vec::new(), Vec::new());
        for item in paren(inputs, "inputs")? {
            let [id, ty, array] = bracket(item, "`[x T xs]`")? else { return expected(item, "`[x T xs]`") };
            arrays.push(self.var(array)?);
            let param = self.declare(id)?;
            self.typed(param, ty)?;
            params.push(param);
        }
        let (body, rest) = self.body(at, body)?;
        Ok((width, arrays, Lambda { params, body }, rest))
    }
    fn operator(&mut self, at: &Sexp, args: &[Sexp]) -> Read<Operator> {
        let (commutative, args) = match args.split_first() {
            Some((word, rest)) if word.keyword() == Some("commutative") => (true, rest),
            _ => (false, args),
        };
        let [neutral, params, body @ ..] = args else { return expected(at, "neutral elements, parameters and a body") };
        let neutral = self.operands(paren(neutral, "neutral elements")?)?;
        let params = self.binders(params)?;
        let (body, rest) = self.body(at, body)?;
        end(rest)?;
        Ok(Operator { lambda: Lambda { params, body }, neutral, commutative })
    }

    fn check(&self, at: &Sexp, args: &[Sexp]) -> Read<Check> {
        let Some((kind, args)) = args.split_first() else { return expected(at, "what is checked") };
        let sizes = |at: &Sexp| bracket(at, "sizes")?.iter().map(|size| self.size(size)).collect::<Read<Vec<_>>>();
        Ok(match (kind.keyword(), args) {
            (Some("bounds"), [i, n]) => Check::Bounds(self.operand(i)?, self.size(n)?),
            (Some("coerce"), [found, wanted]) => Check::Coerce(sizes(found)?, sizes(wanted)?),
            (Some("natural"), [n]) => Check::NonNegative(self.size(n)?),
            (Some("range"), [a, b]) => Check::Range(self.operand(a)?, self.operand(b)?),
            (Some("product"), [n, m]) => Check::Product(self.size(n)?, self.size(m)?),
            (Some("unflatten"), [found, n, m]) => Check::Unflatten(self.size(found)?, self.size(n)?, self.size(m)?),
            (Some("assert"), [cond, message]) => match &message.kind {
                SexpKind::Text(text) => Check::Assert(self.operand(cond)?, Symbol::new(text)),
                _ => return expected(message, "a string"),
            },
            _ => return expected(at, "a check"),
        })
    }
}

fn end(rest: &[Sexp]) -> Read<()> {
    rest.first().map_or(Ok(()), |extra| error(extra, ErrorKind::NothingMore))
}

#[cfg(test)]
mod tests {
    use super::super::{print, visit_mut};
    use super::*;
    use crate::base::SourceMap;
    use crate::diag::{Severity, text};

    fn read(source: &str) -> Result<Program, Vec<String>> {
        let mut sources = SourceMap::default();
        let file = sources.add("test.soac", source.to_owned());
        program(file, source).map_err(|all| {
            assert!(all.iter().all(|d| d.severity == Severity::Error), "only errors");
            all.iter().map(|d| format!("{}{}", d.message, if text::render(&sources, d, false).is_empty() { "?" } else { "" })).collect()
        })
    }

    const ALL: &str = r##"(let ([c.0 [f32 2]]) (literal 1.5f32 nanf32))

(fun g ([n.1 i64] [xs.2 [f32 n.1]]) ([k.3 i64] [r.4 [f32 k.3]])
  (let ([k.5 i64] [r.6 [f32 k.5]]) (filter n.1 ([x.7 f32 xs.2])
    (let ([t.8 bool]) (f32.< x.7 0.0f32))
    (return t.8 x.7)))
  (return k.5 r.6))

(entry f ([n.9 i64] [m.10 i64] [#"odd name.11" [f32 n.9 m.10]] [is.12 [i64 n.9]]) ([r.13 i64])
  (let () (check natural (+ -1 n.9 (* 2 n.9 m.10))))
  (let () (check bounds 0i64 n.9))
  (let () (check coerce [n.9 m.10] [m.10 3]))
  (let () (check unflatten n.9 m.10 2))
  (let () (check assert true "a \"message\""))
  (let ([t.14 [f32 m.10 n.9]]) (rearrange #"odd name.11" 1 0))
  (let ([s.15 [f32 2 n.9]]) (slice t.14 1i64 1i64))
  (let ([s.16 [f32 2 n.9]]) (slice t.14 1i64 -1i64 unchecked))
  (let ([row.17 [f32 n.9]]) (index t.14 0i64 unchecked))
  (let ([w.18 [f32 n.9]]) (scatter (row.17) n.9 ([i.19 i64 is.12] [x.20 f32 row.17])
    (return i.19 x.20)))
  (let ([h.21 [f32 n.9]]) (hist (w.18) n.9 ([i.22 i64 is.12])
    (return i.22 1.0f32)
    (with commutative (0.0f32) ([a.23 f32] [b.24 f32])
      (let ([t.25 f32]) (f32.+ a.23 b.24))
      (return t.25))))
  (let ([u.26 [f32 n.9]]) (update h.21 (0i64) 2.0f32 unchecked))
  (let ([v.27 [f32 n.9]]) (update-slice u.26 0i64 1i64 row.17))
  (let ([q.28 [f32 n.9]]) (rotate v.27 -3i64))
  (let ([j.29 [f32 (* 2 n.9)]]) (concat q.28 v.27))
  (let ([y.30 [f32 2 n.9]]) (reshape j.29))
  (let ([p.31 [f32 n.9]] [s.32 f32]) (soac n.9 ([x.33 f32 q.28])
    (return x.33 x.33)
    (scan (0.0f32) ([a.34 f32] [b.35 f32])
      (let ([t.36 f32]) (f32.+ a.34 b.35))
      (return t.36))
    (reduce (0.0f32) ([a.37 f32] [b.38 f32])
      (let ([t.39 f32]) (f32.+ a.37 b.38))
      (return t.39))))
  (let ([c.40 bool]) (f32.> s.32 0.0f32))
  (let ([k.41 i64]) (range-count upto 0i64 2i64 n.9))
  (let ([k.42 i64]) (slice-count 0i64 n.9 2i64 n.9))
  (let ([e.43 i64]) (if c.40
    (then
      (return k.41))
    (else
      (return k.42))))
  (let ([l.44 i64]) (loop ([a.45 i64 e.43]) (for i.46 n.9)
    (let ([b.47 i64]) (i64.+ a.45 i.46))
    (return b.47)))
  (let ([l.48 i64]) (loop ([a.49 i64 l.44])
    (while
      (let ([b.50 bool]) (i64.> a.49 0i64))
      (return b.50))
    (return 0i64)))
  (let ([k.51 i64] [r.52 [f32 k.51]]) (call g.0 n.9 v.27))
  (let ([z.53 i64]) (size (+ n.9 k.51)))
  (let ([z.54 [i64 1]]) (stack z.53))
  (let ([z.55 [i64 4]]) (iota 0i64 1i64))
  (let ([z.56 [i64 4]]) (rep z.53))
  (let ([z.57 [i64 n.9]]) (coerce z.56))
  (let ([z.58 i64]) (copy l.48))
  (return z.58))
"##;

    #[test]
    fn every_form_is_read_back() {
        let program = read(ALL).expect("it is valid");
        assert_eq!(print::program(&program), ALL);
        let mut again = program.clone();
        visit_mut::renumber(&mut again);
        assert_eq!(print::program(&again), ALL);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let first = |text: &str| read(text).expect_err("refused").remove(0);
        assert_eq!(first("(entry f () ()"), "this is never closed: `)` is missing");
        assert_eq!(first("(entry f () () (return x.1))"), "`x.1` is not bound");
        assert_eq!(first("(entry f () ())"), "expected `(return ..)` at the end");
        assert_eq!(first("(entry f () () (let ([x i64] [x i64]) (copy 1)) (return))"), "`x` is bound twice");
        assert_eq!(first("(entry f ([x i64]) ([r f32]) (return x))").split(':').next(), Some("the program is not valid"));
        assert_eq!(first("(entry f () () (let ([x i64]) (frob 1)) (return))"), "expected an expression");
        assert_eq!(first("(entry f () () (let ([x [i64 (* (+ 1 2) 3)]]) (copy 1)) (return))").split(':').next(), Some("expected a size"));
    }

    #[test]
    fn damaged_texts_are_refused_or_read() {
        // Each text is one that is read with a piece cut out or doubled.
        let bytes: Vec<usize> = ALL.char_indices().map(|(i, _)| i).collect();
        let mut refused = 0;
        for (from, to) in bytes.iter().step_by(37).flat_map(|i| [1, 5, 40].map(|len| (*i, (*i + len).min(ALL.len())))) {
            let cut = format!("{}{}", &ALL[..from], &ALL[to..]);
            let doubled = format!("{}{}", &ALL[..to], &ALL[from..]);
            refused += usize::from(read(&cut).is_err()) + usize::from(read(&doubled).is_err());
        }
        assert!(refused > 100, "{refused}");
    }

    #[test]
    fn functions_call_earlier_ones_only() {
        assert!(read("(fun f () () (return)) (entry g () () (let () (call f.0)) (return))").is_ok());
        assert!(read("(entry f () () (let () (call f.0)) (return))").is_err());
    }
}
