//! Sentences: which words are arrays, functions and operators, what belongs to what, and evaluation from the right.
//!
//! Brackets bind first, then strands of arrays, then operators (whose left operand is long), then functions (whose right argument is).

use super::build::MAX_LITERAL;
use super::error::{Error, NameError, NotationError, OperandError, Result, SentenceError, Side};
use super::functions::{Closure, Fun, Func, Operand};
use super::glyph::{self, Class};
use super::machine::{Binding, Frame, Machine};
use super::tree::{Dfn, Node, Word};
use super::value::{Arr, Kind, Val};
use crate::base::{Complex, Scalar, Span};
use crate::ir::core::Dim;
use std::rc::Rc;

/// A part of a sentence.
#[derive(Clone)]
pub enum Item {
    /// An array that is not evaluated yet.
    Array(Noun, Span),
    /// A function.
    Function(Func),
    /// An operator with one operand or two: a glyph.
    Operator(char, Span),
    /// An operator of the script.
    Written(Rc<Closure>, Span),
    /// A bracket behind a function or an operator.
    Brackets(Vec<Vec<Node>>, Span),
    /// `←`.
    Gets(Span),
}

/// An array in a sentence.
#[derive(Clone)]
pub enum Noun {
    /// A literal.
    Value(Val),
    /// A name.
    Name(Rc<str>),
    /// `⎕NAME`.
    Quad(Rc<str>),
    /// A sentence in parentheses.
    Sentence(Rc<Vec<Item>>),
    /// Arrays side by side.
    Strand(Rc<Vec<(Noun, Span)>>),
    /// With indices.
    Indexed(Rc<(Noun, Span)>, Rc<Vec<Vec<Node>>>, Span),
}

impl Item {
    fn span(&self) -> Span {
        match self {
            Item::Array(_, span) | Item::Operator(_, span) | Item::Written(_, span) | Item::Brackets(_, span) | Item::Gets(span) => *span,
            Item::Function(func) => func.span,
        }
    }
}

/// What a sentence comes to.
pub enum Meaning {
    /// A value; whether it was assigned last.
    Value(Val, bool),
    /// A function was named, or a sentence is one.
    Function(Func),
}

impl Machine {
    /// The parts of a sentence: strands and functions with their operands.
    pub fn items(&mut self, nodes: &[Node], frame: &Rc<Frame>) -> Result<Vec<Item>> {
        let words = self.words(nodes, frame)?;
        let words = strands(words);
        self.operators(words, frame)
    }

    /// The class of each word, with brackets attached to arrays.
    fn words(&mut self, nodes: &[Node], frame: &Rc<Frame>) -> Result<Vec<Item>> {
        let mut out: Vec<Item> = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            let span = node.span;
            let assigned = matches!(nodes.get(at + 1), Some(Node { kind: Word::Glyph('←'), .. }));
            let item = match &node.kind {
                Word::Int(value) => {
                    let kind = if (0..=1).contains(value) { Kind::Bool } else { Kind::Int };
                    self.literal_item(kind, Scalar::from_i128(kind.prim(), (*value).into()), span)
                }
                Word::Real(value) => self.literal_item(Kind::Double, Scalar::F64(*value), span),
                Word::Complex(re, im) => self.literal_item(Kind::Complex, Scalar::C128(Complex { re: *re, im: *im }), span),
                Word::Text(chars, vector) => {
                    let items: Vec<Scalar> = chars.iter().map(|c| Scalar::U32(*c as u32)).collect();
                    let dims = if items.len() == 1 && !vector { vec![] } else { vec![items.len() as u64] };
                    self.b.at = span;
                    let text = self.b.literal(Kind::Char, &dims, items);
                    Item::Array(Noun::Value(Val::Arr(text)), span)
                }
                Word::Name(name) if assigned => Item::Array(Noun::Name(name.clone()), span),
                Word::Name(name) => match frame.find(name) {
                    Some(Binding::Fun(func)) => Item::Function(Func { fun: func.fun, span }),
                    Some(Binding::Op(closure)) => Item::Written(closure, span),
                    _ => Item::Array(Noun::Name(name.clone()), span),
                },
                Word::Quad(name) => match super::system::function(name) {
                    Some(fun) => Item::Function(Func { fun, span }),
                    None => Item::Array(Noun::Quad(name.clone()), span),
                },
                Word::Glyph('←') => Item::Gets(span),
                Word::Glyph('⍬') => {
                    self.b.at = span;
                    let zilde = self.b.literal(Kind::Bool, &[0], Vec::new());
                    Item::Array(Noun::Value(Val::Arr(zilde)), span)
                }
                Word::Glyph('∇') => match frame.find("∇") {
                    Some(Binding::Fun(func)) => Item::Function(Func { fun: func.fun, span }),
                    _ => return Err(Error::at(span, SentenceError::DelOutside)),
                },
                Word::Glyph(c) => match glyph::class(*c) {
                    Class::Monadic | Class::Dyadic | Class::Slash => Item::Operator(*c, span),
                    Class::Function | Class::Other => Item::Function(Func { fun: Fun::Prim(*c, None), span }),
                },
                Word::Paren(inner) => self.paren(inner, span, assigned, frame)?,
                Word::Index(parts) => {
                    match out.pop() {
                        Some(Item::Array(noun, at)) => {
                            let noun = Noun::Indexed(Rc::new((noun, at)), Rc::new(parts.clone()), span);
                            out.push(Item::Array(noun, at.to(span)));
                            continue;
                        }
                        Some(other) => out.push(other),
                        None => return Err(Error::at(span, SentenceError::NothingIndexed)),
                    }
                    Item::Brackets(parts.clone(), span)
                }
                Word::Dfn(dfn) => self.dfn_item(dfn, span, frame),
            };
            out.push(item);
        }
        Ok(out)
    }

    fn literal_item(&mut self, kind: Kind, value: Scalar, span: Span) -> Item {
        self.b.at = span;
        let arr = self.b.literal(kind, &[], vec![value]);
        Item::Array(Noun::Value(Val::Arr(arr)), span)
    }

    fn dfn_item(&mut self, dfn: &Rc<Dfn>, span: Span, frame: &Rc<Frame>) -> Item {
        let closure = Rc::new(Closure { dfn: dfn.clone(), frame: frame.clone(), left: None, right: None, span });
        if dfn.operands == 0 { Item::Function(Func { fun: Fun::Dfn(closure), span }) } else { Item::Written(closure, span) }
    }

    fn paren(&mut self, inner: &[Node], span: Span, assigned: bool, frame: &Rc<Frame>) -> Result<Item> {
        if inner.is_empty() {
            return Err(Error::at(span, SentenceError::EmptyParentheses));
        }
        if assigned && inner.iter().all(|node| matches!(node.kind, Word::Name(_))) {
            let names = inner.iter().filter_map(|node| match &node.kind {
                Word::Name(name) => Some((Noun::Name(name.clone()), node.span)),
                _ => None,
            });
            return Ok(Item::Array(Noun::Strand(Rc::new(names.collect())), span));
        }
        let mut items = self.items(inner, frame)?;
        match items.last() {
            Some(Item::Function(_)) => Ok(Item::Function(self.train(items, span, frame)?)),
            Some(Item::Operator(c, at)) if items.len() == 1 && glyph::class(*c) == Class::Slash => {
                Ok(Item::Function(Func { fun: Fun::Prim(*c, None), span: *at }))
            }
            Some(Item::Operator(..) | Item::Written(..)) if items.len() == 1 => Ok(items.remove(0)),
            Some(Item::Operator(_, at) | Item::Written(_, at) | Item::Gets(at) | Item::Brackets(_, at)) => {
                Err(Error::at(*at, SentenceError::CannotEnd))
            }
            _ => Ok(Item::Array(Noun::Sentence(Rc::new(items)), span)),
        }
    }

    /// Gives operators their operands, from the left.
    fn operators(&mut self, words: Vec<Item>, frame: &Rc<Frame>) -> Result<Vec<Item>> {
        let mut out: Vec<Item> = Vec::new();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            match word {
                Item::Operator('∘', at) if matches!(words.peek(), Some(Item::Operator('.', _))) => {
                    words.next();
                    let g = self.right_operand(words.next(), at, Some('.'), frame)?;
                    out.push(Item::Function(Func::derived('⍁', g, None, at)));
                }
                Item::Operator(c, at) => {
                    let slash = glyph::class(c) == Class::Slash;
                    let axis = match words.peek() {
                        Some(Item::Brackets(parts, _)) if slash => {
                            let axis = self.axis(&parts.clone(), at, frame)?;
                            words.next();
                            Some(axis)
                        }
                        _ => None,
                    };
                    if slash && !matches!(out.last(), Some(Item::Function(_))) {
                        out.push(Item::Function(Func { fun: Fun::Prim(c, axis), span: at }));
                        continue;
                    }
                    let left = self.left_operand(out.pop(), at, Some(c), frame)?;
                    let right = match glyph::class(c) {
                        Class::Dyadic => Some(self.right_operand(words.next(), at, Some(c), frame)?),
                        _ => None,
                    };
                    let mut func = Func::derived(c, left, right, at);
                    if let Some(axis) = axis {
                        func = func.with_axis(axis).ok_or_else(|| Error::at(at, NotationError::AxisOfFunction))?;
                    }
                    out.push(Item::Function(func));
                }
                Item::Written(closure, at) => {
                    let named = matches!(out.last(), None | Some(Item::Gets(_))) && words.peek().is_none();
                    if named || matches!(words.peek(), Some(Item::Gets(_))) {
                        out.push(Item::Written(closure, at));
                        continue;
                    }
                    let left = self.left_operand(out.pop(), at, None, frame)?;
                    let right = match closure.dfn.operands {
                        2 => Some(self.right_operand(words.next(), at, None, frame)?),
                        _ => None,
                    };
                    let made = Closure { left: Some(left), right, ..(*closure).clone() };
                    out.push(Item::Function(Func { fun: Fun::Dfn(Rc::new(made)), span: at }));
                }
                Item::Brackets(parts, at) => match out.pop() {
                    Some(Item::Function(func)) => {
                        let axis = self.axis(&parts, at, frame)?;
                        let func = func.with_axis(axis).ok_or_else(|| Error::at(at, NotationError::AxisOfFunction))?;
                        out.push(Item::Function(func));
                    }
                    _ => return Err(Error::at(at, SentenceError::LostBrackets)),
                },
                other => out.push(other),
            }
        }
        Ok(out)
    }

    fn axis(&mut self, parts: &[Vec<Node>], at: Span, frame: &Rc<Frame>) -> Result<Val> {
        match parts {
            [one] if !one.is_empty() => self.value_of(one, frame),
            _ => Err(Error::at(at, SentenceError::AxisForm)),
        }
    }

    fn left_operand(&mut self, item: Option<Item>, at: Span, operator: Option<char>, frame: &Rc<Frame>) -> Result<Operand> {
        match item {
            Some(Item::Function(func)) => Ok(Operand::Fun(func)),
            Some(Item::Array(noun, span)) => Ok(Operand::Val(self.noun(&noun, span, frame)?)),
            _ => Err(Error::at(at, OperandError::Missing { operator, side: Side::Left })),
        }
    }

    fn right_operand(&mut self, item: Option<Item>, at: Span, operator: Option<char>, frame: &Rc<Frame>) -> Result<Operand> {
        match item {
            Some(Item::Function(func)) => Ok(Operand::Fun(func)),
            Some(Item::Array(noun, span)) => Ok(Operand::Val(self.noun(&noun, span, frame)?)),
            Some(Item::Operator(slash, span)) if glyph::class(slash) == Class::Slash => {
                Ok(Operand::Fun(Func { fun: Fun::Prim(slash, None), span }))
            }
            _ => Err(Error::at(at, OperandError::Missing { operator, side: Side::Right })),
        }
    }

    /// A train: a fork from each three tines from the right, an atop of what is left.
    pub fn train(&mut self, mut items: Vec<Item>, span: Span, frame: &Rc<Frame>) -> Result<Func> {
        let Some(Item::Function(last)) = items.pop() else {
            return Err(Error::at(span, SentenceError::TrainEnd));
        };
        let mut made = last;
        while let Some(item) = items.pop() {
            let Item::Function(middle) = item else {
                return Err(Error::at(item.span(), SentenceError::TrainArray));
            };
            let at = middle.span;
            made = match items.pop() {
                None => Func { fun: Fun::Atop(Rc::new((middle, made))), span: at },
                Some(Item::Function(left)) => Func { fun: Fun::Fork(Rc::new((Operand::Fun(left), middle, made))), span: at },
                Some(Item::Array(noun, span)) => {
                    let left = self.noun(&noun, span, frame)?;
                    Func { fun: Fun::Fork(Rc::new((Operand::Val(left), middle, made))), span: at }
                }
                Some(other) => return Err(Error::at(other.span(), SentenceError::TrainPart)),
            };
        }
        Ok(made)
    }

    /// The value of a sentence.
    pub fn value_of(&mut self, nodes: &[Node], frame: &Rc<Frame>) -> Result<Val> {
        let span = nodes.first().map_or(self.b.at, |first| first.span.to(nodes[nodes.len() - 1].span));
        match self.sentence(nodes, span, frame)? {
            Meaning::Value(val, _) => Ok(val),
            Meaning::Function(_) => Err(Error::at(span, NameError::FunctionForArray { name: None })),
        }
    }

    /// Evaluates a sentence.
    pub fn sentence(&mut self, nodes: &[Node], span: Span, frame: &Rc<Frame>) -> Result<Meaning> {
        let items = self.items(nodes, frame)?;
        self.meaning(items, span, frame)
    }

    fn meaning(&mut self, mut items: Vec<Item>, span: Span, frame: &Rc<Frame>) -> Result<Meaning> {
        if let [Item::Array(Noun::Name(name), at), Item::Gets(_), rest @ ..] = items.as_slice() {
            let (name, at) = (name.clone(), *at);
            match rest {
                [.., Item::Function(_)] => {
                    let func = self.train(rest.to_vec(), span, frame)?;
                    self.assign_function(&name, at, Binding::Fun(func.clone()), frame)?;
                    return Ok(Meaning::Function(func));
                }
                [Item::Written(closure, _)] => {
                    let func = Func { fun: Fun::Dfn(closure.clone()), span: at };
                    self.assign_function(&name, at, Binding::Op(closure.clone()), frame)?;
                    return Ok(Meaning::Function(func));
                }
                [Item::Operator(c, span)] => {
                    return Err(Error::at(*span, SentenceError::NamedOperator(*c)));
                }
                _ => {}
            }
        }
        match items.last() {
            Some(Item::Function(_)) => return Ok(Meaning::Function(self.train(items, span, frame)?)),
            Some(Item::Array(..)) => {}
            Some(other) => return Err(Error::at(other.span(), SentenceError::CannotEnd)),
            None => return Err(Error::at(span, SentenceError::Empty)),
        }
        let Some(Item::Array(noun, at)) = items.pop() else { unreachable!("looked at") };
        let mut value = self.noun(&noun, at, frame)?;
        let mut assigned = false;
        while let Some(item) = items.pop() {
            match item {
                Item::Gets(at) => {
                    value = self.assignment(&mut items, value, at, frame)?;
                    assigned = true;
                }
                Item::Function(func) => {
                    assigned = false;
                    let left = match items.last() {
                        Some(Item::Array(..)) => {
                            let Some(Item::Array(noun, span)) = items.pop() else { unreachable!("looked at") };
                            Some(self.noun(&noun, span, frame)?)
                        }
                        _ => None,
                    };
                    value = self.call(&func, left, value)?;
                }
                other => return Err(Error::at(other.span(), SentenceError::NoPlace { assigned })),
            }
        }
        Ok(Meaning::Value(value, assigned))
    }

    /// The value of an array in a sentence.
    pub fn noun(&mut self, noun: &Noun, span: Span, frame: &Rc<Frame>) -> Result<Val> {
        self.b.at = span;
        match noun {
            Noun::Value(val) => Ok(val.clone()),
            Noun::Name(name) => self.named_value(name, span, frame),
            Noun::Quad(name) => self.system_value(name, span),
            Noun::Sentence(items) => match self.meaning(items.to_vec(), span, frame)? {
                Meaning::Value(val, _) => Ok(val),
                Meaning::Function(_) => Err(Error::at(span, NameError::FunctionForArray { name: None })),
            },
            Noun::Strand(parts) => {
                // Evaluation goes from the right.
                let mut items = Vec::new();
                for (noun, span) in parts.iter().rev() {
                    items.push(self.noun(noun, *span, frame)?);
                }
                items.reverse();
                self.b.at = span;
                self.strand(items)
            }
            Noun::Indexed(array, parts, at) => {
                let mut indices = Vec::new();
                for part in parts.iter().rev() {
                    indices.push(if part.is_empty() { None } else { Some(self.value_of(part, frame)?) });
                }
                indices.reverse();
                let value = self.noun(&array.0, array.1, frame)?;
                self.b.at = *at;
                self.indexed(value, &indices, *at)
            }
        }
    }

    fn named_value(&mut self, name: &Rc<str>, span: Span, frame: &Rc<Frame>) -> Result<Val> {
        match frame.find(name) {
            Some(Binding::Val(val)) => Ok(val),
            Some(Binding::Broken) => Err(self.silent()),
            Some(Binding::Fun(_) | Binding::Op(_)) => Err(Error::at(span, NameError::FunctionForArray { name: Some(name.clone()) })),
            None if &**name == "⍺" => Err(Error::at(span, NameError::NoLeft)),
            None if name.starts_with('⍵') || name.starts_with('⍺') => Err(Error::at(span, NameError::ArgumentOutside(name.clone()))),
            None => {
                let known = frame.names();
                let near = crate::diag::closest(name, known.iter().map(|known| &**known)).map(str::to_string);
                Err(Error::at(span, NameError::NoValue { name: name.clone(), near }))
            }
        }
    }

    /// Arrays side by side: one array if they agree in shape and kind, else a tuple.
    pub fn strand(&mut self, items: Vec<Val>) -> Result<Val> {
        let arrays: Option<Vec<Arr>> = items.iter().map(|item| if let Val::Arr(arr) = item { Some(arr.clone()) } else { None }).collect();
        if items.is_empty() {
            return Ok(Val::Arr(self.b.literal(Kind::Bool, &[0], Vec::new())));
        }
        let Some(arrays) = arrays else { return Ok(Val::Tup(Rc::new(items))) };
        let first = &arrays[0];
        let kind = arrays[1..].iter().try_fold(first.kind, |kind, arr| kind.join(arr.kind));
        let scalars = first.shape.is_empty();
        let constant = arrays.iter().all(|arr| arr.lit.is_some());
        // Widening loses what only narrow kinds can do, indexing and comparing: arrays keep their kinds, and so do numbers beside complex ones.
        let widened = |arr: &Arr| match (scalars, kind) {
            (true, Some(Kind::Complex)) => arr.kind == Kind::Complex || constant,
            (true, _) => true,
            (false, Some(kind)) => arr.kind == kind || kind <= Kind::Int,
            (false, None) => false,
        };
        let same = arrays.iter().all(|arr| arr.shape == first.shape && arr.levels == first.levels && widened(arr));
        let Some(kind) = kind.filter(|_| same) else { return Ok(Val::Tup(Rc::new(items))) };
        self.stacked(kind, arrays).map(Val::Arr)
    }

    /// A vector of arrays of one shape.
    pub fn stacked(&mut self, kind: Kind, arrays: Vec<Arr>) -> Result<Arr> {
        let (shape, inner) = (arrays[0].shape.clone(), arrays[0].levels.clone());
        let count = arrays.len() as i64;
        let levels = Arr::with_outer(1, &inner);
        let all: Vec<Dim> = std::iter::once(Dim::constant(count)).chain(shape.iter().cloned()).collect();
        let mut converted = Vec::new();
        for arr in &arrays {
            converted.push(self.b.convert(arr, kind)?);
        }
        let lits: Option<Vec<Scalar>> = converted.iter().try_fold(Vec::new(), |mut out, arr| {
            out.extend(arr.lit.as_ref()?.iter().copied());
            Some(out)
        });
        let dims: Option<Vec<u64>> = all.iter().map(|dim| dim.as_constant().map(|dim| dim as u64)).collect();
        if let (Some(items), Some(dims)) = (lits, dims) {
            return Ok(self.b.literal(kind, &dims, items).levelled(levels));
        }
        let known: Option<Vec<Dim>> = if shape.is_empty() && arrays.len() <= MAX_LITERAL {
            arrays.iter().map(|arr| arr.known.as_ref().map(|known| known[0].clone())).collect()
        } else {
            None
        };
        let cells = converted.into_iter().map(|arr| arr.expr).collect();
        let cell = super::build::Build::ty(kind, &shape);
        let made = self.b.node(crate::ir::core::ExprKind::Frame { dims: vec![count as u64], cell, cells });
        let mut out = self.b.named(kind, all, made).levelled(levels);
        out.known = known.map(Rc::new);
        Ok(out)
    }
}

/// Arrays side by side become one item.
fn strands(words: Vec<Item>) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    let mut run: Vec<(Noun, Span)> = Vec::new();
    let flush = |run: &mut Vec<(Noun, Span)>, out: &mut Vec<Item>| match run.len() {
        0 => {}
        1 => out.extend(run.drain(..).map(|(noun, span)| Item::Array(noun, span))),
        _ => {
            let span = run[0].1.to(run[run.len() - 1].1);
            out.push(Item::Array(Noun::Strand(Rc::new(std::mem::take(run))), span));
        }
    };
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        // What an arrow follows is assigned to, and is no part of a strand.
        let target = matches!(words.peek(), Some(Item::Gets(_)));
        match word {
            Item::Array(noun, span) if !target => run.push((noun, span)),
            other => {
                flush(&mut run, &mut out);
                out.push(other);
            }
        }
    }
    flush(&mut run, &mut out);
    out
}
