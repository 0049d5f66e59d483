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
//! Evaluation ends because terms are typed, but may take long: it gives up after a number of steps, and then there is no normal form.
//! Values are shared, and what is shared is read once: a normal form is a graph ([`super::form`]) that is no larger than the number
//! of steps.

use super::env::Env;
use super::form::{FIRST_BOUND, Form, Forms, Normal};
use super::term::{Const, Tag, Term, TermRef, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// More than the allowed number of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfSteps;

/// A result, or the end of the steps.
pub(super) type Outcome<T> = Result<T, OutOfSteps>;

/// A value, possibly with free variables.
#[derive(Clone)]
pub(super) enum Value {
    /// Nothing more is known about it.
    Stuck(Rc<Stuck>),
    /// A function.
    Function(Function),
    /// A map; its arrays may be maps and replications, and are fused when it is read.
    Map(Rc<Mapped>),
    /// A replication.
    Rep(Rc<Value>),
    /// A form with parts.
    Node(Tag, Rc<Vec<Value>>),
}

impl Value {
    /// Values at the same address are the same.
    fn address(&self) -> *const () {
        match self {
            Value::Stuck(stuck) => Rc::as_ptr(stuck).cast(),
            Value::Function(function) => Rc::as_ptr(function).cast(),
            Value::Map(map) => Rc::as_ptr(map).cast(),
            Value::Rep(inner) => Rc::as_ptr(inner).cast(),
            Value::Node(_, parts) => Rc::as_ptr(parts).cast(),
        }
    }
}

/// What cannot be evaluated further.
pub(super) enum Stuck {
    Var(Var),
    Const(Const),
    App(Value, Vec<Value>),
}

/// A map: what it does to elements of the arrays, and the arrays.
pub(super) struct Mapped {
    body: Body,
    args: Vec<Value>,
}

type Function = Rc<dyn Fn(&mut Machine, Value) -> Outcome<Value>>;
type Body = Box<dyn Fn(&mut Machine, &[Value]) -> Outcome<Value>>;

/// What evaluates terms and reads values as normal forms.
pub struct Machine {
    steps: usize,
    fresh: u32,
    /// The normal forms so far.
    pub forms: Forms,
    /// Values that were read, by address. A value is kept, so that its address stays its own.
    read: FxHashMap<*const (), (Value, Normal)>,
}

/// The arrays that a nest of fused maps goes over, with the parameters that stand for their elements.
#[derive(Default)]
struct Arrays {
    params: Vec<Var>,
    arrays: Vec<Normal>,
    index: FxHashMap<Normal, usize>,
    /// The elements of the maps among the arrays, by address.
    elements: FxHashMap<*const (), Value>,
}

impl Machine {
    /// A machine that may make so many steps.
    pub fn new(steps: usize) -> Machine {
        Machine { steps, fresh: FIRST_BOUND, forms: Forms::default(), read: FxHashMap::default() }
    }

    /// The steps that are left.
    pub fn left(&self) -> usize {
        self.steps
    }

    /// The normal form of a term without free variables that have values.
    pub fn normalise(&mut self, term: &TermRef) -> Result<Normal, OutOfSteps> {
        let value = self.eval(term, &Env::default())?;
        self.read_back(&value)
    }

    fn step(&mut self) -> Outcome<()> {
        self.take(1)
    }

    /// Counts steps that are made elsewhere.
    pub(super) fn take(&mut self, steps: usize) -> Outcome<()> {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        left.map(drop).ok_or(OutOfSteps)
    }

    fn fresh(&mut self) -> Var {
        self.fresh += 1;
        Var::Fresh(self.fresh)
    }

    /// The value of a term.
    pub(super) fn eval(&mut self, term: &TermRef, env: &Env) -> Outcome<Value> {
        self.step()?;
        Ok(match &**term {
            Term::Var(var) => env.get(*var).cloned().unwrap_or_else(|| Value::Stuck(Rc::new(Stuck::Var(*var)))),
            Term::Const(constant) => Value::Stuck(Rc::new(Stuck::Const(constant.clone()))),
            Term::Lam(var, body) => {
                let (var, body, env) = (*var, body.clone(), env.clone());
                Value::Function(Rc::new(move |machine, arg| machine.eval(&body, &env.with(var, arg))))
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
                let body: Body = Box::new(move |machine, elements| {
                    elements.iter().try_fold(fun.clone(), |value, element| machine.apply(value, element.clone()))
                });
                self.map(body, args)?
            }
            Term::Rep(inner) => Value::Rep(Rc::new(self.eval(inner, env)?)),
            Term::Let(var, rhs, body) => {
                let rhs = self.eval(rhs, env)?;
                self.eval(body, &env.with(*var, rhs))?
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

    fn apply(&mut self, fun: Value, arg: Value) -> Outcome<Value> {
        self.step()?;
        match fun {
            Value::Function(f) => f(self, arg),
            Value::Rep(f) => {
                let body: Body = Box::new(move |machine, elements| machine.apply((*f).clone(), elements[0].clone()));
                self.map(body, vec![arg])
            }
            functions @ Value::Map(_) => {
                let body: Body = Box::new(|machine, elements| machine.apply(elements[0].clone(), elements[1].clone()));
                self.map(body, vec![functions, arg])
            }
            Value::Stuck(stuck) => Ok(Value::Stuck(Rc::new(match &*stuck {
                Stuck::App(f, args) => {
                    self.take(args.len())?;
                    let mut args = args.clone();
                    args.push(arg);
                    Stuck::App(f.clone(), args)
                }
                Stuck::Var(_) | Stuck::Const(_) => Stuck::App(Value::Stuck(stuck), vec![arg]),
            }))),
            node @ Value::Node(..) => Ok(Value::Stuck(Rc::new(Stuck::App(node, vec![arg])))),
        }
    }

    /// The map of a function over arrays.
    fn map(&mut self, body: Body, args: Vec<Value>) -> Outcome<Value> {
        self.step()?;
        let replicated = |arg: &Value| if let Value::Rep(x) = arg { Some((**x).clone()) } else { None };
        match args.iter().map(replicated).collect::<Option<Vec<Value>>>() {
            Some(elements) => Ok(Value::Rep(Rc::new(body(self, &elements)?))),
            None => Ok(Value::Map(Rc::new(Mapped { body, args }))),
        }
    }

    /// The normal form of a value; that of a value that is used in several places is made once.
    pub(super) fn read_back(&mut self, value: &Value) -> Outcome<Normal> {
        self.step()?;
        if let Some((_, known)) = self.read.get(&value.address()) {
            return Ok(*known);
        }
        let normal = match value {
            Value::Stuck(stuck) => match &**stuck {
                Stuck::Var(var) => self.forms.intern(Form::Var(*var)),
                Stuck::Const(constant) => self.forms.intern(Form::Const(constant.clone())),
                Stuck::App(f, args) => {
                    let (f, args) = (self.read_back(f)?, self.read_back_all(args)?);
                    self.forms.intern(Form::App(f, args))
                }
            },
            Value::Function(f) => {
                let var = self.fresh();
                let body = f(self, Value::Stuck(Rc::new(Stuck::Var(var))))?;
                let body = self.read_back(&body)?;
                self.eta(var, body)?
            }
            Value::Map(map) => self.read_map(map)?,
            Value::Rep(inner) => {
                let inner = self.read_back(inner)?;
                self.forms.intern(Form::Rep(inner))
            }
            Value::Node(tag, parts) => {
                let parts = self.read_back_all(parts)?;
                self.forms.intern(Form::Node(tag.clone(), parts))
            }
        };
        self.read.insert(value.address(), (value.clone(), normal));
        Ok(normal)
    }

    fn read_back_all(&mut self, values: &[Value]) -> Outcome<Vec<Normal>> {
        values.iter().map(|v| self.read_back(v)).collect()
    }

    /// `\x -> f x` as `f`.
    fn eta(&mut self, var: Var, body: Normal) -> Outcome<Normal> {
        if let Form::App(f, args) = self.forms.form(body)
            && let Some((last, rest)) = args.split_last()
            && *self.forms.form(*last) == Form::Var(var)
        {
            let (f, rest) = (*f, rest.to_vec());
            let mut used = false;
            for part in rest.iter().chain(std::iter::once(&f)) {
                let nodes = self.forms.vars(*part, &mut |v| {
                    used |= v == var;
                    !used
                });
                self.take(nodes)?;
            }
            if !used {
                return Ok(if rest.is_empty() { f } else { self.forms.intern(Form::App(f, rest)) });
            }
        }
        Ok(self.forms.intern(Form::Lam(var, body)))
    }

    /// A map with the maps and replications among its arrays fused into it. Arrays that occur twice are one, those without use are dropped,
    /// the others sorted by their first use.
    fn read_map(&mut self, map: &Rc<Mapped>) -> Outcome<Normal> {
        let mut arrays = Arrays::default();
        let element = self.mapped(map, &mut arrays)?;
        let body = self.read_back(&element)?;
        let Arrays { params, arrays, .. } = arrays;
        if let Form::Var(var) = self.forms.form(body)
            && let Some(at) = params.iter().position(|param| param == var)
        {
            return Ok(arrays[at]);
        }
        let numbers: FxHashMap<Var, usize> = params.iter().copied().zip(0..).collect();
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        let nodes = self.forms.vars(body, &mut |var| {
            order.extend(numbers.get(&var).filter(|_| seen.insert(var)));
            true
        });
        self.take(nodes)?;
        if order.is_empty() {
            order = (0..params.len()).collect();
        }
        let (params, arrays) = order.into_iter().map(|at: usize| (params[at], arrays[at])).unzip();
        Ok(self.forms.intern(Form::Map(params, body, arrays)))
    }

    /// The element of a map for elements of the arrays below it; made once for each map.
    fn mapped(&mut self, map: &Rc<Mapped>, arrays: &mut Arrays) -> Outcome<Value> {
        let address = Rc::as_ptr(map).cast();
        if let Some(known) = arrays.elements.get(&address) {
            return Ok(known.clone());
        }
        let elements = map.args.iter().map(|arg| self.element(arg, arrays)).collect::<Outcome<Vec<Value>>>()?;
        let value = (map.body)(self, &elements)?;
        arrays.elements.insert(address, value.clone());
        Ok(value)
    }

    fn element(&mut self, array: &Value, arrays: &mut Arrays) -> Outcome<Value> {
        self.step()?;
        match array {
            Value::Rep(element) => return Ok((**element).clone()),
            Value::Map(map) => return self.mapped(map, arrays),
            Value::Stuck(_) | Value::Function(_) | Value::Node(..) => {}
        }
        let normal = self.read_back(array)?;
        let at = match arrays.index.get(&normal) {
            Some(at) => *at,
            None => {
                self.take(arrays.arrays.len())?;
                let forms = &self.forms;
                let same = |other: &Normal| forms.shape(*other) == forms.shape(normal) && forms.same(*other, normal);
                let at = arrays.arrays.iter().position(same).unwrap_or(arrays.arrays.len());
                arrays.index.insert(normal, at);
                at
            }
        };
        if at == arrays.arrays.len() {
            arrays.params.push(self.fresh());
            arrays.arrays.push(normal);
        }
        Ok(Value::Stuck(Rc::new(Stuck::Var(arrays.params[at]))))
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
