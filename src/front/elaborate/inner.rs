//! Types inside of a definition, for those who show them.

use super::show::Names;
use super::{Elab, Local, Schemes, elaborate};
use crate::ir::core::{ShapeItem, Type};
use crate::ir::surface::{ExprId, PatId};
use crate::ir::tables::{DefId, InnerTypes, Program, SizedText, Tables};
use rustc_hash::FxHashMap;

/// Types inside of a definition as elaboration collects them.
#[derive(Debug, Default, Clone)]
pub(super) struct Seen {
    pub(super) exprs: FxHashMap<ExprId, Type>,
    pats: FxHashMap<PatId, Type>,
}

/// The types inside of accepted definitions. Nothing for those that cannot be elaborated. They are elaborated again for that.
pub fn inner_types(program: &Program, tables: &Tables, schemes: &Schemes, defs: &[DefId]) -> Vec<InnerTypes> {
    let mut schemes = schemes.clone();
    let mut of = |def: DefId| {
        schemes.watched = Some(def);
        schemes.seen = Seen::default();
        match elaborate(program, tables, &mut schemes, def) {
            Ok(_) => shown(program, &schemes, def),
            Err(_) => InnerTypes::default(),
        }
    };
    defs.iter().map(|def| of(*def)).collect()
}

fn shown(program: &Program, schemes: &Schemes, def: DefId) -> InnerTypes {
    let mut names = Names::default();
    // The sizes in the type of the whole are called what they are called there.
    if let Some(scheme) = schemes.get(def) {
        names.ty(&scheme.ty);
    }
    let mut pats: Vec<(&PatId, &Type)> = schemes.seen.pats.iter().collect();
    pats.sort_by_key(|(id, _)| (program.ast.pats[**id].span, **id));
    let mut exprs: Vec<(&ExprId, &Type)> = schemes.seen.exprs.iter().collect();
    exprs.sort_by_key(|(id, _)| (program.ast.exprs[**id].span, **id));
    let pats = pats.into_iter().map(|(id, ty)| (*id, names.sized(ty))).collect();
    InnerTypes { exprs: exprs.into_iter().map(|(id, ty)| (*id, names.sized(ty))).collect(), pats }
}

impl Names {
    fn sized(&mut self, ty: &Type) -> SizedText {
        let text = self.ty(ty);
        let dims = ty.shape().items.iter().filter_map(|item| match item {
            ShapeItem::Dim(dim) => Some(self.dim(dim)),
            ShapeItem::Var(_) => None,
        });
        SizedText { dims: dims.collect(), text }
    }
}

impl Elab<'_> {
    /// Hands on the types inside of a definition that somebody asks for.
    pub(super) fn keep_seen(&mut self, existential: &[usize]) {
        let Some(seen) = self.done.seen.take().filter(|_| existential.is_empty()) else { return };
        let exprs = seen.exprs.iter().map(|(id, ty)| (*id, self.sizes.zonk_type(ty))).collect();
        let locals = self.names.locals.iter().filter_map(|(id, local)| match local {
            Local::Var { ty, .. } => Some((*id, self.sizes.zonk_type(ty))),
            Local::Size(_) | Local::Poly(_) => None,
        });
        let pats = locals.collect();
        self.schemes.seen = Seen { exprs, pats };
    }
}
