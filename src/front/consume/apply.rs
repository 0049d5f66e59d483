//! Applications: what they take, and what their results share memory with.

use super::error::Consumer;
use super::mode::{self, Misfit, Mode};
use super::roots::{Origin, Root};
use super::value::{self, FunValue, Value};
use super::{Checker, FrameKind, Special};
use crate::base::Symbol;
use crate::ir::surface::view::{self, Application, Head};
use crate::ir::surface::{ExprId, ExprKind};
use crate::ir::tables::{AppInfo, RBase, RType, Res, TypeParamId};
use std::sync::Arc;

/// An argument.
#[derive(Debug)]
struct Arg {
    expr: ExprId,
    value: Value,
    /// The gifts there were when it had been evaluated.
    gifts: usize,
    passing: Passing,
}

/// How an argument reaches the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// As it is, or element by element.
    Itself,
    /// Several applications get the same.
    Shared,
    /// Copies of it.
    Copies,
}

/// What is applied.
#[derive(Debug)]
struct Function {
    value: Arc<FunValue>,
    expr: Option<ExprId>,
    name: Option<Symbol>,
    /// Whether it is one of the standard library.
    library: bool,
    /// The definition or local function that it is.
    res: Option<Res>,
}

/// An application, when its arguments have been handed over.
#[derive(Debug)]
struct Call<'c> {
    function: &'c Function,
    args: &'c [Arg],
    params: &'c [Mode],
    node: ExprId,
}

/// What the type of a definition says of its result, or a part of it.
#[derive(Debug, Clone)]
struct Declared<'t> {
    /// The types of the parameters.
    params: Vec<&'t RType>,
    result: &'t RType,
    /// Its type parameters.
    own: &'t [TypeParamId],
}

impl<'a> Checker<'a> {
    pub(super) fn application(&mut self, app: &Application) -> Value {
        let info = self.tables.apps.get(app.node);
        let mapped = info.is_some_and(|info| info.frame() > 0);
        match &app.head {
            Head::Project(field) => self.projected(app, field.name, info),
            Head::Constr(name) => {
                let values = self.together(&app.args);
                match self.ty(app.node).and_then(|ty| Some((ty, value::payload_at(ty, name.name)?))) {
                    Some((ty, (at, _))) if !mapped => {
                        let mut parts = vec![Value::Scalar; value::part_types(ty).map_or(0, |parts| parts.len())];
                        values.into_iter().enumerate().for_each(|(k, value)| {
                            if let Some(part) = parts.get_mut(at + k) {
                                *part = value;
                            }
                        });
                        Value::parts(&mut self.roots, parts)
                    }
                    _ => self.fresh(app.node),
                }
            }
            Head::Index(array) => {
                let array = self.expr(*array);
                self.together(&app.args);
                match (array, self.ty(app.node)) {
                    (Value::Fun(fun), _) => Value::Fun(fun),
                    (array, Some(ty)) if !mapped && !value::is_scalar(ty) => Value::leaf(array.root()),
                    _ => self.fresh(app.node),
                }
            }
            Head::Unary(..) => {
                self.together(&app.args);
                self.fresh(app.node)
            }
            Head::Op(op) => {
                let node = view::operator_node(&self.program.ast, app.node);
                let Some(res) = self.program.names.exprs.get(node).copied() else {
                    self.together(&app.args);
                    return self.applied_builtin(app.node);
                };
                if let Some(done) = self.composition(app, res, info) {
                    return done;
                }
                let value = self.operator(node);
                let (name, library) = (Some(op.name), self.is_library(res));
                let function = Function { value: function_of(value), expr: None, name, library, res: Some(res) };
                self.call(function, &app.args, 0, info, app.node)
            }
            Head::Expr(head) => {
                if let Some(done) = self.map(app, *head, info) {
                    return done;
                }
                let function = self.function_value(*head);
                self.call(function, &app.args, 0, info, app.node)
            }
        }
    }
    fn applied_builtin(&mut self, node: ExprId) -> Value {
        match self.ty(node) {
            Some(ty) if matches!(&*ty.base, RBase::Arrow(..)) => Value::fun(Mode::Plain, None, None),
            _ => self.fresh(node),
        }
    }
    fn function_value(&mut self, head: ExprId) -> Function {
        let value = self.expr(head);
        let res = self.definition_of(head);
        Function {
            value: function_of(value),
            expr: Some(head),
            name: self.name_of(head),
            library: res.is_some_and(|res| self.is_library(res)),
            res,
        }
    }
    /// A field of an array, or a function in a field that is applied.
    fn projected(&mut self, app: &Application, field: Symbol, info: Option<&'a AppInfo>) -> Value {
        let Some((record, args)) = app.args.split_first() else { return Value::Scalar };
        let whole = self.place(*record);
        let index = self.ty(*record).and_then(|ty| value::field_at(ty, field));
        let part = match (&whole, index) {
            (Value::Parts(_), Some(index)) => whole.part(&mut self.roots, index, None),
            _ => whole,
        };
        self.used(*record, &part);
        if args.is_empty() {
            return self.fresh(app.node);
        }
        let function = Function { value: function_of(part), expr: None, name: Some(field), library: false, res: None };
        self.call(function, args, 1, info, app.node)
    }

    /// The definition that a node names.
    fn definition_of(&self, node: ExprId) -> Option<Res> {
        self.program.names.exprs.get(view::strip(&self.program.ast, node)).copied()
    }
    fn is_library(&self, res: Res) -> bool {
        matches!(res, Res::Global(def) if self.program.defs[def].stdlib)
    }
    fn special(&self, res: Res) -> Option<Special> {
        let Res::Global(def) = res else { return None };
        self.modes.special.get(&def).copied()
    }
    /// `map f xs`, which is `f xs`: where `f` takes an element, all of `xs` is consumed.
    fn map(&mut self, app: &Application, head: ExprId, info: Option<&'a AppInfo>) -> Option<Value> {
        if self.special(self.definition_of(head)?) != Some(Special::Map) {
            return None;
        }
        let (function, arrays) = app.args.split_first()?;
        let fun = function_of(self.expr(*function));
        let function = Function { value: fun.clone(), expr: Some(*function), name: self.name_of(*function), library: false, res: None };
        if fun.once.is_some() {
            self.report_often(app.args[0]);
        }
        if arrays.is_empty() {
            return Some(Value::fun(self.mapped(&fun.mode, app.node), fun.root, None));
        }
        let done = self.call(
            Function { value: Arc::new(FunValue { mode: fun.mode.clone(), root: fun.root, once: None }), ..function },
            arrays,
            1,
            info,
            app.node,
        );
        Some(match done {
            Value::Fun(_) => done,
            _ => self.fresh(app.node),
        })
    }
    /// What `map f` takes and returns, of this type: a new array, unless that is one of functions.
    fn mapped(&self, mode: &Mode, node: ExprId) -> Mode {
        fn through(mode: &Mode, ty: &RType) -> Option<Mode> {
            let RBase::Arrow(_, to) = &*ty.base else { return Some(Mode::Unique) };
            if to.rank > 0 && matches!(&*to.base, RBase::Arrow(..)) {
                return None;
            }
            let (param, result, last) = mode.arrow();
            Some(Mode::fun(param, through(&result, to)?, last))
        }
        self.ty(node).and_then(|ty| through(mode, ty)).unwrap_or_else(|| mode.clone())
    }
    /// `f >-> g`: takes what `f` takes. `g` may take what `f` returns if that is new memory.
    fn composition(&mut self, app: &Application, res: Res, info: Option<&'a AppInfo>) -> Option<Value> {
        let forward = match self.special(res)? {
            Special::Forward => true,
            Special::Backward => false,
            Special::Map | Special::Reduce => return None,
        };
        let [left, right, args @ ..] = app.args.as_slice() else { return None };
        if info.is_some_and(|info| info.args.iter().take(2).any(|arg| arg.maps + arg.reps > 0)) {
            return None;
        }
        let values = self.together(&[*left, *right]);
        let [a, b] = <[Value; 2]>::try_from(values).ok()?.map(function_of);
        let (first, second, expr) = if forward { (a, b, *right) } else { (b, a, *left) };
        let ((param, between, _), (taken, result, last)) = (first.mode.arrow(), second.mode.arrow());
        if taken.takes() && between != Mode::Unique && between != taken {
            let operator = Symbol::new(if forward { ">->" } else { "<-<" });
            self.report_misfit(expr, Misfit::Takes, Some(operator));
        }
        // What the second returns may share memory with what it captures, and with what it is given, which is new here.
        let result = if second.root.is_none() && mode::covers(&between, &Mode::Unique) { result.owned() } else { result };
        let root = self.roots.join(first.root.into_iter().chain(second.root).collect());
        let once = self.roots.join(first.once.into_iter().chain(second.once).collect());
        let composed = FunValue { mode: Mode::fun(param, result, last), root, once };
        if args.is_empty() {
            return Some(Value::Fun(Arc::new(composed)));
        }
        let function = Function { value: Arc::new(composed), expr: None, name: None, library: false, res: None };
        Some(self.call(function, args, 2, info, app.node))
    }

    /// A function applied to arguments, the first of which is number `from` of the application.
    fn call(&mut self, function: Function, args: &[ExprId], from: usize, info: Option<&'a AppInfo>, node: ExprId) -> Value {
        let start = self.gifts.len();
        let mut mode = function.value.mode.clone();
        let mut evaluated = Vec::with_capacity(args.len());
        let mut params = Vec::with_capacity(args.len());
        let mut last = true;
        let participation = info.map(AppInfo::participation).unwrap_or_default();
        let frame = info.map_or(0, AppInfo::frame);
        for (at, arg) in args.iter().enumerate() {
            let (param, result, done) = mode.arrow();
            let value = self.argument(*arg, &param);
            let shared = participation.get(from + at).is_some_and(|over| *over < frame);
            let copies = info.and_then(|info| info.args.get(from + at)).is_some_and(|arg| arg.reps > arg.induced);
            let passing = if shared {
                Passing::Shared
            } else if copies {
                Passing::Copies
            } else {
                Passing::Itself
            };
            evaluated.push(Arg { expr: *arg, value, gifts: self.gifts.len(), passing });
            params.push(param);
            (mode, last) = (result, done);
        }
        for arg in &evaluated {
            if arg.gifts != self.gifts.len() {
                self.used(arg.expr, &arg.value);
            }
        }
        if let (Some(root), Some(expr)) = (function.value.root, function.expr)
            && self.gifts.len() != start
        {
            self.used(expr, &Value::Leaf(root));
        }
        let taken = self.hand_over(&function, &evaluated, &params);
        let call = Call { function: &function, args: &evaluated, params: &params, node };
        self.returned(&mode, &call, taken && !last, frame > 0)
    }
    /// The memory that a result may share, of which the definition says this type, if it is known.
    fn shares(&self, call: &Call, declared: Option<&Declared>) -> Vec<Root> {
        let returned = declared.and_then(|declared| sources(call.args, declared));
        let mut shares: Vec<Root> = call.function.value.root.into_iter().collect();
        let reduced = returned.as_ref().is_some_and(|sources| sources.first() == Some(&false)) && self.is_reduction(call.function);
        let args = call.args.iter().zip(call.params).enumerate();
        // With an operator that returns new memory, `reduce` returns no element as it is.
        for (at, (arg, param)) in args.filter(|(at, _)| *at < 2 || !reduced) {
            if returned.as_ref().is_none_or(|sources| sources[at]) {
                self.remaining(&arg.value, param, &mut shares);
            }
        }
        shares
    }
    fn is_reduction(&self, function: &Function) -> bool {
        function.res.is_some_and(|res| self.special(res) == Some(Special::Reduce))
    }
    /// What the type of a definition, or of a local function, says of an application to all its arguments.
    fn declared(&self, function: &Function, count: usize) -> Option<Declared<'a>> {
        let (mut ty, own) = match function.res? {
            Res::Global(def) => self.tables.defs.get(def).map(|signature| (&signature.ty, signature.tparams.as_slice()))?,
            Res::Local(pat) => (self.tables.pats.get(pat)?, self.tables.locals.get(pat)?.as_slice()),
            Res::Scalar(..) => return None,
        };
        let mut params = Vec::with_capacity(count);
        for _ in 0..count {
            let RBase::Arrow(from, to) = &*ty.base else { return None };
            params.push(from);
            ty = to;
        }
        Some(Declared { params, result: ty, own })
    }
    /// An argument; a lambda knows the mode of its place.
    fn argument(&mut self, arg: ExprId, param: &Mode) -> Value {
        let at = view::strip(&self.program.ast, arg);
        match self.program.ast.exprs[at].kind {
            ExprKind::Lambda { .. } => self.lambda(at, param),
            _ => self.expr(arg),
        }
    }
    pub(super) fn lambda(&mut self, at: ExprId, wanted: &Mode) -> Value {
        let ExprKind::Lambda { params, ret, body } = &self.program.ast.exprs[at].kind else { return Value::Scalar };
        let kind = FrameKind::Function(self.program.ast.exprs[at].span);
        let (mode, root) = self.function(params, *ret, *body, kind, wanted);
        Value::fun(mode, root, None)
    }

    /// Consumes what the function takes. Whether it took anything.
    fn hand_over(&mut self, function: &Function, args: &[Arg], params: &[Mode]) -> bool {
        let start = self.gifts.len();
        let mut taken = false;
        for (arg, param) in args.iter().zip(params) {
            self.functions_fit(arg, param, function.name);
            if !param.takes() {
                continue;
            }
            taken = true;
            match arg.passing {
                Passing::Shared if arg.value.root().is_some() => self.report_shared(arg.expr, function.name),
                Passing::Shared | Passing::Copies => {}
                Passing::Itself => self.take(&arg.value, param, arg.expr, Consumer::Call(function.name)),
            }
        }
        if let (Some(root), Some(expr)) = (function.value.once, function.expr) {
            self.take(&Value::Leaf(root), &Mode::Unique, expr, Consumer::Once);
        }
        if self.gifts.len() > start {
            for (arg, param) in args.iter().zip(params) {
                self.still_there(arg.expr, &arg.value, param);
            }
        }
        taken
    }
    /// What an application does not take of an argument must not be dead after it.
    fn still_there(&mut self, expr: ExprId, value: &Value, param: &Mode) {
        match (param, value) {
            (Mode::Unique, _) => {}
            (Mode::Parts(_), Value::Parts(parts)) => {
                parts.parts.iter().enumerate().for_each(|(at, part)| self.still_there(expr, part, &param.part(at)));
            }
            (Mode::Parts(_), _) if param.takes() => {}
            _ => self.used(expr, value),
        }
    }
    /// The memory of an argument that is not taken.
    fn remaining(&self, value: &Value, param: &Mode, found: &mut Vec<Root>) {
        match (param, value) {
            (Mode::Unique, _) => {}
            (Mode::Parts(_), Value::Parts(parts)) => {
                parts.parts.iter().enumerate().for_each(|(at, part)| self.remaining(part, &param.part(at), found));
            }
            (Mode::Parts(_), _) if param.takes() => {}
            _ => found.extend(value.root()),
        }
    }
    fn functions_fit(&mut self, arg: &Arg, param: &Mode, name: Option<Symbol>) {
        let mut functions = Vec::new();
        arg.value.functions(&mut functions);
        let wanted = if matches!(arg.value, Value::Fun(_)) { param } else { &Mode::Plain };
        for function in functions {
            if function.once.is_some() {
                self.report_often(arg.expr);
            } else if let Err(misfit) = mode::fits(&function.mode, wanted) {
                self.report_misfit(arg.expr, misfit, name);
            }
        }
    }

    /// What an application returns, which may share the memory of what is given where nothing else is promised.
    fn returned(&mut self, mode: &Mode, call: &Call, once: bool, mapped: bool) -> Value {
        let Some(ty) = self.ty(call.node) else { return Value::Scalar };
        if matches!(&*ty.base, RBase::Arrow(..)) {
            let once = once.then(|| self.roots.make(Origin::Made, &[]));
            let root = self.roots.join(self.shares(call, None));
            return Value::fun(mode.clone(), root, once);
        }
        if mapped {
            return self.fresh(call.node);
        }
        let declared = if value::is_told_apart(ty) { self.declared(call.function, call.args.len()) } else { None };
        self.returned_part(mode, ty, call, declared.as_ref())
    }
    fn returned_part(&mut self, mode: &Mode, ty: &RType, call: &Call, declared: Option<&Declared>) -> Value {
        let declared_parts = declared.and_then(|declared| value::part_types(declared.result));
        match mode {
            Mode::Unique => value::of_type(&mut self.roots, ty, &mut |roots| roots.make(Origin::Made, &[])),
            Mode::Fun(_) => {
                let root = self.roots.join(self.shares(call, None));
                Value::fun(mode.clone(), root, None)
            }
            Mode::Parts(_) | Mode::Plain | Mode::Scalar => match (value::part_types(ty), declared_parts) {
                (Some(types), Some(own)) if types.len() == own.len() => {
                    let parts = types.into_iter().zip(own).enumerate();
                    let parts = parts.map(|(at, (ty, result))| {
                        let declared = declared.map(|declared| Declared { result, ..declared.clone() });
                        self.returned_part(&mode.part(at), ty, call, declared.as_ref())
                    });
                    let parts = parts.collect();
                    Value::parts(&mut self.roots, parts)
                }
                (Some(types), _) if matches!(mode, Mode::Parts(modes) if modes.len() == types.len()) => {
                    let parts = types.into_iter().enumerate();
                    let parts = parts.map(|(at, ty)| self.returned_part(&mode.part(at), ty, call, None)).collect();
                    Value::parts(&mut self.roots, parts)
                }
                // Its parts share memory with each other only as far as all of them may share that of the arguments.
                _ => {
                    let shares = self.shares(call, declared);
                    let span = self.program.ast.exprs[call.node].span;
                    let origin = Origin::Returned { at: span, name: call.function.name, library: call.function.library };
                    value::of_type(&mut self.roots, ty, &mut |roots| roots.make(origin, &shares))
                }
            },
        }
    }

    /// `(e op)` and `(op e)`, not applied.
    pub(super) fn section(&mut self, at: ExprId) -> Value {
        let program = self.program;
        let (op, arg, left) = match &program.ast.exprs[at].kind {
            ExprKind::LeftSection { lhs, op } => (op, *lhs, true),
            ExprKind::RightSection { op, rhs } => (op, *rhs, false),
            _ => return Value::Scalar,
        };
        let head = match op.backtick {
            Some(function) => self.expr(function),
            None => self.operator(at),
        };
        let function = Function { value: function_of(head), expr: op.backtick, name: Some(op.ident.name), library: false, res: None };
        let mode = function.value.mode.clone();
        let (param, rest, _) = mode.arrow();
        let (second, result, _) = rest.arrow();
        let taken = if left { param.clone() } else { second };
        let value = self.argument(arg, &taken);
        let arg = Arg { expr: arg, value, gifts: self.gifts.len(), passing: Passing::Itself };
        let took = self.hand_over(&function, std::slice::from_ref(&arg), std::slice::from_ref(&taken));
        let mut shares: Vec<Root> = function.value.root.into_iter().collect();
        self.remaining(&arg.value, &taken, &mut shares);
        let once = took.then(|| self.roots.make(Origin::Made, &[]));
        let root = self.roots.join(shares);
        Value::fun(if left { rest } else { Mode::fun(param, result, true) }, root, once)
    }
}

/// A value as a function; of what is not known, an ordinary one.
fn function_of(value: Value) -> Arc<FunValue> {
    match value {
        Value::Fun(fun) => fun,
        other => Arc::new(FunValue { mode: Mode::Plain, root: other.root(), once: None }),
    }
}

/// The arguments that a result may come from if its type is a type parameter of the definition, or an array of it: those with this parameter
/// in their types, but for functions that return new memory (J. Reynolds, "Types, abstraction and parametric polymorphism", 1983). Nothing
/// where functions are given functions of what is returned: that may go round.
fn sources(args: &[Arg], declared: &Declared) -> Option<Vec<bool>> {
    let RBase::Param(result) = &*declared.result.base else { return None };
    if !declared.own.contains(result) {
        return None;
    }
    args.iter().zip(&declared.params).map(|(arg, from)| source(&arg.value, from, *result)).collect()
}

/// Whether values of a type parameter may come from an argument of this type.
fn source(value: &Value, from: &RType, param: TypeParamId) -> Option<bool> {
    let mentions = |ty: &RType| value::mentions(ty, &|base| matches!(base, RBase::Param(own) if *own == param));
    if !mentions(from)? {
        return Some(false);
    }
    if let (Some(types), Value::Parts(parts)) = (value::part_types(from), value)
        && types.len() == parts.parts.len()
    {
        let found: Option<Vec<bool>> = parts.parts.iter().zip(types).map(|(part, ty)| source(part, ty, param)).collect();
        return found.map(|found| found.contains(&true));
    }
    let (RBase::Arrow(..), Value::Fun(fun)) = (&*from.base, value) else {
        // Of functions in other data nobody knows what they return.
        let functions = value::mentions(from, &|base| matches!(base, RBase::Arrow(..) | RBase::Abstract { .. }))?;
        return (!functions).then_some(true);
    };
    let (mut ty, mut mode) = (from, fun.mode.clone());
    while let RBase::Arrow(given, to) = &*ty.base {
        // What is given as data is not more than what comes back, if that is not new.
        let functions = value::mentions(given, &|base| matches!(base, RBase::Arrow(..) | RBase::Abstract { .. }))?;
        if functions && mentions(given)? {
            return None;
        }
        (_, mode, _) = mode.arrow();
        ty = to;
    }
    mode::covers(&mode, &Mode::Unique).then_some(false)
}
