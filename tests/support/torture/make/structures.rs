//! Tuples, records and sums that have arrays in them, and arrays of tuples.

use super::super::tree::Node;
use super::super::types::{Base, Prim, Ty};
use super::{Binding, Maker};

impl Maker<'_> {
    /// A value of a type that is no array of scalars.
    pub fn structure(&mut self, ty: &Ty, depth: usize) -> Node {
        if self.random.percent(40)
            && let Some(node) = self.var_of(ty)
        {
            return node;
        }
        let depth = depth.saturating_sub(1);
        match (&ty.base, ty.rank()) {
            (Base::Tuple(parts), 0) => {
                let parts = parts.clone();
                Node::tuple(parts.iter().map(|part| self.value_of(part, depth)).collect())
            }
            (Base::Record(fields), 0) => {
                let fields = fields.clone();
                let template: Vec<String> = fields.iter().map(|(label, _)| format!("{label} = ~")).collect();
                let parts = fields.iter().map(|(_, part)| self.value_of(part, depth)).collect();
                Node { atomic: true, ..Node::new(ty, &format!("{{{}}}", template.join(", ")), parts) }
            }
            (Base::Option(part), 0) => {
                let part = (**part).clone();
                self.seen("sum");
                let none = format!("(#none : {ty})");
                if self.random.percent(20) {
                    return Node::atom(ty, none);
                }
                let inner = self.value_of(&part, depth);
                let some = Node::new(ty, &format!("(#some $ : {ty})"), vec![inner]);
                let c = self.condition(depth);
                Node::new(ty, "if $ then $ else $", vec![c, some, Node::atom(ty, none)])
            }
            (Base::Tuple(parts), _) if parts.len() == 2 && self.random.percent(60) => {
                let parts: Vec<Ty> = parts.iter().map(|part| part.shaped([&ty.dims[..1], &ty.dims[1..], &part.dims].concat())).collect();
                let arrays: Vec<Node> = parts.iter().map(|part| self.value_of(part, depth)).collect();
                self.seen("zip");
                if ty.rank() == 1 { Node::new(ty, "zip $ $", arrays).fresh() } else { Node::new(ty, "map2 zip $ $", arrays).fresh() }
            }
            _ => {
                let i = self.name("i");
                let dim = ty.dims[0].clone();
                let body = self.scoped(true, |maker| {
                    maker.declare_index(&i, &dim);
                    maker.structure(&ty.cell(), depth)
                });
                let size = self.dim_node(&dim);
                self.seen("map to structures");
                Node::new(ty, &format!("tabulate $ (\\{i} -> ~)"), vec![size, body]).fresh()
            }
        }
    }

    /// A part of a structure that has the type.
    pub fn projected(&mut self, ty: &Ty) -> Option<Node> {
        let part_of = |var: &super::Var| -> Option<String> {
            let fits = |part: &Ty| part.base == ty.base && [&var.ty.dims[..], &part.dims].concat() == ty.dims;
            match &var.ty.base {
                Base::Tuple(parts) if var.ty.dims.is_empty() => parts.iter().position(fits).map(|at| format!("$.{at}")),
                Base::Tuple(parts) if var.ty.rank() == 1 && parts.len() == 2 => {
                    parts.iter().position(fits).map(|at| format!("map (.{at}) $"))
                }
                Base::Record(fields) => fields.iter().find(|(_, part)| fits(part)).map(|(label, _)| format!("$.{label}")),
                Base::Option(part) if var.ty.dims.is_empty() && fits(part) => Some("match $ case #some x -> x case #none -> $".to_string()),
                _ => None,
            }
        };
        let var = self.var(|var| part_of(var).is_some())?;
        let template = part_of(&var)?;
        self.seen("projection");
        let mut parts = vec![Node::name(&var.ty, &var.name)];
        if template.starts_with("match") {
            self.seen("match");
            parts.push(self.leaf(ty));
        }
        Some(Node::new(ty, &template, parts))
    }

    /// A type with other types in it.
    fn structure_ty(&mut self) -> Ty {
        let part = |maker: &mut Self| {
            let ty = maker.ty(2);
            if maker.nameable(&ty) { ty } else { Ty::prim(Prim::I64) }
        };
        match self.random.below(5) {
            0 => Ty::tuple(vec![part(self), part(self)]),
            1 => {
                let dim = self.dim();
                let prims = (Ty::prim(self.prim()), Ty::prim(self.prim()));
                Ty::tuple(vec![prims.0, prims.1]).times(&dim)
            }
            2 => Ty { dims: Vec::new(), base: Base::Option(Box::new(part(self))) },
            _ => {
                let (a, b) = (part(self), part(self));
                Ty { dims: Vec::new(), base: Base::Record(vec![("a".into(), a), ("b".into(), b)]) }
            }
        }
    }

    /// A variable with parts, or one with a part changed, or its parts by name.
    pub fn structure_statement(&mut self, depth: usize) -> Option<Binding> {
        let record = self.var(|var| matches!(var.ty.base, Base::Record(_)) && var.ty.dims.is_empty()).filter(|_| self.random.percent(40));
        if let Some(var) = record
            && let Base::Record(fields) = &var.ty.base
        {
            let (label, ty) = self.random.pick(fields);
            self.seen("record update");
            let value = self.value_of(&ty, depth);
            let node = Node::new(&var.ty, &format!("$ with {label} = $"), vec![Node::name(&var.ty, &var.name), value]);
            return Some(self.let_value(node.into()));
        }
        let pair = self.var(|var| matches!(&var.ty.base, Base::Tuple(parts) if parts.len() == 2) && var.ty.rank() <= 1);
        if let Some(var) = pair.filter(|_| self.random.percent(40))
            && let Base::Tuple(parts) = &var.ty.base
        {
            let names = [self.name("v"), self.name("v")];
            let node = Node::name(&var.ty, &var.name);
            let node = if var.ty.rank() == 1 {
                self.seen("unzip");
                Node::new(&var.ty, "unzip $", vec![node])
            } else {
                node
            };
            for (name, part) in names.iter().zip(parts) {
                let ty = part.shaped([&var.ty.dims[..], &part.dims].concat());
                self.declare_value(name, &ty, &node);
            }
            let template = format!("let ({}, {}) = ~", names[0], names[1]);
            return Some(Binding { names: names.to_vec(), template, parts: vec![node] });
        }
        let ty = self.structure_ty();
        let value = self.structure(&ty, depth);
        self.seen(match ty.base {
            Base::Record(_) => "record",
            Base::Option(_) => "sum with arrays",
            _ => "tuple",
        });
        Some(self.let_value(value.into()))
    }
}
