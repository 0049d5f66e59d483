//! Types as text.

use crate::ir::tables::{Program, RBase, RType, Signature, TypeParamId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Types are graphs; printed as trees they may be enormous. After this many nodes comes `...`.
const MAX_NODES: usize = 1_000;

/// The type as text: one `[]` for each dimension, `...` where it would get longer than 1,000 nodes. `namer` gives the
/// text of a type parameter.
pub fn show_type(ty: &RType, namer: &dyn Fn(TypeParamId) -> String) -> String {
    let mut printer = TypePrinter { out: String::new(), left: MAX_NODES, namer };
    printer.ty(ty, false);
    printer.out
}

/// Names for the type parameters of a signature: declared names are kept, names that occur twice get a number.
pub fn namer(program: &Program, signature: &Signature) -> impl Fn(TypeParamId) -> String + use<> {
    let mut names: FxHashMap<TypeParamId, String> = FxHashMap::default();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for &id in &signature.tparams {
        let wanted = program.tparams[id].name.as_str();
        let wanted = if wanted.is_empty() { "a" } else { wanted };
        let mut name = wanted.to_string();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}{number}");
        }
        names.insert(id, name);
    }
    move |id| match names.get(&id) {
        Some(name) => format!("'{name}"),
        None => "'_".to_string(),
    }
}

struct TypePrinter<'a> {
    out: String,
    left: usize,
    namer: &'a dyn Fn(TypeParamId) -> String,
}

impl TypePrinter<'_> {
    /// Writes a type; `tight` asks for parentheses around arrows.
    fn ty(&mut self, ty: &RType, tight: bool) {
        if self.left == 0 {
            self.out.push_str("...");
            return;
        }
        self.left -= 1;
        // A rank comes from a solver: a large one is not written out.
        if ty.rank > 64 {
            let _ = write!(self.out, "[]..({} dimensions)..[]", ty.rank);
        } else {
            (0..ty.rank).for_each(|_| self.out.push_str("[]"));
        }
        match &*ty.base {
            RBase::Prim(prim) => self.out.push_str(&prim.to_string()),
            RBase::Param(id) => self.out.push_str(&(self.namer)(*id)),
            RBase::Arrow(from, to) => {
                let parens = tight || ty.rank > 0;
                if parens {
                    self.out.push('(');
                }
                self.ty(from, true);
                self.out.push_str(" -> ");
                self.ty(to, false);
                if parens {
                    self.out.push(')');
                }
            }
            RBase::Tuple(items) => {
                self.out.push('(');
                self.list(items.iter().map(|t| (None, t)));
                self.out.push(')');
            }
            RBase::Record(fields) => {
                self.out.push('{');
                self.list(fields.iter().map(|(name, t)| (Some(name.as_str()), t)));
                self.out.push('}');
            }
            RBase::Abstract { name, args, .. } => {
                let parens = (tight || ty.rank > 0) && !args.is_empty();
                self.out.push_str(if parens { "(" } else { "" });
                self.out.push_str(name.as_str());
                for arg in args {
                    self.out.push(' ');
                    self.ty(arg, true);
                }
                self.out.push_str(if parens { ")" } else { "" });
            }
            RBase::Sum(constructors) => {
                let parens = tight || ty.rank > 0;
                self.out.push_str(if parens { "(" } else { "" });
                for (i, (label, payload)) in constructors.iter().enumerate() {
                    let _ = write!(self.out, "{}#{label}", if i > 0 { " | " } else { "" });
                    for part in payload {
                        self.out.push(' ');
                        self.ty(part, true);
                    }
                }
                self.out.push_str(if parens { ")" } else { "" });
            }
        }
    }

    fn list<'t>(&mut self, items: impl Iterator<Item = (Option<&'t str>, &'t RType)>) {
        for (i, (label, ty)) in items.enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            if self.left == 0 {
                self.out.push_str("...");
                return;
            }
            if let Some(label) = label {
                self.out.push_str(label);
                self.out.push_str(": ");
            }
            self.ty(ty, false);
        }
    }
}
