//! Common subexpressions: a statement that computes what an earlier one in scope has computed becomes that one's results.
//!
//! Law: statements are functions of what they mention, so equal ones have equal values; the later one fails only where the earlier one
//! already did. Array operators are compared up to the names of what they bind.

use crate::base::mutation::mutated;
use crate::base::{Scalar, Span};
use crate::ir::soac::visit::Part;
use crate::ir::soac::visit_mut::Subst;
use crate::ir::soac::{Body, Check, Exp, LoopForm, Operand, Operator, Program, RangeKind, SegKind, Size, Stm, Type, Var};
use rustc_hash::FxHashMap;

/// Removes common subexpressions.
pub fn cse(mut program: Program) -> Program {
    let mut cse = Cse { program: &program, subst: Subst::default(), known: FxHashMap::default(), added: Vec::new() };
    let mut consts = program.consts.clone();
    let mut bodies: Vec<Body> = program.funs.iter().map(|(_, fun)| fun.body.clone()).collect();
    cse.stms(&mut consts);
    for body in &mut bodies {
        cse.body(body);
    }
    let subst = cse.subst;
    program.consts = consts;
    for (id, body) in program.fun_ids().zip(bodies) {
        program.funs[id].body = body;
    }
    subst.types(&mut program);
    program
}

/// Whether two operators are the same up to the names of what they bind.
pub(super) fn same_operator(program: &Program, a: &Operator, b: &Operator) -> bool {
    let cse = Cse { program, subst: Subst::default(), known: FxHashMap::default(), added: Vec::new() };
    let key = |operator: &Operator| {
        let mut writer = Writer { cse: &cse, key: Vec::new(), bound: FxHashMap::default() };
        operator.neutral.iter().for_each(|a| writer.operand(*a));
        writer.body(&operator.lambda.params, &operator.lambda.body);
        writer.key
    };
    a.neutral.len() == b.neutral.len() && key(a) == key(b)
}

/// What a statement computes, as words.
type Key = Vec<u64>;

struct Cse<'p> {
    program: &'p Program,
    subst: Subst,
    /// Results of statements in scope.
    known: FxHashMap<Key, Vec<Var>>,
    added: Vec<Key>,
}

impl Cse<'_> {
    fn body(&mut self, body: &mut Body) {
        let mark = self.added.len();
        self.stms(&mut body.stms);
        for operand in &mut body.result {
            *operand = self.subst.operand(*operand);
        }
        for key in self.added.drain(mark..) {
            self.known.remove(&key);
        }
    }
    fn stms(&mut self, stms: &mut Vec<Stm>) {
        stms.retain_mut(|stm| {
            self.subst.parts(&mut stm.exp);
            stm.exp.bodies_mut(&mut |body| self.body(body));
            let Some(key) = self.key(stm) else { return true };
            match self.known.get(&key) {
                Some(earlier) => {
                    for (var, earlier) in stm.pat.iter().zip(earlier.clone()) {
                        self.subst.operands.insert(*var, Operand::Var(earlier));
                    }
                    false
                }
                None => {
                    self.known.insert(key.clone(), stm.pat.clone());
                    self.added.push(key);
                    true
                }
            }
        });
    }
    /// Loops and branches are left alone: they are large and seldom equal.
    fn key(&self, stm: &Stm) -> Option<Key> {
        if matches!(stm.exp, Exp::Loop { .. } | Exp::If { .. }) {
            return None;
        }
        let mut writer = Writer { cse: self, key: Vec::with_capacity(16), bound: FxHashMap::default() };
        writer.stm(stm);
        Some(writer.key)
    }
}

/// What a word of a key begins.
#[derive(Debug, Clone, Copy)]
enum Tag {
    Bound,
    Free,
    Constant,
    Complex,
    Polynomial,
    Type,
    Binders,
    StatementEnd,
    Results,
    Copy,
    Scalar,
    Size,
    Literal,
    Stack,
    Index,
    Slice,
    Rotate,
    Rearrange,
    Reshape,
    Coerce,
    Rep,
    Iota,
    Concat,
    Update,
    UpdateSlice,
    RangeCount,
    SliceCount,
    Bounds,
    CheckCoerce,
    NonNegative,
    Unflatten,
    CheckRange,
    Product,
    Assert,
    Soac,
    Scan,
    Reduce,
    Seg,
    SegOperator,
    Filter,
    Rows,
    Scatter,
    Hist,
    HistOperator,
    If,
    Loop,
    Call,
}

struct Writer<'c, 'p> {
    cse: &'c Cse<'p>,
    key: Key,
    /// Numbers of the variables that the statement binds.
    bound: FxHashMap<Var, u64>,
}

impl Writer<'_, '_> {
    fn word(&mut self, word: u64) {
        self.key.push(word);
    }
    /// A word that says what follows, with a number below 2^40.
    fn tag(&mut self, tag: Tag, number: u64) {
        self.word((tag as u64) << 40 | number);
    }
    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        text.as_bytes().chunks(8).for_each(|chunk| self.word(chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))));
    }
    fn bind(&mut self, var: Var) {
        let number = self.bound.len() as u64;
        self.bound.insert(var, number);
    }
    fn var(&mut self, var: Var) {
        match self.bound.get(&var) {
            Some(number) => self.tag(Tag::Bound, *number),
            None => self.tag(Tag::Free, var.raw() as u64),
        }
    }
    fn scalar(&mut self, scalar: Scalar) {
        if let Some((re, im)) = scalar.parts() {
            self.tag(Tag::Complex, 0);
            self.scalar(re);
            return self.scalar(im);
        }
        self.tag(Tag::Constant, scalar.prim() as u64);
        let bits = match scalar {
            Scalar::F16(v) => u64::from(v.to_bits()),
            Scalar::F32(v) => u64::from(v.to_bits()),
            Scalar::F64(v) => mutated!(MergeSigns, v.to_bits(), v.to_bits() << 1),
            other @ (Scalar::I8(_)
            | Scalar::I16(_)
            | Scalar::I32(_)
            | Scalar::I64(_)
            | Scalar::U8(_)
            | Scalar::U16(_)
            | Scalar::U32(_)
            | Scalar::U64(_)
            | Scalar::C64(_)
            | Scalar::C128(_)
            | Scalar::Bool(_)) => {
                other.as_i128().unwrap_or_else(|| crate::ice!(Span::default(), "{other} is neither an integer nor a float")) as u64
            }
        };
        self.word(bits);
    }
    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Const(scalar) => self.scalar(scalar),
            Operand::Var(var) => self.var(var),
        }
    }
    fn size(&mut self, size: &Size) {
        let size = self.cse.subst.size(size);
        self.tag(Tag::Polynomial, size.extent().0 as u64);
        for (monomial, coefficient) in size.terms() {
            self.word(monomial.len() as u64);
            self.word(coefficient as u64);
            monomial.iter().for_each(|var| self.var(*var));
        }
    }
    fn ty(&mut self, ty: &Type) {
        self.tag(Tag::Type, (ty.rank() as u64) << 8 | ty.elem as u64);
        ty.shape.iter().for_each(|size| self.size(size));
    }
    fn binders(&mut self, vars: &[Var]) {
        self.tag(Tag::Binders, vars.len() as u64);
        vars.iter().for_each(|var| self.bind(*var));
        vars.iter().for_each(|var| self.ty(&self.cse.program.vars[*var].ty));
    }
    fn stm(&mut self, stm: &Stm) {
        self.binders(&stm.pat);
        self.head(&stm.exp);
        stm.exp.parts(&mut |part| match part {
            Part::Operand(a) => self.operand(a),
            Part::Array(var) => self.var(var),
            Part::Size(size) => self.size(size),
            Part::Body(params, body) => self.body(params, body),
        });
        self.tag(Tag::StatementEnd, 0);
    }
    fn body(&mut self, params: &[Var], body: &Body) {
        self.binders(params);
        body.stms.iter().for_each(|stm| self.stm(stm));
        self.tag(Tag::Results, body.result.len() as u64);
        body.result.iter().for_each(|a| self.operand(*a));
    }
    fn operator(&mut self, tag: Tag, operator: &Operator) {
        self.tag(tag, (operator.neutral.len() as u64) << 1 | u64::from(operator.commutative));
    }
    /// The form of an expression, and what those of the same form differ in besides their parts.
    fn head(&mut self, exp: &Exp) {
        match exp {
            Exp::Copy(_) => self.tag(Tag::Copy, 0),
            Exp::Scalar(op, _) => {
                self.tag(Tag::Scalar, 0);
                self.text(&mutated!(MergeOperators, op.name(), if self.bound.len() > 1 { "".into() } else { op.name() }));
            }
            Exp::Size(_) => self.tag(Tag::Size, 0),
            Exp::Literal(items) => {
                self.tag(Tag::Literal, items.len() as u64);
                items.iter().for_each(|item| self.scalar(*item));
            }
            Exp::Stack(_) => self.tag(Tag::Stack, 0),
            // Whether bounds are checked does not matter: after the earlier statement the indices are known to be in bounds.
            Exp::Index { .. } => self.tag(Tag::Index, 0),
            Exp::Slice { .. } => self.tag(Tag::Slice, 0),
            Exp::Rotate { .. } => self.tag(Tag::Rotate, 0),
            Exp::Rearrange { perm, .. } => {
                self.tag(Tag::Rearrange, perm.len() as u64);
                perm.iter().for_each(|dim| self.word(*dim as u64));
            }
            Exp::Reshape(_) => self.tag(Tag::Reshape, 0),
            Exp::Coerce(_) => self.tag(Tag::Coerce, 0),
            Exp::Rep(_) => self.tag(Tag::Rep, 0),
            Exp::Iota { .. } => self.tag(Tag::Iota, 0),
            Exp::Concat(_) => self.tag(Tag::Concat, 0),
            Exp::Update { .. } => self.tag(Tag::Update, 0),
            Exp::UpdateSlice { .. } => self.tag(Tag::UpdateSlice, 0),
            Exp::RangeCount { kind, .. } => {
                let kind = match kind {
                    RangeKind::Upto => 0,
                    RangeKind::Downto => mutated!(MergeRanges, 1, 0),
                    RangeKind::Through => 2,
                };
                self.tag(Tag::RangeCount, kind);
            }
            Exp::SliceCount { .. } => self.tag(Tag::SliceCount, 0),
            Exp::Check(check) => match check {
                Check::Bounds(..) => self.tag(Tag::Bounds, 0),
                Check::Coerce(found, _) => self.tag(Tag::CheckCoerce, found.len() as u64),
                Check::NonNegative(_) => self.tag(Tag::NonNegative, 0),
                Check::Unflatten(..) => self.tag(Tag::Unflatten, 0),
                Check::Range(..) => self.tag(Tag::CheckRange, 0),
                Check::Product(..) => self.tag(Tag::Product, 0),
                Check::Assert(_, message) => {
                    self.tag(Tag::Assert, 0);
                    self.text(message.as_str());
                }
            },
            Exp::Soac(soac) => {
                self.tag(Tag::Soac, 0);
                for (operators, tag) in [(&soac.scans, Tag::Scan), (&soac.reduces, Tag::Reduce)] {
                    operators.iter().for_each(|operator| self.operator(tag, operator));
                }
            }
            Exp::Seg(seg) => {
                let kind: u64 = match seg.kind {
                    SegKind::Map => 0,
                    SegKind::Reduce(_) => 1,
                    SegKind::Scan(_) => 2,
                };
                self.tag(Tag::Seg, kind | (seg.space.len() as u64) << 2);
                seg.kind.operators().iter().for_each(|operator| self.operator(Tag::SegOperator, operator));
            }
            Exp::Filter { .. } => self.tag(Tag::Filter, 0),
            Exp::Rows { .. } => self.tag(Tag::Rows, 0),
            Exp::Scatter { dests, .. } => self.tag(Tag::Scatter, dests.len() as u64),
            Exp::Hist { dests, operator, .. } => {
                self.tag(Tag::Hist, dests.len() as u64);
                self.operator(Tag::HistOperator, operator);
            }
            Exp::If { .. } => self.tag(Tag::If, 0),
            Exp::Loop { params, form, .. } => {
                // The parameters are bound, but are no parts.
                self.tag(Tag::Loop, u64::from(matches!(form, LoopForm::For(..))));
                let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
                self.binders(&vars);
            }
            Exp::Call(id, _) => self.tag(Tag::Call, id.raw() as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::cse;

    #[test]
    fn equal_statements_are_one() {
        body_becomes(
            &[cse],
            "([n i64] [xs [f32 n]] [i i64]) ([R f32] [S [f32 n]])",
            "(let ([a f32]) (index xs i))
             (let ([p [f32 n]]) (soac n ([x f32 xs]) (let ([q f32]) (f32.* x a)) (return q)))
             (let ([b f32]) (index xs i))
             (let ([r [f32 n]]) (soac n ([y f32 xs]) (let ([c f32]) (index xs i)) (let ([s f32]) (f32.* y c)) (return s)))
             (let ([t [f32 n]]) (soac n ([u f32 p] [v f32 r]) (let ([w f32]) (f32.+ u v)) (return w)))
             (return b t)",
            "(let ([a f32]) (index xs i))
             (let ([p [f32 n]]) (soac n ([x f32 xs]) (let ([q f32]) (f32.* x a)) (return q)))
             (let ([t [f32 n]]) (soac n ([u f32 p] [v f32 p]) (let ([w f32]) (f32.+ u v)) (return w)))
             (return a t)",
        );
    }

    #[test]
    fn types_and_places_count() {
        // Of another size, and in branches that do not see each other.
        stays(
            &[cse],
            "([n i64] [m i64] [c bool]) ([R [i64 n]] [S [i64 m]] [T i64])",
            "(let ([a [i64 n]]) (iota 0 1))
             (let ([b [i64 m]]) (iota 0 1))
             (let ([d i64]) (if c
               (then (let ([p i64]) (i64.* n m)) (return p))
               (else (let ([q i64]) (i64.* n m)) (return q))))
             (return a b d)",
        );
    }
}
