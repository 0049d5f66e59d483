//! Copies of parts of the tree with nodes of their own, at the same places in the text: each application of a parametric
//! module has its own copy of the module's definitions.

use super::{
    Access, Ast, DefDecl, Dim, Expr, ExprId, ExprKind, Ident, IndexArg, LetFun, LoopForm, Operator, Pat, PatId, PatKind, TypeArg, TypeDecl,
    TypeExpr, TypeId, TypeKind, TypeParam, ValDecl,
};

impl Ast {
    /// A copy of a definition.
    pub fn copy_def(&mut self, def: &DefDecl) -> DefDecl {
        let DefDecl { entry, name, tparams, params, ret, body, attrs, doc, span } = def;
        let tparams = self.copy_tparams(tparams);
        let params = self.copy_pats(params);
        let ret = ret.map(|ret| self.copy_type(ret));
        let body = self.copy_expr(*body);
        DefDecl { entry: *entry, name: *name, tparams, params, ret, body, attrs: attrs.clone(), doc: *doc, span: *span }
    }
    /// A copy of a specification of a value.
    pub fn copy_val(&mut self, val: &ValDecl) -> ValDecl {
        let ValDecl { name, tparams, ty, doc, span } = val;
        let tparams = self.copy_tparams(tparams);
        ValDecl { name: *name, tparams, ty: self.copy_type(*ty), doc: *doc, span: *span }
    }
    /// A copy of a type abbreviation.
    pub fn copy_type_decl(&mut self, decl: &TypeDecl) -> TypeDecl {
        let TypeDecl { name, tparams, ty, doc, span } = decl;
        let tparams = self.copy_tparams(tparams);
        TypeDecl { name: *name, tparams, ty: self.copy_type(*ty), doc: *doc, span: *span }
    }
    /// Copies of type and size parameters.
    pub fn copy_tparams(&mut self, tparams: &[TypeParam]) -> Vec<TypeParam> {
        let copy = |param: &TypeParam| match param {
            TypeParam::Size(pat) => TypeParam::Size(self.copy_pat(*pat)),
            TypeParam::Type(name) => TypeParam::Type(*name),
        };
        tparams.iter().map(copy).collect()
    }

    fn copy_exprs(&mut self, exprs: &[ExprId]) -> Vec<ExprId> {
        exprs.iter().map(|e| self.copy_expr(*e)).collect()
    }
    fn copy_pats(&mut self, pats: &[PatId]) -> Vec<PatId> {
        pats.iter().map(|p| self.copy_pat(*p)).collect()
    }
    fn copy_operator(&mut self, op: Operator) -> Operator {
        Operator { ident: op.ident, backtick: op.backtick.map(|e| self.copy_expr(e)) }
    }
    fn copy_indices(&mut self, indices: &[IndexArg]) -> Vec<IndexArg> {
        let mut copy = |e: Option<ExprId>| e.map(|e| self.copy_expr(e));
        let index = |index: &IndexArg| match *index {
            IndexArg::Index(e) => IndexArg::Index(copy(Some(e)).unwrap_or(e)),
            IndexArg::Slice { start, end, step, span } => IndexArg::Slice { start: copy(start), end: copy(end), step: copy(step), span },
        };
        indices.iter().map(index).collect()
    }

    /// A copy of an expression.
    pub fn copy_expr(&mut self, expr: ExprId) -> ExprId {
        let Expr { kind, span } = self.exprs[expr].clone();
        let kind = self.copy_expr_kind(kind);
        self.exprs.alloc(Expr { kind, span })
    }

    fn copy_expr_kind(&mut self, kind: ExprKind) -> ExprKind {
        match kind {
            ExprKind::Error
            | ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Imaginary { .. }
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::OpFn(_)
            | ExprKind::ProjectSection(_)
            | ExprKind::Hole => kind,
            ExprKind::Paren(e) => ExprKind::Paren(self.copy_expr(e)),
            ExprKind::Tuple(items) => ExprKind::Tuple(self.copy_exprs(&items)),
            ExprKind::Record(fields) => ExprKind::Record(fields.into_iter().map(|(name, e)| (name, self.copy_expr(e))).collect()),
            ExprKind::Array(items) => ExprKind::Array(self.copy_exprs(&items)),
            ExprKind::Constr { name, args } => ExprKind::Constr { name, args: self.copy_exprs(&args) },
            ExprKind::Project { expr, field } => ExprKind::Project { expr: self.copy_expr(expr), field },
            ExprKind::Index { array, indices } => ExprKind::Index { array: self.copy_expr(array), indices: self.copy_indices(&indices) },
            ExprKind::Range { start, step, kind, end } => {
                ExprKind::Range { start: self.copy_expr(start), step: step.map(|e| self.copy_expr(e)), kind, end: self.copy_expr(end) }
            }
            ExprKind::Apply { fun, args } => ExprKind::Apply { fun: self.copy_expr(fun), args: self.copy_exprs(&args) },
            ExprKind::Binary { op, lhs, rhs } => {
                ExprKind::Binary { op: self.copy_operator(op), lhs: self.copy_expr(lhs), rhs: self.copy_expr(rhs) }
            }
            ExprKind::Unary { op, op_span, expr } => ExprKind::Unary { op, op_span, expr: self.copy_expr(expr) },
            ExprKind::LeftSection { lhs, op } => ExprKind::LeftSection { lhs: self.copy_expr(lhs), op: self.copy_operator(op) },
            ExprKind::RightSection { op, rhs } => ExprKind::RightSection { op: self.copy_operator(op), rhs: self.copy_expr(rhs) },
            ExprKind::IndexSection(indices) => ExprKind::IndexSection(self.copy_indices(&indices)),
            ExprKind::If { cond, then, els } => {
                ExprKind::If { cond: self.copy_expr(cond), then: self.copy_expr(then), els: self.copy_expr(els) }
            }
            ExprKind::With { base, path, value } => {
                ExprKind::With { base: self.copy_expr(base), path: self.copy_path(path), value: self.copy_expr(value) }
            }
            ExprKind::Ascribe { expr, ty } => ExprKind::Ascribe { expr: self.copy_expr(expr), ty: self.copy_type(ty) },
            ExprKind::Coerce { expr, ty } => ExprKind::Coerce { expr: self.copy_expr(expr), ty: self.copy_type(ty) },
            ExprKind::Assert { cond, expr } => ExprKind::Assert { cond: self.copy_expr(cond), expr: self.copy_expr(expr) },
            ExprKind::Attr { attr, expr } => ExprKind::Attr { attr, expr: self.copy_expr(expr) },
            ExprKind::Open { module, expr } => ExprKind::Open { module, expr: self.copy_expr(expr) },
            ExprKind::Lambda { .. }
            | ExprKind::Let { .. }
            | ExprKind::LetFun(_)
            | ExprKind::LetUpdate { .. }
            | ExprKind::Match { .. }
            | ExprKind::Loop { .. } => self.copy_binding(kind),
        }
    }

    fn copy_path(&mut self, path: Vec<Access>) -> Vec<Access> {
        path.into_iter()
            .map(|access| match access {
                Access::Field(_) => access,
                Access::Index(indices) => Access::Index(self.copy_indices(&indices)),
            })
            .collect()
    }

    /// The forms that bind variables.
    fn copy_binding(&mut self, kind: ExprKind) -> ExprKind {
        match kind {
            ExprKind::Lambda { params, ret, body } => {
                ExprKind::Lambda { params: self.copy_pats(&params), ret: ret.map(|ret| self.copy_type(ret)), body: self.copy_expr(body) }
            }
            ExprKind::Let { sizes, pat, rhs, body } => ExprKind::Let {
                sizes: self.copy_pats(&sizes),
                pat: self.copy_pat(pat),
                rhs: self.copy_expr(rhs),
                body: self.copy_expr(body),
            },
            ExprKind::LetFun(fun) => {
                let LetFun { binder, tparams, params, ret, rhs, body } = *fun;
                ExprKind::LetFun(Box::new(LetFun {
                    binder: self.copy_pat(binder),
                    tparams: self.copy_tparams(&tparams),
                    params: self.copy_pats(&params),
                    ret: ret.map(|ret| self.copy_type(ret)),
                    rhs: self.copy_expr(rhs),
                    body: self.copy_expr(body),
                }))
            }
            ExprKind::LetUpdate { base, binder, path, value, body } => ExprKind::LetUpdate {
                base: self.copy_expr(base),
                binder: self.copy_pat(binder),
                path: self.copy_path(path),
                value: self.copy_expr(value),
                body: self.copy_expr(body),
            },
            ExprKind::Match { scrutinee, cases } => ExprKind::Match {
                scrutinee: self.copy_expr(scrutinee),
                cases: cases.into_iter().map(|(pat, e)| (self.copy_pat(pat), self.copy_expr(e))).collect(),
            },
            ExprKind::Loop { sizes, pat, init, form, body } => ExprKind::Loop {
                sizes: self.copy_pats(&sizes),
                pat: self.copy_pat(pat),
                init: self.copy_expr(init),
                form: match form {
                    LoopForm::For { var, bound } => LoopForm::For { var: self.copy_pat(var), bound: self.copy_expr(bound) },
                    LoopForm::ForIn { pat, array } => LoopForm::ForIn { pat: self.copy_pat(pat), array: self.copy_expr(array) },
                    LoopForm::While(cond) => LoopForm::While(self.copy_expr(cond)),
                },
                body: self.copy_expr(body),
            },
            other @ (ExprKind::Error
            | ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Imaginary { .. }
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::OpFn(_)
            | ExprKind::Paren(_)
            | ExprKind::Tuple(_)
            | ExprKind::Record(_)
            | ExprKind::Array(_)
            | ExprKind::Constr { .. }
            | ExprKind::Project { .. }
            | ExprKind::Index { .. }
            | ExprKind::Range { .. }
            | ExprKind::Apply { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::LeftSection { .. }
            | ExprKind::RightSection { .. }
            | ExprKind::ProjectSection(_)
            | ExprKind::IndexSection(_)
            | ExprKind::If { .. }
            | ExprKind::With { .. }
            | ExprKind::Ascribe { .. }
            | ExprKind::Coerce { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Attr { .. }
            | ExprKind::Open { .. }
            | ExprKind::Hole) => other,
        }
    }

    /// A copy of a pattern.
    pub fn copy_pat(&mut self, pat: PatId) -> PatId {
        let Pat { kind, span } = self.pats[pat].clone();
        let kind = match kind {
            PatKind::Error | PatKind::Name(_) | PatKind::Wild => kind,
            PatKind::Paren(p) => PatKind::Paren(self.copy_pat(p)),
            PatKind::Tuple(items) => PatKind::Tuple(self.copy_pats(&items)),
            PatKind::Record(fields) => PatKind::Record(fields.into_iter().map(|(name, p)| (name, self.copy_pat(p))).collect()),
            PatKind::Ascribe(p, ty) => PatKind::Ascribe(self.copy_pat(p), self.copy_type(ty)),
            PatKind::Lit(e) => PatKind::Lit(self.copy_expr(e)),
            PatKind::Constr(name, items) => PatKind::Constr(name, self.copy_pats(&items)),
        };
        self.pats.alloc(Pat { kind, span })
    }

    fn copy_dim(&mut self, dim: Dim) -> Dim {
        match dim {
            Dim::Anon => Dim::Anon,
            Dim::Expr(e) => Dim::Expr(self.copy_expr(e)),
        }
    }
    fn copy_types(&mut self, types: &[TypeId]) -> Vec<TypeId> {
        types.iter().map(|t| self.copy_type(*t)).collect()
    }

    /// A copy of a type.
    pub fn copy_type(&mut self, ty: TypeId) -> TypeId {
        let TypeExpr { kind, span } = self.types[ty].clone();
        let labelled = |ast: &mut Ast, parts: Vec<(Ident, TypeId)>| parts.into_iter().map(|(name, t)| (name, ast.copy_type(t))).collect();
        let kind = match kind {
            TypeKind::Error => kind,
            TypeKind::Name { path, args } => {
                let copy = |arg: TypeArg| match arg {
                    TypeArg::Size(dim) => TypeArg::Size(self.copy_dim(dim)),
                    TypeArg::Type(ty) => TypeArg::Type(self.copy_type(ty)),
                };
                TypeKind::Name { path, args: args.into_iter().map(copy).collect() }
            }
            TypeKind::Array(dim, element) => TypeKind::Array(self.copy_dim(dim), self.copy_type(element)),
            TypeKind::Tuple(items) => TypeKind::Tuple(self.copy_types(&items)),
            TypeKind::Record(fields) => TypeKind::Record(labelled(self, fields)),
            TypeKind::Sum(clauses) => TypeKind::Sum(clauses.into_iter().map(|(name, ts)| (name, self.copy_types(&ts))).collect()),
            TypeKind::Arrow { param, from, to } => {
                TypeKind::Arrow { param: param.map(|p| self.copy_pat(p)), from: self.copy_type(from), to: self.copy_type(to) }
            }
            TypeKind::Exists(sizes, inner) => TypeKind::Exists(self.copy_pats(&sizes), self.copy_type(inner)),
            TypeKind::Unique(inner) => TypeKind::Unique(self.copy_type(inner)),
            TypeKind::Paren(inner) => TypeKind::Paren(self.copy_type(inner)),
        };
        self.types.alloc(TypeExpr { kind, span })
    }
}
