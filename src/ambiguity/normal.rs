//! Normal forms of terms, by evaluation: two terms with the same normal form are the same program.
//!
//! The laws, used from left to right wherever they apply:
//! - `(\x -> e) a` is `e` with `a` for `x`, and so is `let x = a in e`; `\x -> f x` is `f`;
//! - `map f (rep x)` is `rep (f x)`, and `map2 f (rep x) ys` is `map (f x) ys`;
//! - `map f (map g xs)` is `map (\x -> f (g x)) xs`, and the same with more arrays;
//! - `map (\x -> x) xs` is `xs`;
//! - a replicated function applied to an array is the map of that function, and an array of functions that a map made,
//!   applied to an array, is one map over both;
//! - `map2 f xs xs` is `map (\x -> f x x) xs`, an array that a map makes no use of is dropped, and the order of the others is that
//!   of their use;
//! - a component of a tuple or record that is written out is that component.
//!
//! Evaluation ends because terms are typed, but may take long and make large results: it gives up after a number of steps, and then
//! there is no normal form.

use super::term::{Const, Tag, Term, TermRef, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A normal form. Bound variables have names; compare with [`same`].
#[derive(Debug, Clone)]
pub enum Normal {
    /// A variable.
    Var(Var),
    /// A constant.
    Const(Const),
    /// A function.
    Lam(Var, Box<Normal>),
    /// An application of something that is no function abstraction.
    App(Box<Normal>, Vec<Normal>),
    /// A map: parameters, body, arrays.
    Map(Vec<Var>, Box<Normal>, Vec<Normal>),
    /// A replication.
    Rep(Box<Normal>),
    /// Any other form.
    Node(Tag, Vec<Normal>),
}

/// More than the allowed number of steps.
#[derive(Debug)]
pub struct OutOfSteps;

type Outcome<T> = Result<T, OutOfSteps>;

/// The normal form of a term, unless it takes more than `steps`.
pub fn normalise(term: &TermRef, steps: usize) -> Option<Normal> {
    let mut machine = Machine { steps, fresh: 1 << 31 };
    let value = machine.eval(term, &Env::default()).ok()?;
    machine.read_back(&value).ok()
}

/// Whether two normal forms are equal up to the names of bound variables.
pub fn same(a: &Normal, b: &Normal) -> bool {
    alpha(a, b, &mut FxHashMap::default())
}

fn alpha(a: &Normal, b: &Normal, bound: &mut FxHashMap<Var, Var>) -> bool {
    let all = |a: &[Normal], b: &[Normal], bound: &mut FxHashMap<Var, Var>| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alpha(a, b, bound))
    };
    match (a, b) {
        // Bound names are unique, so that the pairs need not be taken back.
        (Normal::Var(a), Normal::Var(b)) => bound.get(a).unwrap_or(a) == b,
        (Normal::Const(a), Normal::Const(b)) => a == b,
        (Normal::Lam(x, a), Normal::Lam(y, b)) => {
            bound.insert(*x, *y);
            alpha(a, b, bound)
        }
        (Normal::App(f, a), Normal::App(g, b)) => alpha(f, g, bound) && all(a, b, bound),
        (Normal::Map(xs, f, a), Normal::Map(ys, g, b)) => {
            bound.extend(xs.iter().copied().zip(ys.iter().copied()));
            xs.len() == ys.len() && alpha(f, g, bound) && all(a, b, bound)
        }
        (Normal::Rep(a), Normal::Rep(b)) => alpha(a, b, bound),
        (Normal::Node(s, a), Normal::Node(t, b)) => s == t && all(a, b, bound),
        _ => false,
    }
}

/// Values of variables: a shared list, innermost first.
#[derive(Clone, Default)]
struct Env(Option<Rc<(Var, Value, Env)>>);

/// A value, possibly with free variables.
#[derive(Clone)]
enum Value {
    /// Nothing more is known about it.
    Stuck(Rc<Stuck>),
    /// A function.
    Function(Function),
    /// A map. Its arrays are neither maps nor replications.
    Map(Rc<(Body, Vec<Value>)>),
    /// A replication.
    Rep(Rc<Value>),
    /// A form with parts.
    Node(Tag, Rc<Vec<Value>>),
}

enum Stuck {
    Var(Var),
    Const(Const),
    App(Value, Vec<Value>),
}

type Function = Rc<dyn Fn(&mut Machine, Value) -> Outcome<Value>>;
type Body = Rc<dyn Fn(&mut Machine, &[Value]) -> Outcome<Value>>;

/// Where a parameter of the original function of a fused map comes from.
enum Source {
    Constant(Value),
    Array,
    Fused(Body, usize),
}

struct Machine {
    steps: usize,
    fresh: u32,
}

impl Machine {
    fn step(&mut self) -> Outcome<()> {
        self.steps = self.steps.checked_sub(1).ok_or(OutOfSteps)?;
        Ok(())
    }

    fn fresh(&mut self) -> Var {
        self.fresh += 1;
        Var::Fresh(self.fresh)
    }

    fn eval(&mut self, term: &TermRef, env: &Env) -> Outcome<Value> {
        self.step()?;
        Ok(match &**term {
            Term::Var(var) => self.lookup(*var, env)?,
            Term::Const(constant) => Value::Stuck(Rc::new(Stuck::Const(constant.clone()))),
            Term::Lam(var, body) => {
                let (var, body, env) = (*var, body.clone(), env.clone());
                Value::Function(Rc::new(move |machine, arg| machine.eval(&body, &Env(Some(Rc::new((var, arg, env.clone())))))))
            }
            Term::App(fun, args) => {
                let mut value = self.eval(fun, env)?;
                for arg in args {
                    let arg = self.eval(arg, env)?;
                    value = self.apply(value, arg)?;
                }
                value
            }
            Term::Map(fun, args) => {
                let fun = self.eval(fun, env)?;
                let args = self.eval_all(args, env)?;
                let body: Body = Rc::new(move |machine, elements| {
                    elements.iter().try_fold(fun.clone(), |value, element| machine.apply(value, element.clone()))
                });
                self.map(body, args)?
            }
            Term::Rep(inner) => Value::Rep(Rc::new(self.eval(inner, env)?)),
            Term::Let(var, rhs, body) => {
                let rhs = self.eval(rhs, env)?;
                self.eval(body, &Env(Some(Rc::new((*var, rhs, env.clone())))))?
            }
            Term::Node(tag, parts) => {
                let parts = self.eval_all(parts, env)?;
                match component(tag, &parts) {
                    Some(value) => value,
                    None => Value::Node(tag.clone(), Rc::new(parts)),
                }
            }
        })
    }

    fn eval_all(&mut self, terms: &[TermRef], env: &Env) -> Outcome<Vec<Value>> {
        terms.iter().map(|t| self.eval(t, env)).collect()
    }

    fn lookup(&mut self, var: Var, env: &Env) -> Outcome<Value> {
        let mut at = env;
        while let Some(entry) = &at.0 {
            self.step()?;
            if entry.0 == var {
                return Ok(entry.1.clone());
            }
            at = &entry.2;
        }
        Ok(Value::Stuck(Rc::new(Stuck::Var(var))))
    }

    fn apply(&mut self, fun: Value, arg: Value) -> Outcome<Value> {
        self.step()?;
        match fun {
            Value::Function(f) => f(self, arg),
            Value::Rep(f) => {
                let body: Body = Rc::new(move |machine, elements| machine.apply((*f).clone(), elements[0].clone()));
                self.map(body, vec![arg])
            }
            Value::Map(inner) => {
                let mut args = inner.1.clone();
                let count = args.len();
                args.push(arg);
                let body: Body = Rc::new(move |machine, elements| {
                    let function = (inner.0)(machine, &elements[..count])?;
                    machine.apply(function, elements[count].clone())
                });
                self.map(body, args)
            }
            Value::Stuck(stuck) => Ok(Value::Stuck(Rc::new(match &*stuck {
                Stuck::App(f, args) => {
                    let mut args = args.clone();
                    args.push(arg);
                    Stuck::App(f.clone(), args)
                }
                Stuck::Var(_) | Stuck::Const(_) => Stuck::App(Value::Stuck(stuck), vec![arg]),
            }))),
            node @ Value::Node(..) => Ok(Value::Stuck(Rc::new(Stuck::App(node, vec![arg])))),
        }
    }

    /// The map of a function over arrays, fused with maps and replications among them.
    fn map(&mut self, body: Body, args: Vec<Value>) -> Outcome<Value> {
        self.step()?;
        if args.iter().all(|arg| matches!(arg, Value::Rep(_))) {
            let elements: Vec<Value> = args.iter().filter_map(|a| if let Value::Rep(x) = a { Some((**x).clone()) } else { None }).collect();
            return Ok(Value::Rep(Rc::new(body(self, &elements)?)));
        }
        if !args.iter().any(|arg| matches!(arg, Value::Rep(_) | Value::Map(_))) {
            return Ok(Value::Map(Rc::new((body, args))));
        }
        let (mut sources, mut arrays) = (Vec::new(), Vec::new());
        for arg in args {
            sources.push(match arg {
                Value::Rep(x) => Source::Constant((*x).clone()),
                Value::Map(inner) => {
                    arrays.extend(inner.1.iter().cloned());
                    Source::Fused(inner.0.clone(), inner.1.len())
                }
                array => {
                    arrays.push(array);
                    Source::Array
                }
            });
        }
        let fused: Body = Rc::new(move |machine, elements| {
            let mut at = 0;
            let mut inputs = Vec::with_capacity(sources.len());
            for source in &sources {
                inputs.push(match source {
                    Source::Constant(value) => value.clone(),
                    Source::Array => {
                        at += 1;
                        elements[at - 1].clone()
                    }
                    Source::Fused(inner, count) => {
                        at += count;
                        inner(machine, &elements[at - count..at])?
                    }
                });
            }
            body(machine, &inputs)
        });
        Ok(Value::Map(Rc::new((fused, arrays))))
    }

    fn read_back(&mut self, value: &Value) -> Outcome<Normal> {
        self.step()?;
        Ok(match value {
            Value::Stuck(stuck) => match &**stuck {
                Stuck::Var(var) => Normal::Var(*var),
                Stuck::Const(constant) => Normal::Const(constant.clone()),
                Stuck::App(f, args) => Normal::App(Box::new(self.read_back(f)?), self.read_back_all(args)?),
            },
            Value::Function(f) => {
                let var = self.fresh();
                let body = f(self, Value::Stuck(Rc::new(Stuck::Var(var))))?;
                let body = self.read_back(&body)?;
                self.eta(var, body)?
            }
            Value::Map(map) => {
                let params: Vec<Var> = map.1.iter().map(|_| self.fresh()).collect();
                let elements: Vec<Value> = params.iter().map(|p| Value::Stuck(Rc::new(Stuck::Var(*p)))).collect();
                let body = (map.0)(self, &elements)?;
                let body = self.read_back(&body)?;
                let args = self.read_back_all(&map.1)?;
                self.tidy_map(params, body, args)?
            }
            Value::Rep(inner) => Normal::Rep(Box::new(self.read_back(inner)?)),
            Value::Node(tag, parts) => Normal::Node(tag.clone(), self.read_back_all(parts)?),
        })
    }

    fn read_back_all(&mut self, values: &[Value]) -> Outcome<Vec<Normal>> {
        values.iter().map(|v| self.read_back(v)).collect()
    }

    /// `\x -> f x` as `f`.
    fn eta(&mut self, var: Var, body: Normal) -> Outcome<Normal> {
        if let Normal::App(_, args) = &body
            && matches!(args.last(), Some(Normal::Var(last)) if *last == var)
        {
            let mut uses = 0;
            self.visit_vars(&body, &mut |v| uses += usize::from(v == var))?;
            if uses == 1
                && let Normal::App(f, mut args) = body
            {
                args.pop();
                return Ok(if args.is_empty() { *f } else { Normal::App(f, args) });
            }
            return Ok(Normal::Lam(var, Box::new(body)));
        }
        Ok(Normal::Lam(var, Box::new(body)))
    }

    /// Arrays that occur twice are joined, those without use are dropped, the others sorted by their first use.
    fn tidy_map(&mut self, params: Vec<Var>, mut body: Normal, args: Vec<Normal>) -> Outcome<Normal> {
        if let Normal::Var(var) = body
            && let Some(at) = params.iter().position(|p| *p == var)
        {
            return Ok(args.into_iter().nth(at).unwrap_or(body));
        }
        let mut joined: FxHashMap<Var, Var> = FxHashMap::default();
        for i in 1..args.len() {
            for j in 0..i {
                self.step()?;
                if !joined.contains_key(&params[j]) && same(&args[i], &args[j]) {
                    joined.insert(params[i], params[j]);
                    break;
                }
            }
        }
        if !joined.is_empty() {
            rename(&mut body, &joined);
        }
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        self.visit_vars(&body, &mut |v| {
            if seen.insert(v) && params.contains(&v) {
                order.push(v);
            }
        })?;
        let mut all: Vec<(Var, Normal)> = params.into_iter().zip(args).filter(|(p, _)| !joined.contains_key(p)).collect();
        if !order.is_empty() {
            all.retain(|(p, _)| order.contains(p));
            all.sort_by_key(|(p, _)| order.iter().position(|o| o == p));
        }
        let (params, args) = all.into_iter().unzip();
        Ok(Normal::Map(params, Box::new(body), args))
    }

    fn visit_vars(&mut self, normal: &Normal, f: &mut dyn FnMut(Var)) -> Outcome<()> {
        self.step()?;
        match normal {
            Normal::Var(var) => f(*var),
            Normal::Const(_) => {}
            Normal::Lam(_, body) | Normal::Rep(body) => self.visit_vars(body, f)?,
            Normal::App(fun, args) | Normal::Map(_, fun, args) => {
                self.visit_vars(fun, f)?;
                args.iter().try_for_each(|arg| self.visit_vars(arg, f))?;
            }
            Normal::Node(_, parts) => parts.iter().try_for_each(|part| self.visit_vars(part, f))?,
        }
        Ok(())
    }
}

/// The component that a projection from a written out tuple or record is.
fn component(tag: &Tag, parts: &[Value]) -> Option<Value> {
    let (Tag::Field(field), [Value::Node(inner, components)]) = (tag, parts) else { return None };
    let at = match inner {
        Tag::Tuple => field.as_str().parse().ok()?,
        Tag::Record(labels) => labels.iter().position(|l| l == field)?,
        _ => return None,
    };
    components.get(at).cloned()
}

fn rename(normal: &mut Normal, names: &FxHashMap<Var, Var>) {
    match normal {
        Normal::Var(var) => *var = *names.get(var).unwrap_or(var),
        Normal::Const(_) => {}
        Normal::Lam(_, body) | Normal::Rep(body) => rename(body, names),
        Normal::App(fun, args) | Normal::Map(_, fun, args) => {
            rename(fun, names);
            args.iter_mut().for_each(|arg| rename(arg, names));
        }
        Normal::Node(_, parts) => parts.iter_mut().for_each(|part| rename(part, names)),
    }
}
