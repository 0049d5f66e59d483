//! What optimised programs consist of, compared with `structure` blocks.
//!
//! Names in small letters are this compiler's: `map`, `reduce`, `scan` (each array operator is one of them), `filter`, `scatter`, `hist`,
//! `loop`, `copy`, `check`. Those with a capital are Futhark's, as far as there is a counterpart ([`NAMES`]); `A/B` is a B directly within
//! an A, `/A` an A at the top. What entry points call is counted at the call.

use super::blocks::Shape;
use crate::base::scalar::Op;
use crate::ir::soac::{Body, Exp, FunId, Program, SegKind, visit::Part};

/// Futhark's names and what they count here.
pub const NAMES: &[(&str, &str)] = &[
    ("Screma", "array operators of all kinds"),
    ("Map", "array operators that neither scan nor reduce"),
    ("Reduce", "array operators that reduce"),
    ("Redomap", "array operators that reduce"),
    ("Scan", "array operators that scan"),
    ("Scanomap", "array operators that scan"),
    ("Scatter", "scatters"),
    ("Hist", "histograms"),
    ("SegHist", "histograms"),
    ("Filter", "filters"),
    ("SegMap", "maps over thread spaces"),
    ("SegRed", "reductions over thread spaces"),
    ("SegScan", "scans over thread spaces"),
    ("Loop", "loops"),
    ("DoLoop", "loops"),
    ("If", "branches"),
    ("Match", "branches"),
    ("Iota", "ranges"),
    ("Replicate", "replications"),
    ("Concat", "concatenations"),
    ("Rotate", "rotations"),
    ("Rearrange", "transpositions"),
    ("Reshape", "changes of shape"),
    ("Index", "elements and slices"),
    ("Update", "updates"),
    ("Copy", "copies of arrays"),
    ("ArrayLit", "array literals"),
    ("ArrayVal", "array literals"),
    ("Assert", "checks"),
    ("Apply", "calls"),
    ("BinOp", "scalar operations with two operands or more"),
    ("UnOp", "scalar operations with one operand"),
    ("CmpOp", "comparisons"),
    ("ConvOp", "conversions"),
];

/// Futhark's names that nothing here corresponds to: in the programs of its back ends, or in those of its earlier versions.
#[rustfmt::skip]
const WITHOUT: &[&str] = &[
    "Alloc", "BasicOp", "CalcNumBlocks", "CalcNumGroups", "CmpSizeLe", "CmpThreshold", "Combine", "False", "FlatIndex", "FlatUpdate",
    "ForLoop", "GetSize", "GetSizeMax", "GPUBody", "GroupReduce", "GroupScan", "GroupStream", "InPlace", "Inner", "JVP", "Kernel",
    "MapKernel", "Manifest", "Opaque", "ParOp", "Partition", "Repeat", "ScanKernel", "Scanred", "Scratch", "SegPostScan", "SegScanRed",
    "Split", "SplitSpace", "Stream", "SubExp", "True", "UpdateAcc", "UserParam", "VJP", "WhileLoop", "WithAcc",
];

/// This compiler's own names.
pub const OWN: &[&str] = &["map", "reduce", "scan", "filter", "scatter", "hist", "loop", "call", "copy", "check"];

/// Whether all names of a block are this compiler's.
pub fn is_own(shape: &Shape) -> bool {
    shape.counts.iter().all(|(name, ..)| name.split('/').all(|part| part.is_empty() || OWN.contains(&part)))
}

/// A part of a name that nothing here corresponds to.
pub fn unknown(name: &str) -> Option<&str> {
    name.split('/').find(|part| !part.is_empty() && !OWN.contains(part) && !NAMES.iter().any(|(known, _)| known == part))
}

/// A part of a name that is neither this compiler's nor Futhark's, with a name that may have been meant.
pub fn misspelt(name: &str) -> Option<(&str, Option<&'static str>)> {
    let known = || OWN.iter().chain(NAMES.iter().map(|(known, _)| known)).chain(WITHOUT).copied();
    // Calls are counted by the names of functions: `Apply/f`, in earlier versions of Futhark `Applyf`.
    let good = |part: &str| part.is_empty() || part.starts_with("Apply") || known().any(|known| known == part);
    let mut called = false;
    let part = name.split('/').find(|part| !std::mem::replace(&mut called, *part == "Apply") && !good(part))?;
    Some((part, crate::diag::closest(part, known())))
}

/// How many statements of a program have a name, which may be a path.
pub fn count(program: &Program, name: &str) -> usize {
    let top = name.starts_with('/');
    let path: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    let mut counter = Counter { program, path: &path, top, stack: Vec::new(), found: 0, inside: None };
    program.consts.iter().for_each(|stm| counter.exp(&stm.exp));
    for (_, fun) in program.funs.iter().filter(|(_, fun)| fun.entry) {
        counter.body(&fun.body);
    }
    counter.found
}

struct Counter<'a> {
    program: &'a Program,
    path: &'a [&'a str],
    top: bool,
    stack: Vec<Vec<&'static str>>,
    found: usize,
    /// The function in which statements are being counted.
    inside: Option<FunId>,
}

impl Counter<'_> {
    fn body(&mut self, body: &Body) {
        body.stms.iter().for_each(|stm| self.exp(&stm.exp));
    }
    fn exp(&mut self, exp: &Exp) {
        let names = self.names(exp);
        if let Exp::Call(id, _) = exp {
            let fun = &self.program.funs[*id];
            if !(fun.recursive && self.inside == Some(*id)) {
                let outer = self.inside.replace(*id);
                self.body(&fun.body);
                self.inside = outer;
            }
        }
        let named = !names.is_empty();
        if named {
            self.stack.push(names);
            let depth = self.stack.len();
            let fits = depth >= self.path.len() && (!self.top || depth == self.path.len());
            let found = fits && self.path.iter().rev().zip(self.stack.iter().rev()).all(|(part, names)| names.contains(part));
            self.found += usize::from(found);
        }
        exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                self.body(body);
            }
        });
        if named {
            self.stack.pop();
        }
    }
    fn names(&self, exp: &Exp) -> Vec<&'static str> {
        match exp {
            Exp::Soac(soac) => {
                let mut names = vec!["Screma"];
                match (soac.scans.is_empty(), soac.reduces.is_empty()) {
                    (true, true) => names.extend(["Map", "map"]),
                    (true, false) => names.extend(["Reduce", "Redomap", "reduce"]),
                    (false, true) => names.extend(["Scan", "Scanomap", "scan"]),
                    (false, false) => names.extend(["Scan", "Scanomap", "scan", "Reduce", "Redomap"]),
                }
                names
            }
            Exp::Seg(seg) => vec![match seg.kind {
                SegKind::Map => "SegMap",
                SegKind::Reduce(_) => "SegRed",
                SegKind::Scan(_) => "SegScan",
            }],
            Exp::Filter { .. } => vec!["Filter", "filter"],
            Exp::Rows { .. } => vec!["Rows", "rows"],
            Exp::Scatter { .. } => vec!["Scatter", "scatter"],
            Exp::Hist { .. } => vec!["Hist", "SegHist", "hist"],
            Exp::Loop { .. } => vec!["Loop", "DoLoop", "loop"],
            Exp::If { .. } => vec!["If", "Match"],
            Exp::Iota { .. } => vec!["Iota"],
            Exp::Rep(_) => vec!["Replicate"],
            Exp::Concat(_) => vec!["Concat"],
            Exp::Rotate { .. } => vec!["Rotate"],
            Exp::Rearrange { .. } => vec!["Rearrange"],
            Exp::Reshape(_) => vec!["Reshape"],
            Exp::Index { checked, .. } | Exp::Slice { checked, .. } => {
                if *checked {
                    vec!["Index", "check"]
                } else {
                    vec!["Index"]
                }
            }
            Exp::Update { checked, .. } | Exp::UpdateSlice { checked, .. } => {
                if *checked {
                    vec!["Update", "check"]
                } else {
                    vec!["Update"]
                }
            }
            Exp::Copy(operand) if self.program.operand_ty(*operand).rank() > 0 => vec!["Copy", "copy"],
            Exp::Literal(_) | Exp::Stack(_) => vec!["ArrayLit", "ArrayVal"],
            Exp::Check(_) | Exp::RangeCount { .. } | Exp::SliceCount { .. } => vec!["Assert", "check"],
            Exp::Call(..) => vec!["Apply", "call"],
            Exp::Scalar(op, _) => vec![match op.op {
                Op::Convert(_) | Op::ToI64 | Op::ToF64 | Op::ToBits | Op::FromBits => "ConvOp",
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => "CmpOp",
                _ if op.params.len() == 1 => "UnOp",
                _ => "BinOp",
            }],
            Exp::Copy(_) | Exp::Size(_) | Exp::Coerce(_) => Vec::new(),
        }
    }
}
