//! Equations between words of sizes and shape variables.

use super::sizes;
use super::{MAX_STEPS, Reason, Solution, Unsolved};
use crate::base::Symbol;
use crate::ir::core::free::Name;
use crate::ir::core::{Dim, DimAtom, Shape, ShapeItem};
use rustc_hash::{FxHashMap, FxHashSet};

/// More items than this in one word are too many.
const MAX_ITEMS: usize = 4096;

/// What does not change during the search.
#[derive(Default)]
pub(super) struct Context {
    /// Unknown sizes.
    pub dims: FxHashSet<Symbol>,
    /// Unknown shapes with the frames.
    pub shapes: FxHashSet<Symbol>,
    /// Both in the order of the problem.
    pub order: Vec<Symbol>,
    /// Frames with their equations.
    pub frames: Vec<(Symbol, usize)>,
    /// Variables bound inside of types.
    pub bound: FxHashSet<Name>,
    /// Sizes of arrays, hence natural numbers.
    pub natural: Vec<Dim>,
}

impl Context {
    /// Whether an index variable is to be found.
    pub fn is_unknown(&self, name: Symbol) -> bool {
        self.dims.contains(&name) || self.shapes.contains(&name)
    }
    fn is_unknown_item(&self, item: &ShapeItem) -> bool {
        matches!(item, ShapeItem::Var(name) if self.shapes.contains(name))
    }
    fn unknowns_of_dim<'a>(&'a self, dim: &'a Dim) -> impl Iterator<Item = Symbol> + 'a {
        dim.atoms().filter_map(|atom| match atom {
            DimAtom::Var(name) if self.dims.contains(&name) => Some(name),
            DimAtom::Var(_) | DimAtom::Size(_) | DimAtom::Meta(_) => None,
        })
    }
    fn unknowns(&self, shape: &Shape, out: &mut FxHashSet<Symbol>) {
        for item in &shape.items {
            match item {
                ShapeItem::Dim(dim) => out.extend(self.unknowns_of_dim(dim)),
                ShapeItem::Var(name) if self.shapes.contains(name) => {
                    out.insert(*name);
                }
                ShapeItem::Var(_) => {}
            }
        }
    }
    /// A variable bound inside of a type that occurs in a size.
    pub fn bound_in(&self, dim: &Dim) -> Option<Symbol> {
        let mut names = dim.atoms().filter_map(crate::ir::core::free::name_of);
        names.find(|name| self.bound.contains(name)).map(Name::symbol)
    }
    fn bound_in_shape(&self, shape: &Shape) -> Option<Symbol> {
        shape.items.iter().find_map(|item| match item {
            ShapeItem::Dim(dim) => self.bound_in(dim),
            ShapeItem::Var(name) => self.bound.contains(&Name::Index(*name)).then_some(*name),
        })
    }
}

/// An equation that cannot hold.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The position of the equation of the problem.
    pub from: usize,
    /// Why.
    pub reason: Reason,
}

/// Why a branch of the search ends.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    /// It has no solution.
    Failure(Failure),
    /// It takes too long.
    GiveUp(usize),
}

impl Stop {
    /// A size that cannot be written out.
    pub fn too_large(from: usize) -> Stop {
        Stop::Failure(Failure { from, reason: Reason::TooLarge })
    }
}

impl From<Stop> for Unsolved {
    fn from(stop: Stop) -> Unsolved {
        match stop {
            Stop::Failure(Failure { from, reason }) => Unsolved::Contradiction { equation: from, reason },
            Stop::GiveUp(equation) => Unsolved::TooManyChoices { equation },
        }
    }
}

/// Two words that should be equal; the left one belongs to the parameter.
#[derive(Debug, Clone)]
pub(super) struct WordEquation {
    pub left: Shape,
    pub right: Shape,
    pub from: usize,
}

/// Two sizes that should be equal.
#[derive(Debug, Clone)]
pub(super) struct SizeEquation {
    pub left: Dim,
    pub right: Dim,
    pub from: usize,
}

/// What is known and what is left to do.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub shapes: FxHashMap<Symbol, Shape>,
    pub dims: FxHashMap<Symbol, Dim>,
    pub words: Vec<WordEquation>,
    pub sizes: Vec<SizeEquation>,
}

impl State {
    /// The size with everything put in that is known.
    pub fn dim(&self, dim: &Dim, from: usize) -> Result<Dim, Stop> {
        let mut replace = |atom| match atom {
            DimAtom::Var(name) => self.dims.get(&name).cloned(),
            DimAtom::Size(_) | DimAtom::Meta(_) => None,
        };
        crate::ir::core::sizes::subst(dim, &mut replace).ok_or_else(|| Stop::too_large(from))
    }

    /// The shape with everything put in that is known.
    pub fn shape(&self, shape: &Shape, from: usize) -> Result<Shape, Stop> {
        let mut items = Vec::with_capacity(shape.items.len());
        let mut todo: Vec<&ShapeItem> = shape.items.iter().rev().collect();
        while let Some(item) = todo.pop() {
            match item {
                ShapeItem::Dim(dim) => items.push(ShapeItem::Dim(self.dim(dim, from)?)),
                ShapeItem::Var(name) => match self.shapes.get(name) {
                    Some(by) => todo.extend(by.items.iter().rev()),
                    None => items.push(item.clone()),
                },
            }
            if items.len() + todo.len() > MAX_ITEMS {
                return Err(Stop::GiveUp(from));
            }
        }
        Ok(Shape { items })
    }

    fn bind(&mut self, context: &Context, name: Symbol, to: Shape, from: usize) -> Result<(), Stop> {
        if let Some(bound) = context.bound_in_shape(&to) {
            return Err(Stop::Failure(Failure { from, reason: Reason::Bound { name, bound } }));
        }
        self.shapes.insert(name, to);
        Ok(())
    }

    /// Draws all conclusions that need no choice.
    fn propagate(&mut self, context: &Context) -> Result<(), Stop> {
        loop {
            let mut progress = false;
            for equation in std::mem::take(&mut self.words) {
                progress |= self.word(context, equation)?;
            }
            for equation in std::mem::take(&mut self.sizes) {
                progress |= sizes::step(context, self, equation)?;
            }
            if !progress {
                return Ok(());
            }
        }
    }

    /// Simplifies a word equation. Whether something became known.
    fn word(&mut self, context: &Context, equation: WordEquation) -> Result<bool, Stop> {
        let from = equation.from;
        let (left, right) = (self.shape(&equation.left, from)?, self.shape(&equation.right, from)?);
        let mismatch = || {
            let reason = match left.items.split_first() {
                Some((ShapeItem::Var(name), cell)) if context.frames.iter().any(|(frame, _)| frame == name) => {
                    Reason::NoCells { array: right.clone(), cell: Shape { items: cell.to_vec() } }
                }
                _ => Reason::Shapes { expected: left.clone(), found: right.clone() },
            };
            Err(Stop::Failure(Failure { from, reason }))
        };
        let (mut a, mut b) = (left.items.as_slice(), right.items.as_slice());
        while let ([x, rest @ ..], [y, others @ ..]) = (a, b) {
            match self.pair(context, x, y, from) {
                Some(true) => (a, b) = (rest, others),
                Some(false) => return mismatch(),
                None => break,
            }
        }
        while let ([rest @ .., x], [others @ .., y]) = (a, b) {
            match self.pair(context, x, y, from) {
                Some(true) => (a, b) = (rest, others),
                Some(false) => return mismatch(),
                None => break,
            }
        }
        let unknown = |item: &ShapeItem| context.is_unknown_item(item);
        match (a, b) {
            ([], []) => return Ok(false),
            ([], word) | (word, []) => {
                return if self.empty(context, word.iter(), from)? { Ok(true) } else { mismatch() };
            }
            ([ShapeItem::Var(name)], word) | (word, [ShapeItem::Var(name)]) if context.shapes.contains(name) => {
                let own = ShapeItem::Var(*name);
                return match word.iter().filter(|item| **item == own).count() {
                    0 => self.bind(context, *name, Shape { items: word.to_vec() }, from).map(|()| true),
                    1 if self.empty(context, word.iter().filter(|item| **item != own), from)? => Ok(true),
                    1 => mismatch(),
                    // Twice as long as itself: empty, and then the rest is too.
                    _ if self.empty(context, word.iter(), from)? => Ok(true),
                    _ => mismatch(),
                };
            }
            _ => {}
        }
        let known = |word: &[ShapeItem]| word.iter().filter(|item| !unknown(item)).count();
        let ground = |word: &[ShapeItem]| !word.iter().any(unknown);
        if (ground(a) && known(b) > a.len()) || (ground(b) && known(a) > b.len()) {
            return mismatch();
        }
        self.words.push(WordEquation { left: Shape { items: a.to_vec() }, right: Shape { items: b.to_vec() }, from });
        Ok(false)
    }

    /// Pairs two items at the same end of two equal words: whether they can be equal; none if that depends on an unknown shape.
    fn pair(&mut self, context: &Context, x: &ShapeItem, y: &ShapeItem, from: usize) -> Option<bool> {
        match (x, y) {
            (ShapeItem::Dim(left), ShapeItem::Dim(right)) => {
                if left != right {
                    self.sizes.push(SizeEquation { left: left.clone(), right: right.clone(), from });
                }
                Some(true)
            }
            _ if x == y => Some(true),
            _ if context.is_unknown_item(x) || context.is_unknown_item(y) => None,
            _ => Some(false),
        }
    }

    /// Makes all items empty; false if one cannot be.
    fn empty<'a>(&mut self, context: &Context, items: impl Iterator<Item = &'a ShapeItem>, from: usize) -> Result<bool, Stop> {
        for item in items {
            match item {
                ShapeItem::Var(name) if context.shapes.contains(name) => self.bind(context, *name, Shape::default(), from)?,
                ShapeItem::Var(_) | ShapeItem::Dim(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    fn frames(&self, context: &Context) -> Vec<Shape> {
        let shape = |(name, from): &(Symbol, usize)| self.shape(&Shape::var(*name), *from).unwrap_or_else(|_| Shape::var(*name));
        context.frames.iter().map(shape).collect()
    }

    /// The unknowns whose values are known, with these.
    fn solution(&self, context: &Context) -> Result<Solution, Stop> {
        let mut solution = Solution::default();
        for &name in &context.order {
            let mut open = FxHashSet::default();
            if context.dims.contains(&name) {
                let dim = self.dim(&Dim::var(name), 0)?;
                if context.unknowns_of_dim(&dim).next().is_none() {
                    solution.dims.insert(name, dim);
                }
            } else {
                let shape = self.shape(&Shape::var(name), 0)?;
                context.unknowns(&shape, &mut open);
                if open.is_empty() {
                    solution.shapes.insert(name, shape);
                }
            }
        }
        Ok(solution)
    }
}

/// What remained unclear.
#[derive(Default)]
pub(super) struct Unclear {
    pub unknowns: FxHashSet<Symbol>,
    pub candidates: Vec<Solution>,
}

/// Solves equations between words and sizes.
pub(super) fn solve(context: &Context, mut state: State, known_frames: &[Shape]) -> Result<(Solution, Unclear), Unsolved> {
    state.propagate(context)?;
    let mut unclear = Unclear::default();
    for (words, sizes) in groups(context, &mut state) {
        let start = State { words, sizes, shapes: state.shapes.clone(), dims: state.dims.clone() };
        let mut search = Search { context, leaves: Vec::new(), failure: None, steps: 0 };
        search.explore(start)?;
        let best = search.choose(known_frames)?;
        let Some(first) = best.first() else { continue };
        if best.len() > 1 {
            let candidates = best.iter().map(|leaf| leaf.solution(context)).collect::<Result<Vec<_>, _>>()?;
            let differs = |name: &Symbol| candidates.iter().any(|c| c.value(*name) != candidates[0].value(*name));
            unclear.unknowns.extend(context.order.iter().copied().filter(differs));
            if unclear.candidates.is_empty() {
                unclear.candidates = candidates.into_iter().take(3).collect();
            }
        }
        state.shapes = first.shapes.clone();
        state.dims = first.dims.clone();
    }
    Ok((state.solution(context)?, unclear))
}

type Group = (Vec<WordEquation>, Vec<SizeEquation>);

/// Takes the open equations, those with common unknowns together.
fn groups(context: &Context, state: &mut State) -> Vec<Group> {
    let mut groups: Vec<(FxHashSet<Symbol>, Group)> = Vec::new();
    let mut add = |names: FxHashSet<Symbol>, words: Vec<WordEquation>, sizes: Vec<SizeEquation>| {
        let (mut joined, rest): (Vec<_>, Vec<_>) = groups.drain(..).partition(|(others, _)| !names.is_disjoint(others));
        joined.push((names, (words, sizes)));
        let mut joined = joined.into_iter();
        let first = joined.next().unwrap_or_default();
        let one = joined.fold(first, |(mut names, mut group), (more, (words, sizes))| {
            names.extend(more);
            group.0.extend(words);
            group.1.extend(sizes);
            (names, group)
        });
        groups = rest;
        groups.push(one);
    };
    for equation in state.words.drain(..) {
        let mut names = FxHashSet::default();
        context.unknowns(&equation.left, &mut names);
        context.unknowns(&equation.right, &mut names);
        add(names, vec![equation], Vec::new());
    }
    for equation in state.sizes.drain(..) {
        let names = context.unknowns_of_dim(&equation.left).chain(context.unknowns_of_dim(&equation.right)).collect();
        add(names, Vec::new(), vec![equation]);
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

struct Search<'a> {
    context: &'a Context,
    leaves: Vec<State>,
    /// The first failure, that of the smallest frames.
    failure: Option<Failure>,
    steps: usize,
}

impl Search<'_> {
    fn explore(&mut self, mut state: State) -> Result<(), Stop> {
        self.steps += 1;
        let done = state.propagate(self.context).and_then(|()| self.next(state));
        match done {
            Err(Stop::Failure(failure)) => {
                self.failure.get_or_insert(failure);
                Ok(())
            }
            other => other,
        }
    }

    /// Tries all cuts of a word that has no unknowns, or keeps the state as a solution.
    fn next(&mut self, mut state: State) -> Result<(), Stop> {
        let ground = |shape: &Shape| !shape.items.iter().any(|item| self.context.is_unknown_item(item));
        let choice = state.words.iter().find_map(|equation| {
            let (pattern, word) = match (ground(&equation.left), ground(&equation.right)) {
                (_, true) => (&equation.left, &equation.right),
                (true, false) => (&equation.right, &equation.left),
                (false, false) => return None,
            };
            match pattern.items.first() {
                Some(ShapeItem::Var(name)) => Some((*name, word.clone(), equation.from)),
                _ => None,
            }
        });
        let Some((name, word, from)) = choice else {
            self.leaves.extend(sizes::finish(self.context, &mut state)?);
            return Ok(());
        };
        for count in 0..=word.items.len() {
            if self.steps >= MAX_STEPS {
                return Err(Stop::GiveUp(from));
            }
            let mut branch = state.clone();
            match branch.bind(self.context, name, Shape { items: word.items[..count].to_vec() }, from) {
                Ok(()) => self.explore(branch)?,
                Err(Stop::Failure(_)) => break,
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
    }

    /// The solutions with the smallest frames; all solutions with short frames if there are none such.
    fn choose(self, known_frames: &[Shape]) -> Result<Vec<State>, Stop> {
        let Search { context, mut leaves, failure, .. } = self;
        if let (true, Some(failure)) = (leaves.is_empty(), failure) {
            return Err(Stop::Failure(failure));
        }
        let frames: Vec<Vec<Shape>> = leaves.iter().map(|leaf| leaf.frames(context)).collect();
        let agree: Vec<bool> = frames.iter().map(|frames| ordered(context, known_frames.iter().chain(frames))).collect();
        let any = agree.contains(&true);
        let mut kept = frames.iter().zip(&agree).map(|(frames, agree)| (*agree || !any).then(|| lengths(frames)));
        let mut sizes: Vec<Vec<usize>> = Vec::new();
        leaves.retain(|_| match kept.next().flatten() {
            Some(lengths) => {
                sizes.push(lengths);
                true
            }
            None => false,
        });
        let least: Vec<usize> = (0..context.frames.len()).map(|at| sizes.iter().map(|s| s[at]).min().unwrap_or(0)).collect();
        let below = |a: &[usize], b: &[usize]| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
        let wanted: Vec<bool> = match sizes.contains(&least) {
            true => sizes.iter().map(|s| *s == least).collect(),
            false => sizes.iter().map(|s| !sizes.iter().any(|other| below(other, s))).collect(),
        };
        let mut wanted = wanted.into_iter();
        leaves.retain(|_| wanted.next().unwrap_or(false));
        Ok(leaves)
    }
}

fn lengths(frames: &[Shape]) -> Vec<usize> {
    frames.iter().map(|frame| frame.items.len()).collect()
}

/// Whether of any two frames one can be the beginning of the other.
fn ordered<'a>(context: &Context, frames: impl Iterator<Item = &'a Shape>) -> bool {
    let mut longest: &[ShapeItem] = &[];
    for frame in frames {
        let items = frame.items.as_slice();
        let open = |item: &ShapeItem| match item {
            ShapeItem::Dim(dim) => context.unknowns_of_dim(dim).next().is_some(),
            ShapeItem::Var(name) => context.shapes.contains(name),
        };
        if longest.iter().zip(items).any(|(a, b)| a != b && !open(a) && !open(b)) {
            return false;
        }
        if items.len() > longest.len() {
            longest = items;
        }
    }
    true
}
