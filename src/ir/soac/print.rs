//! The notation: s-expressions, a statement a line, inner bodies indented.
//!
//! ```text
//! (entry f ([n.0 i64] [xs.1 [f32 n.0]]) ([r.5 f32])
//!   (let ([r.4 f32]) (soac n.0 ([x.2 f32 xs.1])
//!     (let ([y.3 f32]) (f32.* x.2 x.2))
//!     (return y.3)
//!     (reduce (0.0f32) ([a.6 f32] [b.7 f32])
//!       ..)))
//!   (return r.4))
//! ```
//!
//! Variables are written with their numbers, since names are not unique. What is no symbol is quoted, `#"odd name.3"`.
//! [`read`](super::read) reads it back.

use super::{Body, Check, Exp, Fun, Lambda, LoopForm, Operand, Operator, Program, RangeKind, SegKind, Size, Stm, Type, Var, single_exp};
use crate::base::Symbol;
use crate::ir::core::sexp::{is_plain, quoted_text, scalar_text};
use std::fmt::Write;

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut printer = Printer { program, out: String::new(), indent: 0 };
    for stm in &program.consts {
        printer.stm(stm);
        printer.out.push('\n');
    }
    for (i, (_, fun)) in program.funs.iter().enumerate() {
        if i > 0 || !program.consts.is_empty() {
            printer.out.push('\n');
        }
        printer.fun(fun);
    }
    printer.out
}

/// One statement, for messages.
pub fn stm(program: &Program, stm: &Stm) -> String {
    let mut printer = Printer { program, out: String::new(), indent: 0 };
    printer.stm(stm);
    printer.out
}

/// A type.
pub fn ty(program: &Program, ty: &Type) -> String {
    let mut printer = Printer { program, out: String::new(), indent: 0 };
    printer.ty(ty);
    printer.out
}

/// A variable with its number.
pub fn var(program: &Program, var: Var) -> String {
    numbered(program.vars[var].name, var.raw())
}

/// A name with a number as one symbol.
fn numbered(name: Symbol, number: usize) -> String {
    symbol(format!("{name}.{number}"))
}
fn symbol(text: String) -> String {
    if is_plain(&text, false) { text } else { format!("#{}", quoted_text(&text)) }
}

struct Printer<'p> {
    program: &'p Program,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }
    fn var(&mut self, var: Var) {
        self.out.push_str(&numbered(self.program.vars[var].name, var.raw()));
    }
    fn ty(&mut self, ty: &Type) {
        if ty.shape.is_empty() {
            return self.put(ty.elem.name());
        }
        let _ = write!(self.out, "[{}", ty.elem);
        for size in &ty.shape {
            self.put(" ");
            self.size(size);
        }
        self.put("]");
    }
    fn size(&mut self, size: &Size) {
        let terms: Vec<_> = size.terms().collect();
        match terms.as_slice() {
            [] => self.put("0"),
            [term] => self.term(term),
            terms => {
                self.put("(+");
                for term in terms {
                    self.put(" ");
                    self.term(term);
                }
                self.put(")");
            }
        }
    }
    fn term(&mut self, (monomial, coefficient): &(&[Var], i64)) {
        match (monomial, coefficient) {
            ([], c) => {
                let _ = write!(self.out, "{c}");
            }
            ([var], 1) => self.var(*var),
            (vars, c) => {
                self.put("(*");
                if *c != 1 {
                    let _ = write!(self.out, " {c}");
                }
                for var in *vars {
                    self.put(" ");
                    self.var(*var);
                }
                self.put(")");
            }
        }
    }
    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Const(scalar) => self.put(&scalar_text(scalar)),
            Operand::Var(var) => self.var(var),
        }
    }
    fn operands(&mut self, operands: &[Operand]) {
        for operand in operands {
            self.put(" ");
            self.operand(*operand);
        }
    }
    /// `(a b ..)`
    fn group(&mut self, operands: &[Operand]) {
        self.put(" (");
        for (i, operand) in operands.iter().enumerate() {
            if i > 0 {
                self.put(" ");
            }
            self.operand(*operand);
        }
        self.put(")");
    }
    /// `([x T] ..)`
    fn binders(&mut self, vars: &[Var]) {
        self.put("(");
        for (i, var) in vars.iter().enumerate() {
            if i > 0 {
                self.put(" ");
            }
            self.put("[");
            self.var(*var);
            self.put(" ");
            self.ty(&self.program.vars[*var].ty);
            self.put("]");
        }
        self.put(")");
    }
    fn fun(&mut self, fun: &Fun) {
        let _ = write!(
            self.out,
            "({} {} ",
            if fun.entry {
                "entry"
            } else if fun.recursive {
                "fun-rec"
            } else {
                "fun"
            },
            symbol(fun.name.to_string())
        );
        self.binders(&fun.params);
        self.put(" ");
        self.binders(&fun.results);
        self.body(&fun.body);
        self.put(")\n");
    }
    /// The statements and the result, each on a line of its own.
    fn body(&mut self, body: &Body) {
        self.indent += 1;
        for stm in &body.stms {
            self.line();
            self.stm(stm);
        }
        self.line();
        self.put("(return");
        self.operands(&body.result);
        self.put(")");
        self.indent -= 1;
    }
    fn stm(&mut self, stm: &Stm) {
        self.put("(let ");
        self.binders(&stm.pat);
        self.put(" (");
        self.exp(&stm.exp);
        self.put("))");
    }
    /// Inputs of a soac with the parameters that stand for their cells.
    fn inputs(&mut self, width: &Size, inputs: &[Var], lambda: &Lambda) {
        self.put(" ");
        self.size(width);
        self.put(" (");
        for (i, (param, input)) in lambda.params.iter().zip(inputs).enumerate() {
            if i > 0 {
                self.put(" ");
            }
            self.put("[");
            self.var(*param);
            self.put(" ");
            self.ty(&self.program.vars[*param].ty);
            self.put(" ");
            self.var(*input);
            self.put("]");
        }
        self.put(")");
        self.body(&lambda.body);
    }
    fn operator(&mut self, head: &str, operator: &Operator) {
        self.indent += 1;
        self.line();
        self.put("(");
        self.put(head);
        if operator.commutative {
            self.put(" commutative");
        }
        self.group(&operator.neutral);
        self.put(" ");
        self.binders(&operator.lambda.params);
        self.body(&operator.lambda.body);
        self.put(")");
        self.indent -= 1;
    }
    fn inner(&mut self, head: &str, body: &Body) {
        self.indent += 1;
        self.line();
        self.put("(");
        self.put(head);
        self.body(body);
        self.put(")");
        self.indent -= 1;
    }
    fn array(&mut self, head: &str, array: Var) {
        self.put(head);
        self.put(" ");
        self.var(array);
    }
    fn checked(&mut self, checked: bool) {
        if !checked {
            self.put(" unchecked");
        }
    }
    fn vars(&mut self, vars: &[Var]) {
        self.group(&vars.iter().map(|var| Operand::Var(*var)).collect::<Vec<_>>());
    }

    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Copy(a) => {
                self.put("copy");
                self.operands(&[*a]);
            }
            Exp::Scalar(op, args) => {
                self.put(&op.name());
                self.operands(args);
            }
            Exp::Size(size) => {
                self.put("size ");
                self.size(size);
            }
            Exp::Literal(items) => {
                self.put("literal");
                for item in items {
                    self.put(" ");
                    self.put(&scalar_text(*item));
                }
            }
            Exp::Stack(cells) => {
                self.put("stack");
                self.operands(cells);
            }
            Exp::Index { array, at, checked } => {
                self.array("index", *array);
                self.operands(at);
                self.checked(*checked);
            }
            Exp::Slice { array, start, step, checked } => {
                self.array("slice", *array);
                self.operands(&[*start, *step]);
                self.checked(*checked);
            }
            Exp::Rotate { array, by } => {
                self.array("rotate", *array);
                self.operands(&[*by]);
            }
            Exp::Rearrange { array, perm } => {
                self.array("rearrange", *array);
                for dim in perm {
                    let _ = write!(self.out, " {dim}");
                }
            }
            Exp::Reshape(array) => self.array("reshape", *array),
            Exp::Coerce(array) => self.array("coerce", *array),
            Exp::Rep(a) => {
                self.put("rep");
                self.operands(&[*a]);
            }
            Exp::Iota { start, step } => {
                self.put("iota");
                self.operands(&[*start, *step]);
            }
            Exp::Concat(arrays) => {
                self.put("concat");
                for array in arrays {
                    self.array("", *array);
                }
            }
            Exp::Update { array, at, value, checked } => {
                self.array("update", *array);
                self.group(at);
                self.operands(&[*value]);
                self.checked(*checked);
            }
            Exp::UpdateSlice { array, start, step, value, checked } => {
                self.array("update-slice", *array);
                self.operands(&[*start, *step, Operand::Var(*value)]);
                self.checked(*checked);
            }
            Exp::RangeCount { kind, start, step, end } => {
                self.put(match kind {
                    RangeKind::Upto => "range-count upto",
                    RangeKind::Downto => "range-count downto",
                    RangeKind::Through => "range-count through",
                });
                self.operands(&[*start, *step, *end]);
            }
            Exp::SliceCount { start, end, step, size } => {
                self.put("slice-count");
                self.operands(&[*start, *end, *step]);
                self.put(" ");
                self.size(size);
            }
            Exp::Check(check) => self.check(check),
            Exp::Call(fun, args) => {
                self.put("call ");
                self.put(&numbered(self.program.funs[*fun].name, fun.raw()));
                self.operands(args);
            }
            Exp::Soac(_)
            | Exp::Seg(_)
            | Exp::Filter { .. }
            | Exp::Scatter { .. }
            | Exp::Hist { .. }
            | Exp::If { .. }
            | Exp::Loop { .. } => self.nest(exp),
        }
    }

    /// Expressions with bodies.
    fn nest(&mut self, exp: &Exp) {
        match exp {
            Exp::Soac(soac) => {
                self.put("soac");
                self.inputs(&soac.width, &soac.inputs, &soac.lambda);
                soac.scans.iter().for_each(|op| self.operator("scan", op));
                soac.reduces.iter().for_each(|op| self.operator("reduce", op));
            }
            Exp::Seg(seg) => {
                self.put("seg (");
                for (i, (var, size)) in seg.space.iter().zip(&seg.sizes).enumerate() {
                    self.put(if i > 0 { " [" } else { "[" });
                    self.var(*var);
                    self.put(" ");
                    self.size(size);
                    self.put("]");
                }
                self.put(")");
                self.body(&seg.body);
                match &seg.kind {
                    SegKind::Map => {}
                    SegKind::Reduce(operators) => operators.iter().for_each(|op| self.operator("reduce", op)),
                    SegKind::Scan(operators) => operators.iter().for_each(|op| self.operator("scan", op)),
                }
            }
            Exp::Filter { width, inputs, lambda } => {
                self.put("filter");
                self.inputs(width, inputs, lambda);
            }
            Exp::Scatter { width, inputs, lambda, dests } => {
                self.put("scatter");
                self.vars(dests);
                self.inputs(width, inputs, lambda);
            }
            Exp::Hist { width, inputs, lambda, dests, operator } => {
                self.put("hist");
                self.vars(dests);
                self.inputs(width, inputs, lambda);
                self.operator("with", operator);
            }
            Exp::If { cond, then, els } => {
                self.put("if");
                self.operands(&[*cond]);
                self.inner("then", then);
                self.inner("else", els);
            }
            Exp::Loop { params, form, body } => {
                self.put("loop (");
                for (i, (param, init)) in params.iter().enumerate() {
                    if i > 0 {
                        self.put(" ");
                    }
                    self.put("[");
                    self.var(*param);
                    self.put(" ");
                    self.ty(&self.program.vars[*param].ty);
                    self.operands(&[*init]);
                    self.put("]");
                }
                self.put(")");
                match form {
                    LoopForm::For(i, n) => {
                        self.put(" (for ");
                        self.var(*i);
                        self.operands(&[*n]);
                        self.put(")");
                        self.body(body);
                    }
                    LoopForm::While(cond) => {
                        self.inner("while", cond);
                        self.body(body);
                    }
                }
            }
            single_exp!() | Exp::Check(_) | Exp::Call(..) => {}
        }
    }

    fn check(&mut self, check: &Check) {
        let sizes = |printer: &mut Self, sizes: &[&Size]| {
            for size in sizes {
                printer.put(" ");
                printer.size(size);
            }
        };
        match check {
            Check::Bounds(i, n) => {
                self.put("check bounds");
                self.operands(&[*i]);
                sizes(self, &[n]);
            }
            Check::Coerce(found, wanted) => {
                self.put("check coerce");
                for list in [found, wanted] {
                    self.put(" [");
                    for (i, size) in list.iter().enumerate() {
                        if i > 0 {
                            self.put(" ");
                        }
                        self.size(size);
                    }
                    self.put("]");
                }
            }
            Check::NonNegative(n) => {
                self.put("check natural");
                sizes(self, &[n]);
            }
            Check::Range(a, b) => {
                self.put("check range");
                self.operands(&[*a, *b]);
            }
            Check::Product(n, m) => {
                self.put("check product");
                sizes(self, &[n, m]);
            }
            Check::Unflatten(found, n, m) => {
                self.put("check unflatten");
                sizes(self, &[found, n, m]);
            }
            Check::Assert(cond, message) => {
                self.put("check assert");
                self.operands(&[*cond]);
                self.put(" ");
                self.put(&quoted_text(message.as_str()));
            }
        }
    }
}
