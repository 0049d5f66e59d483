//! Core written by hand.
//!
//! * The cases in `tests/data/remc/*.remc` carry their expectations (see [`Case`]); what is accepted is also read again from its explicit form.
//! * What the printer writes for every program of the corpus and every example is read back to the same explicit program.
//! * No text makes the front end panic, and what it accepts the core checker accepts (the driver checks that in debug builds).

use crate::support::programs::{ALL, Source, programs};
use crate::support::structure::structure;
use proptest::prelude::*;
use remora::base::{Code, FileId, SourceMap, with_big_stack};
use remora::diag::text;
use remora::driver::{self, Checked};
use remora::front::resolve::Loader;
use remora::interp;
use remora::ir::core::{check, print, read};
use remora::runtime::Value;
use remora::runtime::data::notation;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Imports from disk.
struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|error| error.to_string())
    }
}

fn checked(name: &str, source: &str) -> (SourceMap, Checked) {
    let mut sources = SourceMap::default();
    let root = sources.add(name, source);
    let checked = driver::check(&mut sources, &Disk, root);
    (sources, checked)
}

fn messages(sources: &SourceMap, checked: &Checked) -> String {
    checked.diagnostics.iter().map(|diagnostic| text::render(sources, diagnostic, false)).collect()
}

/// The files with cases, in order of path.
fn files() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/remc");
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "remc"));
    files.sort();
    files
}

/// A program with what is expected of it. A file consists of cases that begin with a title, `;# title`; then comes the program; then
/// lines that say what is expected:
///
/// * `;= value`: of the last expression, in the notation of core;
/// * `;: type`: of the last expression;
/// * `;: name type`: of a definition;
/// * `;! code words`: an error with this code whose message, notes or help contain the words. All errors are listed.
/// * `;~ code`: running it fails with this code;
/// * `;< numbers`: what is on standard input.
struct Case {
    title: String,
    source: String,
    expected: Vec<(char, String)>,
}

fn cases(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix(";# ") {
            cases.push(Case { title: title.into(), source: String::new(), expected: Vec::new() });
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        let mark = line.strip_prefix(';').and_then(|rest| rest.chars().next());
        match mark {
            Some(mark @ ('=' | ':' | '!' | '~' | '<')) => case.expected.push((mark, line[2..].trim().to_string())),
            _ => case.source += &format!("{line}\n"),
        }
    }
    cases
}

/// What is wrong with a case, if anything.
fn problem(case: &Case) -> Option<String> {
    let (sources, mut checked) = checked("case.remc", &case.source);
    let errors: Vec<&str> = case.expected.iter().filter(|(mark, _)| *mark == '!').map(|(_, text)| text.as_str()).collect();
    if !errors.is_empty() || checked.failed() {
        return refused(&sources, &checked, &errors);
    }
    if case.expected.iter().all(|(mark, _)| *mark == '<') {
        return Some("nothing is expected".into());
    }
    if let Some(problem) = reads_back(&checked, true) {
        return Some(problem);
    }
    if let Some((_, numbers)) = case.expected.iter().find(|(mark, _)| *mark == '<') {
        checked.give_numbers(numbers.split_whitespace().map(|word| word.parse().unwrap()).collect());
    }
    let last = checked.remc.as_ref().and_then(|remc| remc.last);
    for (mark, text) in &case.expected {
        let found = match mark {
            ':' => match text
                .split_once(' ')
                .filter(|(name, _)| checked.core.defs.iter().any(|d| checked.source_name(d.name).as_str() == *name))
            {
                Some((name, ty)) => {
                    let define = checked.core.defs.iter().find(|d| checked.source_name(d.name).as_str() == name).unwrap();
                    if print::type_brief(&define.ty) == ty { continue } else { print::type_brief(&define.ty) }
                }
                None => match checked.core.defs.iter().find(|define| Some(define.name) == last) {
                    Some(define) => print::type_brief(&define.ty),
                    None => "no last expression".into(),
                },
            },
            '=' | '~' => match last {
                None => "no last expression".into(),
                Some(last) => match driver::run(&checked, last, Vec::new(), Some(1)) {
                    Ok(value) => notation::write(&value),
                    Err(failure) if *mark == '~' => failure.code.to_string(),
                    Err(failure) => format!("{}: {}", failure.code, failure.message),
                },
            },
            _ => continue,
        };
        if found != *text {
            return Some(format!("expected {mark} {text}\n   found   {found}"));
        }
    }
    None
}

fn refused(sources: &SourceMap, checked: &Checked, errors: &[&str]) -> Option<String> {
    let shown = messages(sources, checked);
    if checked.diagnostics.len() != errors.len() {
        return Some(format!("{} errors are expected:\n{shown}", errors.len()));
    }
    for (diagnostic, expected) in checked.diagnostics.iter().zip(errors) {
        let (code, words) = expected.split_once(' ').unwrap_or((expected, ""));
        let labels = diagnostic.labels.iter().map(|label| label.text.as_str());
        let texts = labels.chain([diagnostic.message.as_str()]);
        let mut texts = texts.chain(diagnostic.notes.iter().chain(&diagnostic.help).map(String::as_str));
        if diagnostic.code.number() != code || !texts.any(|text| text.contains(words)) {
            return Some(format!("expected {expected}, found\n{shown}"));
        }
    }
    None
}

/// The explicit program is read back, by the reader of core and by the front end, to itself; unless `exact`, but for names.
fn reads_back(checked: &Checked, exact: bool) -> Option<String> {
    let printed = format!("(use core)\n{}", print::program(&checked.core));
    let (again, diagnostics) = read::program(FileId::default(), &printed);
    if !diagnostics.is_empty() || structure(&again) != structure(&checked.core) {
        return Some(format!("the reader of core does not read it back: {diagnostics:?}\n{printed}"));
    }
    let (sources, again) = self::checked("printed.remc", &printed);
    if again.failed() {
        return Some(format!("its explicit form is refused:\n{}{printed}", messages(&sources, &again)));
    }
    let second = format!("(use core)\n{}", print::program(&again.core));
    if printed == second || !exact {
        return None;
    }
    Some(format!("its explicit form has another explicit form:\n{printed}\n{second}"))
}

#[test]
fn cases_are_as_expected() {
    let mut problems = Vec::new();
    let mut count = 0;
    for file in files() {
        for case in cases(&file) {
            count += 1;
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            if let Some(problem) = with_big_stack(|| problem(&case)) {
                problems.push(format!("{name}: {}\n{}   {problem}\n", case.title, case.source));
            }
        }
    }
    assert!(problems.is_empty(), "{} of {count} cases\n\n{}", problems.len(), problems.join("\n"));
    assert!(count >= 100, "{count}");
}

/// The values by way of first-order programs are those of the evaluator; what cannot be specialised says so.
#[test]
fn first_order_programs_agree() {
    let (mut compared, mut problems, mut left) = (0, Vec::new(), Vec::new());
    let mut compare = |case: Case| {
        let (sources, checked) = checked("case.remc", &case.source);
        let Some(last) = checked.remc.as_ref().and_then(|remc| remc.last).filter(|_| !checked.failed() && !checked.reads_numbers()) else {
            return;
        };
        // Boxes are opened in both.
        let plain = interp::core::run(&checked.core, last, Vec::new(), Some(1));
        let show = |result: &Result<Value, Box<remora::diag::Diagnostic>>| match result {
            Ok(value) => notation::write(value),
            Err(failure) => failure.code.to_string(),
        };
        let specialised = driver::run_soac(&sources, &checked, last, Vec::new());
        if let Err(limit) = &specialised
            && limit.code == Code::NotCompiled
        {
            left.push(format!("{}: {}", case.title, limit.message));
            return;
        }
        match (show(&plain), show(&specialised)) {
            (plain, specialised) if plain == specialised => compared += 1,
            (plain, specialised) => problems.push(format!("{}\n{}  {plain}\n  {specialised}\n", case.title, case.source)),
        }
    };
    with_big_stack(|| {
        let files = files();
        let all = files.iter().flat_map(|file| cases(file));
        all.for_each(&mut compare);
    });
    println!("{compared} agree, {} are not compiled: {left:?}", left.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(compared >= 70, "{compared}");
}

#[test]
fn what_the_printer_writes_is_read_back() {
    let mut problems = Vec::new();
    let mut count = 0;
    for Source { path, .. } in programs(ALL) {
        let text = std::fs::read_to_string(&path).unwrap();
        let problem = with_big_stack(|| {
            let (_, checked) = checked(&path.to_string_lossy(), &text);
            if checked.failed() {
                return None;
            }
            count += 1;
            reads_back_in_meaning(&checked)
        });
        problems.extend(problem.map(|problem| format!("{}: {problem}", path.display())));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count >= 100, "{count}");
}

/// The printed program is accepted, well typed, and has the same text again but for names.
fn reads_back_in_meaning(checked: &Checked) -> Option<String> {
    let printed = format!("(use core)\n{}", print::program(&checked.core));
    let (sources, again) = self::checked("printed.remc", &printed);
    if again.failed() {
        return Some(format!("is refused:\n{}", messages(&sources, &again)));
    }
    if let Err(errors) = check::check(&again.core) {
        return Some(format!("is not well typed: {errors:?}"));
    }
    let second = format!("(use core)\n{}", print::program(&again.core));
    if printed == second {
        return None;
    }
    // Names that are bound twice get others the first time; then nothing changes any more, and all values are the same.
    let (_, last) = self::checked("again.remc", &second);
    let third = format!("(use core)\n{}", print::program(&last.core));
    if second == third && unnamed(&printed) == unnamed(&second) {
        return None;
    }
    let different = printed.lines().zip(second.lines()).find(|(a, b)| a != b);
    Some(format!("becomes another program: {different:?}"))
}

/// The words of a text, names without the numbers behind them and blanks left out. Of names of one letter it counts only which of them are
/// the same in a definition: types that differ in the names of their sizes are equal, and one of them is printed.
fn unnamed(text: &str) -> Vec<String> {
    fn stem(word: &str) -> &str {
        match word.rsplit_once(['\'', '.']) {
            Some((before, number)) if !before.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem(before),
            _ => word,
        }
    }
    let mut letters: Vec<String> = Vec::new();
    let mut named = |word: &str| {
        if ["define", "entry"].contains(&word) {
            letters.clear();
        }
        if word.chars().count() > 1 || !word.chars().all(char::is_alphabetic) {
            return word.to_string();
        }
        let at = letters.iter().position(|letter| letter == word).unwrap_or(letters.len());
        if at == letters.len() {
            letters.push(word.to_string());
        }
        format!("letter {at}")
    };
    words(text).iter().filter(|word| !word.trim().is_empty()).map(|word| named(stem(word))).collect()
}

/// All cases, as texts to start from.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| files().iter().flat_map(|file| cases(file)).map(|case| case.source).collect());

/// The words of a text: brackets, names, numbers, strings.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_whitespace() || "()[]{}|\"".contains(c) {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            words.push(c.to_string());
        } else {
            word.push(c);
        }
    }
    words.push(word);
    words
}

/// A change of one word: taken away, doubled, swapped with another, or put in the place of another.
fn mutate(words: &mut Vec<String>, (kind, a, b): (u8, prop::sample::Index, prop::sample::Index)) {
    if words.is_empty() {
        return;
    }
    let (a, b) = (a.index(words.len()), b.index(words.len()));
    match kind {
        0 => drop(words.remove(a)),
        1 => words.insert(a, words[b].clone()),
        2 => words.swap(a, b),
        _ => words[a] = words[b].clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_programs_are_answered(
        at in any::<prop::sample::Index>(),
        changes in prop::collection::vec((0u8..4, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let mut words = words(&TEXTS[at.index(TEXTS.len())]);
        for change in changes {
            mutate(&mut words, change);
        }
        let text = words.concat();
        let problem = with_big_stack(|| {
            // The driver checks the explicit program.
            let (_, checked) = checked("changed.remc", &text);
            if checked.failed() { None } else { reads_back(&checked, false) }
        });
        prop_assert!(problem.is_none(), "{text}\n{}", problem.unwrap_or_default());
    }

    /// Against the meaning of the paper: replicate everything to the principal frame, then apply function by function.
    #[test]
    fn lifting_is_replication(
        dims in prop::collection::vec(0usize..4, 0..4),
        ranks in prop::collection::vec(any::<prop::sample::Index>(), 4),
        numbers in prop::collection::vec(-9i64..10, 64),
        functions in prop::collection::vec(0usize..3, 64),
    ) {
        let ranks: Vec<usize> = ranks.iter().map(|rank| rank.index(dims.len() + 1)).collect();
        let principal = &dims[..*ranks.iter().max().unwrap()];
        let count = |rank: usize| dims[..rank].iter().product::<usize>();
        let shape = |dims: &[usize]| dims.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        // The third parameter takes vectors of two numbers.
        let literal = |rank: usize, cell: usize, start: usize| {
            let sizes = if cell == 2 { format!("{} 2", shape(&dims[..rank])) } else { shape(&dims[..rank]) };
            let items: Vec<String> = (0..count(rank) * cell).map(|i| numbers[(start + i) % 64].to_string()).collect();
            if items.is_empty() { format!("(array [{sizes}] int)") } else { format!("(array [{sizes}] {})", items.join(" ")) }
        };
        let names = ["add", "mul", "fst"];
        let list: Vec<&str> = (0..count(ranks[0])).map(|i| names[functions[i % 64]]).collect();
        let ty = "(-> (int int [int 2]) int)";
        let sizes = shape(&dims[..ranks[0]]);
        let head = if list.is_empty() { format!("(frame [{sizes}] {ty})") } else { format!("(frame [{sizes}] {})", list.join(" ")) };
        let text = format!(
            "(define (add [a int] [b int] [c [int 2]]) (+ a (+ b (reduce + c))))\n\
             (define (mul [a int] [b int] [c [int 2]]) (* a (* b (head c))))\n\
             (define (fst [a int] [b int] [c [int 2]]) a)\n({head} {} {} {})",
            literal(ranks[1], 1, 0), literal(ranks[2], 1, 20), literal(ranks[3], 2, 40),
        );
        let values = (0..principal.iter().product::<usize>()).map(|i| {
            // The cell of a frame that is a prefix: the position without the trailing dimensions.
            let at = |rank: usize| i / principal[rank..].iter().product::<usize>();
            let number = |start: usize, i: usize| numbers[(start + i) % 64];
            let (a, b, c) = (number(0, at(ranks[1])), number(20, at(ranks[2])), 2 * at(ranks[3]));
            match functions[at(ranks[0]) % 64] {
                0 => a + b + number(40, c) + number(40, c + 1),
                1 => a * b * number(40, c),
                _ => a,
            }
        });
        let values: Vec<i64> = values.collect();
        let expected = match (principal, values.as_slice()) {
            ([], [one]) => one.to_string(),
            (_, []) => format!("(array [{}] i64)", shape(principal)),
            _ => notation::write(&Value::vector(values).reframed(1, principal).unwrap()),
        };
        let found = with_big_stack(|| {
            let (sources, checked) = checked("lifted.remc", &text);
            match checked.remc.as_ref().and_then(|remc| remc.last) {
                Some(last) if !checked.failed() => driver::run(&checked, last, Vec::new(), Some(1)).map(|value| notation::write(&value)),
                _ => Ok(messages(&sources, &checked)),
            }
        });
        prop_assert_eq!(found.unwrap_or_else(|failure| failure.message), expected, "{}", text);
    }

    #[test]
    fn any_text_is_answered(text in "[()\\[\\]{}|@#\";a-z0-9 .:+-]{0,200}") {
        with_big_stack(|| checked("any.remc", &text));
    }
}
