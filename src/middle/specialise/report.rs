//! Limits of the specialiser in words.

use super::error::{Error, Limit};
use crate::base::Code;
use crate::diag::Diagnostic;

/// A limit in words, with how the program can be written instead where there is a way.
pub(super) fn report(error: &Error) -> Diagnostic {
    use Limit as L;
    let message = match error.limit {
        L::TooLarge => "the program is too large when its functions are inlined".to_string(),
        L::Polymorphic(entry) => format!("`{entry}` is polymorphic: it cannot be run on data"),
        L::AnyRank(entry) => format!("`{entry}` takes arrays of any rank: it cannot be run on data"),
        L::FunctionArgument { entry, number } => format!("argument {number} of `{entry}` is no data"),
        L::FunctionResult => "a function is returned to the outside".into(),
        L::LiftedResult => "an array of functions, or of boxes of different sizes, is returned to the outside".into(),
        L::UnknownFunction => "a function whose code is not known here is not compiled".into(),
        L::FunctionAsData => "a function is used as data here".into(),
        L::LiftedAsData => "an array of functions, or of boxes of different sizes, is used as data here".into(),
        L::FunctionsInArrays => "this operation on functions in arrays is not compiled yet".into(),
        L::NoFunctions => "an empty array of functions is not compiled".into(),
        L::ComparedFunctions => "functions cannot be compared".into(),
        L::FunctionsOfSize => "checking the sizes of this array of functions is not compiled".into(),
        L::EndlessFunctions => "a loop that makes a new function of that of the iteration before is not compiled".into(),
        L::RecursionOverFunctions => {
            "a recursive function that takes or returns functions in tuples, arrays or results is not compiled".into()
        }
        L::EndlessInstances => "a recursive function that calls itself with a new function each time is not compiled".into(),
        L::MutualRecursion => "functions that call each other, by way of a function that one of them is given, are not compiled".into(),
        L::DerivativeOfRecursion => "the derivative of a recursive function is not compiled".into(),
        L::LateRows => "the rows of this array of functions or boxes are computed where they are used".into(),
        L::HiddenSize(name) => format!("the size `{name}` is known inside of the program only"),
        L::HiddenShape(name) => format!("the shape `{name}` is known inside of the program only"),
        L::HiddenType(name) => format!("the type `{name}` is known inside of the program only"),
        L::UnknownRank => "an array whose rank is known only at run time is not compiled".into(),
        L::Boxes => "an array of boxes (arrays of different sizes) is not compiled yet".into(),
        L::BoxesFromOutside => "the cells of this map hold arrays of different sizes that come from outside of it".into(),
        L::BoxOfBranch => "a branch returns an array of a size of its own".into(),
        L::Hollow => "checking the size of an array of empty tuples or records is not compiled here".into(),
        L::HollowOperator => "an operator that combines empty tuples or records, and may fail, is not compiled".into(),
        L::DerivativeOfHiddenSizes => "the function that is differentiated returns an array whose size is known inside of it only".into(),
        L::DerivativeOfRows => "the function that is differentiated makes a ragged array".into(),
        L::GradientOfNoFloat => "a gradient is that of a function that returns one float".into(),
        L::AdjointOfGrowingLoop => "the reverse of a loop whose arrays change their size is not compiled".into(),
        L::Primitive(prim) => format!("the primitive `{}` is not compiled yet", prim.name()),
    };
    let instead = [
        (L::LiftedAsData, "make arrays of one size of it before: sums, sizes, or one array after the other"),
        (L::FunctionsOfSize, "give the sizes where the array is made"),
        (L::EndlessInstances, "pass the data that the function is made of instead, and make the function where it is applied"),
        (L::DerivativeOfRecursion, "write the function as a loop"),
        (L::EndlessFunctions, "carry the data that the function is made of instead, and make the function where it is applied"),
    ];
    // The evaluator does not hand such results out either.
    let outside = [
        (L::FunctionResult, "return data: apply the function, to further parameters of the entry point if it needs some"),
        (L::LiftedResult, "return data: apply the functions, or make arrays of one size: sums, sizes, or one array after the other"),
    ];
    if let Some((_, outside)) = outside.into_iter().find(|(limit, _)| *limit == error.limit) {
        return Diagnostic::error(Code::NotCompiled, error.at, message).help(outside);
    }
    let help = match instead.into_iter().find(|(limit, _)| *limit == error.limit) {
        Some((_, instead)) => format!("{instead}; or run it with `--backend interp`"),
        None => "`--backend interp` runs this program".into(),
    };
    Diagnostic::error(Code::NotCompiled, error.at, message).help(help)
}
