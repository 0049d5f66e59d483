//! Two operators over the same cells as one.

use crate::ir::soac::visit_mut::Subst;
use crate::ir::soac::{Body, Exp, Lambda, Operand, Soac, Stm, Var, single_exp};

/// The statement that does what both do. Cells of the consumer that are results of the producer are known. Results of the producer that
/// are `used` elsewhere are returned.
pub(super) fn merge(producer: Stm, consumer: Stm, subst: &mut Subst, used: &mut dyn FnMut(Var) -> bool) -> Stm {
    let span = consumer.span;
    let Exp::Soac(first) = producer.exp else { return consumer };
    let mut exp = consumer.exp;
    match &mut exp {
        Exp::Soac(second) => {
            let second = std::mem::replace(second, empty());
            let (pat, soac) = both(producer.pat, first, consumer.pat, second, subst, used);
            Stm { pat, exp: Exp::Soac(soac), span }
        }
        Exp::Filter { inputs, lambda, .. }
        | Exp::Rows { inputs, lambda, .. }
        | Exp::Scatter { inputs, lambda, .. }
        | Exp::Hist { inputs, lambda, .. } => {
            feed(&producer.pat, first, inputs, lambda, subst);
            Stm { pat: consumer.pat, exp, span }
        }
        single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => {
            Stm { pat: consumer.pat, exp, span }
        }
    }
}

fn empty() -> Soac {
    Soac {
        width: Default::default(),
        inputs: Vec::new(),
        lambda: Lambda { params: Vec::new(), body: Body::default() },
        scans: Vec::new(),
        reduces: Vec::new(),
    }
}

/// Puts the body of a map in front of a lambda that maps over its results. `pat` are the mapped results.
pub(in crate::middle::optimise) fn feed(pat: &[Var], first: Soac, inputs: &mut Vec<Var>, lambda: &mut Lambda, subst: &mut Subst) {
    let mut all_inputs = first.inputs;
    let mut all_params = first.lambda.params;
    for (input, param) in inputs.iter().zip(&lambda.params) {
        match pat.iter().position(|var| var == input) {
            Some(k) => {
                subst.operands.insert(*param, first.lambda.body.result[k]);
            }
            None => {
                all_inputs.push(*input);
                all_params.push(*param);
            }
        }
    }
    *inputs = all_inputs;
    lambda.params = all_params;
    let rest = std::mem::replace(&mut lambda.body.stms, first.lambda.body.stms);
    lambda.body.stms.extend(rest);
}

fn both(
    pat1: Vec<Var>,
    first: Soac,
    pat2: Vec<Var>,
    second: Soac,
    subst: &mut Subst,
    used: &mut dyn FnMut(Var) -> bool,
) -> (Vec<Var>, Soac) {
    let split = |soac: &Soac| (soac.scanned(), soac.combined());
    let ((s1, c1), (s2, c2)) = (split(&first), split(&second));
    let result1 = first.lambda.body.result.clone();
    let result2 = second.lambda.body.result.clone();
    let mut out: Vec<(Var, Operand)> = Vec::with_capacity(pat1.len() + pat2.len());
    let part = |pat: &[Var], result: &[Operand], from: usize, to: usize| -> Vec<(Var, Operand)> {
        pat[from..to].iter().copied().zip(result[from..to].iter().copied()).collect()
    };
    out.extend(part(&pat1, &result1, 0, s1));
    out.extend(part(&pat2, &result2, 0, s2));
    out.extend(part(&pat1, &result1, s1, c1));
    out.extend(part(&pat2, &result2, s2, c2));
    out.extend(part(&pat1, &result1, c1, pat1.len()).into_iter().filter(|(var, _)| used(*var)));
    out.extend(part(&pat2, &result2, c2, pat2.len()));

    let (mut scans, mut reduces) = (first.scans.clone(), first.reduces.clone());
    scans.extend(second.scans);
    reduces.extend(second.reduces);
    let (mut inputs, mut lambda) = (second.inputs, second.lambda);
    let map = Soac { scans: Vec::new(), reduces: Vec::new(), lambda: shifted(first.lambda, c1), ..first };
    feed(&pat1[c1..], map, &mut inputs, &mut lambda, subst);
    let (pat, result) = out.into_iter().unzip();
    lambda.body.result = result;
    (pat, Soac { width: second.width, inputs, lambda, scans, reduces })
}

/// A lambda without its first results.
fn shifted(mut lambda: Lambda, count: usize) -> Lambda {
    lambda.body.result.drain(..count);
    lambda
}
