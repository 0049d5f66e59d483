//! Expressions: operators, and the forms that start with a keyword.

use super::Parser;
use crate::base::Span;
use crate::front::syntax::error::{ErrorKind, LoopAttribute, Meant, Misplaced, Wanted};
use crate::front::syntax::lexer::{Tok, Token};
use crate::front::syntax::precedence::{self, BACKTICK, Level, RANGE, WITH, WITH_VALUE};
use crate::ir::attributes::{self, Attribute};
use crate::ir::surface::{
    Access, ExprId, ExprKind, Ident, LetFun, LoopForm, Operator, PatId, PatKind, RangeKind, TypeId, TypeParam, UnaryOp,
};

impl Parser<'_> {
    /// An expression, with ascriptions.
    pub(super) fn exp(&mut self) -> ExprId {
        let mut expr = self.exp2(RANGE);
        loop {
            let start = self.expr_start(expr);
            let kind = match self.tok() {
                Tok::Colon => {
                    self.bump();
                    ExprKind::Ascribe { expr, ty: self.type_exp() }
                }
                Tok::ColonGt => {
                    self.bump();
                    ExprKind::Coerce { expr, ty: self.type_exp() }
                }
                _ => return expr,
            };
            expr = self.expr(kind, start);
        }
    }

    /// An expression without ascriptions whose operators bind at least as tightly as `min`.
    pub(super) fn exp2(&mut self, min: Level) -> ExprId {
        let mut lhs = self.prefix();
        loop {
            let start = self.expr_start(lhs);
            let kind = match self.tok() {
                Tok::With if WITH >= min => self.with(lhs),
                Tok::DotDot | Tok::DotDotLt | Tok::DotDotGt | Tok::DotDotDot if RANGE >= min => self.range(lhs),
                _ => {
                    let Some((level, tokens)) = self.infix_ahead() else { return lhs };
                    if level < min || self.nth(tokens) == Tok::RParen {
                        return lhs;
                    }
                    let op = self.operator();
                    let rhs = self.exp2(if precedence::groups_right(level) { level } else { level + 1 });
                    ExprKind::Binary { op, lhs, rhs }
                }
            };
            lhs = self.expr(kind, start);
        }
    }

    /// The level of the infix operator that comes next and the number of its tokens.
    pub(super) fn infix_ahead(&self) -> Option<(Level, usize)> {
        match self.tok() {
            Tok::Backtick => {
                let mut ahead = 1;
                while !matches!(self.nth(ahead), Tok::Backtick | Tok::Eof) && matches!(self.nth(ahead), Tok::Ident | Tok::Dot) {
                    ahead += 1;
                }
                Some((BACKTICK, ahead + 1))
            }
            Tok::Ident => self.qualified_operator().map(|ahead| (precedence::operator_level(self.slice(self.token(ahead))), ahead + 1)),
            tok if tok.is_operator() => Some((precedence::operator_level(self.slice(self.token(0))), 1)),
            _ => None,
        }
    }

    /// For `i32.+`: how many tokens ahead the operator is.
    pub(super) fn qualified_operator(&self) -> Option<usize> {
        if self.nth(1) != Tok::Dot {
            return None;
        }
        let mut ahead = 0;
        while self.nth(ahead) == Tok::Ident && self.nth(ahead + 1) == Tok::Dot && self.adjacent(ahead + 1) && self.adjacent(ahead + 2) {
            ahead += 2;
        }
        (ahead > 0 && self.nth(ahead).is_operator()).then_some(ahead)
    }

    /// Consumes the infix operator that comes next.
    pub(super) fn operator(&mut self) -> Operator {
        match self.tok() {
            Tok::Backtick => {
                let tick = self.open_backtick();
                let (function, ident) = self.qualified_name();
                if !self.eat(Tok::Backtick) {
                    self.complain(ErrorKind::UnclosedOperator { found: self.tok(), opened: tick });
                }
                Operator { ident, backtick: Some(function) }
            }
            Tok::Ident => {
                let (function, ident) = self.qualified_name();
                Operator { ident, backtick: Some(function) }
            }
            _ => {
                let token = self.bump();
                Operator { ident: self.ident_of(token), backtick: None }
            }
        }
    }
    fn open_backtick(&mut self) -> Span {
        let span = self.span_here();
        self.bump();
        span
    }

    /// `a.b.c` as nested projections, and its last part. The last part may be an operator.
    pub(super) fn qualified_name(&mut self) -> (ExprId, Ident) {
        let first = self.ident(Wanted::Name);
        let mut ident = first;
        let mut expr = self.name_expr(first);
        while self.at(Tok::Dot) {
            self.bump();
            ident = if self.tok().is_operator() {
                let token = self.bump();
                self.ident_of(token)
            } else {
                self.ident(Wanted::Name)
            };
            expr = self.expr(ExprKind::Project { expr, field: ident }, first.span.start);
        }
        (expr, ident)
    }

    fn with(&mut self, lhs: ExprId) -> ExprKind {
        self.bump();
        let path = self.update_path(self.at(Tok::LBracket));
        self.expect(Tok::Eq);
        ExprKind::With { base: lhs, path, value: self.exp2(WITH_VALUE) }
    }

    /// The steps to what is updated: `[i].x.y[j:k]`, or `x.y[j:k]` without an index in front.
    fn update_path(&mut self, indexed: bool) -> Vec<Access> {
        let mut path = Vec::new();
        let mut field = !indexed;
        loop {
            if field {
                let mut fields = Vec::new();
                self.field(&mut fields);
                path.extend(fields.into_iter().map(Access::Field));
            } else {
                path.push(Access::Index(self.index_args()));
            }
            field = self.eat(Tok::Dot);
            if !(field || self.at(Tok::LBracket)) {
                return path;
            }
        }
    }

    /// `x.y.0`.
    pub(super) fn field_path(&mut self) -> Vec<Ident> {
        let mut path = Vec::new();
        loop {
            self.field(&mut path);
            // Behind a dot there may be an index, too.
            if !self.at(Tok::Dot) || self.nth(1) == Tok::LBracket {
                return path;
            }
            self.bump();
        }
    }

    /// One field name, or several where the lexer took `0.1` for a number.
    pub(super) fn field(&mut self, path: &mut Vec<Ident>) {
        if !self.at(Tok::Number) {
            path.push(self.ident(Wanted::FieldName));
            return;
        }
        let token = self.bump();
        let mut start = token.start;
        for part in self.slice(token).split('.') {
            let end = start + part.len() as u32;
            let span = Span::between(self.file, start, end);
            if !part.bytes().all(|b| b.is_ascii_digit()) {
                self.report(span, ErrorKind::Misplaced(Misplaced::FieldName));
            }
            path.push(Ident { name: part.into(), span });
            start = end + 1;
        }
    }

    fn range(&mut self, start: ExprId) -> ExprKind {
        let mut step = None;
        if self.eat(Tok::DotDot) {
            step = Some(self.exp2(RANGE + 1));
        }
        let kind = match self.tok() {
            Tok::DotDotLt => RangeKind::UpTo,
            Tok::DotDotGt => RangeKind::DownTo,
            Tok::DotDotDot => RangeKind::Through,
            _ => {
                self.complain(ErrorKind::RangeEnd { found: self.tok() });
                let end = self.missing_expr();
                return ExprKind::Range { start, step, kind: RangeKind::UpTo, end };
            }
        };
        self.bump();
        let end = self.exp2(RANGE + 1);
        if matches!(self.tok(), Tok::DotDot | Tok::DotDotLt | Tok::DotDotGt | Tok::DotDotDot) {
            self.complain(ErrorKind::Misplaced(Misplaced::LongRange));
        }
        ExprKind::Range { start, step, kind, end }
    }

    /// Everything but infix operators.
    fn prefix(&mut self) -> ExprId {
        let start = self.start();
        let kind = match self.tok() {
            Tok::Minus => return self.unary(UnaryOp::Neg),
            Tok::Bang => return self.unary(UnaryOp::Not),
            Tok::If => match self.choice_with_colons() {
                Some(error) => return error,
                None => self.if_(),
            },
            Tok::Let => return self.let_(),
            Tok::Loop => self.loop_(),
            Tok::Match => self.match_(),
            Tok::Backslash => self.lambda(),
            Tok::Assert => {
                self.bump();
                let cond = self.atom();
                ExprKind::Assert { cond, expr: self.atom() }
            }
            Tok::AttrOpen => {
                let attr = self.attr();
                let expr = self.exp();
                self.about_loops(attr, expr);
                ExprKind::Attr { attr, expr }
            }
            _ => return self.application(),
        };
        self.expr(kind, start)
    }

    /// Attributes of loops: at something else they have no effect, and elaboration wants to know how often a loop may run.
    pub(super) fn about_loops(&mut self, attr: Ident, expr: ExprId) {
        let expr = crate::ir::surface::view::strip(self.ast, expr);
        let kind = &self.ast.exprs[expr].kind;
        let (attribute, fits) = match attributes::read(attr.name.as_str()) {
            Ok(Attribute::Unroll) => (LoopAttribute::Unroll, matches!(kind, ExprKind::Loop { .. })),
            Ok(Attribute::Stripmine(_)) => (LoopAttribute::Stripmine, matches!(kind, ExprKind::Loop { .. })),
            Ok(Attribute::Bound(most)) => {
                let fits = matches!(kind, ExprKind::Loop { form: LoopForm::While(_), .. });
                if fits {
                    self.ast.bounds.insert(expr, most);
                }
                (LoopAttribute::Bound, fits)
            }
            Ok(
                Attribute::Unsafe
                | Attribute::Sequential(_)
                | Attribute::OnProcessors
                | Attribute::Inline
                | Attribute::NoInline
                | Attribute::Trace(_)
                | Attribute::Accepted,
            )
            | Err(_) => return,
        };
        if !fits && !matches!(self.ast.exprs[expr].kind, ExprKind::Error) {
            self.report(attr.span, ErrorKind::NoLoop(attribute));
        }
    }

    /// Prefix operators, any number.
    fn unary(&mut self, op: UnaryOp) -> ExprId {
        let token = self.bump();
        let op_span = Span::between(self.file, token.start, token.end);
        let expr = self.prefix();
        self.expr(ExprKind::Unary { op, op_span, expr }, token.start)
    }

    fn application(&mut self) -> ExprId {
        let fun = self.atom();
        let start = self.expr_start(fun);
        let mut args = Vec::new();
        loop {
            if self.at_argument() {
                args.push(self.atom());
            } else if self.at(Tok::Backslash) {
                // A lambda without parentheses takes everything that follows.
                let start = self.start();
                let lambda = self.lambda();
                args.push(self.expr(lambda, start));
                break;
            } else if let Some(error) = self.choice_behind() {
                args.push(error);
            } else if matches!(self.tok(), Tok::If | Tok::Loop | Tok::Match | Tok::Bang | Tok::Assert) {
                self.complain(ErrorKind::Misplaced(Misplaced::BareArgument(self.tok())));
                args.push(self.prefix());
            } else {
                break;
            }
        }
        if args.is_empty() {
            return fun;
        }
        let kind = match self.ast.exprs[fun].kind {
            ExprKind::Constr { name, .. } => ExprKind::Constr { name, args },
            _ => ExprKind::Apply { fun, args },
        };
        self.expr(kind, start)
    }

    /// Whether an argument of an application comes next.
    fn at_argument(&self) -> bool {
        match self.tok() {
            Tok::Ident => self.qualified_operator().is_none(),
            Tok::Number
            | Tok::Str
            | Tok::Char
            | Tok::LParen
            | Tok::LBracket
            | Tok::LBrace
            | Tok::Constr
            | Tok::True
            | Tok::False
            | Tok::Hole => true,
            _ => false,
        }
    }

    fn if_(&mut self) -> ExprKind {
        self.bump();
        let cond = self.exp();
        self.keyword(Tok::Then);
        let then = self.exp();
        self.keyword(Tok::Else);
        ExprKind::If { cond, then, els: self.exp() }
    }

    /// Consumes a keyword; where something else stands, skips to the keyword if it comes at all.
    fn keyword(&mut self, tok: Tok) {
        if self.eat(tok) {
            return;
        }
        self.expected_with(Wanted::Token(tok), self.meant_in_bracket().filter(|_| tok == Tok::Then));
        let from = self.pos;
        let ends = |t| matches!(t, Tok::Then | Tok::Else | Tok::In | Tok::Do | Tok::Case | Tok::Comma | Tok::Let);
        self.skip_until(|t| t == tok || ends(t));
        if !self.eat(tok) && self.pos > from {
            self.complained = Some(self.pos);
        }
    }

    fn match_(&mut self) -> ExprKind {
        self.bump();
        let scrutinee = self.exp();
        let mut cases = Vec::new();
        if !self.at(Tok::Case) {
            self.expected(Wanted::Token(Tok::Case));
        }
        while self.eat(Tok::Case) {
            let pat = self.case_pat();
            self.keyword(Tok::Arrow);
            cases.push((pat, self.exp()));
        }
        ExprKind::Match { scrutinee, cases }
    }

    fn lambda(&mut self) -> ExprKind {
        self.bump();
        let params = self.params();
        if params.is_empty() {
            self.expected(Wanted::Parameter);
        }
        let ret = self.eat(Tok::Colon).then(|| self.type_term());
        self.keyword(Tok::Arrow);
        ExprKind::Lambda { params, ret, body: self.exp() }
    }

    fn loop_(&mut self) -> ExprKind {
        self.bump();
        let sizes = self.size_binders();
        let pat = self.pattern();
        let init = if self.eat(Tok::Eq) { self.exp() } else { self.current_value(pat) };
        let form = self.loop_form();
        self.keyword(Tok::Do);
        ExprKind::Loop { sizes, pat, init, form, body: self.exp() }
    }

    fn loop_form(&mut self) -> LoopForm {
        if self.eat(Tok::While) {
            return LoopForm::While(self.exp());
        }
        if !self.eat(Tok::For) {
            self.expected(Wanted::ForOrWhile);
            return LoopForm::While(self.missing_expr());
        }
        if (self.at(Tok::Ident) || self.at(Tok::Under)) && self.nth(1) == Tok::Lt {
            let token = self.bump();
            let ident = self.ident_of(token);
            let var = self.name_pat(ident);
            self.bump();
            return LoopForm::For { var, bound: self.exp() };
        }
        let pat = self.pattern();
        if !self.at(Tok::In) {
            self.expected(Wanted::LessOrIn);
        }
        self.eat(Tok::In);
        LoopForm::ForIn { pat, array: self.exp() }
    }

    /// The expression that has the value of a loop pattern before the loop.
    fn current_value(&mut self, pat: PatId) -> ExprId {
        let span = self.ast.pats[pat].span;
        let kind = match self.ast.pats[pat].kind.clone() {
            PatKind::Name(name) => ExprKind::Name(name),
            PatKind::Paren(inner) => ExprKind::Paren(self.current_value(inner)),
            PatKind::Tuple(parts) => ExprKind::Tuple(parts.into_iter().map(|p| self.current_value(p)).collect()),
            PatKind::Record(fields) => ExprKind::Record(fields.into_iter().map(|(f, p)| (f, self.current_value(p))).collect()),
            PatKind::Ascribe(inner, _) => return self.current_value(inner),
            PatKind::Error => ExprKind::Error,
            PatKind::Wild | PatKind::Lit(_) | PatKind::Constr(..) => {
                self.report(span, ErrorKind::Misplaced(Misplaced::LoopWithoutStart));
                ExprKind::Error
            }
        };
        self.ast.exprs.alloc(crate::ir::surface::Expr { kind, span })
    }

    fn let_(&mut self) -> ExprId {
        let start = self.start();
        let let_span = self.span_here();
        self.bump();
        let indexed = self.nth(1) == Tok::LBracket && self.adjacent(1);
        let selected = self.nth(1) == Tok::Dot && matches!(self.nth(2), Tok::Ident | Tok::Number);
        if self.at(Tok::Ident) && (indexed || selected) {
            return self.let_update(start, let_span);
        }
        if let Some(name) = self.local_function_name() {
            return self.let_fun(start, let_span, name);
        }
        let sizes = self.size_binders();
        let pat = self.pattern();
        self.equals(false);
        let rhs = self.exp();
        let body = self.let_body(let_span);
        self.expr(ExprKind::Let { sizes, pat, rhs, body }, start)
    }

    /// The `=` of a binding; `typed` says that a result type stands before it.
    pub(super) fn equals(&mut self, typed: bool) {
        self.equals_behind(typed, None);
    }

    /// `equals`, where a colon in front of the result type may be one that begins a body in another language.
    pub(super) fn equals_behind(&mut self, typed: bool, colon: Option<Token>) {
        if self.eat(Tok::Eq) {
            return;
        }
        if let Some(colon) = colon
            && self.meant_for_equals(typed) == Some(Meant::Parameters)
        {
            let kind = ErrorKind::Expected { wanted: Wanted::Token(Tok::Eq), found: Tok::Colon, meant: Some(Meant::Parameters) };
            self.complain_at(Span::between(self.file, colon.start, colon.end), kind);
        }
        let meant = if self.at(Tok::Comma) { Some(Meant::TuplePattern) } else { self.meant_for_equals(typed) };
        self.expected_with(Wanted::Token(Tok::Eq), meant);
        self.skip_until(|t| matches!(t, Tok::Eq | Tok::In | Tok::Let));
        if !self.eat(Tok::Eq) {
            self.complained = Some(self.pos);
        }
    }

    /// The name of a local function, if one is defined here: a name with parameters after it.
    fn local_function_name(&mut self) -> Option<PatId> {
        let tokens = match self.tok() {
            Tok::Ident => 1,
            Tok::LParen if self.nth(1).is_operator() && self.nth(2) == Tok::RParen => 3,
            _ => return None,
        };
        let is_function = matches!(
            self.nth(tokens),
            Tok::Ident
                | Tok::LParen
                | Tok::LBrace
                | Tok::Under
                | Tok::Quote
                | Tok::LBracket
                | Tok::Number
                | Tok::Char
                | Tok::Constr
                | Tok::True
                | Tok::False
        );
        if !is_function {
            return None;
        }
        let ident = self.binding_name();
        Some(self.name_pat(ident))
    }

    fn let_fun(&mut self, start: u32, let_span: Span, binder: PatId) -> ExprId {
        let tparams: Vec<TypeParam> = self.type_params();
        let params = self.params();
        if params.is_empty() {
            self.expected(Wanted::Parameter);
        }
        let ret: Option<TypeId> = self.eat(Tok::Colon).then(|| self.type_exp());
        self.equals(ret.is_some());
        let rhs = self.exp();
        let body = self.let_body(let_span);
        self.expr(ExprKind::LetFun(Box::new(LetFun { binder, tparams, params, ret, rhs, body })), start)
    }

    /// `let a[i].x = v in e`, `let r.x[i] = v in e`.
    fn let_update(&mut self, start: u32, let_span: Span) -> ExprId {
        let token = self.bump();
        let ident = self.ident_of(token);
        let base = self.name_expr(ident);
        let binder = self.name_pat(ident);
        let field = self.eat(Tok::Dot);
        let path = self.update_path(!field);
        self.equals(false);
        let value = self.exp();
        let body = self.let_body(let_span);
        self.expr(ExprKind::LetUpdate { base, binder, path, value, body }, start)
    }

    /// `in e`, or another `let`.
    fn let_body(&mut self, let_span: Span) -> ExprId {
        let complete = matches!(self.tok(), Tok::In | Tok::Let);
        if !complete {
            let at = self.result_of_let(let_span.start).unwrap_or(self.pos);
            let found = self.tokens[at];
            let binding = found.tok == Tok::Ident && self.tokens.get(at + 1).is_some_and(|next| next.tok == Tok::Eq);
            let kind = ErrorKind::LetWithoutBody { found: found.tok, start: let_span, binding };
            self.complain_at(Span::between(self.file, found.start, found.end), kind);
            self.skip_until(|t| matches!(t, Tok::In | Tok::Let | Tok::Comma | Tok::Then | Tok::Else | Tok::Do | Tok::Case));
        }
        match self.tok() {
            Tok::In => {
                self.bump();
                self.exp()
            }
            // After an error, a `let` at the beginning of a line is taken for a declaration.
            Tok::Let if (complete && self.complained != Some(self.pos)) || !self.at_decl() => self.let_(),
            _ => {
                self.complained = Some(self.pos);
                self.missing_expr()
            }
        }
    }
}
