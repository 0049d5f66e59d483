//! Reading of indices and types.

use super::Reader;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::print::is_type_word;
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::{Atom, Dim, DimAtom, Index, Param, Shape, ShapeItem, Type, sizes};

/// The scalar type that a word means.
fn prim_word(text: &str) -> Option<PrimType> {
    match text {
        "int" => Some(PrimType::I64),
        "float" => Some(PrimType::F64),
        _ => PrimType::from_name(text),
    }
}

/// The number of an unknown size, `?12`.
fn meta_word(text: &str) -> Option<u32> {
    text.strip_prefix('?').and_then(|digits| digits.parse().ok())
}

impl Reader {
    /// An index: a size or a shape, by its form.
    pub(super) fn index(&mut self, item: &Sexp) -> Option<Index> {
        let is_shape = match &item.kind {
            SexpKind::Bracket(_) => true,
            SexpKind::Paren(parts) => matches!(parts.first().and_then(Sexp::keyword), Some("++" | "shape" | "Shp")),
            _ => item.name().is_some_and(|name| name.as_str().starts_with('@')),
        };
        if is_shape { self.shape(item).map(Index::Shape) } else { self.dim(item).map(Index::Dim) }
    }

    /// A shape, or a size that stands for the shape of one dimension.
    pub(super) fn shape(&mut self, item: &Sexp) -> Option<Shape> {
        match &item.kind {
            SexpKind::Bracket(parts) => self.shape_items(parts),
            SexpKind::Paren(parts) if matches!(parts.first().and_then(Sexp::keyword), Some("++" | "shape" | "Shp")) => {
                self.shape_items(&parts[1..])
            }
            SexpKind::Symbol(name) | SexpKind::Quoted(name) if name.as_str().starts_with('@') => {
                Some(Shape { items: vec![ShapeItem::Var(*name)] })
            }
            _ => Some(Shape::dims([self.dim(item)?])),
        }
    }

    pub(super) fn shape_items(&mut self, items: &[Sexp]) -> Option<Shape> {
        let mut shape = Shape::default();
        for item in items {
            shape.items.append(&mut self.shape(item)?.items);
        }
        Some(shape)
    }

    /// A size.
    pub(super) fn dim(&mut self, item: &Sexp) -> Option<Dim> {
        match &item.kind {
            SexpKind::Scalar(Scalar::I64(value)) => Some(Dim::constant(*value)),
            SexpKind::Symbol(name) => match meta_word(name.as_str()) {
                Some(number) => Some(Dim::atom(DimAtom::Meta(number))),
                None if is_type_word(name.as_str()) || name.as_str() == ":" => self.error(item.span, format!("`{name}` is not a size")),
                None => self.dim_variable(item.span, *name),
            },
            SexpKind::Quoted(name) => self.dim_variable(item.span, *name),
            SexpKind::Paren(parts) => self.dim_form(item.span, parts),
            _ => self.error(item.span, "a size is expected here"),
        }
    }

    fn dim_variable(&mut self, span: Span, name: Symbol) -> Option<Dim> {
        if name.as_str().starts_with('@') {
            return self.error(span, format!("`{name}` is a shape, a size is expected here"));
        }
        Some(Dim::var(name))
    }

    fn dim_form(&mut self, span: Span, parts: &[Sexp]) -> Option<Dim> {
        let head = parts.first().and_then(Sexp::keyword);
        let operands = parts.get(1..).unwrap_or_default();
        if let (Some("size"), [name]) = (head, operands) {
            return Some(Dim::size(self.term_name(name)?));
        }
        let op: fn(&Dim, &Dim) -> Option<Dim> = match head {
            Some("+") => |a, b| sizes::limited(a.add(b)),
            Some("-") => |a, b| sizes::limited(a.sub(b)),
            Some("*") => sizes::product,
            _ => return self.error(span, "a size is expected here: a number, a variable, (size x), (+ d ..), (* d ..) or (- d d)"),
        };
        let mut value: Option<Dim> = None;
        for operand in operands {
            let operand = self.dim(operand)?;
            value = match value {
                None => Some(operand),
                Some(value) => match op(&value, &operand) {
                    Some(value) => Some(value),
                    None => return self.error(span, "this size is too large to write out"),
                },
            };
        }
        match value {
            Some(value) => Some(value),
            None => Some(Dim::constant(i64::from(head == Some("*")))),
        }
    }

    /// An array type; an atom type stands for the array of rank 0.
    pub(super) fn ty(&mut self, item: &Sexp) -> Option<Type> {
        match &item.kind {
            SexpKind::Bracket(parts) => match parts.split_first() {
                Some((atom, shape)) => Some(Type::new(self.atom(atom)?, self.shape_items(shape)?)),
                None => self.error(item.span, "an array type is written [t i ..]"),
            },
            SexpKind::Paren(parts) if parts.first().and_then(Sexp::keyword) == Some("Arr") => match &parts[1..] {
                [atom, shape] => Some(Type::new(self.atom(atom)?, self.shape(shape)?)),
                _ => self.error(item.span, "an array type is written (Arr t s)"),
            },
            _ => Some(Type::scalar(self.atom(item)?)),
        }
    }

    /// An atom type.
    pub(super) fn atom(&mut self, item: &Sexp) -> Option<Atom> {
        match &item.kind {
            SexpKind::Symbol(name) => match prim_word(name.as_str()) {
                Some(prim) => Some(Atom::Prim(prim)),
                None => self.type_variable(item.span, *name).map(Atom::Var),
            },
            SexpKind::Quoted(name) => self.type_variable(item.span, *name).map(Atom::Var),
            SexpKind::Paren(parts) => self.atom_form(item.span, parts),
            SexpKind::Bracket(_) => self.error(item.span, "this is an array type; the elements of an array are atoms"),
            _ => self.error(item.span, "a type is expected here"),
        }
    }

    fn type_variable(&mut self, span: Span, name: Symbol) -> Option<Symbol> {
        if name.as_str().starts_with('@') || matches!(name.as_str(), ":" | "...") {
            return self.error(span, format!("`{name}` is not a type"));
        }
        Some(name)
    }

    fn atom_form(&mut self, span: Span, parts: &[Sexp]) -> Option<Atom> {
        let head = parts.first().and_then(Sexp::keyword).unwrap_or("");
        let operands = parts.get(1..).unwrap_or_default();
        match (head, operands) {
            ("->" | "→", [params, ret]) => {
                let params = self.parens(params, "the parameters of the function type, (-> (T ..) T)")?;
                if params.is_empty() {
                    return self.error(span, "a function type has at least one parameter");
                }
                let params: Option<Vec<Param>> = params.iter().map(|param| self.param(param)).collect();
                Some(Type::fun(params?, self.ty(ret)?).atom().clone())
            }
            ("Forall" | "∀", [names, body]) => Some(Atom::Forall(self.type_names(names)?, self.ty(body)?)),
            ("Pi" | "Π", [names, body]) => Some(Atom::Pi(self.index_names(names)?, self.ty(body)?)),
            ("Sigma" | "Σ", [names, body]) => Some(Atom::Sigma(self.index_names(names)?, self.ty(body)?)),
            ("Tup", types) => Some(Atom::Tuple(types.iter().map(|ty| self.ty(ty)).collect::<Option<_>>()?)),
            ("Rec", fields) => Some(Atom::Record(fields.iter().map(|field| self.field_type(field)).collect::<Option<_>>()?)),
            _ => self.error(
                span,
                "a type is expected here: (-> (T ..) T), (Forall (t ..) T), (Pi (n ..) T), (Sigma (n ..) T), (Tup T ..), (Rec (l T) ..)",
            ),
        }
    }

    fn field_type(&mut self, field: &Sexp) -> Option<(Symbol, Type)> {
        match self.parens(field, "a field (label T)")? {
            [label, ty] => Some((self.term_name(label)?, self.ty(ty)?)),
            _ => self.error(field.span, "expected a field (label T)"),
        }
    }

    /// `T`, `[x i64]` or `[x : T]`.
    fn param(&mut self, item: &Sexp) -> Option<Param> {
        if let SexpKind::Bracket(parts) = &item.kind {
            match parts.as_slice() {
                [name, ty] if name.name().is_some() && matches!(ty.keyword(), Some("i64" | "int")) => {
                    return Some(Param { name: Some(self.term_name(name)?), ty: self.ty(ty)? });
                }
                [name, colon, ty] if colon.keyword() == Some(":") => {
                    return Some(Param { name: Some(self.term_name(name)?), ty: self.ty(ty)? });
                }
                _ => {}
            }
        }
        Some(Param { name: None, ty: self.ty(item)? })
    }

    /// Names of type variables in parentheses.
    pub(super) fn type_names(&mut self, item: &Sexp) -> Option<Vec<Symbol>> {
        let names = self.parens(item, "type variables in parentheses")?;
        names
            .iter()
            .map(|item| {
                let name = self.variable(item)?;
                self.type_variable(item.span, name)
            })
            .collect()
    }

    /// Names of index variables in parentheses.
    pub(super) fn index_names(&mut self, item: &Sexp) -> Option<Vec<Symbol>> {
        let names = self.parens(item, "index variables in parentheses")?;
        names.iter().map(|item| self.variable(item)).collect()
    }

    /// An index or type variable where it is bound.
    pub(super) fn variable(&mut self, item: &Sexp) -> Option<Symbol> {
        match &item.kind {
            SexpKind::Quoted(name) => Some(*name),
            SexpKind::Symbol(name) if !is_type_word(name.as_str()) && name.as_str() != ":" && !name.as_str().starts_with('?') => {
                Some(*name)
            }
            _ => self.error(item.span, "the name of a variable is expected here"),
        }
    }
}
