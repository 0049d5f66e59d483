//! The codes of what can be wrong with core written by hand. Its notation has the codes E018x, kinds and sorts have E0703 and E0704
//! ([`crate::ir::core::read`]).

/// `1 argument`, `2 arguments`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
