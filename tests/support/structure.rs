//! What a program consists of.

use remora::ir::core::Program;

/// All that a program consists of but spans, as text that does not come from the printer.
pub fn structure(program: &Program) -> String {
    let text = format!("{program:?}");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("span: Span {") {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('}').unwrap();
        rest = &rest[at + end + 1..];
    }
    out + rest
}
