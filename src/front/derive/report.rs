//! What has no derivative, in words.

use super::error::{Error, ErrorKind, Part};
use crate::base::Code;
use crate::diag::Diagnostic;
use crate::front::elaborate::show_type;

impl Error {
    /// Whether it is a gradient of an array: another reading of the program may take that of a number.
    pub fn is_about_shape(&self) -> bool {
        self.fault == ErrorKind::NoFloat && !self.ty.shape().is_scalar()
    }
    /// The error in words, where `operator` is the function that differentiates.
    pub fn report(&self, operator: &str) -> Diagnostic {
        let ty = show_type(&self.ty);
        let (what, verb) = match self.part {
            Part::Argument => ("argument", "takes"),
            Part::Result => ("result", "returns"),
        };
        let error = |code: Code, why: &str| {
            let message = format!("`{operator}` cannot differentiate a function whose {what} {why}");
            Diagnostic::error(code, self.at, message).here(format!("the differentiated function {verb} `{ty}`"))
        };
        match self.fault {
            ErrorKind::Functions => {
                let diagnostic = error(Code::DerivativeOfFunctions, "has functions in it");
                diagnostic.note("functions have neither tangents nor adjoints").help(match self.part {
                    Part::Argument => "let the differentiated function use the other function, as a constant, and take only numbers",
                    Part::Result => "apply the resulting function to something inside of the differentiated one, and return numbers",
                })
            }
            ErrorKind::Sums => {
                let diagnostic = error(Code::DerivativeOfSums, "is or has in it a sum of several constructors");
                diagnostic.note("which constructor it is does not change continuously: there is no derivative between two of them").help(
                    match self.part {
                        Part::Argument => "use `match` outside, and differentiate a function of the numbers in each case",
                        Part::Result => "use `match` inside of the differentiated function, and return numbers",
                    },
                )
            }
            ErrorKind::HiddenSizes => {
                let diagnostic = error(Code::DerivativeOfHiddenSizes, "hides a size");
                diagnostic.note("seeds and derivatives have the sizes of what they belong to, and this one is known at run time only").help(
                    match self.part {
                        Part::Argument => "name the size of the argument outside, and differentiate a function of an array of that size",
                        Part::Result => "check the size, as in `e :> [n]t`, or reduce the array to what has a size inside of the differentiated function",
                    },
                )
            }
            ErrorKind::NoFloat => {
                let message = format!("`{operator}` needs a function that returns a single float");
                let diagnostic = Diagnostic::error(Code::GradientOfNoFloat, self.at, message);
                diagnostic
                    .here(format!("the differentiated function returns `{ty}`"))
                    .note("a gradient is the derivative of one number by each part of the argument")
                    .help("return one float, or use `vjp f x` with an adjoint of the whole result, or `jvp f x` with a tangent")
            }
        }
    }
}
