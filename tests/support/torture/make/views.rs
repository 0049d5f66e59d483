//! Arrays made of an array that is there, by rearranging it: what a view of it may be.

use super::super::tree::Node;
use super::super::types::{Dim, Prim, Ty};
use super::{Made, Maker, Var};

impl Maker<'_> {
    /// A view of a variable, of whatever type it comes to.
    pub fn view(&mut self, depth: usize) -> Option<Made> {
        let var = self.var(|var| var.ty.rank() >= 1)?;
        let name = Node::name(&var.ty, &var.name);
        let rank = var.ty.rank();
        let node = match self.random.below(17) {
            0..=2 => return self.endo(name).map(Made::from),
            3 if rank >= 2 => {
                let mut dims = var.ty.dims.clone();
                dims.swap(0, 1);
                self.seen("transpose");
                Node::new(&var.ty.shaped(dims), "transpose $", vec![name])
            }
            4 if rank >= 3 => {
                let mut dims = var.ty.dims.clone();
                dims.swap(1, 2);
                self.seen("transpose cells");
                Node::new(&var.ty.shaped(dims), "map transpose $", vec![name])
            }
            4..=5 if rank >= 2 => {
                let product = var.ty.dims[0].times(&var.ty.dims[1]);
                let dims = std::iter::once(product).chain(var.ty.dims[2..].iter().cloned()).collect();
                self.seen("flatten");
                Node::new(&var.ty.shaped(dims), "flatten $", vec![name])
            }
            6..=8 => self.sliced(&var, name, depth),
            9..=10 => return self.stepped(&var, name),
            11 if rank <= 2 => {
                let dim = self.dim();
                let ty = var.ty.times(&dim);
                self.seen("rep");
                if self.random.percent(50) {
                    Node::new(&ty, &format!("(rep $ : {ty})"), vec![name])
                } else {
                    let size = self.dim_node(&dim);
                    Node::new(&ty, "replicate $ $", vec![size, name])
                }
            }
            12 => self.appended(&var, name)?,
            13 if rank <= 2 => {
                self.seen("rows of the same");
                let other = self.endo(name.clone()).unwrap_or(name.clone());
                let ty = var.ty.times(&Dim::constant(2));
                Node::new(&ty, "[~, ~]", vec![name, other])
            }
            14 => self.unflattened(&var, name)?,
            15 => {
                let count = self.dim();
                let ty = var.ty.cell().times(&count);
                return self.gathered(&ty, depth).map(Made::from);
            }
            _ => {
                let index = self.index(&var.ty.dims[0], depth);
                self.seen("row");
                Node::new(&var.ty.cell(), "$[~]", vec![name, index])
            }
        };
        Some(node.into()).filter(|made: &Made| self.small(&made.node.ty))
    }

    /// Parts along each dimension.
    fn sliced(&mut self, var: &Var, name: Node, depth: usize) -> Node {
        let count = 1 + self.random.below(var.ty.rank());
        let (mut texts, mut parts, mut dims) = (Vec::new(), vec![name], Vec::new());
        for (at, dim) in var.ty.dims[..count].iter().enumerate() {
            let last = at + 1 == count && dims.is_empty();
            match self.random.below(6) {
                0..=1 if !last => {
                    texts.push("~".to_string());
                    parts.push(self.index(dim, depth));
                }
                2 => {
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
        dims.extend(var.ty.dims[count..].iter().cloned());
        self.seen(if count > 1 { "slice of several dimensions" } else { "slice" });
        Node::new(&var.ty.shaped(dims), &format!("$[{}]", texts.join(", ")), parts)
    }

    /// A slice with a step: nobody knows its size.
    fn stepped(&mut self, var: &Var, name: Node) -> Option<Made> {
        let k = self.name("k");
        let most = self.most(&var.ty.dims[0]);
        let value = self.value(&var.ty.dims[0]);
        let size = var.ty.dims[0].to_string();
        let last = value.is_some_and(|value| value >= 1);
        let bounds = match self.random.below(7) {
            0 => "::2".to_string(),
            1 | 2 => "::-1".to_string(),
            3 => "::-2".to_string(),
            4 if last => format!("{size} - 1:0:-1"),
            5 if last => format!("1:{size}:2"),
            _ => format!("0:{size}:3"),
        };
        self.seen("slice with a step");
        self.sizes.push(super::Size { name: k.clone(), value: None, most });
        let ty = var.ty.cell().times(&Dim::name(&k));
        self.sizes.pop();
        Some(Made { node: Node::new(&ty, &format!("$[{bounds}]"), vec![name]), hidden: vec![(k, most)] })
    }

    /// An array behind or in front of another.
    fn appended(&mut self, var: &Var, name: Node) -> Option<Node> {
        let (rank, base, cells) = (var.ty.rank(), var.ty.base.clone(), var.ty.dims[1..].to_vec());
        let other = self.var(|other| other.ty.rank() == rank && other.ty.base == base && other.ty.dims[1..] == cells[..])?;
        let node = Node::name(&other.ty, &other.name);
        let node = if other.ty.element().is_some() && self.random.percent(30) { self.endo(node.clone()).unwrap_or(node) } else { node };
        let ty = var.ty.cell().times(&var.ty.dims[0].plus(&other.ty.dims[0]));
        self.seen("concat");
        Some(Node::new(&ty, self.random.pick(&["concat $ $", "$ ++ $"]), vec![name, node]).fresh())
    }

    /// The outer dimension as two, where it is a product.
    fn unflattened(&mut self, var: &Var, name: Node) -> Option<Node> {
        let dim = &var.ty.dims[0];
        let (a, b) = match dim.is_constant() {
            Some(4) => (Dim::constant(2), Dim::constant(2)),
            Some(6) => (Dim::constant(2), Dim::constant(3)),
            Some(0) => (Dim::constant(0), Dim::constant(3)),
            Some(_) => return None,
            None => {
                let names: Vec<Dim> = self.sizes.iter().map(|size| Dim::name(&size.name)).chain((2..4).map(Dim::constant)).collect();
                let pairs = names.iter().flat_map(|a| names.iter().map(move |b| (a.clone(), b.clone())));
                pairs.rev().find(|(a, b)| a.times(b) == *dim)?
            }
        };
        let dims = [&[a, b], &var.ty.dims[1..]].concat();
        let ty = var.ty.shaped(dims);
        self.seen("unflatten");
        Some(Node::new(&ty, &format!("(unflatten $ : {ty})"), vec![name]))
    }

    /// The indices of an array, or other counted numbers.
    pub fn counted(&mut self) -> Node {
        let dim = self.dim();
        let (size, ty) = (self.dim_node(&dim), Ty::array(&[dim], Prim::I64));
        self.seen("iota");
        Node::new(&ty, self.random.pick(&["iota $", "iota $ * 3", "1 + iota $"]), vec![size]).fresh()
    }
}
