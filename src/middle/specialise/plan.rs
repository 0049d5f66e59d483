//! Code size and use counts of definitions, for inlining.

use crate::base::Symbol;
use crate::ir::attributes::Attributes;
use crate::ir::core::{Define, Expr, ExprKind, ExprNode, LoopForm, Program};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The definitions of a program by name, and what the source says about places.
pub(super) struct Plan<'p> {
    pub program: &'p Program,
    defs: FxHashMap<Symbol, Definition<'p>>,
}

/// A definition.
#[derive(Clone, Copy)]
pub(super) struct Definition<'p> {
    pub define: &'p Define,
    /// Its number in the program.
    pub number: usize,
    /// The size of its code with all that it would inline.
    pub weight: u64,
    /// How often it is mentioned.
    pub mentions: u32,
}

impl<'p> Plan<'p> {
    pub fn new(program: &'p Program) -> Plan<'p> {
        let mut mentions = FxHashMap::default();
        let mut weights = FxHashMap::default();
        for define in &program.defs {
            let weight = weigh(&define.body, &weights, &mut mentions, &mut FxHashMap::default());
            weights.insert(define.name, weight);
        }
        let mut defs = FxHashMap::default();
        for (number, define) in program.defs.iter().enumerate() {
            let (weight, mentions) = (weights[&define.name], mentions.get(&define.name).copied().unwrap_or_default());
            defs.insert(define.name, Definition { define, number, weight, mentions });
        }
        Plan { program, defs }
    }
    /// The definition of this name.
    pub fn find(&self, name: Symbol) -> Option<Definition<'p>> {
        self.defs.get(&name).copied()
    }
    /// What the source says about places and definitions.
    pub fn attributes(&self) -> &'p Attributes {
        &self.program.attributes
    }
}

/// The size of an expression with all that it mentions, each mention counted; counts how often names are mentioned.
fn weigh(
    expr: &Expr,
    weights: &FxHashMap<Symbol, u64>,
    mentions: &mut FxHashMap<Symbol, u32>,
    memo: &mut FxHashMap<*const ExprNode, u64>,
) -> u64 {
    let key = Arc::as_ptr(&expr.0);
    if let Some(weight) = memo.get(&key) {
        return *weight;
    }
    let mut sum = 1u64;
    let mut add = |inner: &Expr| sum = sum.saturating_add(weigh(inner, weights, mentions, memo));
    match expr.kind() {
        ExprKind::Var(name) => {
            *mentions.entry(*name).or_default() += 1;
            sum = weights.get(name).copied().unwrap_or(1);
        }
        ExprKind::Lit(_) | ExprKind::Array { .. } | ExprKind::ReifyDim(_) | ExprKind::ReifyShape(_) => {}
        ExprKind::Frame { cells, .. } => cells.iter().for_each(&mut add),
        ExprKind::App { fun, args } => {
            add(fun);
            args.iter().for_each(&mut add);
        }
        ExprKind::Inst { fun, .. } => add(fun),
        ExprKind::Fn { body, .. } | ExprKind::IFn { body, .. } | ExprKind::TFn { body, .. } => add(body),
        ExprKind::Let { rhs, body, .. } => {
            add(rhs);
            add(body);
        }
        ExprKind::If { cond, then, els } => [cond, then, els].into_iter().for_each(&mut add),
        ExprKind::Loop { params, form, body } => {
            params.iter().for_each(|param| add(&param.init));
            match form {
                LoopForm::For(_, n) => add(n),
                LoopForm::While(cond) => add(cond),
            }
            add(body);
        }
        ExprKind::Map { args, body, .. } => {
            args.iter().for_each(|(_, arg)| add(arg));
            add(body);
        }
        ExprKind::Tuple(parts) => parts.iter().for_each(&mut add),
        ExprKind::Record(fields) => fields.iter().for_each(|(_, part)| add(part)),
        ExprKind::Unbox { boxed, body, .. } => {
            add(boxed);
            add(body);
        }
        ExprKind::Rep { arg, .. } => add(arg),
        ExprKind::Proj(_, inner)
        | ExprKind::Field(_, inner)
        | ExprKind::Inject { payload: inner, .. }
        | ExprKind::Is(_, inner)
        | ExprKind::Payload(_, inner) => add(inner),
        ExprKind::Box { body, .. } => add(body),
        ExprKind::Coerce { expr, .. } => add(expr),
        ExprKind::Assert { cond, expr, .. } => {
            add(cond);
            add(expr);
        }
    }
    memo.insert(key, sum);
    sum
}
