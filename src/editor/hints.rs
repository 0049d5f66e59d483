//! Inlay hints: what the compiler inserted, and what it inferred.

use super::Analysis;
use super::rewrite::with_comments;
use crate::base::Span;
use crate::diag::frames::{self, Frames};
use crate::front::explicit::nest::nest;
use crate::front::explicit::{Level, Part, Printer, head_span, namer, of_expr, show_type};
use crate::ir::surface::children::{Node, children_of};
use crate::ir::surface::{ExprId, ExprKind, PatId, PatKind, TypeParam};
use crate::ir::tables::{DefId, DefKind, RBase, RType};
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip, MarkupContent, MarkupKind, Position, Range, TextEdit};
use serde::Deserialize;

/// Which hints are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Kinds {
    /// Every `map` that was inserted, before the function.
    pub maps: bool,
    /// Every `rep` that was inserted, before the argument.
    pub reps: bool,
    /// Types of variables and results that are not annotated.
    pub types: bool,
    /// Their dimensions, where types are not shown.
    pub ranks: bool,
    /// The sizes of dimensions, where they have names.
    pub sizes: bool,
}

impl Default for Kinds {
    fn default() -> Kinds {
        Kinds { maps: true, reps: true, types: true, ranks: true, sizes: true }
    }
}

/// Longest label; the rest is cut.
const MOST_CHARACTERS: usize = 60;

/// Most definitions in a range whose variables have types with sizes: these definitions are elaborated again for that. A screen has fewer.
const MOST_SIZED: usize = 40;

/// The hints of a range of the document.
pub fn hints(analysis: &Analysis, range: Range, kinds: Kinds) -> Vec<InlayHint> {
    let span = analysis.span(range);
    if analysis.is_core() {
        return core(analysis, span, kinds);
    }
    if analysis.is_apl() {
        return super::apl::hints(analysis, span, kinds);
    }
    let mut out = Vec::new();
    let defs = analysis.ranked_within(span).collect::<Vec<_>>();
    let sized = kinds.types && kinds.sizes && defs.len() <= MOST_SIZED;
    if sized {
        analysis.know_inner(&defs);
    }
    for def in defs {
        let hinter = Hinter { analysis, def, kinds, sized, span };
        hinter.definition(&mut out);
    }
    out.sort_by_key(|hint| (hint.position.line, hint.position.character));
    out
}

struct Hinter<'a> {
    analysis: &'a Analysis,
    def: DefId,
    kinds: Kinds,
    /// Whether types of variables have sizes.
    sized: bool,
    span: Span,
}

impl Hinter<'_> {
    fn definition(&self, out: &mut Vec<InlayHint>) {
        let program = &self.analysis.checked.program;
        let DefKind::Def(decl) = &program.defs[self.def].decl else { return };
        for param in &decl.params {
            self.pattern(*param, out);
        }
        if decl.ret.is_none() {
            let end = decl.params.last().map(|pat| program.ast.pats[*pat].span.end);
            let end = end.unwrap_or_else(|| self.after_head(decl.name.span, &decl.tparams));
            self.result(end, decl.params.len(), out);
        }
        let mut nodes = vec![Node::Expr(decl.body)];
        while let Some(node) = nodes.pop() {
            let span = self.analysis.node_span(node);
            if span.end < self.span.start || span.start > self.span.end {
                continue;
            }
            if let Node::Expr(expr) = node {
                self.expression(expr, out);
            }
            children_of(&program.ast, node, &mut nodes);
        }
    }

    fn after_head(&self, name: Span, tparams: &[TypeParam]) -> u32 {
        let text = self.analysis.text();
        let last = tparams.iter().map(|param| match param {
            TypeParam::Size(pat) => self.analysis.checked.program.ast.pats[*pat].span.end + 1,
            TypeParam::Type(ident) => ident.span.end,
        });
        let end = last.max().unwrap_or(name.end);
        // The parenthesis after an operator.
        let rest = text.get(end as usize..).unwrap_or("");
        end + u32::from(end == name.end && rest.starts_with(')'))
    }

    fn within(&self, at: u32) -> bool {
        self.span.start <= at && at <= self.span.end
    }

    fn position(&self, at: u32) -> Position {
        self.analysis.range(Span { start: at, end: at, ..self.span }).start
    }

    fn expression(&self, expr: ExprId, out: &mut Vec<InlayHint>) {
        let program = &self.analysis.checked.program;
        self.insertions(expr, out);
        match &program.ast.exprs[expr].kind {
            ExprKind::Let { pat, .. } => self.pattern(*pat, out),
            ExprKind::LetFun(fun) => fun.params.iter().for_each(|pat| self.pattern(*pat, out)),
            ExprKind::Lambda { params, .. } if !program.ast.is_section(params) => params.iter().for_each(|pat| self.pattern(*pat, out)),
            ExprKind::Loop { pat, form, .. } => {
                self.pattern(*pat, out);
                if let crate::ir::surface::LoopForm::ForIn { pat, .. } = form {
                    self.pattern(*pat, out);
                }
            }
            _ => {}
        }
    }

    /// The maps and replications of an application.
    fn insertions(&self, node: ExprId, out: &mut Vec<InlayHint>) {
        let checked = &self.analysis.checked;
        let program = &checked.program;
        if checked.tables.apps.get(node).is_none() {
            return;
        }
        if let Some(value) = program.ast.update_value(node) {
            let times = checked.tables.spread(node);
            return self.replication(program.ast.exprs[value].span.start, times, node, out);
        }
        let Some(nest) = nest(&program.ast, &program.names, &checked.tables, node).filter(|nest| !nest.is_plain()) else { return };
        let at = head_span(program, &nest).start;
        let frame = nest.frame + nest.path.iter().map(|(_, maps)| maps).sum::<u32>();
        if self.kinds.maps && frame > 0 && self.within(at) {
            out.push(self.inserted(at, "map", frame, node));
        }
        for piece in nest.pieces().filter(|piece| piece.reps > 0) {
            if let Some(argument) = piece.expr {
                self.replication(program.ast.exprs[argument].span.start, piece.reps, node, out);
            }
        }
    }

    fn replication(&self, at: u32, times: u32, node: ExprId, out: &mut Vec<InlayHint>) {
        if self.kinds.reps && times > 0 && self.within(at) {
            out.push(self.inserted(at, "rep", times, node));
        }
    }

    fn inserted(&self, at: u32, what: &str, times: u32, node: ExprId) -> InlayHint {
        let label = if times == 1 { what.to_string() } else { format!("{what}{}", power(times)) };
        let start = self.analysis.checked.program.ast.exprs[node].span.start;
        let data = serde_json::json!({ "start": start, "end": self.analysis.checked.program.ast.exprs[node].span.end });
        InlayHint { data: Some(data), padding_right: Some(true), ..plain(self.position(at), label, None) }
    }

    /// The type of a parameter or variable that has no annotation.
    fn pattern(&self, pat: PatId, out: &mut Vec<InlayHint>) {
        let pats = &self.analysis.checked.program.ast.pats;
        match &pats[pat].kind {
            PatKind::Name(name) if !name.as_str().contains('.') => {
                let at = pats[pat].span.end;
                if self.within(at)
                    && let Some(ty) = self.analysis.checked.tables.pats.get(pat)
                {
                    let sized = self.sized.then(|| self.analysis.inner(self.def));
                    let sized = sized.and_then(|inner| inner.pats.get(&pat).map(|sized| sized.text.clone()));
                    self.typed(at, ty, sized, out);
                }
            }
            PatKind::Paren(inner) => self.pattern(*inner, out),
            PatKind::Tuple(items) => items.iter().for_each(|item| self.pattern(*item, out)),
            PatKind::Record(fields) => fields.iter().for_each(|(_, item)| self.pattern(*item, out)),
            PatKind::Name(_) | PatKind::Error | PatKind::Wild | PatKind::Ascribe(..) | PatKind::Lit(_) | PatKind::Constr(..) => {}
        }
    }

    /// The type of what a definition makes.
    fn result(&self, at: u32, params: usize, out: &mut Vec<InlayHint>) {
        let checked = &self.analysis.checked;
        let Some(signature) = checked.tables.defs.get(self.def).filter(|_| self.within(at)) else { return };
        let mut ty = &signature.ty;
        for _ in 0..params {
            let RBase::Arrow(_, to) = &*ty.base else { return };
            ty = to;
        }
        let sized = self.kinds.sizes.then(|| checked.result_type_of(self.def, params)).flatten();
        self.typed(at, ty, sized, out);
    }

    fn typed(&self, at: u32, ty: &RType, sized: Option<String>, out: &mut Vec<InlayHint>) {
        let label = if self.kinds.types {
            sized.unwrap_or_else(|| self.analysis.show(self.def, ty))
        } else if self.kinds.ranks && ty.rank > 0 {
            // Brackets are shown only where the type has no name that stands for them.
            let dimensions = self.analysis.show(self.def, ty);
            format!("{}_", "[]".repeat(dimensions.matches("[]").count().min(ty.rank as usize)))
        } else {
            return;
        };
        out.push(plain(self.position(at), format!(": {}", cut(&label)), Some(InlayHintKind::TYPE)));
    }
}

impl Analysis {
    /// The type of a part of a definition.
    pub(super) fn show(&self, def: DefId, ty: &RType) -> String {
        let program = &self.checked.program;
        match self.checked.tables.defs.get(def) {
            Some(signature) => show_type(ty, &namer(program, signature)),
            None => show_type(ty, &|id| format!("'{}", program.tparams[id].name)),
        }
    }
}

pub(super) fn plain(position: Position, label: String, kind: Option<InlayHintKind>) -> InlayHint {
    InlayHint {
        position,
        label: InlayHintLabel::String(label),
        kind,
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: None,
        data: None,
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_string(),
    }
}

/// A number in superscript.
fn power(number: u32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number.to_string().bytes().map(|digit| DIGITS[usize::from(digit - b'0') % 10]).collect()
}

/// Adds what is shown when the pointer is on a hint: the application with its insertions, and the change that writes them.
pub fn resolve(analysis: &Analysis, mut hint: InlayHint) -> InlayHint {
    let number = |key: &str| hint.data.as_ref().and_then(|data| data.get(key)).and_then(serde_json::Value::as_u64);
    let (Some(start), Some(end)) = (number("start"), number("end")) else { return hint };
    let wanted = Span::new(analysis.file, start as usize, end as usize);
    let Some((def, node)) = application_with(analysis, wanted) else { return hint };
    let (text, edit) = explicit_application(analysis, def, node);
    let value = format!("```remora\n{text}\n```");
    hint.tooltip = Some(InlayHintTooltip::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
    hint.text_edits = Some(vec![edit]);
    hint
}

/// The application with insertions that has this span.
fn application_with(analysis: &Analysis, span: Span) -> Option<(DefId, ExprId)> {
    let def = analysis.definition_around(span)?;
    let ast = &analysis.checked.program.ast;
    let nodes = analysis.path_at(span.start as usize).into_iter().rev();
    let nodes = nodes.chain(analysis.path_at(span.end as usize).into_iter().rev());
    let mut nodes = nodes.filter_map(|node| if let Node::Expr(id) = node { Some(id) } else { None });
    let found = nodes.find(|id| ast.exprs[*id].span == span && analysis.checked.tables.apps.get(*id).is_some())?;
    Some((def, found))
}

/// An application with its insertions written out, and the edit that puts it into the text.
pub(super) fn explicit_application(analysis: &Analysis, def: DefId, node: ExprId) -> (String, TextEdit) {
    let checked = &analysis.checked;
    let printer = Printer::new(&checked.program, &analysis.sources);
    let text = printer.expression(&checked.tables, def, node);
    // Nests of maps bind less tightly than anything around them.
    let new_text = if is_operand(analysis, def, node) { format!("({text})") } else { text.clone() };
    let span = checked.program.ast.exprs[node].span;
    let range = analysis.range(span);
    let new_text = with_comments(analysis.sources.snippet(span), &new_text, range.start.character as usize);
    let edit = TextEdit { range, new_text };
    (text, edit)
}

/// Whether an expression is part of an application, so that a larger one needs parentheses.
fn is_operand(analysis: &Analysis, def: DefId, node: ExprId) -> bool {
    let program = &analysis.checked.program;
    let DefKind::Def(decl) = &program.defs[def].decl else { return true };
    let mut work = vec![decl.body];
    if decl.body == node {
        return false;
    }
    while let Some(expr) = work.pop() {
        for part in of_expr(&program.ast, expr) {
            if let Part::Expr(inner, level) = part {
                if inner == node {
                    return !matches!(level, Level::Low);
                }
                work.push(inner);
            }
        }
    }
    true
}

/// What was inserted into core.
fn core(analysis: &Analysis, span: Span, kinds: Kinds) -> Vec<InlayHint> {
    use crate::front::remc::{Insertion, What};
    use crate::ir::core::print;
    let Some(remc) = &analysis.checked.remc else { return Vec::new() };
    let own = remc.insertions.iter().filter(|insertion| span.file == insertion.span.file && span.start <= insertion.span.start);
    let own = own.filter(|insertion| insertion.span.start <= span.end);
    let hint = |Insertion { span, what }: &Insertion| match what {
        What::Lifted { principal, .. } if kinds.maps => {
            let start = Span { end: span.start, ..*span };
            Some(InlayHint {
                padding_right: Some(true),
                ..plain(analysis.range(start).start, cut(&format!("map {}", print::shape(principal))), None)
            })
        }
        What::Inferred { what, arguments } if kinds.types => {
            // Behind the name, which may stand behind a parenthesis.
            let text = analysis.text().get(span.start as usize..span.end as usize)?;
            let name = what.bare();
            let at = span.start + text.find(name)? as u32 + name.len() as u32;
            let place = analysis.range(Span { start: at, end: at, ..*span }).start;
            Some(plain(place, cut(&arguments.to_string()), Some(InlayHintKind::TYPE)))
        }
        What::Lifted { .. } | What::Inferred { .. } => None,
    };
    own.filter_map(hint).collect()
}

/// The insertions of an application in words.
pub(super) fn words(frames: &Frames) -> Vec<String> {
    let dimensions = |n: usize| if n == 1 { "1 dimension".to_string() } else { format!("{n} dimensions") };
    let typed = |part: &frames::Part| {
        let cell = match part.replicated + part.cell.len() {
            0 => "rank 0".to_string(),
            rank => format!("`{}{}`, rank {rank}", "[]".repeat(part.replicated), brackets(&part.cell)),
        };
        if part.ty.is_empty() { format!("cells: {cell}") } else { format!("`{}`, cells: {cell}", part.ty) }
    };
    let mut out = Vec::new();
    for part in frames.parts.iter().filter(|part| part.place.is_some()) {
        let name = &part.text;
        let done = match (part.mapped, part.replicated) {
            (0, 0) => continue,
            (mapped, 0) => format!("mapped over {} of `{name}`", dimensions(mapped)),
            (0, again) => format!("`{name}` replicated over {}", dimensions(again)),
            (mapped, again) => format!("mapped over {} of `{name}`, replicated over {}", dimensions(mapped), dimensions(again)),
        };
        out.push(format!("{done}: {}", typed(part)));
    }
    out
}

/// Sizes as they stand in a type.
pub(super) fn brackets(sizes: &[String]) -> String {
    sizes.iter().map(|size| format!("[{size}]")).collect()
}
