//! A small stand-in for name resolution, so that inference is tested on its own.

use crate::base::{FileId, PrimType, Symbol};
use crate::ir::surface::*;
use crate::ir::tables::*;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Default)]
struct Scope {
    globals: HashMap<Symbol, DefId>,
    locals: Vec<(Symbol, PatId)>,
    types: HashMap<Symbol, TypeRes>,
    /// A name that is not known yet; its declaration waits.
    unknown: Option<Symbol>,
}

/// Parses and resolves texts as the files of one program; panics on syntax errors and unknown names.
pub(super) fn load(texts: &[&str]) -> Program {
    let mut program = Program::default();
    let mut scope = Scope::default();
    for (file, text) in texts.iter().enumerate() {
        let file = FileId(file as u32);
        let (source, errors) = crate::front::syntax::parse(&mut program.ast, file, text);
        assert!(errors.is_empty(), "{errors:?}");
        let decls = source.decls.clone();
        program.units.push(Unit { source, stdlib: false });
        let mut waiting = decls;
        while !waiting.is_empty() {
            let before = waiting.len();
            waiting.retain(|decl| {
                scope.unknown = None;
                scope.decl(&mut program, file, decl.clone());
                scope.unknown.is_some()
            });
            assert!(waiting.len() < before, "unknown name {:?}", scope.unknown);
        }
    }
    program
}

impl Scope {
    fn decl(&mut self, program: &mut Program, file: FileId, decl: Decl) {
        match decl {
            Decl::Def(decl) => {
                let (mark, saved) = (self.locals.len(), self.types.clone());
                self.tparams(program, &decl.tparams);
                decl.params.iter().for_each(|p| self.pat(program, *p));
                decl.ret.iter().for_each(|t| self.ty(program, *t));
                self.expr(program, decl.body);
                self.locals.truncate(mark);
                self.types = saved;
                self.define(program, file, decl.name, DefKind::Def(Arc::new(decl)));
            }
            Decl::Val(decl) => {
                let (mark, saved) = (self.locals.len(), self.types.clone());
                self.tparams(program, &decl.tparams);
                self.ty(program, decl.ty);
                self.locals.truncate(mark);
                self.types = saved;
                self.define(program, file, decl.name, DefKind::Val(Arc::new(decl)));
            }
            Decl::Type(decl) => {
                let (mark, saved) = (self.locals.len(), self.types.clone());
                self.tparams(program, &decl.tparams);
                self.ty(program, decl.ty);
                self.locals.truncate(mark);
                self.types = saved;
                let name = decl.name.name;
                let id = program.types.alloc(TypeDef { decl: Arc::new(decl), file, name: name, hiding: Hiding::Shown, uses: Vec::new() });
                self.types.insert(name, TypeRes::Abbreviation(id));
            }
            Decl::Local(inner) => self.decl(program, file, *inner),
            Decl::Import(_) | Decl::Module(_) | Decl::ModuleType(_) | Decl::Open(_) | Decl::Error(_) => {}
        }
    }

    fn define(&mut self, program: &mut Program, file: FileId, name: Ident, decl: DefKind) {
        if self.unknown.is_some() {
            return;
        }
        let def = program.defs.alloc(Def { decl, name: name.name, unique: name.name, span: name.span, file, stdlib: false, needed: true, role: Role::Plain, region: None });
        self.globals.insert(name.name, def);
    }

    fn tparams(&mut self, program: &mut Program, tparams: &[TypeParam]) {
        for tparam in tparams {
            match tparam {
                TypeParam::Size(pat) => self.pat(program, *pat),
                TypeParam::Type(ident) => {
                    let id = program.tparams.alloc(TypeParamInfo { name: ident.name, span: ident.span });
                    program.names.declared.insert(ident.span, id);
                    self.types.insert(ident.name, TypeRes::Param(id));
                }
            }
        }
    }

    fn ty(&mut self, program: &mut Program, id: TypeId) {
        match program.ast.types[id].kind.clone() {
            TypeKind::Error => {}
            TypeKind::Name { path, args } => {
                let name = path[0].name;
                let res = PrimType::from_name(name.as_str()).map(TypeRes::Prim).or_else(|| self.types.get(&name).copied());
                program.names.types.insert(id, res.unwrap_or_else(|| panic!("type {name}")));
                for arg in args {
                    match arg {
                        TypeArg::Size(dim) => self.dim(program, dim),
                        TypeArg::Type(ty) => self.ty(program, ty),
                    }
                }
            }
            TypeKind::Array(dim, inner) => {
                self.dim(program, dim);
                self.ty(program, inner);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|t| self.ty(program, *t)),
            TypeKind::Record(fields) => fields.iter().for_each(|f| self.ty(program, f.1)),
            TypeKind::Sum(cases) => cases.iter().flat_map(|c| &c.1).for_each(|t| self.ty(program, *t)),
            TypeKind::Arrow { param, from, to } => {
                self.ty(program, from);
                param.iter().for_each(|p| self.pat(program, *p));
                self.ty(program, to);
            }
            TypeKind::Exists(sizes, inner) => {
                sizes.iter().for_each(|p| self.pat(program, *p));
                self.ty(program, inner);
            }
            TypeKind::Unique(inner) | TypeKind::Paren(inner) => self.ty(program, inner),
        }
    }

    fn dim(&mut self, program: &mut Program, dim: Dim) {
        if let Dim::Expr(e) = dim {
            self.expr(program, e);
        }
    }

    fn pat(&mut self, program: &mut Program, id: PatId) {
        match program.ast.pats[id].kind.clone() {
            PatKind::Name(name) => self.locals.push((name, id)),
            PatKind::Paren(p) => self.pat(program, p),
            PatKind::Tuple(parts) | PatKind::Constr(_, parts) => parts.iter().for_each(|p| self.pat(program, *p)),
            PatKind::Record(fields) => fields.iter().for_each(|f| self.pat(program, f.1)),
            PatKind::Ascribe(p, t) => {
                self.ty(program, t);
                self.pat(program, p);
            }
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
        }
    }

    fn lookup(&self, name: Symbol) -> Option<Res> {
        let local = self.locals.iter().rev().find(|(n, _)| *n == name).map(|(_, p)| Res::Local(*p));
        local.or_else(|| self.globals.get(&name).map(|d| Res::Global(*d)))
    }

    fn operator(&mut self, program: &mut Program, id: ExprId, op: &Operator) {
        match op.backtick {
            Some(f) => self.expr(program, f),
            None => self.name(program, id, op.ident.name),
        }
    }

    fn name(&mut self, program: &mut Program, id: ExprId, name: Symbol) {
        match self.lookup(name) {
            Some(res) => {
                program.names.exprs.insert(id, res);
            }
            None if view::is_builtin_operator(name) => {}
            None => self.unknown = Some(name),
        }
    }

    fn index(&mut self, program: &mut Program, index: &IndexArg) {
        match index {
            IndexArg::Index(e) => self.expr(program, *e),
            IndexArg::Slice { start, end, step, .. } => [start, end, step].into_iter().flatten().for_each(|e| self.expr(program, *e)),
        }
    }

    fn expr(&mut self, program: &mut Program, id: ExprId) {
        let mark = self.locals.len();
        match program.ast.exprs[id].kind.clone() {
            ExprKind::Name(name) => self.name(program, id, name),
            ExprKind::OpFn(op) => self.name(program, id, op.name),
            ExprKind::Project { expr, field } => {
                if let ExprKind::Name(module) = program.ast.exprs[expr].kind
                    && self.lookup(module).is_none()
                    && let Some(prim) = PrimType::from_name(module.as_str())
                {
                    program.names.exprs.insert(id, Res::Scalar(prim, field.name));
                } else {
                    self.expr(program, expr);
                }
            }
            ExprKind::Binary { op, lhs, rhs } => {
                self.operator(program, id, &op);
                self.expr(program, lhs);
                self.expr(program, rhs);
            }
            ExprKind::LeftSection { lhs, op } => {
                self.operator(program, id, &op);
                self.expr(program, lhs);
            }
            ExprKind::RightSection { op, rhs } => {
                self.operator(program, id, &op);
                self.expr(program, rhs);
            }
            ExprKind::Lambda { params, ret, body } => {
                params.iter().for_each(|p| self.pat(program, *p));
                ret.iter().for_each(|t| self.ty(program, *t));
                self.expr(program, body);
            }
            ExprKind::Let { sizes, pat, rhs, body } => {
                self.expr(program, rhs);
                sizes.iter().for_each(|p| self.pat(program, *p));
                self.pat(program, pat);
                self.expr(program, body);
            }
            ExprKind::LetFun(fun) => {
                let saved = self.types.clone();
                self.tparams(program, &fun.tparams);
                fun.params.iter().for_each(|p| self.pat(program, *p));
                fun.ret.iter().for_each(|t| self.ty(program, *t));
                self.expr(program, fun.rhs);
                self.types = saved;
                self.locals.truncate(mark);
                self.pat(program, fun.binder);
                self.expr(program, fun.body);
            }
            ExprKind::LetUpdate { base, binder, path, value, body } => {
                self.expr(program, base);
                path_indices(&path).for_each(|i| self.index(program, i));
                self.expr(program, value);
                self.pat(program, binder);
                self.expr(program, body);
            }
            ExprKind::Loop { sizes, pat, init, form, body } => {
                self.expr(program, init);
                sizes.iter().for_each(|p| self.pat(program, *p));
                self.pat(program, pat);
                match form {
                    LoopForm::For { var, bound } => {
                        self.expr(program, bound);
                        self.pat(program, var);
                    }
                    LoopForm::ForIn { pat, array } => {
                        self.expr(program, array);
                        self.pat(program, pat);
                    }
                    LoopForm::While(cond) => self.expr(program, cond),
                }
                self.expr(program, body);
            }
            other => self.parts(program, other),
        }
        self.locals.truncate(mark);
    }

    /// Forms that bind nothing.
    fn parts(&mut self, program: &mut Program, kind: ExprKind) {
        let mut all = |this: &mut Self, list: &[ExprId]| list.iter().for_each(|e| this.expr(program, *e));
        match kind {
            ExprKind::Paren(e) | ExprKind::Attr { expr: e, .. } | ExprKind::Unary { expr: e, .. } => all(self, &[e]),
            ExprKind::Tuple(list) | ExprKind::Array(list) | ExprKind::Constr { args: list, .. } => all(self, &list),
            ExprKind::Record(fields) => fields.iter().for_each(|f| all(self, &[f.1])),
            ExprKind::Index { array, indices } => {
                all(self, &[array]);
                indices.iter().for_each(|i| self.index(program, i));
            }
            ExprKind::IndexSection(indices) => indices.iter().for_each(|i| self.index(program, i)),
            ExprKind::Range { start, step, end, .. } => {
                all(self, &[Some(start), step, Some(end)].into_iter().flatten().collect::<Vec<_>>())
            }
            ExprKind::Apply { fun, args } => {
                all(self, &[fun]);
                all(self, &args);
            }
            ExprKind::If { cond, then, els } => all(self, &[cond, then, els]),
            ExprKind::With { base, path, value } => {
                all(self, &[base, value]);
                path_indices(&path).for_each(|i| self.index(program, i));
            }
            ExprKind::Ascribe { expr, ty } | ExprKind::Coerce { expr, ty } => {
                all(self, &[expr]);
                self.ty(program, ty);
            }
            ExprKind::Assert { cond, expr } => all(self, &[cond, expr]),
            _ => {}
        }
    }
}
