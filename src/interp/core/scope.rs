//! Variables while compiling: every binder gets a number of its own, and a slot in the frame of its function. Functions inside
//! that use it capture it.

use super::code::{Atom as AtomCode, Dim as DimCode, Item, Slot, Type as TypeCode};
use super::types::Replace;
use crate::base::{PrimType, Symbol};
use crate::ir::core::{Atom, Dim, DimAtom, Shape, ShapeItem, Type, is_shape};
use rustc_hash::FxHashMap;

/// The number of a binder.
pub type Uid = u32;

/// A size that is not known while compiling: it stands in types of results that do not need it.
pub const UNKNOWN: Uid = u32::MAX;

/// The depth of slots whose values are never taken: sizes, shapes and types may be read from them wherever a type is needed.
pub const KEPT: u32 = u32::MAX;

/// What is known about a variable.
pub struct Variable {
    /// For term variables.
    pub ty: Option<Type>,
    /// For term variables bound to a size expression.
    pub dim: Option<Dim>,
}

/// The function whose body is being compiled.
#[derive(Default)]
pub struct Frame {
    slots: FxHashMap<Uid, Slot>,
    /// For each slot, in how many loops and maps it was bound; [`KEPT`] for indices and types.
    pub depths: Vec<u32>,
    /// Captured variables: the slot outside and the slot inside.
    pub captures: Vec<(Slot, Slot)>,
    /// In how many loops and maps we are.
    pub depth: u32,
}

/// All variables in scope.
#[derive(Default)]
pub struct Scope {
    frames: Vec<Frame>,
    terms: FxHashMap<Symbol, Vec<Uid>>,
    indices: FxHashMap<Symbol, Vec<Uid>>,
    types: FxHashMap<Symbol, Vec<Uid>>,
    variables: Vec<Variable>,
    /// Names that stand for shape and type variables in types.
    uids: FxHashMap<Symbol, Uid>,
    names: Vec<Option<Symbol>>,
}

/// The three name spaces.
#[derive(Clone, Copy, PartialEq)]
pub enum Space {
    /// Term variables.
    Term,
    /// Index variables; the names of shapes begin with `@`.
    Index,
    /// Type variables.
    Type,
}

impl Scope {
    /// Begins the body of a function.
    pub fn enter(&mut self) {
        self.frames.push(Frame::default());
    }
    /// Ends it.
    pub fn leave(&mut self) -> Frame {
        self.frames.pop().unwrap_or_default()
    }
    /// The current function.
    pub fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.enter();
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }
    fn space(&mut self, space: Space) -> &mut FxHashMap<Symbol, Vec<Uid>> {
        match space {
            Space::Term => &mut self.terms,
            Space::Index => &mut self.indices,
            Space::Type => &mut self.types,
        }
    }
    /// Binds a name until [`Scope::unbind`]; returns its slot.
    pub fn bind(&mut self, space: Space, name: Symbol, ty: Option<Type>, dim: Option<Dim>) -> Slot {
        let uid = self.variables.len() as Uid;
        self.variables.push(Variable { ty, dim });
        self.names.push(None);
        self.space(space).entry(name).or_default().push(uid);
        let unique = match space {
            Space::Index if is_shape(name) => Some(Symbol::new(&format!("@{uid}"))),
            Space::Type => Some(Symbol::new(&format!("'{uid}"))),
            Space::Term | Space::Index => None,
        };
        if let Some(unique) = unique {
            self.uids.insert(unique, uid);
            self.names[uid as usize] = Some(unique);
        }
        let frame = self.frame();
        let slot = frame.depths.len() as Slot;
        frame.depths.push(if space == Space::Term { frame.depth } else { KEPT });
        frame.slots.insert(uid, slot);
        slot
    }
    /// Ends the scope of the latest binding of a name.
    pub fn unbind(&mut self, space: Space, name: Symbol) {
        if let Some(uids) = self.space(space).get_mut(&name) {
            uids.pop();
        }
    }
    fn innermost(map: &FxHashMap<Symbol, Vec<Uid>>, name: Symbol) -> Option<Uid> {
        map.get(&name)?.last().copied()
    }
    /// The term variable of this name.
    pub fn term(&self, name: Symbol) -> Option<(Uid, &Variable)> {
        let uid = Scope::innermost(&self.terms, name)?;
        Some((uid, self.variables.get(uid as usize)?))
    }
    /// The slot of a variable in the current function, captured if it is bound outside.
    pub fn slot(&mut self, uid: Uid) -> Option<Slot> {
        let level = self.frames.iter().rposition(|frame| frame.slots.contains_key(&uid))?;
        let mut slot = *self.frames[level].slots.get(&uid)?;
        let kept = self.frames[level].depths.get(slot as usize) == Some(&KEPT);
        for frame in &mut self.frames[level + 1..] {
            let inner = frame.depths.len() as Slot;
            frame.depths.push(if kept { KEPT } else { 0 });
            frame.slots.insert(uid, inner);
            frame.captures.push((slot, inner));
            slot = inner;
        }
        Some(slot)
    }
    /// The code of a size, whose variables have been replaced by numbers. Unknown sizes count 0: no value depends on them.
    pub fn dim_code(&mut self, dim: &Dim) -> DimCode {
        if let Some(value) = dim.as_constant() {
            return DimCode::Const(value);
        }
        let mut slot = |atom: &DimAtom| match atom {
            DimAtom::Meta(uid) => self.slot(*uid),
            DimAtom::Var(_) | DimAtom::Size(_) => None,
        };
        if let Some(atom) = dim.as_atom() {
            return slot(&atom).map_or(DimCode::Const(0), DimCode::Slot);
        }
        let terms = dim.terms().filter_map(|(monomial, c)| Some((c, monomial.iter().map(&mut slot).collect::<Option<_>>()?)));
        DimCode::Sum(terms.collect())
    }
    /// The code of a shape.
    pub fn shape_code(&mut self, shape: &Shape) -> Vec<Item> {
        let mut items = Vec::with_capacity(shape.items.len());
        for item in &shape.items {
            match item {
                ShapeItem::Dim(dim) => items.push(Item::Dim(self.dim_code(dim))),
                ShapeItem::Var(name) => {
                    let slot = self.uids.get(name).copied().and_then(|uid| self.slot(uid));
                    items.extend(slot.map(Item::Shape));
                }
            }
        }
        items
    }
    /// The code of an element type.
    pub fn atom_code(&mut self, atom: &Atom) -> AtomCode {
        match atom {
            Atom::Prim(prim) => AtomCode::Prim(*prim),
            Atom::Var(name) => {
                let slot = self.uids.get(name).copied().and_then(|uid| self.slot(uid));
                slot.map_or(AtomCode::Opaque, AtomCode::Var)
            }
            Atom::Tuple(parts) => AtomCode::Tuple(None, parts.iter().map(|part| self.type_code(part)).collect()),
            Atom::Record(fields) => {
                let labels = fields.iter().map(|(label, _)| *label).collect();
                AtomCode::Tuple(Some(labels), fields.iter().map(|(_, ty)| self.type_code(ty)).collect())
            }
            Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) | Atom::Sum(_) => AtomCode::Opaque,
        }
    }
    /// The code of a type.
    pub fn type_code(&mut self, ty: &Type) -> TypeCode {
        TypeCode { atom: self.atom_code(ty.atom()), shape: self.shape_code(ty.shape()) }
    }
    /// The size of a term variable.
    pub fn size_of(&self, name: Symbol) -> Option<Dim> {
        let (uid, variable) = self.term(name)?;
        Some(variable.dim.clone().unwrap_or_else(|| Dim::atom(DimAtom::Meta(uid))))
    }
}

impl Replace for Scope {
    fn dim(&self, atom: DimAtom) -> Option<Dim> {
        match atom {
            DimAtom::Var(name) => Scope::innermost(&self.indices, name).map(|uid| Dim::atom(DimAtom::Meta(uid))),
            DimAtom::Size(name) => self.size_of(name),
            DimAtom::Meta(_) => None,
        }
    }
    fn shape(&self, name: Symbol) -> Option<Shape> {
        let uid = Scope::innermost(&self.indices, name)?;
        self.names.get(uid as usize).copied().flatten().map(Shape::var)
    }
    fn atom(&self, name: Symbol) -> Option<Atom> {
        let uid = Scope::innermost(&self.types, name)?;
        self.names.get(uid as usize).copied().flatten().map(Atom::Var)
    }
}

/// Whether a type is the scalar type `prim`.
pub fn is_scalar(ty: &Type, prim: PrimType) -> bool {
    ty.shape().is_scalar() && *ty.atom() == Atom::Prim(prim)
}
