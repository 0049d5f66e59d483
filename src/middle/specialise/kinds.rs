//! Functions among the parameters of loops: each is one of a few kinds, which differ in the values of variables only.

use super::carried::Cells;
use super::form::Form;
use super::values::{Fun, Renaming, Static};
use super::{Outcome, Specialiser};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::soac::{self, Body, Exp, Operand, Size, Var};

impl Specialiser<'_> {
    /// Adds the kinds of functions that the body returns for a parameter and that are not known yet.
    pub(super) fn new_kinds(&mut self, param: &Static, next: &Static, kinds: &mut [Carried], found: &mut Found) {
        match (param, next) {
            _ if self.rows_type(param).is_some() => {}
            _ if param.is_function() => {
                let at = found.at;
                found.at += 1;
                match &mut kinds[at] {
                    Carried::Whole(kinds) => self.add_kinds(param, next, kinds, found),
                    Carried::Cells(..) if next.is(param) => {}
                    Carried::Cells(width, kinds) => match self.add_cells(next, width, kinds) {
                        Cells::Known => {}
                        Cells::More => found.more = true,
                        Cells::Endless => found.endless = true,
                    },
                }
            }
            (Static::Tuple(xs), Static::Tuple(ys)) => xs.iter().zip(ys.iter()).for_each(|(x, y)| self.new_kinds(x, y, kinds, found)),
            (Static::Record(xs), Static::Record(ys)) => {
                xs.iter().zip(ys.iter()).for_each(|((_, x), (_, y))| self.new_kinds(x, y, kinds, found));
            }
            (Static::Box(x), Static::Box(y)) => self.new_kinds(&x.value, &y.value, kinds, found),
            _ => {}
        }
    }

    pub(super) fn add_kinds(&self, param: &Static, next: &Static, kinds: &mut Kinds, found: &mut Found) {
        if next.is(param) || self.kind_of(next, kinds, self.block.depth()).is_some() {
            return;
        }
        if let Static::Fun(fun) = next
            && let Fun::Choice(_, a, b) = &**fun
        {
            self.add_kinds(param, a, kinds, found);
            self.add_kinds(param, b, kinds, found);
            return;
        }
        found.more = true;
        let is_array = matches!(next, Static::Lifted(_));
        let other = |kind: &Kind| {
            self.form(next, &self.holes(next, self.block.depth(), true))
                == self.form(&kind.value, &self.holes(&kind.value, self.block.depth(), true))
        };
        if is_array && let Some(kind) = kinds.iter_mut().find(|kind| !kind.arrays && other(kind)) {
            // The same cells in another order, or what they have captured.
            kind.holes = self.holes(&kind.value, self.block.depth(), true);
            kind.arrays = true;
            return;
        }
        // What holds the function of the iteration before would be another one in each iteration. In arrays it cannot be seen.
        found.endless |= kinds.len() >= if is_array { MAX_ARRAYS } else { MAX_KINDS } || kinds.len() > 1 && next.holds(param);
        kinds.push(Kind { value: next.clone(), holes: self.holes(next, self.block.depth(), false), arrays: false });
    }

    /// The variables in which functions of a kind differ: those that are bound deeper than `depth`, and with `arrays` those of an array of
    /// functions.
    pub(super) fn holes(&self, value: &Static, depth: u32, arrays: bool) -> Vec<Var> {
        let mut holes = self.inner_vars_below(value, depth);
        if let (true, Static::Lifted(lifted)) = (arrays, value) {
            let own = lifted.arrays.iter().filter_map(|array| array.var());
            holes.extend(own.filter(|var| !holes.contains(var)).collect::<Vec<_>>());
        }
        holes
    }

    /// Of which kind a function is, and what is in its holes.
    pub(super) fn kind_of(&self, value: &Static, kinds: &[Kind], depth: u32) -> Option<(usize, Vec<Var>)> {
        let of_kind = |kind: &Kind| {
            let holes = self.holes(value, depth, kind.arrays);
            (self.form(value, &holes) == self.form(&kind.value, &kind.holes)).then_some(holes)
        };
        kinds.iter().enumerate().find_map(|(at, kind)| Some((at, of_kind(kind)?)))
    }

    /// What a function looks like, whatever is in its holes.
    pub(super) fn form(&self, value: &Static, holes: &[Var]) -> Form {
        Form::of(value, holes, &self.out)
    }

    /// Variables for a function of one of these kinds: for each kind but the first whether it is of that kind, and what stands in its holes.
    pub(super) fn kind_vars(&mut self, kinds: &[Kind]) -> Vec<Var> {
        let mut vars: Vec<Var> = (1..kinds.len()).map(|_| self.fresh(Symbol::new("which"), soac::Type::scalar(PrimType::Bool))).collect();
        for kind in kinds {
            let mut map = Renaming::default();
            for hole in &kind.holes {
                let ty = self.out.ty(*hole);
                let ty = soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) };
                let var = self.fresh(self.out.vars[*hole].name, ty);
                self.sizes.inherit_natural(var, *hole);
                self.stand_for(&mut map, *hole, Operand::Var(var));
                vars.push(var);
            }
        }
        vars
    }

    /// The function that these variables stand for.
    pub(super) fn one_of(&mut self, kinds: &[Kind], vars: &[Var], span: Span) -> Outcome<Static> {
        let (which, mut rest) = vars.split_at(kinds.len() - 1);
        let mut values = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let (own, others) = rest.split_at(kind.holes.len());
            rest = others;
            let mut map = Renaming::default();
            kind.holes.iter().zip(own).for_each(|(hole, var)| self.stand_for(&mut map, *hole, Operand::Var(*var)));
            values.push(self.replaced(&kind.value, &map));
        }
        let first = values.remove(0);
        values.into_iter().zip(which).try_fold(first, |others, (value, which)| self.either(Operand::Var(*which), value, others, span))
    }

    /// What the variables are for a function of this kind with these values in its holes. The holes of other kinds hold zeros.
    pub(super) fn of_kind(&mut self, number: usize, values: &[Var], kinds: &Kinds, span: Span) -> Outcome<Vec<Operand>> {
        let mut out: Vec<Operand> = (1..kinds.len()).map(|k| Operand::Const(Scalar::Bool(k == number))).collect();
        for (k, kind) in kinds.iter().enumerate() {
            if k == number {
                out.extend(values.iter().map(|var| Operand::Var(*var)));
                continue;
            }
            let mut none = Renaming::default();
            for hole in &kind.holes {
                let ty = self.out.ty(*hole);
                let ty = soac::Type { elem: ty.elem, shape: none.shape(&ty.shape) };
                let blank = Operand::Const(Scalar::from_i128(ty.elem, 0));
                if ty == soac::Type::scalar(PrimType::I64) {
                    none.sizes.insert(*hole, Size::constant(0));
                }
                out.push(if ty.rank() == 0 { blank } else { self.bind("none", ty, Exp::Rep(blank), span)? });
            }
        }
        Ok(out)
    }

    /// What the variables are for the function that the body returns, at the end of the body. `param` is the one that the iteration began with.
    pub(super) fn next_kind(
        &mut self,
        param: Option<(&Static, &[Var])>,
        next: &Static,
        kinds: &Kinds,
        depth: u32,
        span: Span,
    ) -> Outcome<Vec<Operand>> {
        if let Some((param, vars)) = param
            && next.is(param)
        {
            return Ok(vars.iter().map(|var| Operand::Var(*var)).collect());
        }
        if let Some((number, holes)) = self.kind_of(next, kinds, depth) {
            return self.of_kind(number, &holes, kinds, span);
        }
        let Static::Fun(fun) = next else { return self.broken(span, "a function was expected") };
        let Fun::Choice(cond, a, b) = &**fun else { return self.broken(span, "a function of an unknown kind") };
        let (then, x) = self.in_block(|this| this.next_kind(param, a, kinds, depth, span))?;
        let (els, y) = self.in_block(|this| this.next_kind(param, b, kinds, depth, span))?;
        let pat = self.kind_vars(kinds);
        let result = pat.iter().map(|var| Operand::Var(*var)).collect();
        let exp = Exp::If { cond: *cond, then: Body { stms: then, result: x }, els: Body { stms: els, result: y } };
        self.push(pat, exp, span)?;
        Ok(result)
    }

    /// Adds what the body returns for a parameter. `functions` has the kinds of each function with its value and variables in the body.
    pub(super) fn next_value<'k>(
        &mut self,
        param: &Static,
        next: &Static,
        span: Span,
        functions: &mut impl Iterator<Item = (&'k Carried, &'k (Static, Vec<Var>))>,
        out: &mut Vec<Operand>,
    ) -> Outcome<()> {
        match (param, next) {
            _ if self.rows_type(param).is_some() => out.extend(self.leaves(next, span)?),
            _ if param.is_function() => {
                let Some((kinds, (value, vars))) = functions.next() else { return self.broken(span, "a function was expected") };
                let depth = self.block.depth() - 1;
                out.extend(match kinds {
                    Carried::Cells(_, kinds) if !next.is(value) => self.arrays_of_cells(next, kinds, depth, span)?,
                    Carried::Whole(kinds) | Carried::Cells(_, kinds) => self.next_kind(Some((value, vars)), next, kinds, depth, span)?,
                });
            }
            (Static::Data(_), Static::Data(a)) => out.push(*a),
            (Static::Tuple(xs), Static::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| self.next_value(x, y, span, functions, out))?;
            }
            (Static::Record(xs), Static::Record(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys.iter()).try_for_each(|((_, x), (_, y))| self.next_value(x, y, span, functions, out))?;
            }
            (Static::Box(x), Static::Box(y)) => {
                for index in &y.indices {
                    for size in index.sizes() {
                        out.push(self.operand(size, span)?);
                    }
                }
                self.next_value(&x.value, &y.value, span, functions, out)?;
            }
            _ => return self.broken(span, "a loop whose body returns values of another form"),
        }
        Ok(())
    }
}

/// Functions that differ in the values of variables only, which are its holes.
pub(super) struct Kind {
    pub value: Static,
    pub holes: Vec<Var>,
    /// Whether the arrays of an array of functions are among the holes, wherever they are bound.
    pub arrays: bool,
}

/// The kinds of functions that a parameter of a loop may be.
pub(super) type Kinds = Vec<Kind>;

/// The functions that a parameter of a loop may be.
pub(super) enum Carried {
    /// A function, or an array of functions as a whole, of one of these kinds.
    Whole(Kinds),
    /// An array of so many functions, each of one of these kinds.
    Cells(Size, Kinds),
}

/// What is known of the functions that the body of a loop returns.
pub(super) struct Found {
    /// The number of the next function.
    pub at: usize,
    /// Whether there are new kinds.
    pub more: bool,
    /// Whether there will always be more.
    pub endless: bool,
}

/// Parameters of loops that are functions of more kinds than this are a sign of functions that grow. Each kind may hold a choice of those
/// before it, so that the work doubles with each.
pub(super) const MAX_KINDS: usize = 64;

/// [`MAX_KINDS`] for arrays of functions.
pub(super) const MAX_ARRAYS: usize = 4;
