//! Functions that are differentiated: each becomes a function of the new program, which takes what it captures and then the components of its
//! argument; its derivative is another one, without a body as yet, that takes the components of a seed besides.

use super::error::{Error, Limit};
use super::values::Static;
use super::{Outcome, Specialiser};
use crate::base::{Scalar, Span, Symbol};
use crate::ir::soac::visit_mut::{Subst, fresh_body, rebind_all};
use crate::ir::soac::{Body, Exp, Fun, FunId, Operand, Program, Size, Stm, Type, Var, visit};
use crate::middle::differentiate::{Custom, Customs, Mode, Refusal, Request, differentiate};
use rustc_hash::FxHashSet;

/// The derivatives that the program needs.
#[derive(Debug, Default)]
pub(super) struct Derivatives {
    requests: Vec<Request>,
    customs: Customs,
}

impl Derivatives {
    /// The program with the bodies of its derivatives.
    pub fn made_in(self, program: Program) -> Outcome<Program> {
        differentiate(program, &self.requests, &self.customs).map_err(|refusal| match refusal {
            Refusal::LoopOfSizes(at) => Error { at, limit: Limit::AdjointOfGrowingLoop },
        })
    }
}

/// What a derivative starts from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Seed<'a> {
    /// A tangent of the argument.
    Tangent(&'a Static),
    /// An adjoint of the result.
    Adjoint(&'a Static),
    /// The adjoint 1 of a result that is one float.
    One,
}

/// A function in the block that is being made: its parameters, statements and value.
struct Open {
    params: Vec<Var>,
    body: Body,
    value: Static,
    /// The types of the leaves of the value.
    types: Vec<Type>,
}

impl Specialiser<'_> {
    /// The result of a function for an argument, with a derivative.
    pub(super) fn differentiated(&mut self, f: &Static, x: &Static, seed: Seed, span: Span) -> Outcome<Static> {
        let arguments = self.leaves(x, span)?;
        let open = self.open(f, std::slice::from_ref(x), &arguments, span)?;
        let (mode, seeds) = match seed {
            Seed::Tangent(seed) => (Mode::Forward, self.leaves(seed, span)?),
            Seed::Adjoint(seed) => (Mode::Reverse, self.leaves(seed, span)?),
            Seed::One => {
                let [Type { elem, shape }] = open.types.as_slice() else { return self.limit(span, Limit::GradientOfNoFloat) };
                if !elem.is_float() || !shape.is_empty() {
                    return self.limit(span, Limit::GradientOfNoFloat);
                }
                (Mode::Reverse, vec![Operand::Const(Scalar::from_f64(*elem, 1.0))])
            }
        };
        let captured = self.captures(&[&open]);
        let fun = self.lifted(&captured, &open, span);
        let of = self.derivative(fun, mode, arguments.len(), span);
        self.derivatives.requests.push(Request { of, fun, mode, arguments: arguments.len() });
        let operands = captured.iter().map(|var| Operand::Var(*var)).chain(arguments.iter().copied()).chain(seeds).collect();
        let mut pat = Vec::new();
        let value = self.value_of(&open, span, &mut pat)?;
        let derivative = match mode {
            Mode::Forward => self.like(&value, "tangent", span, &mut pat)?,
            Mode::Reverse => self.like(x, "adjoint", span, &mut pat)?,
        };
        self.push(pat, Exp::Call(of, operands), span)?;
        Ok(Static::Tuple([value, derivative].into()))
    }

    /// The result of a function that has a derivative of its own.
    pub(super) fn with_adjoint(&mut self, f: &Static, adjoint: &Static, x: &Static, span: Span) -> Outcome<Static> {
        let arguments = self.leaves(x, span)?;
        let open = self.open(f, std::slice::from_ref(x), &arguments, span)?;
        let mut pat = Vec::new();
        let value = self.value_of(&open, span, &mut pat)?;
        let results: Vec<Operand> = pat.iter().map(|var| Operand::Var(*var)).collect();
        let given = [value.clone(), value.clone()];
        let back = self.open(adjoint, &given, &[results.clone(), results].concat(), span)?;
        // Both take what one of them captures.
        let captured = self.captures(&[&open, &back]);
        let adjoint = self.lifted(&captured, &back, span);
        let fun = self.lifted(&captured, &open, span);
        self.derivatives.customs.insert(fun, Custom { adjoint, captured: captured.len() });
        let operands = captured.iter().map(|var| Operand::Var(*var)).chain(arguments).collect();
        self.push(pat, Exp::Call(fun, operands), span)?;
        Ok(value)
    }

    /// Applies a function to parameters like these values, whose leaves are given.
    fn open(&mut self, f: &Static, like: &[Static], leaves: &[Operand], span: Span) -> Outcome<Open> {
        let mut params = Vec::new();
        let (stms, (value, result)) = self.in_block(|this| {
            let args = like.iter().map(|value| this.like(value, "x", span, &mut params)).collect::<Outcome<Vec<_>>>()?;
            let value = this.apply(f.clone(), args, span)?;
            let result = this.leaves(&value, span)?;
            Ok((value, result))
        })?;
        let body = Body { stms, result };
        if self.calls_recursion(&body) {
            return self.limit(span, Limit::DerivativeOfRecursion);
        }
        let Body { stms, result } = body;
        if makes_rows(&self.out, &stms) {
            return self.limit(span, Limit::DerivativeOfRows);
        }
        let mut bound: FxHashSet<Var> = FxHashSet::default();
        stms.iter().for_each(|stm| bound.extend(&stm.pat));
        let mut types = Vec::with_capacity(result.len());
        for operand in &result {
            let ty = self.ty(*operand);
            if ty.shape.iter().flat_map(Size::vars).any(|var| bound.contains(&var)) {
                return self.limit(span, Limit::DerivativeOfHiddenSizes);
            }
            // A size may be an argument.
            let place = |var: Var| params.iter().position(|param| *param == var).map(|at| self.size_of(leaves[at]));
            types.push(Type { elem: ty.elem, shape: ty.shape.iter().map(|size| size.subst(&mut { place })).collect() });
        }
        Ok(Open { params, body: Body { stms, result }, value, types })
    }
    /// The value of an open function in new variables, which are added to `pat`.
    fn value_of(&mut self, open: &Open, span: Span, pat: &mut Vec<Var>) -> Outcome<Static> {
        let mut types = open.types.clone().into_iter();
        self.each_leaf(&open.value, span, &mut |this, a| {
            let ty = types.next().unwrap_or_else(|| this.ty(a));
            let var = this.fresh(Symbol::new("value"), ty);
            pat.push(var);
            Ok(Operand::Var(var))
        })
    }
    /// The variables from outside that functions mention, in their statements and in the types of what they bind; constants are seen everywhere.
    fn captures(&self, functions: &[&Open]) -> Vec<Var> {
        let mut known: FxHashSet<Var> = self.out.consts.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        for open in functions {
            known.extend(&open.params);
            visit::bound_by(&open.body.stms, &mut known);
        }
        let mut out: Vec<Var> = Vec::new();
        let mut see = |var: Var| {
            if known.insert(var) {
                out.push(var);
            }
        };
        for open in functions {
            open.params.iter().flat_map(|param| &self.out.ty(*param).shape).flat_map(Size::vars).for_each(&mut see);
            open.body.stms.iter().for_each(|stm| self.out.mentioned(stm, &mut see));
            open.body.result.iter().filter_map(|a| a.var()).for_each(&mut see);
            let types = open.body.result.iter().map(|a| self.ty(*a)).collect::<Vec<_>>();
            types.iter().flat_map(|ty| &ty.shape).flat_map(Size::vars).for_each(&mut see);
        }
        // Sizes of arrays come with them.
        let mut at = 0;
        while at < out.len() {
            for var in self.out.ty(out[at]).shape.iter().flat_map(Size::vars).collect::<Vec<_>>() {
                if known.insert(var) {
                    out.push(var);
                }
            }
            at += 1;
        }
        out.sort_by_key(|var| self.out.ty(*var).rank() > 0);
        out
    }
    /// The function of the new program that an open function is.
    fn lifted(&mut self, captured: &[Var], open: &Open, span: Span) -> FunId {
        let mut params: Vec<Var> = captured.iter().chain(&open.params).copied().collect();
        let mut subst = Subst::default();
        rebind_all(&mut self.out, params.iter_mut(), &mut subst);
        let mut body = fresh_body(&mut self.out, &open.body, &mut subst);
        body.result.iter_mut().for_each(|a| *a = subst.operand(*a));
        let types: Vec<Type> = body.result.iter().map(|a| self.ty(*a)).collect();
        let results = types.into_iter().map(|ty| self.out.fresh(Symbol::new("r"), ty)).collect();
        self.made_elsewhere();
        self.out.funs.alloc(Fun { name: Symbol::new("f"), params, results, body, entry: false, recursive: false, span })
    }
    /// The derivative of a function, as yet without a body.
    fn derivative(&mut self, fun: FunId, mode: Mode, arguments: usize, span: Span) -> FunId {
        let (mut params, mut results) = (self.out.funs[fun].params.clone(), self.out.funs[fun].results.clone());
        let mut subst = Subst::default();
        rebind_all(&mut self.out, params.iter_mut(), &mut subst);
        rebind_all(&mut self.out, results.iter_mut(), &mut subst);
        let given = params[params.len() - arguments..].to_vec();
        let (mut seeds, mut derivatives, names) = match mode {
            Mode::Forward => (given, results.clone(), ["x_tan", "y_tan"]),
            Mode::Reverse => (results.clone(), given, ["y_adj", "x_adj"]),
        };
        for (vars, name) in [(&mut seeds, names[0]), (&mut derivatives, names[1])] {
            for var in vars {
                let ty = self.out.ty(*var).clone();
                *var = self.out.fresh(Symbol::new(name), ty);
            }
        }
        params.extend(seeds);
        results.extend(derivatives);
        self.made_elsewhere();
        let name = Symbol::new(match mode {
            Mode::Forward => "f_jvp",
            Mode::Reverse => "f_vjp",
        });
        self.out.funs.alloc(Fun { name, params, results, body: Body::default(), entry: false, recursive: false, span })
    }
}

/// Whether statements, or functions that they call, make ragged arrays.
fn makes_rows(program: &Program, stms: &[Stm]) -> bool {
    stms.iter().any(|stm| {
        if let Exp::If { els, .. } = &stm.exp
            && program.is_on_processors(stm.span)
        {
            // The other branch is left out before anything is differentiated.
            return makes_rows(program, &els.stms);
        }
        let mut found = matches!(stm.exp, Exp::Rows { .. });
        // Functions that call themselves have no derivative anyway.
        if let Exp::Call(fun, _) = &stm.exp
            && !program.funs[*fun].recursive
        {
            found = makes_rows(program, &program.funs[*fun].body.stms);
        }
        stm.exp.parts(&mut |part| {
            if let visit::Part::Body(_, body) = part {
                found = found || makes_rows(program, &body.stms);
            }
        });
        found
    })
}
