//! Resolving the names in one declaration.

use super::scope::{Functor, Module, Scope};
use super::{peel, suggest};
use crate::base::{Arena, Code, PrimType, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::surface::children::{Node, children_of};
use crate::ir::surface::view::{is_builtin_operator, pipe};
use crate::ir::surface::{
    Ast, Decl, DefDecl, Dim, ExprId, ExprKind, Ident, IndexArg, LetFun, LoopForm, Operator, Pat, PatId, PatKind, TypeArg, TypeDecl, TypeId,
    TypeKind, TypeParam, ValDecl,
};
use crate::ir::tables::{DefId, Names, Res, TypeDef, TypeParamInfo, TypeRes};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operators whose meaning is part of the language.
const FIXED: [&str; 4] = ["&&", "||", "|>", "<|"];

/// Names that come later in a file or module, with their places.
#[derive(Default, Clone)]
pub(super) struct Later {
    pub terms: FxHashMap<Symbol, Span>,
    pub types: FxHashMap<Symbol, (Span, TypeId)>,
}

impl Later {
    /// Adds what declarations bind; the first declaration of a name counts.
    pub fn add(&mut self, decls: &[Decl]) {
        for decl in decls.iter().rev() {
            match peel(decl).0 {
                Decl::Def(def) => drop(self.terms.insert(def.name.name, def.name.span)),
                Decl::Type(ty) => drop(self.types.insert(ty.name.name, (ty.name.span, ty.ty))),
                Decl::Val(val) => drop(self.terms.insert(val.name.name, val.name.span)),
                Decl::Import(_) | Decl::Local(_) | Decl::Module(_) | Decl::ModuleType(_) | Decl::Open(_) | Decl::Error(_) => {}
            }
        }
    }
}

/// The walk over one declaration.
pub(super) struct Walk<'w, 'a> {
    pub ast: &'w Ast,
    pub names: &'w mut Names,
    pub tparams: &'w mut Arena<TypeParamInfo>,
    pub types: &'w Arena<TypeDef>,
    pub scope: &'w mut Scope<'a>,
    pub diagnostics: &'w mut Vec<Diagnostic>,
    /// Functions and constants whose bodies are being resolved, outermost first.
    pub defining: Vec<Ident>,
    /// The type abbreviation whose meaning is being resolved.
    pub abbreviation: Option<Ident>,
    /// Definitions of this file that come later.
    pub later: &'w Later,
    /// The names of the modules around.
    pub modules: &'w [Symbol],
    /// Whether the current expression is a size in a type.
    pub in_dim: bool,
    pub stdlib: bool,
    /// Errors for which a suggestion was looked for.
    pub suggested: &'w mut usize,
    /// The places of words of other languages.
    pub foreign: &'w mut FxHashSet<Span>,
    /// The definitions that were named.
    pub uses: Vec<DefId>,
}

impl<'a> Walk<'_, 'a> {
    // Declarations.

    pub fn def(&mut self, def: &DefDecl) {
        self.check_fixed(def.name);
        let mark = self.scope.mark();
        self.function(&def.tparams, &def.params, def.ret);
        self.defining.push(def.name);
        self.expr(def.body);
        self.defining.pop();
        self.scope.leave(mark);
    }

    pub fn val(&mut self, val: &ValDecl) {
        if !self.stdlib {
            self.diagnostics.push(
                Diagnostic::error(Code::ReservedName, val.name.span, "only the standard library declares values without defining them")
                    .help("write `def` with a body; `???` stands for one that is still to be written"),
            );
        }
        let mark = self.scope.mark();
        self.function(&val.tparams, &[], Some(val.ty));
        self.scope.leave(mark);
    }

    pub fn type_decl(&mut self, ty: &TypeDecl) {
        let mark = self.scope.mark();
        self.abbreviation = Some(ty.name);
        self.function(&ty.tparams, &[], Some(ty.ty));
        self.abbreviation = None;
        self.scope.leave(mark);
        self.used_sizes(ty);
    }

    /// What an abbreviation stands for must say how large it is: sizes that it does not mention would be lost.
    fn used_sizes(&mut self, ty: &TypeDecl) {
        let mut mentioned = FxHashSet::default();
        let mut nodes = vec![Node::Type(ty.ty)];
        while let Some(node) = nodes.pop() {
            if let Node::Expr(expr) = node
                && let Some(Res::Local(pat)) = self.names.exprs.get(expr)
            {
                mentioned.insert(*pat);
            }
            children_of(self.ast, node, &mut nodes);
        }
        for tparam in &ty.tparams {
            let TypeParam::Size(pat) = tparam else { continue };
            let Pat { kind: PatKind::Name(name), span, .. } = &self.ast.pats[*pat] else { continue };
            // `?` stands for a name that was not read.
            if !mentioned.contains(pat) && name.as_str() != "?" {
                let message = format!("the type `{}` does not mention its size `{name}`", ty.name.name);
                self.diagnostics.push(
                    Diagnostic::error(Code::TypeArguments, *span, message)
                        .here("this size would be lost")
                        .help("leave it out, or make an array of this size part of the type"),
                );
            }
        }
    }

    fn check_fixed(&mut self, name: Ident) {
        if !self.stdlib && FIXED.contains(&name.name.as_str()) {
            self.diagnostics.push(
                Diagnostic::error(Code::ReservedName, name.span, format!("`{}` cannot be redefined", name.name))
                    .here("its meaning is part of the language")
                    .help("choose another operator"),
            );
        }
    }

    /// Binds what stands before the body of a function.
    pub fn function(&mut self, tparams: &[TypeParam], params: &[PatId], ret: Option<TypeId>) {
        let mut group = Group::default();
        for tparam in tparams {
            match tparam {
                TypeParam::Size(pat) => self.pat(*pat, &mut group),
                TypeParam::Type(ident) => {
                    if let Some(first) = group.types.insert(ident.name, ident.span) {
                        self.duplicate(*ident, first, "type parameter");
                    }
                    // Copies of a declaration share its parameters.
                    let tparams = &mut *self.tparams;
                    let new = || tparams.alloc(TypeParamInfo { name: ident.name, span: ident.span });
                    let id = *self.names.declared.entry(ident.span).or_insert_with(new);
                    self.scope.bind_type(ident.name, TypeRes::Param(id));
                }
            }
        }
        for param in params {
            self.pat(*param, &mut group);
        }
        if let Some(ret) = ret {
            self.ty(ret);
        }
    }

    fn duplicate(&mut self, again: Ident, first: Span, what: &str) {
        self.diagnostics.push(
            Diagnostic::error(Code::BoundTwice, again.span, format!("the {what} `{}` is bound twice", again.name))
                .here("bound again")
                .label(first, "bound first")
                .help("give one of them another name, or write `_` for a value that is not used"),
        );
    }

    // Patterns.

    /// Binds the names of a pattern that stands alone.
    fn single(&mut self, pat: PatId) {
        self.pat(pat, &mut Group::default());
    }

    /// Binds the names of a pattern; `group` holds those that are bound together with it.
    fn pat(&mut self, pat: PatId, group: &mut Group) {
        let ast = self.ast;
        match &ast.pats[pat].kind {
            PatKind::Error | PatKind::Wild => {}
            PatKind::Name(name) => {
                let ident = Ident { name: *name, span: ast.pats[pat].span };
                if let Some(first) = group.terms.insert(*name, ident.span)
                    && name.as_str() != "?"
                {
                    self.duplicate(ident, first, "name");
                }
                self.check_fixed(ident);
                self.scope.bind(*name, pat);
            }
            PatKind::Paren(inner) => self.pat(*inner, group),
            PatKind::Tuple(items) | PatKind::Constr(_, items) => items.iter().for_each(|p| self.pat(*p, group)),
            PatKind::Record(fields) => {
                self.fields(fields.iter().map(|(field, _)| *field), "field");
                fields.iter().for_each(|(_, p)| self.pat(*p, group));
            }
            PatKind::Ascribe(inner, ty) => {
                self.ty(*ty);
                self.pat(*inner, group);
            }
            PatKind::Lit(lit) => self.expr(*lit),
        }
    }

    fn fields(&mut self, fields: impl Iterator<Item = Ident>, what: &str) {
        let mut seen: FxHashMap<Symbol, Span> = FxHashMap::default();
        for field in fields {
            if let Some(first) = seen.insert(field.name, field.span)
                && field.name.as_str() != "?"
            {
                self.diagnostics.push(
                    Diagnostic::error(Code::BoundTwice, field.span, format!("the {what} `{}` is written twice", field.name))
                        .here("written again")
                        .label(first, "written first"),
                );
            }
        }
    }

    // Types.

    fn ty(&mut self, ty: TypeId) {
        let ast = self.ast;
        match &ast.types[ty].kind {
            TypeKind::Error => {}
            TypeKind::Name { path, args } => {
                if let Some(res) = self.type_name(path) {
                    if let TypeRes::Abbreviation(def) = res {
                        self.uses.extend(&self.types[def].uses);
                    }
                    self.names.types.insert(ty, res);
                }
                for arg in args {
                    match arg {
                        TypeArg::Size(dim) => self.dim(dim),
                        TypeArg::Type(ty) => self.ty(*ty),
                    }
                }
            }
            TypeKind::Array(dim, element) => {
                self.dim(dim);
                self.ty(*element);
            }
            TypeKind::Tuple(items) => items.iter().for_each(|t| self.ty(*t)),
            TypeKind::Record(fields) => {
                self.fields(fields.iter().map(|(field, _)| *field), "field");
                fields.iter().for_each(|(_, t)| self.ty(*t));
            }
            TypeKind::Sum(clauses) => {
                self.fields(clauses.iter().map(|(name, _)| *name), "constructor");
                clauses.iter().flat_map(|(_, ts)| ts).for_each(|t| self.ty(*t));
            }
            TypeKind::Arrow { param, from, to } => {
                self.ty(*from);
                let mark = self.scope.mark();
                param.iter().for_each(|p| self.single(*p));
                self.ty(*to);
                self.scope.leave(mark);
            }
            TypeKind::Exists(sizes, inner) => {
                let mark = self.scope.mark();
                let mut group = Group::default();
                sizes.iter().for_each(|p| self.pat(*p, &mut group));
                self.ty(*inner);
                self.scope.leave(mark);
            }
            TypeKind::Unique(inner) | TypeKind::Paren(inner) => self.ty(*inner),
        }
    }

    fn dim(&mut self, dim: &Dim) {
        if let Dim::Expr(e) = dim {
            let outer = std::mem::replace(&mut self.in_dim, true);
            self.expr(*e);
            self.in_dim = outer;
        }
    }

    fn type_name(&mut self, path: &[Ident]) -> Option<TypeRes> {
        let (name, modules) = path.split_last()?;
        if !modules.is_empty() {
            return self.member_type(modules, *name);
        }
        let known = self.scope.ty(name.name).or_else(|| PrimType::from_name(name.name.as_str()).map(TypeRes::Prim));
        if known.is_none() && name.name.as_str() != "?" {
            let diagnostic = self.unknown_type(*name);
            self.diagnostics.push(diagnostic);
        }
        known
    }

    /// `m.t`.
    fn member_type(&mut self, modules: &[Ident], name: Ident) -> Option<TypeRes> {
        let module = self.module_path(modules)?;
        let known = module.ty(name.name);
        if known.is_none() && !module.is_broken() && name.name.as_str() != "?" {
            let shown = path_text(modules);
            let diagnostic = Diagnostic::error(Code::UnknownType, name.span, format!("the module `{shown}` has no type `{}`", name.name));
            let names: Vec<&str> = match &module {
                Module::Struct(globals) => globals.types.keys().map(|name| name.as_str()).collect(),
                Module::Scalar(_) => vec!["t"],
                Module::Functor(_) | Module::Broken => Vec::new(),
            };
            let diagnostic = match suggest::closest(name.name.as_str(), names.iter().copied()) {
                Some(near) => diagnostic.help(format!("did you mean `{shown}.{near}`?")),
                None if matches!(module, Module::Scalar(_)) => diagnostic.help(format!("the type of a scalar module is `{shown}.t`")),
                None => diagnostic,
            };
            self.diagnostics.push(diagnostic.here("not known"));
        }
        known
    }

    /// The module with this qualified name; reports what is not known.
    pub fn module_path(&mut self, path: &[Ident]) -> Option<Module<'a>> {
        let (first, rest) = path.split_first()?;
        let Some(mut module) = self.scope.module(first.name) else {
            if first.name.as_str() != "?" {
                let diagnostic = self.no_module(*first);
                self.diagnostics.push(diagnostic);
            }
            return None;
        };
        for (at, part) in rest.iter().enumerate() {
            let Some(inner) = module.module(part.name) else {
                let shown = path_text(&path[..=at]);
                self.diagnostics.push(
                    Diagnostic::error(Code::UnknownModule, part.span, format!("the module `{shown}` has no module `{}`", part.name))
                        .here("not known"),
                );
                return None;
            };
            module = inner;
        }
        Some(module)
    }

    pub(super) fn no_module(&mut self, name: Ident) -> Diagnostic {
        let text = name.name.as_str();
        let diagnostic = Diagnostic::error(Code::UnknownModule, name.span, format!("unknown module `{text}`")).here("not known");
        if self.scope.sig(name.name).is_some() {
            return diagnostic.help(format!("`{text}` is a module type, not a module"));
        }
        if self.scope.term(name.name).is_some() {
            return diagnostic.help(format!("`{text}` is a value, not a module: its parts are `{text}.field`, or named by a pattern"));
        }
        if self.modules.contains(&name.name) {
            return diagnostic.note("a module is visible after its declaration, not inside of itself");
        }
        let near = self.may_suggest().then(|| {
            let prims = PrimType::ALL.iter().map(|p| p.name());
            suggest::closest(text, self.scope.module_names().chain(prims))
        });
        match near.flatten() {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        }
    }

    fn unknown_type(&mut self, name: Ident) -> Diagnostic {
        let diagnostic = Diagnostic::error(Code::UnknownType, name.span, format!("unknown type `{}`", name.name)).here("not known");
        if let Some(own) = self.abbreviation
            && let Some(path) = self.way_back(name.name, own.name)
        {
            return self.recursive_type(name, own, &path);
        }
        if let Some((place, _)) = self.later.types.get(&name.name) {
            return diagnostic.label(*place, "defined here").help("a type is visible after its definition: move the definition up");
        }
        let text = name.name.as_str();
        let common = match text {
            "int" | "integer" => Some("i64` or `i32"),
            "float" | "real" => Some("f64` or `f32"),
            "double" => Some("f64"),
            "boolean" => Some("bool"),
            "str" | "string" => Some("[]u8"),
            _ => None,
        };
        if let Some(common) = common {
            return diagnostic.help(format!("write `{common}`"));
        }
        let prims = PrimType::ALL.iter().map(|p| p.name());
        let near = self.may_suggest().then(|| suggest::closest(text, self.scope.type_names().chain(prims))).flatten();
        match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None if text.len() <= 2 => {
                diagnostic.help(format!("a type parameter is declared with a quote: `'{text}` after the name of the definition"))
            }
            None => diagnostic,
        }
    }

    /// The abbreviations through which one that comes later, or the one being defined, leads to `own`: itself first, `own` not among them
    /// unless it is the beginning.
    fn way_back(&self, from: Symbol, own: Symbol) -> Option<Vec<Symbol>> {
        if from == own {
            return Some(vec![own]);
        }
        let mut seen = FxHashSet::default();
        let mut paths = vec![vec![from]];
        while let Some(path) = paths.pop() {
            let last = path[path.len() - 1];
            let Some((_, ty)) = self.later.types.get(&last).filter(|_| seen.insert(last)) else { continue };
            let mut nodes = vec![Node::Type(*ty)];
            while let Some(node) = nodes.pop() {
                if let Node::Type(ty) = node
                    && let TypeKind::Name { path: named, .. } = &self.ast.types[ty].kind
                    && let [named] = named.as_slice()
                {
                    if named.name == own {
                        return Some(path);
                    }
                    paths.push(path.iter().copied().chain([named.name]).collect());
                }
                children_of(self.ast, node, &mut nodes);
            }
        }
        None
    }

    fn recursive_type(&self, name: Ident, own: Ident, path: &[Symbol]) -> Diagnostic {
        let message = match path {
            [one] if *one == own.name => format!("the type `{}` is used in its own definition", own.name),
            _ => {
                let path: Vec<&str> = path.iter().map(|name| name.as_str()).collect();
                format!("the type `{0}` is used in its own definition: {0} -> {1} -> {0}", own.name, path.join(" -> "))
            }
        };
        Diagnostic::error(Code::Recursion, name.span, message)
            .here("recursive use")
            .label(own.span, "defined here")
            .note("a type is an abbreviation of what it stands for, so it cannot contain itself")
            .help("lists are arrays, `[]t`; a tree is an array of nodes that name others by their indices, such as `[]{value: t, parent: i64}`")
    }

    // Expressions.

    fn exprs(&mut self, exprs: &[ExprId]) {
        exprs.iter().for_each(|e| self.expr(*e));
    }

    fn expr(&mut self, expr: ExprId) {
        let ast = self.ast;
        match &ast.exprs[expr].kind {
            ExprKind::Error
            | ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::ProjectSection(_)
            | ExprKind::Hole => {}
            ExprKind::Name(name) => self.name(expr, *name),
            ExprKind::OpFn(op) => self.operator_name(expr, *op),
            ExprKind::Project { expr: inner, field } => self.project(expr, *inner, *field),
            ExprKind::Paren(e) | ExprKind::Unary { expr: e, .. } | ExprKind::Attr { expr: e, .. } => self.expr(*e),
            ExprKind::Tuple(items) | ExprKind::Array(items) | ExprKind::Constr { args: items, .. } => self.exprs(items),
            ExprKind::Record(fields) => {
                self.fields(fields.iter().map(|(field, _)| *field), "field");
                fields.iter().for_each(|(_, e)| self.expr(*e));
            }
            ExprKind::Index { array, indices } => {
                self.expr(*array);
                self.indices(indices);
            }
            ExprKind::IndexSection(indices) => self.indices(indices),
            ExprKind::Range { start, step, end, .. } => {
                self.expr(*start);
                step.iter().for_each(|e| self.expr(*e));
                self.expr(*end);
            }
            ExprKind::Apply { fun, args } => {
                self.expr(*fun);
                self.exprs(args);
            }
            ExprKind::Binary { op, lhs, rhs } => {
                self.expr(*lhs);
                // Applied pipes are not functions that are called: they stand for the application.
                if pipe(op).is_none() {
                    self.operator(expr, op);
                }
                self.expr(*rhs);
            }
            ExprKind::LeftSection { lhs: operand, op } | ExprKind::RightSection { op, rhs: operand } => {
                self.operator(expr, op);
                self.expr(*operand);
            }
            ExprKind::If { cond, then, els } => self.exprs(&[*cond, *then, *els]),
            ExprKind::WithIndex { array, indices, value } => {
                self.expr(*array);
                self.indices(indices);
                self.expr(*value);
            }
            ExprKind::WithField { record, value, .. } => self.exprs(&[*record, *value]),
            ExprKind::Ascribe { expr, ty } | ExprKind::Coerce { expr, ty } => {
                self.expr(*expr);
                self.ty(*ty);
            }
            ExprKind::Assert { cond, expr } => self.exprs(&[*cond, *expr]),
            ExprKind::Open { module, expr } => {
                let mark = self.scope.mark();
                match self.module_path(module) {
                    Some(Module::Functor(functor)) => {
                        let diagnostic = not_applied(ast.exprs[*expr].span, &functor);
                        self.diagnostics.push(diagnostic);
                    }
                    // What is in the module is not known, so nothing can be said of the names.
                    Some(Module::Broken) | None => {}
                    Some(module) => {
                        self.scope.open(&module);
                        self.expr(*expr);
                    }
                }
                self.scope.leave(mark);
            }
            ExprKind::Lambda { .. }
            | ExprKind::Let { .. }
            | ExprKind::LetFun(_)
            | ExprKind::LetUpdate { .. }
            | ExprKind::Match { .. }
            | ExprKind::Loop { .. } => self.binding_form(expr),
        }
    }

    /// The forms that bind variables.
    fn binding_form(&mut self, expr: ExprId) {
        let ast = self.ast;
        let mark = self.scope.mark();
        match &ast.exprs[expr].kind {
            ExprKind::Lambda { params, ret, body } => {
                self.function(&[], params, *ret);
                self.expr(*body);
            }
            ExprKind::Let { sizes, pat, rhs, body } => {
                self.expr(*rhs);
                self.sized(sizes, *pat);
                self.expr(*body);
            }
            ExprKind::LetFun(fun) => self.let_fun(fun),
            ExprKind::LetUpdate { array, binder, indices, value, body } => {
                self.expr(*array);
                self.indices(indices);
                self.expr(*value);
                self.single(*binder);
                self.expr(*body);
            }
            ExprKind::Match { scrutinee, cases } => {
                self.expr(*scrutinee);
                for (pat, body) in cases {
                    self.single(*pat);
                    self.expr(*body);
                    self.scope.leave(mark);
                }
            }
            ExprKind::Loop { sizes, pat, init, form, body } => {
                let before = self.diagnostics.len();
                self.expr(*init);
                if self.ast.exprs[*init].span == self.ast.pats[*pat].span {
                    self.no_start(before);
                }
                match form {
                    LoopForm::For { var, bound } => {
                        self.expr(*bound);
                        self.sized(sizes, *pat);
                        self.single(*var);
                    }
                    LoopForm::ForIn { pat: element, array } => {
                        self.expr(*array);
                        self.sized(sizes, *pat);
                        self.single(*element);
                    }
                    LoopForm::While(cond) => {
                        self.sized(sizes, *pat);
                        self.expr(*cond);
                    }
                }
                self.expr(*body);
            }
            _ => {}
        }
        self.scope.leave(mark);
    }

    fn sized(&mut self, sizes: &[PatId], pat: PatId) {
        let mut group = Group::default();
        sizes.iter().for_each(|p| self.pat(*p, &mut group));
        self.pat(pat, &mut group);
    }

    fn let_fun(&mut self, fun: &LetFun) {
        let mark = self.scope.mark();
        self.function(&fun.tparams, &fun.params, fun.ret);
        if let PatKind::Name(name) = self.ast.pats[fun.binder].kind {
            self.defining.push(Ident { name, span: self.ast.pats[fun.binder].span });
            self.expr(fun.rhs);
            self.defining.pop();
        }
        self.scope.leave(mark);
        self.single(fun.binder);
        self.expr(fun.body);
    }

    fn indices(&mut self, indices: &[IndexArg]) {
        for index in indices {
            match index {
                IndexArg::Index(e) => self.expr(*e),
                IndexArg::Slice { start, end, step, .. } => [start, end, step].into_iter().flatten().for_each(|e| self.expr(*e)),
            }
        }
    }

    // Names.

    fn name(&mut self, expr: ExprId, name: Symbol) {
        match self.scope.term(name) {
            Some(res) => self.resolved(expr, res),
            None => self.unknown(Ident { name, span: self.ast.exprs[expr].span }),
        }
    }

    /// Records what a node names.
    fn resolved(&mut self, node: ExprId, res: Res) {
        if let Res::Global(def) = res {
            self.uses.push(def);
        }
        self.names.exprs.insert(node, res);
    }

    fn operator(&mut self, node: ExprId, op: &Operator) {
        match op.backtick {
            Some(function) => self.expr(function),
            None => self.operator_name(node, op.ident),
        }
    }

    fn operator_name(&mut self, node: ExprId, op: Ident) {
        match self.scope.term(op.name) {
            Some(res) => self.resolved(node, res),
            None if is_builtin_operator(op.name) => {}
            None => self.unknown(op),
        }
    }

    /// `e.x`: a field, or a member of a module.
    fn project(&mut self, node: ExprId, inner: ExprId, field: Ident) {
        let mut path = Vec::new();
        if !self.is_module(inner, &mut path) {
            return match (&self.ast.exprs[inner].kind, path.as_slice()) {
                (ExprKind::Name(_), [module]) if self.scope.term(module.name).is_none() => self.unknown_module(*module, field),
                _ => self.expr(inner),
            };
        }
        let Some(module) = self.module_path(&path) else { return };
        match module.term(field.name) {
            Some(res) => self.resolved(node, res),
            None if field.name.as_str() == "?" || module.is_broken() => {}
            None => {
                let diagnostic = self.unknown_member(&path, &module, field);
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// Whether an expression names a module; adds the parts of its name to `path`. Only the longest beginning that names a module counts:
    /// `m.r.x` may be a field of the value `m.r`.
    fn is_module(&self, expr: ExprId, path: &mut Vec<Ident>) -> bool {
        match self.ast.exprs[expr].kind {
            ExprKind::Name(name) => {
                path.push(Ident { name, span: self.ast.exprs[expr].span });
                !self.scope.hides_module(name) && self.scope.module(name).is_some()
            }
            ExprKind::Project { expr: inner, field } => {
                let module = self.is_module(inner, path);
                let known =
                    module && self.known_module(path).is_some_and(|m| m.module(field.name).is_some() && m.term(field.name).is_none());
                path.push(field);
                known
            }
            _ => false,
        }
    }

    fn known_module(&self, path: &[Ident]) -> Option<Module<'a>> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.scope.module(first.name)?, |module, part| module.module(part.name))
    }
}

/// A qualified name as text.
pub(super) fn path_text(path: &[Ident]) -> String {
    let names: Vec<&str> = path.iter().map(|ident| ident.name.as_str()).collect();
    names.join(".")
}

/// A parametric module where one with members is wanted.
pub(super) fn not_applied(span: Span, functor: &Functor<'_>) -> Diagnostic {
    Diagnostic::error(
        Code::ModuleApplication,
        span,
        format!("the parametric module `{}` has no members before it is applied", functor.name),
    )
    .here("a module with members is wanted")
    .label(functor.declared, "declared here, with parameters")
    .help(format!("apply it: `module m = {} ..`", functor.name))
}

/// Names that are bound together, with their places.
#[derive(Default)]
struct Group {
    terms: FxHashMap<Symbol, Span>,
    types: FxHashMap<Symbol, Span>,
}
