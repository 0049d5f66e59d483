//! A definition cut into cells: what a `let` binds is a cell, and so is what stands behind a chain of them.
//!
//! Readings that differ at one place usually mean the same a few lines further on. A cell whose meaning and type are the same in all
//! readings, given the variables that are not, ends the comparison there: the rest of the definition need not be looked at.

use crate::base::Span;
use crate::front::explicit::nest::{Form, nest};
use crate::front::explicit::{Part as SourcePart, of_expr};
use crate::ir::surface::{ExprId, ExprKind, PatId, PatKind, TypeParam, view};
use crate::ir::tables::{DefId, DefKind, Program, Res, Tables};
use rustc_hash::{FxHashMap, FxHashSet};

/// A cell, by its number.
pub(super) type CellId = usize;

/// What is in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// An expression.
    Expr(ExprId),
    /// The local function that this `let` declares.
    Function(ExprId),
    /// The array that this `let a[i] = v` makes.
    Update(ExprId),
}

/// A part of a definition.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) content: Content,
    /// The `let` that binds it.
    pub(super) binds: Option<ExprId>,
    /// The cell that it is part of.
    pub(super) outer: Option<CellId>,
    depth: u32,
}

/// Where an expression stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    parent: ExprId,
    depth: u32,
    cell: CellId,
}

/// The tree of a definition as inference sees it (the parts of an application are its head and its arguments), and its cells.
pub(super) struct Cells<'a> {
    program: &'a Program,
    places: FxHashMap<ExprId, Place>,
    cells: Vec<Cell>,
    /// The uses of a variable.
    uses: FxHashMap<PatId, Vec<ExprId>>,
    /// The cells that variables are bound to.
    binders: FxHashMap<PatId, CellId>,
    empty: Tables,
}

/// The parts of a cell that comparing it needs.
#[derive(Debug, Default)]
pub(super) struct Inside {
    /// Its expressions.
    pub(super) nodes: Vec<ExprId>,
    /// The variables that it takes from outside.
    pub(super) outer: Vec<PatId>,
}

impl<'a> Cells<'a> {
    /// The cells of a definition; the whole is the first. Linear in its size.
    pub(super) fn new(program: &'a Program, def: DefId) -> Cells<'a> {
        let mut cells = Cells {
            program,
            places: FxHashMap::default(),
            cells: Vec::new(),
            uses: FxHashMap::default(),
            binders: FxHashMap::default(),
            empty: Tables::default(),
        };
        if let DefKind::Def(decl) = &program.defs[def].decl {
            let root = view::strip(&program.ast, decl.body);
            cells.cells.push(Cell { content: Content::Expr(root), binds: None, outer: None, depth: 0 });
            cells.fill(root);
        }
        cells
    }

    fn fill(&mut self, root: ExprId) {
        let mut work = vec![(root, Place { parent: root, depth: 0, cell: 0 })];
        while let Some((node, place)) = work.pop() {
            self.places.insert(node, place);
            if let Some(Res::Local(pat)) = self.program.names.exprs.get(node) {
                self.uses.entry(*pat).or_default().push(node);
            }
            let below = |cell: CellId| Place { parent: node, depth: place.depth + 1, cell };
            let mut bound: FxHashMap<ExprId, CellId> = FxHashMap::default();
            let strip = |expr: ExprId| view::strip(&self.program.ast, expr);
            match &self.program.ast.exprs[node].kind {
                ExprKind::Let { rhs, body, .. } => {
                    let (rhs, body) = (strip(*rhs), strip(*body));
                    bound.insert(rhs, self.open(Content::Expr(rhs), Some(node), place.cell));
                    bound.extend(self.behind(body, place.cell));
                }
                ExprKind::LetFun(fun) => {
                    let body = strip(fun.body);
                    bound.insert(strip(fun.rhs), self.open(Content::Function(node), Some(node), place.cell));
                    bound.extend(self.behind(body, place.cell));
                }
                ExprKind::LetUpdate { body, .. } => {
                    let body = strip(*body);
                    let update = self.open(Content::Update(node), Some(node), place.cell);
                    bound.extend(self.parts(node).into_iter().filter(|part| *part != body).map(|part| (part, update)));
                    bound.extend(self.behind(body, place.cell));
                }
                _ => {}
            }
            let parts = self.parts(node).into_iter();
            work.extend(parts.map(|part| (part, below(bound.get(&part).copied().unwrap_or(place.cell)))));
        }
    }

    fn open(&mut self, content: Content, binds: Option<ExprId>, outer: CellId) -> CellId {
        let depth = self.cells[outer].depth + 1;
        self.cells.push(Cell { content, binds, outer: Some(outer), depth });
        let id = self.cells.len() - 1;
        for var in self.bound(id) {
            self.binders.insert(var, id);
        }
        id
    }

    /// The cell behind a `let`, unless another one follows.
    fn behind(&mut self, body: ExprId, outer: CellId) -> Option<(ExprId, CellId)> {
        let bindings = |kind: &ExprKind| matches!(kind, ExprKind::Let { .. } | ExprKind::LetFun(_) | ExprKind::LetUpdate { .. });
        let last = !bindings(&self.program.ast.exprs[body].kind);
        last.then(|| (body, self.open(Content::Expr(body), None, outer)))
    }

    fn parts(&self, node: ExprId) -> Vec<ExprId> {
        let ast = &self.program.ast;
        let parts: Vec<ExprId> = match nest(ast, &self.program.names, &self.empty, node) {
            Some(nest) => {
                let head = if let Form::Head(view::Head::Expr(e)) = nest.form { Some(e) } else { None };
                nest.pieces().filter_map(|p| p.expr).chain(head).collect()
            }
            None => of_expr(ast, node)
                .into_iter()
                .filter_map(|part| match part {
                    SourcePart::Expr(e, _) | SourcePart::Pun(e) => Some(e),
                    _ => None,
                })
                .collect(),
        };
        parts.into_iter().map(|e| view::strip(ast, e)).collect()
    }

    /// A cell.
    pub(super) fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id]
    }

    /// The cell that an expression is in.
    pub(super) fn cell_of(&self, node: ExprId) -> Option<CellId> {
        self.places.get(&node).map(|place| place.cell)
    }

    /// The cell that a variable is bound to.
    pub(super) fn binder(&self, pat: PatId) -> Option<CellId> {
        self.binders.get(&pat).copied()
    }

    /// The uses of a variable.
    pub(super) fn uses(&self, pat: PatId) -> &[ExprId] {
        self.uses.get(&pat).map_or(&[], Vec::as_slice)
    }

    /// An order in which what a cell depends on comes before it: by the end of their text, inner ones first.
    pub(super) fn order(&self, id: CellId) -> (u32, std::cmp::Reverse<u32>, CellId) {
        (self.span(id).end, std::cmp::Reverse(self.cells[id].depth), id)
    }

    /// The place of what is in a cell, or of its last part.
    fn span(&self, id: CellId) -> Span {
        let exprs = &self.program.ast.exprs;
        let expr = match self.cells[id].content {
            Content::Expr(expr) => expr,
            Content::Function(node) | Content::Update(node) => match &exprs[node].kind {
                ExprKind::LetFun(fun) => fun.rhs,
                ExprKind::LetUpdate { value, .. } => *value,
                _ => node,
            },
        };
        exprs[expr].span
    }

    /// Whether a cell is part of an expression, and not the one that the expression is in.
    pub(super) fn within(&self, id: CellId, expr: ExprId) -> bool {
        self.cell_of(expr) != Some(id) && self.program.ast.exprs[expr].span.contains(self.span(id))
    }

    /// The variables that the binding of a cell declares.
    pub(super) fn bound(&self, id: CellId) -> Vec<PatId> {
        self.cells[id].binds.map_or(Vec::new(), |binding| self.bound_by(binding))
    }

    /// The variables that a `let` declares.
    pub(super) fn bound_by(&self, binding: ExprId) -> Vec<PatId> {
        let mut vars = Vec::new();
        match &self.program.ast.exprs[binding].kind {
            ExprKind::Let { sizes, pat, .. } => {
                vars.extend(sizes.iter().copied());
                self.pattern_vars(*pat, &mut vars);
            }
            ExprKind::LetFun(fun) => vars.push(fun.binder),
            ExprKind::LetUpdate { binder, .. } => vars.push(*binder),
            _ => {}
        }
        vars
    }

    fn pattern_vars(&self, pat: PatId, vars: &mut Vec<PatId>) {
        match &self.program.ast.pats[pat].kind {
            PatKind::Name(_) => vars.push(pat),
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => self.pattern_vars(*inner, vars),
            PatKind::Tuple(items) | PatKind::Constr(_, items) => items.iter().for_each(|item| self.pattern_vars(*item, vars)),
            PatKind::Record(fields) => fields.iter().for_each(|(_, item)| self.pattern_vars(*item, vars)),
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
        }
    }

    /// What is inside of a cell or an expression, cells in it included.
    pub(super) fn inside(&self, content: Content) -> Inside {
        let ast = &self.program.ast;
        let mut work = match content {
            Content::Expr(expr) => vec![expr],
            Content::Function(node) => match &ast.exprs[node].kind {
                ExprKind::LetFun(fun) => vec![view::strip(ast, fun.rhs)],
                _ => Vec::new(),
            },
            Content::Update(node) => match &ast.exprs[node].kind {
                ExprKind::LetUpdate { body, .. } => {
                    let body = view::strip(ast, *body);
                    self.parts(node).into_iter().filter(|part| *part != body).collect()
                }
                _ => Vec::new(),
            },
        };
        let mut inside = Inside::default();
        let (mut used, mut declared) = (Vec::new(), FxHashSet::default());
        if let Content::Function(node) = content
            && let ExprKind::LetFun(fun) = &ast.exprs[node].kind
        {
            self.declare(&fun.params, &fun.tparams, &mut declared);
        }
        while let Some(node) = work.pop() {
            inside.nodes.push(node);
            if let Some(Res::Local(pat)) = self.program.names.exprs.get(node) {
                used.push(*pat);
            }
            self.declared(node, &mut declared);
            work.extend(self.parts(node));
        }
        used.retain(|pat| !declared.contains(pat));
        used.sort_unstable();
        used.dedup();
        inside.outer = used;
        inside
    }

    fn declare(&self, pats: &[PatId], tparams: &[TypeParam], declared: &mut FxHashSet<PatId>) {
        let mut vars = Vec::new();
        pats.iter().for_each(|pat| self.pattern_vars(*pat, &mut vars));
        vars.extend(tparams.iter().filter_map(|tparam| if let TypeParam::Size(pat) = tparam { Some(*pat) } else { None }));
        declared.extend(vars);
    }

    /// The variables that an expression declares for its parts.
    fn declared(&self, node: ExprId, declared: &mut FxHashSet<PatId>) {
        use crate::ir::surface::LoopForm;
        match &self.program.ast.exprs[node].kind {
            ExprKind::Lambda { params, .. } => self.declare(params, &[], declared),
            ExprKind::Let { sizes, pat, .. } => {
                declared.extend(sizes);
                self.declare(&[*pat], &[], declared);
            }
            ExprKind::LetFun(fun) => {
                declared.insert(fun.binder);
                self.declare(&fun.params, &fun.tparams, declared);
            }
            ExprKind::LetUpdate { binder, .. } => {
                declared.insert(*binder);
            }
            ExprKind::Match { cases, .. } => cases.iter().for_each(|(pat, _)| self.declare(&[*pat], &[], declared)),
            ExprKind::Loop { sizes, pat, form, .. } => {
                declared.extend(sizes);
                self.declare(&[*pat], &[], declared);
                match form {
                    LoopForm::For { var, .. } => self.declare(&[*var], &[], declared),
                    LoopForm::ForIn { pat, .. } => self.declare(&[*pat], &[], declared),
                    LoopForm::While(_) => {}
                }
            }
            _ => {}
        }
    }

    /// The smallest expression that contains all of these.
    pub(super) fn common(&self, nodes: &[ExprId]) -> Option<ExprId> {
        let mut common = *nodes.first()?;
        for &node in nodes {
            let (mut a, mut b) = (common, node);
            while a != b {
                let (above_a, above_b) = (self.places.get(&a)?, self.places.get(&b)?);
                let (deep_a, deep_b) = (above_a.depth, above_b.depth);
                if deep_a >= deep_b {
                    a = above_a.parent;
                }
                if deep_b >= deep_a {
                    b = above_b.parent;
                }
            }
            common = a;
        }
        self.places.get(&common).map(|_| common)
    }
}
