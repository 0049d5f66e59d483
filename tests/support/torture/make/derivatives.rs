//! Derivatives of functions that are made like everything else, of floats for the most part.

use super::super::tree::Node;
use super::super::types::{Dim, Prim, Ty};
use super::statements::chain;
use super::{Binding, Maker};

impl Maker<'_> {
    /// `let v = vjp (\x -> ..) x dy`, or one of the other operators.
    pub fn derivative(&mut self, depth: usize) -> Option<Binding> {
        if self.nest > 0 || self.floats {
            return None;
        }
        self.floats = true;
        let (from, to) = (self.float_ty(), self.float_ty());
        let node = match self.random.below(8) {
            0..=3 => self.applied("vjp", &from, &to, depth),
            4..=5 => self.applied("jvp", &from, &to, depth),
            6 => self.applied("grad", &from, &Ty::prim(Prim::F64), depth),
            _ => self.nested(depth),
        };
        self.floats = false;
        self.seen("derivative");
        Some(self.let_value(node.fresh().into()))
    }

    /// A number, a vector or a matrix.
    fn float_ty(&mut self) -> Ty {
        let rank = self.random.pick(&[0, 0, 1, 1, 1, 2]);
        let dims: Vec<Dim> = (0..rank).map(|_| self.dim()).collect();
        let ty = Ty::array(&dims, Prim::F64);
        if self.small(&ty) { ty } else { Ty::prim(Prim::F64) }
    }

    /// An operator applied to a function between two types, to an argument, and to what it needs besides.
    fn applied(&mut self, operator: &'static str, from: &Ty, to: &Ty, depth: usize) -> Node {
        self.seen(operator);
        let x = self.name("x");
        let body = self.differentiated(&x, from, to, depth);
        let at = self.value_of(from, 1);
        let template = format!("{operator} (\\({x}: {from}) -> ~) $");
        match operator {
            "grad" => Node::new(from, &template, vec![body, at]),
            _ => {
                let direction = if operator == "vjp" { to } else { from };
                let seed = self.value_of(direction, 0);
                Node::new(if operator == "vjp" { from } else { to }, &format!("{template} $"), vec![body, at, seed])
            }
        }
    }

    /// A derivative of a gradient: how it changes in a direction, or its own gradient against weights.
    fn nested(&mut self, depth: usize) -> Node {
        let ty = self.float_ty();
        let outer = self.random.pick(&["jvp", "vjp"]);
        self.seen("second derivative");
        let y = self.name("y");
        let inner = self.scoped(true, |maker| {
            maker.declare(&y, &ty, false);
            let x = maker.name("x");
            let body = maker.differentiated(&x, &ty, &Ty::prim(Prim::F64), depth);
            Node::new(&ty, &format!("grad (\\({x}: {ty}) -> ~) {y}"), vec![body])
        });
        let (at, seed) = (self.value_of(&ty, 1), self.value_of(&ty, 0));
        Node::new(&ty, &format!("{outer} (\\({y}: {ty}) -> ~) $ $"), vec![inner, at, seed])
    }

    /// The body of a function of `x`. Its result depends on `x` and on what was made last of it.
    fn differentiated(&mut self, x: &str, from: &Ty, to: &Ty, depth: usize) -> Node {
        self.scoped(true, |maker| {
            maker.declare(x, from, false);
            let outside = maker.vars.len() - 1;
            let count = maker.random.below(5);
            let lets = maker.statements(count, depth);
            let result = maker.value_of(to, depth.max(1));
            let inside: Vec<(String, Ty)> = maker.vars.iter().skip(outside).map(|var| (var.name.clone(), var.ty.clone())).collect();
            let used = inside
                .iter()
                .rev()
                .filter(|(name, ty)| ty.element() == Some(Prim::F64) && maker.visible().iter().any(|var| var.name == *name));
            let terms: Vec<Node> = used.take(3).map(|(name, ty)| total(name, ty)).collect();
            let body = terms.into_iter().fold(result, |sum, term| Node::new(to, "$ + $", vec![sum, term]));
            chain(lets, body)
        })
    }
}

/// The sum of a variable's elements.
fn total(name: &str, ty: &Ty) -> Node {
    let float = Ty::prim(Prim::F64);
    match ty.rank() {
        0 => Node::name(&float, name),
        1 => Node::atom(&float, format!("(f64.sum {name})")),
        rank => Node::atom(&float, format!("(f64.sum {}{name}{})", "(flatten ".repeat(rank - 1), ")".repeat(rank - 1))),
    }
}
