//! Writes source text with the insertions in place: what needs no insertion is copied as the user wrote it.

use super::Printer;
use super::children::{Level, Part, of_expr, of_pat, of_type, tparam_parts};
use super::names::{RESERVED, pick, words};
use super::nest::{Nest, nest};
use super::plan::Plan;
use crate::base::{Span, Symbol};
use crate::ir::surface::{Ast, DefDecl, ExprId, ExprKind, PatId, PatKind, TypeId, section_operand};
use crate::ir::tables::{DefId, DefKind, Res, Tables};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Writes parts of one definition.
pub(super) struct Writer<'a> {
    pub(super) printer: &'a Printer<'a>,
    pub(super) tables: &'a Tables,
    pub(super) def: DefId,
    pub(super) out: String,
    /// Where the names of maps and `rep`s that were inserted stand in it.
    pub(super) inserted: Vec<Range<usize>>,
    /// Names that occur in the definition.
    pub(super) words: FxHashSet<&'a str>,
    /// Nodes whose text changes.
    dirty: FxHashSet<ExprId>,
    dirty_pats: FxHashSet<PatId>,
    dirty_types: FxHashSet<TypeId>,
    /// Replications around arguments of applications that are otherwise unchanged.
    wraps: FxHashMap<ExprId, u32>,
    /// Local variables that would hide `map` and the like, with their new names.
    renamed: FxHashMap<Symbol, String>,
}

impl<'a> Writer<'a> {
    /// Prepares to write `root`, a part of `def` or its body.
    pub(super) fn new(printer: &'a Printer<'a>, tables: &'a Tables, def: DefId, root: Option<ExprId>) -> Writer<'a> {
        let declared = &printer.program.defs[def].decl;
        let (span, parts) = match declared {
            DefKind::Def(decl) => (decl.span, decl_parts(decl)),
            DefKind::Val(decl) => (decl.span, Vec::new()),
        };
        let mut writer = Writer {
            printer,
            tables,
            def,
            out: String::new(),
            inserted: Vec::new(),
            words: words(printer.sources.snippet(span)),
            dirty: FxHashSet::default(),
            dirty_pats: FxHashSet::default(),
            dirty_types: FxHashSet::default(),
            wraps: FxHashMap::default(),
            renamed: FxHashMap::default(),
        };
        let parts = root.map_or(parts, |e| vec![Part::Expr(e, Level::Low)]);
        let mut changed = false;
        for &part in &parts {
            changed |= writer.mark(part);
        }
        if changed && RESERVED.iter().any(|name| writer.words.contains(name)) {
            writer.rename_locals(declared, &parts);
        }
        writer
    }

    /// Finds new names for local variables that are called `map` or the like.
    fn rename_locals(&mut self, declared: &DefKind, parts: &[Part]) {
        let DefKind::Def(decl) = declared else { return };
        let mut bound = FxHashSet::default();
        for part in decl_parts(decl) {
            self.bound_names(part, &mut bound);
        }
        let mut bound: Vec<Symbol> = bound.into_iter().collect();
        bound.sort();
        for name in bound {
            let mut new = format!("{name}'");
            while self.words.contains(new.as_str()) {
                new.push('\'');
            }
            self.renamed.insert(name, new);
        }
        if !self.renamed.is_empty() {
            for &part in parts {
                self.mark(part);
            }
        }
    }

    /// Collects the reserved names that a part binds.
    fn bound_names(&self, part: Part, bound: &mut FxHashSet<Symbol>) {
        if let Part::Pat(pat) | Part::PatPun(pat) = part
            && let PatKind::Name(name) = self.ast().pats[pat].kind
            && RESERVED.contains(&name.as_str())
        {
            bound.insert(name);
        }
        for inner in self.inner(part) {
            self.bound_names(inner, bound);
        }
    }

    fn inner(&self, part: Part) -> Vec<Part> {
        match part {
            Part::Expr(e, _) => of_expr(self.ast(), e),
            Part::Pat(p) => of_pat(self.ast(), p),
            Part::Type(t) => of_type(self.ast(), t),
            Part::Pun(_) | Part::PatPun(_) => Vec::new(),
        }
    }

    /// The tree.
    pub(super) fn ast(&self) -> &'a Ast {
        &self.printer.program.ast
    }

    /// The text of an expression as written.
    pub(super) fn snippet(&self, expr: ExprId) -> &'a str {
        self.printer.sources.snippet(self.ast().exprs[expr].span)
    }

    /// Finds out which nodes change, and returns whether this one does or is to be replicated by an application around it.
    fn mark(&mut self, part: Part) -> bool {
        let mut changed = match part {
            Part::Expr(e, _) | Part::Pun(e) => self.mark_node(e),
            Part::Pat(p) | Part::PatPun(p) => matches!(self.ast().pats[p].kind, PatKind::Name(n) if self.renamed.contains_key(&n)),
            Part::Type(_) => false,
        };
        for inner in self.inner(part) {
            // Only new names change anything in types and patterns.
            if self.renamed.is_empty() && !matches!(inner, Part::Expr(..)) {
                continue;
            }
            changed |= self.mark(inner);
        }
        if let (Part::Expr(e, _), true) = (part, changed)
            && let ExprKind::Lambda { params, body, .. } = &self.ast().exprs[e].kind
            && self.ast().is_section(params)
        {
            self.mark_section(*body);
        }
        match part {
            Part::Expr(e, _) | Part::Pun(e) if changed => _ = self.dirty.insert(e),
            Part::Pat(p) | Part::PatPun(p) if changed => _ = self.dirty_pats.insert(p),
            Part::Type(t) if changed => _ = self.dirty_types.insert(t),
            _ => {}
        }
        changed || matches!(part, Part::Expr(e, _) | Part::Pun(e) if self.wraps.contains_key(&e))
    }

    /// The operand of a section that changes gets a name.
    fn mark_section(&mut self, mut body: ExprId) {
        loop {
            self.dirty.insert(body);
            match self.ast().exprs[body].kind {
                ExprKind::Index { array: inner, .. } | ExprKind::Project { expr: inner, .. } => body = inner,
                _ => break,
            }
        }
        self.renamed.entry(section_operand()).or_insert_with(|| {
            let taken = |name: &str| self.words.contains(name);
            pick(["x", "r", "v", "t", "t1", "t2", "t3", "t4", "t5"], &taken)
        });
    }

    fn mark_node(&mut self, expr: ExprId) -> bool {
        if let ExprKind::Name(name) = self.ast().exprs[expr].kind {
            return self.is_renamed(expr, name).is_some();
        }
        if self.tables.apps.get(expr).is_none() {
            return false;
        }
        if let (Some(value), reps @ 1..) = (self.ast().update_value(expr), self.tables.spread(expr)) {
            self.wraps.insert(value, reps);
            return true;
        }
        match nest(self.ast(), &self.printer.program.names, self.tables, expr) {
            Some(nest) if !nest.is_plain() => {
                if !rebuilt(&nest) {
                    let replicated = nest.args.iter().filter(|a| a.reps > 0);
                    self.wraps.extend(replicated.filter_map(|a| Some((a.expr?, a.reps))));
                }
                true
            }
            _ => false,
        }
    }

    /// Whether this is the name that the operand of a section has got.
    pub(super) fn is_operand(&self, name: &str) -> bool {
        self.renamed.get(&section_operand()).is_some_and(|operand| operand == name)
    }

    fn is_renamed(&self, expr: ExprId, name: Symbol) -> Option<&String> {
        let new = self.renamed.get(&name)?;
        matches!(self.printer.program.names.exprs.get(expr), Some(Res::Local(_))).then_some(new)
    }

    /// The nest that is written in place of this node.
    pub(super) fn rewritten(&self, expr: ExprId) -> Option<Nest> {
        if !self.dirty.contains(&expr) || self.tables.apps.get(expr).is_none() {
            return None;
        }
        nest(self.ast(), &self.printer.program.names, self.tables, expr).filter(|nest| !nest.is_plain() && rebuilt(nest))
    }

    /// Writes an expression and returns the text.
    pub(super) fn whole(mut self, expr: ExprId) -> String {
        self.expr(expr, Level::Low);
        self.out
    }

    /// Writes a definition and returns the text, and where the names of maps and `rep`s that were inserted stand in it.
    pub(super) fn declaration(mut self, decl: &DefDecl) -> (String, Vec<Range<usize>>) {
        self.splice(decl.span, &decl_parts(decl));
        (self.out, self.inserted)
    }

    /// Writes `parts` and the text around them that lies in `span`.
    fn splice(&mut self, span: Span, parts: &[Part]) {
        let mut at = span.start;
        for &part in parts {
            let place = part.span(self.ast());
            if place.start < at || !span.contains(place) {
                continue;
            }
            self.copy(Span { start: at, end: place.start, ..span });
            at = place.end;
            match part {
                Part::Expr(e, need) => self.expr(e, need),
                Part::Pat(p) => self.pat(p),
                Part::Type(t) if self.dirty_types.contains(&t) => self.splice(place, &of_type(self.ast(), t)),
                Part::Type(_) => self.copy(place),
                Part::Pun(e) => self.pun(place, self.dirty.contains(&e), |w| w.expr(e, Level::Low)),
                Part::PatPun(p) => self.pun(place, self.dirty_pats.contains(&p), |w| w.pat(p)),
            }
        }
        self.copy(Span { start: at, ..span });
    }

    /// A record field without a value: when the variable has a new name, the label is written before it.
    fn pun(&mut self, place: Span, changed: bool, value: impl FnOnce(&mut Self)) {
        self.copy(place);
        if changed {
            self.out.push_str(" = ");
            value(self);
        }
    }

    pub(super) fn copy(&mut self, span: Span) {
        self.out.push_str(self.printer.sources.snippet(span));
    }

    fn pat(&mut self, pat: PatId) {
        let node = &self.ast().pats[pat];
        match &node.kind {
            PatKind::Name(name) if self.dirty_pats.contains(&pat) => match self.renamed.get(name) {
                Some(new) => self.out.push_str(new),
                None => self.copy(node.span),
            },
            _ if self.dirty_pats.contains(&pat) => self.splice(node.span, &of_pat(self.ast(), pat)),
            _ => self.copy(node.span),
        }
    }

    /// Writes an expression where it stands.
    fn expr(&mut self, expr: ExprId, need: Level) {
        match self.wraps.get(&expr).copied() {
            Some(reps) => self.replicated(reps, need, |w, need| w.bare(expr, need, true)),
            None => self.bare(expr, need, false),
        }
    }

    /// Writes an expression; one that is `moved` to another place may need parentheses that it did not have.
    fn bare(&mut self, expr: ExprId, need: Level, moved: bool) {
        let span = self.ast().exprs[expr].span;
        if let Some(nest) = self.rewritten(expr) {
            let plan = Plan::new(self, &nest);
            let level = if plan.hoists.is_empty() && plan.lambda.is_none() { Level::Apply } else { Level::Low };
            self.parenthesised(level < need, |w| w.nest(&plan));
        } else {
            // `m.+` as a function is written `(m.+)`.
            let operator = matches!(self.ast().exprs[expr].kind, ExprKind::Project { field, .. } if is_symbolic(field.name.as_str()));
            self.parenthesised(moved && (operator || self.level(expr) < need), |w| {
                if !w.dirty.contains(&expr) {
                    w.copy(span);
                } else if let ExprKind::Lambda { params, body, .. } = &w.ast().exprs[expr].kind
                    && w.ast().is_section(params)
                {
                    let name = w.renamed.get(&section_operand()).cloned().unwrap_or_default();
                    w.out.push_str(&format!("\\{name} -> "));
                    w.expr(*body, Level::Low);
                } else if let ExprKind::Name(name) = w.ast().exprs[expr].kind {
                    let new = w.is_renamed(expr, name).cloned();
                    w.out.push_str(new.as_deref().unwrap_or(name.as_str()));
                } else {
                    w.splice(span, &of_expr(w.ast(), expr));
                }
            });
        }
    }

    /// Writes a piece in a place other than its own.
    pub(super) fn moved(&mut self, expr: ExprId, need: Level) {
        self.bare(self.unwrapped(expr, need), need, true);
    }

    /// The expression inside of parentheses that are not needed in the new place and hold no comment.
    fn unwrapped(&self, expr: ExprId, need: Level) -> ExprId {
        let ast = self.ast();
        let mut at = expr;
        while let ExprKind::Paren(inner) = ast.exprs[at].kind {
            let (outer, within) = (self.snippet(at).len(), self.snippet(inner).len());
            if outer != within + 2 {
                return expr;
            }
            at = inner;
        }
        let keep = matches!(ast.exprs[at].kind, ExprKind::Ascribe { .. } | ExprKind::Coerce { .. }) || self.level(at) < need;
        if keep { expr } else { at }
    }

    /// How tightly the text of an expression is bound.
    fn level(&self, expr: ExprId) -> Level {
        if let Some(nest) = self.rewritten(expr) {
            let low = nest.missing() || nest.pieces().any(|p| self.must_hoist(&nest, p));
            return if low { Level::Low } else { Level::Apply };
        }
        match &self.ast().exprs[expr].kind {
            ExprKind::Apply { .. } | ExprKind::Assert { .. } => Level::Apply,
            ExprKind::Constr { args, .. } if !args.is_empty() => Level::Apply,
            ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Range { .. }
            | ExprKind::Ascribe { .. }
            | ExprKind::Coerce { .. }
            | ExprKind::With { .. } => Level::Operator,
            ExprKind::Lambda { .. }
            | ExprKind::Let { .. }
            | ExprKind::LetFun(_)
            | ExprKind::LetUpdate { .. }
            | ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Attr { .. } => Level::Low,
            _ => Level::Atom,
        }
    }

    pub(super) fn parenthesised(&mut self, parens: bool, inner: impl FnOnce(&mut Self)) {
        if parens {
            self.out.push('(');
        }
        inner(self);
        if parens {
            self.out.push(')');
        }
    }

    pub(super) fn replicated(&mut self, reps: u32, need: Level, inner: impl FnOnce(&mut Self, Level)) {
        if reps == 0 {
            return inner(self, need);
        }
        self.parenthesised(need > Level::Apply, |w| {
            w.name("rep");
            w.out.push(' ');
            for _ in 1..reps {
                w.out.push('(');
                w.name("rep");
                w.out.push(' ');
            }
            inner(w, Level::Atom);
            (1..reps).for_each(|_| w.out.push(')'));
        });
    }

    /// Writes the name of a library function.
    pub(super) fn name(&mut self, name: &'static str) {
        let spelled = self.printer.hidden.spell(name, self.def).unwrap_or(name);
        self.insert(spelled);
    }

    /// Writes the name of a map or a `rep` that the program does not have.
    pub(super) fn insert(&mut self, name: &str) {
        let start = self.out.len();
        self.out.push_str(name);
        self.inserted.push(start..self.out.len());
    }
}

/// Whether the nest is written anew, as opposed to `rep` written around some arguments.
fn rebuilt(nest: &Nest) -> bool {
    nest.frame > 0 || !nest.path.is_empty() || nest.args.iter().any(|a| a.expr.is_none() && a.reps > 0)
}

fn decl_parts(decl: &DefDecl) -> Vec<Part> {
    let mut parts = Vec::new();
    tparam_parts(&decl.tparams, &mut parts);
    parts.extend(decl.params.iter().map(|&p| Part::Pat(p)));
    parts.extend(decl.ret.iter().map(|&t| Part::Type(t)));
    parts.push(Part::Expr(decl.body, Level::Low));
    // A parameter may be written before the name: def x `op` y.
    let start = |p: &Part| match p {
        Part::Pat(_) => 0,
        _ => 1,
    };
    parts.sort_by_key(start);
    parts
}

/// Whether a name is made of symbols.
fn is_symbolic(name: &str) -> bool {
    name.starts_with(|c: char| !(c.is_alphanumeric() || c == '_'))
}
