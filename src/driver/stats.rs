//! How much work checking was.

use crate::front::infer::Inferred;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use std::time::Duration;

/// Figures of the rank solver and times. Definitions of the standard library count for the times only.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Stats {
    /// Arguments of applications.
    pub applications: usize,
    /// Arguments that presolve left undecided.
    pub undecided: usize,
    /// Variables of the rank systems.
    pub variables: usize,
    /// Constraints of the rank systems.
    pub constraints: usize,
    /// Independent parts that presolve left undecided.
    pub components: usize,
    /// Runs of the integer program solver.
    pub ilp_solves: usize,
    /// Definitions of which a former check is kept.
    #[serde(skip)]
    pub kept: usize,
    /// Times.
    #[serde(rename = "milliseconds")]
    pub times: Times,
}

/// How long the passes took.
#[derive(Debug, Default, Clone, Copy)]
pub struct Times {
    /// Reading, parsing, resolving names.
    pub parse: Duration,
    /// Types and rank constraints.
    pub infer: Duration,
    /// Solving the rank constraints, ambiguity.
    pub rank: Duration,
    /// Sizes.
    pub sizes: Duration,
    /// Making core.
    pub elaborate: Duration,
    /// Checking of what is consumed.
    pub consume: Duration,
}

impl Times {
    fn named(&self) -> [(&'static str, Duration); 6] {
        [
            ("parse", self.parse),
            ("infer", self.infer),
            ("rank", self.rank),
            ("sizes", self.sizes),
            ("elaborate", self.elaborate),
            ("consume", self.consume),
        ]
    }
}

/// Times of steps, a line each.
pub fn times_table(times: &[(&'static str, Duration)]) -> String {
    times.iter().map(|(name, time)| format!("{name:<22} {:>10.3} ms\n", milliseconds(*time))).collect()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Times", 6)?;
        for (name, time) in self.named() {
            fields.serialize_field(name, &milliseconds(time))?;
        }
        fields.end()
    }
}

impl Stats {
    /// Adds the figures of a definition.
    pub fn add(&mut self, inferred: &Inferred, stdlib: bool) {
        if stdlib {
            return;
        }
        let stats = &inferred.solution().stats;
        self.applications += inferred.arguments();
        self.undecided += stats.undecided;
        self.variables += stats.variables;
        self.constraints += stats.constraints;
        self.components += stats.components;
        self.ilp_solves += stats.ilp_solves;
    }

    /// The times of the steps up to core, in their order.
    pub fn times(&self) -> Vec<(&'static str, Duration)> {
        self.times.named().to_vec()
    }

    /// Everything, a line each.
    pub fn table(&self) -> String {
        let figures = [
            ("arguments", self.applications),
            ("undecided", self.undecided),
            ("variables", self.variables),
            ("constraints", self.constraints),
            ("components", self.components),
            ("solver runs", self.ilp_solves),
        ];
        let figures: String = figures.iter().map(|(name, figure)| format!("{name:<12} {figure:>10}\n")).collect();
        figures + &times_table(&self.times())
    }
}
