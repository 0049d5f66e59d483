//! How the sizes of arguments are measured.

use crate::ir::core::{Atom, Dim, DimAtom, ShapeItem, Type};
use rustc_hash::FxHashMap;

/// What a size of an argument is for a function.
#[derive(Debug, Clone)]
pub enum Extent {
    /// The size that is known from here on by this number.
    New(usize),
    /// The same as this one.
    Known(usize),
    /// A polynomial of those that are known.
    Computed(Dim),
}

/// A scalar or array that is taken.
#[derive(Debug, Clone)]
pub struct Taken {
    /// Its sizes.
    pub extents: Vec<Extent>,
    /// The number of the size that is its value.
    pub value: Option<usize>,
    /// The bytes of an element; 0 for what goes by way of values.
    pub bytes: usize,
}

/// How the sizes of arguments are measured and compared.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// What is taken, in order.
    pub taken: Vec<Taken>,
    /// For each size that is known the scalar or array that it was first seen in, and the dimension.
    pub seen: Vec<(usize, usize)>,
    /// The numbers of sizes.
    pub atoms: FxHashMap<DimAtom, usize>,
    /// For each index parameter the number of its size.
    pub indices: Vec<usize>,
}

impl Plan {
    /// For the arguments of a definition of this type.
    pub fn new(ty: &Type) -> Plan {
        let mut plan = Plan::default();
        for param in ty.interface().0 {
            let operand = plan.taken.len();
            plan.add(&param.ty, &[]);
            if let (Some(name), Some(taken)) = (param.name, plan.taken.get(operand))
                && taken.extents.is_empty()
            {
                let number = plan.name(DimAtom::Size(name), (operand, 0));
                plan.taken[operand].value = Some(number);
            }
        }
        let mut ty = ty;
        while let Atom::Pi(names, body) = ty.atom() {
            plan.indices.extend(names.iter().filter_map(|name| plan.atoms.get(&DimAtom::Var(*name)).copied()));
            ty = body;
        }
        plan
    }

    fn add(&mut self, ty: &Type, outer: &[ShapeItem]) {
        let items = [outer, &ty.shape().items].concat();
        match ty.atom() {
            Atom::Tuple(parts) => parts.iter().for_each(|part| self.add(part, &items)),
            Atom::Record(fields) => fields.iter().for_each(|(_, part)| self.add(part, &items)),
            // Calls with anything else go by way of values.
            Atom::Prim(prim) => self.take(&items, prim.bytes()),
            Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) | Atom::Sum(_) => self.take(&items, 0),
        }
    }
    fn take(&mut self, items: &[ShapeItem], bytes: usize) {
        let operand = self.taken.len();
        let extents = items.iter().enumerate().map(|(axis, item)| self.extent(item, (operand, axis))).collect();
        self.taken.push(Taken { extents, value: None, bytes });
    }
    fn extent(&mut self, item: &ShapeItem, at: (usize, usize)) -> Extent {
        let ShapeItem::Dim(dim) = item else { return Extent::Computed(Dim::default()) };
        match dim.as_atom() {
            Some(atom) => match self.atoms.get(&atom) {
                Some(number) => Extent::Known(*number),
                None if matches!(atom, DimAtom::Var(_)) => Extent::New(self.name(atom, at)),
                None => Extent::Computed(dim.clone()),
            },
            None => Extent::Computed(dim.clone()),
        }
    }
    fn name(&mut self, atom: DimAtom, at: (usize, usize)) -> usize {
        let number = self.seen.len();
        self.seen.push(at);
        self.atoms.insert(atom, number);
        number
    }
}
