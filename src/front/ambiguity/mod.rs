//! Are several cheapest solutions of a rank system the same program?
//!
//! Ambiguity is about meaning: for each component of the system that has several optima, every optimum is written out as a term
//! of the smallest expression that contains all applications that differ ([`term`], [`translate`]), the other components being
//! at their canonical optimum. When the normal forms ([`normal`]) and the types are the same, the optima are one program, and the
//! first one that can be elaborated is taken ([`Verdict::search`]). Otherwise the definition is refused with every different reading
//! as source text (`report`).
//!
//! Readings whose sizes contradict each other are no readings: a caller that knows about sizes says which ones are well sized.

mod cells;
mod compare;
mod env;
pub mod form;
pub mod normal;
mod report;
pub mod term;
pub mod translate;
mod words;

pub use report::not_all_tried;

#[cfg(test)]
mod tests;

use crate::base::Span;
use crate::front::infer::Inferred;
use crate::ir::tables::{Program, Tables};
use compare::{Group, Question};

/// Most ambiguities of a definition that are reported in full.
const MAX_REPORTED: usize = 10;
/// The sizes of readings are checked until definitions with so many arguments in all have been, but at least and at most so often.
const SIZED_ARGUMENTS: usize = 100_000;
const MIN_SIZE_CHECKS: usize = 32;
const MAX_SIZE_CHECKS: usize = 512;
/// Most combinations of readings of different components that are tried when no reading alone is well sized; more are not decided.
const MAX_COMBINATIONS: usize = 64;
/// When the first of several optima of the same meaning cannot be elaborated, others are until definitions with so many arguments in all
/// have been, but at least and at most so many of them.
const ELABORATED_ARGUMENTS: usize = 20_000;
const MIN_ELABORATIONS: usize = 8;
const MAX_ELABORATIONS: usize = 256;

/// The reading that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Values of the rank variables: what [`Inferred::fill`] takes.
    pub values: Vec<u32>,
    /// The components that do not take their canonical optimum, because its sizes contradict each other: component and optimum.
    pub picks: Vec<(usize, usize)>,
    /// The components with several optima of the chosen meaning.
    pub equals: Vec<Equals>,
}

/// Optima of a component that mean the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equals {
    /// The component.
    pub component: usize,
    /// Its optima that have the meaning that was chosen, the chosen one first.
    pub optima: Vec<usize>,
    /// The smallest expression that contains the applications that differ.
    pub place: Span,
}

/// The end of a search among optima of the same meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Search {
    /// These values of the rank variables can be elaborated.
    Found(Vec<u32>),
    /// None of the optima can.
    Nothing,
    /// None of those tried can, and not all were tried.
    Limit,
}

/// How a reading was received by whoever elaborates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reception {
    /// It can be elaborated.
    Fine,
    /// Nothing says how often something at this place is replicated.
    Undetermined(Span),
    /// It cannot be elaborated, because of what is at this place; everything before it can.
    Refused(Span),
}

impl Reception {
    fn place(self) -> Span {
        match self {
            Reception::Fine => Span::default(),
            Reception::Undetermined(place) | Reception::Refused(place) => place,
        }
    }
    /// Whether this is nearer to an elaboration than what was received before, the last of which is `now`.
    fn is_progress(self, now: Reception, before: &[Reception]) -> bool {
        match (now, self) {
            (Reception::Refused(now), Reception::Refused(new)) => new.start > now.start,
            (Reception::Refused(_), Reception::Undetermined(_)) => true,
            (Reception::Undetermined(_), Reception::Undetermined(_)) => !before.contains(&self),
            _ => false,
        }
    }
}

impl Verdict {
    /// Looks among the optima of the same meaning for one that can be elaborated, given how the chosen one was received. One and the
    /// same program can be written with a replication whose length nothing says (of an argument that is never used, for instance) or
    /// without, and with a map over arrays of different sizes or without. Components change one at a time, those around the place of the
    /// trouble first; what moves the trouble elsewhere stays.
    ///
    /// A limit on the number of elaborations may end the search early.
    pub fn search(&self, inferred: &Inferred, first: Reception, elaborate: &mut dyn FnMut(&[u32]) -> Reception) -> Search {
        let mut picks = self.picks.clone();
        let mut tries = (ELABORATED_ARGUMENTS / inferred.arguments().max(1)).clamp(MIN_ELABORATIONS, MAX_ELABORATIONS);
        let mut seen: Vec<Reception> = vec![first];
        'trouble: loop {
            let now = *seen.last().unwrap_or(&first);
            let mut near: Vec<&Equals> = self.equals.iter().collect();
            near.sort_by_key(|equals| !equals.place.contains(now.place()));
            for Equals { component, optima, .. } in near {
                for &optimum in &optima[1..] {
                    if tries == 0 {
                        return Search::Limit;
                    }
                    tries -= 1;
                    let mut tried: Vec<(usize, usize)> = picks.iter().copied().filter(|(c, _)| c != component).collect();
                    tried.push((*component, optimum));
                    let values = inferred.values(&tried);
                    let reception = elaborate(&values);
                    if reception == Reception::Fine {
                        return Search::Found(values);
                    }
                    if reception.is_progress(now, &seen) {
                        seen.push(reception);
                        picks = tried;
                        continue 'trouble;
                    }
                }
            }
            return Search::Nothing;
        }
    }
}

/// Why a definition has no one reading. All its questions are of the same kind.
#[derive(Debug, Clone)]
pub struct Refusal {
    kind: RefusalKind,
    /// The components that have several readings.
    questions: Vec<Question>,
    /// The optima that other components take.
    picks: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefusalKind {
    /// Readings differ.
    Ambiguous,
    /// Nothing was found to differ as far as it was looked at.
    Undecided,
}

/// Decides which reading a definition has, or between which ones it cannot decide.
///
/// `well_sized` gets the tables of this definition alone ([`Inferred::tables`]) in some reading and says whether its sizes can agree;
/// it should accept a `rep` whose length nothing determines. It is called only where readings differ in meaning.
pub fn decide(program: &Program, inferred: &Inferred, well_sized: &dyn Fn(&Tables) -> bool) -> Result<Verdict, Refusal> {
    let mut questions = compare::questions(program, inferred);
    let mut picks = Vec::new();
    if questions.iter().any(Question::open) {
        let (mut open, settled): (Vec<Question>, Vec<Question>) = questions.into_iter().partition(Question::open);
        picks = SizeCheck::new(inferred, well_sized).narrow(&mut open);
        questions = settled;
        questions.append(&mut open);
        questions.sort_by_key(|question| question.component);
    }
    if questions.iter().any(Question::open) {
        let ambiguous = questions.iter().any(Question::ambiguous);
        let kind = if ambiguous { RefusalKind::Ambiguous } else { RefusalKind::Undecided };
        questions.retain(if ambiguous { Question::ambiguous } else { Question::open });
        return Err(Refusal { kind, questions, picks });
    }
    let equals = questions.iter().filter_map(|question| {
        let group = question.groups.first().filter(|group| group.members.len() > 1)?;
        let others = group.members.iter().copied().filter(|member| *member != group.optimum);
        let optima = std::iter::once(group.optimum).chain(others).collect();
        Some(Equals { component: question.component, optima, place: program.ast.exprs[question.subterm].span })
    });
    Ok(Verdict { values: inferred.values(&picks), equals: equals.collect(), picks })
}

/// Drops readings whose sizes contradict each other.
struct SizeCheck<'a> {
    inferred: &'a Inferred,
    well_sized: &'a dyn Fn(&Tables) -> bool,
    left: usize,
    /// Whether some sizes were not checked.
    exhausted: bool,
}

impl<'a> SizeCheck<'a> {
    fn new(inferred: &'a Inferred, well_sized: &'a dyn Fn(&Tables) -> bool) -> SizeCheck<'a> {
        let left = (SIZED_ARGUMENTS / inferred.arguments().max(1)).clamp(MIN_SIZE_CHECKS, MAX_SIZE_CHECKS);
        SizeCheck { inferred, well_sized, left, exhausted: false }
    }

    /// Removes the ill-sized groups of each question, and returns the optima to take instead of canonical ones. Stops when there is
    /// enough to report: the definition is refused then in any case.
    fn narrow(&mut self, questions: &mut [Question]) -> Vec<(usize, usize)> {
        let mut picks: Vec<(usize, usize)> = Vec::new();
        let mut blocked: Vec<usize> = Vec::new();
        let mut refused = 0;
        for (index, question) in questions.iter_mut().enumerate() {
            if refused >= MAX_REPORTED {
                return picks;
            }
            if !question.complete {
                refused += usize::from(question.ambiguous());
            } else if !self.resolve(question, &mut picks) {
                blocked.push(index);
            } else {
                refused += usize::from(question.ambiguous());
            }
        }
        // What was decided since may unblock others.
        loop {
            let before = blocked.len();
            blocked.retain(|&index| !self.resolve(&mut questions[index], &mut picks));
            if blocked.len() == before || blocked.is_empty() {
                break;
            }
        }
        self.combinations(questions, &blocked, &mut picks);
        picks
    }

    fn ok(&mut self, picks: &[(usize, usize)]) -> bool {
        if self.left == 0 {
            self.exhausted = true;
            return true;
        }
        self.left -= 1;
        (self.well_sized)(&self.inferred.tables(&self.inferred.values(picks)))
    }

    /// Keeps the groups that are well sized, if any is. A group stands for the first of its optima that is well sized.
    fn resolve(&mut self, question: &mut Question, picks: &mut Vec<(usize, usize)>) -> bool {
        let fits = |me: &mut Self, optimum: usize| {
            let mut picks = picks.clone();
            picks.push((question.component, optimum));
            me.ok(&picks)
        };
        let kept: Vec<Group> = question
            .groups
            .iter()
            .filter_map(|group| {
                let optimum = group.members.iter().copied().find(|optimum| fits(self, *optimum))?;
                Some(Group { optimum, members: group.members.clone() })
            })
            .collect();
        let Some(first) = kept.first() else { return false };
        if first.optimum != 0 {
            picks.push((question.component, first.optimum));
        }
        question.groups = kept;
        question.compared &= !self.exhausted;
        true
    }

    /// When no reading of several questions is well sized as long as the others take their canonical one: tries all combinations. A
    /// question for which nothing helps takes its canonical reading, and the sizes are reported later.
    fn combinations(&mut self, questions: &mut [Question], blocked: &[usize], picks: &mut Vec<(usize, usize)>) {
        if blocked.is_empty() {
            return;
        }
        let count = blocked.iter().try_fold(1usize, |n, &q| n.checked_mul(questions[q].groups.len())).unwrap_or(usize::MAX);
        if count > MAX_COMBINATIONS {
            blocked.iter().for_each(|q| questions[*q].compared = false);
            return;
        }
        let mut good: Vec<Vec<usize>> = Vec::new();
        for combination in 0..count {
            let (mut rest, mut choice) = (combination, Vec::new());
            for &q in blocked {
                choice.push(rest % questions[q].groups.len());
                rest /= questions[q].groups.len();
            }
            let mut tried = picks.clone();
            tried.extend(blocked.iter().zip(&choice).map(|(&q, &g)| (questions[q].component, questions[q].groups[g].optimum)));
            if self.ok(&tried) {
                good.push(choice);
            }
        }
        for (position, &q) in blocked.iter().enumerate() {
            let question = &mut questions[q];
            if let Some(choice) = good.first() {
                picks.push((question.component, question.groups[choice[position]].optimum));
            }
            let mut at = 0;
            question.groups.retain(|_| {
                at += 1;
                good.iter().any(|choice| choice[position] == at - 1) || good.is_empty() && at == 1
            });
        }
        picks.retain(|(_, optimum)| *optimum != 0);
    }
}
