//! Scalars: numbers that wrap, guarded accesses, folds.

use super::super::data::item;
use super::super::tree::Node;
use super::super::types::{Dim, INTEGERS, Prim, Ty};
use super::Maker;

impl Maker<'_> {
    /// A scalar of a type.
    pub fn scalar(&mut self, prim: Prim, depth: usize) -> Node {
        let ty = Ty::prim(prim);
        if depth == 0 || self.random.percent(15) {
            return self.scalar_leaf(prim);
        }
        let depth = depth - 1;
        if prim.is_float() && self.random.percent(10) {
            let a = self.scalar(prim, depth);
            return self.pole(prim, a);
        }
        let made = match self.random.below(16) {
            0..=4 => Some(self.arithmetic(prim, depth)),
            5..=7 => self.element(prim, depth),
            8..=9 => self.folded(prim, depth),
            10 => self.converted(prim, depth),
            11 => {
                let (c, a, b) = (self.condition(depth), self.scalar(prim, depth), self.scalar(prim, depth));
                Some(Node::new(&ty, "if $ then $ else $", vec![c, a, b]))
            }
            12 if self.nest < 3 => Some(self.block(&ty, 1, depth)),
            13 => self.call_for(&ty, depth),
            14 if self.nest < 3 => self.scalar_loop(prim, depth),
            15 if prim == Prim::I64 && self.random.percent(40) => Some(self.best_place(depth.min(1))),
            15 => self.projected(&ty),
            _ => None,
        };
        made.unwrap_or_else(|| self.scalar_leaf(prim))
    }

    /// A variable or a literal.
    pub fn scalar_leaf(&mut self, prim: Prim) -> Node {
        let ty = Ty::prim(prim);
        if self.random.percent(75)
            && let Some(node) = self.var_of(&ty)
        {
            return node;
        }
        self.literal(prim)
    }

    /// A literal.
    pub fn literal(&mut self, prim: Prim) -> Node {
        let text = item(self.random, prim, &Default::default(), 4);
        let ty = Ty::prim(prim);
        if text == literal_lowest() {
            self.seen("extreme literal");
            return Node::atom(&ty, "i64.lowest");
        }
        Node { atomic: !text.starts_with('-') && !prim.is_complex(), ..Node::atom(&ty, text) }
    }

    /// A truth value.
    pub fn condition(&mut self, depth: usize) -> Node {
        let bool = Ty::prim(Prim::Bool);
        match self.random.below(10) {
            0 => self.scalar(Prim::Bool, depth),
            1 => {
                let (a, b) = (self.condition(depth.saturating_sub(1)), self.condition(depth.saturating_sub(1)));
                Node::new(&bool, self.random.pick(&["$ && $", "$ || $", "$ == $", "$ != $", "$ & $", "$ | $", "$ ^ $"]), vec![a, b])
            }
            2 => {
                let a = self.condition(depth.saturating_sub(1));
                Node::new(&bool, "!$", vec![a])
            }
            _ => {
                let prim = if self.random.percent(70) { Prim::I64 } else { self.prim() };
                self.compared(prim, depth)
            }
        }
    }

    fn compared(&mut self, prim: Prim, depth: usize) -> Node {
        if prim == Prim::Bool {
            return self.scalar_leaf(prim);
        }
        let (a, b) = (self.scalar(prim, depth), self.scalar(prim, depth.saturating_sub(1)));
        let templates: &[&str] =
            if prim.is_complex() { &["$ == $", "$ != $"] } else { &["$ < $", "$ <= $", "$ > $", "$ >= $", "$ == $", "$ != $"] };
        let template = self.random.pick(templates);
        self.seen("comparison");
        Node::new(&Ty::prim(Prim::Bool), template, vec![a, b])
    }

    /// An operator on two scalars.
    fn arithmetic(&mut self, prim: Prim, depth: usize) -> Node {
        let ty = Ty::prim(prim);
        if prim == Prim::Bool {
            return self.condition(depth);
        }
        let (a, b) = (self.scalar(prim, depth), self.scalar(prim, depth));
        self.operated(&ty, prim, a, b)
    }

    /// An operator on two values of a shape (or one of them of a shape that is replicated).
    pub fn operated(&mut self, ty: &Ty, prim: Prim, a: Node, b: Node) -> Node {
        let name = prim.name();
        if prim == Prim::Bool {
            let template = self.random.pick(&["$ && $", "$ || $", "$ != $", "$ & $", "$ | $", "$ ^ $"]);
            return Node::new(ty, template, vec![a, b]);
        }
        if prim.is_complex() {
            self.seen("complex numbers");
            // Products are exact: sums of them do not depend on how they are rounded.
            let of_one =
                ["$ * 2", "$ * 1j", "-$", "c128.conj $", "c128.c64 (c64.c128 $)", "$ / 2j", "(\\z -> c128.mk (c128.im z) (c128.re z)) $"];
            let template = self.random.pick(&of_one);
            return match self.random.below(3) {
                0 => Node::new(ty, template, vec![a]),
                1 => Node::new(ty, "$ - $", vec![a, b]),
                _ => Node::new(ty, "$ + $", vec![a, b]),
            };
        }
        let choice = self.random.below(if prim.is_float() { 8 } else { 16 });
        match choice {
            0..=2 => Node::new(ty, "$ + $", vec![a, b]),
            3..=4 => Node::new(ty, "$ - $", vec![a, b]),
            5 => Node::new(ty, &format!("{name}.max $ $"), vec![a, b]),
            6 => Node::new(ty, &format!("{name}.min $ $"), vec![a, b]),
            7 if prim.is_float() => Node::new(ty, self.random.pick(&["$ * 2", "$ * 0.5", "-$", "$ * -1"]), vec![a]),
            7..=9 => Node::new(ty, "$ * $", vec![a, b]),
            10 => Node::new(ty, self.random.pick(&["$ & $", "$ | $", "$ ^ $"]), vec![a, b]),
            11 => {
                self.seen("shift");
                let by = self.random.pick(&["($ & 7)", "($ & 7)", "$", "GUARDED"]);
                let template = format!("$ {} {by}", self.random.pick(&["<<", ">>", ">>>"]));
                Node::new(ty, &template.replace("GUARDED", &self.not_zero()), vec![a, b])
            }
            12 if self.random.percent(50) => {
                self.seen("division by what is not zero");
                let op = self.random.pick(&["/", "%", "//", "%%"]);
                let by = self.not_zero();
                Node::new(ty, &format!("$ {op} {by}"), vec![a, b])
            }
            12 => {
                self.seen("division");
                let by = self.random.pick(&["3", "2", "7", "1"]);
                let template = format!("$ {} {by}", self.random.pick(&["/", "%", "//", "%%"]));
                Node::new(ty, &template, vec![a])
            }
            13 if a.ty.rank() == 0 && b.ty.rank() == 0 && a.atomic && b.atomic => {
                self.seen("guarded division");
                let op = self.random.pick(&["/", "%", "//", "%%"]);
                Node::new(ty, &format!("if $ != 0 then $ {op} $ else $"), vec![b.clone(), a.clone(), b, a])
            }
            14 if prim.is_signed() => Node::new(ty, self.random.pick(&["-$", "!$"]), vec![a]),
            14 => Node::new(ty, "!$", vec![a]),
            15 if self.random.percent(10) => {
                self.seen("division unguarded");
                Node::new(ty, self.random.pick(&["$ / $", "$ % $"]), vec![a, b])
            }
            _ => {
                self.seen("hash");
                let factor = if prim == Prim::I64 { "6364136223846793005" } else { "113" };
                Node::new(ty, &format!("$ * {factor} + $"), vec![a, b])
            }
        }
    }

    /// Something with a pole, which is used at one place only, where it and its derivative are exact: what is not used has no part in a derivative.
    fn pole(&mut self, prim: Prim, a: Node) -> Node {
        self.seen("unused pole");
        let (x, y) = (self.name("x"), self.name("y"));
        let poles = [
            ("NAME.sqrt X", "4"),
            ("X * NAME.sqrt X", "4"),
            ("1 / X", "2"),
            ("NAME.log X", "1"),
            ("X * NAME.log X", "1"),
            ("(X + 1) / (X - 1)", "2"),
            ("NAME.sqrt (X - 1) * NAME.sqrt (X - 1)", "2"),
        ];
        let (pole, at) = self.random.pick(&poles);
        let pole = pole.replace("NAME", prim.name()).replace('X', &x);
        Node::new(&a.ty.clone(), &format!("(\\{x} -> let {y} = {pole} in if {x} == {at} then {y} else {x}) $"), vec![a])
    }

    /// The template of a value that is not zero, whatever stands in it (scalars only: arrays are compared element by element).
    fn not_zero(&mut self) -> String {
        let (name, other) = (self.name("d"), self.random.pick(&["1", "3", "7"]));
        format!("((\\{name} -> if {name} == 0 then {other} else {name}) $)")
    }

    fn converted(&mut self, prim: Prim, depth: usize) -> Option<Node> {
        let ty = Ty::prim(prim);
        if prim == Prim::Bool {
            return Some(self.compared(Prim::I32, depth));
        }
        if prim == Prim::F64 && self.random.percent(30) {
            let part = self.random.pick(&["c128.re $", "c128.im $"]);
            let inner = self.scalar(Prim::C128, depth);
            return Some(Node::new(&ty, part, vec![inner]));
        }
        let from = match self.random.below(8) {
            0 => Prim::Bool,
            1 if prim.is_integer() => self.random.pick(&[Prim::F64, Prim::F32]),
            _ => self.random.pick(&INTEGERS),
        };
        // Large integers are not exact as floats, and sums of them depend on the order.
        let from = if prim.is_float() || prim.is_complex() { self.random.pick(&[Prim::I8, Prim::U8, Prim::Bool]) } else { from };
        self.seen("conversion");
        let inner = self.scalar(from, depth);
        Some(Node::new(&ty, &format!("{}.{} $", prim.name(), from.name()), vec![inner]))
    }

    /// Any integer, an extreme one now and then.
    pub fn int(&mut self, depth: usize) -> Node {
        self.scalar(Prim::I64, depth)
    }

    /// An index of an array of this size, which may be wrong at times.
    pub fn index(&mut self, dim: &Dim, depth: usize) -> Node {
        let i64 = Ty::prim(Prim::I64);
        if self.random.percent(60)
            && let Some(var) = self.var(|var| var.below.as_ref() == Some(dim))
        {
            return Node::name(&i64, &var.name);
        }
        let value = self.value(dim);
        match self.random.below(10) {
            0..=2 if value.is_some_and(|value| value > 0) => {
                let at = self.random.below(value.unwrap_or(1) as usize);
                Node::atom(&i64, at.to_string())
            }
            3 => Node { atomic: false, ..self.dim_node(&dim.add(-1)) },
            4..=5 => {
                let (inner, size) = (self.int(depth), self.dim_node(dim));
                Node::new(&i64, "$ % $", vec![inner, size])
            }
            6 => {
                let (last, inner) = (self.dim_node(&dim.add(-1)), self.int(depth));
                Node::new(&i64, "i64.max 0 (i64.min $ $)", vec![last, inner])
            }
            7 if self.random.percent(15) => {
                self.seen("index unguarded");
                self.int(depth)
            }
            8 if value != Some(0) => Node::atom(&i64, "0"),
            _ => {
                let (inner, size) = (self.int(0), self.dim_node(dim));
                Node::new(&i64, "$ % $", vec![inner, size])
            }
        }
    }

    /// An element of an array.
    fn element(&mut self, prim: Prim, depth: usize) -> Option<Node> {
        let ty = Ty::prim(prim);
        let var = self.var(|var| (1..=3).contains(&var.ty.rank()) && var.ty.element() == Some(prim))?;
        if var.ty.rank() <= 2 && self.random.percent(40) {
            return Some(self.guarded_element(&ty, &var.name, &var.ty.dims, depth));
        }
        let name = Node::name(&var.ty, &var.name);
        let indices: Vec<Node> = var.ty.dims.iter().map(|dim| self.index(dim, depth)).collect();
        let template = if self.random.percent(85) { vec!["~"; indices.len()].join(", ") } else { vec!["~"; indices.len()].join("][") };
        self.seen("element");
        Some(Node::new(&ty, &format!("$[{template}]"), std::iter::once(name).chain(indices).collect()))
    }

    /// An element behind a condition that protects the access.
    fn guarded_element(&mut self, ty: &Ty, name: &str, dims: &[Dim], depth: usize) -> Node {
        self.seen("guarded element");
        let i64 = Ty::prim(Prim::I64);
        let names: Vec<String> = dims.iter().map(|_| self.name("j")).collect();
        let values: Vec<Node> = dims.iter().map(|_| self.int(depth)).collect();
        let mut guards = Vec::new();
        let mut places = Vec::new();
        for (j, dim) in names.iter().zip(dims) {
            let size = self.dim_node(dim);
            let size = if size.atomic { dim.to_string() } else { format!("({dim})") };
            let (guard, place) = match self.random.below(7) {
                0 => (format!("{j} >= 0 && {j} < {size}"), j.clone()),
                1 => (format!("0 <= {j} && {j} <= {size} - 1"), j.clone()),
                2 => (format!("{j} > 0 && {j} < {size} + 1"), format!("{j} - 1")),
                3 => (format!("!({j} < 0 || {j} >= {size})"), format!("{size} - 1 - {j}")),
                4 => (format!("{j} >= 0 && {j} + 1 < {size}"), format!("{j} + 1")),
                5 => (format!("{j} >= 0 && 2 * {j} < {size} && {j} < {size}"), format!("2 * {j}")),
                _ => (format!("{j} < {size} && {j} >= 0"), j.clone()),
            };
            guards.push(guard);
            places.push(place);
        }
        let otherwise = Node { atomic: true, ..self.leaf(ty) };
        let read = Node::atom(ty, format!("{name}[{}]", places.join(", ")));
        let condition = Node { atomic: false, ..Node::atom(&Ty::prim(Prim::Bool), guards.join(" && ")) };
        let mut body = Node::new(ty, "if ~ then $ else ~", vec![condition, read, otherwise]);
        for (j, value) in names.iter().zip(values).rev() {
            body = Node::bind(vec![j.clone()], &format!("let {j} = ~"), vec![Node { ty: i64.clone(), ..value }], body);
        }
        body
    }

    /// An array combined to one element.
    fn folded(&mut self, prim: Prim, depth: usize) -> Option<Node> {
        let ty = Ty::prim(prim);
        let name = prim.name();
        let dim = self.var(|var| var.ty.rank() == 1).map_or_else(|| self.dim(), |var| var.ty.dims[0].clone());
        let array = self.value_of(&Ty::array(&[dim], prim), depth.min(1));
        self.seen("reduce");
        if prim == Prim::Bool {
            return Some(Node::new(&ty, self.random.pick(&["and $", "or $"]), vec![array]));
        }
        if prim.is_complex() {
            return Some(Node::new(&ty, self.random.pick(&["c128.sum $", "reduce (+) 0 $", "reduce_comm (+) 0 $"]), vec![array]));
        }
        if prim.is_integer() && self.random.percent(15) {
            let (op, whether) = self.failing(prim);
            let which = self.random.pick(&["reduce", "reduce_comm"]);
            return Some(Node::new(&ty, &format!("{which} {op} $"), vec![whether, array]));
        }
        let templates: &[String] = &match (prim.is_float(), self.random.below(4)) {
            (_, 0) => vec![format!("{name}.sum $")],
            (_, 1) => vec![format!("{name}.maximum $"), format!("{name}.minimum $")],
            (false, 2) => vec!["reduce (^) 0 $".into(), "reduce (+) 0 $".into(), format!("{name}.product $"), "reduce_comm (|) 0 $".into()],
            _ => return Some(self.chosen(&ty, "reduce", prim, array)),
        };
        let template = self.random.pick(templates);
        Some(Node::new(&ty, &template, vec![array]))
    }
}

fn literal_lowest() -> String {
    format!("{}i64", i64::MIN)
}
