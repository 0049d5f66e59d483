//! `remora repl`: definitions and expressions, one after the other.

mod edit;
mod input;
mod names;
mod session;
mod written;

use super::output::Console;
use super::{FAILURE, Outcome, SUCCESS, files, plot, values};
use crate::base::{Code, SourceMap, Symbol, ice};
use crate::diag::Diagnostic;
use crate::driver;
use crate::front::explicit::Printer;
use crate::interp::interrupt;
use crate::ir::core;
use crate::ir::tables::DefId;
use crate::runtime::Value;
use clap::Args;
use edit::Source;
use input::Entered;
use session::{IT, Input, Made, Session};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Enter definitions and expressions, and see what they come to
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  remora repl
  remora repl program.rem               with what the program defines
  echo 'f64.sum [1, 2, 3]' | remora repl

An input may be a definition, an expression, `let x = e`, whose value is kept, or a command: `:help` lists them. `$loadnpy \"a.npy\"` stands for
the array in a file. Expressions are evaluated, not compiled. Ctrl-C drops the input, or stops the evaluation; Ctrl-D ends the session. The
exit code is 1 if standard input is no terminal and some input was refused.")]
pub(super) struct ReplArgs {
    /// Programs to begin with
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What the first inputs of the help are.
const INPUTS: &str = "  def f x = ..          defines something; so do entry, type, module, import, open
  let x = e             evaluates e and keeps its value; later definitions mean this value by `x`
  e                     evaluates an expression; `$loadnpy \"a.npy\"` in it stands for the array in a file
";

/// A command of the session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Command {
    Type,
    Infer,
    Core,
    Time,
    Plot,
    Load,
    Reload,
    List,
    Clear,
    Help,
    Quit,
}

/// The commands: their names, the first of which the help shows, with what follows it, and what they do.
const COMMANDS: &[(Command, &[&str], &str, &str)] = &[
    (Command::Type, &["type", "t"], "e", "the type of an expression, or of a definition, `def f x = ..`, that is not kept"),
    (Command::Infer, &["infer", "i"], "e", "what is inserted into an expression, a definition of that name, or one that is not kept"),
    (Command::Core, &["core"], "e", "the same as core"),
    (Command::Time, &["time"], "e", "evaluates an expression and says how long that took"),
    (Command::Plot, &["plot"], "[FILE] e", "draws an expression, in the terminal or into a .png or .svg file"),
    (Command::Load, &["load", "l"], "FILE", "makes visible what a program defines"),
    (Command::Reload, &["reload", "r"], "", "reads the programs again"),
    (Command::List, &["list"], "", "what has been defined"),
    (Command::Clear, &["clear"], "", "forgets all of it"),
    (Command::Help, &["help", "h", "?"], "", "this"),
    (Command::Quit, &["quit", "q", "exit"], "", "ends the session (or Ctrl-D)"),
];

/// Whether the argument of a command is an expression or a definition, which may have several lines; `:plot` may have a file before it.
fn takes_text(name: &str) -> bool {
    let of_text = |command| matches!(command, Command::Type | Command::Infer | Command::Core | Command::Time | Command::Plot);
    COMMANDS.iter().any(|(command, names, ..)| names.contains(&name) && of_text(*command))
}

/// Whether a command has this name.
fn is_command(name: &str) -> bool {
    COMMANDS.iter().any(|(_, names, ..)| names.contains(&name))
}

fn help() -> String {
    let line = |(_, names, argument, what): &(Command, &[&str], &str, &str)| {
        let usage = format!(":{} {argument}", names[0]);
        format!("  {usage:<22}{what}\n")
    };
    let commands: String = COMMANDS.iter().map(line).collect();
    format!(
        "{INPUTS}{commands}An input that is not complete goes on in the next line, up to an empty one; if standard input is no terminal, also up to a command.\n"
    )
}

/// The longest text of a value that is shown.
const MOST_SHOWN: usize = 1 << 16;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Whether the session goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Input,
    End,
}

struct Repl<'a> {
    session: Session,
    console: &'a mut Console,
    count: usize,
}

pub(super) fn run(args: &ReplArgs, console: &mut Console) -> Outcome {
    let mut repl = Repl { session: Session::default(), console, count: 0 };
    for file in &args.files {
        if let Err(diagnostic) = repl.load(file) {
            repl.console.report(&SourceMap::default(), &diagnostic);
        }
    }
    let interactive = std::io::stdin().is_terminal();
    let mut source = Source::new(interactive)?;
    if interactive {
        // Where this is not possible, Ctrl-C ends the process as usual.
        ctrlc::set_handler(interrupt::ask).ok();
        repl.console.print("remora: `:help` lists the commands, Ctrl-D ends\n");
        source.know(repl.names());
    }
    loop {
        repl.console.flush();
        let Some(text) = source.next() else { break };
        let errors = repl.console.errors();
        match ice::catch(|| repl.input(&text)) {
            Ok(Next::End) => break,
            Ok(Next::Input) => {}
            Err(bug) => repl.console.report(&SourceMap::default(), &driver::internal(&bug)),
        }
        if interactive && repl.console.errors() == errors {
            source.know(repl.names());
        }
    }
    let failed = !interactive && repl.console.errors() > 0;
    Ok(if failed { FAILURE } else { SUCCESS })
}

impl Repl<'_> {
    /// Reads one input and does what it asks for.
    fn input(&mut self, text: &str) -> Next {
        interrupt::clear();
        let (text, loads) = match self.loads(text) {
            Ok(found) => found,
            Err(diagnostic) => {
                self.console.report(&SourceMap::default(), &diagnostic);
                return Next::Input;
            }
        };
        let next = self.entered(&text, loads);
        self.session.variables.retain(|variable| !variable.name.starts_with(LOADED));
        next
    }

    fn entered(&mut self, text: &str, loads: Vec<(String, Value)>) -> Next {
        if !loads.is_empty() && input::classify(text) == Entered::Definitions {
            let message = "definitions do not know the values of files";
            let help = "keep the value, `let x = $loadnpy \"a.npy\"`, and give it to a function";
            self.console.report(&SourceMap::default(), &Diagnostic::bare(Code::NotRunnable, message).help(help));
            return Next::Input;
        }
        for (name, value) in loads {
            // Values of files have types that can be written.
            self.session.bind(&name, value).ok();
        }
        self.count += 1;
        let input = |text: &str| Input::new(self.count, text.trim_end());
        match input::classify(text) {
            Entered::Nothing => {}
            Entered::Definitions => self.define(input(text)),
            Entered::Bindings(names, text) => self.bind(&names, &input(&text)),
            Entered::Expression => self.evaluate(&input(text), false),
            Entered::Command(name, argument) => {
                let argument = input(&argument);
                return self.command(&name, &argument);
            }
        }
        Next::Input
    }

    /// Replaces `$loadnpy "file"` by names of the same length, with the values that they stand for.
    fn loads(&self, text: &str) -> Result<(String, Vec<(String, Value)>)> {
        let (mut out, mut rest, mut found) = (String::new(), text, Vec::new());
        while let Some(at) = rest.find('$') {
            let word: String = rest[at + 1..].chars().take_while(char::is_ascii_alphanumeric).collect();
            let after = &rest[at + 1 + word.len()..];
            let path = after.trim_start().strip_prefix('"').and_then(|path| path.split_once('"'));
            let (Some((path, behind)), "loadnpy" | "loaddata" | "load") = (path, word.as_str()) else {
                out.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
                continue;
            };
            let name = format!("{LOADED}{}", found.len());
            found.push((name.clone(), session::read_data(path)?));
            let length = rest.len() - behind.len() - at;
            out.push_str(&rest[..at]);
            out.push_str(&format!("{name:<length$}"));
            rest = behind;
        }
        out.push_str(rest);
        Ok((out, found))
    }

    fn command(&mut self, name: &str, argument: &Input) -> Next {
        let Some((command, ..)) = COMMANDS.iter().find(|(_, names, ..)| names.contains(&name)) else {
            let diagnostic = Diagnostic::bare(Code::OptionValue, format!("there is no command `:{}`", name.escape_debug()));
            let close = crate::diag::closest(name, COMMANDS.iter().map(|(_, names, ..)| names[0]));
            self.refuse(close.into_iter().fold(diagnostic, |diagnostic, close| diagnostic.help(format!("did you mean `:{close}`?"))));
            return Next::Input;
        };
        let defines = input::classify(&argument.text) == Entered::Definitions;
        match command {
            Command::Quit => return Next::End,
            Command::Help => self.console.print(help()),
            Command::Type if defines => self.show_definitions(argument, |repl, made, def| repl.typed(made, def)),
            Command::Core if defines => self.show_definitions(argument, |repl, made, def| repl.core_of(made, def)),
            Command::Type => self.show(argument, |repl, made, _| {
                let ty = repl.type_of(made);
                repl.console.print(format!("{ty}\n"));
            }),
            Command::Infer => self.infer(argument),
            Command::Core => self.show(argument, |repl, made, _| match made.entry() {
                Ok(entry) => {
                    let program = core::Program { defs: vec![entry.clone()], ..Default::default() };
                    repl.console.print(core::print::program(&program));
                }
                Err(diagnostic) => repl.console.report(&SourceMap::default(), &diagnostic),
            }),
            Command::Time => self.evaluate(argument, true),
            Command::Plot => self.plot(argument),
            Command::Load if argument.text.is_empty() => {
                self.refuse(Diagnostic::bare(Code::OptionValue, "`:load` needs the name of a program"));
            }
            Command::Load => {
                if let Err(diagnostic) = self.load(&PathBuf::from(argument.text.trim_matches('"'))) {
                    self.console.report(&SourceMap::default(), &diagnostic);
                }
            }
            Command::Reload => self.reload(),
            Command::List => self.list(),
            Command::Clear => self.session = Session::default(),
        }
        Next::Input
    }

    /// Says what is wrong with a command.
    fn refuse(&mut self, diagnostic: Diagnostic) {
        self.console.report(&SourceMap::default(), &diagnostic.help("`:help` lists the commands"));
    }

    /// Checks an expression, and shows something of it if it is accepted.
    fn show(&mut self, input: &Input, then: impl FnOnce(&mut Self, &Made, Duration)) {
        if input.text.is_empty() {
            let message = "an expression is missing";
            return self.console.report(&SourceMap::default(), &Diagnostic::bare(Code::OptionValue, message));
        }
        let start = Instant::now();
        let made = self.session.make(input, true);
        let checked = start.elapsed();
        if self.report(&made) {
            then(self, &made, checked);
        }
    }

    /// Reports what is wrong with a program; true if it is accepted.
    fn report(&mut self, made: &Made) -> bool {
        for diagnostic in &made.checked.diagnostics {
            let (mut diagnostic, sources) = made.shown(diagnostic.clone());
            if diagnostic.code == Code::UnknownName
                && let Some(help) = diagnostic.labels.first().and_then(|label| self.session.unknown(sources.snippet(label.span)))
            {
                diagnostic = diagnostic.help(help);
            }
            self.console.report(sources, &diagnostic);
        }
        !made.checked.failed()
    }

    fn define(&mut self, input: Input) {
        if let Some(name) = self.session.misread(&input.text) {
            let message = format!("`{name}` would not mean the value that was kept last");
            let diagnostic = Diagnostic::bare(Code::NotRunnable, message).help("take another name for what the definition means by it");
            let diagnostic = self.session.unknown(&name).into_iter().fold(diagnostic, Diagnostic::help);
            return self.console.report(&SourceMap::default(), &diagnostic);
        }
        let input = self.session.with_values(input);
        let made = self.session.make(&input, false);
        if self.report(&made) {
            let names = input::defined(&input.text);
            self.session.define(input, &names);
        }
    }

    /// The value of an accepted expression; what keeps it from having one is reported.
    fn value(&mut self, made: &Made) -> Option<Value> {
        let result = made.entry().and_then(|entry| driver::run(&made.checked, entry.name, made.arguments.clone(), None));
        match result {
            Ok(value) => Some(value),
            Err(failure) if Made::is_interrupt(&failure) => {
                self.console.report(&SourceMap::default(), &Diagnostic::bare(Code::Interrupted, "interrupted"));
                None
            }
            Err(failure) => {
                let (diagnostic, sources) = made.shown(*failure);
                self.console.report(sources, &diagnostic);
                None
            }
        }
    }

    fn evaluate(&mut self, input: &Input, timed: bool) {
        self.show(input, |repl, made, checked| {
            let Ok(entry) = made.entry() else { return };
            let ty = repl.type_of(made);
            if is_function(&ty) || values::result_shapes(entry).contains(&crate::interp::entry::Shape::Other) {
                return repl.console.print(format!("a value of the type {ty}, which is, or has in it, a function\n"));
            }
            let start = Instant::now();
            let Some(value) = repl.value(made) else { return };
            let ran = start.elapsed();
            let (mut text, cut) = values::show_beginning(&value, MOST_SHOWN);
            if cut {
                text.push_str(" ..\n");
            }
            repl.console.print(text);
            if timed {
                repl.console.print(format!("checked in {checked:.1?}, evaluated in {ran:.1?}\n"));
            }
        });
    }

    /// Draws a value, in the terminal or into the file that stands before the expression.
    fn plot(&mut self, input: &Input) {
        let (first, rest) = input.text.split_once(char::is_whitespace).unwrap_or((&input.text, ""));
        let name = first.trim_matches('"');
        let named = plot::is_picture(name) || !rest.trim().is_empty() && plot::is_other_picture(name);
        let file = named.then(|| PathBuf::from(name));
        // What stands before an expression is blank, so that places in it stay what they are.
        let text = if file.is_some() { format!("{:1$}{rest}", "", input.text.len() - rest.len()) } else { input.text.clone() };
        self.show(&Input::new(input.number, &text), |repl, made, _| {
            let Some(value) = repl.value(made) else { return };
            let drawn = match &file {
                Some(path) => plot::save(path, &value, repl.console),
                None => plot::shown(&value, repl.console).map(|text| repl.console.print(text)),
            };
            if let Err(diagnostic) = drawn {
                repl.console.report(&SourceMap::default(), &diagnostic);
            }
        });
    }

    fn bind(&mut self, names: &[String], input: &Input) {
        self.show(input, |repl, made, _| {
            if is_function(&repl.type_of(made)) {
                return repl.not_kept(&names.join("`, `"), "it is a function");
            }
            let Some(value) = repl.value(made) else { return };
            let values = match (names, value) {
                ([_], value) => vec![value],
                (_, Value::Tuple(tuple)) => tuple.parts.clone(),
                (_, other) => vec![other],
            };
            for (name, value) in names.iter().zip(values) {
                if let Err(why) = repl.session.bind(name, value) {
                    repl.not_kept(name, &why);
                }
            }
        });
    }

    fn not_kept(&mut self, name: &str, why: &str) {
        let message = format!("`{name}` cannot be kept: {why}");
        let help = format!("define it: `def {name} = ..`");
        self.console.report(&SourceMap::default(), &Diagnostic::bare(Code::NotRunnable, message).help(help));
    }

    /// The type of an expression, without the variables that are its arguments.
    fn type_of(&self, made: &Made) -> String {
        let it = made.checked.program.defs.iter().filter(|(_, def)| def.file == made.root && def.name.as_str() == IT);
        let shown = it.last().and_then(|(id, _)| made.checked.type_of(id)).unwrap_or_default();
        result_type(&shown, made.arguments.len())
    }

    /// Checks definitions without keeping them, and shows something of each.
    fn show_definitions(&mut self, input: &Input, mut then: impl FnMut(&mut Self, &Made, DefId)) {
        let made = self.session.make(&self.session.with_values(input.clone()), false);
        if !self.report(&made) {
            return;
        }
        for name in input::defined(&input.text) {
            if let Some(def) = made.definition(name) {
                then(self, &made, def);
            }
        }
    }

    fn typed(&mut self, made: &Made, def: DefId) {
        let ty = made.checked.type_of(def).unwrap_or_default();
        self.console.print(format!("{} : {ty}\n", made.checked.program.defs[def].name));
    }

    fn core_of(&mut self, made: &Made, def: DefId) {
        let name = made.checked.program.defs[def].unique;
        let defs = made.checked.core.defs.iter().filter(|define| define.name == name).cloned().collect();
        self.console.print(core::print::program(&core::Program { defs, ..Default::default() }));
    }

    fn infer(&mut self, input: &Input) {
        if input::classify(&input.text) == Entered::Definitions {
            return self.show_definitions(input, |repl, made, def| repl.inferred(made, def));
        }
        let defined = self.session.definitions.iter().any(|def| input::defined(&def.text).iter().any(|name| name.as_str() == input.text));
        if !defined {
            return self.show(input, |repl, made, _| {
                let Some(def) = made.definition(Symbol::new(IT)) else { return };
                // The expression is shown without the entry point that it is the body of.
                let text = explicit(made, def);
                let body = text.split_inclusive('\n').skip_while(|line| !line.starts_with("entry ")).skip(1).collect::<String>();
                let ty = repl.type_of(made);
                repl.console.print(format!("{ty}\n{body}"));
            });
        }
        let made = self.session.make(&Input::new(input.number, ""), false);
        if self.report(&made)
            && let Some(def) = made.definition(Symbol::new(&input.text))
        {
            self.inferred(&made, def);
        }
    }

    fn inferred(&mut self, made: &Made, def: DefId) {
        self.console.print(explicit(made, def));
    }

    fn load(&mut self, path: &std::path::Path) -> Result<()> {
        if !path.extension().is_some_and(|ending| ending == "rem" || ending == "fut") {
            let message = format!("`{}` is no program: its name ends neither in `.rem` nor in `.fut`", files::shown(path).escape_debug());
            return Err(Box::new(Diagnostic::bare(Code::UnreadableFile, message)));
        }
        files::read_source(path)?;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        self.session.reload();
        let before = self.session.loaded.clone();
        self.session.loaded.retain(|other| *other != path);
        self.session.loaded.push(path);
        if !self.is_sound() {
            self.session.loaded = before;
        }
        Ok(())
    }

    fn reload(&mut self) {
        self.session.reload();
        self.is_sound();
    }

    /// Checks everything again; true if it is accepted.
    fn is_sound(&mut self) -> bool {
        let made = self.session.make(&Input::new(self.count, ""), false);
        self.report(&made)
    }

    fn list(&mut self) {
        for path in &self.session.loaded {
            self.console.print(format!(":load {}\n", files::shown(path)));
        }
        for definition in &self.session.definitions {
            self.console.print(format!("{}\n", definition.text));
        }
        for variable in &self.session.variables {
            self.console.print(format!("{} : {}\n", variable.name, variable.ty));
        }
    }

    /// All names that may be completed.
    fn names(&self) -> Vec<String> {
        let made = self.session.make(&Input::new(0, ""), false);
        let mut names = names::all(&made.checked.program);
        names.extend(self.session.variables.iter().map(|variable| variable.name.clone()));
        names
    }
}

/// What names of values of files begin with. The text `$loadnpy ".."`, in whose place such a name is put, is always longer, so that places keep
/// their columns.
const LOADED: &str = "npy'";

/// A definition with its type and its insertions.
fn explicit(made: &Made, def: DefId) -> String {
    let checked = &made.checked;
    let printer = Printer::new(&checked.program, &made.sources);
    let text = printer.pretty(&checked.tables, def, checked.type_of(def).as_deref());
    input::moved_up(&text, made.lines_before(checked.program.defs[def].decl_span()))
}

/// Whether a type is that of a function.
fn is_function(ty: &str) -> bool {
    result_type(ty, 1) != ty
}

/// A type without its first parameters.
fn result_type(ty: &str, parameters: usize) -> String {
    let mut rest = ty;
    for _ in 0..parameters {
        let mut depth = 0;
        let bytes = rest.as_bytes();
        let arrow = (0..bytes.len()).find(|at| {
            match bytes[*at] {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
            depth == 0 && rest[*at..].starts_with("->")
        });
        match arrow {
            Some(at) => rest = rest[at + 2..].trim_start(),
            None => break,
        }
    }
    rest.to_string()
}

#[cfg(test)]
mod tests {
    use super::result_type;

    #[test]
    fn parameters_are_left_out_of_types() {
        assert_eq!(result_type("[3]f64 -> (i64 -> i64) -> f64 -> f64", 2), "f64 -> f64");
        assert_eq!(result_type("f64", 0), "f64");
    }
}
