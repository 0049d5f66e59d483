//! What is differentiated in a form with few cases: maps apart from what is folded, kept or written.
//!
//! Law: each statement means what the statements mean that it becomes. Afterwards a [`Soac`] is a map, or one scan or one reduction of arrays as
//! they are, and lambdas of filters, scatters and histograms return their parameters.

use super::build::Build;
use crate::base::Span;
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Program, Size, Soac, Stm, Var, placed, single_exp};

/// Takes the statements of a body apart, those of inner bodies included.
pub(super) fn normalise(program: &mut Program, body: Body) -> Body {
    let mut build = Build { program, stms: Vec::new(), span: Span::default() };
    build.normal(body)
}

impl Build<'_> {
    fn normal(&mut self, body: Body) -> Body {
        let outer = std::mem::take(&mut self.stms);
        for stm in body.stms {
            self.span = stm.span;
            self.normal_stm(stm);
        }
        Body { stms: std::mem::replace(&mut self.stms, outer), result: body.result }
    }
    fn normal_stm(&mut self, stm: Stm) {
        let Stm { pat, exp, span } = stm;
        let exp = match exp {
            Exp::Soac(soac) => return self.normal_soac(pat, soac),
            exp @ Exp::Rows { .. } => exp,
            Exp::Filter { width, inputs, lambda } => {
                let (inputs, lambda) = self.mapped_before(&width, inputs, lambda);
                Exp::Filter { width, inputs, lambda }
            }
            Exp::Scatter { width, inputs, lambda, dests } => {
                let (inputs, lambda) = self.mapped_before(&width, inputs, lambda);
                Exp::Scatter { width, inputs, lambda, dests }
            }
            Exp::Hist { width, inputs, lambda, dests, mut operator } => {
                let (inputs, lambda) = self.mapped_before(&width, inputs, lambda);
                operator.lambda.body = self.normal(operator.lambda.body);
                Exp::Hist { width, inputs, lambda, dests, operator }
            }
            Exp::If { cond, then, els } => {
                let (then, els) = (self.normal(then), self.normal(els));
                Exp::If { cond, then, els }
            }
            Exp::Loop { params, form, body } => {
                let form = match form {
                    LoopForm::While(cond) => LoopForm::While(self.normal(cond)),
                    form @ LoopForm::For(..) => form,
                };
                let body = self.normal(body);
                Exp::Loop { params, form, body }
            }
            exp @ (single_exp!() | Exp::Check(_) | Exp::Call(..) | Exp::Seg(_)) => exp,
        };
        self.stms.push(Stm { pat, exp, span });
    }
    fn normal_soac(&mut self, pat: Vec<Var>, soac: Soac) {
        let (scanned, folded) = (soac.scanned(), soac.combined());
        let Soac { width, inputs, mut lambda, scans, reduces } = soac;
        lambda.body = self.normal(lambda.body);
        if scans.is_empty() && reduces.is_empty() {
            return self.push(pat, Exp::Soac(Soac { width, inputs, lambda, scans, reduces }));
        }
        let mapped = self.before(&width, inputs, lambda, &pat[folded..]);
        for (mut operator, places) in placed(scans.into_iter().chain(reduces)) {
            operator.lambda.body = self.normal(operator.lambda.body);
            let inputs = mapped[places.clone()].to_vec();
            let lambda = self.identity(&inputs);
            let (scans, reduces) = if places.start < scanned { (vec![operator], Vec::new()) } else { (Vec::new(), vec![operator]) };
            self.push(pat[places].to_vec(), Exp::Soac(Soac { width: width.clone(), inputs, lambda, scans, reduces }));
        }
    }
    /// The map of a lambda; its last results are bound to these variables. Returns arrays of the others.
    fn before(&mut self, width: &Size, inputs: Vec<Var>, lambda: Lambda, bound: &[Var]) -> Vec<Var> {
        // What is an input as it is needs no map.
        let plain = |a: &Operand| a.var().and_then(|var| lambda.params.iter().position(|param| *param == var));
        let own = lambda.body.result.len() - bound.len();
        if bound.is_empty()
            && lambda.body.stms.is_empty()
            && let Some(places) = lambda.body.result.iter().map(plain).collect::<Option<Vec<_>>>()
        {
            return places.into_iter().map(|at| inputs[at]).collect();
        }
        let types: Vec<_> = lambda.body.result[..own].iter().map(|a| self.ty(*a).framed(std::slice::from_ref(width))).collect();
        let mut pat: Vec<Var> = types.into_iter().map(|ty| self.fresh("x".into(), ty)).collect();
        let mapped = pat.clone();
        pat.extend(bound);
        self.push(pat, Exp::Soac(Soac { width: width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() }));
        mapped
    }
    fn mapped_before(&mut self, width: &Size, inputs: Vec<Var>, mut lambda: Lambda) -> (Vec<Var>, Lambda) {
        lambda.body = self.normal(lambda.body);
        let mapped = self.before(width, inputs, lambda, &[]);
        let lambda = self.identity(&mapped);
        (mapped, lambda)
    }
}
