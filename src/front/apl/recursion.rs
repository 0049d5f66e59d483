//! Recursion that depends on values and is no loop: definitions of core that see themselves.
//!
//! The function is executed once, for parameters of the kinds and shapes of its first call. What it returns is, to begin with, what those of
//! its exits return that need no call of itself. If a call inside passes what the parameters do not hold, or the function returns what its
//! result does not hold, kinds are widened and sizes hidden, and it is executed again. What it uses of its surroundings are parameters as well.

use super::build::{Form, Layout};
use super::error::{Error, ErrorKind, NameError, RankError, RecursionError, Result, StateError};
use super::functions::Closure;
use super::machine::{Binding, Machine};
use super::sentence::Meaning;
use super::tree::Dfn;
use super::value::{Kind, Val};
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core::names::FreeNames;
use crate::ir::core::{Atom, Define, Dim, Expr, ExprKind, Index, Param, Primitive, Type, sizes};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How often the types of a function are tried: kinds widen four times at most, and each size is hidden once.
const MAX_TRIES: usize = 40;

/// A function that is being made a definition.
#[derive(Clone)]
pub struct Open {
    closure: Rc<Closure>,
    name: Symbol,
    /// Whether it has a left argument.
    both: bool,
    /// Its arguments; hidden sizes are index parameters.
    params: Layout,
    /// What it returns, once something is known of it.
    result: Option<Layout>,
    captured: Captured,
    /// Arguments that a call inside has and the parameters do not hold.
    wider: Option<Layout>,
}

/// What a definition uses of its surroundings, in order of names.
#[derive(Clone, Default, PartialEq)]
struct Captured {
    indices: Vec<Symbol>,
    /// Numbers that sizes mention come first.
    terms: Vec<(Symbol, Type)>,
}

impl Machine {
    /// Where a function stands among those that are being made definitions.
    pub fn opened(&self, dfn: *const Dfn) -> bool {
        self.functions.open.iter().any(|open| Rc::as_ptr(&open.closure.dfn) == dfn)
    }

    /// Whether a call is one of a function that is being made a definition; the call then.
    pub fn call_opened(&mut self, closure: &Rc<Closure>, left: &Option<Val>, right: &Val, span: Span) -> Option<Result<Val>> {
        let at = self.functions.open.iter().rposition(|open| Rc::ptr_eq(&open.closure, closure))?;
        Some(self.call_open(at, left.clone(), right.clone(), span))
    }

    fn call_open(&mut self, at: usize, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let open = self.functions.open[at].clone();
        if at + 1 != self.functions.open.len() {
            return Err(Error::at(span, RecursionError::Mutual));
        }
        let left = match left {
            None if open.both => self.default_left(&open.closure, &right)?,
            left => left,
        };
        if left.is_some() != open.both {
            return Err(Error::at(span, NameError::TailLeft { given: left.is_some() }));
        }
        if open.result.is_none() {
            return Err(Error::at(span, RecursionError::Unknown));
        }
        let given = pair(left, right);
        if let (Some(parameter), Some(argument)) = (most_axes(&open.params.form), most_axes(&Form::of(&given)))
            && argument > parameter
        {
            return Err(Error::at(span, RankError::Recursive { parameter, argument }));
        }
        let wanted = self.joined(&[(super::loops::hide(&open.params), Vec::new()), (Form::of(&given), Vec::new())], span)?;
        if !super::loops::same_layout(&wanted, &open.params) {
            self.functions.open[at].wider = Some(wanted);
            return Err(Error::at(span, RecursionError::Wider));
        }
        self.call_definition(&open, &given)
    }

    /// A call of a definition.
    fn call_definition(&mut self, open: &Open, given: &Val) -> Result<Val> {
        let result = open.result.as_ref().ok_or_else(|| self.silent())?;
        let (exprs, sizes) = self.b.fitted(given, &open.params)?;
        let own = |name: &Symbol| sizes.get(name).cloned().unwrap_or(Dim::constant(0));
        let captured = open.captured.indices.iter().map(|name| Dim::var(*name));
        let indices: Vec<Index> = captured.chain(open.params.hidden.iter().map(own)).map(Index::Dim).collect();
        let mut fun = self.b.var(open.name);
        if !indices.is_empty() {
            fun = self.b.node(ExprKind::Inst { fun, types: Vec::new(), indices });
        }
        let args = open.captured.terms.iter().map(|(name, _)| self.b.var(*name)).chain(exprs).collect();
        let made = self.b.app(fun, args);
        let form = result.form.with_sizes(&sizes).ok_or_else(|| Error::at(self.b.at, super::error::LimitError::Size))?;
        Ok(self.b.unpack(made, &Layout { form, hidden: result.hidden.clone() }))
    }

    /// A function whose calls of itself depend on values: a definition, and a call of it.
    pub fn recursion(&mut self, closure: &Rc<Closure>, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let left = match left {
            None => self.default_left(closure, &right)?,
            left => left,
        };
        let both = left.is_some();
        let given = pair(left, right);
        let form = Form::of(&given);
        if let Some(open) = self.ready_for(closure, both, &form, span) {
            return self.call_definition(&open, &given);
        }
        self.functions.defined += 1;
        let name = Symbol::new(&format!("{}.{}", self.name_of(closure), self.functions.defined));
        let params = Layout { form, hidden: Vec::new() };
        let open = Open { closure: closure.clone(), name, both, params, result: None, captured: Captured::default(), wider: None };
        let (depth, stack) = (self.functions.open.len(), self.functions.stack.len());
        self.functions.open.push(open);
        self.functions.stack.push(Rc::as_ptr(&closure.dfn));
        self.looped += 1;
        let made = self.settled(span);
        self.looped -= 1;
        self.functions.stack.truncate(stack);
        let open = self.functions.open.drain(depth..).next();
        let (Ok(define), Some(open)) = (made.as_ref(), open) else {
            return Err(made.err().unwrap_or_else(|| self.silent()));
        };
        self.functions.definitions.push(define.clone());
        if let Some(changes) = closure.frame.changes_of_script() {
            self.functions.ready.push((open.clone(), changes));
        }
        self.b.at = span;
        let made = self.call_definition(&open, &given)?;
        let (given, made_shown) = (given.shown(), made.shown());
        self.note(span, || format!("a function that calls itself: {given} -> {made_shown}"));
        Ok(made)
    }

    /// The definition that was made of a function of the script, if it holds such arguments and no name means something else since.
    fn ready_for(&mut self, closure: &Rc<Closure>, both: bool, form: &Form, span: Span) -> Option<Open> {
        let changes = closure.frame.changes_of_script().filter(|_| closure.left.is_none() && closure.right.is_none())?;
        for (open, then) in self.functions.ready.clone() {
            let names = open.captured.indices.iter().chain(open.captured.terms.iter().map(|(name, _)| name));
            if !Rc::ptr_eq(&open.closure, closure) || then != changes || open.both != both || !self.b.sees_all(names) {
                continue;
            }
            let joined = self.joined(&[(super::loops::hide(&open.params), Vec::new()), (form.clone(), Vec::new())], span);
            if joined.is_ok_and(|joined| super::loops::same_layout(&joined, &open.params)) {
                return Some(open);
            }
        }
        None
    }

    /// The name that a function has where it was made.
    fn name_of(&self, closure: &Rc<Closure>) -> String {
        let is = |name: &Rc<str>| match closure.frame.find(name) {
            Some(Binding::Fun(func)) => matches!(&func.fun, super::functions::Fun::Dfn(other) if Rc::ptr_eq(other, closure)),
            Some(Binding::Val(_) | Binding::Op(_) | Binding::Broken) | None => false,
        };
        closure.frame.names().iter().find(|name| is(name) && !name.starts_with('∇')).map_or("dfn".to_string(), |name| name.to_string())
    }

    /// The innermost function that is being made a definition, executed until its types stay.
    fn settled(&mut self, span: Span) -> Result<Define> {
        let top = self.functions.open.len() - 1;
        let mark = self.mark();
        for _ in 0..MAX_TRIES {
            self.back_to(mark);
            self.b.at = span;
            let open = self.functions.open[top].clone();
            let (names, value) = self.parameters(&open.params)?;
            let Some(result) = open.result else {
                let forms = self.exits(&open.closure, &names, value, open.both)?;
                if forms.is_empty() {
                    // Lengths of the first call that are constants decide guards which others decide otherwise.
                    let Some(params) = self.b.without_constants(&open.params) else {
                        return Err(Error::at(span, RecursionError::Endless));
                    };
                    self.functions.open[top].params = params;
                    continue;
                }
                self.functions.open[top].result = Some(self.joined(&forms, span)?);
                continue;
            };
            let params = names.iter().map(|(name, _)| *name).collect::<Vec<_>>();
            let made = self.way(&mut |m| {
                m.b.own(params.iter().copied());
                let (left, right) = split(value.clone(), open.both);
                let frame = m.frame_of(&open.closure, left, right);
                m.body(&open.closure.dfn, 0, &frame, span)
            });
            let (form, (scope, val)) = match made {
                Err(error) if matches!(error.kind, ErrorKind::Recursion(RecursionError::Wider)) => {
                    let wider = self.functions.open[top].wider.take().ok_or_else(|| self.silent())?;
                    // What was found out for other parameters says nothing of these.
                    self.functions.open[top] =
                        Open { params: wider, result: None, captured: Captured::default(), ..self.functions.open[top].clone() };
                    continue;
                }
                other => other?,
            };
            let joined = self.joined(&[(super::loops::hide(&result), Vec::new()), form], span)?;
            if !super::loops::same_layout(&joined, &result) {
                self.functions.open[top].result = Some(joined);
                continue;
            }
            self.b.attach(scope);
            let packed = self.b.pack(&val, &result)?;
            let body = self.b.close(packed);
            let captured = self.captured(&body, &names, &open.params, &result, span)?;
            if captured != open.captured {
                self.functions.open[top].captured = captured;
                continue;
            }
            return Ok(definition(&self.functions.open[top], names, result.ty(), body));
        }
        Err(Error::at(span, StateError::Unsettled))
    }

    /// Variables for arguments: their names with their types, and what they are together.
    fn parameters(&mut self, params: &Layout) -> Result<(Vec<(Symbol, Type)>, Val)> {
        let (mut names, mut arrays) = (Vec::new(), Vec::new());
        for (kind, shape) in params.form.arrays() {
            let name = self.b.fresh("p");
            names.push((name, super::build::Build::ty(kind, &shape)));
            let expr = self.b.var(name);
            arrays.push(self.b.named(kind, shape, expr));
        }
        let value = params.form.fill(&mut arrays.into_iter()).ok_or_else(|| self.silent())?;
        Ok((names, value))
    }

    /// The forms of what is returned where nothing is needed that a call of the function itself returns.
    fn exits(&mut self, closure: &Rc<Closure>, names: &[(Symbol, Type)], value: Val, both: bool) -> Result<Vec<(Form, Vec<Dim>)>> {
        let mark = self.mark();
        self.b.open();
        let depth = self.b.depth() - 1;
        self.b.own(names.iter().map(|(name, _)| *name));
        let (left, right) = split(value, both);
        let frame = self.frame_of(closure, left, right);
        let mut out = Vec::new();
        for (at, statement) in closure.dfn.body.iter().enumerate() {
            let mut guarded = false;
            if let Some(guard) = &statement.guard {
                let Some(cond) = known(self.condition(guard, &frame))? else { break };
                match cond.constant() {
                    Some(Scalar::Bool(true)) => {}
                    Some(_) => continue,
                    None => guarded = true,
                }
                let made = self.attempt(|m| m.result(statement, &frame));
                out.extend(known(made)?.map(|val| self.b.form_within(&val, depth)));
                if guarded { continue } else { break }
            }
            if self.is_default(statement, &frame)? {
                continue;
            }
            let Some(made) = known(self.sentence(&statement.nodes, statement.span, &frame))? else { break };
            match made {
                Meaning::Value(val, assigned) if !assigned || at + 1 == closure.dfn.body.len() => {
                    out.push(self.b.form_within(&val, depth));
                    break;
                }
                Meaning::Value(..) | Meaning::Function(_) => {}
            }
        }
        self.back_to(mark);
        Ok(out)
    }

    /// What a body uses of its surroundings.
    fn captured(&mut self, body: &Expr, names: &[(Symbol, Type)], params: &Layout, result: &Layout, span: Span) -> Result<Captured> {
        let mut free = FreeNames::default();
        let mut found = (*free.of(body)).clone();
        for ty in names.iter().map(|(_, ty)| ty).chain([&result.ty()]) {
            let more = free.of_type(ty);
            found.terms.extend(more.terms);
            found.indices.extend(more.indices);
        }
        let mut terms: BTreeMap<String, (Symbol, Type)> = BTreeMap::new();
        let mut left: Vec<Symbol> = found.terms.iter().copied().collect();
        while let Some(name) = left.pop() {
            let own = names.iter().any(|(param, _)| *param == name);
            if own || self.is_global(name) || terms.contains_key(name.as_str()) {
                continue;
            }
            let Some((kind, shape)) = self.b.type_of(name) else {
                return Err(Error::at(span, RecursionError::Outside(name)));
            };
            let ty = super::build::Build::ty(kind, &shape);
            let more = free.of_type(&ty);
            left.extend(more.terms);
            found.indices.extend(more.indices);
            terms.insert(name.as_str().to_string(), (name, ty));
        }
        let mut indices: Vec<Symbol> = found.indices.into_iter().filter(|name| !params.hidden.contains(name)).collect();
        indices.sort_by_key(|name| name.as_str().to_string());
        let (first, then): (Vec<_>, Vec<_>) = terms.into_values().partition(|(_, ty)| *ty == super::build::Build::ty(Kind::Int, &[]));
        Ok(Captured { indices, terms: first.into_iter().chain(then).collect() })
    }

    fn is_global(&self, name: Symbol) -> bool {
        Primitive::find(name).is_some()
            || self.found.library.contains(name.as_str())
            || self.functions.open.iter().any(|open| open.name == name)
            || self.functions.definitions.iter().any(|define| define.name == name)
    }
}

/// The definition of a function with these parameters.
fn definition(open: &Open, names: Vec<(Symbol, Type)>, ret: Type, body: Expr) -> Define {
    let span = open.closure.span;
    let params: Vec<(Symbol, Type)> = open.captured.terms.iter().cloned().chain(names).collect();
    let mut free = FreeNames::default();
    let mentioned: Vec<_> = params.iter().map(|(_, ty)| ty).chain([&ret]).map(|ty| free.of_type(ty).terms).collect();
    let mentions = |at: usize, name: &Symbol| mentioned[at + 1..].iter().any(|terms| terms.contains(name));
    let types = params.iter().enumerate().map(|(at, (name, ty))| Param { name: mentions(at, name).then_some(*name), ty: ty.clone() });
    let ty = Type::fun(types.collect(), ret.clone());
    let body = Expr::new(ExprKind::Fn { params, ret, body }, span);
    let indices: Vec<Symbol> = open.captured.indices.iter().chain(&open.params.hidden).copied().collect();
    let (ty, body) = match indices.is_empty() {
        true => (ty, body),
        false => (Type::scalar(Atom::Pi(indices.clone(), ty)), Expr::new(ExprKind::IFn { params: indices, body }, span)),
    };
    Define { name: open.name, ty, body, entry: false, recursive: true, span }
}

fn pair(left: Option<Val>, right: Val) -> Val {
    match left {
        Some(left) => Val::Tup(Rc::new(vec![left, right])),
        None => right,
    }
}

fn split(value: Val, both: bool) -> (Option<Val>, Val) {
    match value {
        Val::Tup(items) if both => (Some(items[0].clone()), items[1].clone()),
        other => (None, other),
    }
}

/// Nothing where the result of the function itself would be needed.
fn known<T>(made: Result<T>) -> Result<Option<T>> {
    match made {
        Err(error) if matches!(error.kind, ErrorKind::Recursion(RecursionError::Unknown)) => Ok(None),
        other => other.map(Some),
    }
}

/// The largest rank of arguments that are arrays.
fn most_axes(form: &Form) -> Option<usize> {
    match form {
        Form::Arr { levels, .. } => Some(levels[0]),
        Form::Tup(items) => items.iter().filter_map(most_axes).max(),
        Form::Rag { .. } => None,
    }
}

impl Form {
    /// The form where index variables are these sizes; nothing if a size is too large to write out.
    fn with_sizes(&self, given: &FxHashMap<Symbol, Dim>) -> Option<Form> {
        let put = |dim: &Dim| {
            sizes::subst(dim, &mut |atom| match atom {
                crate::ir::core::DimAtom::Var(name) => given.get(&name).cloned(),
                crate::ir::core::DimAtom::Size(_) | crate::ir::core::DimAtom::Meta(_) => None,
            })
        };
        Some(match self {
            Form::Arr { kind, shape, levels } => {
                Form::Arr { kind: *kind, shape: shape.iter().map(put).collect::<Option<_>>()?, levels: levels.clone() }
            }
            Form::Tup(items) => Form::Tup(items.iter().map(|item| item.with_sizes(given)).collect::<Option<_>>()?),
            Form::Rag { lengths, kind, total } => Form::Rag { lengths: put(lengths)?, kind: *kind, total: put(total)? },
        })
    }
}
