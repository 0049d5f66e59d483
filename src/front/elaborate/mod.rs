//! Surface and tables to core: writes every inserted `map` and `rep` out and infers sizes on the way.
//!
//! The walk follows the surface tree; for each expression it makes a core expression and its sized core type, in which
//! sizes that are not known yet are unknowns (`sizes`). Existential results (of `filter`, say) are opened where
//! they arise: the opening, like every `let`, becomes a binding of the enclosing *scope* (a function body, a branch, a
//! loop body or the body of a map), so a size is always bound before it is used. A scope whose result mentions a size of its own
//! closes it again in a box; for the body of a map that would be an irregular array, `E0404`.
//!
//! Applications follow section 4.7 of Schenck et al., AUTOMAP (OOPSLA 2024), with replications pushed
//! to the bottom of the map nest: an argument is a free variable of the maps it does not take part in.

mod adapt;
mod annotations;
mod apply;
mod attempt;
mod blame;
mod branches;
mod cases;
mod computed;
mod constants;
mod definition;
mod error;
mod expr;
mod fit;
mod function;
mod index;
mod inner;
mod literal;
mod loops;
mod nest;
mod parts;
mod pattern;
mod ragged;
mod recursive;
mod report;
mod returned;
mod schemes;
mod scope;
mod sections;
mod show;
mod sizes;
mod special;
mod types;
mod zonk;

pub use error::{Error, ErrorKind, Failure, Undetermined};
pub use inner::inner_types;
pub use schemes::{Scheme, Schemes};
pub use show::{show_type, show_type_as};

use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::{self, Atom, Dim, DimAtom, Prim, Primitive, Shape, Type};
use crate::ir::surface::{ExprId, PatId, TypeId, TypeParam};
use crate::ir::tables::{DefId, DefKind, Program, Tables, TypeParamId};
use annotations::Reading;
use definition::abstracted;
use inner::Seen;
use rustc_hash::{FxHashMap, FxHashSet};
use sizes::{MetaKind, Sizes};

/// Elaborates one definition; its dependencies have been elaborated before. The result is empty for definitions that the
/// compiler supplies, and has more than one element where copies of other definitions with existential sizes are needed.
///
/// Errors are about sizes: `E0403` (not equal), `E0404` (irregular), `E0405` (undetermined).
pub fn elaborate(program: &Program, tables: &Tables, schemes: &mut Schemes, def: DefId) -> Result<Vec<core::Define>> {
    schemes.added.clear();
    let elaborated = elaborate_variant(program, tables, schemes, def, &[]);
    if elaborated.is_err() {
        for variant in std::mem::take(&mut schemes.added) {
            schemes.variants.remove(&variant);
        }
    }
    elaborated
}

/// Stands for all sizes `[]` in the results of functions that are parameters, which are existential in a variant.
const UNWRITTEN: usize = usize::MAX;

/// The same with the size parameters at these positions turned into existential results of the function parameters that
/// have them as their results' sizes.
fn elaborate_variant(
    program: &Program,
    tables: &Tables,
    schemes: &mut Schemes,
    def: DefId,
    existential: &[usize],
) -> Result<Vec<core::Define>> {
    let (scheme, defs, time) = match &program.defs[def].decl {
        DefKind::Def(decl) if program.defs[def].recursive => {
            let done = recursive::elaborate(program, tables, schemes, def, decl, existential)?;
            (done.scheme, done.defs, done.time)
        }
        decl => {
            let mut elab = Elab::new(program, tables, schemes, def);
            let scheme = match decl {
                DefKind::Val(decl) => elab.specified(decl)?,
                DefKind::Def(decl) => elab.definition(decl, existential)?,
            };
            let defs = std::mem::take(&mut elab.defs);
            (scheme, defs, elab.sizes.time)
        }
    };
    schemes.size_time += time;
    let mentioned = sizes::free_atoms(&scheme.ty).into_iter().filter_map(|atom| match atom {
        DimAtom::Size(name) if schemes.taken.contains(&name) => Some(name),
        DimAtom::Size(_) | DimAtom::Var(_) | DimAtom::Meta(_) => None,
    });
    let mentioned: Vec<Symbol> = mentioned.collect();
    if !mentioned.is_empty() {
        schemes.mentioned.insert(def, mentioned);
    }
    if existential.is_empty() {
        schemes.defs.insert(def, scheme);
    } else {
        schemes.added.push((def, existential.to_vec()));
        schemes.variants.insert((def, existential.to_vec()), scheme);
    }
    Ok(defs)
}

type Result<T, E = Failure> = std::result::Result<T, E>;

/// A core expression with its type.
type Typed = (core::Expr, Type);

/// What a local name stands for.
#[derive(Debug, Clone)]
enum Local {
    /// A size parameter or a size bound by a pattern.
    Size(Dim),
    /// A variable of a core name and type.
    Var { name: Symbol, ty: Type },
    /// A local function with parameters of its own.
    Poly(Scheme),
}

/// A size that follows from others by an equation, and must not be negative.
#[derive(Debug, Clone, PartialEq)]
pub struct Natural {
    /// Its name.
    name: Symbol,
    /// The definition that it is a parameter of, if it is one of another.
    of: Option<Symbol>,
    /// Where it is needed.
    at: Span,
    /// Where it is declared.
    declared: Option<Span>,
}

/// A size parameter of a definition that no array tells which the definition is applied to.
#[derive(Debug, Clone)]
struct Needed {
    size: Dim,
    /// Its name in the definition.
    name: Symbol,
    /// Where the definition is used.
    at: Span,
    kind: Need,
}

/// Of what a size parameter is the size that has to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Of what the definition makes.
    Made,
    /// Of a function that it is applied to.
    Function,
    /// Of nothing: sizes of parameters are computed from it.
    Computed,
}

/// What names stand for, and which are taken.
#[derive(Default)]
struct Names {
    locals: FxHashMap<PatId, Local>,
    /// The parameters of functions that are results, by their types as written.
    returned: FxHashMap<TypeId, (Symbol, Type)>,
    types: FxHashMap<TypeParamId, Symbol>,
    /// `i64` variables whose value is a known size.
    sizes: FxHashMap<Symbol, Dim>,
    /// Core names that are taken, with the number of times.
    taken: FxHashMap<Symbol, u32>,
}

/// How the definition that is made differs from the one that is written.
#[derive(Default)]
struct Variant {
    /// Size binders that are existential.
    existential: FxHashSet<PatId>,
    /// What the existential sizes are called in the types that were read.
    hidden: FxHashSet<Symbol>,
    /// Whether the sizes `[]` in the results of functions that are parameters are existential.
    open_results: bool,
}

/// What has to hold of sizes once all are known.
#[derive(Default)]
struct Claims {
    /// Sizes that definitions get from elsewhere.
    needed: Vec<Needed>,
    /// Sizes that follow from others by equations.
    naturals: Vec<(Dim, Natural)>,
    /// Sizes that parameters which are functions are applied to, as far as they are computed from other parameters.
    arguments: Vec<computed::ArgumentSize>,
    /// Sizes of rows of ragged arrays: where rows are mapped over together they are compared at run time.
    rows: FxHashSet<Symbol>,
    /// Arguments that are replicated.
    replicated: Vec<error::Replicated>,
}

struct Elab<'a> {
    program: &'a Program,
    tables: &'a Tables,
    schemes: &'a mut Schemes,
    def: DefId,
    variant: Variant,
    sizes: Sizes,
    names: Names,
    frames: Vec<scope::Frame>,
    reading: Reading,
    /// Whether sizes of parameters stay apart where branches or the values of a loop differ in them.
    apart: bool,
    done: Done,
    claims: Claims,
    /// The applications with insertions around the current place.
    applications: Vec<Span>,
    /// Finished definitions: variants of others, then this one.
    defs: Vec<core::Define>,
    exits: recursive::Exits,
}

/// Expressions that were elaborated.
#[derive(Default)]
struct Done {
    /// Those that were before their parent asks for them.
    ready: FxHashMap<ExprId, Typed>,
    /// The types of all, where somebody asks for them.
    seen: Option<Seen>,
}

/// The shape variable that belongs to a type variable.
fn shape_var(ty: Symbol) -> Symbol {
    Symbol::new(&format!("@{ty}"))
}

impl<'a> Elab<'a> {
    fn new(program: &'a Program, tables: &'a Tables, schemes: &'a mut Schemes, def: DefId) -> Self {
        Elab {
            done: Done { ready: FxHashMap::default(), seen: (schemes.watched == Some(def)).then(Seen::default) },
            program,
            tables,
            schemes,
            def,
            variant: Variant::default(),
            sizes: Sizes::default(),
            names: Names::default(),
            frames: Vec::new(),
            reading: Reading::default(),
            apart: true,
            claims: Claims::default(),
            applications: Vec::new(),
            defs: Vec::new(),
            exits: recursive::Exits::default(),
        }
    }

    /// A core name that is not taken, `base` itself if possible. Names of primitives and definitions are never given to
    /// locals: they would shadow what the elaborator refers to.
    fn fresh_name(&mut self, base: Symbol) -> Symbol {
        let text = base.as_str().split('.').next().filter(|t| !t.is_empty()).unwrap_or("x");
        let text = if text.starts_with(|c: char| c.is_alphabetic() || c == '_') { text } else { "op" };
        let base = Symbol::new(text);
        loop {
            let count = self.names.taken.entry(base).or_insert(0);
            *count += 1;
            let plain = *count == 1;
            let name = if plain { base } else { Symbol::new(&format!("{base}.{}", *count - 1)) };
            if !(plain && RESERVED.contains(&text) || self.is_global(name)) {
                return name;
            }
        }
    }
    fn is_global(&self, name: Symbol) -> bool {
        is_primitive(name) || self.schemes.taken.contains(&name)
    }
    fn level(&self) -> u32 {
        self.frames.len() as u32
    }
    fn fresh_dim(&mut self, span: Span) -> Dim {
        self.sizes.fresh(self.level(), MetaKind::Anonymous, span)
    }

    fn type_params(&mut self, def: DefId) -> Vec<Symbol> {
        let params = self.tables.defs.get(def).map(|s| s.tparams.clone()).unwrap_or_default();
        params.into_iter().map(|p| self.type_param(p)).collect()
    }
    fn type_param(&mut self, param: TypeParamId) -> Symbol {
        let name = self.fresh_name(self.program.tparams[param].name);
        self.names.types.insert(param, name);
        name
    }
    fn size_params(&mut self, tparams: &[TypeParam], existential: &[usize]) -> Vec<Symbol> {
        let sizes: Vec<PatId> = tparams.iter().filter_map(|p| if let TypeParam::Size(pat) = p { Some(*pat) } else { None }).collect();
        let mut out = Vec::new();
        for (i, pat) in sizes.into_iter().enumerate() {
            if existential.contains(&i) {
                self.variant.existential.insert(pat);
            } else {
                out.push(self.size_param(pat));
            }
        }
        out
    }
    fn size_param(&mut self, pat: PatId) -> Symbol {
        let name = self.fresh_name(self.pat_name(pat));
        let level = self.level();
        self.sizes.bind_atom(DimAtom::Var(name), level, self.program.ast.pats[pat].span);
        self.names.locals.insert(pat, Local::Size(Dim::var(name)));
        name
    }
}

/// Primitives to which elaboration refers by name.
const PRIMITIVES: [Prim; 12] = [
    Prim::Index,
    Prim::Slice,
    Prim::SliceStep,
    Prim::Update,
    Prim::UpdateSlice,
    Prim::Iota,
    Prim::Range,
    Prim::RangeUpto,
    Prim::RangeDownto,
    Prim::RangeThrough,
    Prim::Equal,
    Prim::NotEqual,
];

/// Whether a name is that of a primitive to which elaboration refers.
fn is_primitive(name: Symbol) -> bool {
    matches!(Primitive::find(name), Some(Primitive::Prim(prim)) if PRIMITIVES.contains(&prim))
}

/// Names with a meaning in core's concrete syntax.
const RESERVED: [&str; 4] = ["true", "false", "inf", "nan"];

fn is_i64(ty: &Type) -> bool {
    ty.shape().is_scalar() && matches!(ty.atom(), Atom::Prim(PrimType::I64))
}

/// The name of a definition in core. One written in the language never hides a primitive.
fn core_name(program: &Program, def: DefId) -> Symbol {
    let unique = program.defs[def].unique;
    if is_primitive(unique) { Symbol::new(&format!("{unique}.def")) } else { unique }
}

/// The type of `()`.
fn unit() -> Type {
    Type::scalar(Atom::Tuple(Vec::new()))
}

/// A name of core as it was written: without the number that tells it from others.
fn written(name: Symbol) -> Symbol {
    name.as_str().split('.').next().filter(|stem| !stem.is_empty()).map_or(name, Symbol::new)
}

/// The frame of these sizes.
fn frame_shape(dims: &[Dim]) -> Shape {
    Shape::dims(dims.iter().cloned())
}
