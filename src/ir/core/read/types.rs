//! Reading of indices and types.

use super::{BinderKind, ErrorKind, Reader, Wanted};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::print::is_type_word;
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::subst::fresh_symbol;
use crate::ir::core::{Atom, Dim, DimAtom, Index, Param, Shape, ShapeItem, Type, is_shape, sizes};

/// How the names of shapes begin that stand for the shapes of array types.
///
/// A type variable of kind Array is an atom type with a shape: `(Forall (@t) T)` is the Pi of a shape `@@t` over the Forall of an atom
/// `t`, and `@t` in `T` is `[t @@t]` (Slepak, Shivers, Manolios: The Semantics of Rank Polymorphism, section 2.1).
pub const ARRAY_SIGIL: &str = "@@";

/// The name spaces of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Index,
    Size,
    Type,
}

/// What a type variable stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeVariable {
    /// An atom type.
    Atom(Symbol),
    /// An array type, by its atom type and its shape.
    Array {
        /// The variable of the atom type.
        atom: Symbol,
        /// The variable of the shape.
        shape: Symbol,
    },
}

impl TypeVariable {
    fn ty(self) -> Type {
        match self {
            TypeVariable::Atom(atom) => Type::scalar(Atom::Var(atom)),
            TypeVariable::Array { atom, shape } => Type::new(Atom::Var(atom), Shape::var(shape)),
        }
    }
}

/// An argument for a type variable.
#[derive(Debug, Clone)]
pub enum TypeArgument {
    /// Of kind Atom, which also stands for its array of rank 0.
    Atom(Atom),
    /// Of kind Array.
    Array(Type),
}

/// What a name means that is bound in the text: its name in the result.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meaning {
    /// The sigil says the sort.
    Index(Symbol),
    Size(Symbol),
    /// A parameter that is no size.
    NoSize,
    Type(TypeVariable),
}

/// A variable that the text binds.
#[derive(Debug, Clone, Copy)]
pub struct Binder {
    /// The name in the text.
    pub name: Symbol,
    /// For indices whether it is a shape, for types whether it is of kind Array.
    pub large: bool,
    /// Where it is written.
    pub span: Span,
}

impl Binder {
    /// The name with exactly the sigil of its sort or kind.
    pub fn with_sigil(self) -> Symbol {
        let text = self.name.as_str();
        if self.large && !text.starts_with('@') { Symbol::new(&format!("@{text}")) } else { self.name }
    }
    /// The names of the atom type and the shape of a type variable of kind Array.
    pub fn array_names(self) -> (Symbol, Symbol) {
        let stem = self.name.as_str().trim_start_matches('@');
        (Symbol::new(stem), Symbol::new(&format!("{ARRAY_SIGIL}{stem}")))
    }
}

/// The scalar type that a word means.
fn prim_word(text: &str) -> Option<PrimType> {
    match text {
        "int" | "Int" | "Num" => Some(PrimType::I64),
        "float" | "Float" => Some(PrimType::F64),
        "Bool" => Some(PrimType::Bool),
        "char" | "Char" => Some(PrimType::U8),
        _ => PrimType::from_name(text),
    }
}

/// Whether a form can only be a type: the name of a scalar type or the head of a type.
pub fn is_type(item: &Sexp) -> bool {
    match &item.kind {
        SexpKind::Symbol(name) => prim_word(name.as_str()).is_some(),
        SexpKind::Paren(parts) => {
            let heads = ["Arr", "Array", "->", "→", "Forall", "∀", "Pi", "Π", "Sigma", "Σ", "Tup", "×", "Rec", "Sum", "Uniq"];
            parts.first().and_then(Sexp::keyword).is_some_and(|head| heads.contains(&head))
                || infix_arrow(parts).is_some_and(|(params, ret)| is_type(ret) && params.iter().all(is_type))
        }
        SexpKind::Bracket(parts) => parts.first().is_some_and(is_type),
        _ => false,
    }
}

/// The parameters and the result of `(T .. -> T)`.
fn infix_arrow(parts: &[Sexp]) -> Option<(&[Sexp], &Sexp)> {
    match parts {
        [params @ .., arrow, ret] if matches!(arrow.keyword(), Some("->" | "→")) => Some((params, ret)),
        _ => None,
    }
}

/// The number of an unknown size, `?12`.
fn meta_word(text: &str) -> Option<u32> {
    text.strip_prefix('?').and_then(|digits| digits.parse().ok())
}

fn variable_index(name: Symbol) -> Index {
    if is_shape(name) { Index::Shape(Shape::var(name)) } else { Index::Dim(Dim::var(name)) }
}

/// Reading of indices.
impl Reader<'_> {
    /// An index: a size or a shape.
    pub fn index(&mut self, item: &Sexp) -> Option<Index> {
        match &item.kind {
            SexpKind::Bracket(parts) => self.shape_items(parts).map(Index::Shape),
            SexpKind::Scalar(Scalar::I64(value)) => Some(Index::Dim(Dim::constant(*value))),
            SexpKind::Symbol(name) => match meta_word(name.as_str()) {
                Some(number) if self.names.is_none() => Some(Index::Dim(Dim::atom(DimAtom::Meta(number)))),
                _ if is_type_word(name.as_str()) || name.as_str() == ":" => self.error(item.span, ErrorKind::NotAnIndex(*name)),
                _ => self.index_variable(item.span, *name),
            },
            SexpKind::Quoted(name) => self.index_variable(item.span, *name),
            SexpKind::Paren(parts) => match parts.first().and_then(Sexp::keyword) {
                Some("++") => {
                    let shapes = parts[1..].iter().map(|part| self.shape(part)).collect::<Option<Vec<_>>>()?;
                    Some(Index::Shape(Shape { items: shapes.into_iter().flat_map(|shape| shape.items).collect() }))
                }
                Some("shape" | "Shp" | "S") => {
                    let dims = parts[1..].iter().map(|part| self.dim(part)).collect::<Option<Vec<_>>>()?;
                    Some(Index::Shape(Shape::dims(dims)))
                }
                _ => self.dim_form(item.span, parts).map(Index::Dim),
            },
            _ => self.wanted(item.span, Wanted::Index),
        }
    }

    fn index_variable(&mut self, span: Span, name: Symbol) -> Option<Index> {
        if let Some(Meaning::Index(inner)) = self.meaning(Space::Index, name) {
            return Some(variable_index(inner));
        }
        match self.names {
            None => Some(variable_index(name)),
            Some(names) => match names.index(name) {
                Some(index) => Some(index),
                None => self.error(span, names.unknown(Name::Index(name))),
            },
        }
    }

    /// A shape.
    pub fn shape(&mut self, item: &Sexp) -> Option<Shape> {
        match self.index(item)? {
            Index::Shape(shape) => Some(shape),
            Index::Dim(_) => self.error(item.span, ErrorKind::SizeForShape),
        }
    }

    /// A shape written as a list of sizes and shapes.
    pub fn shape_items(&mut self, items: &[Sexp]) -> Option<Shape> {
        let mut shape = Shape::default();
        for item in items {
            match self.index(item)? {
                Index::Shape(mut part) => shape.items.append(&mut part.items),
                Index::Dim(dim) => shape.items.push(ShapeItem::Dim(dim)),
            }
        }
        Some(shape)
    }

    /// A size.
    pub fn dim(&mut self, item: &Sexp) -> Option<Dim> {
        match self.index(item)? {
            Index::Dim(dim) => Some(dim),
            Index::Shape(_) => self.error(item.span, ErrorKind::ShapeForSize),
        }
    }

    fn dim_form(&mut self, span: Span, parts: &[Sexp]) -> Option<Dim> {
        let head = parts.first().and_then(Sexp::keyword);
        let operands = parts.get(1..).unwrap_or_default();
        if let (Some("size"), [name]) = (head, operands) {
            let symbol = self.term_name(name)?;
            return self.size(name.span, symbol);
        }
        let op: fn(&Dim, &Dim) -> Option<Dim> = match head {
            Some("+" | "PLUS") => |a, b| sizes::limited(a.add(b)),
            Some("-") => |a, b| sizes::limited(a.sub(b)),
            Some("*") => sizes::product,
            _ => return self.wanted(span, Wanted::IndexForm),
        };
        let mut value: Option<Dim> = None;
        for operand in operands {
            let operand = self.dim(operand)?;
            value = match value {
                None => Some(operand),
                Some(value) => match op(&value, &operand) {
                    Some(value) => Some(value),
                    None => return self.error(span, ErrorKind::SizeTooLarge),
                },
            };
        }
        Some(value.unwrap_or_else(|| Dim::constant(i64::from(head == Some("*")))))
    }

    /// The size that a term variable is.
    fn size(&mut self, span: Span, name: Symbol) -> Option<Dim> {
        match self.meaning(Space::Size, name) {
            Some(Meaning::Size(inner)) => return Some(Dim::size(inner)),
            Some(Meaning::NoSize) => return self.error(span, ErrorKind::ParameterIsNoSize(name)),
            _ => {}
        }
        match self.names {
            None => Some(Dim::size(name)),
            Some(names) => match names.size(name) {
                Some(dim) => Some(dim),
                None => self.error(span, names.unknown(Name::Size(name))),
            },
        }
    }
}

/// Reading of types.
impl Reader<'_> {
    /// An array type; an atom type stands for the array of rank 0.
    pub fn ty(&mut self, item: &Sexp) -> Option<Type> {
        match self.type_argument(item)? {
            TypeArgument::Atom(atom) => Some(Type::scalar(atom)),
            TypeArgument::Array(ty) => Some(ty),
        }
    }

    /// An atom type.
    pub fn atom(&mut self, item: &Sexp) -> Option<Atom> {
        match self.type_argument(item)? {
            TypeArgument::Atom(atom) => Some(atom),
            TypeArgument::Array(_) => self.error(item.span, ErrorKind::ArrayForAtom),
        }
    }

    /// A type, of the kind that its form has.
    pub fn type_argument(&mut self, item: &Sexp) -> Option<TypeArgument> {
        match &item.kind {
            SexpKind::Bracket(parts) => match parts.split_first() {
                Some((atom, shape)) => Some(TypeArgument::Array(Type::new(self.atom(atom)?, self.shape_items(shape)?))),
                None => self.error(item.span, ErrorKind::ArrayType("[t i ..]")),
            },
            SexpKind::Paren(parts) if parts.first().and_then(Sexp::keyword) == Some("Arr") => match &parts[1..] {
                [atom, shape] => {
                    let atom = self.atom(atom);
                    let shape = self.shape(shape);
                    Some(TypeArgument::Array(Type::new(atom?, shape?)))
                }
                _ => self.error(item.span, ErrorKind::ArrayType("(Arr t s)")),
            },
            SexpKind::Paren(parts) if parts.first().and_then(Sexp::keyword) == Some("Array") => match &parts[1..] {
                [shape, atom] => {
                    let shape = self.shape(shape);
                    let atom = self.atom(atom);
                    Some(TypeArgument::Array(Type::new(atom?, shape?)))
                }
                _ => self.error(item.span, ErrorKind::ArrayType("(Array s t)")),
            },
            SexpKind::Paren(parts) if parts.first().and_then(Sexp::keyword) == Some("Uniq") => match &parts[1..] {
                // Which updates are done in place is found out later; the mark says nothing about values.
                [ty] => self.type_argument(ty),
                _ => self.error(item.span, ErrorKind::UniqueType),
            },
            SexpKind::Symbol(name) => match prim_word(name.as_str()) {
                Some(prim) => Some(TypeArgument::Atom(Atom::Prim(prim))),
                None => self.type_variable(item.span, *name),
            },
            SexpKind::Quoted(name) => self.type_variable(item.span, *name),
            SexpKind::Paren(parts) => self.atom_form(item.span, parts).map(TypeArgument::Atom),
            _ => self.wanted(item.span, Wanted::Type),
        }
    }

    fn type_variable(&mut self, span: Span, name: Symbol) -> Option<TypeArgument> {
        let variable = match (self.meaning(Space::Type, name), self.names) {
            (Some(Meaning::Type(variable)), _) => variable,
            (_, Some(names)) => match names.type_variable(name) {
                Some(variable) => variable,
                None => return self.error(span, names.unknown(Name::Type(name))),
            },
            _ if is_shape(name) || matches!(name.as_str(), ":" | "...") => return self.error(span, ErrorKind::NotAType(name)),
            _ => TypeVariable::Atom(name),
        };
        Some(match variable {
            TypeVariable::Atom(atom) => TypeArgument::Atom(Atom::Var(atom)),
            TypeVariable::Array { .. } => TypeArgument::Array(variable.ty()),
        })
    }

    fn atom_form(&mut self, span: Span, parts: &[Sexp]) -> Option<Atom> {
        let head = parts.first().and_then(Sexp::keyword).unwrap_or("");
        let operands = parts.get(1..).unwrap_or_default();
        match (head, operands) {
            ("->" | "→", [params, ret]) => {
                let params = self.parens(params, "the parameters of the function type, (-> (T ..) T)")?;
                self.function_type(params, ret)
            }
            ("Forall" | "∀" | "Pi" | "Π", [names, _]) if self.binds_nothing(names) => {
                self.error(names.span, ErrorKind::BindsNothing(head))
            }
            ("Forall" | "∀", [names, body]) => self.forall(names, body),
            ("Pi" | "Π", [names, body]) => self.index_binder(names, body).map(|(names, body)| Atom::Pi(names, body)),
            ("Sigma" | "Σ", [names, body]) => self.index_binder(names, body).map(|(names, body)| Atom::Sigma(names, body)),
            ("Tup" | "×", types) => Some(Atom::Tuple(types.iter().map(|ty| self.ty(ty)).collect::<Option<_>>()?)),
            ("Rec", fields) => Some(Atom::Record(self.labelled_types(span, fields)?)),
            ("Sum", payloads) => Some(Atom::Sum(self.labelled_types(span, payloads)?)),
            // Last: in `(Tup -> T)` the arrow is a variable of that name.
            _ => match infix_arrow(parts) {
                Some((params, ret)) => self.function_type(params, ret),
                None => self.wanted(span, Wanted::TypeForm),
            },
        }
    }

    /// Without a scope the checker says so.
    fn binds_nothing(&self, names: &Sexp) -> bool {
        self.names.is_some() && matches!(&names.kind, SexpKind::Paren(names) if names.is_empty())
    }

    fn function_type(&mut self, params: &[Sexp], ret: &Sexp) -> Option<Atom> {
        let mut bound = Vec::new();
        let mut read: Vec<Option<Param>> = params.iter().map(|param| self.param(param, &mut bound)).collect();
        if params.is_empty() {
            // A function without parameters is one of the unit tuple.
            read.push(Some(Param { name: None, ty: Type::scalar(Atom::Tuple(Vec::new())) }));
        }
        let ret = self.ty(ret);
        self.unbind(bound);
        let read: Option<Vec<Param>> = read.into_iter().collect();
        Some(Type::fun(read?, ret?).atom().clone())
    }

    /// In a scope labels may stand in any order, each once.
    fn labelled_types(&mut self, span: Span, fields: &[Sexp]) -> Option<Vec<(Symbol, Type)>> {
        let mut read: Vec<(Symbol, Type)> = fields.iter().map(|field| self.field_type(field)).collect::<Option<_>>()?;
        if self.names.is_some() {
            read.sort_by_key(|(label, _)| *label);
            if let Some(pair) = read.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return self.error(span, ErrorKind::LabelTwice(pair[0].0));
            }
        }
        Some(read)
    }

    fn field_type(&mut self, field: &Sexp) -> Option<(Symbol, Type)> {
        match self.parens(field, "a field (label T)")? {
            [label, ty] => Some((self.term_name(label)?, self.ty(ty)?)),
            _ => self.expected(field.span, "a field (label T)"),
        }
    }

    /// `T`, `[x i64]` or `[x : T]`; a name is bound from here on.
    fn param(&mut self, item: &Sexp, bound: &mut Vec<(Space, Symbol)>) -> Option<Param> {
        let named = match &item.kind {
            SexpKind::Bracket(parts) => match parts.as_slice() {
                [name, ty] if name.name().is_some() && ty.keyword().and_then(prim_word) == Some(PrimType::I64) => Some((name, ty)),
                [name, colon, ty] if colon.keyword() == Some(":") => Some((name, ty)),
                _ => None,
            },
            _ => None,
        };
        let Some((name, ty)) = named else { return Some(Param { name: None, ty: self.ty(item)? }) };
        let name = self.term_name(name)?;
        let ty = self.ty(ty);
        let inner = self.inner_name(name, name, &[Name::Size]);
        let is_size = ty.as_ref().is_none_or(|ty| matches!(ty.atom(), Atom::Prim(PrimType::I64)) && ty.shape().is_scalar());
        let meaning = if is_size || self.names.is_none() { Meaning::Size(inner) } else { Meaning::NoSize };
        self.bind(Space::Size, name, meaning);
        bound.push((Space::Size, name));
        Some(Param { name: Some(inner), ty: ty? })
    }

    /// `Pi` and `Sigma`.
    fn index_binder(&mut self, names: &Sexp, body: &Sexp) -> Option<(Vec<Symbol>, Type)> {
        let binders = self.index_binders(names)?;
        let mut inner = Vec::with_capacity(binders.len());
        for binder in &binders {
            let name = self.inner_name(binder.name, binder.with_sigil(), &[Name::Index]);
            self.bind(Space::Index, binder.name, Meaning::Index(name));
            inner.push(name);
        }
        let body = self.ty(body);
        self.unbind(binders.iter().map(|binder| (Space::Index, binder.name)).collect());
        Some((inner, body?))
    }

    /// `Forall`: type variables of kind Array get a Pi and a Forall of their own.
    fn forall(&mut self, names: &Sexp, body: &Sexp) -> Option<Atom> {
        let binders = self.type_binders(names)?;
        let mut variables = Vec::with_capacity(binders.len());
        for binder in &binders {
            let variable = self.inner_type_variable(*binder);
            self.bind(Space::Type, binder.name, Meaning::Type(variable));
            variables.push(variable);
        }
        let body = self.ty(body);
        self.unbind(binders.iter().map(|binder| (Space::Type, binder.name)).collect());
        let ty = forall_type(&variables, body?);
        Some(ty.atom().clone())
    }

    fn inner_type_variable(&mut self, binder: Binder) -> TypeVariable {
        if !binder.large {
            return TypeVariable::Atom(self.inner_name(binder.name, binder.name, &[Name::Type]));
        }
        let (atom, shape) = binder.array_names();
        let atom = self.inner_name(binder.name, atom, &[Name::Type]);
        let shape = self.inner_name(binder.name, shape, &[Name::Index]);
        TypeVariable::Array { atom, shape }
    }
}

/// The Forall of these variables over a type.
pub(super) fn forall_type(variables: &[TypeVariable], body: Type) -> Type {
    let mut ty = body;
    let mut atoms: Vec<Symbol> = Vec::new();
    let close = |ty: Type, atoms: &mut Vec<Symbol>| {
        atoms.reverse();
        if atoms.is_empty() { ty } else { Type::scalar(Atom::Forall(std::mem::take(atoms), ty)) }
    };
    for variable in variables.iter().rev() {
        match variable {
            TypeVariable::Atom(atom) => atoms.push(*atom),
            TypeVariable::Array { atom, shape } => {
                ty = close(ty, &mut atoms);
                ty = Type::scalar(Atom::Pi(vec![*shape], Type::scalar(Atom::Forall(vec![*atom], ty))));
            }
        }
    }
    // A Forall of nothing is kept for the checker to refuse.
    if variables.is_empty() { Type::scalar(Atom::Forall(Vec::new(), ty)) } else { close(ty, &mut atoms) }
}

/// Binders.
impl Reader<'_> {
    fn meaning(&self, space: Space, name: Symbol) -> Option<Meaning> {
        self.bound.get(&(space, name)).and_then(|meanings| meanings.last()).copied()
    }

    fn bind(&mut self, space: Space, name: Symbol, meaning: Meaning) {
        for inner in inner_names(meaning) {
            self.inner.entry(inner).or_default().push(name);
        }
        self.bound.entry((space, name)).or_default().push(meaning);
    }

    fn unbind(&mut self, names: Vec<(Space, Symbol)>) {
        for key in names.into_iter().rev() {
            let Some(meaning) = self.bound.get_mut(&key).and_then(Vec::pop) else { continue };
            for inner in inner_names(meaning) {
                if let Some(users) = self.inner.get_mut(&inner) {
                    users.pop();
                }
            }
        }
    }

    /// A name for the result that captures no other variable: `wanted` where that is possible.
    fn inner_name(&self, name: Symbol, wanted: Symbol, kinds: &[fn(Symbol) -> Name]) -> Symbol {
        let taken = |candidate: Symbol| {
            kinds.iter().any(|kind| {
                let inner = kind(candidate);
                let other = self.inner.get(&inner).and_then(|users| users.first()).is_some_and(|user| *user != name);
                other || self.names.is_some_and(|names| names.is_taken(inner))
            })
        };
        if taken(wanted) { fresh_symbol(wanted, taken) } else { wanted }
    }

    /// Type variables in parentheses: `t`, `@t`, `(x Atom)`, `(x Array)`.
    pub fn type_binders(&mut self, item: &Sexp) -> Option<Vec<Binder>> {
        self.binders(item, "type variables in parentheses", BinderKind::Type)
    }

    /// Index variables in parentheses: `n`, `@s`, `(x Dim)`, `(x Shape)`.
    pub fn index_binders(&mut self, item: &Sexp) -> Option<Vec<Binder>> {
        self.binders(item, "index variables in parentheses", BinderKind::Index)
    }

    fn binders(&mut self, item: &Sexp, what: &'static str, kind: BinderKind) -> Option<Vec<Binder>> {
        let items = self.parens(item, what)?;
        let binders = items.iter().map(|item| self.binder(item, kind)).collect::<Vec<_>>();
        let binders = binders.into_iter().collect::<Option<Vec<_>>>()?;
        if self.names.is_some() {
            self.distinct(&binders)?;
        }
        Some(binders)
    }

    /// One binder.
    pub fn binder(&mut self, item: &Sexp, kind: BinderKind) -> Option<Binder> {
        let (SexpKind::Paren(parts) | SexpKind::Bracket(parts)) = &item.kind else {
            let name = self.variable(item)?;
            return Some(Binder { name, large: is_shape(name), span: item.span });
        };
        let [name, word] = parts.as_slice() else { return self.error(item.span, ErrorKind::Binder(kind)) };
        let name = self.variable(name)?;
        let (small, large) = kind.words();
        let large = match word.keyword() {
            Some(word) if word == large => true,
            Some(word) if word == small || word == "Nat" && kind == BinderKind::Index => false,
            _ => return self.error(word.span, ErrorKind::BinderWord(kind)),
        };
        if !large && is_shape(name) {
            return self.error(item.span, ErrorKind::BinderSigil { name, kind });
        }
        Some(Binder { name, large, span: item.span })
    }

    /// A binder has variables, each once.
    pub fn distinct(&mut self, binders: &[Binder]) -> Option<()> {
        for (at, binder) in binders.iter().enumerate() {
            if let Some(first) = binders[..at].iter().find(|other| other.with_sigil() == binder.with_sigil()) {
                return self.error(binder.span, ErrorKind::BoundTwice { name: binder.name, first: first.span });
            }
        }
        Some(())
    }

    /// Names of type variables of kind Atom in parentheses.
    pub(super) fn type_names(&mut self, item: &Sexp) -> Option<Vec<Symbol>> {
        let binders = self.type_binders(item)?;
        match binders.iter().find(|binder| binder.large) {
            Some(binder) => self.error(binder.span, ErrorKind::NotAnAtomVariable(binder.name)),
            None => Some(binders.into_iter().map(|binder| binder.name).collect()),
        }
    }

    /// Names of index variables in parentheses.
    pub(super) fn index_names(&mut self, item: &Sexp) -> Option<Vec<Symbol>> {
        Some(self.index_binders(item)?.into_iter().map(Binder::with_sigil).collect())
    }

    /// An index or type variable where it is bound.
    pub fn variable(&mut self, item: &Sexp) -> Option<Symbol> {
        match &item.kind {
            SexpKind::Quoted(name) => Some(*name),
            SexpKind::Symbol(name)
                if !is_type_word(name.as_str())
                    && !matches!(name.as_str(), ":" | "...")
                    && (self.names.is_some() || !name.as_str().starts_with('?')) =>
            {
                Some(*name)
            }
            _ => self.wanted(item.span, Wanted::Variable),
        }
    }
}

fn inner_names(meaning: Meaning) -> Vec<Name> {
    match meaning {
        Meaning::Index(name) => vec![Name::Index(name)],
        Meaning::Size(name) => vec![Name::Size(name)],
        Meaning::NoSize => Vec::new(),
        Meaning::Type(TypeVariable::Atom(name)) => vec![Name::Type(name)],
        Meaning::Type(TypeVariable::Array { atom, shape }) => vec![Name::Type(atom), Name::Index(shape)],
    }
}
