//! The tree of a file over its tokens: each node is a range of tokens with the nodes inside of it.
//!
//! It is made from the spans of the nodes that the parser made. What the parser wrote out without a text of its own has an empty range, or that
//! of something that was written, and does no harm.

use super::tokens::Piece;
use crate::base::Span;
use crate::front::syntax::precedence::{self, Level};
use crate::ir::surface::children::{Node as AstNode, children_of};
use crate::ir::surface::modules::{ModuleExpr, ModuleExprKind, ModuleType, ModuleTypeKind, Spec};
use crate::ir::surface::{Ast, Decl, ExprKind, IndexArg, PatId, PatKind, SourceUnit, TypeId, TypeKind, TypeParam, path_indices};

/// What a node is, as far as the layout asks.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    File,
    /// `def`, `entry`, `let`, `val`, `type`, `module`, `open`, `import`, and specifications.
    Decl,
    Local,
    /// `{ .. }` with declarations or specifications.
    Struct,
    /// Module expressions and module types that are not brackets.
    Module,
    /// A name, a literal.
    Atom,
    Paren,
    /// Items between brackets, with commas.
    List,
    Apply,
    Binary(Level),
    Unary,
    Lambda,
    /// What is written without spaces: projections, indices, sections of fields, `*t`.
    Glued,
    /// As [`Tag::Glued`], with sizes between brackets or bounds around dots.
    Tight,
    /// `t [n] u`.
    TypeName,
    Let,
    /// `let a[i] = v in e`.
    LetUpdate,
    If,
    Match,
    Loop,
    Attr,
    /// `e : t` and patterns with types.
    Ascribe,
    PatAscribe,
    /// One bound of an array in a slice: `i:j:s`.
    Slice,
    /// A parameter, or a part of a pattern.
    Pat,
    Arrow,
    Sum,
    /// `a with [i] = v`.
    With,
    /// Anything else: its parts with spaces between them.
    Other,
}

/// A node.
#[derive(Debug)]
pub(super) struct Node {
    pub tag: Tag,
    /// Its first token, and the one behind its last.
    pub first: u32,
    pub end: u32,
    pub kids: Vec<u32>,
}

/// A token or a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Tok(u32),
    Node(u32),
}

/// The nodes of a file; the first is the file.
#[derive(Debug)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
}

impl Tree {
    pub fn new(ast: &Ast, unit: &SourceUnit, pieces: &[Piece]) -> Tree {
        let starts = pieces.iter().map(|piece| piece.start).collect();
        let mut found = Collector { ast, starts, near: 0, nodes: Vec::new() };
        unit.decls.iter().for_each(|decl| found.decl(decl));
        let mut ranges = found.nodes;
        // Parents come before their children, also where both are the same tokens.
        ranges.sort_by_key(|(_, first, end)| (*first, std::cmp::Reverse(*end)));
        let mut nodes = vec![Node { tag: Tag::File, first: 0, end: pieces.len() as u32, kids: Vec::new() }];
        let mut open: Vec<u32> = vec![0];
        for (tag, first, end) in ranges {
            while open.len() > 1 && open.last().is_some_and(|top| nodes[*top as usize].end <= first) {
                open.pop();
            }
            let parent = open.last().copied().unwrap_or(0);
            if end > nodes[parent as usize].end {
                continue;
            }
            let id = nodes.len() as u32;
            nodes.push(Node { tag, first, end, kids: Vec::new() });
            nodes[parent as usize].kids.push(id);
            open.push(id);
        }
        Tree { nodes }
    }

    pub fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    /// The tokens and nodes that a node consists of.
    pub fn parts(&self, id: u32) -> Vec<Part> {
        let node = self.node(id);
        let mut parts = Vec::with_capacity(node.kids.len() * 2 + 1);
        let mut at = node.first;
        for kid in &node.kids {
            parts.extend((at..self.node(*kid).first).map(Part::Tok));
            parts.push(Part::Node(*kid));
            at = self.node(*kid).end;
        }
        parts.extend((at..node.end).map(Part::Tok));
        parts
    }

    /// The first token of a part.
    pub fn first(&self, part: Part) -> u32 {
        match part {
            Part::Tok(at) => at,
            Part::Node(id) => self.node(id).first,
        }
    }

    /// What a node is, looking through nodes that are nothing but another.
    pub fn tag(&self, part: Part) -> Option<Tag> {
        match part {
            Part::Tok(_) => None,
            Part::Node(id) => Some(self.node(id).tag),
        }
    }
}

struct Collector<'a> {
    ast: &'a Ast,
    /// The first byte of each token.
    starts: Vec<u32>,
    /// The token that was looked for last: the next one is seldom far away.
    near: usize,
    nodes: Vec<(Tag, u32, u32)>,
}

impl Collector<'_> {
    /// The first token that does not begin before a byte.
    fn token_from(&mut self, byte: u32) -> u32 {
        let (starts, mut step) = (&self.starts, 1);
        let (mut low, mut high) = (self.near, self.near);
        while low > 0 && starts[low - 1] >= byte {
            low = low.saturating_sub(step);
            step *= 2;
        }
        step = 1;
        while high < starts.len() && starts[high] < byte {
            high = (high + step).min(starts.len());
            step *= 2;
        }
        self.near = low + starts[low..high].partition_point(|start| *start < byte);
        self.near as u32
    }

    fn add(&mut self, tag: Tag, span: Span) {
        let (first, end) = (self.token_from(span.start), self.token_from(span.end));
        if first < end {
            self.nodes.push((tag, first, end));
        }
    }

    /// The tokens of a declaration. `local` stands right before what it is about.
    fn range(&mut self, decl: &Decl) -> Option<(u32, u32)> {
        let span = match decl {
            Decl::Def(decl) => decl.span,
            Decl::Val(decl) => decl.span,
            Decl::Type(decl) => decl.span,
            Decl::Import(decl) => decl.span,
            Decl::Module(decl) => decl.span,
            Decl::ModuleType(decl) => decl.span,
            Decl::Open(decl) => decl.span,
            Decl::Local(inner) => return self.range(inner).map(|(first, end)| (first.saturating_sub(1), end)),
            Decl::Error(_) => return None,
        };
        Some((self.token_from(span.start), self.token_from(span.end)))
    }

    fn decl(&mut self, decl: &Decl) {
        match decl {
            Decl::Def(def) => {
                self.add(Tag::Decl, def.span);
                self.tparams(&def.tparams);
                def.params.iter().for_each(|param| self.node(AstNode::Pat(*param)));
                def.ret.iter().for_each(|ty| self.node(AstNode::Type(*ty)));
                self.node(AstNode::Expr(def.body));
            }
            Decl::Val(val) => self.typed(val.span, &val.tparams, val.ty),
            Decl::Type(ty) => self.typed(ty.span, &ty.tparams, ty.ty),
            Decl::Import(import) => self.add(Tag::Decl, import.span),
            Decl::Module(module) => {
                self.add(Tag::Decl, module.span);
                module.params.iter().for_each(|param| self.sig(&param.sig));
                module.sig.iter().for_each(|sig| self.sig(sig));
                self.module(&module.body);
            }
            Decl::ModuleType(decl) => {
                self.add(Tag::Decl, decl.span);
                self.sig(&decl.sig);
            }
            Decl::Open(open) => {
                self.add(Tag::Decl, open.span);
                self.module(&open.module);
            }
            Decl::Local(inner) => {
                if let Some((first, end)) = self.range(decl) {
                    self.nodes.push((Tag::Local, first, end));
                }
                self.decl(inner);
            }
            Decl::Error(_) => {}
        }
    }

    fn typed(&mut self, span: Span, tparams: &[TypeParam], ty: TypeId) {
        self.add(Tag::Decl, span);
        self.tparams(tparams);
        self.node(AstNode::Type(ty));
    }

    fn tparams(&mut self, tparams: &[TypeParam]) {
        for param in tparams {
            if let TypeParam::Size(pat) = param {
                self.node(AstNode::Pat(*pat));
            }
        }
    }

    fn module(&mut self, module: &ModuleExpr) {
        match &module.kind {
            ModuleExprKind::Error | ModuleExprKind::Name(_) | ModuleExprKind::Import(_) => self.add(Tag::Module, module.span),
            ModuleExprKind::Struct(decls) => {
                self.add(Tag::Struct, module.span);
                decls.iter().for_each(|decl| self.decl(decl));
            }
            ModuleExprKind::Apply { fun, arg } => {
                self.add(Tag::Module, module.span);
                self.module(fun);
                self.module(arg);
            }
            ModuleExprKind::Ascribe { module: inner, sig } => {
                self.add(Tag::Module, module.span);
                self.module(inner);
                self.sig(sig);
            }
            ModuleExprKind::Lambda { param, sig, body } => {
                self.add(Tag::Module, module.span);
                self.sig(&param.sig);
                sig.iter().for_each(|sig| self.sig(sig));
                self.module(body);
            }
            ModuleExprKind::Paren(inner) => {
                self.add(Tag::Module, module.span);
                self.module(inner);
            }
        }
    }

    fn sig(&mut self, sig: &ModuleType) {
        match &sig.kind {
            ModuleTypeKind::Error | ModuleTypeKind::Name(_) => self.add(Tag::Module, sig.span),
            ModuleTypeKind::Specs(specs) => {
                self.add(Tag::Struct, sig.span);
                specs.iter().for_each(|spec| self.spec(spec));
            }
            ModuleTypeKind::With { sig: inner, tparams, ty, .. } => {
                self.add(Tag::Module, sig.span);
                self.sig(inner);
                self.tparams(tparams);
                self.node(AstNode::Type(*ty));
            }
            ModuleTypeKind::Arrow { from, to, .. } => {
                self.add(Tag::Module, sig.span);
                self.sig(from);
                self.sig(to);
            }
            ModuleTypeKind::Paren(inner) => {
                self.add(Tag::Module, sig.span);
                self.sig(inner);
            }
        }
    }

    fn spec(&mut self, spec: &Spec) {
        match spec {
            Spec::Val(val) => self.typed(val.span, &val.tparams, val.ty),
            Spec::Type(ty) => self.typed(ty.span, &ty.tparams, ty.ty),
            Spec::Abstract(ty) => {
                self.add(Tag::Decl, ty.span);
                self.tparams(&ty.tparams);
            }
            Spec::Module(module) => {
                self.add(Tag::Decl, module.span);
                self.sig(&module.sig);
            }
            Spec::Include(sig) => {
                let (first, end) = (self.token_from(sig.span.start), self.token_from(sig.span.end));
                self.nodes.push((Tag::Decl, first.saturating_sub(1), end));
                self.sig(sig);
            }
            Spec::Error(_) => {}
        }
    }

    fn node(&mut self, node: AstNode) {
        let (tag, span) = match node {
            AstNode::Expr(id) => (self.expr_tag(&self.ast.exprs[id].kind), self.ast.exprs[id].span),
            AstNode::Pat(id) => (pat_tag(&self.ast.pats[id].kind), self.ast.pats[id].span),
            AstNode::Type(id) => (type_tag(&self.ast.types[id].kind), self.ast.types[id].span),
        };
        self.add(tag, span);
        if let AstNode::Expr(id) = node {
            self.slices(&self.ast.exprs[id].kind);
        }
        let mut children = Vec::new();
        children_of(self.ast, node, &mut children);
        children.into_iter().for_each(|child| self.node(child));
    }

    fn slices(&mut self, kind: &ExprKind) {
        let indices: Vec<IndexArg> = match kind {
            ExprKind::Index { indices, .. } | ExprKind::IndexSection(indices) => indices.clone(),
            ExprKind::With { path, .. } | ExprKind::LetUpdate { path, .. } => path_indices(path).copied().collect(),
            _ => return,
        };
        for index in indices {
            if let IndexArg::Slice { span, .. } = index {
                self.add(Tag::Slice, span);
            }
        }
    }

    fn expr_tag(&self, kind: &ExprKind) -> Tag {
        match kind {
            ExprKind::Lambda { params, .. } if self.is_section(params) => Tag::Glued,
            ExprKind::Lambda { .. } => Tag::Lambda,
            ExprKind::Paren(_) => Tag::Paren,
            ExprKind::Tuple(_) | ExprKind::Record(_) | ExprKind::Array(_) => Tag::List,
            ExprKind::Apply { .. } | ExprKind::Assert { .. } => Tag::Apply,
            ExprKind::Constr { args, .. } => {
                if args.is_empty() {
                    Tag::Atom
                } else {
                    Tag::Apply
                }
            }
            ExprKind::Binary { op, .. } => Tag::Binary(precedence::of_operator(op)),
            ExprKind::Unary { .. } => Tag::Unary,
            ExprKind::Project { .. }
            | ExprKind::Index { .. }
            | ExprKind::OpFn(_)
            | ExprKind::ProjectSection(_)
            | ExprKind::IndexSection(_)
            | ExprKind::Open { .. } => Tag::Glued,
            ExprKind::Range { .. } => Tag::Tight,
            ExprKind::Let { .. } | ExprKind::LetFun(_) => Tag::Let,
            ExprKind::LetUpdate { .. } => Tag::LetUpdate,
            ExprKind::If { .. } => Tag::If,
            ExprKind::Match { .. } => Tag::Match,
            ExprKind::Loop { .. } => Tag::Loop,
            ExprKind::Attr { .. } => Tag::Attr,
            ExprKind::Ascribe { .. } | ExprKind::Coerce { .. } => Tag::Ascribe,
            ExprKind::With { .. } => Tag::With,
            ExprKind::LeftSection { .. } | ExprKind::RightSection { .. } => Tag::Other,
            ExprKind::Error
            | ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Imaginary { .. }
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::Hole => Tag::Atom,
        }
    }

    fn is_section(&self, params: &[PatId]) -> bool {
        self.ast.is_section(params)
    }
}

fn pat_tag(kind: &PatKind) -> Tag {
    match kind {
        PatKind::Error | PatKind::Name(_) | PatKind::Wild | PatKind::Lit(_) => Tag::Pat,
        PatKind::Paren(_) | PatKind::Tuple(_) | PatKind::Record(_) => Tag::List,
        PatKind::Ascribe(..) => Tag::PatAscribe,
        PatKind::Constr(..) => Tag::Other,
    }
}

fn type_tag(kind: &TypeKind) -> Tag {
    match kind {
        TypeKind::Error => Tag::Atom,
        TypeKind::Name { .. } => Tag::TypeName,
        TypeKind::Array(..) => Tag::Tight,
        TypeKind::Exists(..) | TypeKind::Unique(_) => Tag::Glued,
        TypeKind::Tuple(_) | TypeKind::Record(_) | TypeKind::Paren(_) => Tag::List,
        TypeKind::Sum(_) => Tag::Sum,
        TypeKind::Arrow { .. } => Tag::Arrow,
    }
}
