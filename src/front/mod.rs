//! From text to explicit core: everything that can be wrong with a program is found here.
//!
//! ```text
//! .rem, .fut: syntax -> resolve -> infer (with crate::rank) -> ambiguity -> elaborate -> core
//! .remc:      syntax -> remc                                                          -> core
//! .apl:       apl                                                                     -> core
//! ```
//! [`consume`] looks for uses of what was consumed, [`mod@derive`] for what has no derivative, [`folds`] for operators that are not associative; [`explicit`] writes the insertions back into source text.

// The families of an `ErrorKind`, each made of the errors of one type. In sight of all modules below.
macro_rules! families {
    ($($family:ident($error:ty)),*) => {
        $(impl From<$error> for ErrorKind {
            fn from(error: $error) -> ErrorKind {
                ErrorKind::$family(error)
            }
        })*
    };
}

pub mod ambiguity;
pub mod apl;
pub mod consume;
pub mod derive;
pub mod elaborate;
pub mod explicit;
pub mod folds;
pub mod format;
pub mod infer;
pub mod remc;
pub mod resolve;
pub mod syntax;
#[cfg(test)]
mod tests;
