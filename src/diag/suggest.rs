//! What a misspelt name may have meant.

/// The candidate that is closest to `name`, if one is close enough to have been meant. Of several, the first by text.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = match length {
        0 => return None,
        1..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let own = letters(name);
    let mut best: Option<(usize, bool, &str)> = None;
    for candidate in candidates {
        if candidate == name || candidate.len().abs_diff(name.len()) > limit * 4 {
            continue;
        }
        let distance = distance(name, candidate);
        // One letter of one or two is no resemblance, except in case.
        let alike = distance <= limit && (distance < length.max(2) - 1 || candidate.eq_ignore_ascii_case(name));
        if !alike || best.is_some_and(|(least, ..)| least < distance) {
            continue;
        }
        // Of names that are as near, one that has other letters in it is meant less often.
        let found = (distance, letters(candidate) != own, candidate);
        if best.is_none_or(|best| found < best) {
            best = Some(found);
        }
    }
    best.map(|(.., candidate)| candidate)
}

/// Edit distance with transpositions; a change of case alone counts nothing but the first letter's.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).map(|c| c.to_ascii_lowercase()).collect();
    let b: Vec<char> = b.chars().take(64).map(|c| c.to_ascii_lowercase()).collect();
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let substituted = last[j] + usize::from(a[i] != b[j]);
            row[j + 1] = substituted.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = ["length", "reduce", "replicate", "map", "map2", "transpose", "x"];
        for (name, expected) in [
            ("lenght", Some("length")),
            ("redcue", Some("reduce")),
            ("Map", Some("map")),
            ("foo", None),
            ("y", None),
            ("transpos", Some("transpose")),
        ] {
            assert_eq!(closest(name, names), expected, "{name}");
        }
    }
}
