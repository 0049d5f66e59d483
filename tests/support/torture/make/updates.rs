//! Updates of elements, rows, columns, blocks and slices.

use super::super::tree::Node;
use super::super::types::{Dim, Prim, Ty};
use super::{Binding, Maker};

/// A place that is updated: the text between the brackets, with its expressions, and the type of what goes there.
struct Place {
    template: String,
    parts: Vec<Node>,
    ty: Ty,
}

impl Maker<'_> {
    /// An array with some place replaced.
    pub fn updated(&mut self, ty: &Ty, depth: usize) -> Node {
        let array = self.value_of(ty, depth);
        self.updated_node(array, depth)
    }

    /// `let xs[..] = v`: the name stands for the new array from there on.
    pub fn update_statement(&mut self, depth: usize) -> Option<Binding> {
        let var = self.array_var(1)?;
        let place = self.place(&var.ty, depth);
        let value = self.value_of(&place.ty, depth);
        let template = format!("let {}[{}] = ~", var.name, place.template);
        self.seen("update by let");
        self.declare(&var.name, &var.ty, true);
        Some(Binding { names: vec![], template, parts: place.parts.into_iter().chain([value]).collect() })
    }

    /// A place in an array: the text between the brackets, its expressions, and the type of what goes there.
    pub fn place_text(&mut self, ty: &Ty, depth: usize) -> (String, Vec<Node>, Ty) {
        let Place { template, parts, ty } = self.place(ty, depth);
        (template, parts, ty)
    }

    /// The same.
    fn place(&mut self, ty: &Ty, depth: usize) -> Place {
        let mut texts = Vec::new();
        let (mut parts, mut dims) = (Vec::new(), Vec::new());
        let count = 1 + self.random.below(ty.rank());
        for dim in &ty.dims[..count] {
            match self.random.below(10) {
                0..=5 => {
                    texts.push("~".to_string());
                    parts.push(self.index(dim, depth));
                }
                6 => {
                    texts.push(":".to_string());
                    dims.push(dim.clone());
                }
                _ => {
                    let (text, size) = self.range(dim);
                    texts.push(text);
                    dims.push(size);
                }
            }
        }
        let slices = dims.len();
        self.seen(match (slices, ty.rank() - count) {
            (0, 0) => "update element",
            (0, _) => "update row",
            (1, 0) if count == 2 && texts[0] == ":" => "update column",
            (1, _) => "update slice",
            _ => "update block",
        });
        dims.extend(ty.dims[count..].iter().cloned());
        Place { template: texts.join(", "), parts, ty: ty.shaped(dims) }
    }

    /// The bounds of a slice that are in range in the first input, if that can be known, and its size.
    pub fn range(&mut self, dim: &Dim) -> (String, Dim) {
        let Some(value) = self.value(dim).filter(|value| *value > 0) else { return (format!("0:{dim}"), dim.clone()) };
        let low = self.random.below(value as usize) as i64;
        if self.random.percent(5)
            && let Some(var) = self.var(|var| var.ty == Ty::prim(Prim::I64))
        {
            self.seen("slice at a number");
            let count = 1 + self.random.below(2);
            return (format!("{0}:{0} + {count}", var.name), Dim::constant(count as i64));
        }
        let (low, high) = match self.random.below(4) {
            0 => (Dim::constant(low), dim.clone()),
            1 => (Dim::constant(0), dim.add(-low)),
            2 => (Dim::constant(low.min(value - 1)), Dim::constant(low.min(value - 1) + 1)),
            _ => {
                let high = low + 1 + self.random.below((value - low) as usize) as i64;
                (Dim::constant(low), Dim::constant(high.min(value)))
            }
        };
        (format!("{low}:{high}"), high.minus(&low))
    }
}
