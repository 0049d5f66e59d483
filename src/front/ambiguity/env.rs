//! Values of variables while terms are evaluated: a persistent map, so that closures share what they remember.
//!
//! A binary trie over the variables' numbers (Okasaki and Gill, *Fast mergeable integer maps*, 1998): long chains of `let`s cost
//! a few steps for each name.

use super::normal::Value;
use super::term::Var;
use std::rc::Rc;

/// What variables stand for.
#[derive(Clone, Default)]
pub struct Env(Option<Rc<Trie>>);

enum Trie {
    Leaf {
        key: u64,
        value: Value,
    },
    /// The bits above `bit` that all keys share, and the keys without and with `bit`.
    Branch {
        prefix: u64,
        bit: u64,
        zero: Rc<Trie>,
        one: Rc<Trie>,
    },
}

/// Variables of the source and fresh ones have different keys.
fn key(var: Var) -> u64 {
    match var {
        Var::Local(pat) => (pat.raw() as u64) << 1,
        Var::Fresh(number) => u64::from(number) << 1 | 1,
    }
}

fn prefix(key: u64, bit: u64) -> u64 {
    key & !(bit | (bit - 1))
}

impl Env {
    /// The value of a variable.
    pub(super) fn get(&self, var: Var) -> Option<&Value> {
        let key = key(var);
        let mut at = self.0.as_ref()?;
        loop {
            match &**at {
                Trie::Leaf { key: found, value } => return (*found == key).then_some(value),
                Trie::Branch { bit, zero, one, .. } => at = if key & bit == 0 { zero } else { one },
            }
        }
    }

    /// The same with another value for one variable.
    pub(super) fn with(&self, var: Var, value: Value) -> Env {
        let key = key(var);
        let leaf = Rc::new(Trie::Leaf { key, value });
        Env(Some(match &self.0 {
            None => leaf,
            Some(trie) => insert(trie, key, leaf),
        }))
    }
}

fn insert(trie: &Rc<Trie>, key: u64, leaf: Rc<Trie>) -> Rc<Trie> {
    let shared = match &**trie {
        Trie::Leaf { key: found, .. } if *found == key => return leaf,
        Trie::Leaf { key: found, .. } => *found,
        Trie::Branch { prefix: shared, bit, zero, one } if prefix(key, *bit) == *shared => {
            let (prefix, bit) = (*shared, *bit);
            let (zero, one) = if key & bit == 0 { (insert(zero, key, leaf), one.clone()) } else { (zero.clone(), insert(one, key, leaf)) };
            return Rc::new(Trie::Branch { prefix, bit, zero, one });
        }
        Trie::Branch { prefix, .. } => *prefix,
    };
    let bit = 1 << (63 - (shared ^ key).leading_zeros());
    let (zero, one) = if key & bit == 0 { (leaf, trie.clone()) } else { (trie.clone(), leaf) };
    Rc::new(Trie::Branch { prefix: prefix(key, bit), bit, zero, one })
}
