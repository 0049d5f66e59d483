//! Which argument of which function is being written.

use super::Analysis;
use super::hover::{doc, signature};
use crate::driver;
use crate::ir::surface::ExprKind;
use crate::ir::surface::children::Node;
use crate::ir::tables::Res;
use lsp_types::{Documentation, ParameterInformation, ParameterLabel, Position, SignatureHelp, SignatureInformation};

/// The signature of the function whose arguments stand around a place, and which of them it is.
pub fn signature_help(analysis: &Analysis, position: Position) -> Option<SignatureHelp> {
    let offset = analysis.offset(position);
    let text = &analysis.text()[..offset];
    // Behind blanks the next argument begins.
    let written = text.trim_end_matches([' ', '\t']);
    let fresh = written.len() < text.len();
    let ast = &analysis.checked.program.ast;
    let path = analysis.path_at(written.len());
    let exprs: Vec<_> = path.iter().filter_map(|node| if let Node::Expr(id) = node { Some(*id) } else { None }).collect();
    let at = written.len() as u32;
    let (head, active) = exprs.iter().rev().find_map(|id| {
        if let Some((head, args)) = analysis.application_parts(*id) {
            // In the function itself no argument is written.
            if at <= ast.exprs[head].span.end && !fresh {
                return None;
            }
            let before = args.iter().filter(|arg| ast.exprs[**arg].span.end < at || fresh && ast.exprs[**arg].span.end <= at).count();
            return Some((head, before));
        }
        let name = matches!(ast.exprs[*id].kind, ExprKind::Name(_) | ExprKind::Project { .. });
        let inner = exprs.last() == Some(id) || matches!(ast.exprs[*id].kind, ExprKind::Project { .. });
        let outer = exprs.iter().any(|e| analysis.application_parts(*e).is_some_and(|(_, args)| args.contains(id)));
        (fresh && name && inner && !outer && analysis.resolution(*id).is_some()).then_some((*id, 0))
    })?;
    let (label, documentation) = match analysis.resolution(head)? {
        Res::Global(def) => {
            let name = analysis.checked.program.defs[def].name;
            (signature(analysis, name, def), doc(analysis, def).map(|doc| Documentation::String(doc.to_string())))
        }
        Res::Scalar(prim, name) => (format!("{prim}.{name} : {}", driver::scalar_type(prim, name)?), None),
        Res::Local(pat) => {
            let around = analysis.definition_around(ast.pats[pat].span)?;
            let name = analysis.sources.snippet(ast.pats[pat].span);
            (format!("{name} : {}", analysis.show(around, analysis.checked.tables.pats.get(pat)?)), None)
        }
    };
    let parameters = parameters(&label);
    if parameters.is_empty() {
        return None;
    }
    let active = Some(active.min(parameters.len() - 1) as u32);
    let parameters = parameters.into_iter().map(|(start, end)| ParameterInformation {
        label: ParameterLabel::LabelOffsets([units(&label, start), units(&label, end)]),
        documentation: None,
    });
    let information = SignatureInformation { parameters: Some(parameters.collect()), label, documentation, active_parameter: active };
    Some(SignatureHelp { signatures: vec![information], active_signature: Some(0), active_parameter: active })
}

fn units(text: &str, at: usize) -> u32 {
    text[..at].encode_utf16().count() as u32
}

/// The places of the parameters in a signature: `f : T -> U`, or `def f (x: T) (y: T)`.
fn parameters(label: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut depth = 0u32;
    let start = label.find(" : ").map_or(0, |at| at + 3);
    let typed = !label.starts_with("def ") && !label.starts_with("entry ");
    let mut begin = start;
    let bytes = label.as_bytes();
    for at in (if typed { start } else { 0 })..bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => {
                if depth == 0 && bytes[at] == b'(' && !typed {
                    begin = at;
                }
                depth += 1;
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && bytes[at] == b')' && !typed {
                    out.push((begin, at + 1));
                }
            }
            b'-' if typed && depth == 0 && bytes.get(at + 1) == Some(&b'>') => {
                out.push((begin, label[..at].trim_end().len()));
                begin = at + 3;
            }
            _ => {}
        }
    }
    out.retain(|(start, end)| start < end);
    out
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn parameters_are_found() {
        let shown = |label: &'static str| -> Vec<&str> { parameters(label).into_iter().map(|(a, b)| &label[a..b]).collect() };
        assert_eq!(shown("f : (a -> b) -> [n]a -> [n]b"), ["(a -> b)", "[n]a"]);
        assert_eq!(shown("def f [n] (x: [n]a) (g: (a -> b)) : b"), ["(x: [n]a)", "(g: (a -> b))"]);
        assert!(shown("c : i64").is_empty());
    }
}
