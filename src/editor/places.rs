//! Which names stand where in the document, and what they mean.

use super::Analysis;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::surface::children::{Node, children_of, decl_children};
use crate::ir::surface::modules::{ModuleExpr, ModuleExprKind, ModuleType, ModuleTypeKind, Spec};
use crate::ir::surface::{Decl, ExprId, ExprKind, Ident, PatId, PatKind, TypeKind, TypeParam};
use crate::ir::tables::{DefId, Res, Role, TypeRes};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A definition.
    Global(DefId),
    /// A local variable.
    Local(PatId),
    /// A member of a scalar module.
    Scalar(PrimType, Symbol),
    /// A built-in operator.
    Operator(Symbol),
    /// A scalar type.
    Prim(PrimType),
    /// A type that is declared.
    Type,
    /// A type parameter.
    TypeParam,
    /// A module or a module type.
    Module,
    /// The module of a scalar type.
    ScalarModule(PrimType),
    /// The field of a record, or of a tuple.
    Field,
    /// A constructor of a sum.
    Constructor,
}

/// A name in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Occurrence {
    /// Where it stands.
    pub span: Span,
    /// What it is called.
    pub name: Symbol,
    /// What it means.
    pub meaning: Meaning,
    /// Where that is declared; nowhere for what is built in, and for fields and constructors.
    pub declared: Option<Span>,
    /// The node in which it stands, for names in expressions.
    pub node: Option<ExprId>,
    /// Whether the name of a field is that of its variable too, `{x}`.
    pub pun: bool,
}

impl Occurrence {
    /// Whether it declares what it names.
    pub fn declares(&self) -> bool {
        self.declared == Some(self.span)
    }
}

impl Analysis {
    /// The names of the document in the order of their places; those that stand at one place after each other.
    pub(super) fn occurrences(&self) -> Rc<Vec<Occurrence>> {
        self.memo.occurrences.borrow_mut().get_or_insert_with(|| Rc::new(collect(self))).clone()
    }

    /// The names at a place: one, or several where a name stands for an old and a new variable, or for a field and a variable.
    pub(super) fn names_at(&self, offset: usize) -> Vec<Occurrence> {
        let all = self.occurrences();
        let offset = offset as u32;
        let around = |o: &&Occurrence| o.span.start <= offset && offset <= o.span.end;
        // A name that begins here goes before one that ends here.
        let best = all.iter().filter(around).max_by_key(|o| (o.span.start, std::cmp::Reverse(o.span.end))).map(|o| o.span);
        all.iter().filter(|o| Some(o.span) == best).copied().collect()
    }

    /// The nodes around a place of the document, outermost first.
    pub(super) fn path_at(&self, offset: usize) -> Vec<Node> {
        let mut path = Vec::new();
        let Some(unit) = self.unit() else { return path };
        let mut below = Vec::new();
        let offset = offset as u32;
        let around = |span: Span| span.start <= offset && offset <= span.end;
        unit.decls.iter().filter(|decl| decl_span(decl).is_some_and(around)).for_each(|decl| decl_children(decl, &mut below));
        let ast = &self.checked.program.ast;
        loop {
            let inside = below.iter().filter(|node| around(self.node_span(**node)));
            let Some(next) = inside.max_by_key(|node| (offset < self.node_span(**node).end, self.node_span(**node).start)) else {
                return path;
            };
            path.push(*next);
            let next = *next;
            below.clear();
            children_of(ast, next, &mut below);
        }
    }

    pub(super) fn node_span(&self, node: Node) -> Span {
        let ast = &self.checked.program.ast;
        match node {
            Node::Expr(id) => ast.exprs[id].span,
            Node::Pat(id) => ast.pats[id].span,
            Node::Type(id) => ast.types[id].span,
        }
    }

    /// The tree of the document.
    pub(super) fn unit(&self) -> Option<&crate::ir::surface::SourceUnit> {
        self.checked.program.units.iter().map(|unit| &unit.source).find(|source| source.file == self.file)
    }

    /// Where a definition was written: what a module type shows is a member of a module.
    pub(super) fn declared(&self, def: DefId) -> Span {
        let def = &self.checked.program.defs[def];
        match def.role {
            Role::Shown(matching) => matching.member.unwrap_or(def.span),
            Role::Plain | Role::Member | Role::Copy { .. } | Role::SameType(_) => def.span,
        }
    }
}

/// The place of a declaration.
pub(super) fn decl_span(decl: &Decl) -> Option<Span> {
    Some(match decl {
        Decl::Def(def) => def.span,
        Decl::Val(val) => val.span,
        Decl::Type(ty) => ty.span,
        Decl::Import(import) => import.span,
        Decl::Module(module) => module.span,
        Decl::ModuleType(decl) => decl.span,
        Decl::Open(open) => open.span,
        Decl::Local(inner) => return decl_span(inner),
        Decl::Error(span) => *span,
    })
}

struct Collector<'a> {
    analysis: &'a Analysis,
    out: Vec<Occurrence>,
    /// Where the modules and module types that are visible are declared.
    modules: FxHashMap<Symbol, Span>,
}

fn collect(analysis: &Analysis) -> Vec<Occurrence> {
    let mut collector = Collector { analysis, out: Vec::new(), modules: FxHashMap::default() };
    let Some(own) = analysis.unit() else { return Vec::new() };
    // Those of other files first, in the order of dependency; later ones hide earlier ones.
    for unit in &analysis.checked.program.units {
        if unit.source.file == analysis.file {
            break;
        }
        unit.source.decls.iter().for_each(|decl| collector.offered(decl));
    }
    own.decls.iter().for_each(|decl| collector.decl(decl));
    let mut out = collector.out;
    out.sort_by_key(|o| (o.span.start, o.span.end));
    out.dedup();
    out
}

impl Collector<'_> {
    fn offered(&mut self, decl: &Decl) {
        match decl {
            Decl::Module(module) => drop(self.modules.insert(module.name.name, module.name.span)),
            Decl::ModuleType(decl) => drop(self.modules.insert(decl.name.name, decl.name.span)),
            Decl::Def(_) | Decl::Val(_) | Decl::Type(_) | Decl::Import(_) | Decl::Open(_) | Decl::Local(_) | Decl::Error(_) => {}
        }
    }

    fn add(&mut self, ident: Ident, meaning: Meaning, declared: Option<Span>) {
        self.out.push(Occurrence { span: ident.span, name: ident.name, meaning, declared, node: None, pun: false });
    }

    fn declare(&mut self, ident: Ident, meaning: Meaning) {
        self.add(ident, meaning, Some(ident.span));
    }

    fn decl(&mut self, decl: &Decl) {
        let mut nodes = Vec::new();
        match decl {
            Decl::Def(def) => {
                self.global(def.name);
                self.tparams(&def.tparams);
            }
            Decl::Val(val) => {
                self.global(val.name);
                self.tparams(&val.tparams);
            }
            Decl::Type(ty) => {
                self.declare(ty.name, Meaning::Type);
                self.tparams(&ty.tparams);
            }
            Decl::Module(module) => {
                self.module_type_of(module.params.iter().map(|param| &param.sig).chain(&module.sig));
                let outer = self.modules.clone();
                for param in &module.params {
                    self.declare(param.name, Meaning::Module);
                    self.modules.insert(param.name.name, param.name.span);
                }
                self.module(&module.body);
                self.modules = outer;
                self.declare(module.name, Meaning::Module);
                self.modules.insert(module.name.name, module.name.span);
                return;
            }
            Decl::ModuleType(decl) => {
                self.module_type(&decl.sig);
                self.declare(decl.name, Meaning::Module);
                self.modules.insert(decl.name.name, decl.name.span);
                return;
            }
            Decl::Open(open) => return self.module(&open.module),
            Decl::Local(inner) => return self.decl(inner),
            Decl::Import(_) | Decl::Error(_) => {}
        }
        decl_children(decl, &mut nodes);
        self.nodes(nodes);
    }

    /// The name of a definition.
    fn global(&mut self, name: Ident) {
        let known = self.analysis.definition_at(name.span);
        self.add(name, known.map_or(Meaning::Operator(name.name), Meaning::Global), Some(name.span));
    }

    fn tparams(&mut self, tparams: &[TypeParam]) {
        for param in tparams {
            if let TypeParam::Type(ident) = param {
                self.declare(*ident, Meaning::TypeParam);
            }
        }
    }

    /// A path of modules.
    fn path(&mut self, path: &[Ident]) {
        for (at, ident) in path.iter().enumerate() {
            let declared = self.modules.get(&ident.name).copied().filter(|_| at == 0);
            match PrimType::from_name(ident.name.as_str()) {
                Some(prim) if declared.is_none() => self.add(*ident, Meaning::ScalarModule(prim), None),
                _ => self.add(*ident, Meaning::Module, declared),
            }
        }
    }

    fn module(&mut self, module: &ModuleExpr) {
        match &module.kind {
            ModuleExprKind::Error | ModuleExprKind::Import(_) => {}
            ModuleExprKind::Name(path) => self.path(path),
            ModuleExprKind::Struct(decls) => {
                let outer = self.modules.clone();
                decls.iter().for_each(|decl| self.decl(decl));
                self.modules = outer;
            }
            ModuleExprKind::Apply { fun, arg } => {
                self.module(fun);
                self.module(arg);
            }
            ModuleExprKind::Ascribe { module, sig } => {
                self.module(module);
                self.module_type(sig);
            }
            ModuleExprKind::Lambda { param, sig, body } => {
                self.module_type_of(std::iter::once(&param.sig).chain(sig));
                self.declare(param.name, Meaning::Module);
                let hidden = self.modules.insert(param.name.name, param.name.span);
                self.module(body);
                match hidden {
                    Some(hidden) => self.modules.insert(param.name.name, hidden),
                    None => self.modules.remove(&param.name.name),
                };
            }
            ModuleExprKind::Paren(inner) => self.module(inner),
        }
    }

    fn module_type_of<'s>(&mut self, sigs: impl IntoIterator<Item = &'s ModuleType>) {
        sigs.into_iter().for_each(|sig| self.module_type(sig));
    }

    fn module_type(&mut self, sig: &ModuleType) {
        match &sig.kind {
            ModuleTypeKind::Error => {}
            ModuleTypeKind::Name(path) => self.path(path),
            ModuleTypeKind::Specs(specs) => specs.iter().for_each(|spec| self.spec(spec)),
            ModuleTypeKind::With { sig, tparams, ty, .. } => {
                self.module_type(sig);
                self.tparams(tparams);
                self.nodes(vec![Node::Type(*ty)]);
            }
            ModuleTypeKind::Arrow { from, to, .. } => self.module_type_of([&**from, &**to]),
            ModuleTypeKind::Paren(inner) => self.module_type(inner),
        }
    }

    fn spec(&mut self, spec: &Spec) {
        match spec {
            Spec::Val(val) => {
                self.tparams(&val.tparams);
                self.nodes(vec![Node::Type(val.ty)]);
            }
            Spec::Type(ty) => {
                self.tparams(&ty.tparams);
                self.nodes(vec![Node::Type(ty.ty)]);
            }
            Spec::Module(module) => self.module_type(&module.sig),
            Spec::Include(sig) => self.module_type(sig),
            Spec::Abstract(_) | Spec::Error(_) => {}
        }
    }

    fn nodes(&mut self, mut work: Vec<Node>) {
        let ast = &self.analysis.checked.program.ast;
        while let Some(node) = work.pop() {
            match node {
                Node::Expr(id) => {
                    self.expr(id);
                    // The modules in front of a name are no variables.
                    if matches!(ast.exprs[id].kind, ExprKind::Project { .. }) && self.analysis.resolution(id).is_some() {
                        continue;
                    }
                }
                Node::Pat(id) => self.pat(id),
                Node::Type(id) => self.ty(id),
            }
            children_of(ast, node, &mut work);
        }
    }

    fn resolved(&mut self, ident: Ident, node: ExprId) {
        let analysis = self.analysis;
        let (meaning, declared) = match analysis.resolution(node) {
            Some(Res::Global(def)) => (Meaning::Global(def), Some(analysis.declared(def))),
            Some(Res::Local(pat)) => (Meaning::Local(pat), Some(analysis.checked.program.ast.pats[pat].span)),
            Some(Res::Scalar(prim, name)) => (Meaning::Scalar(prim, name), None),
            None if crate::ir::surface::view::is_builtin_operator(ident.name) => (Meaning::Operator(ident.name), None),
            None => return,
        };
        self.out.push(Occurrence { span: ident.span, name: ident.name, meaning, declared, node: Some(node), pun: false });
    }

    fn expr(&mut self, id: ExprId) {
        let expr = &self.analysis.checked.program.ast.exprs[id];
        match &expr.kind {
            ExprKind::Name(name) => self.resolved(Ident { name: *name, span: expr.span }, id),
            ExprKind::OpFn(ident) => self.resolved(*ident, id),
            ExprKind::Binary { op, .. } | ExprKind::LeftSection { op, .. } | ExprKind::RightSection { op, .. } if op.backtick.is_none() => {
                self.resolved(op.ident, id);
            }
            ExprKind::Project { expr: inner, field } => match self.analysis.resolution(id) {
                Some(_) => {
                    self.resolved(*field, id);
                    let path = self.analysis.module_path(*inner);
                    self.path(&path);
                }
                None => self.add(*field, Meaning::Field, None),
            },
            ExprKind::ProjectSection(fields) => fields.iter().for_each(|field| self.add(*field, Meaning::Field, None)),
            ExprKind::Record(fields) => {
                for (field, value) in fields {
                    let span = self.analysis.checked.program.ast.exprs[*value].span;
                    self.field(*field, span == field.span);
                }
            }
            ExprKind::With { path, .. } | ExprKind::LetUpdate { path, .. } => {
                for step in path {
                    if let crate::ir::surface::Access::Field(field) = step {
                        self.add(*field, Meaning::Field, None);
                    }
                }
            }
            ExprKind::Constr { name, .. } => self.add(*name, Meaning::Constructor, None),
            ExprKind::Open { module, .. } => self.path(module),
            ExprKind::LetFun(fun) => self.tparams(&fun.tparams),
            _ => {}
        }
    }

    fn field(&mut self, field: Ident, pun: bool) {
        self.out.push(Occurrence { span: field.span, name: field.name, meaning: Meaning::Field, declared: None, node: None, pun });
    }

    fn pat(&mut self, id: PatId) {
        let pat = &self.analysis.checked.program.ast.pats[id];
        match &pat.kind {
            PatKind::Name(name) if !name.as_str().contains('.') => {
                self.add(Ident { name: *name, span: pat.span }, Meaning::Local(id), Some(pat.span));
            }
            PatKind::Record(fields) => {
                for (field, value) in fields {
                    let span = self.analysis.checked.program.ast.pats[*value].span;
                    self.field(*field, span == field.span);
                }
            }
            PatKind::Constr(name, _) => self.add(*name, Meaning::Constructor, None),
            _ => {}
        }
    }

    fn ty(&mut self, id: crate::ir::surface::TypeId) {
        let program = &self.analysis.checked.program;
        match &program.ast.types[id].kind {
            TypeKind::Name { path, .. } => {
                let Some((name, modules)) = path.split_last() else { return };
                self.path(modules);
                match program.names.types.get(id) {
                    Some(TypeRes::Prim(prim)) => self.add(*name, Meaning::Prim(*prim), None),
                    Some(TypeRes::Param(param)) => self.add(*name, Meaning::TypeParam, Some(program.tparams[*param].span)),
                    Some(TypeRes::Abbreviation(ty)) => self.add(*name, Meaning::Type, Some(program.types[*ty].decl.name.span)),
                    None => {}
                }
            }
            TypeKind::Record(fields) => fields.iter().for_each(|(field, _)| self.add(*field, Meaning::Field, None)),
            TypeKind::Sum(constructors) => constructors.iter().for_each(|(name, _)| self.add(*name, Meaning::Constructor, None)),
            _ => {}
        }
    }
}

impl Analysis {
    /// What a name in an expression stands for.
    pub(super) fn resolution(&self, node: ExprId) -> Option<Res> {
        self.checked.program.names.exprs.get(node).copied()
    }

    /// The definition whose name is declared here.
    pub(super) fn definition_at(&self, name: Span) -> Option<DefId> {
        let by_name = &mut *self.memo.by_name.borrow_mut();
        let by_name = by_name.get_or_insert_with(|| {
            let written = self.checked.program.defs.iter().filter(|(_, def)| def.is_written());
            written.map(|(id, def)| (def.span, id)).collect()
        });
        by_name.get(&name).copied()
    }

    /// The modules that a qualified name begins with.
    fn module_path(&self, expr: ExprId) -> Vec<Ident> {
        let expr = &self.checked.program.ast.exprs[expr];
        match &expr.kind {
            ExprKind::Name(name) => vec![Ident { name: *name, span: expr.span }],
            ExprKind::Project { expr: inner, field } => {
                let mut path = self.module_path(*inner);
                path.push(*field);
                path
            }
            _ => Vec::new(),
        }
    }
}
