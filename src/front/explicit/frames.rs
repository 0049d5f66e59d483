//! Applications with insertions as data: which dimensions of which argument are mapped over, which are replicated, which the function gets.

use super::insertions::nodes;
use super::nest::{Form, Nest, Piece, nest};
use super::{Printer, function_text, head_span, namer, shorten, show_type};
use crate::diag::frames::{Frames, Part};
use crate::ir::surface::{ExprId, view};
use crate::ir::tables::{DefId, InnerTypes, RBase, RType, Tables};

/// All applications of a definition with insertions, in the order of the functions' places, each with its node.
pub fn frames(printer: &Printer, tables: &Tables, inner: &InnerTypes, def: DefId) -> Vec<(ExprId, Frames)> {
    let view = View { printer, tables, inner, def };
    let inserted = |node: &ExprId| tables.apps.get(*node).is_some_and(|info| info.args.iter().any(|a| a.maps + a.reps > 0));
    let nodes = nodes(printer.program, def).into_iter().filter(inserted);
    let mut found: Vec<(ExprId, Frames)> = nodes.filter_map(|node| Some((node, view.application(node)?))).collect();
    found.sort_by_key(|(_, frames)| frames.place);
    found
}

/// The application at a node of a definition, with or without insertions.
pub fn frames_of(printer: &Printer, tables: &Tables, inner: &InnerTypes, def: DefId, node: ExprId) -> Option<Frames> {
    View { printer, tables, inner, def }.application(node)
}

struct View<'a> {
    printer: &'a Printer<'a>,
    tables: &'a Tables,
    inner: &'a InnerTypes,
    def: DefId,
}

/// The dimensions of a type, and all of it as text.
struct Known {
    dims: Vec<String>,
    text: String,
}

impl View<'_> {
    fn application(&self, node: ExprId) -> Option<Frames> {
        let (program, sources) = (self.printer.program, self.printer.sources);
        let Some(nest) = nest(&program.ast, &program.names, self.tables, node) else { return self.update(node) };
        let (function, place) = (function_text(program, sources, &nest), head_span(program, &nest));
        if !nest.path.is_empty() {
            return Some(self.projections(&nest, function, node));
        }
        let rank = nest.frame as usize;
        let result = if nest.missing() { None } else { self.known(node) };
        let mut frame = vec![String::new(); rank];
        let mut parts = Vec::new();
        for (index, piece) in nest.pieces().enumerate() {
            let head = index == 0 && nest.head.is_some();
            let array = matches!(nest.form, Form::Head(view::Head::Index(_)) | Form::IndexSection);
            if head && !array && piece.depth == 0 {
                continue;
            }
            let (part, mapped) = self.part(piece);
            let outer = rank - mapped.len().min(rank);
            for (size, own) in frame[outer..].iter_mut().zip(mapped) {
                if size.is_empty() {
                    *size = own;
                }
            }
            parts.push(part);
        }
        let result = result.map(|known| {
            let Known { mut dims, text } = known;
            let cell = dims.split_off(rank.min(dims.len()));
            frame.iter_mut().zip(dims).filter(|(_, own)| !own.is_empty()).for_each(|(size, own)| *size = own);
            Part { text: "result".into(), place: None, ty: text, mapped: rank, replicated: 0, cell }
        });
        Some(Frames { function, place, frame, parts, result })
    }

    /// An argument, and the sizes of what it is mapped over.
    fn part(&self, piece: &Piece) -> (Part, Vec<String>) {
        let (mapped, replicated) = (piece.depth as usize, piece.reps as usize);
        let Some(expr) = piece.expr else {
            let part = Part { text: "(the missing operand)".into(), place: None, ty: String::new(), mapped, replicated, cell: Vec::new() };
            return (part, vec![String::new(); mapped]);
        };
        let span = self.printer.program.ast.exprs[expr].span;
        let text = shorten(self.printer.sources.snippet(span));
        let Known { mut dims, text: ty } = self.known(expr).unwrap_or(Known { dims: vec![String::new(); mapped], text: String::new() });
        let cell = dims.split_off(mapped.min(dims.len()));
        (Part { text, place: Some(span), ty, mapped, replicated, cell }, dims)
    }

    /// `a with [i] = v`: the value is replicated.
    fn update(&self, node: ExprId) -> Option<Frames> {
        let ast = &self.printer.program.ast;
        let value = ast.update_value(node)?;
        let replicated = self.tables.spread(node);
        let (part, _) = self.part(&Piece { expr: Some(value), depth: 0, reps: replicated });
        Some(Frames { function: "with".into(), place: ast.exprs[value].span, frame: Vec::new(), parts: vec![part], result: None })
    }

    /// `(.x.y)` as a function: its operand is mapped over.
    fn projections(&self, nest: &Nest, function: String, node: ExprId) -> Frames {
        let depth = nest.path.iter().map(|(_, maps)| *maps).sum();
        let (part, frame) = self.part(&Piece { expr: None, depth, reps: 0 });
        let place = self.printer.program.ast.exprs[node].span;
        Frames { function, place, frame, parts: vec![part], result: None }
    }

    fn known(&self, expr: ExprId) -> Option<Known> {
        let inside = view::strip(&self.printer.program.ast, expr);
        let rough = self.tables.exprs.get(expr).or_else(|| self.tables.exprs.get(inside));
        // Rows of ragged arrays have dimensions whose sizes are hidden.
        let rank = rough.map(|ty| ty.rank.min(64) as usize);
        match (self.inner.exprs.get(&inside).or_else(|| self.inner.exprs.get(&expr)), rank) {
            (Some(sized), rank) => {
                let mut dims = sized.dims.clone();
                dims.resize(rank.unwrap_or(dims.len()), String::new());
                Some(Known { dims, text: shorten(&sized.text) })
            }
            (None, Some(rank)) => Some(Known { dims: vec![String::new(); rank], text: self.show(rough?) }),
            (None, None) => None,
        }
    }

    /// A type without sizes.
    fn show(&self, ty: &RType) -> String {
        shorten(&show(self.printer, self.tables, self.def, ty))
    }
}

/// A type inside of a definition without sizes.
pub(super) fn show(printer: &Printer, tables: &Tables, def: DefId, ty: &RType) -> String {
    match tables.defs.get(def) {
        Some(signature) => show_type(ty, &namer(printer.program, signature)),
        None => show_type(ty, &|id| format!("'{}", printer.program.tparams[id].name)),
    }
}

/// Whether a type is that of a function.
pub(super) fn is_function(ty: &RType) -> bool {
    ty.rank == 0 && matches!(*ty.base, RBase::Arrow(..))
}
