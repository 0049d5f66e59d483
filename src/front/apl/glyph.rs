//! The glyphs: how each is typed in ASCII, and what those mean that are not taken.

/// A glyph with its name behind a backtick, its key behind a backtick on usual keyboards, and its class.
pub struct Glyph {
    /// The glyph.
    pub glyph: char,
    /// The name, written `` `name ``.
    pub name: &'static str,
    /// The key of common keyboard layouts, written `` `k ``; a blank where it has none.
    pub key: char,
    /// What kind of word it is.
    pub class: Class,
}

/// What kind of word a glyph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A function.
    Function,
    /// An operator with one operand.
    Monadic,
    /// An operator with two operands.
    Dyadic,
    /// A function after an array, an operator after a function: `/ ⌿ \ ⍀`.
    Slash,
    /// Neither.
    Other,
}

const fn glyph(glyph: char, name: &'static str, key: char, class: Class) -> Glyph {
    Glyph { glyph, name, key, class }
}

use Class::{Dyadic, Function, Monadic, Other, Slash};

/// All glyphs that have a meaning.
pub const GLYPHS: &[Glyph] = &[
    glyph('+', "plus", ' ', Function),
    glyph('-', "minus", ' ', Function),
    glyph('×', "times", '-', Function),
    glyph('÷', "div", '=', Function),
    glyph('*', "power", 'p', Function),
    glyph('⍟', "log", '*', Function),
    glyph('○', "circle", 'o', Function),
    glyph('|', "stile", 'm', Function),
    glyph('⌈', "max", 's', Function),
    glyph('⌊', "min", 'd', Function),
    glyph('!', "fact", '_', Function),
    glyph('?', "roll", 'q', Function),
    glyph('<', "lt", '3', Function),
    glyph('≤', "le", '4', Function),
    glyph('=', "eq", '5', Function),
    glyph('≥', "ge", '6', Function),
    glyph('>', "gt", '7', Function),
    glyph('≠', "ne", '8', Function),
    glyph('∧', "and", '0', Function),
    glyph('∨', "or", '9', Function),
    glyph('⍲', "nand", ')', Function),
    glyph('⍱', "nor", '(', Function),
    glyph('~', "not", 't', Function),
    glyph('⍴', "rho", 'r', Function),
    glyph('≢', "tally", '"', Function),
    glyph('≡', "match", ':', Function),
    glyph(',', "ravel", ' ', Function),
    glyph('⍪', "table", '<', Function),
    glyph('⍳', "iota", 'i', Function),
    glyph('↑', "take", 'y', Function),
    glyph('↓', "drop", 'u', Function),
    glyph('⌽', "reverse", '%', Function),
    glyph('⊖', "flip", '&', Function),
    glyph('⍉', "transpose", '^', Function),
    glyph('⊂', "enclose", 'z', Function),
    glyph('⊃', "first", 'x', Function),
    glyph('⊆', "nest", 'Z', Function),
    glyph('∊', "in", 'e', Function),
    glyph('⍷', "find", 'E', Function),
    glyph('⍸', "where", 'I', Function),
    glyph('∪', "unique", 'v', Function),
    glyph('∩', "cap", 'c', Function),
    glyph('⍋', "gradeup", '$', Function),
    glyph('⍒', "gradedown", '#', Function),
    glyph('⌷', "squad", 'L', Function),
    glyph('⌹', "domino", '+', Function),
    glyph('⊥', "decode", 'b', Function),
    glyph('⊤', "encode", 'n', Function),
    glyph('⊢', "right", '\\', Function),
    glyph('⊣', "left", '|', Function),
    glyph('⍕', "format", '\'', Function),
    glyph('/', "slash", ' ', Slash),
    glyph('⌿', "slashbar", '/', Slash),
    glyph('\\', "slope", ' ', Slash),
    glyph('⍀', "slopebar", '.', Slash),
    glyph('¨', "each", '1', Monadic),
    glyph('⍨', "commute", 'T', Monadic),
    glyph('⌸', "key", 'K', Monadic),
    glyph('.', "dot", ' ', Dyadic),
    glyph('∘', "compose", 'j', Dyadic),
    glyph('⍤', "rank", 'J', Dyadic),
    glyph('⍥', "over", 'O', Dyadic),
    glyph('⍣', "powerop", 'P', Dyadic),
    glyph('⌺', "stencil", 'S', Dyadic),
    glyph('@', "at", ' ', Dyadic),
    glyph('←', "gets", '[', Other),
    glyph('¯', "neg", '2', Other),
    glyph('⍬', "zilde", '~', Other),
    glyph('⍺', "alpha", 'a', Other),
    glyph('⍵', "omega", 'w', Other),
    glyph('∇', "del", 'g', Other),
    glyph('⎕', "quad", 'l', Other),
    glyph('⋄', "diamond", '`', Other),
    glyph('⍝', "lamp", ',', Other),
];

/// Glyphs of other systems, what they mean there, and a way round.
pub const UNKNOWN: &[(char, &str, &str)] = &[
    ('⍎', "execute", "a program cannot be made of text while it runs; use a dfn"),
    ('→', "branch", "use a guard, `condition: result`, or the operator `⍣`"),
    ('⍞', "character input and output", "`⎕←` prints; values come as arguments of an entry point"),
    ('⌶', "I-beam, services of one system", "there is no system to ask"),
    ('⍠', "variant", "there are no options to set"),
    ('⍫', "locked function", "write a dfn"),
    ('⌻', "nothing in common systems", "remove it"),
    ('⊇', "select", "index with brackets or `⌷`"),
    ('⊙', "nothing in common systems", "remove it"),
    ('√', "root in some systems", "write `*0.5`"),
    ('⍛', "reverse compose", "write a dfn"),
    ('⍢', "under, obverse", "write out the function and its inverse"),
    ('…', "range in some systems", "write it with `⍳`"),
    ('⍁', "nothing in common systems", "remove it"),
    ('⍂', "nothing in common systems", "remove it"),
    ('⍯', "nothing in common systems", "remove it"),
    ('◊', "diamond in another script", "write `⋄`"),
    ('∆', "a letter of names", "it may stand in a name, not begin one here"),
];

/// Characters that look like a glyph and are read as that one.
pub fn meant(c: char) -> char {
    match c {
        '−' | '–' => '-',
        '⋆' | '∗' => '*',
        '∣' | '│' => '|',
        '∼' | '˜' => '~',
        '◊' | '◇' => '⋄',
        'α' => '⍺',
        'ω' => '⍵',
        'ρ' => '⍴',
        'ι' => '⍳',
        '∈' | 'ϵ' | 'є' => '∊',
        '⎢' => '|',
        '¨' => '¨',
        '￣' => '¯',
        'φ' => '⌽',
        other => other,
    }
}

/// The class of a glyph.
pub fn class(c: char) -> Class {
    GLYPHS.iter().find(|known| known.glyph == c).map_or(Other, |known| known.class)
}

/// The glyph that a word behind a backtick spells.
pub fn spelt(word: &str) -> Option<char> {
    if let Some(known) = GLYPHS.iter().find(|known| known.name == word) {
        return Some(known.glyph);
    }
    let mut letters = word.chars();
    let (first, rest) = (letters.next()?, letters.next());
    GLYPHS.iter().find(|known| rest.is_none() && known.key == first && first != ' ').map(|known| known.glyph)
}
