//! Definitions: entry points, and functions that are inlined or called; those that call themselves always are (`recursion`).

use super::error::{Error, Limit};
use super::plan::Definition;
use super::recursion::{in_terms_of, renamed, seen_by_functions};
use super::values::{Atom, BoxValue, Env, Fun, IndexValue, Layout, Renaming, Static, Type};
use super::{Outcome, Specialiser, stem};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::constants::is_constant;
use crate::ir::core::{self, Define, Expr, ExprKind, Param, is_shape};
use crate::ir::soac::{self, Body, Exp, FunId, Operand, Size, Stm, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Definitions up to this size (in nodes, with what they would inline themselves) are inlined wherever they are used.
const SMALL: u64 = 2000;

/// A definition for certain layouts of its types.
pub(super) struct Instance {
    pub fun: FunId,
    /// The constants that it takes as parameters, behind the sizes.
    pub constants: Vec<Symbol>,
    /// The sizes of its index and type arguments that are no parameters, in terms of what function arguments have captured.
    pub sizes: Vec<Option<Size>>,
}

/// What tells the functions for one definition apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct InstanceKey {
    define: Symbol,
    /// The ranks of its index arguments; nothing for sizes.
    ranks: Vec<Option<usize>>,
    types: Vec<Layout>,
}

impl InstanceKey {
    fn new(define: Symbol, indices: &[IndexValue], types: &[Atom]) -> InstanceKey {
        let rank = |index: &IndexValue| match index {
            IndexValue::Dim(_) => None,
            IndexValue::Shape(sizes) => Some(sizes.len()),
        };
        InstanceKey { define, ranks: indices.iter().map(rank).collect(), types: types.iter().map(|atom| atom.layout(0)).collect() }
    }
}

/// A function but for its statements.
struct Outline {
    params: Vec<Var>,
    results: Vec<Var>,
    result: Vec<Operand>,
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

/// What a function is made for.
#[derive(Clone, Copy)]
struct Instantiation<'a> {
    indices: &'a [IndexValue],
    types: &'a [Atom],
    /// The arguments that are functions.
    functions: &'a [Static],
    /// The sizes that types mention, and whether functions among the arguments see them.
    sizes: &'a [(Size, bool)],
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
    /// A definition that there has to be.
    fn definition(&self, name: Symbol, span: Span) -> Outcome<Definition<'p>> {
        self.plan.find(name).map_or_else(|| self.broken(span, &format!("`{name}` is not known")), Ok)
    }
    /// The value of a definition.
    pub(super) fn global(&mut self, name: Symbol, span: Span) -> Outcome<Static> {
        if let Some(value) = self.constants.value(name) {
            return Ok(value);
        }
        let define = self.definition(name, span)?.define;
        if !is_constant(define) {
            let fun = Fun::Global { name, indices: Vec::new(), types: Vec::new(), args: Vec::new() };
            return Ok(Static::Fun(Rc::new(fun)));
        }
        if let Some(value) = self.constant(define)? {
            return Ok(value);
        }
        self.eval(&define.body, &mut Env::default())
    }

    /// A definition with its index and type arguments: if those are all and it is no function, its value.
    pub(super) fn saturated(&mut self, fun: Fun) -> Outcome<Static> {
        if let Fun::Global { name, indices, types, .. } = &fun
            && let Some(found) = self.plan.find(*name)
        {
            let open = open(found.define);
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
        let Definition { define, weight, mentions, .. } = self.definition(name, span)?;
        let open = open(define);
        let ExprKind::Fn { params, body, ret } = open.body.kind() else { return self.broken(span, "a function was expected") };
        if args.len() < params.len() {
            let fun = Fun::Global { name, indices: indices.to_vec(), types: types.to_vec(), args };
            return Ok(Static::Fun(Rc::new(fun)));
        }
        let rest = args.split_off(params.len());
        let heavy = weight > SMALL && mentions > 1;
        let hints = self.plan.attributes();
        // What attributes say about a place is about what is inlined there, unless that would be very much.
        let here = self.block.is_attributed() && weight <= 8 * SMALL && !hints.noinline.contains(&name);
        let inline = hints.inline.contains(&name) || here;
        let large = define.recursive || !inline && (heavy || hints.noinline.contains(&name));
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
        let seen = if define.recursive { seen_by_functions(params) } else { FxHashSet::default() };
        let mut actual = Vec::new();
        for (name, index) in open.indices.iter().zip(indices) {
            actual.extend(index.sizes().map(|size| (size.clone(), seen.contains(name))));
        }
        let types_of = |atom: &Atom| Type { shape: Vec::new(), atom: atom.clone() };
        for (name, ty) in open.types.iter().zip(types.iter().map(types_of)) {
            if !ty.is_data() {
                return if define.recursive { self.limit(span, Limit::RecursionOverFunctions) } else { Ok(None) };
            }
            ty.sizes(&mut |size| actual.push((size.clone(), seen.contains(name))));
        }
        let mut functions = Vec::new();
        for ((_, ty), arg) in params.iter().zip(args) {
            if !self.resolve(ty, &mut env, span)?.is_data() {
                if !define.recursive {
                    return Ok(None);
                }
                functions.push(arg.clone());
            }
        }
        let result = self.resolve(ret, &mut env, span)?;
        if !result.is_data() || has_sigma(types) {
            return if define.recursive { self.limit(span, Limit::RecursionOverFunctions) } else { Ok(None) };
        }
        let key = InstanceKey::new(define.name, indices, types);
        let (instance, captured) = match self.known_instance(&key, &functions, &actual) {
            Some(known) => known,
            None => {
                let instantiation = Instantiation { indices, types, functions: &functions, sizes: &actual };
                self.instance(callee, &key, &instantiation, span)?;
                let known = self.known_instance(&key, &functions, &actual);
                let Some(known) = known else { return self.broken(span, "an instance that is not there") };
                known
            }
        };
        let mut operands: Vec<Operand> = captured.iter().flatten().map(|var| Operand::Var(*var)).collect();
        for ((size, _), known) in actual.iter().zip(&instance.sizes) {
            if known.is_none() {
                operands.push(self.operand(size, span)?);
            }
        }
        for name in &instance.constants {
            match self.constants.value(*name) {
                Some(value) => self.add_leaves(&value, span, &mut operands)?,
                None => return self.broken(span, &format!("`{name}` has no value here")),
            }
        }
        for arg in args.iter().filter(|arg| !matches!(arg, Static::Fun(_))) {
            self.add_leaves(arg, span, &mut operands)?;
        }
        let mut pat = Vec::new();
        let value = self.symbolic(&result, &[], Symbol::new("result"), span, &mut pat)?;
        self.push(pat, Exp::Call(instance.fun, operands), span)?;
        Ok(Some(value))
    }

    /// Makes the function for a definition: its parameters are the sizes that its types mention and the components of its arguments.
    fn instance(&mut self, callee: &Callee, key: &InstanceKey, instantiation: &Instantiation, span: Span) -> Outcome<()> {
        let Instantiation { indices, types, functions, sizes: actual } = *instantiation;
        let open = callee.open;
        let mut constants = Vec::new();
        let needed = self.computed_constants(callee.define);
        let kinds = self.kinds_of_arguments(functions, span)?;
        let own: Vec<Vec<Var>> = kinds.iter().map(|kind| kind.holes.clone()).collect();
        let sizes = in_terms_of(actual, &own, &own);
        let first = self.out.funs.len();
        let mut announced = None;
        let (block, outline) = self.apart(1, |this| {
            let mut vars = Vec::new();
            let mut env = Env::default();
            let mut given = Vec::with_capacity(kinds.len());
            for kind in &kinds {
                given.push(this.argument_of_kind(kind, &mut vars, span)?);
            }
            let holes = vars.clone();
            let mut known = sizes.iter().map(|size| size.as_ref().map(|size| renamed(size, own.iter().flatten(), &holes)));
            let mut size = |this: &mut Self, name: Symbol, vars: &mut Vec<Var>| match known.next().flatten() {
                Some(size) => size,
                None => this.size_parameter(name, vars),
            };
            for (name, index) in open.indices.iter().zip(indices) {
                let value = match index {
                    IndexValue::Dim(_) => IndexValue::Dim(size(this, *name, &mut vars)),
                    IndexValue::Shape(sizes) => IndexValue::Shape(sizes.iter().map(|_| size(this, *name, &mut vars)).collect()),
                };
                env.indices.insert(*name, value);
            }
            for (name, atom) in open.types.iter().zip(types) {
                let atom = abstracted(atom, &mut || size(this, *name, &mut vars));
                env.types.insert(*name, atom);
            }
            for constant in needed {
                // What is no data is made where it is used.
                if let Ok(ty) = this.resolve(&constant.ty, &mut Env::default(), span)
                    && ty.is_data()
                {
                    let value = this.symbolic(&ty, &[], constant.name, span, &mut vars)?;
                    this.constants.add_local(constant.name, value);
                    constants.push(constant.name);
                }
            }
            if callee.define.recursive {
                let kinds = this.kinds_of_arguments(functions, span)?;
                announced = Some(this.announce(key, kinds, (&constants, &sizes), span)?);
            }
            this.function(callee, env, vars, given, span)
        })?;
        let fun = self.add_function(callee.define, block, outline, false);
        match announced {
            Some(announced) => self.keep_promise(key, announced, fun, first, span),
            None => self.add_instance(key.clone(), kinds, Rc::new(Instance { fun, constants, sizes }), span),
        }
    }

    fn size_parameter(&mut self, name: Symbol, vars: &mut Vec<Var>) -> Size {
        let text = name.as_str().trim_start_matches('@');
        let var = self.fresh(Symbol::new(text), soac::Type::scalar(PrimType::I64));
        self.sizes.add_natural(var);
        vars.push(var);
        Size::var(var)
    }
    /// Makes the body of a function whose size parameters are `vars`.
    fn function(&mut self, callee: &Callee, mut env: Env, mut vars: Vec<Var>, functions: Vec<Static>, span: Span) -> Outcome<Outline> {
        let mut functions = functions.into_iter();
        for (name, ty) in callee.params {
            let ty = self.resolve(ty, &mut env, span)?;
            let value = match ty.is_data() {
                false if let Some(function) = functions.next() => function,
                _ => self.symbolic(&ty, &[], stem(*name), span, &mut vars)?,
            };
            env.terms.insert(*name, value);
        }
        let value = self.eval(callee.body, &mut env)?;
        self.outline(vars, &value, false, span)
    }

    /// What a function is with these parameters and this value, at the end of its block.
    fn outline(&mut self, params: Vec<Var>, value: &Static, entry: bool, span: Span) -> Outcome<Outline> {
        let outside = [(Limit::FunctionAsData, Limit::FunctionResult), (Limit::LiftedAsData, Limit::LiftedResult)];
        let returned = |limit| outside.iter().find(|(inside, _)| entry && *inside == limit).map_or(limit, |(_, returned)| *returned);
        let leaves = self.leaves(value, span);
        let mut result = leaves.map_err(|error| Error { limit: returned(error.limit), ..error })?;
        let mut results = Vec::with_capacity(result.len());
        let mut map = Renaming::default();
        // A size that is no parameter, but a constant that is computed, is returned after everything else.
        let mut computed = Vec::new();
        if entry {
            self.computed_sizes(value, &params, &mut computed);
        }
        let sizes: Vec<Var> = computed.iter().map(|_| self.fresh(Symbol::new("n"), soac::Type::scalar(PrimType::I64))).collect();
        map.sizes.extend(computed.iter().copied().zip(sizes.iter().map(|size| Size::var(*size))));
        self.result_vars(value, &mut map, &mut results, span)?;
        results.extend(sizes);
        result.extend(computed.into_iter().map(Operand::Var));
        Ok(Outline { params, results, result })
    }
    fn add_function(&mut self, define: &Define, stms: Vec<Stm>, outline: Outline, entry: bool) -> FunId {
        let Outline { params, results, result } = outline;
        let body = Body { stms, result };
        self.out.funs.alloc(soac::Fun { name: define.name, params, results, body, entry, recursive: false, span: define.span })
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
            Static::Box(_) | Static::Lifted(_) => {
                let hidden = |boxed: &BoxValue| Type { shape: Vec::new(), atom: Atom::Sigma(boxed.sigma.clone()) };
                let ty = if let Static::Box(boxed) = value { Some(hidden(boxed)) } else { self.rows_type(value) };
                if let Some(ty) = ty {
                    ty.free_sizes(&mut |var| {
                        if !params.contains(&var) && !out.contains(&var) {
                            out.push(var)
                        }
                    });
                }
            }
            Static::Fun(_) => {}
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
            Static::Lifted(lifted) if let Some(ty) = self.type_of_rows(lifted) => {
                let mut vars = Vec::new();
                self.symbolic(&ty.rename(map), &[], Symbol::new("r"), span, &mut vars)?;
                results.extend(vars);
            }
            Static::Fun(_) | Static::Lifted(_) => return self.limit(span, Limit::FunctionResult),
        }
        Ok(())
    }

    /// Adds an entry point.
    pub(super) fn entry(&mut self, define: &Define) -> Outcome<()> {
        let span = define.span;
        let open = open(define);
        if !open.types.is_empty() {
            return self.limit(span, Limit::Polymorphic(define.name));
        }
        let (block, outline) = self.apart(1, |this| this.entry_outline(define, &open))?;
        self.add_function(define, block, outline, true);
        Ok(())
    }
    fn entry_outline(&mut self, define: &Define, open: &Open) -> Outcome<Outline> {
        let span = define.span;
        self.failing_constants(define)?;
        let params = parameters(&define.ty);
        let mut vars = Vec::new();
        let mut env = Env::default();
        let mut indices = Vec::new();
        for name in &open.indices {
            if is_shape(*name) {
                return self.limit(span, Limit::AnyRank(define.name));
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
                return self.limit(span, Limit::FunctionArgument { entry: define.name, number: k + 1 });
            }
            let name = names.get(k).copied().or(param.name).unwrap_or_else(|| Symbol::new("x"));
            let base = stem(name);
            let value = self.symbolic(&ty, &[], base, span, &mut vars)?;
            param.name.into_iter().for_each(|name| {
                env.terms.insert(name, value.clone());
            });
            args.push(value);
        }
        let value = match define.recursive {
            true => self.apply_global(define.name, &indices, &[], args, span)?,
            false => {
                let mut env = bound(open, &indices, &[]);
                let value = self.eval(open.body, &mut env)?;
                self.apply(value, args, span)?
            }
        };
        self.outline(vars, &value, true, span)
    }
}

/// The type with another size in the place of each.
fn abstracted(atom: &Atom, size: &mut dyn FnMut() -> Size) -> Atom {
    let mut ty = |ty: &Type| Type { shape: ty.shape.iter().map(|_| size()).collect(), atom: abstracted(&ty.atom, size) };
    match atom {
        Atom::Prim(_) | Atom::Fun | Atom::Sigma(_) => atom.clone(),
        Atom::Tuple(parts) => Atom::Tuple(parts.iter().map(ty).collect()),
        Atom::Record(parts) => Atom::Record(parts.iter().map(|(label, part)| (*label, ty(part))).collect()),
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
