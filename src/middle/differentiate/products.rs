//! The return sweep of a product of numbers that are not inside of a map: a quotient for each, where that is as exact as the product of the others.
//! Its derivative would not be: what a factor adds to the product and to the divisor cancels only nearly. So a product that is differentiated again
//! has no quotients.

use super::build::Build;
use super::reverse::Reverse;
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::ir::soac::{Operand, Soac, Type, Var};

impl Build<'_> {
    /// Whether the product of numbers may be divided by each of them for the product of the others: where none is 0 and products of any of them are
    /// far from infinity and from the numbers that lose digits. That is so where the product of `max |x| (1 / |x|)`, which all of those products
    /// and their inverses are below, is.
    pub(super) fn may_divide(&mut self, xs: Var) -> Operand {
        let (prim, width) = (self.program.ty(xs).elem, self.program.ty(xs).shape[0].clone());
        let one = Self::number(prim, 1.0);
        let factors = self.map(&width, vec![xs], |build, cells| {
            let size = build.op(Op::Abs, prim, &[Operand::Var(cells[0])]);
            let inverse = build.op(Op::Div, prim, &[one, size]);
            vec![build.op(Op::Max, prim, &[size, inverse])]
        });
        let times = self.commutative(&Type::scalar(prim), one, |build, operands| build.op(Op::Mul, prim, &operands));
        let all = Operand::Var(self.reduce(vec![factors[0]], times)[0]);
        let most = match prim.bytes() {
            2 => 1e4,
            4 => 1e37,
            _ => 1e300,
        };
        self.op(Op::Le, prim, &[all, Self::number(prim, mutated!(QuotientsAlways, most, f64::INFINITY))])
    }
}

impl Reverse<'_, '_> {
    /// What each factor of a product gets, as a quotient.
    pub(super) fn quotients(&mut self, soac: &Soac, adjoint: Operand, product: Operand) -> Vec<Operand> {
        let prim = self.build.ty(adjoint).elem;
        let parts = self.apart(&soac.width, soac.inputs.clone(), |this, cells| {
            let others = this.build.op(Op::Div, prim, &[product, Operand::Var(cells[0])]);
            vec![this.build.op(Op::Mul, prim, &[adjoint, others])]
        });
        parts.into_iter().map(Operand::Var).collect()
    }
}
