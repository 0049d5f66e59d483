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

mod annotations;
mod apply;
mod blame;
mod cases;
mod computed;
mod constants;
mod control;
mod error;
mod expr;
mod index;
mod inner;
mod literal;
mod parts;
mod pattern;
mod ragged;
mod recursive;
mod report;
mod scope;
mod show;
mod sizes;
mod special;
mod types;
mod zonk;

pub use error::{Error, ErrorKind, Failure, Undetermined};
pub use inner::inner_types;
pub use show::{show_type, show_type_as};

use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::check::{self, TypeEnv};
use crate::ir::core::{self, Atom, Dim, DimAtom, Param, Prim, Primitive, Shape, Type};
use crate::ir::surface::{DefDecl, ExprId, ExprKind, PatId, PatKind, TypeId, TypeParam, view};
use crate::ir::tables::{DefId, DefKind, Program, Tables, TypeParamId};
use annotations::Reading;
use inner::Seen;
use rustc_hash::{FxHashMap, FxHashSet};
use sizes::{MetaKind, Sizes};
use std::time::Duration;

/// The sized type of a definition: `Pi (sizes.. @types..) (Forall (types..) ty)`.
#[derive(Debug, Clone)]
pub struct Scheme {
    /// Its name in core.
    pub name: Symbol,
    /// Size parameters, declared ones first.
    pub sizes: Vec<Symbol>,
    /// Type parameters.
    pub types: Vec<Symbol>,
    /// The type in terms of these.
    pub ty: Type,
    /// Whether it has no parameters but sizes and types, on which a computation depends: in core it is a function of `()`.
    pub computed: bool,
    /// What computes sizes that results of functions in the type hide, by their names.
    pub hidden: Vec<(Symbol, core::Expr)>,
    /// Sizes that parameters which are functions are applied to.
    pub arguments: Vec<computed::ArgumentSize>,
}

impl Scheme {
    fn index_params(&self) -> Vec<Symbol> {
        self.sizes.iter().copied().chain(self.types.iter().map(|t| shape_var(*t))).collect()
    }
    /// The type as one core type.
    pub fn core_type(&self) -> Type {
        let own = without_idle_names(&self.ty);
        let ty = if self.computed { Type::fun(vec![Param { name: None, ty: unit() }], own) } else { own };
        let inner = if self.types.is_empty() { ty } else { Type::scalar(Atom::Forall(self.types.clone(), ty)) };
        let indices = self.index_params();
        if indices.is_empty() { inner } else { Type::scalar(Atom::Pi(indices, inner)) }
    }
}

/// The type of a function with the names of those parameters only that it mentions. Sizes that it hides may be computed from others.
fn without_idle_names(ty: &Type) -> Type {
    let Atom::Fun(params, ret) = ty.atom() else { return ty.clone() };
    if params.iter().all(|param| param.name.is_none()) {
        return ty.clone();
    }
    let mut used = sizes::free_atoms(ret);
    let mut params = params.clone();
    for param in params.iter_mut().rev() {
        param.name = param.name.filter(|name| used.contains(&DimAtom::Size(*name)));
        used.extend(sizes::free_atoms(&param.ty));
    }
    Type::new(Atom::Fun(params, ret.clone()), ty.shape().clone())
}

/// What elaboration keeps between definitions.
#[derive(Debug, Default, Clone)]
pub struct Schemes {
    defs: FxHashMap<DefId, Scheme>,
    variants: FxHashMap<(DefId, Vec<usize>), Scheme>,
    /// The variants that the elaboration of the present definition has added: they go with it if it fails.
    added: Vec<(DefId, Vec<usize>)>,
    /// Time spent on sizes so far.
    pub size_time: Duration,
    /// Names of all definitions in core.
    taken: FxHashSet<Symbol>,
    /// Constants that are others by another name: the same sizes.
    constants: FxHashMap<Symbol, Symbol>,
    /// The constants that are sizes in the type of a definition.
    mentioned: FxHashMap<DefId, Vec<Symbol>>,
    /// The definition whose inner types are kept, and what they are.
    watched: Option<DefId>,
    seen: Seen,
}

impl Schemes {
    /// For a program of which nothing has been elaborated yet.
    pub fn new(program: &Program) -> Schemes {
        Schemes { taken: program.defs.iter().map(|(_, d)| d.unique).collect(), ..Schemes::default() }
    }
    /// Takes over what is known about a definition, or what it was before in another version of the program.
    pub fn adopt(&mut self, def: DefId, from: &Schemes, old: DefId) {
        let Some(scheme) = from.defs.get(&old) else { return };
        self.constants.extend(from.constants.get(&scheme.name).map(|first| (scheme.name, *first)));
        from.mentioned.get(&old).into_iter().for_each(|names| drop(self.mentioned.insert(def, names.clone())));
        for ((_, sizes), variant) in from.variants.iter().filter(|((of, _), _)| *of == old) {
            self.variants.insert((def, sizes.clone()), variant.clone());
        }
        self.defs.insert(def, scheme.clone());
    }
    /// Whether others see no difference between a definition and what it was before.
    pub fn agrees(&self, def: DefId, before: &Schemes, old: DefId) -> bool {
        let (Some(a), Some(b)) = (self.defs.get(&def), before.defs.get(&old)) else { return false };
        let varied = |schemes: &Schemes, def: DefId| schemes.variants.keys().any(|(of, _)| *of == def);
        (a.name, &a.sizes, &a.types, &a.ty, a.computed) == (b.name, &b.sizes, &b.types, &b.ty, b.computed)
            && a.hidden.is_empty()
            && b.hidden.is_empty()
            && a.arguments.is_empty()
            && b.arguments.is_empty()
            && self.mentioned.get(&def) == before.mentioned.get(&old)
            && self.constants.get(&a.name) == before.constants.get(&b.name)
            && !varied(self, def)
            && !varied(before, old)
    }
    /// Whether there are names of definitions in core that nobody wrote: sizes that constants hide.
    pub fn names_more_than(&self, program: &Program) -> bool {
        self.taken.len() > program.defs.len()
    }
    /// The constant that a constant of type `i64` is another name of; itself, if of none.
    fn constant(&self, name: Symbol) -> Symbol {
        self.constants.get(&name).copied().unwrap_or(name)
    }
    /// The sized type of a definition that has been elaborated.
    pub fn get(&self, def: DefId) -> Option<&Scheme> {
        self.defs.get(&def)
    }
}

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
    /// Whether it is a size of what the definition makes, not one that a function is ready for.
    made: bool,
}

/// What names stand for, and which are taken.
#[derive(Default)]
struct Names {
    locals: FxHashMap<PatId, Local>,
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

    fn definition(&mut self, decl: &DefDecl, existential: &[usize]) -> Result<Scheme> {
        self.push_frame();
        self.frame().abstraction = true;
        let mut types = self.type_params(self.def);
        let sizes = self.size_params(&decl.tparams, existential);
        self.variant.open_results = existential.contains(&UNWRITTEN);
        let (value, ty) = self.function(&decl.params, decl.ret, decl.body, &[], decl.name.span)?;
        self.sizes.retry(false).map_err(|(clash, span)| self.clash(clash, span))?;
        let mut scheme = self.generalise(sizes, ty, 0);
        self.finish_metas()?;
        let frame = self.pop_frame();
        let value = scope::wrap(frame, value);
        scheme.types.append(&mut types);
        scheme.name = recursive::variant_name(core_name(self.program, self.def), existential);
        scheme.ty = self.sizes.zonk_type(&scheme.ty);
        if existential.is_empty() {
            self.no_unused_size(&decl.tparams, &scheme)?;
        }
        self.keep_seen(existential);
        let mut value = zonk::expr(self, &value);
        if decl.params.is_empty()
            && let Err(open) = self.closed_or_value(&scheme, &value, decl)
        {
            value = match self.expanded(value.clone(), &scheme.ty, decl.body) {
                Some(function) => function,
                None if self.declares_all(&scheme, decl) => {
                    scheme.computed = true;
                    let params = vec![(self.fresh_name(Symbol::new("u")), unit())];
                    core::Expr::new(core::ExprKind::Fn { params, ret: scheme.ty.clone(), body: value }, decl.span)
                }
                None => return Err(open),
            };
        }
        if let (true, Some(other)) = (is_i64(&scheme.ty), constant_size(&value).filter(|name| self.schemes.taken.contains(name))) {
            let first = self.schemes.constant(other);
            self.schemes.constants.insert(scheme.name, first);
        }
        let value = self.with_constants(value);
        let body = abstracted(&scheme, value, decl.span);
        let entry = existential.is_empty() && !scheme.computed && self.is_entry(decl);
        let recursive = self.program.defs[self.def].recursive;
        let define = core::Define { name: scheme.name, ty: scheme.core_type(), body, entry, recursive, span: decl.name.span };
        match self.hidden_sizes(&scheme) {
            Some(hidden) => self.add_opened(define, &mut scheme, hidden),
            None => self.add_definition(define, &mut scheme),
        }
        Ok(scheme)
    }
    /// The value restriction: what is computed when the program starts has one type, only values are polymorphic.
    fn closed_or_value(&self, scheme: &Scheme, value: &core::Expr, decl: &DefDecl) -> Result<()> {
        let indices = scheme.index_params();
        if indices.is_empty() {
            return Ok(());
        }
        let mut env = TypeEnv::default();
        for known in self.schemes.defs.values().chain(self.schemes.variants.values()) {
            env.define(known.name, known.core_type());
        }
        indices.into_iter().for_each(|name| env.index(name));
        scheme.types.iter().for_each(|name| env.type_variable(*name));
        // What is not well typed is for the validator to report, as an error of ours.
        match check::is_value(&mut env, value) {
            Ok(false) => Err(self.open_type(scheme, decl).into()),
            Ok(true) | Err(_) => Ok(()),
        }
    }
    /// Whether all that the type of a definition leaves open is a parameter that was written: then it is computed at each use.
    fn declares_all(&self, scheme: &Scheme, decl: &DefDecl) -> bool {
        !decl.entry && decl.tparams.len() == scheme.sizes.len() + scheme.types.len() && self.hidden_sizes(scheme).is_none()
    }
    /// Every definition of the user's files that is not polymorphic in types can be run; those in modules cannot.
    fn is_entry(&self, decl: &DefDecl) -> bool {
        let def = &self.program.defs[self.def];
        def.is_plain() && (decl.entry || !def.stdlib)
    }

    /// A function of these parameters, or the body itself if there are none. A body that is again a function gives its parameters
    /// to this one: nested one by one, each of their types would be written out with all that follow. `hint` has the parameters that
    /// are expected, as far as they are known.
    fn function(&mut self, params: &[PatId], mut ret: Option<TypeId>, mut body: ExprId, hint: &[Param], span: Span) -> Result<Typed> {
        let program = self.program;
        let mut params = params.to_vec();
        let mut hint = hint.to_vec();
        while !params.is_empty()
            && ret.is_none()
            && let ExprKind::Lambda { params: more, ret: inner, body: next } = &program.ast.exprs[view::strip(&program.ast, body)].kind
        {
            params.extend(more);
            (ret, body) = (*inner, *next);
        }
        self.push_frame();
        self.frame().abstraction = params.is_empty();
        let mut core_params = Vec::with_capacity(params.len());
        let mut late_sizes: Vec<(Vec<annotations::LateSize>, Vec<annotations::LateSize>)> = Vec::with_capacity(params.len());
        for (i, pat) in params.iter().enumerate() {
            let first = self.sizes.count();
            let place = self.reading.place.parameter();
            let expected = hint.get(i).map(|p| &p.ty);
            let read = |elab: &mut Self| {
                elab.reading_with(|reading| &mut reading.place, place, |elab| elab.parameter_type(*pat, expected, span)).0
            };
            let read = |elab: &mut Self| elab.reading_with(|reading| &mut reading.argument_sizes, Some(Vec::new()), read);
            let ((ty, arguments), late) = self.reading_with(|reading| &mut reading.late_sizes, Some(Vec::new()), read);
            late_sizes.push((late.unwrap_or_default(), arguments.unwrap_or_default()));
            let ty = ty?;
            self.sizes.close_parameter(first);
            let name = self.fresh_name(self.pat_name(*pat));
            let ty = match expected.filter(|expected| ragged::is_box(&self.sizes.zonk_type(expected)) && !ragged::is_box(&ty)) {
                Some(row) => row.clone(),
                None => ty,
            };
            self.bind_param(name, &ty, self.program.ast.pats[*pat].span);
            match ragged::is_box(&ty) {
                true => self.bind_row(*pat, name, &ty)?,
                false => self.bind_pattern_var(*pat, name, &ty)?,
            }
            if let Some(expected) = hint.get(i).and_then(|p| p.name) {
                for later in &mut hint[i + 1..] {
                    later.ty = self.renamed(&later.ty, DimAtom::Size(expected), Dim::size(name));
                }
            }
            core_params.push((name, ty));
        }
        self.join_late_sizes(&late_sizes, span)?;
        for ((pat, (name, ty)), (late, arguments)) in params.iter().zip(&core_params).zip(late_sizes) {
            if !arguments.is_empty() {
                let params: Vec<Symbol> = core_params.iter().map(|(name, _)| *name).collect();
                self.remember_argument_sizes(&arguments, &params);
                self.check_argument_sizes(*pat, *name, ty, &arguments)?;
            }
            self.check_late_sizes(*pat, *name, ty, late)?;
        }
        let declared = ret.map(|ret| self.annotation(ret)).transpose()?.map(|ty| self.open_existential_sizes(ty));
        let declared = declared.map(|ty| self.open_parameters(ty, span));
        let body_span = self.program.ast.exprs[body].span;
        let exit = match std::mem::take(&mut self.exits.wanted) {
            true => self.first_exit(body, declared.as_ref())?,
            false => recursive::Exit::Value(self.expr(body)?),
        };
        let (value, ty) = match exit {
            recursive::Exit::Value((value, ty)) => self.ascribe_result(value, ty, declared, body_span)?,
            recursive::Exit::Declared(ty) => (core::Expr::new(core::ExprKind::Tuple(Vec::new()), body_span), ty),
        };
        let names: Vec<Symbol> = core_params.iter().map(|(n, _)| *n).collect();
        let (value, ty) = self.close_function(value, ty, &names, body_span)?;
        if core_params.is_empty() {
            return Ok((value, ty));
        }
        let fun_ty = self.function_type(&core_params, &ty);
        let outer = self.level();
        self.sizes.lower(&fun_ty, outer);
        let kind = core::ExprKind::Fn { params: core_params, ret: ty, body: value };
        Ok((core::Expr::new(kind, span), fun_ty))
    }
    /// Checks the sizes of a parameter that are computed from the parameters: the caller cannot know them. In the body the
    /// parameter has these sizes.
    fn check_late_sizes(&mut self, pat: PatId, name: Symbol, ty: &Type, late: Vec<annotations::LateSize>) -> Result<()> {
        let mut map = FxHashMap::default();
        for annotations::LateSize { meta, expr } in late {
            let size = self.size_or_bind(&expr);
            map.insert(meta, size);
        }
        if map.is_empty() {
            return Ok(());
        }
        let span = self.program.ast.pats[pat].span;
        // Before it is looked at what became of the unknowns: what is known of them may be another size.
        let ty = self.sizes.zonk_type(&types::rewrite(ty, &mut types::Substitution::sizes(map)));
        let expr = core::Expr::new(core::ExprKind::Var(name), span);
        let checked = core::Expr::new(core::ExprKind::Coerce { ty: ty.clone(), expr }, span);
        let name = self.bind_let(name, checked, ty.clone(), span);
        self.bind_pattern_var(pat, name, &ty)
    }
    /// Sizes of parameters that are computed alike are one size for the caller, if one of them is that of what a function is applied to.
    fn join_late_sizes(&mut self, late: &[(Vec<annotations::LateSize>, Vec<annotations::LateSize>)], span: Span) -> Result<()> {
        for argument in late.iter().flat_map(|(_, arguments)| arguments) {
            let Some(wanted) = self.comparable(&argument.expr) else { continue };
            for other in late.iter().flat_map(|(late, arguments)| late.iter().chain(arguments)) {
                if self.comparable(&other.expr).is_some_and(|other| self.sizes.same(&wanted, &other)) {
                    let (one, two) = (Dim::atom(argument.meta), Dim::atom(other.meta));
                    self.sizes.unify_dim(&one, &two, span).map_err(|clash| self.clash(clash, span))?;
                }
            }
        }
        Ok(())
    }
    /// A parameter that is a function, with sizes of its arguments that are computed from the parameters: the caller cannot know them. In the
    /// body it is a function that is applied to arrays of these sizes, and looks whether they are those that the caller had in mind.
    fn check_argument_sizes(&mut self, pat: PatId, name: Symbol, ty: &Type, sizes: &[annotations::LateSize]) -> Result<()> {
        let span = self.program.ast.pats[pat].span;
        let computed = || Error::new(ErrorKind::Mismatch(error::Mismatch::ComputedParameter), sizes[0].expr.span());
        let map: FxHashMap<DimAtom, Dim> = sizes.iter().map(|size| (size.meta, self.size_or_bind(&size.expr))).collect();
        let mentions = |ty: &Type| sizes::free_atoms(ty).iter().any(|atom| map.contains_key(atom));
        let (Atom::Fun(params, ret), true) = (ty.atom(), ty.shape().is_scalar()) else { return Err(computed().into()) };
        // Only the sizes of arrays can be looked at.
        let inside = |ty: &Type| mentions(&Type::scalar(ty.atom().clone()));
        if mentions(ret) || params.iter().any(|param| inside(&param.ty)) {
            return Err(computed().into());
        }
        self.push_frame();
        let mut names = Vec::with_capacity(params.len());
        let mut args = Vec::with_capacity(params.len());
        for param in params {
            let given = types::rewrite(&param.ty, &mut types::Substitution::sizes(map.clone()));
            let own = param.name.unwrap_or_else(|| self.fresh_name(Symbol::new("x")));
            self.bind_param(own, &given, span);
            let mut value = core::Expr::new(core::ExprKind::Var(own), span);
            if mentions(&param.ty) {
                value = core::Expr::new(core::ExprKind::Coerce { ty: param.ty.clone(), expr: value }, span);
            }
            args.push(apply::Arg::Ready((value, param.ty.clone()), span));
            names.push((own, given));
        }
        let function = (core::Expr::new(core::ExprKind::Var(name), span), ty.clone());
        let (body, actual) = self.apply_exact(apply::Head::Fun { value: function, instance: None }, args, span)?;
        let (body, actual) = self.ascribe_result(body, actual, Some(ret.clone()), span)?;
        let own: Vec<Symbol> = names.iter().map(|(name, _)| *name).collect();
        let (body, ret) = self.close_function(body, actual, &own, span)?;
        let ty = self.function_type(&names, &ret);
        let checked = core::Expr::new(core::ExprKind::Fn { params: names, ret, body }, span);
        let name = self.bind_let(name, checked, ty.clone(), span);
        self.bind_pattern_var(pat, name, &ty)
    }
    /// The type of a parameter: the expected one where nothing is annotated.
    fn parameter_type(&mut self, pat: PatId, expected: Option<&Type>, span: Span) -> Result<Type> {
        let inferred = self.tables.pats.get(pat);
        let Some(expected) = expected else { return self.pattern_type(pat) };
        let name = matches!(self.program.ast.pats[pat].kind, PatKind::Name(_) | PatKind::Wild);
        let data = !matches!(expected.atom(), Atom::Sigma(..) | Atom::Fun(..));
        let dims = expected.shape().items.iter().filter(|i| matches!(i, core::ShapeItem::Dim(_))).count();
        if name && data && inferred.is_some_and(|t| t.rank as usize == dims) {
            return Ok(expected.clone());
        }
        let ty = self.pattern_type(pat)?;
        // A clash is reported by the application, which knows both sides.
        let _ = self.sizes.unify(expected, &ty, span);
        Ok(ty)
    }
    /// The type of a function: parameters that later types mention keep their names.
    fn function_type(&self, params: &[(Symbol, Type)], ret: &Type) -> Type {
        let ret = self.sizes.zonk_type(ret);
        let mut used: FxHashSet<DimAtom> = self.sizes.dependencies(&ret).into_iter().collect();
        let mut out = Vec::with_capacity(params.len());
        for (name, ty) in params.iter().rev() {
            let ty = self.sizes.zonk_type(ty);
            let named = used.contains(&DimAtom::Size(*name)) && is_i64(&ty);
            used.extend(self.sizes.dependencies(&ty));
            out.push(Param { name: named.then_some(*name), ty });
        }
        out.reverse();
        Type::fun(out, ret)
    }

    /// Turns the unknowns of a function's type that belong to no outer scope into size parameters.
    fn generalise(&mut self, mut params: Vec<Symbol>, ty: Type, level: u32) -> Scheme {
        let ty = self.sizes.zonk_type(&ty);
        let inputs: Vec<DimAtom> = match ty.atom() {
            Atom::Fun(ps, _) if ty.shape().is_scalar() => ps.iter().flat_map(|p| sizes::free_atoms(&p.ty)).collect(),
            _ => Vec::new(),
        };
        for atom in inputs {
            let DimAtom::Meta(meta) = atom else { continue };
            if self.sizes.level(atom) <= level || self.sizes.zonk(&Dim::atom(atom)) != Dim::atom(atom) || self.sizes.is_deferred(meta) {
                continue;
            }
            let name = self.fresh_name(Symbol::new("d"));
            self.sizes.bind_atom(DimAtom::Var(name), level, self.sizes.meta_span(meta));
            self.sizes.solve(meta, Dim::var(name));
            params.push(name);
        }
        let hidden = self.computed_in(&ty);
        let arguments = self.argument_sizes_of(&params);
        Scheme { name: Symbol::new(""), sizes: params, types: Vec::new(), ty, computed: false, hidden, arguments }
    }
    /// Settles what is still unknown at the end: a `rep` of unknown length is an error; any other size that nothing
    /// determines belongs to no value that is ever made, or to an empty one.
    fn finish_metas(&mut self) -> Result<()> {
        self.sizes.match_parts(0);
        let open = self.sizes.without_parts();
        if let Some(span) = self.sizes.undetermined_rep() {
            return Err(Error::new(ErrorKind::Undetermined(Undetermined::Replication), span).into());
        }
        for needed in &self.claims.needed {
            let size = self.sizes.zonk(&needed.size);
            let unknown = |atom| matches!(atom, DimAtom::Meta(_));
            if size.as_atom().is_some_and(unknown) || needed.made && size.atoms().any(unknown) {
                return Err(self.undetermined_size(needed).into());
            }
        }
        if let Some((size, span)) = open {
            return Err(self.undetermined_parts(&size, span).into());
        }
        let before = self.sizes.snapshot();
        let settled = self.settle_unknowns();
        if let Err((clash, span)) = settled {
            // The message is about the sizes as they were known before.
            let put_off = before.put_off(span).cloned();
            self.sizes.rollback(before);
            let (left, right) = match put_off {
                Some((left, right)) => (self.sizes.zonk(&left), self.sizes.zonk(&right)),
                None => return Err(self.clash(clash, span).into()),
            };
            return Err(self.clash(sizes::Clash::Sizes { left, right, definite: false }, span).into());
        }
        for (dim, natural) in &self.claims.naturals {
            if let Some(size) = self.sizes.zonk(dim).as_constant().filter(|size| *size < 0) {
                return Err(self.negative(natural, size).into());
            }
        }
        Ok(())
    }
    fn settle_unknowns(&mut self) -> Result<(), (sizes::Clash, Span)> {
        for meta in self.sizes.unsolved() {
            if self.sizes.is_solved(meta) {
                continue;
            }
            self.sizes.solve(meta, Dim::constant(0));
            // Equations that were put off may fix others.
            self.sizes.retry(false)?;
        }
        self.sizes.retry(true)
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

/// The value under the abstractions of its scheme.
fn abstracted(scheme: &Scheme, value: core::Expr, span: Span) -> core::Expr {
    let mut out = value;
    if !scheme.types.is_empty() {
        out = core::Expr::new(core::ExprKind::TFn { params: scheme.types.clone(), body: out }, span);
    }
    let indices = scheme.index_params();
    if !indices.is_empty() {
        out = core::Expr::new(core::ExprKind::IFn { params: indices, body: out }, span);
    }
    out
}

/// A name of core as it was written: without the number that tells it from others.
fn written(name: Symbol) -> Symbol {
    name.as_str().split('.').next().filter(|stem| !stem.is_empty()).map_or(name, Symbol::new)
}

/// The name whose value, a size, is that of the expression.
fn constant_size(value: &core::Expr) -> Option<Symbol> {
    match value.kind() {
        core::ExprKind::Var(name) => Some(*name),
        core::ExprKind::ReifyDim(dim) => match dim.as_atom() {
            Some(DimAtom::Size(name)) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// The frame of these sizes.
fn frame_shape(dims: &[Dim]) -> Shape {
    Shape::dims(dims.iter().cloned())
}
