//! Definitions: constants, entry points, and functions that are not inlined.

use super::values::{Atom, Env, Fun, IndexValue, Renaming, Static, Type};
use super::{Outcome, Specialiser};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::constants::{self, is_constant};
use crate::ir::core::{self, Define, Expr, ExprKind, ExprNode, LoopForm, Param};
use crate::ir::soac::{self, Body, Exp, FunId, Size, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Definitions up to this size (in nodes, with what they would inline themselves) are inlined wherever they are used.
const SMALL: u64 = 2000;

/// A definition for certain layouts of its types.
pub(super) struct Instance {
    fun: FunId,
    /// The constants that it takes as parameters, behind the sizes.
    constants: Vec<Symbol>,
}

/// A definition without its abstractions: names of its indices and types, and what is under them.
struct Open<'e> {
    indices: Vec<Symbol>,
    types: Vec<Symbol>,
    body: &'e Expr,
}

/// A definition of a function that is called.
struct Callee<'a> {
    define: &'a Define,
    open: &'a Open<'a>,
    params: &'a [(Symbol, core::Type)],
    ret: &'a core::Type,
    body: &'a Expr,
}

fn open(define: &Define) -> Open<'_> {
    let mut out = Open { indices: Vec::new(), types: Vec::new(), body: &define.body };
    loop {
        if let ExprKind::IFn { params, body } = out.body.kind() {
            out.indices.extend(params);
            out.body = body;
        } else if let ExprKind::TFn { params, body } = out.body.kind() {
            out.types.extend(params);
            out.body = body;
        } else {
            return out;
        }
    }
}

/// The parameters of a type without its quantifiers.
fn parameters(ty: &core::Type) -> Vec<Param> {
    let mut ty = ty.clone();
    loop {
        let next = match ty.atom() {
            core::Atom::Pi(_, body) | core::Atom::Forall(_, body) => body.clone(),
            core::Atom::Fun(params, _) if ty.shape().is_scalar() => return params.clone(),
            core::Atom::Prim(_)
            | core::Atom::Var(_)
            | core::Atom::Fun(..)
            | core::Atom::Sigma(..)
            | core::Atom::Tuple(_)
            | core::Atom::Record(_)
            | core::Atom::Sum(_) => return Vec::new(),
        };
        ty = next;
    }
}

impl<'p> Specialiser<'p> {
    /// The value of a definition.
    pub(super) fn global(&mut self, name: Symbol, span: Span) -> Outcome<Static> {
        if let Some(value) = self.known_constant(name) {
            return Ok(value);
        }
        let Some(&define) = self.defs.get(&name) else { return self.broken(span, &format!("`{name}` is not known")) };
        if !is_constant(define) {
            let fun = Fun::Global { name, indices: Vec::new(), types: Vec::new(), args: Vec::new() };
            return Ok(Static::Fun(Rc::new(fun)));
        }
        if let Some(value) = self.constant(define)? {
            return Ok(value);
        }
        self.eval(&define.body, &mut Env::default())
    }

    fn known_constant(&self, name: Symbol) -> Option<Static> {
        self.local.get(&name).or_else(|| self.constants.get(&name)).cloned()
    }

    /// The value of a constant that cannot fail: it is computed before everything else.
    fn constant(&mut self, define: &Define) -> Outcome<Option<Static>> {
        let (block, value) = self.apart(0, |this| this.eval(&define.body, &mut Env::default()));
        let value = value?;
        if block.iter().any(|stm| stm.exp.may_fail()) {
            return Ok(None);
        }
        if block.iter().any(|stm| !matches!(stm.exp, Exp::Literal(_))) {
            self.computed.insert(define.name);
        }
        self.out.consts.extend(block);
        self.constants.insert(define.name, value.clone());
        Ok(Some(value))
    }

    /// Computes the constants that an entry point needs and that may fail, here and now.
    fn failing_constants(&mut self, define: &Define) -> Outcome<()> {
        for &constant in self.needed(define).iter() {
            if self.constants.contains_key(&constant.name) {
                continue;
            }
            let of_failing = self.needed(constant).iter().any(|other| self.local.contains_key(&other.name));
            if !of_failing && self.constant(constant)?.is_some() {
                continue;
            }
            let value = self.eval(&constant.body, &mut Env::default())?;
            self.local.insert(constant.name, value);
        }
        Ok(())
    }
    /// The constants that a definition needs, in the order of the program.
    fn needed(&mut self, define: &Define) -> Rc<[&'p Define]> {
        if let Some(known) = self.needed.get(&define.name) {
            return known.clone();
        }
        let (defs, order) = (&self.defs, &self.order);
        let Some(&own) = defs.get(&define.name) else { return Rc::new([]) };
        let find = |name: Symbol| Some((*order.get(&name)?, *defs.get(&name)?));
        let numbers = constants::needed(own, &mut self.free, &find);
        let found: Rc<[&'p Define]> = numbers.into_iter().map(|number| &self.program.defs[number]).collect();
        self.needed.insert(define.name, found.clone());
        found
    }

    /// A definition with its index and type arguments: if those are all and it is no function, its value.
    pub(super) fn saturated(&mut self, fun: Fun) -> Outcome<Static> {
        if let Fun::Global { name, indices, types, .. } = &fun
            && let Some(&define) = self.defs.get(name)
        {
            let open = open(define);
            let complete = indices.len() == open.indices.len() && types.len() == open.types.len();
            if complete && !matches!(open.body.kind(), ExprKind::Fn { .. }) {
                let mut env = bound(&open, indices, types);
                return self.eval(open.body, &mut env);
            }
        }
        Ok(Static::Fun(Rc::new(fun)))
    }

    /// Applies a definition: it is inlined or called.
    pub(super) fn apply_global(
        &mut self,
        name: Symbol,
        indices: &[IndexValue],
        types: &[Atom],
        mut args: Vec<Static>,
        span: Span,
    ) -> Outcome<Static> {
        let Some(&define) = self.defs.get(&name) else { return self.broken(span, &format!("`{name}` is not known")) };
        let open = open(define);
        let ExprKind::Fn { params, body, ret } = open.body.kind() else { return self.broken(span, "a function was expected") };
        if args.len() < params.len() {
            let fun = Fun::Global { name, indices: indices.to_vec(), types: types.to_vec(), args };
            return Ok(Static::Fun(Rc::new(fun)));
        }
        let rest = args.split_off(params.len());
        let weight = self.weights.get(&name).copied().unwrap_or(0);
        let heavy = weight > SMALL && self.mentions.get(&name).copied().unwrap_or(0) > 1;
        let hints = self.attributes;
        // What attributes say about a place is about what is inlined there, unless that would be very much.
        let here = self.attributed && weight <= 8 * SMALL && !hints.noinline.contains(&name);
        let inline = hints.inline.contains(&name) || here;
        let large = !inline && (heavy || hints.noinline.contains(&name));
        if large && let Some(result) = self.call(&Callee { define, open: &open, params, ret, body }, indices, types, &args, span)? {
            return self.apply(result, rest, span);
        }
        let mut env = bound(&open, indices, types);
        env.terms.extend(params.iter().map(|(name, _)| *name).zip(args));
        let result = self.in_call(span, |this| this.eval(body, &mut env))?;
        self.apply(result, rest, span)
    }

    /// Calls the function for a definition at these types; `None` if functions go in or come out.
    fn call(&mut self, callee: &Callee, indices: &[IndexValue], types: &[Atom], args: &[Static], span: Span) -> Outcome<Option<Static>> {
        let Callee { define, open, params, ret, .. } = *callee;
        let mut env = bound(open, indices, types);
        env.terms.extend(params.iter().map(|(name, _)| *name).zip(args.iter().cloned()));
        let mut key = format!("{}", define.name);
        for index in indices {
            key += &match index {
                IndexValue::Dim(_) => " .".to_string(),
                IndexValue::Shape(sizes) => format!(" {}", sizes.len()),
            };
        }
        let mut actual = Vec::new();
        indices.iter().for_each(|index| actual.extend(index.sizes().cloned()));
        for atom in types {
            let ty = Type { shape: Vec::new(), atom: atom.clone() };
            key.push(' ');
            ty.layout(&mut key);
            if !ty.is_data() {
                return Ok(None);
            }
            ty.sizes(&mut |size| actual.push(size.clone()));
        }
        for (_, ty) in params {
            if !self.resolve(ty, &mut env, span)?.is_data() {
                return Ok(None);
            }
        }
        let result = self.resolve(ret, &mut env, span)?;
        if !result.is_data() || has_sigma(types) {
            return Ok(None);
        }
        let instance = match self.instances.get(&key) {
            Some(instance) => instance.clone(),
            None => {
                let instance = Arc::new(self.instance(callee, indices, types, span)?);
                self.instances.insert(key, instance.clone());
                instance
            }
        };
        let mut operands = actual.iter().map(|size| self.operand(size, span)).collect::<Outcome<Vec<_>>>()?;
        for name in &instance.constants {
            match self.known_constant(*name) {
                Some(value) => self.add_leaves(&value, span, &mut operands)?,
                None => return self.broken(span, &format!("`{name}` has no value here")),
            }
        }
        for arg in args {
            self.add_leaves(arg, span, &mut operands)?;
        }
        let mut pat = Vec::new();
        let value = self.symbolic(&result, &[], Symbol::new("result"), span, &mut pat)?;
        self.push(pat, Exp::Call(instance.fun, operands), span)?;
        Ok(Some(value))
    }

    /// Makes the function for a definition: its parameters are the sizes that its types mention and the components of its arguments.
    fn instance(&mut self, callee: &Callee, indices: &[IndexValue], types: &[Atom], span: Span) -> Outcome<Instance> {
        let open = callee.open;
        let mut constants = Vec::new();
        let local: FxHashSet<Symbol> = self.local.keys().copied().collect();
        let (_, fun) = self.apart(1, |this| {
            let mut vars = Vec::new();
            let mut env = Env::default();
            for (name, index) in open.indices.iter().zip(indices) {
                let value = match index {
                    IndexValue::Dim(_) => IndexValue::Dim(this.size_parameter(*name, &mut vars)),
                    IndexValue::Shape(sizes) => IndexValue::Shape(sizes.iter().map(|_| this.size_parameter(*name, &mut vars)).collect()),
                };
                env.indices.insert(*name, value);
            }
            for (name, atom) in open.types.iter().zip(types) {
                let atom = this.abstracted(atom, *name, &mut vars);
                env.types.insert(*name, atom);
            }
            for &constant in this.needed(callee.define).iter() {
                if !local.contains(&constant.name) && !this.computed.contains(&constant.name) {
                    continue;
                }
                // What is no data is made where it is used.
                if let Ok(ty) = this.resolve(&constant.ty, &mut Env::default(), span)
                    && ty.is_data()
                {
                    let value = this.symbolic(&ty, &[], constant.name, span, &mut vars)?;
                    this.local.insert(constant.name, value);
                    constants.push(constant.name);
                }
            }
            this.function(callee, env, vars, span)
        });
        Ok(Instance { fun: fun?, constants })
    }

    fn size_parameter(&mut self, name: Symbol, vars: &mut Vec<Var>) -> Size {
        let text = name.as_str().trim_start_matches('@');
        let var = self.fresh(Symbol::new(text), soac::Type::scalar(PrimType::I64));
        self.naturals.insert(var);
        vars.push(var);
        Size::var(var)
    }
    /// The type with a parameter for each of its sizes.
    fn abstracted(&mut self, atom: &Atom, name: Symbol, vars: &mut Vec<Var>) -> Atom {
        let ty = |this: &mut Self, ty: &Type, vars: &mut Vec<Var>| Type {
            shape: ty.shape.iter().map(|_| this.size_parameter(name, vars)).collect(),
            atom: this.abstracted(&ty.atom, name, vars),
        };
        match atom {
            Atom::Prim(_) | Atom::Fun | Atom::Sigma(_) => atom.clone(),
            Atom::Tuple(parts) => Atom::Tuple(parts.iter().map(|part| ty(self, part, vars)).collect()),
            Atom::Record(parts) => Atom::Record(parts.iter().map(|(label, part)| (*label, ty(self, part, vars))).collect()),
        }
    }

    /// Adds a function whose size parameters are `vars`.
    fn function(&mut self, callee: &Callee, mut env: Env, mut vars: Vec<Var>, span: Span) -> Outcome<FunId> {
        for (name, ty) in callee.params {
            let ty = self.resolve(ty, &mut env, span)?;
            let base = Symbol::new(name.as_str().split('.').next().unwrap_or("x"));
            let value = self.symbolic(&ty, &[], base, span, &mut vars)?;
            env.terms.insert(*name, value);
        }
        let value = self.eval(callee.body, &mut env)?;
        self.add_function(callee.define, vars, value, false, span)
    }

    fn add_function(&mut self, define: &Define, params: Vec<Var>, value: Static, entry: bool, span: Span) -> Outcome<FunId> {
        let mut result = self.leaves(&value, span)?;
        let mut results = Vec::with_capacity(result.len());
        let mut map = Renaming::default();
        // A size that is no parameter, but a constant that is computed, is returned after everything else.
        let mut computed = Vec::new();
        if entry {
            self.computed_sizes(&value, &params, &mut computed);
        }
        let sizes: Vec<Var> = computed.iter().map(|_| self.fresh(Symbol::new("n"), soac::Type::scalar(PrimType::I64))).collect();
        map.sizes.extend(computed.iter().copied().zip(sizes.iter().map(|size| Size::var(*size))));
        self.result_vars(&value, &mut map, &mut results, span)?;
        results.extend(sizes);
        result.extend(computed.into_iter().map(soac::Operand::Var));
        let body = Body { stms: std::mem::take(&mut self.block), result };
        let fun = soac::Fun { name: define.name, params, results, body, entry, span: define.span };
        Ok(self.out.funs.alloc(fun))
    }
    /// The variables in sizes of results that are neither parameters nor results, nor hidden in a box.
    fn computed_sizes(&self, value: &Static, params: &[Var], out: &mut Vec<Var>) {
        match value {
            Static::Data(operand) => {
                let ty = self.ty(*operand);
                let vars = ty.shape.iter().flat_map(|size| size.vars());
                let new: Vec<Var> = vars.filter(|var| !params.contains(var) && !out.contains(var)).collect();
                new.into_iter().for_each(|var| {
                    if !out.contains(&var) {
                        out.push(var)
                    }
                });
            }
            Static::Tuple(parts) => parts.iter().for_each(|part| self.computed_sizes(part, params, out)),
            Static::Record(parts) => parts.iter().for_each(|(_, part)| self.computed_sizes(part, params, out)),
            Static::Box(boxed) => boxed.sigma.body.sizes(&mut |size| {
                let new: Vec<Var> = size.vars().filter(|var| !params.contains(var) && !boxed.sigma.params.contains(var)).collect();
                new.into_iter().for_each(|var| {
                    if !out.contains(&var) {
                        out.push(var)
                    }
                });
            }),
            Static::Fun(_) | Static::Lifted(_) => {}
        }
    }
    /// Variables for the results; sizes that come out are variables of their own.
    fn result_vars(&mut self, value: &Static, map: &mut Renaming, results: &mut Vec<Var>, span: Span) -> Outcome<()> {
        match value {
            Static::Data(a) => {
                let ty = self.ty(*a);
                let ty = soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) };
                let var = self.fresh(Symbol::new("r"), ty);
                results.push(var);
            }
            Static::Tuple(parts) => parts.iter().try_for_each(|part| self.result_vars(part, map, results, span))?,
            Static::Record(parts) => parts.iter().try_for_each(|(_, part)| self.result_vars(part, map, results, span))?,
            Static::Box(boxed) => {
                let mut vars = Vec::new();
                let ty = Type { shape: Vec::new(), atom: Atom::Sigma(Rc::new(boxed.sigma.rename(map))) };
                self.symbolic(&ty, &[], Symbol::new("r"), span, &mut vars)?;
                results.extend(vars);
            }
            Static::Fun(_) | Static::Lifted(_) => return self.limit(span, "a function is returned to the outside"),
        }
        Ok(())
    }

    /// Adds an entry point.
    pub(super) fn entry(&mut self, define: &Define) -> Outcome<()> {
        let span = define.span;
        let open = open(define);
        let params = parameters(&define.ty);
        if !open.types.is_empty() {
            return self.limit(span, format!("`{}` is polymorphic: it cannot be run on data", define.name));
        }
        self.depth = 1;
        self.block = Vec::new();
        self.failing_constants(define)?;
        let mut vars = Vec::new();
        let mut env = Env::default();
        let mut indices = Vec::new();
        for name in &open.indices {
            if name.as_str().starts_with('@') {
                return self.limit(span, format!("`{}` takes arrays of any rank: it cannot be run on data", define.name));
            }
            let size = self.size_parameter(*name, &mut vars);
            env.indices.insert(*name, IndexValue::Dim(size.clone()));
            indices.push(IndexValue::Dim(size));
        }
        // The names of the parameters in the type, where sizes mention them, are those of the definition.
        let names: Vec<Symbol> =
            if let ExprKind::Fn { params, .. } = open.body.kind() { params.iter().map(|(name, _)| *name).collect() } else { Vec::new() };
        let mut args = Vec::with_capacity(params.len());
        for (k, param) in params.iter().enumerate() {
            let ty = self.resolve(&param.ty, &mut env, span)?;
            if !ty.is_data() {
                return self.limit(span, format!("argument {} of `{}` is no data", k + 1, define.name));
            }
            let name = names.get(k).copied().or(param.name).unwrap_or_else(|| Symbol::new("x"));
            let base = Symbol::new(name.as_str().split('.').next().unwrap_or("x"));
            let value = self.symbolic(&ty, &[], base, span, &mut vars)?;
            param.name.into_iter().for_each(|name| {
                env.terms.insert(name, value.clone());
            });
            args.push(value);
        }
        let mut env = bound(&open, &indices, &[]);
        let value = self.eval(open.body, &mut env)?;
        let value = self.apply(value, args, span)?;
        self.add_function(define, vars, value, true, span)?;
        self.local.clear();
        self.depth = 0;
        Ok(())
    }
}

fn has_sigma(types: &[Atom]) -> bool {
    types.iter().any(|atom| match atom {
        Atom::Sigma(_) => true,
        Atom::Tuple(parts) => parts.iter().any(|part| has_sigma(std::slice::from_ref(&part.atom))),
        Atom::Record(parts) => parts.iter().any(|(_, part)| has_sigma(std::slice::from_ref(&part.atom))),
        Atom::Prim(_) | Atom::Fun => false,
    })
}

fn bound(open: &Open, indices: &[IndexValue], types: &[Atom]) -> Env {
    Env {
        terms: FxHashMap::default(),
        indices: open.indices.iter().copied().zip(indices.iter().cloned()).collect(),
        types: open.types.iter().copied().zip(types.iter().cloned()).collect(),
    }
}

/// The size of each definition with all that it mentions, each mention counted; and how often definitions are mentioned.
pub(super) fn weights(program: &core::Program, mentions: &mut FxHashMap<Symbol, u32>) -> FxHashMap<Symbol, u64> {
    let mut weights = FxHashMap::default();
    for define in &program.defs {
        let mut memo = FxHashMap::default();
        let weight = weigh(&define.body, &weights, mentions, &mut memo);
        weights.insert(define.name, weight);
    }
    weights
}

fn weigh(
    expr: &Expr,
    weights: &FxHashMap<Symbol, u64>,
    mentions: &mut FxHashMap<Symbol, u32>,
    memo: &mut FxHashMap<*const ExprNode, u64>,
) -> u64 {
    let key = Arc::as_ptr(&expr.0);
    if let Some(weight) = memo.get(&key) {
        return *weight;
    }
    let mut sum = 1u64;
    let mut add = |inner: &Expr| sum = sum.saturating_add(weigh(inner, weights, mentions, memo));
    match expr.kind() {
        ExprKind::Var(name) => {
            *mentions.entry(*name).or_default() += 1;
            sum = weights.get(name).copied().unwrap_or(1);
        }
        ExprKind::Lit(_) | ExprKind::Array { .. } | ExprKind::ReifyDim(_) | ExprKind::ReifyShape(_) => {}
        ExprKind::Frame { cells, .. } => cells.iter().for_each(&mut add),
        ExprKind::App { fun, args } => {
            add(fun);
            args.iter().for_each(&mut add);
        }
        ExprKind::Inst { fun, .. } => add(fun),
        ExprKind::Fn { body, .. } | ExprKind::IFn { body, .. } | ExprKind::TFn { body, .. } => add(body),
        ExprKind::Let { rhs, body, .. } => {
            add(rhs);
            add(body);
        }
        ExprKind::If { cond, then, els } => [cond, then, els].into_iter().for_each(&mut add),
        ExprKind::Loop { params, form, body } => {
            params.iter().for_each(|param| add(&param.init));
            match form {
                LoopForm::For(_, n) => add(n),
                LoopForm::While(cond) => add(cond),
            }
            add(body);
        }
        ExprKind::Map { args, body, .. } => {
            args.iter().for_each(|(_, arg)| add(arg));
            add(body);
        }
        ExprKind::Tuple(parts) => parts.iter().for_each(&mut add),
        ExprKind::Record(fields) => fields.iter().for_each(|(_, part)| add(part)),
        ExprKind::Unbox { boxed, body, .. } => {
            add(boxed);
            add(body);
        }
        ExprKind::Rep { arg, .. } => add(arg),
        ExprKind::Proj(_, inner)
        | ExprKind::Field(_, inner)
        | ExprKind::Inject { payload: inner, .. }
        | ExprKind::Is(_, inner)
        | ExprKind::Payload(_, inner) => add(inner),
        ExprKind::Box { body, .. } => add(body),
        ExprKind::Coerce { expr, .. } => add(expr),
        ExprKind::Assert { cond, expr, .. } => {
            add(cond);
            add(expr);
        }
    }
    memo.insert(key, sum);
    sum
}
