//! Updates of all but a few cells are new arrays.
//!
//! Law: an array with the cells `s ..< s + w` replaced is the concatenation of its first `s` cells, the new ones, and the rest. Where only a
//! known number of cells stays, copying those costs less than making room for the new ones first and copying them to their places
//! afterwards: the new ones are made where they go, and a loop goes back and forth between two arrays.

use crate::base::mutation::mutated;
use crate::ir::soac::{Body, Exp, Operand, Program, Size, Stm, Type, Var};

/// At most so many cells stay.
const STAY: i64 = 8;

/// Rewrites such updates, where the new cells come from an operator.
pub fn concat_updates(mut program: Program) -> Program {
    program.each_body(visit);
    program
}

fn visit(program: &mut Program, body: &mut Body) {
    body.stms.iter_mut().for_each(|stm| stm.exp.bodies_mut(&mut |body| visit(program, body)));
    let updates: Vec<Option<Update>> = body.stms.iter().map(|stm| rebuilt(program, stm, body)).collect();
    let stms = std::mem::take(&mut body.stms);
    for (stm, update) in stms.into_iter().zip(updates) {
        match update {
            Some(update) => parts(program, stm, update, &mut body.stms),
            None => body.stms.push(stm),
        }
    }
}

/// An update of this kind: the array, how many cells stay in front, the new cells, and how many stay behind.
struct Update {
    array: Var,
    before: i64,
    value: Var,
    after: i64,
}

fn rebuilt(program: &Program, stm: &Stm, body: &Body) -> Option<Update> {
    let Exp::UpdateSlice { array, start: Operand::Const(start), step: Operand::Const(step), value, checked: false } = &stm.exp else {
        return None;
    };
    let before = start.as_i128().and_then(|n| i64::try_from(n).ok()).filter(|n| (0..=STAY).contains(n))?;
    let (whole, new) = (&program.ty(*array).shape[0], &program.ty(*value).shape[0]);
    let stays = whole.sub(new).as_constant()?;
    let few = step.as_i128() == Some(1) && (before..=STAY).contains(&stays) && new.as_constant().is_none();
    let made = body.stms.iter().any(|stm| matches!(stm.exp, Exp::Soac(_)) && stm.pat.contains(value));
    // What is needed later as well would be copied in any case.
    (few && made && body.uses(*value) == 1).then_some(Update { array: *array, before, value: *value, after: stays - before })
}

fn parts(program: &mut Program, stm: Stm, update: Update, out: &mut Vec<Stm>) {
    let Update { array, before, value, after } = update;
    let ty = program.ty(array).clone();
    let name = program.vars[array].name;
    let behind = ty.shape[0].sub(&Size::constant(mutated!(ConcatShifted, after, after + 1)));
    let mut all = Vec::with_capacity(3);
    for (count, start) in [(before, Size::default()), (after, behind)] {
        if all.len() == usize::from(before > 0) {
            all.push(value);
        }
        if count == 0 {
            continue;
        }
        let shape = std::iter::once(Size::constant(count)).chain(ty.shape[1..].iter().cloned()).collect();
        let part = program.fresh(name, Type { elem: ty.elem, shape });
        let start = start.as_operand().unwrap_or_else(|| {
            let var = program.fresh(name, Type::scalar(crate::base::PrimType::I64));
            out.push(Stm { pat: vec![var], exp: Exp::Size(start), span: stm.span });
            Operand::Var(var)
        });
        let exp = Exp::Slice { array, start, step: Operand::int(1), checked: false };
        out.push(Stm { pat: vec![part], exp, span: stm.span });
        all.push(part);
    }
    let exp = if all.len() == 1 { Exp::Copy(Operand::Var(value)) } else { Exp::Concat(all) };
    out.push(Stm { exp, ..stm });
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::concat_updates;

    #[test]
    fn an_update_of_the_inside_is_a_concatenation() {
        body_becomes(
            &[concat_updates],
            "([n i64] [xs [f32 (+ 2 n)]] [ys [f32 n]]) ([R [f32 (+ 2 n)]])",
            "(let ([new [f32 n]]) (soac n ([y f32 ys])
               (let ([t f32]) (f32.+ y y))
               (return t)))
             (let ([r [f32 (+ 2 n)]]) (update-slice xs 1 1 new unchecked))
             (return r)",
            "(let ([new [f32 n]]) (soac n ([y f32 ys])
               (let ([t f32]) (f32.+ y y))
               (return t)))
             (let ([xs.1 [f32 1]]) (slice xs 0 1 unchecked))
             (let ([xs.2 i64]) (size (+ 1 n)))
             (let ([xs.3 [f32 1]]) (slice xs xs.2 1 unchecked))
             (let ([r [f32 (+ 2 n)]]) (concat xs.1 new xs.3))
             (return r)",
        );
    }

    #[test]
    fn what_leaves_much_or_may_fail_stays() {
        let signature = "([n i64] [m i64] [xs [f32 m]] [zs [f32 n]] [ys [f32 n]]) ([R [f32 m]] [S [f32 n]])";
        stays(
            &[concat_updates],
            signature,
            "(let ([new [f32 n]]) (soac n ([y f32 ys])
               (let ([t f32]) (f32.+ y y))
               (return t)))
             (let ([r [f32 m]]) (update-slice xs 1 1 new unchecked))
             (let ([s [f32 n]]) (update-slice zs 0 1 new))
             (return r s)",
        );
    }
}
