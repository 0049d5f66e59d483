//! Presolve: decide what intervals and merging decide, then split the rest into connected components.

use super::engine::{Affine, Engine, Gate, INF, Problem, Row};
use super::merge::{LARGEST, Merger, Stop};
use super::system::{System, VarKind};

/// A connected part of a problem, as a problem of its own.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) problem: Problem,
    /// The roots of the parent problem that the piece's variables are; `None` is the constant zero.
    vars: Vec<Option<u32>>,
}

/// A presolved problem: merged variables and the pieces that are still open.
pub(super) struct Presolved {
    merger: Merger,
    /// Variables by root, for those that were merged into another or are alone.
    members: Vec<Vec<u32>>,
    pub(super) pieces: Vec<Piece>,
}

/// Writes a system in solver form. `only` selects equations and sites (for conflicts).
pub(super) fn problem_of(system: &System, only: Option<(&[usize], &[usize])>) -> Result<Problem, Stop> {
    let vars = system.kinds.len();
    let is_type = |kind: &VarKind| u32::from(*kind == VarKind::Type);
    let mut problem =
        Problem { lo: vec![0; vars], hi: vec![INF; vars], weight: system.kinds.iter().map(is_type).collect(), ..Problem::default() };
    let small = |x: i64| if i128::from(x).abs() <= LARGEST { Ok(x) } else { Err(Stop::TooLarge) };
    let convert = |expr: &super::LinExpr| {
        let mut terms: Vec<(u32, i64)> = Vec::with_capacity(expr.terms.len());
        for &(var, c) in &expr.terms {
            if var.index() >= vars {
                return Err(Stop::TooLarge);
            }
            terms.push((var.0, small(c)?));
        }
        if !terms.is_sorted_by(|a, b| a.0 < b.0) {
            terms.sort_unstable_by_key(|&(var, _)| var);
            terms.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
        }
        terms.retain(|&(_, c)| c != 0);
        Ok((terms, small(expr.constant)?))
    };
    let mut add_row = |at: usize| -> Result<(), Stop> {
        let (terms, constant) = convert(&system.equations[at].expr)?;
        problem.rows.push(Row { terms, constant, pairs: Vec::new() });
        Ok(())
    };
    match only {
        Some((rows, _)) => rows.iter().copied().try_for_each(&mut add_row)?,
        None => (0..system.equations.len()).try_for_each(&mut add_row)?,
    }
    let mut add_gate = |at: usize| -> Result<(), Stop> {
        let site = &system.sites[at];
        if site.map.index() >= vars || site.rep.index() >= vars {
            return Err(Stop::TooLarge);
        }
        let (frame, frame_constant) = convert(&site.frame)?;
        problem.gates.push(Gate { id: at as u32, m: (site.map.0, 0), r: (site.rep.0, 0), frame, frame_constant });
        Ok(())
    };
    match only {
        Some((_, sites)) => sites.iter().copied().try_for_each(&mut add_gate)?,
        None => (0..system.sites.len()).try_for_each(&mut add_gate)?,
    }
    Ok(problem)
}

/// Presolves a problem and splits what is left.
pub(super) fn presolve(problem: Problem) -> Result<Presolved, Stop> {
    let mut merger = Merger::new(problem);
    merger.run()?;
    split(merger)
}

fn split(mut merger: Merger) -> Result<Presolved, Stop> {
    let vars = merger.engine.problem.lo.len();
    let mut members = vec![Vec::new(); vars];
    for var in 0..vars as u32 {
        let (root, _) = merger.find(var);
        members[root as usize].push(var);
    }
    let gates = open_gates(&mut merger)?;
    let mut links = Links((0..vars as u32).collect());
    for row in &merger.engine.problem.rows {
        let open = row.terms.iter().map(|term| term.0).filter(|&var| !merger.engine.fixed(var));
        links.join(open);
    }
    for gate in &gates {
        let open = [gate.m.0, gate.r.0].into_iter().chain(gate.frame.iter().map(|term| term.0));
        links.join(open.filter(|&var| !merger.engine.fixed(var)));
    }
    let mut builder = Builder { engine: &merger.engine, piece_of: vec![u32::MAX; vars], local: vec![u32::MAX; vars], pieces: Vec::new() };
    // Gates first, so that pieces come in the order of their first site.
    for gate in &gates {
        let open = [gate.m.0, gate.r.0].into_iter().chain(gate.frame.iter().map(|term| term.0));
        if let Some(var) = open.into_iter().find(|&var| !merger.engine.fixed(var)) {
            let root = links.find(var);
            builder.add_gate(root, gate);
        }
    }
    for row in &merger.engine.problem.rows {
        if let Some(&(var, _)) = row.terms.iter().find(|term| !merger.engine.fixed(term.0)) {
            let root = links.find(var);
            builder.add_row(root, row);
        }
    }
    let pieces = builder.pieces;
    Ok(Presolved { merger, members, pieces })
}

/// The gates whose sides or whose cost are still open. Frames that cannot matter are made constant, so that they link nothing.
fn open_gates(merger: &mut Merger) -> Result<Vec<Gate>, Stop> {
    let mut open = Vec::new();
    for at in 0..merger.engine.problem.gates.len() {
        let mut gate = merger.engine.problem.gates[at].clone();
        let (frame, constant) = merger.resolve(std::mem::take(&mut gate.frame), gate.frame_constant)?;
        (gate.frame, gate.frame_constant) = (frame, constant);
        let (low, high) = merger.engine.frame(&gate);
        let most = merger.engine.interval(gate.r).1;
        if most <= low {
            // Every rep is induced.
            (gate.frame, gate.frame_constant) = (Vec::new(), most.max(0));
        }
        let decided = merger.engine.fixed(gate.m.0) && merger.engine.fixed(gate.r.0);
        if !decided || (!gate.frame.is_empty() && low < high) {
            open.push(gate);
        }
    }
    Ok(open)
}

/// Union-find without offsets.
struct Links(Vec<u32>);

impl Links {
    fn find(&mut self, var: u32) -> u32 {
        let mut at = var;
        while self.0[at as usize] != at {
            let next = self.0[at as usize];
            self.0[at as usize] = self.0[next as usize];
            at = self.0[at as usize];
        }
        at
    }

    fn join(&mut self, mut vars: impl Iterator<Item = u32>) {
        let Some(first) = vars.next() else { return };
        let mut root = self.find(first);
        for var in vars {
            let other = self.find(var);
            // The smaller index stays: no ranks needed with path halving.
            let (keep, drop) = (root.min(other), root.max(other));
            self.0[drop as usize] = keep;
            root = keep;
        }
    }
}

struct Builder<'a> {
    engine: &'a Engine,
    piece_of: Vec<u32>,
    /// The index of an open root in its piece.
    local: Vec<u32>,
    pieces: Vec<Piece>,
}

impl Builder<'_> {
    fn piece(&mut self, root: u32) -> usize {
        if self.piece_of[root as usize] == u32::MAX {
            self.piece_of[root as usize] = self.pieces.len() as u32;
            // Variable 0 of each piece is the constant zero.
            let problem = Problem { lo: vec![0], hi: vec![0], weight: vec![0], ..Problem::default() };
            self.pieces.push(Piece { problem, vars: vec![None] });
        }
        self.piece_of[root as usize] as usize
    }

    fn local(&mut self, piece: usize, var: u32) -> u32 {
        if self.local[var as usize] == u32::MAX {
            let Piece { problem, vars } = &mut self.pieces[piece];
            self.local[var as usize] = vars.len() as u32;
            vars.push(Some(var));
            problem.lo.push(self.engine.lo(var));
            problem.hi.push(self.engine.hi(var));
            problem.weight.push(self.engine.problem.weight[var as usize]);
        }
        self.local[var as usize]
    }

    fn sum(&mut self, piece: usize, terms: &[(u32, i64)], mut constant: i64) -> (Vec<(u32, i64)>, i64) {
        let mut open = Vec::with_capacity(terms.len());
        for &(var, c) in terms {
            if self.engine.fixed(var) {
                constant += c * self.engine.lo(var);
            } else {
                open.push((self.local(piece, var), c));
            }
        }
        (open, constant)
    }

    fn add_row(&mut self, root: u32, row: &Row) {
        let piece = self.piece(root);
        let (terms, constant) = self.sum(piece, &row.terms, row.constant);
        self.pieces[piece].problem.rows.push(Row { terms, constant, pairs: Vec::new() });
    }

    fn side(&mut self, piece: usize, (var, offset): Affine) -> Affine {
        if self.engine.fixed(var) { (0, self.engine.lo(var) + offset) } else { (self.local(piece, var), offset) }
    }

    fn add_gate(&mut self, root: u32, gate: &Gate) {
        let piece = self.piece(root);
        let (m, r) = (self.side(piece, gate.m), self.side(piece, gate.r));
        let (frame, frame_constant) = self.sum(piece, &gate.frame, gate.frame_constant);
        self.pieces[piece].problem.gates.push(Gate { id: gate.id, m, r, frame, frame_constant });
    }
}

impl Presolved {
    /// Sites of the pieces that are still undecided.
    pub(super) fn undecided(&self) -> usize {
        self.pieces.iter().map(|piece| piece.problem.gates.len()).sum()
    }

    /// The smallest value of each variable, before the pieces are solved.
    pub(super) fn base(&mut self) -> Vec<i64> {
        (0..self.members.len() as u32)
            .map(|var| {
                let (root, offset) = self.merger.find(var);
                self.merger.engine.lo(root) + offset
            })
            .collect()
    }

    /// Translates a piece's values into values of the parent's variables.
    pub(super) fn lift(&mut self, piece: usize, values: &[(u32, i64)]) -> Vec<(u32, i64)> {
        let mut lifted = Vec::new();
        for &(local, value) in values {
            let Some(root) = self.pieces[piece].vars[local as usize] else { continue };
            for index in 0..self.members[root as usize].len() {
                let var = self.members[root as usize][index];
                let (_, offset) = self.merger.find(var);
                lifted.push((var, value + offset));
            }
        }
        lifted
    }
}
