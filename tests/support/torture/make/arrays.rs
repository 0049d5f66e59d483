//! Values of a wanted type: arrays above all.

use super::super::tree::{Kind, Node};
use super::super::types::{Base, Dim, Prim, Ty};
use super::Maker;

impl Maker<'_> {
    /// A body: some statements, then a value of the type.
    pub fn block(&mut self, ty: &Ty, statements: usize, depth: usize) -> Node {
        self.scoped(false, |maker| {
            let lets = maker.statements(statements, depth);
            let result = maker.value_of(ty, depth);
            super::statements::chain(lets, result)
        })
    }

    /// A body in a map or loop.
    pub fn inner_block(&mut self, ty: &Ty, depth: usize) -> Node {
        let most = if self.nest >= 2 { 1 } else { 3 };
        let statements = self.random.below(most + 1);
        self.nest += 1;
        let made = self.block(ty, statements, depth);
        self.nest -= 1;
        made
    }

    /// A value of a type.
    pub fn value_of(&mut self, ty: &Ty, depth: usize) -> Node {
        match (ty.scalar(), &ty.base) {
            (Some(prim), _) => self.scalar(prim, depth),
            (None, Base::Prim(_)) => self.array(ty, depth),
            _ => self.structure(ty, depth),
        }
    }

    /// The shortest expression of a type.
    pub fn leaf(&mut self, ty: &Ty) -> Node {
        if let Some(prim) = ty.scalar() {
            return self.scalar_leaf(prim);
        }
        if self.random.percent(90)
            && let Some(node) = self.var_of(ty)
        {
            return node;
        }
        match ty.base {
            Base::Prim(_) => self.replicated(ty, 0),
            _ => self.structure(ty, 0),
        }
    }

    /// Copies of a cell.
    fn replicated(&mut self, ty: &Ty, depth: usize) -> Node {
        let (cell, size) = (ty.cell(), self.dim_node(&ty.dims[0]));
        if ty.dims[0].as_name().is_none() && ty.dims[0].is_constant().is_none() || self.random.percent(30) {
            self.seen("rep");
            let inner = self.value_of(&cell, depth);
            return Node::new(ty, &format!("(rep $ : {ty})"), vec![inner]);
        }
        self.seen("replicate");
        let inner = self.value_of(&cell, depth);
        Node::new(ty, "replicate $ $", vec![size, inner])
    }

    /// An array of scalars of a type.
    fn array(&mut self, ty: &Ty, depth: usize) -> Node {
        if depth == 0 || self.random.percent(20) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        let made = match self.random.below(32) {
            0..=2 => self.same_shape(ty, depth),
            3..=5 => Some(self.elementwise(ty, depth)),
            6..=7 if self.nest < 3 => Some(self.over_indices(ty, depth)),
            8..=9 if self.nest < 3 => self.mapped(ty, depth),
            10 => Some(self.replicated(ty, depth)),
            11..=12 => self.gathered(ty, depth),
            13..=14 => self.part(ty, depth),
            15 if ty.rank() >= 2 => {
                let mut dims = ty.dims.clone();
                dims.swap(0, 1);
                let inner = self.value_of(&ty.shaped(dims), depth);
                self.seen("transpose");
                Some(Node::new(ty, "transpose $", vec![inner]))
            }
            16 => self.joined(ty, depth),
            17..=18 => Some(self.updated(ty, depth)),
            19 => self.scattered(ty, depth),
            20 => self.branched(ty, depth),
            21 => self.literal_array(ty, depth),
            22 if self.nest < 2 => self.looped(ty, depth),
            23 => self.call_for(ty, depth),
            24 => self.cell_of_larger(ty, depth),
            25 => self.projected(ty),
            26 => self.rows_combined(ty, depth),
            27 => self.rows_scanned(ty, depth),
            28 => self.histogram(ty, depth),
            29 => self.streamed(ty, depth),
            30..=31 => self.product(ty, depth),
            _ => None,
        };
        made.unwrap_or_else(|| self.leaf(ty))
    }

    /// The cells of an array of this type in another order, or changed one by one.
    pub fn same_shape(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let inner = self.value_of(ty, depth);
        self.endo(inner)
    }

    /// A value of the same type.
    pub fn endo(&mut self, inner: Node) -> Option<Node> {
        let ty = inner.ty.clone();
        let square = ty.rank() >= 2 && ty.dims[0] == ty.dims[1];
        let (template, feature) = match self.random.below(11) {
            0..=1 => ("reverse $", "reverse"),
            2..=3 => {
                let by = if self.random.percent(70) { Node::atom(&Ty::prim(Prim::I64), "1") } else { self.int(0) };
                self.seen("rotate");
                return Some(Node::new(&ty, "rotate $ $", vec![by, inner]).fresh());
            }
            4 if ty.rank() >= 2 => ("map reverse $", "reverse cells"),
            5 if square => ("transpose $", "transpose"),
            6 => {
                self.seen("copy");
                return Some(Node::new(&ty, "copy $", vec![inner]).fresh());
            }
            7 if ty.rank() >= 2 => ("transpose (transpose $)", "transpose twice"),
            7 => ("reverse (rotate 1 $)", "reverse of rotate"),
            8 if inner.atomic && inner.kind == Kind::Name => {
                self.seen("halves exchanged");
                let at = if self.value(&ty.dims[0]).is_some_and(|value| value >= 1) { "1" } else { "0" };
                let name = inner.text();
                let text = format!("{name}[{at}:{}] ++ {name}[0:{at}]", ty.dims[0]);
                return Some(Node { atomic: false, ..Node::atom(&ty, text) }.fresh());
            }
            9 if ty.rank() >= 2 => {
                self.seen("unflatten of flatten");
                return Some(Node::new(&ty, &format!("(unflatten (flatten $) : {ty})"), vec![inner]));
            }
            10 if ty.element().is_some_and(Prim::is_complex) && ty.rank() == 1 => {
                self.seen("scan complex");
                return Some(Node::new(&ty, "scan (+) 0 $", vec![inner]).fresh());
            }
            10 if ty.element().is_some_and(Prim::is_number) => {
                self.seen("scan");
                let prim = ty.element()?;
                if prim.is_integer() && ty.rank() == 1 && self.random.percent(15) {
                    let (op, whether) = self.failing(prim);
                    return Some(Node::new(&ty, &format!("scan {op} $"), vec![whether, inner]).fresh());
                }
                let template = match self.random.below(4) {
                    0 if prim.is_integer() => "scan (+) 0 $".to_string(),
                    1 if prim.is_integer() => "scan (^) 0 $".to_string(),
                    _ => return Some(self.chosen(&ty, "scan", prim, inner).fresh()),
                };
                return Some(Node::new(&ty, &template, vec![inner]).fresh());
            }
            _ => return None,
        };
        self.seen(feature);
        Some(Node::new(&ty, template, vec![inner]))
    }

    /// Operators and functions on numbers that are mapped implicitly: operands of lower rank are replicated.
    pub fn elementwise(&mut self, ty: &Ty, depth: usize) -> Node {
        let prim = ty.element().unwrap_or(Prim::I64);
        self.seen("implicit map");
        let a = self.value_of(ty, depth);
        let drop = if self.random.percent(50) { 0 } else { self.random.below(ty.rank() + 1) };
        let b = self.value_of(&ty.shaped(ty.dims[drop..].to_vec()), depth);
        self.operated(ty, prim, a, b).fresh()
    }

    /// A map over indices.
    fn over_indices(&mut self, ty: &Ty, depth: usize) -> Node {
        let i = self.name("i");
        let dim = ty.dims[0].clone();
        let size = self.dim_node(&dim);
        if ty.rank() >= 2 && self.random.percent(30) {
            self.seen("tabulate_2d");
            let j = self.name("i");
            let inner = ty.cell().cell();
            let body = self.scoped(true, |maker| {
                maker.declare_index(&i, &dim);
                maker.declare_index(&j, &ty.dims[1]);
                maker.inner_block(&inner, depth)
            });
            let other = self.dim_node(&ty.dims[1]);
            return Node::new(ty, &format!("tabulate_2d $ $ (\\{i} {j} -> ~)"), vec![size, other, body]).fresh();
        }
        let body = self.scoped(true, |maker| {
            maker.declare_index(&i, &dim);
            maker.inner_block(&ty.cell(), depth)
        });
        self.seen("map over indices");
        if self.random.percent(50) {
            Node::new(ty, &format!("tabulate $ (\\{i} -> ~)"), vec![size, body]).fresh()
        } else {
            Node::new(ty, &format!("map (\\{i} -> ~) (iota $)"), vec![body, size]).fresh()
        }
    }

    /// A map over arrays.
    pub fn mapped(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let dim = ty.dims[0].clone();
        let mut over = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let var = self.var(|var| var.ty.dims.first() == Some(&dim) && var.ty.rank() <= 3)?;
            let node = Node::name(&var.ty, &var.name);
            over.push(if self.random.percent(25) && var.ty.element().is_some() { self.endo(node.clone()).unwrap_or(node) } else { node });
        }
        if self.random.percent(20) {
            let i = self.dim_node(&dim);
            over.push(Node::new(&Ty::array(std::slice::from_ref(&dim), Prim::I64), "iota $", vec![i]));
        }
        let names: Vec<String> = over.iter().map(|_| self.name("x")).collect();
        let body = self.scoped(true, |maker| {
            for (name, array) in names.iter().zip(&over) {
                maker.declare(name, &array.ty.cell(), false);
                if array.text().starts_with("iota") {
                    maker.vars.last_mut().expect("declared").below = Some(dim.clone());
                }
            }
            maker.inner_block(&ty.cell(), depth)
        });
        self.seen("map");
        let written = |(name, array): (&String, &Node)| format!("({name}: {})", array.ty.cell());
        let params: Vec<String> = if self.random.percent(40) { names.iter().zip(&over).map(written).collect() } else { names };
        let which = ["map", "map2", "map3"][over.len() - 1];
        let template = format!("{which} (\\{} -> ~){}", params.join(" "), " $".repeat(over.len()));
        Some(Node::new(ty, &template, std::iter::once(body).chain(over).collect()).fresh())
    }

    /// Elements of an array at given places.
    pub fn gathered(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let cell = ty.cell();
        let var = self.var(|var| var.ty.rank() == ty.rank() && var.ty.base == ty.base && var.ty.dims[1..] == cell.dims[..])?;
        let from = var.ty.dims[0].clone();
        let places = self.value_of(&Ty::array(&ty.dims[..1], Prim::I64), depth);
        let (name, size) = (Node::name(&var.ty, &var.name), self.dim_node(&from));
        self.seen("gather");
        if self.random.percent(25) {
            let i = self.name("i");
            let template = format!("map (\\{i} -> $[{i} % $]) $");
            return Some(Node::new(ty, &template, vec![name, size, places]).fresh());
        }
        Some(Node::new(ty, "$[$ % $]", vec![name, places, size]).fresh())
    }

    /// A part of a larger array: its size is the wanted one.
    fn part(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let want = ty.dims[0].clone();
        let value = self.value(&want)?;
        let cells = ty.cell().dims;
        let var = self.var(|var| var.ty.base == ty.base && var.ty.rank() == ty.rank() && var.ty.dims[1..] == cells[..])?;
        let have = self.value(&var.ty.dims[0])?;
        if have < value {
            return None;
        }
        let name = Node::name(&var.ty, &var.name);
        self.seen("slice");
        let start = self.random.below((have - value + 1) as usize) as i64;
        if self.random.percent(25) {
            return Some(self.guarded_slice(ty, &name, &var.ty.dims[0], depth));
        }
        let (low, high) = (Dim::constant(start), want.add(start));
        let text = if start == 0 && self.random.percent(30) { format!("take ({high}) $") } else { format!("$[{low}:{high}]") };
        Some(Node::new(ty, &text, vec![name]))
    }

    /// A slice at a computed place: brought into range, protected by a condition, or neither.
    fn guarded_slice(&mut self, ty: &Ty, array: &Node, from: &Dim, depth: usize) -> Node {
        self.seen("guarded slice");
        let k = self.name("j");
        let start = self.int(depth);
        let want = &ty.dims[0];
        let slice = format!("$[{k}:{k} + {}]", if want.is_token() { want.to_string() } else { format!("({want})") });
        let room = from.minus(want);
        let (template, parts) = match self.random.below(8) {
            0..=3 => {
                let template = format!("let {k} = i64.max 0 (i64.min $ $)\n  in {slice}");
                (template, vec![self.dim_node(&room), start, array.clone()])
            }
            4 if self.random.percent(30) => (format!("let {k} = $\n  in {slice}"), vec![start, array.clone()]),
            _ => {
                let end = if want.is_token() { want.to_string() } else { format!("({want})") };
                let guard = self.random.pick(&[format!("{k} >= 0 && {k} + {end} <= $"), format!("{k} >= 0 && {k} <= $ - {end}")]);
                let other = self.leaf(ty);
                let template = format!("let {k} = $\n  in if {guard} then {slice} else $");
                (template, vec![start, self.dim_node(from), array.clone(), other])
            }
        };
        Node::new(ty, &template, parts)
    }

    /// Two arrays, one after the other.
    pub fn joined(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let value = self.value(&ty.dims[0])?;
        let first = Dim::constant(self.random.below(value as usize + 1).min(3) as i64);
        let (a, b) = (ty.cell().times(&first), ty.cell().times(&ty.dims[0].minus(&first)));
        let (a, b) = if self.random.percent(50) { (a, b) } else { (b, a) };
        let (a, b) = (self.value_of(&a, depth), self.value_of(&b, depth));
        self.seen("concat");
        Some(Node::new(ty, self.random.pick(&["concat $ $", "$ ++ $"]), vec![a, b]).fresh())
    }

    /// Bins and places.
    pub fn scattered(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let prim = ty.element()?;
        let dest = self.value_of(ty, depth);
        let count = self.dim();
        let places = self.value_of(&Ty::array(std::slice::from_ref(&count), Prim::I64), depth);
        let values = self.value_of(&ty.cell().times(&count), depth);
        if ty.rank() == 1 && prim.is_complex() && self.random.percent(50) {
            self.seen("reduce_by_index complex");
            return Some(Node::new(ty, "reduce_by_index $ (+) 0 $ $", vec![dest, places, values]).fresh());
        }
        if ty.rank() == 1 && prim.is_number() && self.random.percent(50) {
            self.seen("reduce_by_index");
            if prim.is_integer() && self.random.percent(15) {
                let (op, whether) = self.failing(prim);
                return Some(Node::new(ty, &format!("reduce_by_index $ {op} $ $"), vec![dest, whether, places, values]).fresh());
            }
            let sum = prim.is_integer() && self.random.percent(50);
            let operator = if sum { self.random.pick(&["(+) 0", "(^) 0"]).to_string() } else { self.choice(prim) };
            return Some(Node::new(ty, &format!("reduce_by_index $ {operator} $ $"), vec![dest, places, values]).fresh());
        }
        self.seen("scatter");
        Some(Node::new(ty, "scatter $ $ $", vec![dest, places, values]).fresh())
    }

    /// Branches that return different views.
    pub fn branched(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let c = self.condition(depth);
        let a = self.scoped(false, |maker| maker.value_of(ty, depth));
        let b = match self.random.below(3) {
            0 => self.endo(a.clone()).unwrap_or(a.clone()),
            _ => {
                let statements = self.random.below(2);
                self.block(ty, statements, depth)
            }
        };
        self.seen("branch");
        Some(Node::new(ty, "if $ then ~ else ~", vec![c, a, b]))
    }

    fn literal_array(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let size = ty.dims[0].is_constant().filter(|size| (1..=4).contains(size))?;
        let cells: Vec<Node> = if self.random.percent(30) {
            let one = self.value_of(&ty.cell(), depth);
            (0..size).map(|_| one.clone()).collect()
        } else {
            (0..size).map(|_| self.value_of(&ty.cell(), depth)).collect()
        };
        self.seen("array literal");
        Some(Node::new(ty, &format!("[{}]", vec!["~"; cells.len()].join(", ")), cells))
    }

    /// A row, column or plane of an array of more dimensions, or the cells of one combined.
    fn cell_of_larger(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let rank = ty.rank() + 1;
        let var = self.var(|var| var.ty.rank() == rank && var.ty.base == ty.base)?;
        let name = Node::name(&var.ty, &var.name);
        let dims = &var.ty.dims;
        if dims[1..] == ty.dims[..] {
            self.seen("row");
            let index = self.index(&dims[0], depth);
            return Some(Node::new(ty, "$[~]", vec![name, index]));
        }
        if rank == 2 && dims[0] == ty.dims[0] {
            if ty.element().is_some_and(|prim| prim.is_integer()) && self.random.percent(50) {
                self.seen("rows combined");
                let prim = ty.element()?.name();
                let template = self.random.pick(&["map P.sum $", "P.sum $", "P.maximum $", "map P.minimum $", "map (reduce (+) 0) $"]);
                return Some(Node::new(ty, &template.replace('P', prim), vec![name]).fresh());
            }
            self.seen("column");
            let index = self.index(&dims[1], depth);
            return Some(Node::new(ty, "$[:, ~]", vec![name, index]));
        }
        None
    }
}
