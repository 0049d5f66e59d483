//! Names, literals, bracketed forms, projections and indexing.

use super::Parser;
use crate::base::{Span, Symbol};
use crate::front::syntax::error::{ErrorKind, Meant, Misplaced, Wanted};
use crate::front::syntax::lexer::{Tok, Token};
use crate::front::syntax::literal::{self, LiteralError, Number};
use crate::front::syntax::precedence::{self, RANGE};
use crate::ir::surface::{ExprId, ExprKind, Ident, IndexArg, UnaryOp, section_operand};

impl Parser<'_> {
    /// An expression that needs no parentheses anywhere.
    pub(super) fn atom(&mut self) -> ExprId {
        let mut expr = self.primary();
        loop {
            let start = self.expr_start(expr);
            match self.tok() {
                Tok::Dot if self.nth(1) == Tok::LParen => expr = self.local_open(expr),
                // `(i32.+)` and `x i32.+ y` are read where operators are.
                Tok::Dot if self.nth(1).is_operator() => return expr,
                Tok::Dot => {
                    self.bump();
                    let mut path = Vec::new();
                    self.field(&mut path);
                    expr = self.projections(expr, path, start);
                }
                Tok::LBracket if self.adjacent(0) => {
                    let indices = self.index_args();
                    expr = self.expr(ExprKind::Index { array: expr, indices }, start);
                }
                _ => return expr,
            }
        }
    }

    fn primary(&mut self) -> ExprId {
        let start = self.start();
        let kind = match self.tok() {
            Tok::Ident => {
                let token = self.bump();
                ExprKind::Name(Symbol::new(self.slice(token)))
            }
            Tok::Number => {
                let token = self.bump();
                self.number(token)
            }
            Tok::Char => {
                let token = self.bump();
                match literal::character(self.slice(token)) {
                    Ok(value) => ExprKind::Int { value, suffix: None },
                    Err(error) => self.bad_literal(token, error),
                }
            }
            Tok::Str => {
                let token = self.bump();
                match literal::string(self.slice(token)) {
                    Ok(text) => ExprKind::Str(Symbol::new(&text)),
                    Err(error) => self.bad_literal(token, error),
                }
            }
            Tok::True | Tok::False => ExprKind::Bool(self.bump().tok == Tok::True),
            Tok::Hole => {
                self.bump();
                ExprKind::Hole
            }
            Tok::Constr => ExprKind::Constr { name: self.constr_name(), args: Vec::new() },
            Tok::LParen => return self.paren(),
            Tok::LBracket => {
                let opening = self.open();
                let mut items = Vec::new();
                self.comma_list(opening, &mut items, Self::exp);
                self.close(opening, Wanted::Token(Tok::Comma));
                ExprKind::Array(items)
            }
            Tok::LBrace => {
                let opening = self.open();
                let mut fields = Vec::new();
                self.comma_list(opening, &mut fields, Self::record_field);
                self.close(opening, Wanted::Token(Tok::Comma));
                tuple_fields(fields).map_or_else(ExprKind::Record, ExprKind::Tuple)
            }
            _ => return self.no_expression(),
        };
        self.expr(kind, start)
    }

    /// Complains that an expression is missing.
    fn no_expression(&mut self) -> ExprId {
        if self.at(Tok::UnclosedStr) {
            self.expected(Wanted::Expression);
            let start = self.start();
            self.bump();
            return self.expr(ExprKind::Error, start);
        }
        let meant = match self.tok() {
            Tok::Under => Some(Meant::Hole),
            Tok::Quote => Some(Meant::Character),
            _ => None,
        };
        if meant.is_some() {
            self.expected_with(Wanted::Expression, meant);
            let start = self.start();
            self.bump();
            return self.expr(ExprKind::Error, start);
        }
        if let Some(error) = self.foreign_loop() {
            return error;
        }
        self.expected(Wanted::Expression);
        let start = self.start();
        if self.tok().is_operator() {
            // An operator without its left operand: what follows may be its right one.
            self.bump();
        }
        let error = self.missing_expr();
        self.ast.exprs[error].span.start = start;
        error
    }

    /// The value of a number token.
    pub(super) fn number(&mut self, token: Token) -> ExprKind {
        let text = self.slice(token);
        let negated = self.pos.checked_sub(2).is_some_and(|before| self.tokens[before].tok == Tok::Minus);
        let number = match self.wraps.then(|| literal::wrapped(text, negated)).flatten() {
            Some(number) => {
                let becomes = match &number {
                    Number::Negative { value, .. } => -i128::from(*value),
                    Number::Int { value, .. } => i128::from(*value),
                    Number::Float { .. } | Number::Imaginary { .. } => {
                        crate::ice!(Span::between(self.file, token.start, token.end), "a literal that is no integer wraps around")
                    }
                };
                self.report(Span::between(self.file, token.start, token.end), ErrorKind::Wrapped { becomes });
                Ok(number)
            }
            None => literal::number(text),
        };
        match number {
            Ok(Number::Int { value, suffix }) => ExprKind::Int { value, suffix },
            Ok(Number::Negative { value, prim }) => {
                let expr = self.expr(ExprKind::Int { value, suffix: Some(prim) }, token.start);
                let op_span = Span::between(self.file, token.start, token.start);
                ExprKind::Paren(self.expr(ExprKind::Unary { op: UnaryOp::Neg, op_span, expr }, token.start))
            }
            Ok(Number::Float { value, odd, suffix }) => ExprKind::Float { value, odd, suffix },
            Ok(Number::Imaginary { value, odd, suffix }) => ExprKind::Imaginary { value, odd, suffix },
            Err(error) => self.bad_literal(token, error),
        }
    }

    pub(super) fn bad_literal(&mut self, token: Token, error: LiteralError) -> ExprKind {
        self.report(Span::between(self.file, token.start, token.end), ErrorKind::Literal(error));
        ExprKind::Error
    }

    /// `#c`, the name without the mark.
    pub(super) fn constr_name(&mut self) -> Ident {
        let token = self.bump();
        Ident { name: Symbol::new(&self.slice(token)[1..]), span: Span::between(self.file, token.start, token.end) }
    }

    fn record_field(&mut self) -> (Ident, ExprId) {
        let field = if self.at(Tok::Number) && self.nth(1) == Tok::Eq {
            let token = self.bump();
            self.ident_of(token)
        } else {
            self.ident(Wanted::FieldName)
        };
        if self.eat(Tok::Eq) {
            return (field, self.exp());
        }
        (field, self.name_expr(field))
    }

    /// Everything that starts with `(`.
    pub(super) fn paren(&mut self) -> ExprId {
        let start = self.start();
        let opening = self.open();
        let kind = match self.tok() {
            Tok::RParen => ExprKind::Tuple(Vec::new()),
            Tok::Dot => self.projection_section(),
            Tok::Minus if self.nth(1) != Tok::RParen => self.paren_exp(opening),
            Tok::Bang if self.nth(1) == Tok::RParen => {
                let span = self.span_here();
                self.bump();
                self.report(span, ErrorKind::Misplaced(Misplaced::SectionOfNot));
                ExprKind::Error
            }
            _ => match self.infix_ahead() {
                Some(_) => self.operator_section(),
                None => self.paren_exp(opening),
            },
        };
        self.close(opening, Wanted::OperatorOrComma);
        self.expr(kind, start)
    }

    /// `(e)`, `(e, e)`, `(e op)` after the bracket.
    fn paren_exp(&mut self, opening: super::Opening) -> ExprKind {
        let first = self.exp();
        if self.at(Tok::Comma) {
            let comma = self.span_here();
            self.bump();
            let mut items = vec![first];
            self.comma_list(opening, &mut items, Self::exp);
            if items.len() == 1 {
                self.report(comma, ErrorKind::Misplaced(Misplaced::OneComponentTuple));
                return ExprKind::Paren(first);
            }
            return ExprKind::Tuple(items);
        }
        match self.infix_ahead() {
            Some((_, tokens)) if self.nth(tokens) == Tok::RParen => {
                let op = self.operator();
                self.check_left_section(first, &op);
                ExprKind::LeftSection { lhs: first, op }
            }
            _ => ExprKind::Paren(first),
        }
    }

    /// In `(a + b *)` the operand of `*` would be `b`: refused.
    fn check_left_section(&mut self, lhs: ExprId, op: &crate::ir::surface::Operator) {
        let level = precedence::of_operator(op);
        let binds = precedence::of_expr(&self.ast.exprs[lhs].kind);
        let right = precedence::groups_right(level);
        if binds < level || (right && binds == level) {
            let operand = self.ast.exprs[lhs].span;
            self.report(op.ident.span, ErrorKind::Misplaced(Misplaced::LooseOperand { section: op.ident.name, operand }));
        }
    }

    /// `(op)` and `(op e)` after the bracket.
    fn operator_section(&mut self) -> ExprKind {
        let op = self.operator();
        if self.at(Tok::RParen) {
            return match op.backtick {
                Some(function) => ExprKind::Paren(function),
                None => ExprKind::OpFn(op.ident),
            };
        }
        ExprKind::RightSection { op, rhs: self.exp2(RANGE) }
    }

    /// `(.x.y)`, `(.[i])`, `(.[i].x[j])` and `(.[i].x.[j])` after the bracket.
    fn projection_section(&mut self) -> ExprKind {
        let at = self.start();
        self.bump();
        let path = match self.at(Tok::LBracket) {
            true => SectionPath::Indices(self.index_args()),
            false => SectionPath::Fields(self.field_path()),
        };
        if !matches!(self.tok(), Tok::Dot | Tok::LBracket) {
            return match path {
                SectionPath::Indices(indices) => ExprKind::IndexSection(indices),
                SectionPath::Fields(path) => ExprKind::ProjectSection(path),
            };
        }
        self.path_section(at, path)
    }

    /// Fields and indices one after the other: the parser writes out `\x -> x[i].y`. The operand has no name that can be written, and no text.
    fn path_section(&mut self, at: u32, first: SectionPath) -> ExprKind {
        let start = at;
        // With a name in front of them, indices follow without a dot.
        let at = if matches!(first, SectionPath::Indices(_)) { at + 1 } else { at };
        let place = Span::between(self.file, at, at);
        let ident = Ident { name: section_operand(), span: place };
        let param = self.name_pat(ident);
        let mut body = self.name_expr(ident);
        match first {
            SectionPath::Indices(indices) => body = self.expr(ExprKind::Index { array: body, indices }, at),
            SectionPath::Fields(path) => body = self.projections(body, path, at),
        }
        loop {
            match self.tok() {
                Tok::LBracket => {
                    let indices = self.index_args();
                    body = self.expr(ExprKind::Index { array: body, indices }, at);
                }
                Tok::Dot => {
                    self.bump();
                    if self.at(Tok::LBracket) {
                        continue;
                    }
                    let mut path = Vec::new();
                    self.field(&mut path);
                    body = self.projections(body, path, at);
                }
                _ => return ExprKind::Paren(self.expr(ExprKind::Lambda { params: vec![param], ret: None, body }, start)),
            }
        }
    }

    /// `e.x.y`, where `e` begins at `start`.
    fn projections(&mut self, mut expr: ExprId, path: Vec<Ident>, start: u32) -> ExprId {
        for field in path {
            let span = Span::between(self.file, start, field.span.end.max(start));
            expr = self.ast.exprs.alloc(crate::ir::surface::Expr { kind: ExprKind::Project { expr, field }, span });
        }
        expr
    }

    /// `[i, j:k:s]`.
    pub(super) fn index_args(&mut self) -> Vec<IndexArg> {
        let opening = self.open();
        let mut args = Vec::new();
        self.comma_list(opening, &mut args, Self::index_arg);
        if args.is_empty() {
            self.expected(if self.at(Tok::RBracket) { Wanted::Index } else { Wanted::IndexOrBracket });
        }
        self.close(opening, Wanted::CommaOrColon);
        args
    }

    fn index_arg(&mut self) -> IndexArg {
        let from = self.start();
        let bound = |parser: &mut Self| match parser.tok() {
            Tok::Colon | Tok::Comma | Tok::RBracket => None,
            _ => Some(parser.exp2(RANGE)),
        };
        let start = bound(self);
        if !self.at(Tok::Colon) {
            return IndexArg::Index(start.unwrap_or_else(|| {
                self.expected(Wanted::Index);
                self.missing_expr()
            }));
        }
        self.bump();
        let end = bound(self);
        let step = if self.eat(Tok::Colon) { bound(self) } else { None };
        IndexArg::Slice { start, end, step, span: self.span_from(from) }
    }
}

/// How a section of fields and indices begins.
enum SectionPath {
    Indices(Vec<IndexArg>),
    Fields(Vec<Ident>),
}

/// The components of a record whose fields are numbered from 0: such a record is a tuple. Other fields are given back.
pub(super) fn tuple_fields<T>(fields: Vec<(Ident, T)>) -> Result<Vec<T>, Vec<(Ident, T)>> {
    let position = |name: Symbol| name.as_str().parse::<usize>().ok().filter(|at| *at < fields.len() && at.to_string() == name.as_str());
    let positions: Option<Vec<usize>> = fields.iter().map(|(field, _)| position(field.name)).collect();
    let all = |at: &Vec<usize>| (0..fields.len()).all(|i| at.contains(&i));
    match positions.filter(|at| at.len() != 1 && at.len() <= MOST_NUMBERED && all(at)) {
        Some(at) => {
            let mut parts: Vec<(usize, T)> = at.into_iter().zip(fields.into_iter().map(|(_, part)| part)).collect();
            parts.sort_by_key(|(at, _)| *at);
            Ok(parts.into_iter().map(|(_, part)| part).collect())
        }
        None => Err(fields),
    }
}

/// Most numbered fields that are looked at as a tuple.
const MOST_NUMBERED: usize = 256;
