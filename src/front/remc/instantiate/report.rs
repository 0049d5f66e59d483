//! Why there is no answer, in words.

use super::{MAX_STEPS, Reason, Unsolved, Why};
use crate::ir::core::subst::Replacement;
use crate::ir::core::{Type, print};
use std::fmt;

/// What an unknown stands for, as text.
pub fn shown(value: &Replacement) -> String {
    match value {
        Replacement::Dim(dim) => print::dim(dim),
        Replacement::Shape(shape) => print::shape(shape),
        Replacement::Atom(atom) => print::atom(atom),
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Types { expected, found } => write!(f, "expected {}, found {}", print::type_brief(expected), print::type_brief(found)),
            Reason::Elements { expected, found } => {
                let (expected, found) = (Type::scalar(expected.clone()), Type::scalar(found.clone()));
                write!(f, "expected elements of type {}, found {}", print::type_brief(&expected), print::type_brief(&found))
            }
            Reason::Binders(a, b) => write!(f, "{} and {} bind different variables", print::type_brief(a), print::type_brief(b)),
            Reason::Infinite(name) => write!(f, "`{name}` would have to contain itself"),
            Reason::Bound { name, bound } => write!(f, "`{name}` would have to mention `{bound}`, which is bound inside of a type"),
            Reason::Shapes { expected, found } => write!(f, "the shape {} cannot be {}", print::shape(expected), print::shape(found)),
            Reason::NoCells { array, cell } => {
                write!(f, "an array of shape {} has no cells of shape {}", print::shape(array), print::shape(cell))
            }
            Reason::Sizes { expected, found, why } => {
                write!(f, "the size {} cannot be {}", print::dim(expected), print::dim(found))?;
                match why {
                    Why::Different => Ok(()),
                    Why::NoNaturals => f.write_str(" for any natural numbers"),
                    Why::Multiple { name, factor, of } => write!(f, ": {factor} times `{name}` would be {}", print::dim(of)),
                    Why::Bound { name, bound } => {
                        write!(f, ": `{name}` would have to mention `{bound}`, which is bound inside of a type")
                    }
                    Why::Negative { name, value } => {
                        let may = if value.as_constant().is_some() { "" } else { ", which may be negative" };
                        write!(f, ": `{name}` would be {}{may}", print::dim(value))
                    }
                }
            }
            Reason::TooLarge => f.write_str("a size in this type is too large to write out"),
        }
    }
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsolved::Contradiction { reason, .. } => write!(f, "{reason}"),
            Unsolved::Undetermined { unknowns, candidates } => {
                let names: Vec<String> = unknowns.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "the arguments do not say what {} {}", names.join(", "), if names.len() == 1 { "is" } else { "are" })?;
                let shown = candidates.iter().filter_map(|candidate| {
                    let parts = unknowns.iter().filter_map(|name| Some(format!("{name} = {}", shown(&candidate.value(*name)?))));
                    let parts = parts.collect::<Vec<_>>().join(", ");
                    (!parts.is_empty()).then_some(parts)
                });
                let shown: Vec<String> = shown.collect();
                if shown.len() > 1 { write!(f, ": {}", shown.join(" or ")) } else { Ok(()) }
            }
            Unsolved::TooManyChoices { .. } => write!(f, "more than {MAX_STEPS} ways to split the shapes were tried"),
        }
    }
}
