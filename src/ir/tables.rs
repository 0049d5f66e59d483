//! What resolution and inference found out: side tables keyed by surface node. There is no second typed tree.
//!
//! Types here know ranks but no sizes: a [`RType`] is "`rank` array dimensions around a base that is no array". Sizes are
//! added by elaboration. When inference is done every expression and pattern of a definition has an entry, and no
//! inference variable is left.

use super::surface::children::{Node, children_of};
use super::surface::{Ast, DefDecl, Expr, Pat, SourceUnit, TypeDecl, TypeExpr, TypeKind, ValDecl};
use crate::base::{Arena, FileId, Idx, IdxMap, PrimType, Span, Symbol};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A top-level definition.
pub type DefId = Idx<Def>;
/// A type parameter, declared or generalised.
pub type TypeParamId = Idx<TypeParamInfo>;
/// A type abbreviation or an abstract type.
pub type TypeDefId = Idx<TypeDef>;
/// A part of a program in which types are hidden or shown.
pub type RegionId = Idx<Region>;

/// All files of a program, parsed and resolved.
#[derive(Debug, Default, Clone)]
pub struct Program {
    /// All nodes.
    pub ast: Ast,
    /// The files in order of dependency, the standard library's first.
    pub units: Vec<Unit>,
    /// All definitions; a definition refers only to earlier ones and to itself.
    pub defs: Arena<Def>,
    /// Type abbreviations and abstract types.
    pub types: Arena<TypeDef>,
    /// What module types and applications of parametric modules make.
    pub regions: Arena<Region>,
    /// Type parameters of all definitions; generalisation adds to them.
    pub tparams: Arena<TypeParamInfo>,
    /// What names stand for.
    pub names: Names,
    /// The definitions that each definition names, those named by its types included, itself excluded; with repetitions.
    pub uses: IdxMap<Def, Vec<DefId>>,
}

/// A file of a program.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The tree.
    pub source: SourceUnit,
    /// Whether it is part of the standard library.
    pub stdlib: bool,
}

/// A top-level definition.
#[derive(Debug, Clone)]
pub struct Def {
    /// Its declaration.
    pub decl: DefKind,
    /// Its name as written, with the modules around it: `m.f`.
    pub name: Symbol,
    /// Its name in core: unique in the program (`f`, `f.1`, ..).
    pub unique: Symbol,
    /// Where the name stands.
    pub span: Span,
    /// The file it stands in.
    pub file: FileId,
    /// Whether it is part of the standard library.
    pub stdlib: bool,
    /// Whether it is checked even if nothing uses it.
    pub needed: bool,
    /// What it is there for.
    pub role: Role,
    /// The innermost region that it belongs to.
    pub region: Option<RegionId>,
    /// Whether it names itself.
    pub recursive: bool,
}

/// What a definition is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Written in a file, outside of modules.
    Plain,
    /// Written in a module.
    Member,
    /// A copy of a member of a parametric module, for an application.
    Copy {
        /// The member.
        template: Option<DefId>,
    },
    /// A value of a module, as a module type shows it: its declaration has the type that the module type gives, and the value as body.
    Shown(Matching),
    /// Checks that a type of a module is the one that a module type says: a function from one to the other.
    SameType(Matching),
}

/// A module with one of its members against a module type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matching {
    /// The specification in the module type.
    pub spec: Span,
    /// The member of the module, where it was written.
    pub member: Option<Span>,
    /// The ascription or application.
    pub at: Span,
}

impl Def {
    /// Whether it stands in a file itself, so that it can be run.
    pub fn is_plain(&self) -> bool {
        self.role == Role::Plain
    }
    /// Whether it was written by somebody, as opposed to copies and what module types make.
    pub fn is_written(&self) -> bool {
        matches!(self.role, Role::Plain | Role::Member)
    }
    /// The place of the whole declaration.
    pub fn decl_span(&self) -> Span {
        match &self.decl {
            DefKind::Def(decl) => decl.span,
            DefKind::Val(decl) => decl.span,
        }
    }
}

/// How a definition is given.
#[derive(Debug, Clone)]
pub enum DefKind {
    /// In the language.
    Def(Arc<DefDecl>),
    /// By the compiler; the name in core is the name of a primitive.
    Val(Arc<ValDecl>),
}

/// A type abbreviation, or an abstract type.
#[derive(Debug, Clone)]
pub struct TypeDef {
    /// Its declaration; for an abstract type, with what stands behind it.
    pub decl: Arc<TypeDecl>,
    /// The file it stands in.
    pub file: FileId,
    /// Its name with the modules around it: `m.t`.
    pub name: Symbol,
    /// Who may know what it stands for.
    pub hiding: Hiding,
    /// The definitions that it names.
    pub uses: Vec<DefId>,
}

/// Who may know what a type stands for. To others it is equal to itself only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hiding {
    /// Everybody: an abbreviation.
    Shown,
    /// Definitions in the region: a module type hides the type.
    Outside(RegionId),
    /// Definitions outside of the region: it is the parameter of a parametric module, which was checked without knowing it.
    Inside(RegionId),
    /// Nobody, as nothing stands behind it: the parameter of a parametric module that is checked for all its applications.
    Unknown,
}

/// A part of a program in which types are hidden or shown.
#[derive(Debug, Clone)]
pub struct Region {
    /// The region around it.
    pub parent: Option<RegionId>,
    /// What made it.
    pub kind: RegionKind,
    /// Whether what belongs to it is checked but never run: it is inside of a parametric module, or made for one.
    pub template: bool,
}

/// What makes a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionKind {
    /// The body of a parametric module, checked once for all applications; it is never run.
    Template,
    /// The copy of a parametric module for an application.
    Application {
        /// The application.
        at: Span,
        /// The name of the parametric module, where it is declared.
        declared: Span,
    },
    /// The members of a module as a module type shows them.
    Sealing,
}

impl Program {
    /// Whether `viewer` may not know what the type stands for.
    pub fn hides(&self, ty: TypeDefId, viewer: DefId) -> bool {
        let within = |region: RegionId| self.regions_around(viewer).any(|around| around == region);
        match self.types[ty].hiding {
            Hiding::Shown => false,
            Hiding::Outside(region) => !within(region),
            Hiding::Inside(region) => within(region),
            Hiding::Unknown => true,
        }
    }
    /// Whether functions are behind a type: then its values cannot be compared, whoever asks.
    pub fn hides_functions(&self, ty: TypeDefId) -> bool {
        let mut seen = vec![ty];
        let mut work = vec![Node::Type(self.types[ty].decl.ty)];
        while let Some(node) = work.pop() {
            let Node::Type(at) = node else { continue };
            if matches!(self.ast.types[at].kind, TypeKind::Arrow { .. }) {
                return true;
            }
            if let Some(TypeRes::Abbreviation(inner)) = self.names.types.get(at)
                && !seen.contains(inner)
            {
                seen.push(*inner);
                work.push(Node::Type(self.types[*inner].decl.ty));
            }
            children_of(&self.ast, node, &mut work);
        }
        false
    }
    /// The regions that a definition belongs to, innermost first.
    pub fn regions_around(&self, def: DefId) -> impl Iterator<Item = RegionId> {
        std::iter::successors(self.defs[def].region, |region| self.regions[*region].parent)
    }
    /// Whether a definition is checked but never run: it belongs to a parametric module, not to an application of it.
    pub fn is_template(&self, def: DefId) -> bool {
        self.defs[def].region.is_some_and(|region| self.regions[region].template)
    }
    /// The application of a parametric module that a definition belongs to: the outermost, which the user wrote.
    pub fn application_of(&self, def: DefId) -> Option<(Span, Span)> {
        let application = |region: RegionId| match self.regions[region].kind {
            RegionKind::Application { at, declared } => Some((at, declared)),
            RegionKind::Template | RegionKind::Sealing => None,
        };
        self.regions_around(def).filter_map(application).last()
    }
}

/// A type parameter.
#[derive(Debug, Clone, Copy)]
pub struct TypeParamInfo {
    /// Its name without the quote.
    pub name: Symbol,
    /// Where it was declared; for a generalised one, where its definition stands.
    pub span: Span,
}

/// What names stand for.
#[derive(Debug, Default, Clone)]
pub struct Names {
    /// For `Name`, for `Project` where it is a qualified name (and only then), for `OpFn`, `Binary`, `LeftSection` and
    /// `RightSection` whose operator is not one of the built-in ones.
    pub exprs: IdxMap<Expr, Res>,
    /// For `Name` types.
    pub types: IdxMap<TypeExpr, TypeRes>,
    /// For declared type parameters, by the span of the identifier that declares them.
    pub declared: FxHashMap<Span, TypeParamId>,
}

/// What a term name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Res {
    /// A local variable.
    Local(Idx<Pat>),
    /// A top-level definition.
    Global(DefId),
    /// A member of a scalar module: `f32.sqrt`, `f64.sum`, `i64.f32`, `i32.highest`.
    Scalar(PrimType, Symbol),
}

/// What a type name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeRes {
    /// A scalar type.
    Prim(PrimType),
    /// A type parameter.
    Param(TypeParamId),
    /// An abbreviation.
    Abbreviation(TypeDefId),
}

/// A type without sizes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RType {
    /// Number of array dimensions.
    pub rank: u32,
    /// What is inside them. Shared: types are graphs.
    pub base: Arc<RBase>,
}

/// A type that is no array.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RBase {
    /// A scalar.
    Prim(PrimType),
    /// A type parameter (of this definition: opaque).
    Param(TypeParamId),
    /// A function of one argument.
    Arrow(RType, RType),
    /// A tuple.
    Tuple(Vec<RType>),
    /// A record, labels in ascending order.
    Record(Vec<(Symbol, RType)>),
    /// An abstract type.
    Abstract {
        /// Which.
        ty: TypeDefId,
        /// Its name with the modules around it.
        name: Symbol,
        /// Its type arguments.
        args: Vec<RType>,
    },
    /// A sum, constructors in ascending order, each with its payload.
    Sum(Vec<(Symbol, Vec<RType>)>),
}

impl RType {
    /// `rank` dimensions of `base`.
    pub fn new(rank: u32, base: RBase) -> RType {
        RType { rank, base: Arc::new(base) }
    }
    /// A scalar type.
    pub fn prim(prim: PrimType) -> RType {
        RType::new(0, RBase::Prim(prim))
    }
    /// The same base with another rank.
    pub fn with_rank(&self, rank: u32) -> RType {
        RType { rank, base: self.base.clone() }
    }
}

/// What inference found for some definitions.
#[derive(Debug, Default, Clone)]
pub struct Tables {
    /// Types of expressions, frames included. Every expression of the definition has one, except the parts of applied
    /// pipes, sections and nested spines that [`view::application`](super::surface::view::application) dissolves.
    pub exprs: IdxMap<Expr, RType>,
    /// Types of patterns.
    pub pats: IdxMap<Pat, RType>,
    /// For each use of a polymorphic definition, scalar-module function or local function: the types of its type
    /// parameters, in the order of [`Signature::tparams`]. Keyed by the node that names it (`Name`, `Project`, `OpFn`, `Binary`, sections).
    pub insts: IdxMap<Expr, Vec<RType>>,
    /// Insertions, keyed by the node of an update, whose value is the one argument, [`view::Application::node`](super::surface::view::Application), and by the node of an unapplied
    /// section: `(e op)` has the one argument `e`; `(op e)` means `\x -> x op e` and has the two arguments `x` and `e`.
    /// `(.x)` has one argument.
    pub apps: IdxMap<Expr, AppInfo>,
    /// The rank-0 type at which a built-in operator is used: keyed by the node it stands in (`Binary`, `Unary`, `OpFn`, sections).
    pub ops: IdxMap<Expr, RType>,
    /// Types of definitions.
    pub defs: IdxMap<Def, Signature>,
    /// Type parameters of local functions that declare some, by their binder.
    pub locals: IdxMap<Pat, Vec<TypeParamId>>,
}

impl Tables {
    /// How often the value of an update is replicated.
    pub fn spread(&self, update: Idx<Expr>) -> u32 {
        self.apps.get(update).and_then(|info| info.args.first()).map_or(0, |value| value.reps)
    }
    /// Takes over every entry of `other`.
    pub fn overlay(&mut self, other: &Tables) {
        let Tables { exprs, pats, insts, apps, ops, defs, locals } = other;
        exprs.iter().for_each(|(id, ty)| drop(self.exprs.insert(id, ty.clone())));
        pats.iter().for_each(|(id, ty)| drop(self.pats.insert(id, ty.clone())));
        insts.iter().for_each(|(id, types)| drop(self.insts.insert(id, types.clone())));
        apps.iter().for_each(|(id, info)| drop(self.apps.insert(id, info.clone())));
        ops.iter().for_each(|(id, ty)| drop(self.ops.insert(id, ty.clone())));
        defs.iter().for_each(|(id, signature)| drop(self.defs.insert(id, signature.clone())));
        locals.iter().for_each(|(id, tparams)| drop(self.locals.insert(id, tparams.clone())));
    }
}

/// Types inside of a definition with their sizes, in surface notation; one name means the same size in all of them.
#[derive(Debug, Default, Clone)]
pub struct InnerTypes {
    /// Of its expressions, without parentheses around them.
    pub exprs: FxHashMap<Idx<Expr>, SizedText>,
    /// Of its variables.
    pub pats: FxHashMap<Idx<Pat>, SizedText>,
}

/// A type as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizedText {
    /// The sizes of its dimensions, outermost first; those of type variables are not among them.
    pub dims: Vec<String>,
    /// All of it.
    pub text: String,
}

/// The type of a definition.
#[derive(Debug, Clone)]
pub struct Signature {
    /// Type parameters: the declared ones in order, then generalised ones.
    pub tparams: Vec<TypeParamId>,
    /// The type; for a definition with parameters, nested arrows.
    pub ty: RType,
}

/// The insertions of one application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppInfo {
    /// Rank of the frame that the head brings along: the array dimensions around the function type of the head, such as
    /// those of a let-bound partial application over arrays.
    pub head_frame: u32,
    /// One entry per argument, in order.
    pub args: Vec<Insertion>,
}

/// What is inserted at one argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Insertion {
    /// Maps.
    pub maps: u32,
    /// Replications, induced ones included. At most one of `maps` and `reps` is nonzero.
    pub reps: u32,
    /// How many of the `reps` are induced by earlier maps of the same application: they cost nothing and vanish when pushed
    /// into the map nest.
    pub induced: u32,
}

impl AppInfo {
    /// Maps plus replications that are not induced.
    pub fn cost(&self) -> u32 {
        self.args.iter().map(|a| a.maps + a.reps - a.induced).sum()
    }
    /// Rank of the whole frame: the dimensions in front of the type of the result.
    pub fn frame(&self) -> u32 {
        self.head_frame + self.args.iter().map(|a| a.maps).sum::<u32>()
    }
    /// Over how many of the innermost frame dimensions each argument is mapped; it is the same for all cells of the dimensions
    /// outside of these. Maps needed by later arguments go outside (rule C-APP of AUTOMAP).
    pub fn participation(&self) -> Vec<u32> {
        let mut frame = self.head_frame;
        self.args
            .iter()
            .map(|a| {
                frame += a.maps;
                frame.saturating_sub(a.reps)
            })
            .collect()
    }
}
