//! Programs whose parallelism is in kernels: what a device runs is seen, and nothing in a kernel is parallel.
//!
//! The language is that of [`soac`](super::soac) with these rules:
//!
//! * The statements of a function, and those in its branches and loops, are run by the **host**. Host statements with parallelism are
//!   [`Exp::Seg`], [`Exp::Filter`], [`Exp::Rows`], [`Exp::Scatter`] and [`Exp::Hist`], all of which become **kernels**; copies, updates
//!   and concatenations of arrays become kernels that move data.
//! * There is no [`Exp::Soac`] on the host.
//! * What a kernel does for one index (the body of a [`Seg`](super::soac::Seg), the lambda of the others) is run by **one thread**:
//!   soacs in it are loops. It holds no [`Exp::Seg`].
//! * Operators of a [`Seg`](super::soac::Seg) combine scalars, and nothing that its body binds is mentioned by them.
//! * There are no calls.
//!
//! A [`Seg`](super::soac::Seg) and the choice between versions of a nest ([`Exp::If`] on the number of its threads) are made by
//! [`flatten`](crate::middle::flatten).

use super::soac::visit::Part;
use super::soac::{Body, Exp, Program, Stm, check, print, single_exp};

/// Validates a program: the rules of [`soac`](super::soac) and those of this module.
///
/// # Errors
/// The first rule that is broken, and where.
pub fn validate(program: &Program) -> Result<(), String> {
    check::validate(program)?;
    let host = |stms: &[Stm]| stms.iter().try_for_each(|stm| host_stm(program, stm));
    host(&program.consts)?;
    program.funs.iter().try_for_each(|(_, fun)| host(&fun.body.stms).map_err(|problem| format!("{}: {problem}", fun.name)))
}

fn host_stm(program: &Program, stm: &Stm) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{what} in {}", print::stm(program, stm)));
    match &stm.exp {
        Exp::Soac(_) => wrong("nested parallelism on the host"),
        Exp::Call(..) => wrong("a call"),
        Exp::If { .. } | Exp::Loop { .. } => bodies(&stm.exp, &mut |body| body.stms.iter().try_for_each(|stm| host_stm(program, stm))),
        Exp::Seg(seg) => {
            let arrays = seg.kind.operators().iter().flat_map(|op| &op.neutral).any(|a| program.operand_ty(*a).rank() > 0);
            if arrays {
                return wrong("an operator on arrays");
            }
            thread(program, stm)
        }
        single_exp!() | Exp::Check(_) | Exp::Filter { .. } | Exp::Rows { .. } | Exp::Scatter { .. } | Exp::Hist { .. } => {
            thread(program, stm)
        }
    }
}

/// What a thread runs has neither kernels nor calls in it.
fn thread(program: &Program, stm: &Stm) -> Result<(), String> {
    bodies(&stm.exp, &mut |body| {
        body.stms.iter().try_for_each(|inner| match &inner.exp {
            Exp::Seg(_) | Exp::Call(..) => Err(format!("a kernel or a call in a kernel: {}", print::stm(program, stm))),
            single_exp!()
            | Exp::Check(_)
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Soac(_)
            | Exp::Filter { .. }
            | Exp::Rows { .. }
            | Exp::Scatter { .. }
            | Exp::Hist { .. } => thread(program, inner),
        })
    })
}

fn bodies(exp: &Exp, see: &mut dyn FnMut(&Body) -> Result<(), String>) -> Result<(), String> {
    let mut out = Ok(());
    exp.parts(&mut |part| {
        if let (Part::Body(_, body), true) = (part, out.is_ok()) {
            out = see(body);
        }
    });
    out
}
