//! Strip-mining: a loop of n iterations as k nested loops of about n^(1/k) iterations each, `#[stripmine(k)]`.
//!
//! Law (Schenck 2024, section 3.3.1): the iterations are the same ones in the same order. In reverse mode each loop keeps the values of its
//! variables at the beginning of its own iterations only, and runs what is inside of them again on the way back: k n^(1/k) states are kept
//! instead of n, and each statement runs at most k + 1 times.
//!
//! Blocks of the inner loops have m, m^2, .. iterations, where m is one more than the integer part of n^(1/k); the last block of each loop ends
//! with the whole loop. So any m is right, however the root is rounded.

use super::build::Build;
use super::loops::sizes_change;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span};
use crate::ir::soac::visit_mut::{Subst, rebind_all};
use crate::ir::soac::{Body, Exp, LoopForm, Operand, Program, Stm, Type, Var};

/// The loops of a body that are to be strip-mined, wherever they are in it, are.
pub(super) fn strip_mined(program: &mut Program, body: Body) -> Body {
    if program.stripmined.is_empty() {
        return body;
    }
    let mut build = Build { program, stms: Vec::new(), span: Span::default() };
    build.strip_mined(body)
}

/// A loop that is taken apart.
struct Strips {
    /// How many iterations it has.
    count: Operand,
    /// How many iterations each loop but the outermost has at most.
    most: Operand,
    /// How many iterations of the loop one iteration stands for, of each loop from the innermost to the outermost.
    lengths: Vec<Operand>,
    params: Vec<(Var, Operand)>,
    counter: Var,
}

impl Build<'_> {
    fn strip_mined(&mut self, body: Body) -> Body {
        let outer = std::mem::take(&mut self.stms);
        for mut stm in body.stms {
            stm.exp.bodies_mut(&mut |inner| *inner = self.strip_mined(std::mem::take(inner)));
            self.span = stm.span;
            let depth = self.program.strip_mining(stm.span).unwrap_or(1);
            match stm {
                Stm { pat, exp: Exp::Loop { params, form, body }, span } if depth > 1 && !sizes_change(self.program, &params) => {
                    // A derivative of the derivative does not take the new loops apart again.
                    self.span = Span { end: span.start, ..span };
                    self.strips_of(pat, params, form, body, depth);
                }
                stm => self.stms.push(stm),
            }
        }
        Body { stms: std::mem::replace(&mut self.stms, outer), result: body.result }
    }

    fn strips_of(&mut self, pat: Vec<Var>, params: Vec<(Var, Operand)>, form: LoopForm, body: Body, depth: u32) {
        let int = PrimType::I64;
        let (counter, count) = match form {
            LoopForm::For(counter, count) => (counter, count),
            LoopForm::While(cond) => {
                let count = self.counted(&params, &cond, &body);
                (self.fresh("i".into(), Type::scalar(int)), count)
            }
        };
        let count = self.op(Op::Max, int, &[count, Operand::int(0)]);
        let float = self.scalar(ScalarOp::new(Op::Convert(int), PrimType::F64), &[count]);
        let exponent = Operand::Const(Scalar::F64(1.0 / f64::from(depth)));
        let root = self.op(Op::Pow, PrimType::F64, &[float, exponent]);
        let root = self.scalar(ScalarOp::new(Op::Convert(PrimType::F64), int), &[root]);
        let most = self.op(Op::Add, int, &[root, Operand::int(1)]);
        let mut lengths = vec![Operand::int(1)];
        for level in 1..depth as usize {
            let length = self.op(Op::Mul, int, &[lengths[level - 1], most]);
            lengths.push(length);
        }
        let inits = params.iter().map(|(_, init)| *init).collect();
        let strips = Strips { count, most, lengths, params, counter };
        self.strip(&strips, depth as usize - 1, Operand::int(0), inits, (pat, body));
    }

    /// The loop of a level, whose first iteration is that one of the whole loop. Its results are bound to these variables.
    fn strip(&mut self, strips: &Strips, level: usize, start: Operand, inits: Vec<Operand>, (pat, body): (Vec<Var>, Body)) {
        let int = PrimType::I64;
        let length = strips.lengths[level];
        // So many iterations are left, and so many blocks of them; the division rounds down, so that there are none of nothing.
        let left = self.op(Op::Sub, int, &[strips.count, start]);
        let before = self.op(Op::Sub, int, &[left, Operand::int(1)]);
        let whole = self.op(Op::Div, int, &[before, length]);
        let blocks = self.op(Op::Add, int, &[whole, Operand::int(1)]);
        let outermost = level + 1 == strips.lengths.len();
        let count = if outermost { blocks } else { self.op(Op::Min, int, &[strips.most, blocks]) };
        let count = if outermost { count } else { mutated!(StripsAreWhole, count, strips.most) };
        if level == 0 {
            let counter = self.fresh(self.program.vars[strips.counter].name, Type::scalar(int));
            let number = Exp::Scalar(ScalarOp::new(Op::Add, int), vec![start, Operand::Var(counter)]);
            let mut stms = vec![Stm { pat: vec![strips.counter], exp: number, span: self.span }];
            stms.extend(body.stms);
            let params = strips.params.iter().zip(inits).map(|((var, _), init)| (*var, init)).collect();
            let body = Body { stms, result: body.result };
            return self.push(pat, Exp::Loop { params, form: LoopForm::For(counter, count), body });
        }
        let counter = self.fresh("block".into(), Type::scalar(int));
        let renamed = |this: &mut Self| {
            let mut vars: Vec<Var> = strips.params.iter().map(|(var, _)| *var).collect();
            rebind_all(this.program, vars.iter_mut(), &mut Subst::default());
            vars
        };
        let (vars, results) = (renamed(self), renamed(self));
        let inner = self.body(|this| {
            let skipped = this.op(Op::Mul, int, &[Operand::Var(counter), length]);
            let start = this.op(Op::Add, int, &[start, skipped]);
            let inits = vars.iter().map(|var| Operand::Var(*var)).collect();
            this.strip(strips, level - 1, start, inits, (results.clone(), body));
            results.into_iter().map(Operand::Var).collect()
        });
        let params = vars.into_iter().zip(inits).collect();
        self.push(pat, Exp::Loop { params, form: LoopForm::For(counter, count), body: inner });
    }
}
