//! Ragged arrays on devices: rows are made one after the other.
//!
//! Law: `rows n xs (\x -> (s, r))`, whose rows fill the result, is a loop over the cells that writes each row to its place in an array of zeros.

use crate::base::{PrimType, Scalar, Symbol};
use crate::ir::soac::visit_mut::PartMut;
use crate::ir::soac::{Body, Exp, LoopForm, Operand, Program, Stm, Type};

/// Writes ragged arrays row by row.
pub fn rows_to_loops(mut program: Program) -> Program {
    program.each_body(in_body);
    program
}

fn in_body(program: &mut Program, body: &mut Body) {
    let stms = std::mem::take(&mut body.stms);
    for mut stm in stms {
        stm.exp.parts_mut(&mut |part| {
            if let PartMut::Body(inner) = part {
                in_body(program, inner);
            }
        });
        if matches!(stm.exp, Exp::Rows { .. }) {
            one_by_one(program, stm, &mut body.stms);
        } else {
            body.stms.push(stm);
        }
    }
}

fn one_by_one(program: &mut Program, stm: Stm, out: &mut Vec<Stm>) {
    let Stm { pat, exp, span } = stm;
    let Exp::Rows { width, inputs, lambda } = exp else { return };
    let scalar = || Type::scalar(PrimType::I64);
    let count = program.fresh(Symbol::new("count"), scalar());
    let i = program.fresh(Symbol::new("i"), scalar());
    out.push(Stm { pat: vec![count], exp: Exp::Size(width), span });
    let mut stms = Vec::with_capacity(lambda.params.len() + lambda.body.stms.len() + pat.len());
    for (param, array) in lambda.params.into_iter().zip(inputs) {
        stms.push(Stm { pat: vec![param], exp: Exp::Index { array, at: vec![Operand::Var(i)], checked: false }, span });
    }
    stms.extend(lambda.body.stms);
    let (mut params, mut result) = (Vec::with_capacity(pat.len()), Vec::with_capacity(pat.len()));
    for (var, row) in pat.iter().zip(lambda.body.result.chunks(2)) {
        let ty = program.ty(*var).clone();
        let [none, param, next] = ["none", "rows", "rows"].map(|name| program.fresh(Symbol::new(name), ty.clone()));
        out.push(Stm { pat: vec![none], exp: Exp::Rep(Operand::Const(Scalar::from_i128(ty.elem, 0))), span });
        params.push((param, Operand::Var(none)));
        let Some(value) = row[1].var() else { crate::ice!(span, "a row that is no array") };
        let exp = Exp::UpdateSlice { array: param, start: row[0], step: Operand::int(1), value, checked: false };
        stms.push(Stm { pat: vec![next], exp, span });
        result.push(Operand::Var(next));
    }
    let form = LoopForm::For(i, Operand::Var(count));
    out.push(Stm { pat, exp: Exp::Loop { params, form, body: Body { stms, result } }, span });
}
