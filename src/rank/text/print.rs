//! Printer of rank systems; its output reads back as the same fixture.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::{Expect, Fixture};
use crate::rank::{LinExpr, System, Var, VarKind};

/// Writes a fixture as text.
pub fn print(fixture: &Fixture) -> String {
    let Fixture { system, labels, expect, presolve, components, optima, conflict } = fixture;
    let names = names(system);
    let mut out = String::new();
    let declared = declarations(&mut out, system, labels, &names);
    for (at, site) in system.sites.iter().enumerate().filter(|_| !declared) {
        let (map, rep) = (&names[site.map.index()], &names[site.rep.index()]);
        let _ = writeln!(out, "site {} {map} {rep} frame {}", label(labels, at), sum(&site.frame, &names));
    }
    for equation in &system.equations {
        let _ = writeln!(out, "eq {}", balanced(&equation.expr, &names));
    }
    match expect {
        Some(Expect::Unique(cost)) => _ = writeln!(out, "expect unique cost {cost}"),
        Some(Expect::Ambiguous(cost)) => _ = writeln!(out, "expect ambiguous cost {cost}"),
        Some(Expect::Many(cost)) => _ = writeln!(out, "expect many cost {cost}"),
        Some(Expect::Infeasible) => out.push_str("expect infeasible\n"),
        None => {}
    }
    if *presolve {
        out.push_str("presolve\n");
    }
    if let Some(components) = components {
        let _ = writeln!(out, "components {components}");
    }
    for optimum in optima {
        out.push_str("optimum");
        for &(var, value) in optimum {
            let _ = write!(out, " {}={value}", names[var.index()]);
        }
        out.push('\n');
    }
    if let Some((equations, sites)) = conflict {
        out.push_str("conflict eq");
        equations.iter().for_each(|at| _ = write!(out, " {}", at + 1));
        out.push_str(" site");
        sites.iter().for_each(|&at| _ = write!(out, " {}", label(labels, at)));
        out.push('\n');
    }
    out
}

/// Declares the variables in order of their index, by their sites where that is possible. Returns whether it was.
fn declarations(out: &mut String, system: &System, labels: &[String], names: &[String]) -> bool {
    let mut next = 0;
    let regular = system.sites.iter().all(|site| {
        let fits = site.map.index() >= next
            && site.rep.index() == site.map.index() + 1
            && system.kinds.get(site.map.index()) == Some(&VarKind::Map)
            && system.kinds.get(site.rep.index()) == Some(&VarKind::Rep)
            && site.frame.terms.iter().all(|term| term.0 < site.map);
        next = site.rep.index() + 1;
        fits
    });
    let mut sites = system.sites.iter().enumerate().peekable();
    let mut at = 0;
    while at < system.kinds.len() {
        if let Some((index, site)) = sites.next_if(|(_, site)| regular && site.map.index() == at) {
            let label = label(labels, index);
            let _ = writeln!(out, "site {label} {} {} frame {}", names[at], names[at + 1], sum(&site.frame, names));
            at += 2;
            continue;
        }
        let kind = match system.kinds[at] {
            VarKind::Map => "map",
            VarKind::Rep => "rep",
            VarKind::Type => "type",
        };
        let _ = writeln!(out, "{kind} {}", names[at]);
        at += 1;
    }
    regular
}

fn label(labels: &[String], at: usize) -> String {
    match labels.get(at) {
        Some(label) if !label.is_empty() && !label.contains(|c: char| c.is_whitespace() || c == '#') => label.clone(),
        _ => format!("s{at}"),
    }
}

/// Names that the reader accepts, each once.
fn names(system: &System) -> Vec<String> {
    let mut used = HashSet::new();
    let mut names = Vec::with_capacity(system.kinds.len());
    for at in 0..system.kinds.len() {
        let mut name = system.name(Var(at as u32));
        let start = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !start || name.contains(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '\'')) {
            name = format!("v{at}");
        }
        while !used.insert(name.clone()) {
            name = format!("{name}_{at}");
        }
        names.push(name);
    }
    names
}

fn sum(expr: &LinExpr, names: &[String]) -> String {
    let mut out = String::new();
    let mut push = |c: i64, name: Option<&str>| {
        let sign = match (out.is_empty(), c < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let _ = match (c.unsigned_abs(), name) {
            (1, Some(name)) => write!(out, "{sign}{name}"),
            (c, Some(name)) => write!(out, "{sign}{c}*{name}"),
            (c, None) => write!(out, "{sign}{c}"),
        };
    };
    for &(var, c) in &expr.terms {
        push(c, Some(&names[var.index()]));
    }
    if expr.constant != 0 || expr.terms.is_empty() {
        push(expr.constant, None);
    }
    out
}

/// An equation with positive terms on both sides.
fn balanced(expr: &LinExpr, names: &[String]) -> String {
    let (mut left, mut right) = (LinExpr::zero(), LinExpr::zero());
    for &(var, c) in &expr.terms {
        if c < 0 { right.terms.push((var, c.saturating_neg())) } else { left.terms.push((var, c)) }
    }
    let side = if expr.constant < 0 { &mut right } else { &mut left };
    side.constant = expr.constant.saturating_abs();
    format!("{} = {}", sum(&left, names), sum(&right, names))
}
