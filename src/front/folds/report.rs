//! What folds take for granted, in words.

use super::error::{Assumption, Error};
use crate::base::Code;
use crate::diag::Diagnostic;

impl Error {
    /// The warning in words.
    pub fn report(&self) -> Diagnostic {
        let fold = self.fold;
        let [one, other] = &self.results;
        let of = match self.of.split_last() {
            Some((last, first)) => format!("{} and {last}", first.join(", ")),
            None => String::new(),
        };
        let (code, message, here) = match self.assumption {
            Assumption::Associative => (
                Code::NotAssociative,
                format!("`{fold}` takes an associative operator, and this one is not"),
                format!("makes {one} of {of} from the left, and {other} from the right"),
            ),
            Assumption::Commutative => (
                Code::NotAssociative,
                format!("`{fold}` takes a commutative operator, and this one is not"),
                format!("makes {one} of {of}, and {other} in the other order"),
            ),
            Assumption::Neutral => (
                Code::NotNeutral,
                format!("`{fold}` starts each group of elements from this, which is not neutral for the operator"),
                format!("of {of} come {one} in one group, and {other} in two"),
            ),
            Assumption::Leaves => (
                Code::NotNeutral,
                format!("`{fold}` starts from this, and whatever the operator combines with it comes out as the same"),
                format!("the result is always {one}"),
            ),
        };
        let report = Diagnostic::error(code, self.at, message).warning().here(here);
        let report = match self.given.as_slice() {
            [] => report,
            given => {
                let given: Vec<String> = given.iter().map(|(name, value)| format!("`{name}` is {value}")).collect();
                report.note(format!("for example where {}", given.join(" and ")))
            }
        };
        if self.assumption == Assumption::Leaves {
            return report.help("start from the neutral element, such as 0 for `+`, 1 for `*`, `f64.inf` for `f64.min`");
        }
        let report = report.note("elements are combined in groups, several at once, and then the results of the groups");
        match self.assumption {
            Assumption::Neutral | Assumption::Leaves => {
                report.help("start from the neutral element, 0 for `+` or 1 for `*`, and combine the other value with the result")
            }
            Assumption::Associative | Assumption::Commutative => {
                let report = report.help("to go from the first to the last write a loop, `loop r = e for x in xs do ..`");
                match self.fold.as_str() {
                    "scan" => report
                        .help("a recurrence `r = a * r + x` is a scan of pairs, `scan (\\(a, x) (b, y) -> (a * b, b * x + y)) (1, 0)`"),
                    _ => report,
                }
            }
        }
    }
}
