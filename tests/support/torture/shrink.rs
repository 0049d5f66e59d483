//! Smaller programs in place of a failing one.

use super::data::{Input, literal};
use super::tree::{Definition, Kind, Node, Piece, Program, renamed};
use super::types::{Base, Dim, Prim, Ty};
use std::collections::BTreeSet;

/// All programs that are a step smaller, the smallest first.
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    functions(program, &mut found);
    parameters(program, &mut found);
    inputs(program, &mut found);
    for at in 0..=program.defs.len() {
        let def = program.defs.get(at).unwrap_or(&program.entry);
        let spine = if at == program.defs.len() { spine(&def.body) } else { BTreeSet::new() };
        for body in bodies(def, &spine) {
            let mut copy = program.clone();
            copy.defs.get_mut(at).unwrap_or(&mut copy.entry).body = body;
            found.push(copy);
        }
    }
    let size = program.size();
    found.retain(|smaller| smaller.size() < size);
    found.sort_by_key(Program::size);
    found
}

/// Without a function that nobody calls, or without what is written of one.
fn functions(program: &Program, found: &mut Vec<Program>) {
    for at in 0..program.defs.len() {
        let name = &program.defs[at].name;
        let used = program.defs.iter().chain([&program.entry]).any(|def| def.body.mentions(name));
        if !used {
            let mut copy = program.clone();
            copy.defs.remove(at);
            found.push(copy);
        }
    }
}

/// Without a parameter that is not used.
fn parameters(program: &Program, found: &mut Vec<Program>) {
    let entry = &program.entry;
    for (at, param) in entry.params.iter().enumerate() {
        let in_types = entry.params.iter().any(|other| other.ty.mentions(&param.name));
        if !in_types && !entry.body.mentions(&param.name) {
            let mut copy = program.clone();
            copy.entry.params.remove(at);
            copy.inputs.iter_mut().for_each(|input| {
                input.values.remove(at);
                input.sizes.remove(&param.name);
            });
            binders(&mut copy.entry);
            found.push(copy);
        }
        if param.star {
            let mut copy = program.clone();
            copy.entry.params[at].star = false;
            found.push(copy);
        }
    }
}

/// Only sizes that stand in the types of parameters have names.
fn binders(def: &mut Definition) {
    let names = def.binders.split(' ').filter(|binder| {
        let name = binder.trim_matches(['[', ']']);
        def.params.iter().any(|param| param.ty.mentions(name)) || def.body.mentions(name)
    });
    def.binders = names.collect::<Vec<_>>().join(" ");
}

/// Fewer inputs, smaller sizes, simpler numbers.
fn inputs(program: &Program, found: &mut Vec<Program>) {
    let with = |at: usize, input: Input| {
        let mut copy = program.clone();
        copy.inputs[at] = input;
        copy
    };
    if program.inputs.len() > 1 {
        for input in &program.inputs {
            found.push(Program { inputs: vec![input.clone()], ..program.clone() });
        }
        return;
    }
    for (at, input) in program.inputs.iter().enumerate() {
        for (name, size) in &input.sizes {
            for smaller in [size / 2, size - 1] {
                let mut sizes = input.sizes.clone();
                sizes.insert(name.clone(), smaller.max(0));
                found.extend(input.resized(&program.entry.params, &sizes).map(|input| with(at, input)));
            }
        }
        for (k, datum) in input.values.iter().enumerate() {
            let simple = |item: &String, value: i128| match datum.prim {
                Prim::Bool => "false".to_string(),
                Prim::F32 | Prim::F64 => format!("{value}.0{}", datum.prim.name()),
                Prim::C128 => format!("{value}.0+0.0jc128"),
                _ if *item == literal(value, datum.prim) => item.clone(),
                _ => literal(value, datum.prim),
            };
            if program.entry.params[k].ty.dims.is_empty() && input.sizes.contains_key(&program.entry.params[k].name) {
                continue;
            }
            let mut all = input.clone();
            all.values[k].items = datum.items.iter().map(|item| simple(item, 0)).collect();
            found.push(with(at, all));
            for (i, item) in datum.items.iter().enumerate().take(12) {
                for value in [0, 1] {
                    let mut one = input.clone();
                    one.values[k].items[i] = simple(item, value);
                    found.push(with(at, one));
                }
            }
        }
    }
}

/// Numbers of the expressions whose type is that of the whole, and may be another.
fn spine(body: &Node) -> BTreeSet<usize> {
    let mut numbers = BTreeSet::from([0]);
    let (mut node, mut number) = (body, 0);
    while let Kind::Let(_) = node.kind {
        let before: usize = node.parts().map(Node::size).sum::<usize>();
        let Some(last) = node.parts().last() else { break };
        number += 1 + before - last.size();
        numbers.insert(number);
        node = last;
    }
    numbers
}

/// Smaller bodies; those whose number is in `free` may have another type.
fn bodies(def: &Definition, free: &BTreeSet<usize>) -> Vec<Node> {
    let body = &def.body;
    let names = names(body);
    let mut found = Vec::new();
    for number in 0..body.size() {
        let Some(node) = body.at(number) else { continue };
        for by in replacements(node, &names, free.contains(&number)) {
            if by == *node {
                continue;
            }
            let mut copy = body.clone();
            if free.contains(&number) && by.ty != node.ty {
                retype(&mut copy, free, &by.ty);
            }
            copy.put(number, by);
            found.push(copy);
        }
    }
    found
}

/// Says that the value of the whole has another type.
fn retype(body: &mut Node, _free: &BTreeSet<usize>, ty: &Ty) {
    let mut node = body;
    loop {
        node.ty = ty.clone();
        if !matches!(node.kind, Kind::Let(_)) {
            return;
        }
        match node.parts_mut().last() {
            Some(last) => node = last,
            None => return,
        }
    }
}

/// All names with their types.
fn names(body: &Node) -> Vec<Node> {
    let mut found: Vec<Node> = Vec::new();
    each(body, &mut |node| {
        if node.kind == Kind::Name && !found.contains(node) {
            found.push(node.clone());
        }
    });
    found
}

fn each(node: &Node, f: &mut dyn FnMut(&Node)) {
    f(node);
    node.parts().for_each(|part| each(part, f));
}

/// What may stand in place of an expression.
fn replacements(node: &Node, names: &[Node], free: bool) -> Vec<Node> {
    let mut found = Vec::new();
    if let (Kind::Let(bound), Some(body)) = (&node.kind, node.parts().last())
        && !bound.iter().any(|name| body.mentions(name))
    {
        found.push(body.clone());
    }
    found.extend(inlined(node));
    if node.size() == 1 && node.atomic {
        if let Some(prim) = node.ty.scalar().filter(|prim| prim.is_integer() && node.kind != Kind::Name) {
            found.push(Node::atom(&node.ty, literal(1, prim)));
        }
        return found;
    }
    each(node, &mut |part| {
        if part.ty == node.ty && part.size() < node.size() {
            found.push(part.clone());
        }
    });
    if node.kind == Kind::Tuple && free {
        let parts: Vec<Node> = node.parts().cloned().collect();
        found.extend(parts.iter().cloned());
        for at in 0..parts.len() {
            let rest = [&parts[..at], &parts[at + 1..]].concat();
            found.push(Node::tuple(rest));
        }
    }
    found.extend(names.iter().filter(|name| name.ty == node.ty).cloned());
    found.extend(simplest(&node.ty));
    // The value of a loop or branch of any type, where the whole may have any.
    if free {
        found.extend(node.parts().filter(|part| part.kind == Kind::Name || part.kind == Kind::Fresh).cloned());
    }
    found
}

/// The body of a `let` with its value in place of its name.
fn inlined(node: &Node) -> Option<Node> {
    let Kind::Let(bound) = &node.kind else { return None };
    let parts: Vec<&Node> = node.parts().collect();
    let ([name], [value, body]) = (&bound[..], &parts[..]) else { return None };
    let mut body = (*body).clone();
    if value.kind == Kind::Name {
        let by = value.text();
        rename(&mut body, name, &by);
    } else {
        substitute(&mut body, name, value);
    }
    (!body.mentions(name)).then_some(body)
}

/// Another name wherever a name stands.
fn rename(node: &mut Node, name: &str, by: &str) {
    for piece in &mut node.pieces {
        match piece {
            Piece::Text(text) => *text = renamed(text, &|word| if word == name { by.into() } else { word.into() }),
            Piece::Operand(node) | Piece::Body(node) => rename(node, name, by),
        }
    }
    if let Kind::Let(names) = &mut node.kind {
        names.iter_mut().filter(|bound| *bound == name).for_each(|bound| *bound = by.into());
    }
}

/// A value wherever a name stands for it.
fn substitute(node: &mut Node, name: &str, value: &Node) {
    for part in node.parts_mut() {
        if part.kind == Kind::Name && part.text() == name {
            *part = value.clone();
        } else {
            substitute(part, name, value);
        }
    }
}

/// A value of a type that needs nothing.
fn simplest(ty: &Ty) -> Option<Node> {
    let Base::Prim(prim) = ty.base else { return None };
    if ty.dims.len() > 1 {
        return None;
    }
    let scalar = match prim {
        Prim::Any => return None,
        Prim::Bool => "true".to_string(),
        _ => format!("1{}", prim.name()),
    };
    let atom = Node::atom(&Ty::prim(prim), scalar);
    match ty.dims.first() {
        None => Some(atom),
        Some(dim) => {
            let size = Node { atomic: dim.is_token(), ..Node::atom(&Ty::prim(Prim::I64), Dim::to_string(dim)) };
            Some(Node::new(ty, "replicate $ $", vec![size, atom]))
        }
    }
}
