//! Names for what is written out: fresh variables that read well, and how `map` and `rep` are spelled where the user has
//! given these names another meaning.

use crate::ir::tables::{DefId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The library functions that are written out.
pub(super) const RESERVED: [&str; 7] = ["map", "map2", "map3", "map4", "map5", "rep", "zip"];

/// Words that are no variables.
const KEYWORDS: [&str; 25] = [
    "as", "assert", "case", "def", "do", "else", "entry", "false", "for", "if", "import", "in", "include", "let", "local", "loop", "match",
    "module", "open", "then", "true", "type", "val", "while", "with",
];

/// The names (identifiers, keywords, words of comments) that occur in a text.
pub(super) fn words(text: &str) -> FxHashSet<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.split(|c: char| !is_part(c)).filter(|w| !w.is_empty()).collect()
}

/// The first of `candidates` that is free; when there is none, the last with primes.
pub(super) fn pick<'c>(candidates: impl IntoIterator<Item = &'c str>, taken: &dyn Fn(&str) -> bool) -> String {
    let mut last = String::from("x");
    for candidate in candidates {
        if !taken(candidate) && !RESERVED.contains(&candidate) && !KEYWORDS.contains(&candidate) {
            return candidate.to_string();
        }
        last = candidate.to_string();
    }
    loop {
        last.push('\'');
        if !taken(&last) {
            return last;
        }
    }
}

/// The name of an element of the array called `name`, `times` dimensions in: `xss` has rows `xs`, these have elements `x`.
pub(super) fn element(name: &str, times: u32) -> Option<&str> {
    let times = times as usize;
    let stem = name.trim_end_matches('s');
    let plurals = name.len() - stem.len();
    let short = stem.len() <= 1;
    let endings = ["i", "u", "a"].iter().any(|vowel| stem.ends_with(vowel));
    if stem.is_empty() || plurals < times || times == 0 || (!short && (plurals > 1 || endings)) {
        return None;
    }
    name.get(..name.len() - times)
}

/// Usual names for a value of this rank.
pub(super) fn by_rank(rank: u32, function: bool) -> &'static [&'static str] {
    match (rank, function) {
        (0, true) => &["f", "g", "h", "f1", "g1", "h1"],
        (_, true) => &["fs", "gs", "hs"],
        (0, false) => &["x", "y", "z", "u", "v", "w", "x1", "y1", "z1"],
        (1, false) => &["xs", "ys", "zs", "us", "vs", "ws"],
        (2, false) => &["xss", "yss", "zss"],
        (_, false) => &["a", "b", "c"],
    }
}

/// Which library names a definition of the program hides, and from where on.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    since: FxHashMap<&'static str, DefId>,
    aliases: FxHashMap<&'static str, &'static str>,
}

impl Hidden {
    /// Looks for definitions of the user that have a name of the library.
    pub(super) fn new(program: &Program) -> Hidden {
        let mut hidden = Hidden::default();
        for (id, def) in program.defs.iter() {
            // A member of a module hides the library's function in its module and where that is opened: to be safe, everywhere.
            let name = def.name.as_str();
            let name = if def.stdlib { name } else { name.rsplit('.').next().unwrap_or(name) };
            if def.stdlib {
                if let Some(reserved) = name.strip_prefix("std_").and_then(|n| RESERVED.iter().find(|r| **r == n)) {
                    hidden.aliases.insert(reserved, name);
                }
            } else if let Some(reserved) = RESERVED.iter().find(|r| **r == name) {
                hidden.since.entry(reserved).or_insert(id);
            }
        }
        hidden
    }

    /// What to write for the library's `name` inside of definition `def`, if it can be named there. A definition does not see
    /// itself.
    pub(super) fn spell(&self, name: &'static str, def: DefId) -> Option<&'static str> {
        match self.since.get(name) {
            Some(&since) if since < def => self.aliases.get(name).copied(),
            _ => Some(name),
        }
    }
}

/// The name of the map over `arity` arrays.
pub(super) fn map_name(arity: usize) -> &'static str {
    match arity {
        1 => "map",
        2 => "map2",
        3 => "map3",
        4 => "map4",
        _ => "map5",
    }
}
