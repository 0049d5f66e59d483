//! Statements: each brings something new into scope.

use super::super::tree::Node;
use super::super::types::{Dim, Prim, Ty};
use super::{Binding, Made, Maker};

/// A body behind statements.
pub fn chain(lets: Vec<Binding>, body: Node) -> Node {
    lets.into_iter().rev().fold(body, |body, Binding { names, template, parts }| Node::bind(names, &template, parts, body))
}

impl Maker<'_> {
    /// So many statements, or fewer.
    pub fn statements(&mut self, count: usize, depth: usize) -> Vec<Binding> {
        (0..count).filter_map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Option<Binding> {
        if self.budget <= 0 {
            return None;
        }
        self.budget -= 1;
        match self.random.below(if self.all_forms { 29 } else { 28 }) {
            0..=5 => self.view(depth).map(|made| self.let_value(made)),
            6..=7 => self.update_statement(depth),
            8..=9 => {
                let var = self.array_var(1)?;
                let array = Node::name(&var.ty, &var.name);
                let node = self.updated_node(array, depth);
                Some(self.let_value(node.into()))
            }
            10..=12 => {
                let ty = self.some_array_ty()?;
                let node = self.value_of(&ty, depth);
                Some(self.let_value(node.into()))
            }
            13 if self.nest < 2 => self.loop_statement(depth),
            14 if self.nest < 2 => {
                let var = self.array_var(1)?;
                let node = self.looped(&var.ty, depth)?;
                Some(self.let_value(node.into()))
            }
            15 => {
                let var = self.array_var(1)?;
                let node = self.branched(&var.ty, depth)?;
                Some(self.let_value(node.into()))
            }
            16 => self.function_statement(depth),
            17 => self.structure_statement(depth),
            18 => self.selected(depth),
            19 => self.giving_statement(depth),
            20 => {
                let node = self.int(depth);
                Some(self.let_value(node.into()))
            }
            21 => self.size_statement(depth),
            22 if self.nest < 2 => self.growing_loop().map(|made| self.let_value(made)),
            23 => {
                let var = self.array_var(1)?;
                let node = self.scattered(&var.ty, depth)?;
                Some(self.let_value(node.into()))
            }
            24..=25 => self.pairs_statement(depth),
            28 => self.derivative(depth),
            26 => self.stepped_update(),
            27 if self.random.percent(40) => {
                let made = self.ranged();
                Some(self.let_value(made))
            }
            _ => Some(self.counted()).map(|node| self.let_value(node.into())),
        }
    }

    /// The type of an array, of one that is there or of another.
    fn some_array_ty(&mut self) -> Option<Ty> {
        if self.random.percent(60)
            && let Some(var) = self.array_var(1)
        {
            return Some(var.ty);
        }
        let rank = self.random.pick(&[1, 1, 2, 2, 3]);
        let dims: Vec<Dim> = (0..rank).map(|_| self.dim()).collect();
        let ty = Ty::array(&dims, self.prim());
        self.small(&ty).then_some(ty)
    }

    /// `let v = e`, with names for sizes that are hidden.
    pub fn let_value(&mut self, made: Made) -> Binding {
        let Made { node, hidden } = made;
        let name = self.name("v");
        let ty = node.ty.clone();
        for (size, most) in &hidden {
            self.declare_size(size, None, *most);
        }
        self.declare_value(&name, &ty, &node);
        let mut names: Vec<String> = hidden.iter().map(|(size, _)| size.clone()).collect();
        let template = if hidden.is_empty() {
            let written = if self.random.percent(15) { format!(" : {ty}") } else { String::new() };
            format!("let {name}{written} = ~")
        } else {
            self.seen("hidden size");
            let binders: Vec<String> = names.iter().map(|size| format!("[{size}]")).collect();
            format!("let {} ({name}: {ty}) = ~", binders.join(" "))
        };
        names.push(name);
        Binding { names, template, parts: vec![node] }
    }

    /// Elements that satisfy a condition: nobody knows how many.
    fn selected(&mut self, depth: usize) -> Option<Binding> {
        let var = self.array_var(1)?;
        let (x, k) = (self.name("x"), self.name("k"));
        let condition = self.scoped(true, |maker| {
            maker.declare(&x, &var.ty.cell(), false);
            maker.condition(depth)
        });
        let array = Node::name(&var.ty, &var.name);
        let array = if self.random.percent(25) { self.endo(array.clone()).unwrap_or(array) } else { array };
        let most = self.most(&var.ty.dims[0]);
        let dim = Dim::name(&k);
        let ty = var.ty.cell().times(&dim);
        if self.random.percent(30) {
            self.seen("partition");
            let other = var.ty.cell().times(&var.ty.dims[0].minus(&dim));
            self.declare_size(&k, None, most);
            let names = [self.name("v"), self.name("v")];
            self.declare(&names[0], &ty, true);
            self.declare(&names[1], &other, true);
            let template = format!("let [{k}] ({}: {ty}, {}: {other}) = partition (\\{x} -> ~) $", names[0], names[1]);
            return Some(Binding { names: [vec![k], names.to_vec()].concat(), template, parts: vec![condition, array] });
        }
        self.seen("filter");
        let node = Node::new(&ty, &format!("filter (\\{x} -> ~) $"), vec![condition, array]).fresh();
        Some(self.let_value(Made { node, hidden: vec![(k, most)] }))
    }

    /// A number that is used as a size.
    fn size_statement(&mut self, depth: usize) -> Option<Binding> {
        let name = self.name("n");
        let inner = self.int(depth);
        let (template, most) = match self.random.below(16) {
            0 => {
                // An array without cells, whose cells may have a size that no array has.
                self.seen("empty array of arrays");
                let cells = self.random.pick(&["[m]f64", "([m]i32, bool)", "[2][m]i64", "{a: [m]f32}"]);
                (format!("let {name} = length (let m = i64.max (-1) $ in ([] : [0]{cells}))"), 0)
            }
            1..=4 => (format!("let {name} = i64.min 4 (i64.max 0 $)"), 4),
            5..=8 => (format!("let {name} = ($) & 3").replace("($)", "$"), 3),
            9..=12 => (format!("let {name} = $ % 4"), 3),
            _ => (format!("let {name} = $ % 3 + 1"), 3),
        };
        self.seen("computed size");
        let i64 = Ty::prim(Prim::I64);
        let atom = Node { ty: i64, ..inner };
        self.declare_size(&name, None, most);
        Some(Binding { names: vec![name], template, parts: vec![atom] })
    }
}
