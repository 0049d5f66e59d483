//! Where ways of a program meet: branches, loops, and recursion that is a loop.

use super::build::{Form, Layout, Scope};
use super::error::{Error, NameError, RecursionError, Result, StateError};
use super::functions::Closure;
use super::machine::{Binding, Frame, Machine};
use super::tree::{Dfn, Node, Statement, Word};
use super::value::{Kind, Val};
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core::{Dim, DimAtom, Expr, ExprKind, LoopForm, LoopParam};
use std::rc::Rc;

/// How often the types of a loop are tried.
const MAX_TRIES: usize = 6;

impl Machine {
    /// One of two ways.
    pub fn branch(
        &mut self,
        cond: Expr,
        then: &mut dyn FnMut(&mut Machine) -> Result<Val>,
        els: &mut dyn FnMut(&mut Machine) -> Result<Val>,
    ) -> Result<Val> {
        let span = self.b.at;
        let (first, then) = self.way(then)?;
        let (second, els) = self.way(els)?;
        let layout = self.joined(&[first, second], span)?;
        let mut ways = Vec::new();
        for (scope, val) in [then, els] {
            self.b.attach(scope);
            let packed = self.b.pack(&val, &layout)?;
            ways.push(self.b.close(packed));
        }
        self.b.at = span;
        let els = ways.pop().expect("two ways");
        let then = ways.pop().expect("two ways");
        let made = self.b.choose(cond, then, els);
        Ok(self.b.unpack(made, &layout))
    }

    /// A result in a scope of its own, which is left open: its form, the sizes that are found out on the way, and the scope.
    #[allow(clippy::type_complexity, reason = "used at once")]
    pub fn way(&mut self, way: &mut dyn FnMut(&mut Machine) -> Result<Val>) -> Result<((Form, Vec<Dim>), (Scope, Val))> {
        self.b.open();
        self.branched += 1;
        let val = way(self)?;
        self.branched -= 1;
        let form = self.b.form_within(&val, self.b.depth() - 1);
        Ok((form, (self.b.detach(), val)))
    }

    /// The layout that several forms fit: kinds are widened, sizes that differ or are local are hidden.
    pub fn joined(&mut self, forms: &[(Form, Vec<Dim>)], span: Span) -> Result<Layout> {
        let mut hidden = Vec::new();
        let local: Vec<Dim> = forms.iter().flat_map(|(_, local)| local.iter().cloned()).collect();
        let all: Vec<&Form> = forms.iter().map(|(form, _)| form).collect();
        let form = self.join_forms(&all, &local, &mut hidden, span)?;
        Ok(Layout { form, hidden })
    }

    fn join_forms(&mut self, forms: &[&Form], local: &[Dim], hidden: &mut Vec<Symbol>, span: Span) -> Result<Form> {
        let differ = |error: StateError| Err(Error::at(span, error));
        if let Form::Tup(first) = forms[0] {
            let mut rows = Vec::new();
            for form in forms {
                match form {
                    Form::Tup(items) if items.len() == first.len() => rows.push(items),
                    _ => return differ(unlike(forms[0], form)),
                }
            }
            let mut joined = Vec::new();
            for at in 0..first.len() {
                let column: Vec<&Form> = rows.iter().map(|row| &row[at]).collect();
                joined.push(self.join_forms(&column, local, hidden, span)?);
            }
            return Ok(Form::Tup(joined));
        }
        if let Form::Rag { .. } = forms[0] {
            let (mut lengths, mut data) = (Vec::new(), Vec::new());
            for form in forms {
                let Form::Rag { lengths: n, kind, total } = form else {
                    return differ(unlike(forms[0], form));
                };
                lengths.push(Form::Arr { kind: Kind::Int, shape: vec![n.clone()], levels: vec![1] });
                data.push(Form::Arr { kind: *kind, shape: vec![total.clone()], levels: vec![1] });
            }
            let lengths = self.join_forms(&lengths.iter().collect::<Vec<_>>(), local, hidden, span)?;
            let data = self.join_forms(&data.iter().collect::<Vec<_>>(), local, hidden, span)?;
            let (Form::Arr { shape: n, .. }, Form::Arr { kind, shape: total, .. }) = (lengths, data) else {
                return Err(self.silent());
            };
            return Ok(Form::Rag { lengths: n[0].clone(), kind, total: total[0].clone() });
        }
        let mut out: Option<(Kind, Vec<Dim>, Vec<usize>)> = None;
        for form in forms {
            let Form::Arr { kind, shape, levels } = form else {
                return differ(unlike(forms[0], form));
            };
            out = Some(match out {
                None => (*kind, shape.clone(), levels.clone()),
                Some((before, dims, inner)) => {
                    if dims.len() != shape.len() {
                        return differ(StateError::Ranks(dims.len(), shape.len()));
                    }
                    if inner != *levels {
                        return differ(StateError::Levels);
                    }
                    let Some(kind) = before.join(*kind) else {
                        return differ(StateError::Kinds(before, *kind));
                    };
                    let dims = dims.iter().zip(shape).map(|(a, b)| if a == b { a.clone() } else { Dim::atom(DimAtom::Meta(0)) });
                    (kind, dims.collect(), inner)
                }
            });
        }
        let (kind, shape, levels) = out.expect("there are forms");
        let shape = shape
            .into_iter()
            .map(|dim| {
                if dim.as_atom() == Some(DimAtom::Meta(0)) || local.contains(&dim) {
                    let name = self.b.fresh("h");
                    hidden.push(name);
                    Dim::var(name)
                } else {
                    dim
                }
            })
            .collect();
        Ok(Form::Arr { kind, shape, levels })
    }

    /// A loop whose state is a value. `form` says, for the state, how it goes on; `body` is the next state.
    pub fn repeat(
        &mut self,
        init: Val,
        count: Option<Expr>,
        cond: &mut dyn FnMut(&mut Machine, Val) -> Result<Expr>,
        body: &mut dyn FnMut(&mut Machine, Val, &Expr) -> Result<Val>,
    ) -> Result<Val> {
        let span = self.b.at;
        let counter = self.b.fresh("i");
        let index = self.b.var(counter);
        let mut layout = self.joined(&[(Form::of(&init), Vec::new())], span)?;
        let name = self.b.fresh("s");
        let state = self.b.var(name);
        let mut tries = 0;
        let (scope, next) = loop {
            tries += 1;
            if tries > MAX_TRIES {
                return Err(Error::at(span, StateError::Unsettled));
            }
            let (before, noted) = (layout.clone(), self.found.notes.len());
            self.looped += 1;
            let (next, made) = self.way(&mut |m| {
                let val = m.b.unpack(state.clone(), &before);
                body(m, val, &index)
            })?;
            self.looped -= 1;
            // What the state hides is not known outside either.
            let joined = self.joined(&[(hide(&layout), Vec::new()), next], span)?;
            if same_layout(&joined, &layout) {
                break made;
            }
            self.found.notes.truncate(noted);
            layout = joined;
        };
        let first = self.b.pack(&init, &layout)?;
        let form = match count {
            Some(count) => LoopForm::For(counter, count),
            None => {
                self.b.open();
                let val = self.b.unpack(state, &layout);
                let made = cond(self, val)?;
                LoopForm::While(self.b.close(made))
            }
        };
        self.b.attach(scope);
        let packed = self.b.pack(&next, &layout)?;
        let body = self.b.close(packed);
        self.b.at = span;
        let params = vec![LoopParam { name, ty: layout.ty(), init: first }];
        let made = self.b.node(ExprKind::Loop { params, form, body });
        Ok(self.b.unpack(made, &layout))
    }

    /// A function whose only calls of itself are the last thing that it does.
    pub fn tail_loop(&mut self, closure: &Rc<Closure>, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let gives = |statement: &Statement| {
            tail_call(&statement.nodes).is_none() && (statement.guard.is_some() || !is_assignment(&statement.nodes))
        };
        if !closure.dfn.body.iter().any(gives) {
            return Err(Error::at(span, RecursionError::Endless));
        }
        let left = match left {
            None if closure.dfn.body.iter().any(|statement| tail_call(&statement.nodes).is_some_and(|at| at > 0)) => {
                self.default_left(closure, &right)?
            }
            left => left,
        };
        let both = left.is_some();
        let init = match left {
            Some(left) => Val::Tup(Rc::new(vec![left, right])),
            None => right,
        };
        let split = move |val: Val| match val {
            Val::Tup(items) if both => (Some(items[0].clone()), items[1].clone()),
            other => (None, other),
        };
        let run = |m: &mut Machine, val: Val, ask: Ask| {
            let (left, right) = split(val);
            let frame = m.frame_of(closure, left, right);
            m.functions.stack.push(Rc::as_ptr(&closure.dfn));
            let out = m.tail(closure, 0, &frame, ask, span);
            m.functions.stack.pop();
            out
        };
        let last = self.repeat(
            init,
            None,
            &mut |m, val| match run(m, val, Ask::Whether)? {
                Val::Arr(arr) => Ok(arr.expr),
                Val::Tup(_) | Val::Rag(_) => Err(m.silent()),
            },
            &mut |m, val, _| run(m, val, Ask::Next(both)),
        )?;
        run(self, last, Ask::Result)
    }

    /// The left argument of a function that begins with `⍺←value` and is called without one.
    pub fn default_left(&mut self, closure: &Rc<Closure>, right: &Val) -> Result<Option<Val>> {
        let Some(first) = closure.dfn.body.first() else { return Ok(None) };
        let frame = self.frame_of(closure, None, right.clone());
        if !self.is_default(first, &frame)? {
            return Ok(None);
        }
        Ok(match frame.find("⍺") {
            Some(Binding::Val(left)) => Some(left),
            Some(Binding::Fun(_) | Binding::Op(_) | Binding::Broken) | None => None,
        })
    }
    /// One pass of a function that is a loop.
    fn tail(&mut self, closure: &Rc<Closure>, from: usize, frame: &Rc<Frame>, ask: Ask, span: Span) -> Result<Val> {
        let dfn = &closure.dfn;
        for (at, statement) in dfn.body.iter().enumerate().skip(from) {
            if self.is_default(statement, frame)? {
                continue;
            }
            let tail = tail_call(&statement.nodes);
            let Some(guard) = &statement.guard else {
                if tail.is_none() && is_assignment(&statement.nodes) {
                    self.sentence(&statement.nodes, statement.span, frame)?;
                    continue;
                }
                return self.tail_result(statement, frame, ask);
            };
            let cond = self.condition(guard, frame)?;
            let wanted = |recurses: bool| match ask {
                Ask::Whether => true,
                Ask::Next(_) => recurses,
                Ask::Result => !recurses,
            };
            let rest = (at + 1..dfn.body.len()).any(|k| {
                let later = &dfn.body[k];
                let result = later.guard.is_some() || !is_assignment(&later.nodes);
                result && wanted(tail_call(&later.nodes).is_some())
            });
            match (wanted(tail.is_some()), rest) {
                (true, true) => {
                    return self.branch(cond.expr, &mut |m| m.tail_result(statement, frame, ask), &mut |m| {
                        m.tail(closure, at + 1, frame, ask, span)
                    });
                }
                (true, false) => return self.tail_result(statement, frame, ask),
                (false, _) => {}
            }
        }
        Err(Error::at(span, RecursionError::Endless))
    }

    fn tail_result(&mut self, statement: &Statement, frame: &Rc<Frame>, ask: Ask) -> Result<Val> {
        let call = tail_call(&statement.nodes);
        match (ask, call) {
            (Ask::Whether, call) => Ok(Val::Arr(self.b.literal(Kind::Bool, &[], vec![Scalar::Bool(call.is_some())]))),
            (Ask::Result, None) => self.result(statement, frame),
            (Ask::Next(both), Some(at)) => {
                let right = self.value_of(&statement.nodes[at + 1..], frame)?;
                match (both, at) {
                    (true, 0) => Err(Error::at(statement.span, NameError::TailLeft { given: false })),
                    (false, at) if at > 0 => Err(Error::at(statement.span, NameError::TailLeft { given: true })),
                    (false, _) => Ok(right),
                    (true, at) => {
                        let left = self.value_of(&statement.nodes[..at], frame)?;
                        Ok(Val::Tup(Rc::new(vec![left, right])))
                    }
                }
            }
            (Ask::Result, Some(_)) | (Ask::Next(_), None) => Err(self.silent()),
        }
    }
}

/// What a pass of a function that is a loop is asked.
#[derive(Clone, Copy)]
enum Ask {
    /// Whether it calls itself.
    Whether,
    /// With what; whether that is two arguments.
    Next(bool),
    /// The result, where it does not.
    Result,
}

/// A function whose only calls of itself are the last thing that it does.
pub struct Tail;

impl Tail {
    /// If it is one.
    pub fn of(dfn: &Dfn) -> Option<Tail> {
        let fine = |statement: &Statement| {
            let elsewhere = |nodes: &[Node]| nodes.iter().any(mentions_del);
            if statement.guard.as_deref().is_some_and(elsewhere) {
                return false;
            }
            match tail_call(&statement.nodes) {
                Some(at) => !elsewhere(&statement.nodes[..at]) && !elsewhere(&statement.nodes[at + 1..]),
                None => !elsewhere(&statement.nodes),
            }
        };
        dfn.body.iter().all(fine).then_some(Tail)
    }
}

fn mentions_del(node: &Node) -> bool {
    match &node.kind {
        Word::Glyph('∇') => true,
        Word::Paren(nodes) => nodes.iter().any(mentions_del),
        Word::Index(parts) => parts.iter().flatten().any(mentions_del),
        _ => false,
    }
}

/// Where `∇` stands as the last function that a sentence applies: at its beginning, or behind one array.
fn tail_call(nodes: &[Node]) -> Option<usize> {
    let del = |at: usize| matches!(nodes.get(at), Some(Node { kind: Word::Glyph('∇'), .. }));
    let array = |node: &Node| !matches!(node.kind, Word::Glyph(c) if c != '⍬');
    let at = (0..nodes.len()).find(|at| del(*at))?;
    let followed = nodes
        .get(at + 1)
        .is_some_and(|next| !matches!(next.kind, Word::Glyph(c) if super::glyph::class(c) != super::glyph::Class::Function && c != '⍬'));
    (followed && nodes[..at].iter().all(array)).then_some(at)
}

fn is_assignment(nodes: &[Node]) -> bool {
    matches!(nodes, [Node { kind: Word::Name(_) | Word::Paren(_), .. }, Node { kind: Word::Glyph('←') | Word::Index(_), .. }, ..])
        && nodes.iter().any(|node| matches!(node.kind, Word::Glyph('←')))
}

/// What is different about two forms that are not joined.
fn unlike(first: &Form, other: &Form) -> StateError {
    match (first, other) {
        (Form::Rag { .. }, _) | (_, Form::Rag { .. }) => StateError::Rows,
        (Form::Tup(_), Form::Tup(_)) => StateError::Structures,
        (Form::Tup(_), Form::Arr { .. }) | (Form::Arr { .. }, _) => StateError::StructureAndArray,
    }
}

/// The form of a layout, hidden sizes marked.
pub fn hide(layout: &Layout) -> Form {
    fn go(form: &Form, hidden: &[Symbol]) -> Form {
        let mark = |dim: &Dim| match dim.as_atom() {
            Some(DimAtom::Var(name)) if hidden.contains(&name) => Dim::atom(DimAtom::Meta(0)),
            _ => dim.clone(),
        };
        match form {
            Form::Rag { lengths, kind, total } => Form::Rag { lengths: mark(lengths), kind: *kind, total: mark(total) },
            Form::Arr { kind, shape, levels } => Form::Arr { kind: *kind, shape: shape.iter().map(mark).collect(), levels: levels.clone() },
            Form::Tup(items) => Form::Tup(items.iter().map(|item| go(item, hidden)).collect()),
        }
    }
    go(&layout.form, &layout.hidden)
}

/// The same kinds, and the same sizes hidden.
pub fn same_layout(a: &Layout, b: &Layout) -> bool {
    fn same(a: &Form, b: &Form) -> bool {
        match (a, b) {
            (Form::Arr { kind, shape, levels }, Form::Arr { kind: k, shape: s, levels: l }) => kind == k && shape == s && levels == l,
            (Form::Rag { lengths, kind, total }, Form::Rag { lengths: n, kind: k, total: t }) => lengths == n && kind == k && total == t,
            (Form::Tup(a), Form::Tup(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
            _ => false,
        }
    }
    same(&hide(a), &hide(b))
}
