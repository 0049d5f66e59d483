//! What finds each mutation, as it is written in `found.txt`, and what nothing finds, with the reasons, in `survivors.txt`.

use super::nets::{Caught, Net};
use remora::base::mutation::ALL;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Where the table of the document begins.
const BEGIN: &str = "<!-- mutations -->\n";
/// Where it ends.
const END: &str = "<!-- end -->";

/// What found a mutation: by a program of the corpus, and by generated programs.
#[derive(Clone, Default)]
pub struct Entry {
    pub name: String,
    /// Net, program, seconds.
    pub corpus: Option<(Net, String, f64)>,
    pub generated: Option<(Net, String, f64)>,
}

impl Entry {
    /// The cheapest that found it.
    pub fn finder(&self) -> Option<(Net, &str)> {
        self.corpus.as_ref().or(self.generated.as_ref()).map(|(net, program, _)| (*net, program.as_str()))
    }
    /// Whether ordinary tests may try it: without a C compiler and without many programs.
    pub fn is_quick(&self) -> bool {
        self.finder().is_some_and(|(net, _)| net.is_quick())
    }
}

/// All that is known.
pub struct List {
    pub found: BTreeMap<String, Entry>,
    pub survivors: BTreeMap<String, String>,
}

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mutations").join(name)
}

fn doc() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/testing-the-compiler.md")
}

/// What stands before the table, the table, and what stands behind it.
fn document() -> (String, String, String) {
    let text = std::fs::read_to_string(doc()).expect("the document is there");
    let (before, rest) = text.split_once(BEGIN).expect("the table begins");
    let (table, after) = rest.split_once(END).expect("the table ends");
    (format!("{before}{BEGIN}"), table.to_string(), format!("{END}{after}"))
}

fn lines(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(place(name)).unwrap_or_default();
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).map(str::to_string).collect()
}

impl List {
    pub fn read() -> List {
        let mut found = BTreeMap::new();
        for line in lines("found.txt") {
            let words: Vec<&str> = line.split_whitespace().collect();
            let &[name, net, program, seconds, net2, program2, seconds2] = words.as_slice() else { panic!("found.txt: {line}") };
            let finder = |net: &str, program: &str, seconds: &str| {
                Net::named(net).map(|net| (net, program.to_string(), seconds.parse().expect("seconds")))
            };
            let (corpus, generated) = (finder(net, program, seconds), finder(net2, program2, seconds2));
            found.insert(name.to_string(), Entry { name: name.into(), corpus, generated });
        }
        let reason = |line: String| {
            let (name, reason) = line.split_once(": ").unwrap_or_else(|| panic!("survivors.txt: {line}"));
            (name.to_string(), reason.to_string())
        };
        List { found, survivors: lines("survivors.txt").into_iter().map(reason).collect() }
    }
    /// A net found a mutation.
    pub fn note(&mut self, name: &str, net: Net, caught: &Caught, seconds: f64) {
        let entry = self.found.entry(name.to_string()).or_insert_with(|| Entry { name: name.into(), ..Entry::default() });
        // As it is written: the document rounds what is read again.
        let finder = Some((net, caught.program.clone(), (seconds * 10.0).round() / 10.0));
        if net.is_generated() { entry.generated = finder } else { entry.corpus = finder }
    }
    pub fn write(&self) {
        let mut out =
            "# What finds each mutation: net, program, seconds (all nets before it included); generated programs, seed, seconds.\n"
                .to_string();
        for entry in ALL.iter().filter_map(|info| self.found.get(info.name)) {
            let shown = |found: &Option<(Net, String, f64)>| match found {
                Some((net, program, seconds)) => format!("{} {program} {seconds:.1}", net.name()),
                None => "- - 0".to_string(),
            };
            writeln!(out, "{} {} {}", entry.name, shown(&entry.corpus), shown(&entry.generated)).expect("strings take everything");
        }
        std::fs::write(place("found.txt"), out).expect("the list can be written");
        let (before, _, after) = document();
        std::fs::write(doc(), before + &self.table() + &after).expect("the table can be written");
    }
    /// Whether the document has the table as it is.
    pub fn is_documented(&self) -> bool {
        document().1 == self.table()
    }
    /// The table of the document.
    fn table(&self) -> String {
        let mut out = "| mutation | in | what goes wrong | found by | generated programs |\n| --- | --- | --- | --- | --- |\n".to_string();
        for info in ALL {
            let shown = |found: Option<&(Net, String, f64)>| match found {
                Some((net, program, seconds)) => {
                    let program = program.trim_start_matches("tests/data/corpus/");
                    let program = if net.is_generated() { String::new() } else { format!(", `{program}`") };
                    format!("{}{program}, {seconds:.0} s", net.name())
                }
                None => String::new(),
            };
            let entry = self.found.get(info.name);
            let corpus = match self.survivors.get(info.name) {
                Some(reason) => format!("nothing: {reason}"),
                None => shown(entry.and_then(|entry| entry.corpus.as_ref())),
            };
            let generated = shown(entry.and_then(|entry| entry.generated.as_ref()));
            writeln!(out, "| {} | `{}` | {} | {corpus} | {generated} |", info.name, info.file, info.what).expect("strings take everything");
        }
        out
    }
}
