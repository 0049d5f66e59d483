//! Text that others chose, such as names of files and of cases, as it may be shown: a terminal obeys characters that nobody sees.

use std::borrow::Cow;

/// Characters that move the cursor, change colours, or turn the direction of what follows.
fn acts(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn without(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&acts) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if acts(c) { c.escape_default().to_string() } else { c.to_string() }).collect())
}

/// Text of several lines.
pub fn visible(text: &str) -> Cow<'_, str> {
    without(text, |c| acts(c) && c != '\n' && c != '\t')
}

/// A name, which is on one line.
pub fn visible_name(text: &str) -> Cow<'_, str> {
    without(text, acts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_shown() {
        assert_eq!(visible("a\tb\nλ"), "a\tb\nλ");
        assert_eq!(visible("\u{1b}[31m\r\n\u{202e}x\u{9b}"), "\\u{1b}[31m\\r\n\\u{202e}x\\u{9b}");
        assert_eq!(visible_name("a\nerror: b"), "a\\nerror: b");
    }
}
