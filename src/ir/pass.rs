//! Passes as values: a pipeline is a list of steps; what runs it times, validates and blames each of them.

/// From a program to a program of the same language.
pub type Pass<P> = fn(P) -> P;

/// A step of a pipeline.
#[derive(Debug)]
pub enum Step<P: 'static> {
    /// A pass with its name.
    Run(&'static str, Pass<P>),
    /// Steps for programs of which something holds.
    Where(fn(&P) -> bool, &'static [Step<P>]),
}

/// What runs a pass with its name on a program.
pub type Runner<'r, P> = &'r mut dyn FnMut(&'static str, P, Pass<P>) -> P;

/// Runs the steps of a pipeline in their order.
pub fn run<P>(steps: &[Step<P>], mut program: P, runner: Runner<'_, P>) -> P {
    for step in steps {
        match step {
            Step::Run(name, pass) => program = runner(name, program, *pass),
            Step::Where(holds, steps) if holds(&program) => program = run(steps, program, runner),
            Step::Where(..) => {}
        }
    }
    program
}

/// The same; `see` gets the program after each step, with the step's name.
pub fn run_seen<P>(steps: &[Step<P>], program: P, see: &mut dyn FnMut(&'static str, &P)) -> P {
    run(steps, program, &mut |name, program, pass| {
        let made = pass(program);
        see(name, &made);
        made
    })
}

/// The names of the steps, in order; those for some programs only are in brackets.
pub fn names<P>(steps: &[Step<P>]) -> Vec<String> {
    let of_step = |step: &Step<P>| match step {
        Step::Run(name, _) => vec![name.to_string()],
        Step::Where(_, steps) => names(steps).into_iter().map(|name| format!("[{name}]")).collect(),
    };
    steps.iter().flat_map(of_step).collect()
}
