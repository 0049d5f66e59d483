//! What types say about consuming: modes.
//!
//! A mode mirrors a type as far as `*` occurs in it. As the mode of a parameter `Unique` means that the caller gives the argument away, as
//! the mode of a result that it shares memory with nothing else.

use crate::base::Symbol;
use crate::ir::surface::{Ident, TypeArg, TypeId, TypeKind, TypeParam};
use crate::ir::tables::{DefId, Program, TypeDefId, TypeParamId, TypeRes};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Nodes of a type that are looked at; in what is larger `*` says nothing.
const MOST_NODES: usize = 1 << 12;

/// What a type says about consuming.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mode {
    /// Nothing: no `*` in it, which also stands for functions and tuples without.
    Plain,
    /// Nothing, as there is no memory: it fits everywhere.
    Scalar,
    /// `*` applies to all of it.
    Unique,
    /// A tuple, a record (labels in ascending order) or a sum (constructors in ascending order, one payload after the other).
    Parts(Arc<[Mode]>),
    /// A function in whose type `*` occurs.
    Fun(Arc<FunMode>),
}

/// The mode of a function of one argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FunMode {
    /// Of the argument.
    pub(super) param: Mode,
    /// Of the result.
    pub(super) result: Mode,
    /// Whether the body is done when this argument is there.
    pub(super) last: bool,
}

impl Mode {
    /// The mode of a function; `Plain` if it says nothing.
    pub(super) fn fun(param: Mode, result: Mode, last: bool) -> Mode {
        if param == Mode::Plain && result == Mode::Plain {
            return Mode::Plain;
        }
        Mode::Fun(Arc::new(FunMode { param, result, last }))
    }
    /// The mode of a compound; `Plain`, `Unique` or `Scalar` if all parts with memory are.
    pub(super) fn parts(parts: Vec<Mode>) -> Mode {
        let mut memory = parts.iter().filter(|part| **part != Mode::Scalar);
        match memory.next() {
            None => Mode::Scalar,
            Some(first @ (Mode::Plain | Mode::Unique)) if memory.all(|part| part == first) => first.clone(),
            Some(_) => Mode::Parts(parts.into()),
        }
    }
    /// As the mode of a function: of its argument and its result, and whether the body is done then.
    pub(super) fn arrow(&self) -> (Mode, Mode, bool) {
        match self {
            Mode::Fun(fun) => (fun.param.clone(), fun.result.clone(), fun.last),
            Mode::Plain | Mode::Scalar | Mode::Unique | Mode::Parts(_) => (Mode::Plain, Mode::Plain, true),
        }
    }
    /// The mode of a part.
    pub(super) fn part(&self, at: usize) -> Mode {
        match self {
            Mode::Parts(parts) => parts.get(at).cloned().unwrap_or(Mode::Plain),
            Mode::Unique | Mode::Scalar => self.clone(),
            Mode::Plain | Mode::Fun(_) => Mode::Plain,
        }
    }
    /// The mode with a `*` before the type.
    pub(super) fn owned(&self) -> Mode {
        match self {
            Mode::Plain | Mode::Unique => Mode::Unique,
            Mode::Parts(parts) => Mode::parts(parts.iter().map(Mode::owned).collect()),
            Mode::Scalar | Mode::Fun(_) => self.clone(),
        }
    }
    /// Whether some memory of an argument is consumed.
    pub(super) fn takes(&self) -> bool {
        match self {
            Mode::Unique => true,
            Mode::Parts(parts) => parts.iter().any(Mode::takes),
            Mode::Plain | Mode::Scalar | Mode::Fun(_) => false,
        }
    }
}

/// Why a function cannot stand where another is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// It takes an argument that is not consumed.
    Takes,
    /// Its result may share memory, but is to share none.
    Shares,
}

/// Whether a value of mode `actual` may stand where one of mode `wanted` is expected, as far as functions in them go.
pub(super) fn fits(actual: &Mode, wanted: &Mode) -> Result<(), Misfit> {
    match (actual, wanted) {
        (Mode::Fun(_), _) | (_, Mode::Fun(_)) => {
            let (param, result, _) = actual.arrow();
            let (given, promised, _) = wanted.arrow();
            if !covers(&given, &param) {
                return Err(Misfit::Takes);
            }
            fits(&given, &param)?;
            if !covers(&result, &promised) {
                return Err(Misfit::Shares);
            }
            fits(&result, &promised)
        }
        (Mode::Parts(parts), _) | (_, Mode::Parts(parts)) => (0..parts.len()).try_for_each(|at| fits(&actual.part(at), &wanted.part(at))),
        (Mode::Plain | Mode::Scalar | Mode::Unique, Mode::Plain | Mode::Scalar | Mode::Unique) => Ok(()),
    }
}

/// Whether everything that is unique in `less` is unique in `more`.
pub(super) fn covers(more: &Mode, less: &Mode) -> bool {
    match (more, less) {
        (_, Mode::Plain | Mode::Scalar | Mode::Fun(_)) | (Mode::Unique | Mode::Scalar, _) => true,
        (_, Mode::Parts(parts)) => parts.iter().enumerate().all(|(at, part)| covers(&more.part(at), part)),
        (Mode::Parts(parts), Mode::Unique) => parts.iter().all(|part| covers(part, &Mode::Unique)),
        (Mode::Plain | Mode::Fun(_), Mode::Unique) => false,
    }
}

/// Modes of type parameters of an abbreviation.
type Args = FxHashMap<TypeParamId, Mode>;

/// Reads modes from types.
#[derive(Debug, Default)]
pub(super) struct Types {
    /// Abbreviations without parameters, by whether `*` stands before them. Those that hide something are not in it.
    known: FxHashMap<(TypeDefId, bool), Mode>,
}

impl Types {
    /// The mode of a type in a definition.
    pub(super) fn mode(&mut self, program: &Program, viewer: DefId, ty: TypeId) -> Mode {
        let mut reader = Reader { types: self, program, viewer, left: MOST_NODES };
        reader.mode(ty, false, &Args::default())
    }
}

struct Reader<'a> {
    types: &'a mut Types,
    program: &'a Program,
    viewer: DefId,
    left: usize,
}

impl Reader<'_> {
    fn mode(&mut self, ty: TypeId, unique: bool, args: &Args) -> Mode {
        let leaf = if unique { Mode::Unique } else { Mode::Plain };
        let Some(left) = self.left.checked_sub(1) else { return leaf };
        self.left = left;
        let program = self.program;
        match &program.ast.types[ty].kind {
            TypeKind::Error => Mode::Plain,
            TypeKind::Array(..) => leaf,
            TypeKind::Name { args: given, .. } => self.named(ty, given, unique, args),
            TypeKind::Tuple(parts) => Mode::parts(parts.iter().map(|part| self.mode(*part, unique, args)).collect()),
            TypeKind::Record(fields) => {
                let fields = ascending(fields.iter().map(|(label, part)| (*label, *part)).collect());
                Mode::parts(fields.into_iter().map(|(_, part)| self.mode(part, unique, args)).collect())
            }
            TypeKind::Sum(clauses) => {
                let clauses = ascending(clauses.iter().map(|(label, payload)| (*label, payload)).collect());
                Mode::parts(clauses.into_iter().flat_map(|(_, payload)| payload).map(|part| self.mode(*part, unique, args)).collect())
            }
            TypeKind::Arrow { from, to, .. } => {
                let (param, result) = (self.mode(*from, false, args), self.mode(*to, false, args));
                let more = matches!(self.arrow(*to), TypeKind::Arrow { .. });
                Mode::fun(param, result, !more)
            }
            TypeKind::Exists(_, inner) | TypeKind::Paren(inner) => self.mode(*inner, unique, args),
            TypeKind::Unique(inner) => self.mode(*inner, true, args),
        }
    }

    /// The type without what stands around it.
    fn arrow(&self, mut ty: TypeId) -> &TypeKind {
        loop {
            match &self.program.ast.types[ty].kind {
                TypeKind::Exists(_, inner) | TypeKind::Paren(inner) | TypeKind::Unique(inner) => ty = *inner,
                kind => return kind,
            }
        }
    }

    fn named(&mut self, ty: TypeId, given: &[TypeArg], unique: bool, args: &Args) -> Mode {
        let leaf = if unique { Mode::Unique } else { Mode::Plain };
        match self.program.names.types.get(ty) {
            Some(TypeRes::Param(param)) => match args.get(param) {
                None => leaf,
                Some(mode) if unique => mode.owned(),
                Some(mode) => mode.clone(),
            },
            Some(TypeRes::Abbreviation(def)) => self.abbreviation(*def, given, unique, args),
            Some(TypeRes::Prim(_)) => Mode::Scalar,
            None => leaf,
        }
    }

    /// Whether a type is declared with a `*`: its values are consumed wherever they are used.
    fn is_owned(&self, mut def: TypeDefId) -> bool {
        // A module type that hides a type makes another one, which stands for it.
        for _ in 0..MOST_NODES {
            let ty = self.program.types[def].decl.ty;
            match (&self.program.ast.types[ty].kind, self.program.names.types.get(ty)) {
                (TypeKind::Unique(_), _) => return true,
                (_, Some(TypeRes::Abbreviation(behind))) => def = *behind,
                _ => return false,
            }
        }
        false
    }

    fn abbreviation(&mut self, def: TypeDefId, given: &[TypeArg], unique: bool, args: &Args) -> Mode {
        let program = self.program;
        if self.is_owned(def) {
            return Mode::Unique;
        }
        if program.hides(def, self.viewer) {
            return if unique { Mode::Unique } else { Mode::Plain };
        }
        let closed = !given.iter().any(|arg| matches!(arg, TypeArg::Type(_)));
        if closed && let Some(mode) = self.types.known.get(&(def, unique)) {
            return mode.clone();
        }
        let decl = &program.types[def].decl;
        let params = decl.tparams.iter().filter_map(|param| if let TypeParam::Type(ident) = param { Some(ident.span) } else { None });
        let types = given.iter().filter_map(|arg| if let TypeArg::Type(ty) = arg { Some(*ty) } else { None });
        let inner: Args =
            params.zip(types).filter_map(|(param, ty)| Some((*program.names.declared.get(&param)?, self.mode(ty, false, args)))).collect();
        let mode = self.mode(decl.ty, unique, &inner);
        if closed && self.left > 0 {
            self.types.known.insert((def, unique), mode.clone());
        }
        mode
    }
}

/// Fields or constructors in the order in which types have them, each once.
fn ascending<T>(mut fields: Vec<(Ident, T)>) -> Vec<(Symbol, T)> {
    fields.sort_by_key(|(label, _)| (label.name, label.span));
    fields.dedup_by(|next, kept| next.0.name == kept.0.name);
    fields.into_iter().map(|(label, part)| (label.name, part)).collect()
}
