//! Passes as values: a pipeline is a list of steps; what runs it times, validates and blames each of them.

/// From a program to a program of the same language.
pub type Pass<P> = fn(P) -> P;

/// A step of a pipeline.
#[derive(Debug)]
pub enum Step<P: 'static> {
    /// A pass with its name.
    Run(&'static str, Pass<P>),
    /// [`Step::Run`], for the last pass of a language: what it makes is validated in release builds too.
    Last(&'static str, Pass<P>),
    /// Steps that belong together.
    Group(&'static [Step<P>]),
    /// Steps for programs of which something holds.
    Where(fn(&P) -> bool, &'static [Step<P>]),
}

/// What is known of a pass that runs.
#[derive(Debug, Clone, Copy)]
pub struct Label {
    /// Its name.
    pub name: &'static str,
    /// Whether what it makes is validated in release builds too.
    pub always: bool,
}

/// What runs a pass on a program.
pub type Runner<'r, P> = &'r mut dyn FnMut(Label, P, Pass<P>) -> P;

/// Runs the steps of a pipeline in their order.
pub fn run<P>(steps: &[Step<P>], mut program: P, runner: Runner<'_, P>) -> P {
    for step in steps {
        program = match step {
            Step::Run(name, pass) => runner(Label { name, always: false }, program, *pass),
            Step::Last(name, pass) => runner(Label { name, always: true }, program, *pass),
            Step::Group(steps) => run(steps, program, runner),
            Step::Where(holds, steps) if holds(&program) => run(steps, program, runner),
            Step::Where(..) => program,
        };
    }
    program
}

/// [`run`]; `see` gets the program after each step, with the step's name.
pub fn run_seen<P>(steps: &[Step<P>], program: P, see: &mut dyn FnMut(&'static str, &P)) -> P {
    run(steps, program, &mut |label, program, pass| {
        let made = pass(program);
        see(label.name, &made);
        made
    })
}

/// The names of the passes, in order; those that run for some programs only are in brackets.
pub fn names<P>(steps: &[Step<P>]) -> Vec<String> {
    let of_step = |step: &Step<P>| match step {
        Step::Run(name, _) | Step::Last(name, _) => vec![name.to_string()],
        Step::Group(steps) => names(steps),
        Step::Where(_, steps) => names(steps).into_iter().map(|name| format!("[{name}]")).collect(),
    };
    steps.iter().flat_map(of_step).collect()
}

/// Whether what these steps make is validated in release builds too: their last one says so.
pub fn ends_validated<P>(steps: &[Step<P>]) -> bool {
    match steps.last() {
        Some(Step::Last(..)) => true,
        Some(Step::Group(steps)) => ends_validated(steps),
        Some(Step::Run(..) | Step::Where(..)) | None => false,
    }
}
