//! How tightly the forms of expressions bind: shared by the parser and the printer.

use crate::ir::surface::{ExprKind, Operator};

/// A level of precedence: higher binds tighter.
pub type Level = u8;

/// `e : t`, `e :> t`, and everything that extends as far as possible to the right.
pub const ASCRIBE: Level = 0;
/// `a..b..<c`.
pub const RANGE: Level = 1;
/// `` a `f` b ``.
pub const BACKTICK: Level = 2;
/// `a with [i] = v`.
pub const WITH: Level = 4;
/// The value of a `with`.
pub const WITH_VALUE: Level = 6;
/// `a |> b`, the loosest operator made of symbols.
pub const PIPE: Level = 6;
/// `-a`, `!a`.
pub const UNARY: Level = 16;
/// `f a`.
pub const APPLY: Level = 17;
/// Names, literals, everything in brackets, `a.x`, `a[i]`.
pub const ATOM: Level = 18;

/// The built-in operators whose levels other operators inherit, longest first among those with a common start.
const OPERATORS: [(&str, Level); 26] = [
    ("|>", PIPE),
    ("<|", 7),
    ("||", 8),
    ("&&", 9),
    ("<=", 10),
    (">=", 10),
    ("==", 10),
    ("!=", 10),
    ("<<", 12),
    (">>", 12),
    ("//", 14),
    ("%%", 14),
    ("**", 15),
    ("<", 10),
    (">", 10),
    ("!", 10),
    ("=", 10),
    ("&", 11),
    ("^", 11),
    ("|", 11),
    ("+", 13),
    ("-", 13),
    ("*", 14),
    ("/", 14),
    ("%", 14),
    ("", BACKTICK),
];

/// The level of an operator made of symbols: that of the longest built-in operator it starts with.
pub fn operator_level(op: &str) -> Level {
    OPERATORS.iter().find(|(start, _)| op.starts_with(start)).map_or(BACKTICK, |(_, level)| *level)
}

/// Whether operators of this level group to the right.
pub fn groups_right(level: Level) -> bool {
    level == 7
}

/// Whether a name is an operator made of symbols.
pub fn is_symbolic(name: &str) -> bool {
    name.starts_with(|c: char| "+-*/%=!><|&^".contains(c))
}

/// The level of an infix operator as written.
pub fn of_operator(op: &Operator) -> Level {
    match op.backtick {
        Some(_) if !is_symbolic(op.ident.name.as_str()) => BACKTICK,
        _ => operator_level(op.ident.name.as_str()),
    }
}

/// The level of an expression: the largest at which it needs no parentheses.
pub fn of_expr(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::Binary { op, .. } => of_operator(op),
        ExprKind::Range { .. } => RANGE,
        ExprKind::With { .. } => WITH,
        ExprKind::Unary { .. } => UNARY,
        ExprKind::Apply { .. } | ExprKind::Assert { .. } => APPLY,
        ExprKind::Constr { args, .. } if !args.is_empty() => APPLY,
        ExprKind::Lambda { .. }
        | ExprKind::Let { .. }
        | ExprKind::LetFun(_)
        | ExprKind::LetUpdate { .. }
        | ExprKind::If { .. }
        | ExprKind::Match { .. }
        | ExprKind::Loop { .. }
        | ExprKind::Ascribe { .. }
        | ExprKind::Coerce { .. }
        | ExprKind::Attr { .. } => ASCRIBE,
        _ => ATOM,
    }
}
