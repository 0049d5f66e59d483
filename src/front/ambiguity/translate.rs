//! Surface and tables to terms.

use super::cells::Content;
use super::term::{Const, Tag, Term, TermRef, Var};
use crate::base::Symbol;
use crate::front::explicit::nest::{Form, Nest, Piece, is_qualified, nest};
use crate::ir::surface::view::{self, Head};
use crate::ir::surface::{Access, Ast, ExprId, ExprKind, IndexArg, LetFun, LoopForm, PatId, PatKind, TypeParam, path_indices};
use crate::ir::tables::{Program, Res, Tables};

/// Translates expressions of one program in one reading.
pub struct Translator<'a> {
    program: &'a Program,
    tables: &'a Tables,
    fresh: u32,
}

impl<'a> Translator<'a> {
    /// A translator for the reading in `tables`.
    pub fn new(program: &'a Program, tables: &'a Tables) -> Translator<'a> {
        Translator { program, tables, fresh: 0 }
    }

    fn ast(&self) -> &'a Ast {
        &self.program.ast
    }

    fn fresh(&mut self) -> Var {
        self.fresh += 1;
        Var::Fresh(self.fresh)
    }

    fn all(&mut self, exprs: impl IntoIterator<Item = ExprId>) -> Vec<TermRef> {
        exprs.into_iter().map(|e| self.expr(e)).collect()
    }

    /// The term of an expression.
    pub fn expr(&mut self, expr: ExprId) -> TermRef {
        let ast = self.ast();
        let expr = view::strip(ast, expr);
        if let Some(nest) = nest(ast, &self.program.names, self.tables, expr) {
            return self.nest(&nest);
        }
        match &ast.exprs[expr].kind {
            ExprKind::Int { value, suffix } => Term::constant(Const::Int { value: *value, suffix: *suffix }),
            ExprKind::Float { value, suffix, .. } => Term::constant(Const::Float { bits: value.to_bits(), suffix: *suffix }),
            ExprKind::Imaginary { value, suffix, .. } => Term::constant(Const::Imaginary { bits: value.to_bits(), suffix: *suffix }),
            ExprKind::Bool(value) => Term::constant(Const::Bool(*value)),
            ExprKind::Str(text) => Term::constant(Const::Str(*text)),
            ExprKind::Name(name) => self.name(expr, *name),
            ExprKind::OpFn(op) => self.name(expr, op.name),
            ExprKind::Project { field, .. } if is_qualified(&self.program.names, expr) => self.name(expr, field.name),
            ExprKind::Tuple(items) => Term::node(Tag::Tuple, self.all(items.iter().copied())),
            ExprKind::Array(items) => Term::node(Tag::Array, self.all(items.iter().copied())),
            ExprKind::Record(fields) => {
                let labels = fields.iter().map(|(label, _)| label.name).collect();
                Term::node(Tag::Record(labels), self.all(fields.iter().map(|(_, value)| *value)))
            }
            ExprKind::Constr { name, args } => Term::node(Tag::Constr(name.name), self.all(args.iter().copied())),
            ExprKind::If { cond, then, els } => Term::node(Tag::If, self.all([*cond, *then, *els])),
            ExprKind::Lambda { params, body, .. } => {
                let body = self.expr(*body);
                self.lambda(params, body)
            }
            ExprKind::Let { sizes, pat, rhs, body } => {
                let rhs = self.expr(*rhs);
                let body = self.expr(*body);
                let value = self.fresh();
                let body = self.bind(*pat, Term::var(value), body);
                let body = self.bind_sizes(sizes.iter().copied(), &[value], body);
                Term::Let(value, rhs, body).into()
            }
            ExprKind::LetFun(fun) => self.let_fun(fun),
            ExprKind::Ascribe { expr, .. } | ExprKind::Open { expr, .. } => self.expr(*expr),
            _ => self.opaque(expr),
        }
    }

    /// The variable that [`Translator::parts`] are parts of.
    pub(super) const VALUE: Var = Var::Fresh(0);

    /// The term of a cell.
    pub(super) fn content(&mut self, content: Content) -> TermRef {
        match content {
            Content::Expr(expr) => self.expr(expr),
            Content::Function(binding) => match &self.ast().exprs[binding].kind {
                ExprKind::LetFun(fun) => self.function(fun),
                _ => self.expr(binding),
            },
            Content::Update(binding) => match &self.ast().exprs[binding].kind {
                ExprKind::LetUpdate { base, path, value, .. } => self.updated(binding, *base, path, *value),
                _ => self.expr(binding),
            },
        }
    }

    /// The variables that a `let` binds, as parts of [`Translator::VALUE`].
    pub(super) fn parts(&mut self, binding: ExprId, bound: &[PatId]) -> Vec<(Var, TermRef)> {
        let part = |me: &mut Self, var: Var| match &me.ast().exprs[binding].kind {
            ExprKind::Let { sizes, pat, .. } => {
                let body = me.bind(*pat, Term::var(Self::VALUE), Term::var(var));
                me.bind_sizes(sizes.iter().copied(), &[Self::VALUE], body)
            }
            _ => Term::var(Self::VALUE),
        };
        bound.iter().map(|&pat| (Var::Local(pat), part(self, Var::Local(pat)))).collect()
    }

    /// An update, with the replications around its value.
    fn updated(&mut self, node: ExprId, base: ExprId, path: &[Access], value: ExprId) -> TermRef {
        let mut parts = vec![self.expr(base)];
        parts.extend(self.indices(path_indices(path)));
        let value = self.expr(value);
        parts.push((0..self.tables.spread(node)).fold(value, |value, _| Term::Rep(value).into()));
        Term::node(Tag::Syntax(node), parts)
    }

    /// Forms of which only the parts are looked into.
    fn opaque(&mut self, expr: ExprId) -> TermRef {
        let tag = Tag::Syntax(expr);
        match &self.ast().exprs[expr].kind {
            ExprKind::LetUpdate { base, binder, path, value, body } => {
                let updated = self.updated(expr, *base, path, *value);
                let body = self.expr(*body);
                Term::Let(Var::Local(*binder), updated, body).into()
            }
            ExprKind::Match { scrutinee, cases } => {
                let mut parts = vec![self.expr(*scrutinee)];
                for &(pat, body) in cases {
                    let mut vars = Vec::new();
                    self.pattern_vars(pat, &mut vars);
                    let body = self.expr(body);
                    parts.push(Term::lams(&vars, body));
                }
                Term::node(tag, parts)
            }
            ExprKind::Loop { sizes, pat, init, form, body } => self.loop_(tag, sizes, (*pat, *init), form, *body),
            ExprKind::With { base, path, value } => self.updated(expr, *base, path, *value),
            ExprKind::Index { array, indices } => {
                let mut parts = vec![self.expr(*array)];
                parts.extend(self.indices(indices));
                Term::node(tag, parts)
            }
            ExprKind::IndexSection(indices) => {
                let parts = self.indices(indices);
                Term::node(tag, parts)
            }
            ExprKind::Range { start, step, end, .. } => {
                let parts = self.all([Some(*start), *step, Some(*end)].into_iter().flatten());
                Term::node(tag, parts)
            }
            ExprKind::Assert { cond, expr } => Term::node(tag, self.all([*cond, *expr])),
            ExprKind::Coerce { expr, .. } => Term::node(tag, self.all([*expr])),
            // Errors and holes; `expr` translates the others.
            ExprKind::Error
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
            | ExprKind::Apply { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::LeftSection { .. }
            | ExprKind::RightSection { .. }
            | ExprKind::ProjectSection(_)
            | ExprKind::Let { .. }
            | ExprKind::LetFun(_)
            | ExprKind::If { .. }
            | ExprKind::Ascribe { .. }
            | ExprKind::Attr { .. }
            | ExprKind::Open { .. }
            | ExprKind::Hole => Term::node(tag, Vec::new()),
        }
    }

    fn loop_(&mut self, tag: Tag, sizes: &[PatId], (pat, init): (PatId, ExprId), form: &LoopForm, body: ExprId) -> TermRef {
        let mut parts = vec![self.expr(init)];
        let body = self.expr(body);
        let state = self.fresh();
        let binding = |me: &mut Self, inner: TermRef| {
            let inner = me.bind(pat, Term::var(state), inner);
            let inner = me.bind_sizes(sizes.iter().copied(), &[state], inner);
            Term::lams(&[state], inner)
        };
        match *form {
            LoopForm::For { var, bound } => {
                parts.push(self.expr(bound));
                parts.push(binding(self, Term::lams(&[Var::Local(var)], body)));
            }
            LoopForm::ForIn { pat, array } => {
                parts.push(self.expr(array));
                let step = self.lambda(&[pat], body);
                parts.push(binding(self, step));
            }
            LoopForm::While(cond) => {
                let cond = self.expr(cond);
                parts.push(binding(self, cond));
                parts.push(binding(self, body));
            }
        }
        Term::node(tag, parts)
    }

    fn indices<'i>(&mut self, indices: impl IntoIterator<Item = &'i IndexArg>) -> Vec<TermRef> {
        let mut parts = Vec::new();
        for index in indices {
            match *index {
                IndexArg::Index(e) => parts.push(self.expr(e)),
                IndexArg::Slice { start, end, step, .. } => parts.extend(self.all([start, end, step].into_iter().flatten())),
            }
        }
        parts
    }

    fn let_fun(&mut self, fun: &LetFun) -> TermRef {
        let function = self.function(fun);
        let body = self.expr(fun.body);
        Term::Let(Var::Local(fun.binder), function, body).into()
    }

    fn function(&mut self, fun: &LetFun) -> TermRef {
        let inner = self.expr(fun.rhs);
        let params: Vec<Var> = fun.params.iter().map(|_| self.fresh()).collect();
        let mut inner = fun.params.iter().zip(&params).rev().fold(inner, |inner, (&pat, &var)| self.bind(pat, Term::var(var), inner));
        let sizes = fun.tparams.iter().filter_map(|t| if let TypeParam::Size(pat) = t { Some(*pat) } else { None });
        inner = self.bind_sizes(sizes, &params, inner);
        Term::lams(&params, inner)
    }

    fn lambda(&mut self, params: &[PatId], body: TermRef) -> TermRef {
        params.iter().rev().fold(body, |body, &pat| {
            let var = self.fresh();
            let body = self.bind(pat, Term::var(var), body);
            Term::Lam(var, body).into()
        })
    }

    /// Size variables are functions of the values whose types they occur in.
    fn bind_sizes(&mut self, sizes: impl Iterator<Item = PatId>, values: &[Var], body: TermRef) -> TermRef {
        sizes.fold(body, |body, size| {
            let value = Term::node(Tag::Size(size), values.iter().map(|v| Term::var(*v)).collect());
            Term::Let(Var::Local(size), value, body).into()
        })
    }

    /// Binds the variables of a pattern to the parts of a value.
    fn bind(&mut self, pat: PatId, value: TermRef, body: TermRef) -> TermRef {
        let field = |name: Symbol| Term::node(Tag::Field(name), vec![value.clone()]);
        match &self.ast().pats[pat].kind {
            PatKind::Name(_) => Term::Let(Var::Local(pat), value, body).into(),
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => self.bind(*inner, value, body),
            PatKind::Tuple(items) => {
                let parts = items.iter().enumerate().map(|(i, &item)| (item, field(Symbol::new(&i.to_string()))));
                parts.fold(body, |body, (item, part)| self.bind(item, part, body))
            }
            PatKind::Record(fields) => fields.iter().fold(body, |body, (label, item)| self.bind(*item, field(label.name), body)),
            PatKind::Constr(name, items) => {
                let parts = items.iter().enumerate().map(|(i, &item)| (item, field(Symbol::new(&format!("#{}.{i}", name.name)))));
                parts.fold(body, |body, (item, part)| self.bind(item, part, body))
            }
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => body,
        }
    }

    fn pattern_vars(&self, pat: PatId, vars: &mut Vec<Var>) {
        match &self.ast().pats[pat].kind {
            PatKind::Name(_) => vars.push(Var::Local(pat)),
            PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => self.pattern_vars(*inner, vars),
            PatKind::Tuple(items) | PatKind::Constr(_, items) => items.iter().for_each(|&p| self.pattern_vars(p, vars)),
            PatKind::Record(fields) => fields.iter().for_each(|&(_, p)| self.pattern_vars(p, vars)),
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
        }
    }

    /// What a name or an operator at this node stands for.
    fn name(&mut self, node: ExprId, name: Symbol) -> TermRef {
        match self.program.names.exprs.get(node) {
            Some(Res::Local(pat)) => Term::var(Var::Local(*pat)),
            Some(Res::Scalar(prim, member)) => Term::constant(Const::Scalar(*prim, *member)),
            Some(Res::Global(def)) => {
                let library = self.program.defs[*def].stdlib;
                let known = if library { self.library(self.program.defs[*def].name.as_str()) } else { None };
                known.unwrap_or_else(|| Term::constant(Const::Global(*def)))
            }
            None => Term::constant(Const::Operator(name)),
        }
    }

    /// Functions of the library whose meaning is known here.
    fn library(&mut self, name: &str) -> Option<TermRef> {
        let arity = match name {
            "id" | "rep" | "fst" | "snd" | "unzip" => 1,
            "const" | "|>" | "<|" | "map" | "zip" => 2,
            "flip" | ">->" | "<-<" | "curry" | "uncurry" | "map2" => 3,
            "map3" => 4,
            "map4" => 5,
            "map5" => 6,
            _ => return None,
        };
        let vars: Vec<Var> = (0..arity).map(|_| self.fresh()).collect();
        let terms: Vec<TermRef> = vars.iter().map(|v| Term::var(*v)).collect();
        let at = |i: usize| terms[i].clone();
        let pair = |a: TermRef, b: TermRef| Term::node(Tag::Tuple, vec![a, b]);
        let field = |i: &str, of: TermRef| Term::node(Tag::Field(Symbol::new(i)), vec![of]);
        let body = match name {
            "rep" => Term::Rep(at(0)).into(),
            "fst" => field("0", at(0)),
            "snd" => field("1", at(0)),
            "unzip" => {
                let p = self.fresh();
                let part = |i: &str| TermRef::new(Term::Map(Term::lams(&[p], field(i, Term::var(p))), vec![at(0)]));
                pair(part("0"), part("1"))
            }
            "|>" => Term::app(at(1), vec![at(0)]),
            "<|" => Term::app(at(0), vec![at(1)]),
            "zip" => {
                let (a, b) = (self.fresh(), self.fresh());
                let both = Term::lams(&[a, b], pair(Term::var(a), Term::var(b)));
                Term::Map(both, vec![at(0), at(1)]).into()
            }
            "flip" => Term::app(at(0), vec![at(2), at(1)]),
            ">->" => Term::app(at(1), vec![Term::app(at(0), vec![at(2)])]),
            "<-<" => Term::app(at(0), vec![Term::app(at(1), vec![at(2)])]),
            "curry" => Term::app(at(0), vec![pair(at(1), at(2))]),
            "uncurry" => Term::app(at(0), vec![field("0", at(1)), field("1", at(1))]),
            "id" | "const" => at(0),
            // The maps.
            _ => Term::Map(at(0), terms[1..].to_vec()).into(),
        };
        let vars = if name == "uncurry" { &vars[..2] } else { &vars[..] };
        Some(Term::lams(vars, body))
    }

    /// The nest of maps of an application.
    fn nest(&mut self, nest: &Nest) -> TermRef {
        let mut missing = Vec::new();
        let mut values = Vec::new();
        for piece in nest.pieces() {
            let value = self.piece(piece, &mut missing);
            values.push((piece.depth, value));
        }
        let body = self.level(nest, nest.frame, values);
        Term::lams(&missing, body)
    }

    fn piece(&mut self, piece: &Piece, missing: &mut Vec<Var>) -> TermRef {
        let value = match piece.expr {
            Some(expr) => self.expr(expr),
            None => {
                let var = self.fresh();
                missing.push(var);
                Term::var(var)
            }
        };
        (0..piece.reps).fold(value, |value, _| Term::Rep(value).into())
    }

    fn level(&mut self, nest: &Nest, level: u32, values: Vec<(u32, TermRef)>) -> TermRef {
        if level == 0 {
            return self.application(nest, values.into_iter().map(|(_, value)| value).collect());
        }
        let (mut params, mut arrays, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        for (depth, value) in values {
            if depth >= level {
                let param = self.fresh();
                params.push(param);
                arrays.push(value);
                inner.push((depth, Term::var(param)));
            } else {
                inner.push((depth, value));
            }
        }
        let body = self.level(nest, level - 1, inner);
        Term::Map(Term::lams(&params, body), arrays).into()
    }

    /// The application of the innermost body.
    fn application(&mut self, nest: &Nest, mut values: Vec<TermRef>) -> TermRef {
        let ast = self.ast();
        let field = |name: Symbol, of: TermRef| Term::node(Tag::Field(name), vec![of]);
        match nest.form {
            Form::Function | Form::Head(Head::Expr(_)) => {
                let fun = values.remove(0);
                Term::app(fun, values)
            }
            Form::Head(Head::Op(op)) => {
                let fun = self.name(nest.head_node, op.name);
                Term::app(fun, values)
            }
            Form::Head(Head::Unary(op, _)) => Term::app(Term::constant(Const::Unary(op.into())), values),
            Form::Head(Head::Constr(name)) => Term::node(Tag::Constr(name.name), values),
            Form::Head(Head::Project(name)) => {
                let record = values.remove(0);
                Term::app(field(name.name, record), values)
            }
            Form::Head(Head::Index(_)) | Form::IndexSection => {
                let count = match &ast.exprs[nest.head_node].kind {
                    ExprKind::Index { indices, .. } | ExprKind::IndexSection(indices) => indices.len() + 1,
                    _ => values.len(),
                };
                let rest = values.split_off(count.min(values.len()));
                Term::app(Term::node(Tag::Index, values), rest)
            }
            Form::ProjectSection(_) => {
                let record = values.remove(0);
                nest.path.iter().fold(record, |value, &(name, maps)| {
                    if maps == 0 {
                        return field(name, value);
                    }
                    let var = self.fresh();
                    let mut fun = Term::lams(&[var], field(name, Term::var(var)));
                    for _ in 1..maps {
                        let var = self.fresh();
                        fun = Term::lams(&[var], Term::Map(fun, vec![Term::var(var)]).into());
                    }
                    Term::Map(fun, vec![value]).into()
                })
            }
        }
    }
}
