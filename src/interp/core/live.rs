//! Last uses: which occurrences of a variable may take its value, so that an array nobody else holds is updated in place.
//!
//! Node is walked against the order of evaluation. A variable bound outside a loop or map is never taken inside: the
//! next round needs it.

use super::code::{Node, Slot};

struct Marker<'a> {
    /// For each slot, in how many loops and maps it was bound.
    bound: &'a [u32],
    /// Slots that are used later.
    live: Vec<bool>,
    /// Slots in the order in which they became live.
    log: Vec<Slot>,
    depth: u32,
}

/// Marks the last uses in the body of a function.
pub fn mark(body: &mut Node, bound: &[u32]) {
    Marker { bound, live: vec![false; bound.len()], log: Vec::new(), depth: 0 }.code(body);
}

impl Marker<'_> {
    fn used(&mut self, slot: Slot) -> bool {
        let index = slot as usize;
        let first = !self.live.get(index).copied().unwrap_or(true);
        if first {
            self.live[index] = true;
            self.log.push(slot);
        }
        first && self.bound.get(index).copied() == Some(self.depth)
    }
    fn codes(&mut self, codes: &mut [Node]) {
        codes.iter_mut().rev().for_each(|code| self.code(code));
    }
    /// Arguments: variables among them are read after the others have been evaluated, so that `update xs i (f xs)` may
    /// take `xs`. No one can tell the difference, reading a variable does nothing.
    fn args(&mut self, args: &mut [Node]) {
        for variables in [true, false] {
            args.iter_mut().rev().filter(|arg| matches!(arg, Node::Local(..)) == variables).for_each(|arg| self.code(arg));
        }
    }
    fn code(&mut self, code: &mut Node) {
        match code {
            Node::Const(_) | Node::Global(_) | Node::Dim(_) | Node::Shape(_) | Node::BoxedShape(_) | Node::Type(_) => {}
            Node::Local(slot, last) => *last = self.used(*slot),
            Node::Op1(_, operand, _) | Node::Inject(_, operand) | Node::Is(_, operand) | Node::Payload(_, operand, _) => self.code(operand),
            Node::Op2(_, operands, _) => self.codes(&mut operands[..]),
            Node::Op3(_, operands, _) => self.codes(&mut operands[..]),
            Node::If(parts) => {
                let [cond, then, els] = &mut **parts;
                let before = self.log.len();
                self.code(then);
                let then_uses = self.log.split_off(before);
                then_uses.iter().for_each(|slot| self.live[*slot as usize] = false);
                self.code(els);
                for slot in then_uses {
                    self.used(slot);
                }
                self.code(cond);
            }
            Node::Let(_, parts) => self.codes(&mut parts[..]),
            Node::Loop(it) => {
                self.depth += 1;
                self.code(&mut it.body);
                if let Some(cond) = &mut it.cond {
                    // The parameters are needed after the condition, by the body or as the result.
                    for (slot, _) in &it.params {
                        self.used(*slot);
                    }
                    self.code(cond);
                }
                self.depth -= 1;
                if let Some((_, bound)) = &mut it.count {
                    self.code(bound);
                }
                it.params.iter_mut().rev().for_each(|(_, init)| self.code(init));
            }
            Node::Call(_, args, _) => self.args(args),
            Node::Apply(function, args, _) => {
                self.args(args);
                self.code(function);
            }
            Node::Prim(call) => {
                self.args(&mut call.args);
                self.codes(&mut call.indices);
            }
            Node::PrimValue(_, indices) => self.codes(indices),
            Node::Generic(code, ..) => self.code(code),
            Node::Closure(_, captures) => {
                for (slot, last) in captures.iter_mut().rev() {
                    *last = self.used(*slot);
                }
            }
            Node::Map(map) => {
                let depth = u32::from(!map.frame.is_empty());
                self.depth += depth;
                self.code(&mut map.body);
                self.depth -= depth;
                map.args.iter_mut().rev().for_each(|(_, arg)| self.code(arg));
            }
            Node::Rep(_, arg, _) | Node::Proj(_, arg) => self.code(arg),
            Node::Tuple(_, parts) => self.codes(parts),
            Node::Box(indices, body) => {
                self.code(body);
                self.codes(indices);
            }
            Node::Unbox(unbox) => {
                self.code(&mut unbox.body);
                self.code(&mut unbox.boxed);
            }
            Node::Coerce(_, expr, _) | Node::Trace(_, expr) => self.code(expr),
            Node::Assert(parts, ..) => self.codes(&mut parts[..]),
            Node::Frame(frame) => self.codes(&mut frame.cells),
        }
    }
}
