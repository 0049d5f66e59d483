//! Conditionals whose first branch is for processors only: on devices, and where something is differentiated, they are their second branch.
//!
//! Law: the meaning of such a conditional is its second branch, whatever its condition is. Whoever writes it says that the first one comes to
//! the same.

use crate::base::Scalar;
use crate::ir::soac::visit_mut::PartMut;
use crate::ir::soac::{Body, Exp, Operand, Program};

/// Says of the conditions that they are false; simplification takes the second branches.
pub fn branches_for_devices(mut program: Program) -> Program {
    program.each_body(in_body);
    program
}

/// Whether there may be such conditionals.
pub fn applies(program: &Program) -> bool {
    !program.on_processors.is_empty()
}

fn in_body(program: &mut Program, body: &mut Body) {
    for stm in &mut body.stms {
        if let Exp::If { cond, .. } = &mut stm.exp
            && program.is_on_processors(stm.span)
        {
            *cond = Operand::Const(Scalar::Bool(false));
        }
        stm.exp.parts_mut(&mut |part| {
            if let PartMut::Body(inner) = part {
                in_body(program, inner);
            }
        });
    }
}
