//! Finding what a name on the command line means, and saying what there is when it means nothing.

use crate::diag::Diagnostic;

/// A name that is not there: with the closest one, and the list of all.
pub fn unknown<'a>(code: &'static str, what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let known: Vec<&str> = known.collect();
    let mut diagnostic = Diagnostic::bare(code, format!("there is no {what} `{}`", name.escape_debug()));
    if let Some(close) = closest(name, &known) {
        diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
    }
    match known.as_slice() {
        [] => diagnostic.note(format!("the file has no {what}")),
        [one] => diagnostic.note(format!("the file has one: {one}")),
        _ => diagnostic.note(format!("the file has: {}", known.join(", "))),
    }
}

/// The known name that is most like `name`, if one is like it at all.
fn closest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let allowed = name.chars().count().div_ceil(3);
    known.iter().map(|k| (distance(name, k), *k)).filter(|(d, _)| *d <= allowed).min().map(|(_, k)| k)
}

/// Number of characters to insert, delete or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_close_names() {
        let diagnostic = unknown("E0611", "entry point", "mian", ["main", "other"].into_iter());
        assert_eq!(diagnostic.help, ["did you mean `main`?"]);
        assert_eq!(diagnostic.notes, ["the file has: main, other"]);
        assert_eq!(closest("xyz", &["main", "other"]), None);
        assert_eq!((distance("", "ab"), distance("kitten", "sitting"), distance("a", "a")), (2, 3, 0));
    }
}
