//! Loops of every form: what they carry is swapped, updated, viewed, and changes its size.

use super::super::tree::Node;
use super::super::types::{Dim, Prim, Ty};
use super::{Binding, Made, Maker};

/// How a loop runs: the text behind its first values, the expressions in it, and the index with its bound.
struct Form {
    template: String,
    parts: Vec<Node>,
    index: Option<(String, Option<Dim>)>,
    element: Option<(String, Ty)>,
}

impl Maker<'_> {
    /// How often, or over what, a loop runs; not `while`.
    fn form(&mut self, depth: usize) -> Form {
        let i = self.name("i");
        let i64 = Ty::prim(Prim::I64);
        let mut form = Form { template: String::new(), parts: Vec::new(), index: None, element: None };
        match self.random.below(6) {
            0..=2 => {
                let dim = self.dim();
                form.parts = vec![self.dim_node(&dim)];
                form.template = format!("for {i} < $");
                form.index = Some((i, Some(dim)));
                self.seen("for");
            }
            3 => {
                form.parts = vec![self.int(depth.min(1))];
                form.template = format!("for {i} < ($ & 3)");
                form.index = Some((i, None));
                self.seen("for computed");
            }
            4 => match self.var(|var| var.ty.rank() >= 1 && var.ty.element().is_some()) {
                Some(var) => {
                    self.seen("for in");
                    let node = Node::name(&var.ty, &var.name);
                    let node = if self.random.percent(30) { self.endo(node.clone()).unwrap_or(node) } else { node };
                    form.template = format!("for {i} in $");
                    form.element = Some((i, node.ty.cell()));
                    form.parts = vec![node];
                }
                None => {
                    form.template = format!("for {i} < 2");
                    form.index = Some((i, Some(Dim::constant(2))));
                }
            },
            _ => {
                let last = self.int(0);
                form.template = format!("for {i} < i64.min 3 $");
                form.parts = vec![Node { ty: i64, ..last }];
                form.index = Some((i, None));
                self.seen("for computed");
            }
        }
        form
    }

    fn declare_form(&mut self, form: &Form) {
        match &form.index {
            Some((name, Some(dim))) => self.declare_index(name, dim),
            Some((name, None)) => self.declare(name, &Ty::prim(Prim::I64), false),
            None => (),
        }
        if let Some((name, ty)) = &form.element {
            self.declare(name, ty, false);
        }
    }

    /// What makes a loop several ones where it is differentiated in reverse, in front of some.
    fn strips(&mut self) -> &'static str {
        if self.random.percent(80) {
            return "";
        }
        self.seen("loop strip-mined");
        self.random.pick(&["#[stripmine(2)] ", "#[stripmine(3)] "])
    }

    /// A loop whose value is a scalar.
    pub fn scalar_loop(&mut self, prim: Prim, depth: usize) -> Option<Node> {
        let ty = Ty::prim(prim);
        let s = self.name("s");
        let first = self.scalar(prim, depth);
        if self.random.percent(30) {
            self.seen("while scalar");
            let c = self.name("c");
            let (condition, next) = self.scoped(true, |maker| {
                maker.declare(&s, &ty, false);
                maker.declare(&c, &Ty::prim(Prim::I64), false);
                let condition = maker.condition(0);
                (condition, maker.inner_block(&ty, depth))
            });
            let most = self.random.pick(&["3", "4", "10"]);
            let order = self.random.pick(&["$ && C < M", "C < M && $"]).replace('C', &c).replace('M', most);
            let bound = if self.random.percent(30) { format!("#[bound({most})] ") } else { String::new() };
            let template = format!("({bound}loop ({s}, {c}) = (~, 0i64) while {order} do (~, {c} + 1)).0");
            return Some(Node { atomic: true, ..Node::new(&ty, &template, vec![first, condition, next]) });
        }
        let form = self.form(depth);
        let next = self.scoped(true, |maker| {
            maker.declare_form(&form);
            maker.declare(&s, &ty, false);
            maker.inner_block(&ty, depth)
        });
        self.seen("loop scalar");
        let template = format!("{}loop {s} = $ {} do ~", self.strips(), form.template);
        Some(Node::new(&ty, &template, [vec![first], form.parts, vec![next]].concat()))
    }

    /// A loop whose value is an array.
    pub fn looped(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let x = self.name("l");
        let first = self.value_of(ty, depth);
        let form = self.form(depth);
        let next = self.scoped(true, |maker| {
            maker.declare_form(&form);
            maker.declare(&x, ty, true);
            maker.next_value(ty, &x, depth)
        });
        self.seen("loop array");
        let template = format!("{}loop {x} = $ {} do ~", self.strips(), form.template);
        Some(Node::new(ty, &template, [vec![first], form.parts, vec![next]].concat()))
    }

    /// The next value of a loop variable.
    fn next_value(&mut self, ty: &Ty, name: &str, depth: usize) -> Node {
        if ty.dims.is_empty() {
            return self.value_of(ty, depth);
        }
        match self.random.below(10) {
            0..=4 => {
                let mut array = Node::name(ty, name);
                for _ in 0..1 + self.random.below(2) {
                    array = self.updated_node(array, depth);
                }
                self.seen("loop updates");
                array
            }
            5 => {
                let array = Node::name(ty, name);
                self.seen("loop carries a view");
                self.endo(array.clone()).unwrap_or(array)
            }
            6 => {
                self.seen("loop swaps");
                self.var_of(ty).unwrap_or_else(|| Node::name(ty, name))
            }
            _ => self.inner_block(ty, depth),
        }
    }

    /// A loop that carries several values.
    pub fn loop_statement(&mut self, depth: usize) -> Option<Binding> {
        let count = 2 + self.random.below(2);
        let mut types: Vec<Ty> = Vec::new();
        for _ in 0..count {
            let again = types.iter().find(|ty| ty.rank() > 0).cloned().filter(|_| self.random.percent(65));
            types.push(again.unwrap_or_else(|| self.ty(2)));
        }
        types.retain(|ty| self.nameable(ty));
        if types.len() < 2 {
            return None;
        }
        let first: Vec<Node> = types.iter().map(|ty| self.value_of(ty, depth)).collect();
        let names: Vec<String> = types.iter().map(|_| self.name("l")).collect();
        let form = if self.random.percent(25) { None } else { Some(self.form(depth)) };
        let counter = self.name("c");
        let (lets, condition, next) = self.scoped(true, |maker| {
            match &form {
                Some(form) => maker.declare_form(form),
                None => maker.declare(&counter, &Ty::prim(Prim::I64), false),
            }
            names.iter().zip(&types).for_each(|(name, ty)| maker.declare(name, ty, true));
            let condition = maker.condition(0);
            let most = maker.random.below(2);
            let lets = maker.statements(most, depth);
            let mut next: Vec<Node> = Vec::new();
            for (name, ty) in names.iter().zip(&types) {
                next.push(maker.next_value(ty, name, depth));
            }
            (lets, condition, next)
        });
        self.seen("loop with several arrays");
        let outer: Vec<String> = types.iter().map(|_| self.name("v")).collect();
        let places = |k: usize| vec!["~"; k].join(", ");
        let mut first_parts = first;
        let template = match form {
            Some(form) => {
                first_parts.extend(form.parts);
                let pattern = names.join(", ");
                first_parts.push(super::statements::chain(lets, Node::tuple(next)));
                let strips = self.strips();
                format!("let ({}) = {strips}loop ({pattern}) = ({}) {} do ~", outer.join(", "), places(types.len()), form.template)
            }
            None => {
                self.seen("while arrays");
                let pattern = names.join(", ");
                let counted = Node { atomic: false, ..Node::atom(&Ty::prim(Prim::I64), format!("{counter} + 1")) };
                next_counted(&mut first_parts, condition, super::statements::chain(lets, Node::tuple([next, vec![counted]].concat())));
                format!(
                    "let ({}, _) = loop ({pattern}, {counter}) = ({}, 0i64) while {counter} < 3 && $ do ~",
                    outer.join(", "),
                    places(types.len())
                )
            }
        };
        for (name, ty) in outer.iter().zip(&types) {
            self.declare_result(name, ty);
        }
        Some(Binding { names: outer, template, parts: first_parts })
    }

    /// What a loop returns may share memory with whatever it began with, and its parts with each other.
    fn declare_result(&mut self, name: &str, ty: &Ty) {
        let all: Vec<u32> = self.vars.iter().flat_map(|var| var.roots.clone()).collect();
        self.declare(name, ty, false);
        self.vars.last_mut().expect("declared").roots.extend(all);
    }

    /// A loop whose array has another size each time.
    pub fn growing_loop(&mut self) -> Option<Made> {
        let var = self.array_var(1)?;
        let cell = var.ty.cell();
        let (x, k) = (self.name("l"), self.name("k"));
        let name = Node::name(&var.ty, &var.name);
        let most = self.most(&var.ty.dims[0]);
        let i = self.name("i");
        self.seen("loop with changing sizes");
        let simple = cell.scalar().is_some_and(Prim::is_integer);
        let (text, factor) = match self.random.below(7) {
            0 => (format!("for {i} < 2 do {x} ++ {x}"), 4),
            1 => (format!("for {i} < 2 do {x} ++ reverse {x}"), 4),
            2 => (format!("while length {x} > 1 do {x}[1:length {x}]"), 1),
            3 => (format!("while length {x} > 2 do {x}[::2]"), 1),
            4 if simple => (format!("for {i} < 2 do filter (> 0) {x}"), 1),
            5 if simple => (format!("for {i} < 2 do filter (< 3) (reverse {x}) ++ {x}[0:{i}]"), 2),
            _ => (format!("for {i} < 3 do if {i} == 1 then {x} ++ {x} else reverse {x}"), 2),
        };
        let ty = cell.times(&Dim::name(&k));
        let node = Node::new(&ty, &format!("loop {x} = $ {text}"), vec![name]);
        Some(Made { node, hidden: vec![(k, (most * factor).max(3))] })
    }
}

fn next_counted(parts: &mut Vec<Node>, condition: Node, next: Node) {
    parts.push(condition);
    parts.push(next);
}
