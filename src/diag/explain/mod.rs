//! The long explanations of diagnostics, one Markdown file per family of codes.
//!
//! A section `## E0402 Title` explains a code. Its examples are code blocks marked `remora wrong` (checking it gives this
//! code), `remora wrong run` (running its `main` gives this code) or `remora right` (accepted); tests hold them to it. With `core` or `apl`
//! at the end of the mark the example is core or APL.

use crate::base::Code;
/// The families in order of their codes.
const FAMILIES: [&str; 12] = [
    include_str!("syntax.md"),
    include_str!("names.md"),
    include_str!("types.md"),
    include_str!("ranks_and_sizes.md"),
    include_str!("running.md"),
    include_str!("data.md"),
    include_str!("updates.md"),
    include_str!("core.md"),
    include_str!("compiling.md"),
    include_str!("internal.md"),
    include_str!("derivatives.md"),
    include_str!("apl.md"),
];

/// The explanation of a code.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// What it is about, in a few words.
    pub title: &'static str,
    /// The explanation in Markdown, without the heading.
    pub text: &'static str,
}

/// What an example of an explanation shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Refused with the code.
    Wrong,
    /// Accepted; fails with the code when `main` is run.
    WrongRun,
    /// Accepted, but not compiled.
    WrongCompile,
    /// Accepted.
    Right,
}

/// A program in an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// What it shows.
    pub role: Role,
    /// How names of files end that hold such programs.
    pub ending: &'static str,
    /// The program.
    pub source: &'static str,
}

/// All explanations in order of their codes.
pub fn all() -> Vec<Explanation> {
    FAMILIES.iter().flat_map(|family| family.split("\n## ").skip(1)).filter_map(section).collect()
}

/// The explanation of a code. Each has one.
pub fn explanation(code: Code) -> Option<Explanation> {
    all().into_iter().find(|explanation| explanation.code == code)
}

fn section(text: &'static str) -> Option<Explanation> {
    let (heading, text) = text.split_once('\n')?;
    let (code, title) = heading.split_once(' ')?;
    Some(Explanation { code: Code::of_number(code)?, title, text: text.trim() })
}

impl Explanation {
    /// The programs in it.
    pub fn examples(&self) -> Vec<Example> {
        let blocks = self.text.split("```remora ").skip(1);
        blocks.filter_map(|block| example(block.split("\n```").next()?)).collect()
    }

    /// The explanation as the terminal shows it: the code blocks indented instead of fenced.
    pub fn plain(&self) -> String {
        let mut out = format!("{}: {}\n\n", self.code, self.title);
        let mut in_block = false;
        for line in self.text.lines() {
            match (line.strip_prefix("```"), in_block) {
                (Some(_), _) => in_block = !in_block,
                (None, true) if line.is_empty() => out.push('\n'),
                (None, true) => out.push_str(&format!("    {line}\n")),
                (None, false) => out.push_str(&format!("{line}\n")),
            }
        }
        out
    }
}

fn example(block: &'static str) -> Option<Example> {
    let (mark, source) = block.split_once('\n')?;
    let endings = [(" core", "remc"), (" apl", "apl")];
    let other = endings.iter().find_map(|(suffix, ending)| Some((mark.strip_suffix(suffix)?, *ending)));
    let (mark, ending) = other.unwrap_or((mark, "rem"));
    let role = match mark {
        "wrong" => Role::Wrong,
        "wrong run" => Role::WrongRun,
        "wrong compile" => Role::WrongCompile,
        "right" => Role::Right,
        _ => return None,
    };
    Some(Example { role, ending, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_explanation_is_well_formed() {
        let all = all();
        let codes: Vec<Code> = all.iter().map(|e| e.code).collect();
        let headings = FAMILIES.iter().map(|family| family.matches("\n## ").count()).sum::<usize>();
        assert_eq!(codes, Code::ALL, "each code is explained, in order");
        assert_eq!(headings, codes.len(), "headings without a code");
        for explanation in &all {
            let code = explanation.code;
            assert!(explanation.text.len() > 80, "{code} says too little");
            assert_eq!(explanation.text.matches("```").count(), 2 * explanation.text.matches("```remora ").count(), "fences of {code}");
            assert_eq!(explanation.examples().len(), explanation.text.matches("```remora ").count(), "marks of {code}");
        }
    }
}
