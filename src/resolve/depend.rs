//! Which definitions a definition needs.

use crate::base::IdxMap;
use crate::ir::surface::children::{Node, children_of, decl_children};
use crate::ir::surface::{Decl, TypeParam};
use crate::ir::tables::{Def, DefId, DefKind, Program, Res, TypeRes};

/// The definitions that a definition names, each once, in order of definition. Those named by the type abbreviations it
/// uses are included.
pub fn dependencies(program: &Program, def: DefId) -> Vec<DefId> {
    let mut found = Vec::new();
    let mut work = Vec::new();
    let mut types = Vec::new();
    match &program.defs[def].decl {
        DefKind::Def(decl) => {
            work.extend(decl.tparams.iter().filter_map(|p| if let TypeParam::Size(pat) = p { Some(Node::Pat(*pat)) } else { None }));
            work.extend(decl.params.iter().map(|p| Node::Pat(*p)));
            work.extend(decl.ret.map(Node::Type));
            work.push(Node::Expr(decl.body));
        }
        DefKind::Val(decl) => work.push(Node::Type(decl.ty)),
    }
    while let Some(node) = work.pop() {
        match node {
            Node::Expr(e) => {
                if let Some(Res::Global(used)) = program.names.exprs.get(e) {
                    found.push(*used);
                }
            }
            Node::Type(t) => {
                if let Some(TypeRes::Abbreviation(ty)) = program.names.types.get(t)
                    && !types.contains(ty)
                {
                    types.push(*ty);
                    decl_children(&Decl::Type((*program.types[*ty].decl).clone()), &mut work);
                }
            }
            Node::Pat(_) => {}
        }
        children_of(&program.ast, node, &mut work);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The given definitions and all that they need, directly or not, in order of definition.
pub fn reachable(program: &Program, roots: impl IntoIterator<Item = DefId>) -> Vec<DefId> {
    let mut seen: IdxMap<Def, ()> = IdxMap::default();
    let mut work: Vec<DefId> = roots.into_iter().collect();
    while let Some(def) = work.pop() {
        if seen.insert(def, ()).is_none() {
            work.extend(dependencies(program, def));
        }
    }
    seen.iter().map(|(def, ())| def).collect()
}
