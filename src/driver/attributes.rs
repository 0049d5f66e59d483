//! Attributes of a program, from where they are written to the table that core carries.

use crate::base::{SourceMap, Span, Symbol};
use crate::ir::attributes::{Attribute, Attributes, read};
use crate::ir::surface::{Ast, ExprId, ExprKind, view};
use crate::ir::tables::{DefKind, Program};

/// All attributes with the places that they are about.
pub fn attributes(program: &Program, sources: &SourceMap) -> Attributes {
    let mut out = Attributes::default();
    for (_, node) in program.ast.exprs.iter() {
        if let ExprKind::Attr { attr, expr } = &node.kind
            && let Ok(attribute) = read(attr.name.as_str())
        {
            add(&mut out, attribute, inner(&program.ast, *expr), attr.span, sources);
        }
    }
    for (_, def) in program.defs.iter() {
        let DefKind::Def(decl) = &def.decl else { continue };
        for attr in &decl.attrs {
            match read(attr.name.as_str()) {
                Ok(Attribute::Inline) => drop(out.inline.insert(def.unique)),
                Ok(Attribute::NoInline) => drop(out.noinline.insert(def.unique)),
                Ok(attribute) => add(&mut out, attribute, inner(&program.ast, decl.body), attr.span, sources),
                Err(_) => {}
            }
        }
    }
    out.regions.sort_by_key(|(span, _)| *span);
    out.regions.dedup();
    out.traces.sort_by_key(|(span, _)| *span);
    out.traces.dedup_by_key(|(span, _)| *span);
    out
}

/// The place of an expression without parentheses and attributes, which is what core has.
fn inner(ast: &Ast, expr: ExprId) -> Span {
    ast.exprs[view::strip(ast, expr)].span
}

fn add(out: &mut Attributes, attribute: Attribute, span: Span, written: Span, sources: &SourceMap) {
    match attribute {
        Attribute::Trace(tag) => {
            let tag = tag.map(|tag| format!(" {tag}")).unwrap_or_default();
            out.traces.push((span, Symbol::new(&format!("{}{tag}", sources.place(written)))));
        }
        Attribute::Unsafe
        | Attribute::Sequential(_)
        | Attribute::OnProcessors
        | Attribute::Unroll
        | Attribute::Stripmine(_)
        | Attribute::Bound(_) => out.regions.push((span, attribute)),
        Attribute::Inline | Attribute::NoInline | Attribute::Accepted => {}
    }
}
