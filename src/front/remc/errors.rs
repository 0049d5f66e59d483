//! The codes of what can be wrong with core written by hand. Its notation has the codes E018x, kinds and sorts have E0703 and E0704
//! ([`crate::ir::core::read`]).

/// A name that means nothing here.
pub const E_NAME: &str = "E0701";
/// Definitions: one name twice, a file that is no program, a library that is not there.
pub const E_PROGRAM: &str = "E0702";
/// A literal with another number of items than its shape says.
pub const E_COUNT: &str = "E0705";
/// Two types that should be equal are not.
pub const E_TYPE: &str = "E0706";
/// Frames of which neither is a prefix of the other.
pub const E_FRAMES: &str = "E0707";
/// An argument that consists of no cells of the parameter's type.
pub const E_ARGUMENT: &str = "E0708";
/// Something is applied that is no function, or to too many arguments.
pub const E_FUNCTION: &str = "E0709";
/// Type or index arguments that were left out and do not follow from the others.
pub const E_MISSING: &str = "E0710";
/// Type or index arguments that do not fit what they are given to.
pub const E_INSTANCE: &str = "E0711";
/// A type that mentions a variable outside of its scope.
pub const E_LEAK: &str = "E0712";
/// The body of a type or index abstraction is not a value.
pub const E_VALUE: &str = "E0713";
/// A box is expected, or other hidden indices.
pub const E_BOX: &str = "E0714";
/// A size in a type is the value of an argument that is not known.
pub const E_OPAQUE: &str = "E0715";
/// A reshape for which it is not certain that the numbers of elements agree.
pub const E_RESHAPE: &str = "E0716";
/// A size that is too large to write out.
pub const E_LARGE: &str = "E0717";

/// `1 argument`, `2 arguments`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
