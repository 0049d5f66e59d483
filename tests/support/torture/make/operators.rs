//! Array operators with operators of their own: on pairs, on rows, with accumulators; ranges; updates with a step.

use super::super::tree::Node;
use super::super::types::{Base, Dim, Prim, Ty};
use super::{Binding, Made, Maker};

impl Maker<'_> {
    /// The place of the best element of an array of integers.
    pub fn best_place(&mut self, depth: usize) -> Node {
        let prim = self.random.pick(&[Prim::I64, Prim::I64, Prim::I32, Prim::U8]);
        let dim = self.dim();
        let array = self.value_of(&Ty::array(std::slice::from_ref(&dim), prim), depth);
        let size = self.dim_node(&dim);
        let name = prim.name();
        let (order, first) = self.random.pick(&[(">", "lowest"), ("<", "highest")]);
        let which = self.random.pick(&["reduce", "reduce_comm"]);
        self.seen("reduce pairs");
        let template = format!(
            "({which} (\\(a, i) (b, j) -> if a {order} b || (a == b && i < j) then (a, i) else (b, j)) ({name}.{first}, 9223372036854775807i64) (zip $ (iota $))).1"
        );
        Node { atomic: true, ..Node::new(&Ty::prim(Prim::I64), &template, vec![array, size]) }
    }

    /// Rows combined to one.
    pub fn rows_combined(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let prim = ty.element().filter(|prim| prim.is_number() && ty.rank() == 1)?;
        let count = self.dim();
        let rows = self.value_of(&ty.times(&count), depth);
        let size = self.dim_node(&ty.dims[0]);
        let (op, neutral) = self.operator_on_rows(prim);
        self.seen("reduce rows");
        Some(Node::new(ty, &format!("reduce {op} (replicate $ {neutral}) $"), vec![size, rows]).fresh())
    }

    /// A product of two matrices, with any operations in place of plus and times, and something computed from its sums.
    pub fn product(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let prim = ty.element().filter(|prim| prim.is_number() && ty.rank() == 2 && self.nest < 2)?;
        let (rows, columns, count) = (ty.dims[0].clone(), ty.dims[1].clone(), self.dim());
        let left = self.value_of(&ty.shaped(vec![rows, count.clone()]), depth.min(1));
        let right = self.value_of(&ty.shaped(vec![count, columns]), depth.min(1));
        let times = self.random.pick(&["a + b", "a * b", "if a < b then a else b"]);
        let combine = if prim.is_integer() && self.random.percent(60) { "(+) 0".to_string() } else { self.choice(prim) };
        let sum = format!("reduce {combine} (map2 (\\a b -> {times}) r c)");
        let cell = match self.random.below(4) {
            0 => sum,
            1 => format!("let s = {sum} in if s < r[0] then s + 1 else s").replace("r[0]", "1"),
            2 => format!("2 * {sum}"),
            _ => format!("let s = {sum} in s * s + 1"),
        };
        self.seen("product");
        let row = match self.random.below(3) {
            0 => format!("let p = map (\\c -> {cell}) (transpose $) in map2 (\\a b -> if a < b then b else a) p (reverse p)"),
            _ => format!("map (\\c -> {cell}) (transpose $)"),
        };
        Some(Node::new(ty, &format!("map (\\r -> {row}) $"), vec![right, left]).fresh())
    }

    fn operator_on_rows(&mut self, prim: Prim) -> (String, String) {
        match self.random.below(4) {
            0 if prim.is_integer() => ("(map2 (+))".to_string(), "0".to_string()),
            1 if prim.is_integer() => ("(\\x y -> map2 (^) x y)".to_string(), "0".to_string()),
            _ => {
                let (op, neutral) = self.minimum_or_maximum(prim);
                (format!("(map2 {op})"), neutral)
            }
        }
    }

    /// An operator that chooses one of two numbers, and a neutral element of it.
    pub fn choice(&mut self, prim: Prim) -> String {
        let (op, neutral) = self.minimum_or_maximum(prim);
        format!("{op} {neutral}")
    }

    /// `reduce` or `scan` with such an operator. What it begins with need not be neutral, and may have a derivative.
    pub fn chosen(&mut self, ty: &Ty, fold: &str, prim: Prim, array: Node) -> Node {
        if self.random.percent(20)
            && let Some(start) = self.var_of(&Ty::prim(prim))
        {
            let (op, _) = self.minimum_or_maximum(prim);
            self.seen("fold begun");
            return Node::new(ty, &format!("{fold} {op} $ $"), vec![start, array]);
        }
        let choice = self.choice(prim);
        Node::new(ty, &format!("{fold} {choice} $"), vec![array])
    }

    /// An operator on integers that fails wherever it runs if something is 0 or less, with its neutral element; and that something. Where there is
    /// nothing to combine it does not run.
    pub fn failing(&mut self, prim: Prim) -> (String, Node) {
        let dim = self.dim();
        let whether = if self.random.percent(50) { self.dim_node(&dim) } else { self.int(0) };
        let (a, b) = (self.name("a"), self.name("b"));
        let template = self.random.pick(&["A + B + P.i64 (0 / $)", "assert ($ > 0) (A ^ B)", "assert ($ != 0) (A + B)"]);
        let body = template.replace('P', prim.name()).replace('A', &a).replace('B', &b);
        self.seen("operator that may fail");
        (format!("(\\{a} {b} -> {body}) 0"), whether)
    }

    fn minimum_or_maximum(&mut self, prim: Prim) -> (String, String) {
        let name = prim.name();
        let (op, limit, inf) = self.random.pick(&[("max", "lowest", "(-inf)"), ("min", "highest", "inf")]);
        let neutral = match self.random.below(3) {
            0 if prim.is_float() => format!("{name}.nan"),
            1 if prim.is_float() => inf.replace("inf", &format!("{name}.inf")),
            _ => format!("{name}.{limit}"),
        };
        (format!("{name}.{op}"), neutral)
    }

    /// Rows combined one after the other, or into bins.
    pub fn rows_scanned(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let prim = ty.element().filter(|prim| prim.is_number() && ty.rank() == 2)?;
        let (op, neutral) = self.operator_on_rows(prim);
        let size = self.dim_node(&ty.dims[1]);
        if self.random.percent(50) {
            let rows = self.value_of(ty, depth);
            self.seen("scan rows");
            return Some(Node::new(ty, &format!("scan {op} (replicate $ {neutral}) $"), vec![size, rows]).fresh());
        }
        let count = self.dim();
        let dest = self.value_of(ty, depth);
        let places = self.value_of(&Ty::array(std::slice::from_ref(&count), Prim::I64), depth);
        let rows = self.value_of(&ty.cell().times(&count), depth);
        self.seen("bins of rows");
        Some(Node::new(ty, &format!("reduce_by_index $ {op} (replicate $ {neutral}) $ $"), vec![dest, size, places, rows]).fresh())
    }

    /// Bins that begin empty.
    pub fn histogram(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let prim = ty.element().filter(|prim| prim.is_number() && ty.rank() == 1)?;
        let count = self.dim();
        let places = self.value_of(&Ty::array(std::slice::from_ref(&count), Prim::I64), depth);
        let values = self.value_of(&Ty::array(&[count], prim), depth);
        let size = self.dim_node(&ty.dims[0]);
        if prim.is_integer() && self.random.percent(15) {
            let (op, whether) = self.failing(prim);
            return Some(Node::new(ty, &format!("hist {op} $ $ $"), vec![whether, size, places, values]).fresh());
        }
        let sum = prim.is_integer() && self.random.percent(67);
        let op = if sum { self.random.pick(&["(+) 0", "(|) 0"]).to_string() } else { self.choice(prim) };
        self.seen("hist");
        Some(Node::new(ty, &format!("hist {op} $ $ $"), vec![size, places, values]).fresh())
    }

    /// What functions write to places.
    pub fn streamed(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let prim = ty.element().filter(|prim| prim.is_integer() && ty.rank() == 1)?;
        let var = self.var(|var| var.ty.rank() == 1 && var.ty.element().is_some_and(Prim::is_integer))?;
        let dest = self.value_of(ty, depth);
        let (acc, x) = (self.name("acc"), self.name("x"));
        let (condition, places, values) = self.scoped(true, |maker| {
            maker.declare(&x, &var.ty.cell(), false);
            let places = [maker.index(&ty.dims[0], 0), maker.int(1)];
            let values = [maker.scalar(prim, 1), maker.scalar(prim, 0)];
            (maker.condition(0), places, values)
        });
        let [p, q] = places;
        let [v, w] = values;
        let body = self.random.pick(&["if $ then write ACC $ $ else write ACC $ $", "if $ then write (write ACC $ $) $ $ else ACC"]);
        let body = body.replace("ACC", &acc);
        let combined = self.random.percent(60);
        let op = if combined { " (+) 0" } else { "" };
        let which = if combined { "reduce_by_index_stream" } else { "scatter_stream" };
        self.seen("stream");
        let template = format!("{which} (copy $){op} (\\{acc} {x} -> {body}) $");
        Some(Node::new(ty, &template, vec![dest, condition, p, v, q, w, Node::name(&var.ty, &var.name)]).fresh())
    }

    /// Pairs combined one after the other, and other pairs made by a map.
    pub fn pairs_statement(&mut self, depth: usize) -> Option<Binding> {
        let dim = self.array_var(1)?.ty.dims[0].clone();
        let (a, b) = (self.name("v"), self.name("v"));
        if self.random.percent(40) {
            let ty = Ty::array(&[dim], Prim::I64);
            let (xs, ys) = (self.value_of(&ty, depth), self.value_of(&ty, depth));
            self.seen("scan pairs");
            self.declare(&a, &ty, true);
            self.declare(&b, &ty, true);
            let template = format!("let ({a}, {b}) = unzip (scan (\\(a, b) (c, d) -> (a + c, i64.max b d)) (0i64, i64.lowest) (zip $ $))");
            return Some(Binding { names: vec![a, b], template, parts: vec![xs, ys] });
        }
        let pair = Ty::tuple(vec![self.ty(1), self.ty(1)]);
        let Base::Tuple(parts) = &pair.base else { return None };
        if !self.nameable(&pair) || !parts.iter().all(|part| self.small(&part.times(&dim))) {
            return None;
        }
        let i = self.name("i");
        let body = self.scoped(true, |maker| {
            maker.declare_index(&i, &dim);
            let statements = maker.random.below(2);
            maker.block(&pair, statements, depth)
        });
        let size = self.dim_node(&dim);
        for (name, part) in [&a, &b].into_iter().zip(parts) {
            self.declare(name, &part.times(&dim), true);
        }
        self.seen("map to pairs");
        let template = format!("let ({a}, {b}) = unzip (map (\\{i} -> ~) (iota $))");
        Some(Binding { names: vec![a, b], template, parts: vec![body, size] })
    }

    /// Numbers from, by and to.
    pub fn ranged(&mut self) -> Made {
        let k = self.name("k");
        let last = self.int(0);
        let template = self.random.pick(&["0..2..<($ & 7)", "7..5..>($ & 7)", "1...($ & 7)", "0..3...($ & 7)", "(-1)..1...($ & 7)"]);
        self.seen("range");
        let ty = Ty::array(&[Dim::name(&k)], Prim::I64);
        Made { node: Node::new(&ty, template, vec![last]).fresh(), hidden: vec![(k, 9)] }
    }

    /// Every other element replaced.
    pub fn stepped_update(&mut self) -> Option<Binding> {
        let var = self.array_var(1)?;
        let (k, part, name) = (self.name("k"), self.name("v"), self.name("v"));
        let step = self.random.pick(&["::2", "::-1", "::-2", "1::2", "::3"]);
        let ty = var.ty.cell().times(&Dim::name(&k));
        let most = self.most(&var.ty.dims[0]);
        self.declare_size(&k, None, most);
        self.declare(&part, &ty, false);
        let array = Node::name(&var.ty, &var.name);
        let inner = Node::name(&ty, &part);
        let value = match self.random.below(3) {
            0 => self.endo(inner.clone()).unwrap_or(inner),
            1 => self.elementwise(&ty, 1),
            _ => inner,
        };
        self.seen("update with a step");
        self.declare(&name, &var.ty, true);
        let template = format!("let [{k}] ({part}: {ty}) = $[{step}]\n  in let {name} = $ with [{step}] = $");
        Some(Binding { names: vec![k, part, name], template, parts: vec![array.clone(), array, value] })
    }

    /// An element replaced behind a condition that protects the write.
    pub fn guarded_update(&mut self, array: Node, depth: usize) -> Node {
        let ty = array.ty.clone();
        let j = self.name("j");
        let (place, size) = (self.int(depth), self.dim_node(&ty.dims[0]));
        let value = self.value_of(&ty.cell(), depth);
        let guard = self.random.pick(&["J >= 0 && J < $", "J < $ && J >= 0", "0 <= J && J + 1 <= $", "!(J < 0) && !(J >= $)"]);
        let template = format!("let {j} = ~\n  in if {} then $ with [{j}] = $ else $", guard.replace('J', &j));
        self.seen("guarded update");
        Node::new(&ty, &template, vec![place, size, array.clone(), value, array])
    }
}
