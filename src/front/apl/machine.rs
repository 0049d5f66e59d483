//! Executing a script without its numbers: names, statements, calls of dfns, guards, recursion.

use super::build::Build;
use super::error::{
    Error, ErrorKind, KindError, LimitError, NameError, NotationError, RankError, ReadError, RecursionError, Result, Role, Wanted,
};
use super::functions::{Closure, Fun, Func, Operand};
use super::loops::Tail;
use super::recursion::Open;
use super::sentence::Meaning;
use super::tree::{Dfn, Node, Statement, Word};
use super::value::{Arr, Kind, Val};
use crate::base::{Scalar, Span};
use crate::ir::core::Define;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Calls of functions while one script is executed; more would take too long, and the program would be too large.
const MAX_CALLS: usize = 60_000;
/// Arrays of which a nested vector may consist; a function is applied to each of them by itself.
const MAX_PARTS: usize = 4096;
/// Calls that come of one of a function that calls itself before it is no longer written out.
const MOST_WRITTEN_OUT: usize = 10_000;
/// Calls within calls.
const MAX_DEPTH: usize = 150;

/// What a name stands for.
#[derive(Clone)]
pub enum Binding {
    /// An array.
    Val(Val),
    /// A function.
    Fun(Func),
    /// An operator.
    Op(Rc<Closure>),
    /// Nothing, because of an error that was reported.
    Broken,
}

/// The names of a call of a dfn, or of the script.
pub struct Frame {
    names: RefCell<FxHashMap<Rc<str>, Binding>>,
    /// How many names were given another meaning.
    changes: Cell<usize>,
    outer: Option<Rc<Frame>>,
}

impl Frame {
    /// Names within others.
    pub fn new(outer: Option<Rc<Frame>>) -> Rc<Frame> {
        Rc::new(Frame { names: RefCell::default(), changes: Cell::default(), outer })
    }
    /// What a name stands for.
    pub fn find(&self, name: &str) -> Option<Binding> {
        let own = self.names.borrow().get(name).cloned();
        // The arguments of an outer function are not those of an inner one.
        if own.is_some()
            || name.starts_with(['⍺', '⍵']) && self.outer.is_some() && !self.names.borrow().is_empty() && name.chars().count() == 1
        {
            return own;
        }
        self.outer.as_ref().and_then(|outer| outer.find(name))
    }
    /// Whether the name is one of this call.
    pub fn has(&self, name: &str) -> bool {
        self.names.borrow().contains_key(name)
    }
    /// Gives a name a meaning.
    pub fn set(&self, name: &str, binding: Binding) {
        if self.names.borrow_mut().insert(name.into(), binding).is_some() {
            self.changes.set(self.changes.get() + 1);
        }
    }
    /// For the names of a script: how many were given another meaning so far.
    pub fn changes_of_script(&self) -> Option<usize> {
        self.outer.is_none().then(|| self.changes.get())
    }
    /// All names that can be seen.
    pub fn names(&self) -> Vec<Rc<str>> {
        let mut out: Vec<Rc<str>> = self.outer.as_ref().map_or(Vec::new(), |outer| outer.names());
        out.extend(self.names.borrow().keys().cloned());
        out.sort();
        out
    }
}

/// Texts of files, or why there is none, by their names in the script.
pub type Files = FxHashMap<String, std::result::Result<String, String>>;

/// What is printed.
pub struct Output {
    pub value: Val,
    /// The digits of its floats.
    pub digits: usize,
}

/// Something that was found out, for `remora infer`.
#[derive(Debug, Clone)]
pub struct Note {
    /// Where.
    pub span: Span,
    /// What.
    pub text: String,
}

/// A script while it is executed.
pub struct Machine {
    /// What was made of it so far.
    pub b: Build,
    /// The index of the first element: 0 or 1.
    pub origin: i64,
    /// What executing it led to, besides code.
    pub found: Found,
    /// Its functions that are being called and made definitions.
    pub functions: Functions,
    /// Whether results are printed: not while an entry point is made.
    pub prints: bool,
    /// Random numbers so far.
    pub rolls: i64,
    /// Files that the script names.
    pub files: Rc<Files>,
    /// Loops and maps around what is executed.
    pub looped: usize,
    /// The digits that are printed.
    pub precision: i64,
    /// Branches around it.
    pub branched: usize,
    /// Whether items of different lengths make a vector of vectors.
    pub ragged: bool,
    calls: usize,
}

/// What executing a script led to, besides code.
#[derive(Default)]
pub struct Found {
    /// What is printed, in order.
    pub outputs: Vec<Output>,
    /// What was found out.
    pub notes: Vec<Note>,
    /// Functions of the library that were used.
    pub library: BTreeSet<&'static str>,
    /// Functions that were called, by where they are written.
    pub called: FxHashSet<Span>,
}

/// Functions of a script that are being called and made definitions.
#[derive(Default)]
pub struct Functions {
    /// Those that are being called.
    pub stack: Vec<*const Dfn>,
    /// The one that is being written out, and the calls that it may come to.
    written: Option<(*const Dfn, usize)>,
    /// Those that are being made definitions, from the outermost.
    pub open: Vec<Open>,
    /// Those that were.
    pub definitions: Vec<Define>,
    /// Those of the script among them, for other calls, with the changes of names until then.
    pub ready: Vec<(Open, usize)>,
    /// How many names of definitions were given.
    pub defined: usize,
}

/// How far things are, to go back to after an error.
#[derive(Clone, Copy)]
pub struct Mark {
    depth: usize,
    printed: usize,
    noted: usize,
    stack: usize,
    looped: usize,
    branched: usize,
    open: usize,
    definitions: usize,
    ready: usize,
}

impl Machine {
    /// Nothing executed yet.
    pub fn new(at: Span) -> Machine {
        Machine {
            b: Build::new(at),
            origin: 1,
            found: Found::default(),
            functions: Functions::default(),
            prints: true,
            rolls: 0,
            files: Rc::default(),
            looped: 0,
            precision: 10,
            branched: 0,
            ragged: false,
            calls: 0,
        }
    }
    /// What says nothing: an error was reported.
    pub fn silent(&self) -> Box<Error> {
        Error::at(self.b.at, ErrorKind::Silent)
    }

    /// Remembers something for `remora infer`.
    pub fn note(&mut self, span: Span, text: impl FnOnce() -> String) {
        if self.found.notes.len() < 5000 {
            let text = text();
            self.found.notes.push(Note { span, text });
        }
    }

    /// Executes statements of the script; what is wrong with each.
    pub fn script(&mut self, statements: &[Statement], frame: &Rc<Frame>) -> Vec<Error> {
        let mut errors = Vec::new();
        let mut unsaid = None;
        for statement in statements {
            let mark = self.mark();
            if let Err(error) = self.top_statement(statement, frame) {
                self.back_to(mark);
                for name in assigned_names(&statement.nodes) {
                    frame.set(&name, Binding::Broken);
                }
                match error.kind {
                    ErrorKind::Silent => unsaid = unsaid.or(Some(statement.span)),
                    _ => errors.push(*error),
                }
            }
        }
        // Nothing is left out without a word.
        if let (true, Some(span)) = (errors.is_empty(), unsaid) {
            errors.push(*Error::at(span, ErrorKind::Silent));
        }
        errors
    }

    fn top_statement(&mut self, statement: &Statement, frame: &Rc<Frame>) -> Result<()> {
        if let Some(guard) = &statement.guard {
            let at = guard.first().map_or(statement.span, |node| node.span);
            return Err(Error::at(at, ReadError::GuardOutside));
        }
        if !self.prints && !statement.nodes.iter().any(assigns) {
            // Looked at for what is wrong; nobody sees the value.
            let mark = self.mark();
            self.b.open();
            let made = self.sentence(&statement.nodes, statement.span, frame).map(|_| ());
            self.back_to(mark);
            return made;
        }
        if let Meaning::Value(val, false) = self.sentence(&statement.nodes, statement.span, frame)? {
            self.print(val, statement.span)?;
        }
        Ok(())
    }

    /// Prints a value at the end of the run.
    pub fn print(&mut self, val: Val, span: Span) -> Result<()> {
        if !self.prints {
            return Ok(());
        }
        if self.looped + self.branched > 0 {
            return Err(Error::at(span, NotationError::Output));
        }
        self.found.outputs.push(Output { value: val, digits: self.precision as usize });
        Ok(())
    }

    /// Applies a function.
    pub fn call(&mut self, func: &Func, left: Option<Val>, right: Val) -> Result<Val> {
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return Err(Error::at(func.span, LimitError::Calls { most: MAX_CALLS }));
        }
        if let Some((of, most)) = self.functions.written
            && self.calls > most
        {
            return Err(Error::at(func.span, RecursionError::Long { of }));
        }
        if left.iter().chain([&right]).any(|val| val.has_more_parts_than(MAX_PARTS)) {
            return Err(Error::at(func.span, LimitError::Parts { most: MAX_PARTS }));
        }
        let before = std::mem::replace(&mut self.b.at, func.span);
        let given = (left.as_ref().map(Val::shown), right.shown());
        let out = self.apply(func, left, right);
        self.b.at = before;
        if let Ok(val) = &out
            && !matches!(func.fun, Fun::Atop(_) | Fun::Fork(_))
        {
            let shown = val.shown();
            self.note(func.span, || match given {
                (Some(left), right) => format!("{left} {right} -> {shown}"),
                (None, right) => format!("{right} -> {shown}"),
            });
        }
        out
    }

    fn apply(&mut self, func: &Func, left: Option<Val>, right: Val) -> Result<Val> {
        match &func.fun {
            Fun::Prim(glyph, axis) => self.primitive(*glyph, axis.as_ref(), left, right, func.span),
            Fun::System(name) => self.system_call(name, left, right, func.span),
            Fun::Dfn(closure) => self.lifting(closure, left, right, func.span),
            Fun::Derived(derived) => self.operator(derived, left, right, func.span),
            Fun::Atop(pair) => {
                let inner = self.call(&pair.1, left, right)?;
                self.call(&pair.0, None, inner)
            }
            Fun::Fork(parts) => {
                let (first, middle, last) = &**parts;
                let after = self.call(last, left.clone(), right.clone())?;
                let before = match first {
                    Operand::Fun(func) => self.call(func, left, right)?,
                    Operand::Val(val) => val.clone(),
                };
                self.call(middle, Some(before), after)
            }
        }
    }

    /// Calls a dfn with whole arguments; if it is defined for smaller ones only, with their cells.
    fn lifting(&mut self, closure: &Rc<Closure>, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let whole = self.attempt(|m| m.call_dfn(closure, left.clone(), right.clone(), span));
        let error = match whole {
            Err(error) if matches!(error.kind, ErrorKind::Rank(_)) => error,
            other => return other,
        };
        let rank = |val: &Val| if let Val::Arr(arr) = val { arr.rank() } else { 0 };
        let (l, r) = (left.as_ref().map_or(0, rank), rank(&right));
        for frame in 1..=l.max(r) {
            // The smallest frames: those of both arguments, or of one.
            let mut choices = vec![(frame.min(l), frame.min(r))];
            if left.is_some() {
                choices.extend([(frame.min(l), 0), (0, frame.min(r))]);
            }
            let (mut found, mut refused): (Vec<(usize, usize)>, _) = (Vec::new(), None);
            for choice in choices {
                if choice == (0, 0) || found.contains(&choice) {
                    continue;
                }
                match self.trial(|m| m.cells_of(closure, choice, &left, &right, span)) {
                    Ok(()) => found.push(choice),
                    // The cells are fine, and the recursion is what is made of the call around.
                    Err(error) if matches!(error.kind, ErrorKind::Recursion(_)) => return Err(error),
                    Err(error) if matches!(error.kind, ErrorKind::Nesting(_)) => refused = refused.or(Some(error)),
                    Err(_) => {}
                }
            }
            match found.as_slice() {
                [] => {
                    // It is defined for these cells, and only an array of its results is not supported: smaller cells mean something else.
                    if let Some(error) = refused {
                        return Err(error);
                    }
                }
                // Frames of both that agree come first, as for scalar functions.
                [first, ..] => {
                    let (fl, fr) = *first;
                    self.note(span, || format!("lifted: applied to cells, `⍤{} {}`", l - fl, r - fr));
                    return self.cells_of(closure, *first, &left, &right, span);
                }
            }
        }
        Err(error)
    }

    fn cells_of(&mut self, closure: &Rc<Closure>, frames: (usize, usize), left: &Option<Val>, right: &Val, span: Span) -> Result<Val> {
        let closure = closure.clone();
        self.framed(left.clone(), right.clone(), frames, span, &mut |m, l, r| m.call_dfn(&closure, l, r, span))
    }

    /// Does something that may fail; what was computed by then is forgotten.
    pub fn attempt<T>(&mut self, action: impl FnOnce(&mut Machine) -> Result<T>) -> Result<T> {
        let mark = self.mark();
        self.b.open();
        let out = action(self);
        match &out {
            Ok(_) => self.b.merge(),
            Err(_) => self.back_to(mark),
        }
        out
    }

    /// Whether something can be done; nothing of it is kept.
    fn trial<T>(&mut self, action: impl FnOnce(&mut Machine) -> Result<T>) -> Result<()> {
        let mark = self.mark();
        self.b.open();
        let out = action(self).map(|_| ());
        self.back_to(mark);
        out
    }

    pub fn mark(&self) -> Mark {
        Mark {
            depth: self.b.depth(),
            printed: self.found.outputs.len(),
            noted: self.found.notes.len(),
            stack: self.functions.stack.len(),
            looped: self.looped,
            branched: self.branched,
            open: self.functions.open.len(),
            definitions: self.functions.definitions.len(),
            ready: self.functions.ready.len(),
        }
    }
    pub fn back_to(&mut self, mark: Mark) {
        self.b.back_to(mark.depth);
        self.found.outputs.truncate(mark.printed);
        self.found.notes.truncate(mark.noted);
        self.functions.stack.truncate(mark.stack);
        self.looped = mark.looped;
        self.branched = mark.branched;
        self.functions.open.truncate(mark.open);
        self.functions.definitions.truncate(mark.definitions);
        self.functions.ready.truncate(mark.ready);
    }

    /// Calls a dfn.
    pub fn call_dfn(&mut self, closure: &Rc<Closure>, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        self.found.called.insert(closure.span);
        let dfn = Rc::as_ptr(&closure.dfn);
        if let Some(made) = self.call_opened(closure, &left, &right, span) {
            return made;
        }
        if self.functions.stack.len() >= MAX_DEPTH {
            let of = self.functions.stack.iter().copied().find(|dfn| self.is_within_itself(*dfn)).unwrap_or(dfn);
            return Err(Error::at(span, RecursionError::Deep { most: MAX_DEPTH, of }));
        }
        if self.functions.stack.contains(&dfn) {
            return self.unrolled(closure, left, right, span);
        }
        let (calls, first) = (self.calls, closure.dfn.recursive && self.functions.written.is_none());
        if first {
            self.functions.written = Some((dfn, calls + MOST_WRITTEN_OUT));
        }
        let written_out = self.attempt(|m| m.unrolled(closure, left.clone(), right.clone(), span));
        if first {
            self.functions.written = None;
        }
        let long = match &written_out {
            Err(error) => match error.kind {
                ErrorKind::Recursion(RecursionError::Values { of } | RecursionError::Deep { of, .. }) if of == dfn => false,
                ErrorKind::Recursion(RecursionError::Long { of }) if of == dfn => true,
                _ => return written_out,
            },
            Ok(_) => return written_out,
        };
        self.calls = calls;
        if Tail::of(&closure.dfn).is_some() && closure.dfn.recursive {
            return self.tail_loop(closure, left, right, span);
        }
        let made = self.attempt(|m| m.recursion(closure, left.clone(), right.clone(), span));
        match made {
            // Results whose types depend on numbers are written out as long as there may be calls.
            Err(_) if long => self.unrolled(closure, left, right, span),
            made => made,
        }
    }

    fn is_within_itself(&self, dfn: *const Dfn) -> bool {
        self.functions.stack.iter().filter(|other| **other == dfn).count() > 1
    }

    pub fn frame_of(&self, closure: &Rc<Closure>, left: Option<Val>, right: Val) -> Rc<Frame> {
        let frame = Frame::new(Some(closure.frame.clone()));
        frame.set("⍵", Binding::Val(right));
        if let Some(left) = left {
            frame.set("⍺", Binding::Val(left));
        }
        for (name, operand) in [("⍺⍺", &closure.left), ("⍵⍵", &closure.right)] {
            match operand {
                Some(Operand::Fun(func)) => frame.set(name, Binding::Fun(func.clone())),
                Some(Operand::Val(val)) => frame.set(name, Binding::Val(val.clone())),
                None => {}
            }
        }
        frame.set("∇", Binding::Fun(Func { fun: Fun::Dfn(closure.clone()), span: closure.span }));
        frame
    }

    fn unrolled(&mut self, closure: &Rc<Closure>, left: Option<Val>, right: Val, span: Span) -> Result<Val> {
        let frame = self.frame_of(closure, left, right);
        self.functions.stack.push(Rc::as_ptr(&closure.dfn));
        let out = self.body(&closure.dfn, 0, &frame, span);
        self.functions.stack.pop();
        out
    }

    /// The result of the statements of a dfn from one on.
    pub fn body(&mut self, dfn: &Rc<Dfn>, from: usize, frame: &Rc<Frame>, span: Span) -> Result<Val> {
        for (at, statement) in dfn.body.iter().enumerate().skip(from) {
            if let Some(guard) = &statement.guard {
                let cond = self.condition(guard, frame)?;
                match cond.constant() {
                    Some(Scalar::Bool(true)) => return self.result(statement, frame),
                    Some(_) => continue,
                    None if !self.opened(Rc::as_ptr(dfn)) && (dfn.recursive || self.is_within_itself(Rc::as_ptr(dfn))) => {
                        return Err(Error::at(guard[0].span, RecursionError::Values { of: Rc::as_ptr(dfn) }));
                    }
                    None => {
                        return self.branch(cond.expr, &mut |m| m.result(statement, frame), &mut |m| m.body(dfn, at + 1, frame, span));
                    }
                }
            }
            if self.is_default(statement, frame)? {
                continue;
            }
            match self.sentence(&statement.nodes, statement.span, frame)? {
                Meaning::Value(val, false) => return Ok(val),
                Meaning::Value(val, true) if at + 1 == dfn.body.len() => return Ok(val),
                Meaning::Value(..) | Meaning::Function(_) => {}
            }
        }
        Err(Error::at(span, NameError::NoResult))
    }

    pub fn result(&mut self, statement: &Statement, frame: &Rc<Frame>) -> Result<Val> {
        match self.sentence(&statement.nodes, statement.span, frame)? {
            Meaning::Value(val, _) => Ok(val),
            Meaning::Function(_) => Err(Error::at(statement.span, NameError::FunctionForResult)),
        }
    }

    /// `⍺←default`: skipped where there is a left argument.
    pub fn is_default(&mut self, statement: &Statement, frame: &Rc<Frame>) -> Result<bool> {
        let [Node { kind: Word::Name(name), .. }, Node { kind: Word::Glyph('←'), .. }, rest @ ..] = statement.nodes.as_slice() else {
            return Ok(false);
        };
        if &**name != "⍺" {
            return Ok(false);
        }
        if !frame.has("⍺") {
            let span = statement.span;
            match self.sentence(rest, span, frame)? {
                Meaning::Value(val, _) => frame.set("⍺", Binding::Val(val)),
                Meaning::Function(func) => frame.set("⍺", Binding::Fun(func)),
            }
        }
        Ok(true)
    }

    pub fn condition(&mut self, guard: &[Node], frame: &Rc<Frame>) -> Result<Arr> {
        let span = guard[0].span.to(guard[guard.len() - 1].span);
        let cond = self.value_of(guard, frame)?;
        self.truth(cond, span, Role::GuardCondition)
    }

    /// A single truth value.
    pub fn truth(&mut self, cond: Val, span: Span, role: Role) -> Result<Arr> {
        self.b.at = span;
        let cond = cond.simple(span, role)?;
        let cond = if cond.count() == Some(1) { self.first_element(cond) } else { cond };
        if !cond.shape.is_empty() {
            return Err(Error::at(span, RankError::Takes { role, wanted: Wanted::OneTruth, found: cond.shown() }));
        }
        match (cond.kind, cond.constant_int()) {
            (Kind::Bool, _) => Ok(cond),
            (_, Some(value @ 0..=1)) => Ok(self.b.literal(Kind::Bool, &[], vec![Scalar::Bool(value == 1)])),
            _ => Err(Error::at(span, KindError::NoTruth { role, kind: cond.kind })),
        }
    }
}

/// Whether something is assigned, functions aside.
fn assigns(node: &Node) -> bool {
    match &node.kind {
        Word::Glyph('←') => true,
        Word::Paren(nodes) => nodes.iter().any(assigns),
        Word::Index(parts) => parts.iter().flatten().any(assigns),
        _ => false,
    }
}

/// The names that a sentence assigns.
fn assigned_names(nodes: &[Node]) -> Vec<Rc<str>> {
    let mut out = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        match &node.kind {
            Word::Name(name) if nodes[at..].iter().any(|later| matches!(later.kind, Word::Glyph('←'))) => out.push(name.clone()),
            Word::Paren(inner) if matches!(nodes.get(at + 1), Some(Node { kind: Word::Glyph('←'), .. })) => {
                out.extend(inner.iter().filter_map(|node| if let Word::Name(name) = &node.kind { Some(name.clone()) } else { None }));
            }
            _ => {}
        }
    }
    out
}
