//! Where inputs come from: a terminal, with history and completion, or lines of standard input.

use super::super::files;
use super::input::{self, Progress};
use crate::diag::Diagnostic;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Context, Editor, Helper};
use std::io::BufRead;
use std::path::PathBuf;

/// How many inputs are remembered.
const MOST_REMEMBERED: usize = 2000;

/// A source of inputs.
pub enum Source {
    Terminal(Box<Editor<Assistant, FileHistory>>),
    /// With the line that ended the input before it.
    Lines(Option<String>),
}

impl Source {
    /// # Errors
    /// E0601: the terminal cannot be used.
    pub fn new(interactive: bool) -> Result<Source, Box<Diagnostic>> {
        if !interactive {
            return Ok(Source::Lines(None));
        }
        let editor = || -> Result<Editor<Assistant, FileHistory>, ReadlineError> {
            let config = Config::builder().max_history_size(MOST_REMEMBERED)?.auto_add_history(true).build();
            let mut editor = Editor::with_config(config)?;
            editor.set_helper(Some(Assistant::default()));
            Ok(editor)
        };
        let mut editor = editor().map_err(|error| {
            let message = format!("the terminal cannot be used: {error}");
            Box::new(Diagnostic::bare(crate::base::Code::UnreadableFile, message))
        })?;
        if let Some(path) = history() {
            // There is none the first time.
            editor.load_history(&path).ok();
        }
        Ok(Source::Terminal(Box::new(editor)))
    }

    /// The names that can be completed.
    pub fn know(&mut self, mut names: Vec<String>) {
        names.sort_unstable();
        names.dedup();
        if let Source::Terminal(editor) = self
            && let Some(assistant) = editor.helper_mut()
        {
            assistant.names = names;
        }
    }

    /// The next input; nothing at the end.
    pub fn next(&mut self) -> Option<String> {
        match self {
            Source::Lines(ahead) => next_of_lines(ahead),
            Source::Terminal(editor) => loop {
                match editor.readline("> ") {
                    Ok(text) => return Some(text),
                    Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => {}
                    Err(_) => return None,
                }
            },
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Source::Terminal(editor) = self
            && let Some(path) = history()
            && let Some(folder) = path.parent()
            && std::fs::create_dir_all(folder).is_ok()
        {
            // A session without a history is better than a failure at its end.
            editor.save_history(&path).ok();
        }
    }
}

/// The lines of standard input up to the end of an input: a command ends what is not complete. Text that is not UTF-8 is read as well as possible: what it breaks is reported.
fn next_of_lines(ahead: &mut Option<String>) -> Option<String> {
    let mut text = String::new();
    loop {
        let line = ahead.take().unwrap_or_else(|| {
            let mut line = Vec::new();
            std::io::stdin().lock().read_until(b'\n', &mut line).ok();
            String::from_utf8_lossy(&line).into_owned()
        });
        if line.is_empty() {
            return (!text.is_empty()).then_some(text);
        }
        if !text.is_empty() && input::begins_command(&line) {
            *ahead = Some(line);
            return Some(text);
        }
        text.push_str(&line);
        if input::progress(&text) == Progress::Complete {
            return Some(text);
        }
    }
}

/// Where inputs are remembered: `REMORA_HISTORY`, or the user's folder for such things.
fn history() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = || set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")));
    set("REMORA_HISTORY").or_else(|| Some(state()?.join("remora").join("history")))
}

/// What helps while a line is edited.
#[derive(Default)]
pub struct Assistant {
    names: Vec<String>,
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(completions(&self.names, line, pos))
    }
}

/// The names, or files after `:load `, that what stands before the cursor may become, and where it begins.
fn completions(names: &[String], line: &str, pos: usize) -> (usize, Vec<String>) {
    let before = &line[..pos];
    if let Some(path) = before.strip_prefix(":load ") {
        return (":load ".len(), paths(path));
    }
    let start = before.rfind(|c: char| !(c.is_alphanumeric() || "_'.:".contains(c))).map_or(0, |at| at + 1);
    let word = &before[start..];
    // Those that take something end with a blank.
    let commands = [":type ", ":infer ", ":core ", ":time ", ":plot ", ":load ", ":reload", ":list", ":clear", ":help", ":quit"];
    if word.starts_with(':') {
        return (start, commands.iter().filter(|name| name.starts_with(word)).map(|name| (*name).to_string()).collect());
    }
    // One step into modules at a time.
    let dots = word.matches('.').count();
    let part = |name: &String| -> String {
        let mut ends = name.match_indices('.').map(|(at, _)| at);
        ends.nth(dots).map_or(name.clone(), |end| name[..=end].to_string())
    };
    let mut found: Vec<String> = names.iter().filter(|name| name.starts_with(word)).map(part).collect();
    found.dedup();
    (start, found)
}

fn paths(start: &str) -> Vec<String> {
    let (folder, _) = start.rsplit_once('/').map_or(("", start), |(folder, name)| (folder, name));
    let shown = if folder.is_empty() { PathBuf::from(".") } else { PathBuf::from(folder) };
    let Ok(entries) = files::entries(&shown) else { return Vec::new() };
    let name = |path: PathBuf| {
        let fits = path.is_dir() || path.extension().is_some_and(|ending| ending == "rem" || ending == "fut");
        let shown = if folder.is_empty() { path.file_name()?.to_string_lossy().into_owned() } else { files::shown(&path) };
        (fits && shown.starts_with(start)).then(|| if path.is_dir() { shown + "/" } else { shown })
    };
    let mut found: Vec<String> = entries.into_iter().filter_map(name).collect();
    found.sort_unstable();
    found
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        Ok(match input::progress(&format!("{}\n", context.input())) {
            Progress::Complete => ValidationResult::Valid(None),
            Progress::Unfinished => ValidationResult::Incomplete,
        })
    }
}

impl Helper for Assistant {}

#[cfg(test)]
mod tests {
    use super::completions;

    #[test]
    fn names_are_completed_module_by_module() {
        let names: Vec<String> = ["f64.sqrt", "f64.sum", "filter", "map", "map2"].iter().map(|name| (*name).to_string()).collect();
        assert_eq!(completions(&names, "1 + ma", 6), (4, vec!["map".to_string(), "map2".to_string()]));
        assert_eq!(completions(&names, "f", 1), (0, vec!["f64.".to_string(), "filter".to_string()]));
        assert_eq!(completions(&names, "f64.s", 5), (0, vec!["f64.sqrt".to_string(), "f64.sum".to_string()]));
        assert_eq!(completions(&names, ":ti", 3), (0, vec![":time ".to_string()]));
    }
}
