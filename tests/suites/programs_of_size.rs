//! Programs of real size: every folder of `examples/programs` has a program as one writes it, `NAME.rem`, and the same with every map and
//! replication written out, `explicit.rem`. Both check, the second without any insertion; both have the same expectations, and compiled
//! both meet them. `docs/programs.md` is the table of what was left out.
//!
//! `REMORA_BLESS=1` rewrites the table. Its times are measured with the program that `REMORA_TIMED` names, and stay what they were without it.

use libtest_mimic::Trial;
use remora::base::{SourceMap, with_big_stack};
use remora::driver::{self, Checked};
use remora::front::explicit;
use remora::front::resolve::Loader;
use remora::front::syntax::lexer::{Tok, lex};
use remora::ir::tables::DefKind;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The least share of maps, in percent, that nobody has to write.
const GONE: usize = 60;

/// The programs import the standard library only.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str) -> Result<String, String> {
        Err(format!("programs import the standard library only, and not {path}"))
    }
}

/// A program and what was found out about it.
struct Source {
    path: PathBuf,
    text: String,
    /// `map` to `map5` as written.
    maps: usize,
    /// `replicate` and `rep` as written.
    reps: usize,
    /// Lines with code in them.
    lines: usize,
    /// Insertions as the objective counts them.
    cost: u32,
    /// Arguments that presolve left to the integer program.
    undecided: usize,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("examples/programs")).expect("the folder is there");
    let mut folders: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name(folder: &Path) -> String {
    folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// How often the words stand in the program, outside of comments.
fn words(sources: &mut SourceMap, text: &str, wanted: &[&str]) -> usize {
    let file = sources.add("words.rem", text);
    let tokens = lex(file, text).tokens;
    let word = |start: u32, end: u32| text.get(start as usize..end as usize).unwrap_or_default();
    tokens.iter().filter(|t| t.tok == Tok::Ident && wanted.contains(&word(t.start, t.end))).count()
}

fn cost(sources: &SourceMap, checked: &Checked) -> u32 {
    let written = checked.program.defs.iter().filter(|(_, def)| !def.stdlib && def.is_written() && matches!(def.decl, DefKind::Def(_)));
    let applications = written.flat_map(|(id, _)| explicit::applications(&checked.program, sources, &checked.tables, id));
    applications.map(|a| a.maps + a.reps - a.induced).sum()
}

fn source(path: PathBuf) -> Result<Source, String> {
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut sources = SourceMap::default();
    let file = sources.add(path.display().to_string(), text.clone());
    let checked = driver::check(&mut sources, &NoFiles, file);
    if let Some(first) = checked.diagnostics.first() {
        return Err(remora::diag::text::render(&sources, first, false));
    }
    let code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("--");
    Ok(Source {
        maps: words(&mut sources, &text, &["map", "map2", "map3", "map4", "map5"]),
        reps: words(&mut sources, &text, &["replicate", "rep"]),
        lines: text.lines().filter(code).count(),
        cost: cost(&sources, &checked),
        undecided: checked.stats.undecided,
        path,
        text,
    })
}

/// The program as one writes it, and the explicit one.
fn both(folder: &Path) -> Result<(Source, Source), String> {
    Ok((source(folder.join(name(folder) + ".rem"))?, source(folder.join("explicit.rem"))?))
}

/// The blocks of expectations as written.
fn expectations(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        inside = line.starts_with("--") && (inside || line.trim() == "-- ==");
        if inside {
            lines.push(line);
        }
    }
    lines
}

fn same_meaning(folder: &Path) -> Result<(), String> {
    let (plain, full) = with_big_stack(|| both(folder))?;
    if full.cost != 0 {
        return Err(format!("{} needs {} insertions", full.path.display(), full.cost));
    }
    let wanted = expectations(&plain.text);
    if wanted.is_empty() || wanted != expectations(&full.text) {
        return Err(format!("{} and {} have to have the same expectations", plain.path.display(), full.path.display()));
    }
    // The cache of the other tests that compile these programs.
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus-cache");
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    command.env("REMORA_CACHE", cache).env("REMORA_CFLAGS", "-O1").args(["test", "--exact", "--backend", "cpu", "--threads", "2"]);
    let output = command.arg(&plain.path).arg(&full.path).output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)));
    }
    Ok(())
}

/// The table up to the times: name, lines, maps, replications, share gone, cost, undecided.
fn rows() -> Result<Vec<(String, String)>, String> {
    let share = |before: usize, after: usize| (before.saturating_sub(after) * 100 + before / 2) / before.max(1);
    let row = |name: &str, lines: usize, maps: (usize, usize), reps: (usize, usize), cost: u32, undecided: usize| {
        let gone = share(maps.0, maps.1);
        format!("| {name} | {lines} | {} | {} | {gone}% | {} | {} | {cost} | {undecided} |", maps.0, maps.1, reps.0, reps.1)
    };
    let mut rows = Vec::new();
    let mut all = (0, (0, 0), (0, 0), 0, 0);
    for folder in folders() {
        let (plain, full) = both(&folder)?;
        let name = name(&folder);
        let (maps, reps) = ((full.maps, plain.maps), (full.reps, plain.reps));
        rows.push((
            name.clone(),
            row(&format!("[{name}](../examples/programs/{name}/)"), plain.lines, maps, reps, plain.cost, plain.undecided),
        ));
        all.0 += plain.lines;
        all.1 = (all.1.0 + maps.0, all.1.1 + maps.1);
        all.2 = (all.2.0 + reps.0, all.2.1 + reps.1);
        all.3 += plain.cost;
        all.4 += plain.undecided;
    }
    let gone = share(all.1.0, all.1.1);
    if gone < GONE {
        return Err(format!("only {gone}% of the maps are gone"));
    }
    rows.push(("all".to_string(), row("all", all.0, all.1, all.2, all.3, all.4)));
    Ok(rows)
}

/// The shortest of some times of `remora check` in milliseconds.
fn measured(remora: &str, file: &Path) -> f64 {
    let once = || {
        let start = Instant::now();
        let status = Command::new(remora).arg("check").arg(file).status().expect("REMORA_TIMED names a program");
        assert!(status.success());
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..20).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// A row of the written table without its time, and its time.
fn split_time(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_suffix(" |")?;
    let at = line.rfind("| ")?;
    Some((line.get(..=at)?, line.get(at + 2..)?))
}

fn table() -> Result<(), String> {
    let path = root().join("docs/programs.md");
    let old = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let head_end = old.find("\n| --- |").and_then(|at| old[at + 1..].find('\n').map(|end| at + 1 + end + 1)).ok_or("no table")?;
    let (head, body) = old.split_at(head_end);
    let written: Vec<(&str, &str)> = body.lines().filter_map(split_time).collect();
    let rows = with_big_stack(rows)?;
    if std::env::var_os("REMORA_BLESS").is_none() {
        let wanted: Vec<&str> = written.iter().map(|(row, _)| *row).collect();
        let found: Vec<&str> = rows.iter().map(|(_, row)| row.as_str()).collect();
        if wanted != found {
            return Err(format!("{} has another table, REMORA_BLESS=1 rewrites it:\n{}", path.display(), found.join("\n")));
        }
        return Ok(());
    }
    let timed = std::env::var("REMORA_TIMED").ok();
    let mut text = head.to_string();
    for (name, row) in &rows {
        let start = row.split_inclusive('|').take(2).collect::<String>();
        let kept = written.iter().find(|(old, _)| old.starts_with(&start)).map_or("", |(_, time)| time);
        let time = match &timed {
            Some(remora) if name != "all" => {
                format!("{:.0} ms", measured(remora, &root().join("examples/programs").join(name).join(format!("{name}.rem"))))
            }
            _ => kept.to_string(),
        };
        let _ = writeln!(text, "{row} {time} |");
    }
    std::fs::write(&path, text).map_err(|e| e.to_string())
}

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for folder in folders() {
        trials.push(Trial::test(format!("programs_of_size::{}", name(&folder)), move || same_meaning(&folder).map_err(Into::into)));
    }
    trials.push(Trial::test("programs_of_size::table", || table().map_err(Into::into)));
    trials
}
