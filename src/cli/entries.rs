//! Finding what a name on the command line means, and saying what there is when it means nothing.

use crate::base::Code;
use crate::diag::Diagnostic;
use crate::front::resolve::closest;

/// A name that is not there: with the closest one, and the list of all.
pub fn unknown<'a>(code: Code, what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let known: Vec<&str> = known.collect();
    let mut diagnostic = Diagnostic::bare(code, format!("there is no {what} `{}`", name.escape_debug()));
    if let Some(close) = closest(name, known.iter().copied()) {
        diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
    }
    match known.as_slice() {
        [] => diagnostic.note(format!("the file has no {what}")),
        [one] => diagnostic.note(format!("the file has one: {one}")),
        _ => diagnostic.note(format!("the file has: {}", known.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_close_names() {
        let diagnostic = unknown(Code::UnknownDefinition, "entry point", "mian", ["main", "other"].into_iter());
        assert_eq!(diagnostic.help, ["did you mean `main`?"]);
        assert_eq!(diagnostic.notes, ["the file has: main, other"]);
    }
}
