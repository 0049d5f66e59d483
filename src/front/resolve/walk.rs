//! Resolving the names in one declaration.

use super::error::{Bound, Error, ErrorKind, MemberTypeAdvice, Written};
use super::scope::{Functor, Module, Scope};
use super::{peel, suggest};
use crate::base::{Arena, PrimType, Span, Symbol};
use crate::ir::surface::children::{Node, children_of};
use crate::ir::surface::view::{is_builtin_operator, pipe};
use crate::ir::surface::{
    Ast, Decl, DefDecl, Dim, ExprId, ExprKind, Ident, IndexArg, LetFun, LoopForm, Operator, Pat, PatId, PatKind, TypeArg, TypeDecl, TypeId,
    TypeKind, TypeParam, ValDecl, is_missing, path_indices,
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
    /// The bodies of functions.
    pub bodies: FxHashMap<Symbol, ExprId>,
}

impl Later {
    /// Adds what declarations bind; the first declaration of a name counts.
    pub fn add(&mut self, decls: &[Decl]) {
        for decl in decls.iter().rev() {
            match peel(decl).0 {
                Decl::Def(def) => {
                    self.terms.insert(def.name.name, def.name.span);
                    if !def.params.is_empty() {
                        self.bodies.insert(def.name.name, def.body);
                    }
                }
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
    pub errors: &'w mut Vec<Error>,
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
    /// The definitions that were named, itself excluded.
    pub uses: Vec<DefId>,
}

impl<'a> Walk<'_, 'a> {
    pub(super) fn error(&mut self, at: Span, kind: ErrorKind) {
        self.errors.push(Error { at, kind });
    }

    // Declarations.

    /// A definition. `own` is what its name stands for in its body, if that is not what it stands for before. Says whether it names itself.
    pub fn def(&mut self, def: &DefDecl, own: Option<DefId>) -> bool {
        self.check_fixed(def.name);
        let (mark, before) = (self.scope.mark(), self.errors.len());
        self.function(&def.tparams, &def.params, def.ret);
        let earlier = self.scope.term(def.name.name);
        if let Some(own) = own
            && !matches!(earlier, Some(Res::Local(_)))
        {
            self.scope.bind_definition(def.name.name, own);
        }
        self.defining.push(def.name);
        self.expr(def.body);
        self.defining.pop();
        self.scope.leave(mark);
        // A name that is not known may have been meant to use one of those.
        if !self.stdlib && self.errors.len() == before {
            self.unused(def.body);
        }
        self.once(before, def.name, &def.tparams);
        let named = self.uses.len();
        self.uses.retain(|used| Some(*used) != own);
        let recursive = self.uses.len() < named;
        if recursive && matches!(earlier, Some(Res::Global(_))) {
            self.error(def.name.span, ErrorKind::HidesByRecursion { name: def.name.name });
        }
        recursive
    }

    pub fn val(&mut self, val: &ValDecl) {
        if !self.stdlib {
            self.error(val.name.span, ErrorKind::ValueWithoutBody);
        }
        let (mark, before) = (self.scope.mark(), self.errors.len());
        self.function(&val.tparams, &[], Some(val.ty));
        self.scope.leave(mark);
        self.once(before, val.name, &val.tparams);
    }

    pub fn type_decl(&mut self, ty: &TypeDecl) {
        let (mark, before) = (self.scope.mark(), self.errors.len());
        self.abbreviation = Some(ty.name);
        self.function(&ty.tparams, &[], Some(ty.ty));
        self.abbreviation = None;
        self.scope.leave(mark);
        self.once(before, ty.name, &ty.tparams);
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
            if !mentioned.contains(pat) && !is_missing(*name) {
                self.error(*span, ErrorKind::UnusedSize { ty: ty.name.name, size: *name });
            }
        }
    }

    fn check_fixed(&mut self, name: Ident) {
        if !self.stdlib && FIXED.contains(&name.name.as_str()) {
            self.error(name.span, ErrorKind::FixedOperator(name.name));
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
                        self.error(ident.span, ErrorKind::BoundTwice { what: Bound::TypeParameter, name: ident.name, first });
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
                    && !is_missing(*name)
                {
                    self.error(ident.span, ErrorKind::BoundTwice { what: Bound::Variable, name: *name, first });
                }
                self.check_fixed(ident);
                self.scope.bind(*name, pat);
            }
            PatKind::Paren(inner) => self.pat(*inner, group),
            PatKind::Tuple(items) | PatKind::Constr(_, items) => items.iter().for_each(|p| self.pat(*p, group)),
            PatKind::Record(fields) => {
                self.fields(fields.iter().map(|(field, _)| *field), Written::Field);
                fields.iter().for_each(|(_, p)| self.pat(*p, group));
            }
            PatKind::Ascribe(inner, ty) => {
                self.ty(*ty);
                self.pat(*inner, group);
            }
            PatKind::Lit(lit) => self.expr(*lit),
        }
    }

    fn fields(&mut self, fields: impl Iterator<Item = Ident>, what: Written) {
        let mut seen: FxHashMap<Symbol, Span> = FxHashMap::default();
        for field in fields {
            if let Some(first) = seen.insert(field.name, field.span)
                && !field.is_missing()
            {
                self.error(field.span, ErrorKind::WrittenTwice { what, name: field.name, first });
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
                self.fields(fields.iter().map(|(field, _)| *field), Written::Field);
                fields.iter().for_each(|(_, t)| self.ty(*t));
            }
            TypeKind::Sum(clauses) => {
                self.fields(clauses.iter().map(|(name, _)| *name), Written::Constructor);
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
        if known.is_none() && !name.is_missing() {
            self.unknown_type(*name);
        }
        known
    }

    /// `m.t`.
    fn member_type(&mut self, modules: &[Ident], name: Ident) -> Option<TypeRes> {
        let module = self.module_path(modules)?;
        let known = module.ty(name.name);
        if known.is_none() && !module.is_broken() && !name.is_missing() {
            let names: Vec<&'static str> = match &module {
                Module::Struct(globals) => globals.types.keys().map(|name| name.as_str()).collect(),
                Module::Scalar(_) => vec!["t"],
                Module::Functor(_) | Module::Broken => Vec::new(),
            };
            let advice = match suggest::closest(name.name.as_str(), names) {
                Some(near) => Some(MemberTypeAdvice::Similar(near)),
                None => matches!(module, Module::Scalar(_)).then_some(MemberTypeAdvice::OfScalar),
            };
            self.error(name.span, ErrorKind::UnknownMemberType { module: modules.to_vec(), name: name.name, advice });
        }
        known
    }

    /// The module with this qualified name; reports what is not known.
    pub fn module_path(&mut self, path: &[Ident]) -> Option<Module<'a>> {
        let (first, rest) = path.split_first()?;
        let Some(mut module) = self.scope.module(first.name) else {
            if !first.is_missing() {
                self.unknown_module(*first);
            }
            return None;
        };
        for (at, part) in rest.iter().enumerate() {
            let Some(inner) = module.module(part.name) else {
                self.error(part.span, ErrorKind::UnknownMemberModule { module: path[..=at].to_vec(), name: part.name });
                return None;
            };
            module = inner;
        }
        Some(module)
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
            | ExprKind::Imaginary { .. }
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
                self.fields(fields.iter().map(|(field, _)| *field), Written::Field);
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
            ExprKind::With { base, path, value } => {
                self.expr(*base);
                self.indices(path_indices(path));
                self.expr(*value);
            }
            ExprKind::Ascribe { expr, ty } | ExprKind::Coerce { expr, ty } => {
                self.expr(*expr);
                self.ty(*ty);
            }
            ExprKind::Assert { cond, expr } => self.exprs(&[*cond, *expr]),
            ExprKind::Open { module, expr } => {
                let mark = self.scope.mark();
                match self.module_path(module) {
                    Some(Module::Functor(functor)) => {
                        self.errors.push(not_applied(ast.exprs[*expr].span, &functor));
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
            ExprKind::LetUpdate { base, binder, path, value, body } => {
                self.expr(*base);
                self.indices(path_indices(path));
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
                let before = self.errors.len();
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

    fn indices<'i>(&mut self, indices: impl IntoIterator<Item = &'i IndexArg>) {
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
                (ExprKind::Name(_), [module]) if self.scope.term(module.name).is_none() => self.unknown_prefix(*module, field),
                _ => self.expr(inner),
            };
        }
        let Some(module) = self.module_path(&path) else { return };
        match module.term(field.name) {
            Some(res) => self.resolved(node, res),
            None if field.is_missing() || module.is_broken() => {}
            None => self.unknown_member(&path, &module, field),
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
pub(super) fn not_applied(at: Span, functor: &Functor<'_>) -> Error {
    Error { at, kind: ErrorKind::NotApplied { functor: functor.name, declared: functor.declared, sig: None } }
}

/// Names that are bound together, with their places.
#[derive(Default)]
struct Group {
    terms: FxHashMap<Symbol, Span>,
    types: FxHashMap<Symbol, Span>,
}
