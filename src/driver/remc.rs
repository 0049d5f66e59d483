//! Core written by hand.

use super::{Checked, validate_core};
use crate::base::{FileId, PrimType, Scalar, SourceMap, Symbol};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Index, Program, Shape, Type};
use crate::remc;
use std::time::Instant;

/// Whether a file of this name is core.
pub fn is_core(name: &str) -> bool {
    name.ends_with(".remc")
}

/// Makes a file explicit.
pub(super) fn check(sources: &mut SourceMap, root: FileId) -> Checked {
    let start = Instant::now();
    let mut elaborated = remc::program(sources, root);
    let core = std::mem::take(&mut elaborated.program);
    let diagnostics = std::mem::take(&mut elaborated.diagnostics);
    let mut checked = Checked { core, diagnostics, remc: Some(elaborated), ..Checked::default() };
    checked.stats.times.elaborate = start.elapsed();
    validate_core(sources, &checked);
    checked
}

/// The names of the parameters of a definition, as far as it is a function by its form.
pub(super) fn parameter_names(program: &Program, name: Symbol) -> Vec<Option<Symbol>> {
    let Some(define) = program.defs.iter().find(|define| define.name == name) else { return Vec::new() };
    let mut body = &define.body;
    loop {
        match body.kind() {
            ExprKind::IFn { body: inner, .. } | ExprKind::TFn { body: inner, .. } => body = inner,
            ExprKind::Fn { params, .. } => return params.iter().map(|(name, _)| Some(*name)).collect(),
            _ => return Vec::new(),
        }
    }
}

impl Checked {
    /// Whether the program reads numbers, which [`Checked::give_numbers`] supplies.
    pub fn reads_numbers(&self) -> bool {
        self.remc.as_ref().is_some_and(|remc| remc.numbers.is_some())
    }

    /// Makes these the numbers that the program reads: `read-nums` returns a box of them.
    pub fn give_numbers(&mut self, numbers: &[i64]) {
        let Some(name) = self.remc.as_ref().and_then(|remc| remc.numbers) else { return };
        for define in self.core.defs.iter_mut().filter(|define| define.name == name) {
            let span = define.span;
            let n = Symbol::new("n");
            let size = Dim::constant(numbers.len() as i64);
            let dims = vec![numbers.len() as u64];
            let items = numbers.iter().map(|number| Scalar::I64(*number)).collect();
            let body = Expr::new(ExprKind::Array { dims, elem: PrimType::I64, items }, span);
            let ty = Type::new(Atom::Prim(PrimType::I64), Shape::dims([Dim::var(n)]));
            let boxed = Expr::new(ExprKind::Box { indices: vec![(n, Index::Dim(size))], ty: ty.clone(), body }, span);
            let ret = Type::scalar(Atom::Sigma(vec![n], ty));
            let unit = Type::scalar(Atom::Tuple(Vec::new()));
            define.body = Expr::new(ExprKind::Fn { params: vec![(Symbol::new("_"), unit)], ret, body: boxed }, span);
        }
    }
}
