//! Definitions that use themselves: sizes are found by trying.
//!
//! A call of the definition inside of it is an instance like any other, with sizes of its own (polymorphic recursion). For that its type must be
//! known before its body is elaborated. It is assumed first to be what the written types say and, where they leave out a size of the result, what
//! the first exit does that needs no recursive call. If the whole definition then has another type, because another exit differs or because
//! the body makes two sizes of the parameters equal, that one is assumed next. What is assumed in the end is what was found, so that it holds by
//! induction.

use super::error::{Error, ErrorKind, Undetermined};
use super::{Elab, Result, Scheme, Schemes, Typed, core_name, sizes};
use crate::base::{Span, Symbol};
use crate::ir::core::{self, DimAtom, Type, equal};
use crate::ir::surface::children::{Node, children_of};
use crate::ir::surface::{DefDecl, ExprId, ExprKind, TypeParam, view};
use crate::ir::tables::{DefId, Program, Res, Tables};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Duration;

/// A changed type is assumed at most so often beyond once for each size that the definition declares.
const SPARE: usize = 4;

/// A definition with its scheme, and how long its sizes took.
pub(super) struct Done {
    pub(super) scheme: Scheme,
    pub(super) defs: Vec<core::Define>,
    pub(super) time: Duration,
}

/// Elaborates a definition that uses itself, or a variant of it.
pub(super) fn elaborate(
    program: &Program,
    tables: &Tables,
    schemes: &mut Schemes,
    def: DefId,
    decl: &Arc<DefDecl>,
    existential: &[usize],
) -> Result<Done> {
    let mut probe = Elab::new(program, tables, schemes, def);
    let mut assumed = probe.first_assumption(decl, existential)?;
    let mut time = probe.sizes.time;
    let rounds = SPARE + decl.tparams.iter().filter(|param| matches!(param, TypeParam::Size(_))).count();
    for _ in 0..rounds {
        let added = schemes.added.len();
        schemes.assume(def, existential, Some(assumed.clone()));
        let mut elab = Elab::new(program, tables, schemes, def);
        let found = elab.definition(decl, existential);
        time += elab.sizes.time;
        let defs = std::mem::take(&mut elab.defs);
        schemes.assume(def, existential, None);
        let found = found?;
        if found.name == assumed.name && equal::equal(&found.core_type(), &assumed.core_type()) {
            return Ok(Done { scheme: found, defs, time });
        }
        // What was made for the wrong type is made again.
        for variant in schemes.added.split_off(added) {
            schemes.variants.remove(&variant);
        }
        assumed = found;
    }
    Err(unsettled(decl.name.span, &assumed).into())
}

fn unsettled(at: Span, scheme: &Scheme) -> Error {
    let (_, result) = scheme.ty.interface();
    Error::new(ErrorKind::Undetermined(Undetermined::Recursion { result: Some(result.clone()) }), at)
}

/// The exit that is looked for in a recursive definition.
#[derive(Default)]
pub(super) struct Exits {
    /// Whether only the type of the first exit of the next function is looked for.
    pub wanted: bool,
    /// The branches that lead there.
    pub branches: FxHashMap<ExprId, ExprId>,
}

impl Schemes {
    /// Says what a definition, or a variant, is taken to be while it is elaborated.
    fn assume(&mut self, def: DefId, existential: &[usize], scheme: Option<Scheme>) {
        match (existential.is_empty(), scheme) {
            (true, Some(scheme)) => drop(self.defs.insert(def, scheme)),
            (true, None) => drop(self.defs.remove(&def)),
            (false, Some(scheme)) => drop(self.variants.insert((def, existential.to_vec()), scheme)),
            (false, None) => drop(self.variants.remove(&(def, existential.to_vec()))),
        }
    }
}

impl Elab<'_> {
    /// What a definition is taken to be at first.
    fn first_assumption(&mut self, decl: &DefDecl, existential: &[usize]) -> Result<Scheme> {
        self.push_frame();
        self.frame().abstraction = true;
        let mut types = self.type_params(self.def);
        let sizes = self.size_params(&decl.tparams, existential);
        self.variant.open_results = existential.contains(&super::UNWRITTEN);
        self.exits.wanted = true;
        let (_, ty) = self.function(&decl.params, decl.ret, decl.body, &[], decl.name.span)?;
        self.sizes.retry(false).map_err(|(clash, span)| self.clash(clash, span))?;
        let mut scheme = self.generalise(sizes, ty, 0);
        scheme.types.append(&mut types);
        scheme.name = variant_name(core_name(self.program, self.def), existential);
        // Sizes that the exit leaves open are those of an empty array.
        let _ = self.settle_unknowns();
        scheme.ty = self.sizes.zonk_type(&scheme.ty);
        Ok(scheme)
    }
    /// The value of the first exit of a body that needs no recursive call; its type is all that counts. Where there is none, or where the
    /// declared type says all, something of that type.
    pub(super) fn first_exit(&mut self, body: ExprId, declared: Option<&Type>) -> Result<Exit> {
        let span = self.program.ast.exprs[body].span;
        let open = |elab: &Self, ty: &Type| {
            let ty = elab.sizes.zonk_type(ty);
            sizes::free_atoms(&ty).iter().any(|atom| matches!(atom, DimAtom::Meta(_)))
        };
        if let Some(declared) = declared
            && !open(self, declared)
        {
            return Ok(Exit::Declared(self.sizes.zonk_type(declared)));
        }
        if self.choose_exit(body) {
            return Ok(Exit::Value(self.expr(body)?));
        }
        let ty = match declared {
            Some(declared) => declared.clone(),
            None => {
                let ty = self.tables.exprs.get(body).cloned().ok_or_else(|| self.missing(span))?;
                self.fresh_type(&ty, span)
            }
        };
        if open(self, &ty) {
            let at = self.program.defs[self.def].span;
            return Err(Error::new(ErrorKind::Undetermined(Undetermined::Recursion { result: None }), at).into());
        }
        Ok(Exit::Declared(ty))
    }
    /// Finds the first exit that mentions the definition nowhere on the way, and notes which branches lead there.
    fn choose_exit(&mut self, id: ExprId) -> bool {
        let program = self.program;
        let id = view::strip(&program.ast, id);
        match &program.ast.exprs[id].kind {
            ExprKind::If { cond, then, els } => !self.mentions_itself(Node::Expr(*cond)) && self.choose_branch(id, &[*then, *els]),
            ExprKind::Match { scrutinee, cases } => {
                let bodies: Vec<ExprId> = cases.iter().map(|(_, body)| *body).collect();
                !self.mentions_itself(Node::Expr(*scrutinee)) && self.choose_branch(id, &bodies)
            }
            ExprKind::Let { rhs, body, .. } => !self.mentions_itself(Node::Expr(*rhs)) && self.choose_exit(*body),
            ExprKind::LetFun(fun) => !self.mentions_itself(Node::Expr(fun.rhs)) && self.choose_exit(fun.body),
            ExprKind::Assert { cond, expr } => !self.mentions_itself(Node::Expr(*cond)) && self.choose_exit(*expr),
            _ => !self.mentions_itself(Node::Expr(id)),
        }
    }
    fn choose_branch(&mut self, id: ExprId, branches: &[ExprId]) -> bool {
        match branches.iter().find(|branch| self.choose_exit(**branch)) {
            Some(branch) => {
                self.exits.branches.insert(id, *branch);
                true
            }
            None => false,
        }
    }
    /// Whether something mentions the definition that is elaborated.
    fn mentions_itself(&self, node: Node) -> bool {
        let mut work = vec![node];
        while let Some(node) = work.pop() {
            if let Node::Expr(id) = node
                && matches!(self.program.names.exprs.get(id), Some(Res::Global(def)) if *def == self.def)
            {
                return true;
            }
            children_of(&self.program.ast, node, &mut work);
        }
        false
    }
    /// The types of the type parameters in a use of the definition inside of itself: its own.
    pub(super) fn own_types(&self) -> Vec<crate::ir::tables::RType> {
        let params = self.tables.defs.get(self.def).map(|signature| signature.tparams.clone()).unwrap_or_default();
        params.into_iter().map(|param| crate::ir::tables::RType::new(0, crate::ir::tables::RBase::Param(param))).collect()
    }
}

/// What a function is taken to return.
pub(super) enum Exit {
    /// The value of an exit.
    Value(Typed),
    /// Something of this type.
    Declared(Type),
}

/// The name of a definition with these sizes existential.
pub(super) fn variant_name(unique: Symbol, existential: &[usize]) -> Symbol {
    match existential {
        [] => unique,
        [super::UNWRITTEN] => Symbol::new(&format!("{unique}.boxed")),
        [first, ..] => Symbol::new(&format!("{unique}.boxed{first}")),
    }
}
