//! Functions: local ones and calls. What they take with `*` is new memory, or a variable that is not used again.

use super::super::tree::{Kind, Node};
use super::super::types::{Base, Dim, Prim, Ty};
use super::{Binding, Fun, Maker};

impl Maker<'_> {
    /// A call whose value has the type: of a function whose result has it, or of one on scalars that is mapped.
    pub fn call_for(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        let prim = ty.element()?;
        let fits = |fun: &Fun| match fun.result.scalar() {
            Some(result) => result == prim && (ty.dims.is_empty() || fun.params.iter().all(|(param, _)| param.dims.is_empty())),
            None => {
                fun.result.rank() == ty.rank()
                    && (fun.polymorphic || fun.result.base == ty.base)
                    && fun
                        .result
                        .dims
                        .iter()
                        .zip(&ty.dims)
                        .all(|(dim, want)| dim == want || dim.as_name().is_some_and(|name| fun.sizes.iter().any(|size| size == name)))
            }
        };
        let funs: Vec<Fun> = self.funs.iter().filter(|fun| fits(fun)).cloned().collect();
        if funs.is_empty() {
            return None;
        }
        let fun = self.random.pick(&funs);
        if fun.result.dims.is_empty() && !ty.dims.is_empty() {
            self.seen("function mapped implicitly");
            let first = self.random.below(fun.params.len());
            let mut args = Vec::new();
            for (at, (param, _)) in fun.params.iter().enumerate() {
                let lifted = at == first || self.random.percent(30);
                args.push(self.value_of(&if lifted { param.shaped(ty.dims.clone()) } else { param.clone() }, depth));
            }
            return Some(self.call(&fun, ty, args).fresh());
        }
        let mut sizes: Vec<(String, Dim)> = fun.sizes.iter().map(|name| (name.clone(), self.dim())).collect();
        for (dim, want) in fun.result.dims.iter().zip(&ty.dims) {
            if let Some(found) = sizes.iter_mut().find(|(name, _)| dim.as_name() == Some(name)) {
                found.1 = want.clone();
            }
        }
        let instance = |ty: &Ty| sizes.iter().fold(ty.clone(), |ty, (name, dim)| ty.replaced(name, dim));
        let mut args = Vec::new();
        for (param, star) in fun.params.clone() {
            let mut wanted = instance(&param);
            if fun.polymorphic && param.rank() > 0 {
                wanted.base = ty.base.clone();
            }
            let arg = self.value_of(&wanted, depth);
            args.push(if star && arg.kind != Kind::Fresh { Node::new(&wanted, "copy $", vec![arg]).fresh() } else { arg });
        }
        if fun.params.iter().any(|(_, star)| *star) {
            self.seen("call that takes");
        }
        Some(self.call(&fun, ty, args))
    }

    fn call(&mut self, fun: &Fun, ty: &Ty, args: Vec<Node>) -> Node {
        self.seen("call");
        Node::new(ty, &format!("{}{}", fun.name, " $".repeat(args.len())), args)
    }

    /// `let ys = f xs`, after which xs is gone.
    pub fn giving_statement(&mut self, depth: usize) -> Option<Binding> {
        let funs: Vec<Fun> = self.funs.iter().filter(|fun| fun.params[0].1 && fun.params[0].0.rank() == 1).cloned().collect();
        if funs.is_empty() {
            return None;
        }
        let fun = self.random.pick(&funs);
        let size = fun.params[0].0.dims[0].clone();
        let mark = self.vars.clone();
        let var = self.give()?;
        let fits = var.ty.rank() == 1 && (fun.polymorphic || var.ty.base == fun.params[0].0.base);
        let fits = fits && size.as_name().is_some_and(|name| fun.sizes.iter().any(|one| one == name)) && fun.sizes.len() == 1;
        if !fits {
            self.vars = mark;
            return None;
        }
        let instance = |ty: &Ty| ty.replaced(&fun.sizes[0], &var.ty.dims[0]);
        let mut args = vec![Node::name(&var.ty, &var.name)];
        for (param, star) in &fun.params[1..] {
            let wanted =
                if fun.polymorphic && param.rank() > 0 { Ty { base: var.ty.base.clone(), ..instance(param) } } else { instance(param) };
            let arg = self.value_of(&wanted, depth);
            args.push(if *star { Node::new(&wanted, "copy $", vec![arg]) } else { arg });
        }
        let mut result = instance(&fun.result);
        if fun.polymorphic {
            result.base = var.ty.base.clone();
        }
        self.seen("consumed");
        let value = self.call(&fun, &result, args);
        let name = self.name("v");
        self.declare_value(&name, &result, &value);
        Some(Binding { template: format!("let {name} = ~"), names: vec![name], parts: vec![value] })
    }

    /// A local function.
    pub fn function_statement(&mut self, depth: usize) -> Option<Binding> {
        match self.random.below(8) {
            0..=3 => Some(self.scalar_function(depth)),
            4 => self.higher_order(depth),
            _ => self.array_function(depth),
        }
    }

    fn scalar_function(&mut self, depth: usize) -> Binding {
        let (f, count) = (self.name("f"), 1 + self.random.below(2));
        let prims: Vec<Prim> = (0..count).map(|_| if self.random.percent(70) { Prim::I64 } else { self.prim() }).collect();
        let result = if self.random.percent(70) { prims[0] } else { self.prim() };
        let names: Vec<String> = prims.iter().map(|_| self.name("a")).collect();
        let body = self.scoped(true, |maker| {
            names.iter().zip(&prims).for_each(|(name, prim)| maker.declare(name, &Ty::prim(*prim), false));
            maker.inner_block(&Ty::prim(result), depth)
        });
        self.seen("local function");
        let written: Vec<String> = names.iter().zip(&prims).map(|(name, prim)| format!("({name}: {})", prim.name())).collect();
        let params = prims.iter().map(|prim| (Ty::prim(*prim), false)).collect();
        let template = if self.random.percent(25) {
            format!("let {f} = \\{} -> ~", written.join(" "))
        } else {
            format!("let {f} {} : {} = ~", written.join(" "), result.name())
        };
        self.funs.push(Fun { name: f.clone(), sizes: Vec::new(), params, result: Ty::prim(result), polymorphic: false });
        Binding { names: vec![f], template, parts: vec![body] }
    }

    /// A function on arrays of any size, or of one that is known.
    fn array_function(&mut self, depth: usize) -> Option<Binding> {
        let (f, x) = (self.name("f"), self.name("a"));
        let p = self.name("p");
        let any = self.random.percent(60);
        let prim = if self.random.percent(70) { Prim::I64 } else { self.prim() };
        let dim = if any { Dim::name(&p) } else { self.dim() };
        let ty = Ty::array(&[dim], prim);
        let star = self.random.percent(35);
        let scalar = if self.random.percent(30) { Some(self.name("a")) } else { None };
        let result = if self.random.percent(75) { ty.clone() } else { Ty::prim(prim) };
        let body = self.scoped(true, |maker| {
            if any {
                maker.declare_size(&p, None, 20);
            }
            maker.declare(&x, &ty, star);
            if let Some(scalar) = &scalar {
                maker.declare(scalar, &Ty::prim(Prim::I64), false);
            }
            if maker.random.percent(50) && result.rank() > 0 {
                let array = Node::name(&ty, &x);
                maker.updated_node(array, depth)
            } else {
                maker.inner_block(&result, depth)
            }
        });
        self.seen(if star { "local function that takes" } else { "local function on arrays" });
        let binder = if any { format!(" [{p}]") } else { String::new() };
        let second = scalar.as_ref().map_or(String::new(), |name| format!(" ({name}: i64)"));
        let template = format!("let {f}{binder} ({x}: {}{ty}){second} : {result} = ~", if star { "*" } else { "" });
        let mut params = vec![(ty, star)];
        params.extend(scalar.map(|_| (Ty::prim(Prim::I64), false)));
        let sizes = if any { vec![p] } else { Vec::new() };
        self.funs.push(Fun { name: f.clone(), sizes, params, result, polymorphic: false });
        Some(Binding { names: vec![f], template, parts: vec![body] })
    }

    /// An array that a function on functions makes.
    fn higher_order(&mut self, depth: usize) -> Option<Binding> {
        let (f, y, v) = (self.name("f"), self.name("a"), self.name("v"));
        let var = self.array_var(1)?;
        let ty = if self.random.percent(50) { var.ty.clone() } else { Ty::prim(var.ty.element()?) };
        let inner = if ty.dims.is_empty() { ty.clone() } else { var.ty.clone() };
        let body = self.scoped(true, |maker| {
            maker.declare(&y, &inner, false);
            maker.inner_block(&inner, depth)
        });
        self.seen("higher-order function");
        let array = Node::name(&var.ty, &var.name);
        let template = match (ty.dims.is_empty(), self.random.below(3)) {
            (true, 0) => format!("let {f} (g: T -> T) (x: T) : T = g (g x)\n  let {v} = map ({f} (\\({y}: T) -> ~)) $"),
            (true, _) => format!("let {f} (g: T -> T) (x: T) : T = g (g x)\n  let {v} = map (\\x -> {f} (\\({y}: T) -> ~) x) $"),
            (false, 0) => format!("let {v} = iterate 2 (\\({y}: T) -> ~) $"),
            (false, _) => format!("let {f} (g: T -> T) (x: T) : T = g (g x)\n  let {v} = {f} (\\({y}: T) -> ~) $"),
        };
        self.declare(&v, &var.ty, false);
        Some(Binding { names: vec![v], template: template.replace('T', &ty.to_string()), parts: vec![body, array] })
    }

    /// An array with some place replaced.
    pub fn updated_node(&mut self, array: Node, depth: usize) -> Node {
        let ty = array.ty.clone();
        if array.kind == Kind::Name && self.random.percent(12) {
            return self.guarded_update(array, depth);
        }
        let binding = self.place_text(&ty, depth);
        let (template, mut parts, inner) = binding;
        let value = self.value_of(&inner, depth);
        parts.insert(0, array);
        parts.push(value);
        Node::new(&ty, &format!("$ with [{template}] = $"), parts).fresh()
    }

    /// Whether a type is one of scalars, for functions on any elements.
    pub fn is_plain(ty: &Ty) -> bool {
        matches!(ty.base, Base::Prim(_))
    }
}
