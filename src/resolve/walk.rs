//! Resolving the names of one file.

use super::files::import_with;
use super::scope::{Scope, Uniques};
use super::{Globals, peel, suggest};
use crate::base::{FileId, PrimType, Span, Symbol, scalar};
use crate::diag::Diagnostic;
use crate::ir::surface::view::is_builtin_operator;
use crate::ir::surface::{
    Ast, Decl, DefDecl, Dim, ExprId, ExprKind, Ident, IndexArg, LetFun, LoopForm, Operator, PatId, PatKind, TypeArg, TypeDecl, TypeId,
    TypeKind, TypeParam, ValDecl,
};
use crate::ir::tables::{Def, DefKind, Names, Program, Res, TypeDef, TypeParamInfo, TypeRes};
use crate::syntax::precedence::is_symbolic;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Operators whose meaning is part of the language.
const FIXED: [&str; 4] = ["&&", "||", "|>", "<|"];

/// Errors beyond this number get no suggestion: searching for one takes time.
const SUGGESTIONS: usize = 100;

/// The walk over one file.
struct Walk<'a> {
    ast: &'a Ast,
    names: &'a mut Names,
    tparams: &'a mut crate::base::Arena<TypeParamInfo>,
    scope: Scope<'a>,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Functions and constants whose bodies are being resolved, outermost first.
    defining: Vec<Ident>,
    /// Definitions of this file that come later: names with their place.
    later: FxHashMap<Symbol, Span>,
    later_types: FxHashMap<Symbol, Span>,
    /// Whether the current expression is a size in a type.
    in_dim: bool,
    stdlib: bool,
    suggested: usize,
}

/// What a file can see of others.
pub(super) struct Context<'a> {
    pub prelude: &'a Globals,
    /// What the files before this one offer.
    pub exports: &'a FxHashMap<FileId, Globals>,
    /// The imports of this file: index of the declaration, and what it names.
    pub imports: &'a [(usize, FileId)],
}

/// Resolves a file. Adds its definitions to the program; returns what it offers to files that import it.
pub(super) fn unit(
    program: &mut Program,
    index: usize,
    context: &Context<'_>,
    uniques: &mut Uniques,
    diagnostics: &mut Vec<Diagnostic>,
) -> Globals {
    let Program { ast, units, defs, types, tparams, names } = program;
    let unit = &units[index];
    let (file, stdlib) = (unit.source.file, unit.stdlib);
    let mut walk = Walk {
        ast,
        names,
        tparams,
        scope: Scope::new(context.prelude),
        diagnostics,
        defining: Vec::new(),
        later: FxHashMap::default(),
        later_types: FxHashMap::default(),
        in_dim: false,
        stdlib,
        suggested: 0,
    };
    walk.collect_later(&unit.source.decls);
    let mut offered = Globals::default();
    let mut imports = context.imports.iter().peekable();
    for (index, decl) in unit.source.decls.iter().enumerate() {
        let (decl, local) = peel(decl);
        let (name, kind) = match decl {
            Decl::Def(def) => {
                walk.def(def);
                (def.name, DefKind::Def(Arc::new(def.clone())))
            }
            Decl::Val(val) => {
                walk.val(val);
                (val.name, DefKind::Val(Arc::new(val.clone())))
            }
            Decl::Type(ty) => {
                walk.type_decl(ty);
                let id = types.alloc(TypeDef { decl: Arc::new(ty.clone()), file });
                walk.scope.globals.types.insert(ty.name.name, TypeRes::Abbreviation(id));
                if !local {
                    offered.types.insert(ty.name.name, TypeRes::Abbreviation(id));
                }
                continue;
            }
            Decl::Import(_) => {
                if let Some((_, file)) = imports.next_if(|(at, _)| *at == index)
                    && let Some(imported) = context.exports.get(file)
                {
                    walk.scope.import(imported);
                }
                continue;
            }
            Decl::Local(_) | Decl::Error(_) => continue,
        };
        let unique = uniques.next(name.name);
        let def = defs.alloc(Def { decl: kind, name: name.name, unique, span: name.span, file, stdlib });
        walk.scope.globals.terms.insert(name.name, def);
        if !local {
            offered.terms.insert(name.name, def);
        }
    }
    offered
}

impl Walk<'_> {
    fn collect_later(&mut self, decls: &[Decl]) {
        for decl in decls.iter().rev() {
            match peel(decl).0 {
                Decl::Def(def) => drop(self.later.insert(def.name.name, def.name.span)),
                Decl::Type(ty) => drop(self.later_types.insert(ty.name.name, ty.name.span)),
                Decl::Val(val) => drop(self.later.insert(val.name.name, val.name.span)),
                Decl::Import(_) | Decl::Local(_) | Decl::Error(_) => {}
            }
        }
    }

    // Declarations.

    fn def(&mut self, def: &DefDecl) {
        self.check_fixed(def.name);
        let mark = self.scope.mark();
        self.function(&def.tparams, &def.params, def.ret);
        self.defining.push(def.name);
        self.expr(def.body);
        self.defining.pop();
        self.scope.leave(mark);
    }

    fn val(&mut self, val: &ValDecl) {
        if !self.stdlib {
            self.diagnostics.push(
                Diagnostic::error("E0208", val.name.span, "only the standard library declares values without defining them")
                    .help("write `def` with a body; `???` stands for one that is still to be written"),
            );
        }
        let mark = self.scope.mark();
        self.function(&val.tparams, &[], Some(val.ty));
        self.scope.leave(mark);
    }

    fn type_decl(&mut self, ty: &TypeDecl) {
        let mark = self.scope.mark();
        self.function(&ty.tparams, &[], Some(ty.ty));
        self.scope.leave(mark);
    }

    fn check_fixed(&mut self, name: Ident) {
        if !self.stdlib && FIXED.contains(&name.name.as_str()) {
            self.diagnostics.push(
                Diagnostic::error("E0208", name.span, format!("`{}` cannot be redefined", name.name))
                    .here("its meaning is part of the language")
                    .help("choose another operator"),
            );
        }
    }

    /// Binds what stands before the body of a function.
    fn function(&mut self, tparams: &[TypeParam], params: &[PatId], ret: Option<TypeId>) {
        let mut group = Group::default();
        for tparam in tparams {
            match tparam {
                TypeParam::Size(pat) => self.pat(*pat, &mut group),
                TypeParam::Type(ident) => {
                    if let Some(first) = group.types.insert(ident.name, ident.span) {
                        self.duplicate(*ident, first, "type parameter");
                    }
                    let id = self.tparams.alloc(TypeParamInfo { name: ident.name, span: ident.span });
                    self.names.declared.insert(ident.span, id);
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
            Diagnostic::error("E0204", again.span, format!("the {what} `{}` is bound twice", again.name))
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
                    Diagnostic::error("E0204", field.span, format!("the {what} `{}` is written twice", field.name))
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
        let (name, prim) = match path {
            [name] => (*name, PrimType::from_name(name.name.as_str())),
            // `f32.t` is the type of the scalar module.
            [module, member] if member.name.as_str() == "t" => (*module, PrimType::from_name(module.name.as_str())),
            [module, ..] => (*module, None),
            [] => return None,
        };
        if path.len() == 1
            && let Some(known) = self.scope.ty(name.name)
        {
            return Some(known);
        }
        if prim.is_none() && name.name.as_str() != "?" {
            let diagnostic = self.unknown_type(path, name);
            self.diagnostics.push(diagnostic);
        }
        prim.map(TypeRes::Prim)
    }

    fn unknown_type(&mut self, path: &[Ident], name: Ident) -> Diagnostic {
        if path.len() > 1 {
            let place = Span { end: path.last().map_or(name.span.end, |p| p.span.end), ..name.span };
            return Diagnostic::error("E0202", place, format!("there is no module `{}` with types", name.name)).here("not known");
        }
        let diagnostic = Diagnostic::error("E0202", name.span, format!("unknown type `{}`", name.name)).here("not known");
        if let Some(place) = self.later_types.get(&name.name) {
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
                if op.backtick.is_some() || !matches!(op.ident.name.as_str(), "|>" | "<|") {
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
                self.expr(*init);
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
        if let Some(res) = self.scope.term(name) {
            self.names.exprs.insert(expr, res);
        } else {
            self.unknown(Ident { name, span: self.ast.exprs[expr].span });
        }
    }

    fn operator(&mut self, node: ExprId, op: &Operator) {
        match op.backtick {
            Some(function) => self.expr(function),
            None => self.operator_name(node, op.ident),
        }
    }

    fn operator_name(&mut self, node: ExprId, op: Ident) {
        match self.scope.term(op.name) {
            Some(res) => drop(self.names.exprs.insert(node, res)),
            None if is_builtin_operator(op.name) => {}
            None => self.unknown(op),
        }
    }

    /// `e.x`: a field, or a member of a scalar module.
    fn project(&mut self, node: ExprId, inner: ExprId, field: Ident) {
        let ExprKind::Name(module) = self.ast.exprs[inner].kind else { return self.expr(inner) };
        if self.scope.term(module).is_some() {
            return self.name(inner, module);
        }
        let Some(prim) = PrimType::from_name(module.as_str()) else {
            return self.unknown_module(Ident { name: module, span: self.ast.exprs[inner].span }, field);
        };
        if scalar::member(prim, field.name.as_str()).is_some() {
            self.names.exprs.insert(node, Res::Scalar(prim, field.name));
        } else if field.name.as_str() != "?" {
            let diagnostic = self.unknown_member(prim, field);
            self.diagnostics.push(diagnostic);
        }
    }

    // Complaints about names.

    fn may_suggest(&mut self) -> bool {
        self.suggested += 1;
        self.suggested <= SUGGESTIONS
    }

    fn unknown(&mut self, name: Ident) {
        let text = name.name.as_str();
        if text == "?" {
            return;
        }
        if let Some(defined) = self.defining.iter().rev().find(|d| d.name == name.name) {
            let diagnostic = Diagnostic::error("E0205", name.span, format!("`{text}` is used in its own definition"))
                .here("recursive use")
                .label(defined.span, "defined here")
                .note("functions are not recursive, so that every program ends up as array operations and loops")
                .help("repeat with `loop x = start for i < n do ..` or `loop x = start while condition do ..`");
            self.diagnostics.push(diagnostic);
            return;
        }
        let what = if is_symbolic(text) { "operator" } else { "name" };
        let diagnostic = Diagnostic::error("E0201", name.span, format!("unknown {what} `{text}`")).here("not known");
        let diagnostic = self.advice(diagnostic, text, name);
        self.diagnostics.push(diagnostic);
    }

    fn advice(&mut self, diagnostic: Diagnostic, text: &str, name: Ident) -> Diagnostic {
        if let Some(place) = self.later.get(&name.name) {
            return diagnostic.label(*place, "defined here").help("a definition is visible after it: move it up");
        }
        if is_symbolic(text)
            && let Some(glued) = glued(text)
        {
            return diagnostic.help(glued);
        }
        if PrimType::from_name(text).is_some() {
            return diagnostic.help(format!("`{text}` is a type; a conversion names both types, such as `{text}.i64 x` or `{text}.f64 x`"));
        }
        if let Some(help) = reduction(text) {
            return diagnostic.help(help);
        }
        if let Some(path) = import_with(text) {
            return diagnostic.help(format!("`{text}` is in the library for NumPy users: write `import \"{path}\"` at the top"));
        }
        let modules = [PrimType::F64, PrimType::I64, PrimType::Bool];
        if let Some(prim) = modules.into_iter().find(|prim| scalar::member(*prim, text).is_some()) {
            return diagnostic.help(format!("scalar functions are in the module of their type: `{prim}.{text}`"));
        }
        let symbolic = is_symbolic(text);
        let near = self.may_suggest().then(|| {
            let names = self.scope.term_names().filter(|n| is_symbolic(n) == symbolic);
            suggest::closest(text, names)
        });
        if let Some(near) = near.flatten() {
            return diagnostic.help(format!("did you mean `{near}`?"));
        }
        if self.in_dim {
            return diagnostic.help(format!("a size is declared in brackets after the name of the definition: `def f [{text}] ..`"));
        }
        match common(text) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn unknown_module(&mut self, module: Ident, field: Ident) {
        let text = module.name.as_str();
        if text == "?" {
            return;
        }
        if self.defining.iter().any(|d| d.name == module.name) || self.later.contains_key(&module.name) {
            return self.unknown(module);
        }
        let diagnostic =
            Diagnostic::error("E0201", module.span, format!("there is neither a variable nor a module `{text}`")).here("not known");
        let diagnostic = match text {
            "np" | "numpy" | "jnp" => diagnostic.help(format!(
                "names of a library have no prefix: `import \"lib/np\"`, then `{}`; elementwise functions are in scalar modules: `f64.sqrt`",
                field.name
            )),
            "math" => diagnostic.help(format!("mathematical functions are in scalar modules: `f64.{}`", field.name)),
            _ => {
                let prims = PrimType::ALL.iter().map(|p| p.name());
                let near = self.may_suggest().then(|| suggest::closest(text, self.scope.term_names().chain(prims)));
                match near.flatten() {
                    Some(near) => diagnostic.help(format!("did you mean `{near}.{}`?", field.name)),
                    None => diagnostic,
                }
            }
        };
        self.diagnostics.push(diagnostic);
    }

    fn unknown_member(&mut self, prim: PrimType, field: Ident) -> Diagnostic {
        let text = field.name.as_str();
        let diagnostic = Diagnostic::error("E0203", field.span, format!("the module `{prim}` has no member `{text}`")).here("not known");
        let others: Vec<&str> = PrimType::ALL.iter().filter(|p| scalar::member(**p, text).is_some()).map(|p| p.name()).collect();
        if !others.is_empty() {
            return diagnostic.note(format!("it is in the modules {}", others.join(", ")));
        }
        let near = self.may_suggest().then(|| suggest::closest(text, scalar::members(prim)));
        match near.flatten() {
            Some(near) => diagnostic.help(format!("did you mean `{prim}.{near}`?")),
            None => diagnostic,
        }
    }
}

/// Names that are bound together, with their places.
#[derive(Default)]
struct Group {
    terms: FxHashMap<Symbol, Span>,
    types: FxHashMap<Symbol, Span>,
}

/// Advice for symbols that were meant as two operators.
fn glued(text: &str) -> Option<String> {
    let (first, last) = text.split_at_checked(text.len() - 1)?;
    (matches!(last, "-" | "!") && is_builtin_operator(Symbol::new(first)))
        .then(|| format!("symbols written together are one operator: put a space before `{last}`"))
}

/// Advice for names that NumPy uses for reductions and scalar modules for functions of two numbers.
fn reduction(text: &str) -> Option<String> {
    let (full, which) = match text {
        "max" | "amax" => ("maximum", "larger"),
        "min" | "amin" => ("minimum", "smaller"),
        _ => return None,
    };
    let short = &full[..3];
    Some(format!("of two numbers `f64.{short} x y` is the {which}; of all elements of an array `f64.{full} xs`"))
}

/// Advice for names of other languages.
fn common(text: &str) -> Option<&'static str> {
    Some(match text {
        "len" | "size" => "the length of an array is `length xs`",
        "range" | "arange" => "`0..<n` is the array of the numbers below n",
        "zeros" | "ones" | "full" => "`replicate n x` is an array of n copies of x",
        "True" => "write `true`",
        "False" => "write `false`",
        "lambda" | "fn" | "fun" => "a function is written `\\x -> e`",
        "print" => "programs print nothing: their results are printed",
        "return" => "the value of a definition is its body: there is no `return`",
        _ => return None,
    })
}
