//! The state of inference of one definition.

use super::bases::Bases;
use super::error::Error;
use super::ranks::Ranks;
use super::reason::{Kind, Reason, ReasonId};
use super::types::{Base, Class, Node, Ty};
use super::unify::Delayed;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::surface::{Ast, ExprId, PatId, TypeParam};
use crate::ir::tables::{DefId, Program, RBase, RType, Tables, TypeDefId, TypeParamId};
use crate::rank::LinExpr;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Type annotations may expand to this many nodes in one definition; abbreviations of abbreviations grow fast.
pub(super) const ANNOTATION_BUDGET: usize = 1 << 20;

/// The judgement "expression has this type under this frame": the whole type is `[]^frame ty`.
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    /// Dimensions that maps on arguments of the expression contributed.
    pub(super) frame: LinExpr,
    /// The type of a cell of the frame.
    pub(super) ty: Ty,
}

impl Judgement {
    pub(super) fn plain(ty: Ty) -> Judgement {
        Judgement { frame: LinExpr::zero(), ty }
    }
    /// The whole type.
    pub(super) fn merged(self) -> Ty {
        Ty::new(self.frame.add(&self.ty.rank), self.ty.base)
    }
}

/// What is known about a local variable.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) judgement: Judgement,
    /// Type parameters, for local functions that declare some.
    pub(super) tparams: Arc<[TypeParamId]>,
}

/// One argument of an application, with its insertions as rank expressions.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) maps: LinExpr,
    pub(super) reps: LinExpr,
    /// Rank of the frame before this argument, the head's frame included.
    pub(super) frame: LinExpr,
}

/// One application.
#[derive(Clone, Debug)]
pub(super) struct Spine {
    pub(super) head_frame: LinExpr,
    pub(super) slots: Vec<Slot>,
}

/// Which argument of which application a site of the rank system belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteRef {
    /// The key of the application in [`Tables::apps`].
    pub node: ExprId,
    /// The argument, from 0.
    pub argument: usize,
}

/// What may be named.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) env: FxHashMap<PatId, Binding>,
    /// Type parameters of local functions, with the function's extent.
    pub(super) local_params: Vec<(TypeParamId, Span)>,
}

/// How abbreviations are looked at: from the definition, or from outside of all modules.
#[derive(Default)]
pub(super) struct View {
    /// Whether no abstract type is known, not even to this definition.
    pub(super) outside: bool,
    /// What abbreviations without type arguments stand for.
    pub(super) expanded: FxHashMap<TypeDefId, Ty>,
}

/// What annotations came to.
#[derive(Default)]
pub(super) struct Annotated {
    pub(super) view: View,
    /// The abstract types of which the sizes behind them were looked at.
    pub(super) hidden: FxHashSet<TypeDefId>,
    /// Types that an abbreviation stands for, with its arguments: for messages.
    pub(super) abbreviations: Vec<(Base, TypeDefId, Vec<Ty>)>,
    /// How many nodes there were; at most [`ANNOTATION_BUDGET`].
    pub(super) nodes: usize,
}

/// What inference finds out about each node, to be written into the tables.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) exprs: Vec<(ExprId, Ty)>,
    pub(super) pats: Vec<(PatId, Ty)>,
    pub(super) insts: Vec<(ExprId, Vec<Ty>)>,
    pub(super) apps: Vec<(ExprId, Spine)>,
    pub(super) ops: Vec<(ExprId, Ty)>,
    pub(super) locals: Vec<(PatId, Vec<TypeParamId>)>,
}

impl Found {
    /// Number of arguments of applications.
    pub(super) fn arguments(&self) -> usize {
        self.apps.iter().map(|(_, spine)| spine.slots.len()).sum()
    }
}

/// What was reported.
#[derive(Default)]
pub(super) struct Reports {
    pub(super) errors: Vec<Error>,
    /// Reasons with a reported mismatch, so that one is not reported twice.
    pub(super) reasons: FxHashSet<u32>,
    /// Types that were reported to be no sums.
    pub(super) no_sums: FxHashSet<Base>,
}

/// Everything that inference knows while it walks over a definition.
pub(super) struct Context<'a> {
    pub(super) program: &'a Program,
    pub(super) tables: &'a Tables,
    /// The definition that is inferred: it decides which abstract types are known.
    pub(super) def: DefId,
    /// The definition itself, where it is recursive.
    pub(super) own: Option<super::recursion::Own>,
    pub(super) bases: Bases,
    pub(super) ranks: Ranks,
    pub(super) reasons: Vec<Reason>,
    pub(super) delayed: Delayed,
    pub(super) annotated: Annotated,
    pub(super) scope: Scope,
    /// Expressions that were judged before their parent asks for them.
    pub(super) ready: FxHashMap<ExprId, Judgement>,
    /// Holes with the types that are wanted there.
    pub(super) holes: Vec<(Span, Ty)>,
    pub(super) found: Found,
    pub(super) reports: Reports,
    /// Whether `==` and `!=` may compare arrays as a whole.
    pub(super) whole: bool,
}

impl<'a> Context<'a> {
    /// Nothing is known yet; `local` is that of [`Ranks`].
    pub(super) fn new(program: &'a Program, tables: &'a Tables, def: DefId, local: bool) -> Context<'a> {
        Context {
            program,
            tables,
            def,
            own: None,
            bases: Bases::default(),
            ranks: Ranks::new(local),
            reasons: Vec::new(),
            delayed: Delayed::default(),
            annotated: Annotated::default(),
            scope: Scope::default(),
            ready: FxHashMap::default(),
            holes: Vec::new(),
            found: Found::default(),
            reports: Reports::default(),
            whole: false,
        }
    }

    /// The tree; it outlives the context's borrow.
    pub(super) fn ast(&self) -> &'a Ast {
        &self.program.ast
    }
    /// Where an expression stands.
    pub(super) fn span(&self, expr: ExprId) -> Span {
        self.ast().exprs[expr].span
    }
    /// Records why types have to be equal.
    pub(super) fn reason(&mut self, kind: Kind, expected: Span, found: Span) -> ReasonId {
        self.reasons.push(Reason { kind, expected, found });
        ReasonId(self.reasons.len() as u32 - 1)
    }
    /// An unknown type.
    pub(super) fn fresh(&mut self) -> Ty {
        let base = self.bases.var(Class::ANY);
        Ty::new(self.ranks.var(), base)
    }
    /// Equal to every type; for what was reported already.
    pub(super) fn error_type(&mut self) -> Ty {
        let base = self.bases.add(Node::Error);
        Ty::new(self.ranks.var(), base)
    }
    /// Binds a variable and notes its type.
    pub(super) fn bind_var(&mut self, pat: PatId, judgement: Judgement) {
        self.found.pats.push((pat, judgement.clone().merged()));
        self.scope.env.insert(pat, Binding { judgement, tparams: Arc::from([]) });
    }
    /// Binds size parameters and other names of sizes.
    pub(super) fn bind_sizes(&mut self, sizes: &[PatId]) {
        for &size in sizes {
            let ty = self.bases.prim(PrimType::I64);
            self.bind_var(size, Judgement::plain(ty));
        }
    }
    /// Binds the size parameters among the parameters and returns the type parameters.
    pub(super) fn bind_tparams(&mut self, tparams: &[TypeParam]) -> Vec<TypeParamId> {
        let mut types = Vec::new();
        for tparam in tparams {
            match tparam {
                TypeParam::Size(pat) => self.bind_sizes(&[*pat]),
                TypeParam::Type(ident) => types.extend(self.program.names.declared.get(&ident.span)),
            }
        }
        types
    }

    /// A fresh type for each type parameter, and a finished type with them put in.
    pub(super) fn instantiate(&mut self, tparams: &[TypeParamId], ty: &RType) -> (Vec<Ty>, Ty) {
        let fresh: Vec<Ty> = tparams.iter().map(|_| self.fresh()).collect();
        let map: FxHashMap<TypeParamId, Ty> = tparams.iter().copied().zip(fresh.iter().cloned()).collect();
        let mut memo = FxHashMap::default();
        let ty = self.import(ty, &map, &mut memo);
        (fresh, ty)
    }

    fn import(&mut self, ty: &RType, map: &FxHashMap<TypeParamId, Ty>, memo: &mut FxHashMap<*const RBase, Ty>) -> Ty {
        let key = Arc::as_ptr(&ty.base);
        let cell = match memo.get(&key) {
            Some(cell) => cell.clone(),
            None => {
                let cell = match &*ty.base {
                    RBase::Prim(p) => self.bases.prim(*p),
                    RBase::Param(p) => match map.get(p) {
                        Some(ty) => ty.clone(),
                        None => self.bases.param(*p),
                    },
                    RBase::Arrow(from, to) => {
                        let (from, to) = (self.import(from, map, memo), self.import(to, map, memo));
                        self.bases.arrow(from, to)
                    }
                    RBase::Tuple(parts) => {
                        let parts: Arc<[Ty]> = parts.iter().map(|part| self.import(part, map, memo)).collect();
                        Ty::cell(self.bases.add(Node::Tuple(parts)))
                    }
                    RBase::Record(fields) => {
                        let fields: Arc<[(Symbol, Ty)]> = fields.iter().map(|(l, t)| (*l, self.import(t, map, memo))).collect();
                        Ty::cell(self.bases.add(Node::Record(fields)))
                    }
                    RBase::Abstract { ty, args, .. } => {
                        let args: Vec<Ty> = args.iter().map(|arg| self.import(arg, map, memo)).collect();
                        self.applied_type(*ty, args)
                    }
                    RBase::Sum(constructors) => {
                        let new: Arc<[(Symbol, Arc<[Ty]>)]> = constructors
                            .iter()
                            .map(|(label, payload)| (*label, payload.iter().map(|part| self.import(part, map, memo)).collect()))
                            .collect();
                        Ty::cell(self.bases.add(Node::Sum(new)))
                    }
                };
                memo.insert(key, cell.clone());
                cell
            }
        };
        Ty::new(cell.rank.plus(i64::from(ty.rank)), cell.base)
    }

    /// A type with type parameters of a local function replaced.
    pub(super) fn substitute(&mut self, ty: &Ty, map: &FxHashMap<TypeParamId, Ty>, memo: &mut FxHashMap<Base, Ty>) -> Ty {
        let root = self.bases.find(ty.base);
        let cell = match memo.get(&root) {
            Some(cell) => cell.clone(),
            None => {
                memo.insert(root, Ty::cell(root));
                let cell = match self.bases.node(root) {
                    Node::Param(p) => map.get(&p).cloned().unwrap_or_else(|| Ty::cell(root)),
                    Node::Arrow(parts) => {
                        let (from, to) = (self.substitute(&parts.0, map, memo), self.substitute(&parts.1, map, memo));
                        self.rebuilt(root, &[&parts.0, &parts.1], &[from, to], |new| {
                            Node::Arrow(Arc::new((new[0].clone(), new[1].clone())))
                        })
                    }
                    Node::Tuple(parts) => {
                        let new: Vec<Ty> = parts.iter().map(|part| self.substitute(part, map, memo)).collect();
                        self.rebuilt(root, &parts.iter().collect::<Vec<_>>(), &new, |new| Node::Tuple(new.into()))
                    }
                    Node::Record(fields) => {
                        let new: Vec<Ty> = fields.iter().map(|(_, part)| self.substitute(part, map, memo)).collect();
                        let old: Vec<&Ty> = fields.iter().map(|(_, part)| part).collect();
                        self.rebuilt(root, &old, &new, |new| Node::Record(fields.iter().map(|f| f.0).zip(new.iter().cloned()).collect()))
                    }
                    Node::Abstract(ty, name, args) => {
                        let new: Vec<Ty> = args.iter().map(|arg| self.substitute(arg, map, memo)).collect();
                        self.rebuilt(root, &args.iter().collect::<Vec<_>>(), &new, |new| Node::Abstract(ty, name, new.into()))
                    }
                    Node::Sum(constructors) => {
                        let old: Vec<&Ty> = constructors.iter().flat_map(|(_, payload)| payload.iter()).collect();
                        let new: Vec<Ty> = old.iter().map(|part| self.substitute(part, map, memo)).collect();
                        self.rebuilt(root, &old, &new, |new| {
                            let mut new = new.iter().cloned();
                            Node::Sum(constructors.iter().map(|(label, old)| (*label, new.by_ref().take(old.len()).collect())).collect())
                        })
                    }
                    Node::Var(_) | Node::Link(_) | Node::Prim(_) | Node::Error => Ty::cell(root),
                };
                memo.insert(root, cell.clone());
                cell
            }
        };
        Ty::new(ty.rank.clone().add(&cell.rank), cell.base)
    }

    fn rebuilt(&mut self, root: Base, old: &[&Ty], new: &[Ty], make: impl FnOnce(&[Ty]) -> Node) -> Ty {
        let mut same = true;
        for (old, new) in old.iter().zip(new) {
            same &= self.bases.find(old.base) == self.bases.find(new.base) && old.rank == new.rank;
        }
        if same { Ty::cell(root) } else { Ty::cell(self.bases.add(make(new))) }
    }

    /// A literal's type: fixed by its suffix, else one of a class.
    pub(super) fn literal(&mut self, suffix: Option<PrimType>, class: Class) -> Ty {
        match suffix {
            Some(prim) => self.bases.prim(prim),
            None => Ty::cell(self.bases.var(class)),
        }
    }
}
