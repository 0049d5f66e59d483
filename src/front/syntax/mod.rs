//! The surface language as text: tokens, a parser that recovers from errors, a printer.

mod error;
pub mod lexer;
pub mod literal;
mod parser;
pub mod precedence;
pub mod print;
mod report;
pub mod validate;

use crate::base::FileId;
use crate::diag::Diagnostic;
use crate::ir::surface::{Ast, ExprId, SourceUnit};

/// Parses a file. Always yields a tree; what could not be understood is an error node with a diagnostic beside it.
///
/// Recurses as deeply as the source nests: call it under [`with_big_stack`](crate::base::with_big_stack) for sources of users.
pub fn parse(ast: &mut Ast, file: FileId, text: &str) -> (SourceUnit, Vec<Diagnostic>) {
    parser::Parser::new(ast, file, text, false).file()
}

/// Parses a file in the language of `.fut` files: numbers that do not fit into their types wrap around, with a warning, and `==` and `!=` may
/// compare whole arrays.
pub fn parse_futhark(ast: &mut Ast, file: FileId, text: &str) -> (SourceUnit, Vec<Diagnostic>) {
    ast.futhark.push(file);
    parser::Parser::new(ast, file, text, true).file()
}

/// Parses a text that is one expression.
pub fn parse_expr(ast: &mut Ast, file: FileId, text: &str) -> (ExprId, Vec<Diagnostic>) {
    parser::Parser::new(ast, file, text, false).only_expr()
}
