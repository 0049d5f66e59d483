#!/usr/bin/env python3
"""Compares the grammar of docs/language.md with the compiler: its words are those of the lexer, sentences that are made from it are
read by the parser without a complaint, and the tokens of programs follow from it.

  grammar.py [--remora PATH] [--sentences N] [--seed N] [FILE...]
"""

import argparse
import ast
import json
import random
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "language.md"
LEXER = ROOT / "src" / "front" / "syntax" / "lexer.rs"
# Programs that use all of the notation, with what no program does but what the parser reads.
PROGRAMS = ["tests/data/syntax/corpus.rem", "stdlib/lib/text.rem"]
FOLDERS = "attributes blocks language modules records sums updates reference/*".split()
PROGRAMS += [f"tests/data/corpus/{folder}/*.rem" for folder in FOLDERS]
PROGRAMS += [f"tests/data/corpus/{file}.rem" for file in "ragged/basics sizes/hidden-sizes-of-parameters".split()]
SELDOM = """
#[1] #[f(-1)] module m : (s) = { def f x = match x case #[inline] (y: i32) : i32 -> y }
module type s = { val ! : bool -> bool val (!) : bool -> bool }
"""
# The rules that are tokens, by what the lexer calls them.
CLASSES = {
    "name": {"Ident"},
    "constructor": {"Constr"},
    "number": {"Number"},
    "character": {"Char"},
    "string": {"Str"},
    "symbol": {"Op", "Minus", "Star", "Pipe", "Caret", "Lt"},
}


# The grammar as text: a rule is an alternative of sequences of items, an item a word, a rule's name, or brackets around an alternative.


def read_rules(document):
    """The rules of the blocks, and which of them are about words."""
    rules, of_words = {}, set()
    for block in re.findall(r"^```ebnf\n(.*?)^```$", document, re.MULTILINE | re.DOTALL):
        tokens = re.findall(r"""\?[^?"]+\?|"[^"]*"|'[^']*'|[a-z-]+|[=;|{}()\[\]]|\S""", block)
        names = []
        while tokens:
            name, equals = tokens.pop(0), tokens.pop(0)
            assert equals == "=" and name not in rules, f"a rule for {name}"
            rules[name] = alternatives(tokens)
            assert tokens.pop(0) == ";", name
            names.append(name)
        if "name" in names:
            of_words.update(names)
    return rules, of_words


def alternatives(tokens):
    found = [[]]
    while tokens[0] not in ";)]}":
        token = tokens.pop(0)
        if token == "|":
            found.append([])
        elif token in "([{":
            found[-1].append((token, alternatives(tokens)))
            assert tokens.pop(0) == {"(": ")", "[": "]", "{": "}"}[token]
        elif token[0] in "\"'":
            found[-1].append(("word", token[1:-1]))
        else:
            found[-1].append(("rule", token))
    return found


def leaves(rule):
    for sequence in rule:
        for kind, item in sequence:
            if kind in ("word", "rule"):
                yield kind, item
            else:
                yield from leaves(item)


def compare_words(rules, of_words, document):
    """What is wrong with the words of the grammar, beside those of the lexer."""
    written = re.findall(r'#\[token\(("(?:[^"\\]|\\.)*")', LEXER.read_text())
    lexed = {ast.literal_eval(text) for text in written}
    used = {item for name, rule in rules.items() if name not in of_words for kind, item in leaves(rule) if kind == "word"}
    yield from (f"the grammar has the word {word}, which the lexer does not have" for word in sorted(used - lexed))
    yield from (f"the lexer has the word {word}, which is in no rule" for word in sorted(lexed - used))
    named = [item for rule in rules.values() for kind, item in leaves(rule) if kind == "rule" and not item.startswith("?")]
    yield from (f"there is no rule {name}" for name in sorted(set(named) - set(rules)))
    yield from (f"the rule {name} is used nowhere" for name in sorted(set(rules) - set(named) - {"file"}))
    table = document[document.index("**Keywords**") : document.index("**Symbols**")]
    listed = set(re.findall(r"`([a-z]+)`", table))
    keywords = {word for word in lexed if word.isalpha()}
    if listed != keywords:
        yield f"the list of keywords differs from the lexer's in {', '.join(sorted(listed ^ keywords))}"


# From the grammar to texts.


class Writer:
    """Makes sentences. Where the page says in words what the rules do not, it keeps to that."""

    SAMPLES = {
        "name": "a b c f g x y z n m t i64 f32 xs' _u a_1".split(),
        "constructor": "#a #b #some #none".split(),
        "number": "0 1 2 10 3i64 1.5 2e3f32 0x1F 0b11u8 1_000 2j 0rIV".split(),
        "character": ["'a'", "'\\n'", "'\\''"],
        "string": ['"a"', '"\\x41b"', '""'],
        "symbol": "+ - * / % ** // %% == != < <= > >= && || & ^ | << >> |> <| >-> <-< +. <+> ||>".split(),
        "field-name": "x y 0 1".split(),
        "attribute": ["#[inline]", "#[trace(x)]", "#[prop(gen(f), size(3))]"],
    }

    def __init__(self, rules, seed):
        self.rules, self.random, self.deepest = rules, random.Random(seed), 0
        self.written = set()
        self.heights = dict.fromkeys(self.SAMPLES, 0)
        while len(self.heights) < len(rules):
            known = len(self.heights)
            for name, rule in rules.items():
                height = self.height(rule)
                if name not in self.heights and height is not None:
                    self.heights[name] = height + 1
            if known == len(self.heights):
                break

    def height(self, rule):
        """How deep the smallest sentence of a rule is."""
        heights = [self.height_of(sequence) for sequence in rule]
        return min((height for height in heights if height is not None), default=None)

    def height_of(self, sequence):
        found = [0]
        for kind, item in sequence:
            if kind in ("rule", "("):
                found.append(self.heights.get(item) if kind == "rule" else self.height(item))
        return None if None in found else max(found)

    def declaration(self, deepest):
        """A declaration. Conditions of some hundred words that have a type are taken for Python's by the parser."""
        self.deepest = deepest
        while True:
            text = re.sub(" *\0|\x01 *", "", self.rule("declaration", 0)).strip()
            if len(text) < 1500:
                return text + "\n"

    def rule(self, name, depth):
        """A sentence of a rule."""
        self.written.add(name)
        if name in self.SAMPLES:
            return self.random.choice(self.SAMPLES[name])
        if name == "form":
            # Within an operation it would extend too far to the right.
            return f"({self.alternative(self.rules[name], depth)})"
        if name == "expr" and depth < self.deepest and self.random.random() < 0.2:
            return self.alternative(self.rules["form"], depth + 1)
        # No white space before what \0 begins, an index, and behind \x01, the quote of a type parameter: it would be a character's.
        if name in ("index", "qualified"):
            text = self.alternative(self.rules[name], depth)
            return "\0" + text if name == "index" else text.replace(" ", "")
        if name in ("declaration", "spec"):
            return "\n" + self.alternative(self.rules[name], depth)
        return self.alternative(self.rules[name], depth)

    def alternative(self, rule, depth):
        if depth >= self.deepest:
            least = self.height(rule)
            rule = [sequence for sequence in rule if self.height_of(sequence) == least]
        sequence = self.random.choice(rule)
        if [item for _, item in sequence if item == "operation"] and sequence[0] == ("word", "("):
            # The operand of a section binds as tightly as its operator.
            sequence = [("rule", "application") if item == ("rule", "operation") else item for item in sequence]
        if sequence and sequence[0] == ("word", "loop"):
            # A pattern of other things than names needs a value.
            sequence = [("(", item) if kind == "[" else (kind, item) for kind, item in sequence]
        texts = [self.item(kind, item, depth) for kind, item in sequence]
        if texts and texts[0] == "match":
            # A match within takes all cases that follow it.
            for at, part in enumerate(sequence):
                if part == ("rule", "expr") and "match" in texts[at]:
                    texts[at] = f"({texts[at]})"
        return " ".join(texts)

    def item(self, kind, item, depth):
        if kind == "word":
            return "'\x01" if item == "'" else item
        if kind == "rule":
            return self.rule(item, depth + 1)
        if kind == "(":
            # What hides sizes takes the arrows behind it.
            return self.alternative([body for body in item if body != [("rule", "existential")]], depth)
        if item == [[("rule", "lambda")]]:
            return ""
        most = 0 if depth >= self.deepest else 2 if kind == "{" else 1
        return " ".join(self.alternative(item, depth) for _ in range(self.random.randint(0, most)))


def complaints(remora, rules, count, seed):
    """Sentences that the parser refuses, with what it says."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sentences.rem"
        writer = Writer(rules, seed)
        text = "".join(writer.declaration(6 + number % 10) for number in range(count))
        path.write_text(text)
        run = subprocess.run([*remora, "dump", "--stage", "surface", "--message-format", "json", str(path)], capture_output=True, text=True)
        lines = text.splitlines()
        said = [f"no sentence has the rule {name}" for name in sorted(set(rules) - writer.written - {"file"})]
        for message in map(json.loads, run.stderr.splitlines()):
            if message["severity"] == "error":
                place = message["spans"][0]
                line, at = lines[place["line"] - 1], place["column"] - 1
                said.append(f"{message['message']}\n  in {line[max(at - 100, 0) : at]} >>> {line[at : at + 60]}")
        return said, run


# From texts to the grammar: Earley's algorithm.


class Reader:
    """Says whether tokens follow from the grammar."""

    def __init__(self, rules):
        self.productions, self.used = {}, set()
        for name, rule in rules.items():
            if name not in CLASSES:
                self.add(name, rule)
        self.nullable = set()
        while True:
            more = {name for name, bodies in self.productions.items() if any(self.nullable.issuperset(body) for body in bodies)}
            if more == self.nullable:
                break
            self.nullable = more
        self.first = {name: set() for name in self.productions}
        changed = True
        while changed:
            changed = False
            for name, bodies in self.productions.items():
                before = len(self.first[name])
                for body in bodies:
                    self.first[name] |= self.starts(body)
                changed |= len(self.first[name]) != before

    def starts(self, body):
        found = set()
        for part in body:
            found |= self.first[part] if part in self.productions else {part}
            if part not in self.nullable:
                break
        return found

    def add(self, name, rule):
        self.productions[name] = [tuple(self.part(name, at, n, item) for n, item in enumerate(body)) for at, body in enumerate(rule)]

    def part(self, name, at, number, item):
        kind, inner = item
        if kind == "word":
            return '"' + inner
        if kind == "rule":
            return inner
        inside = f"{name}/{at}.{number}"
        if kind == "(":
            self.add(inside, inner)
            return inside
        self.add(f"{inside}+", inner)
        self.productions[inside] = [(), (inside, f"{inside}+") if kind == "{" else (f"{inside}+",)]
        return inside

    def reads(self, start, tokens):
        """Where the tokens stop to follow from the grammar; nothing if they follow."""
        rows = [{}]
        # An item is a body, how much of it was read, where it began, and whose it is.
        todo = [(start, body, 0, 0) for body in self.productions[start]]
        for at in range(len(tokens) + 1):
            row, waiting = set(), {}
            rows[at] = waiting
            following = []
            here = tokens[at] if at < len(tokens) else frozenset()
            while todo:
                item = todo.pop()
                if item in row:
                    continue
                row.add(item)
                name, body, dot, began = item
                if dot == len(body):
                    self.used.add((name, body))
                    for parent, rest, place, origin in list(rows[began].get(name, ())):
                        todo.append((parent, rest, place + 1, origin))
                    continue
                part = body[dot]
                if part in self.productions:
                    waiting.setdefault(part, []).append(item)
                    for inner in self.productions[part]:
                        if self.nullable.issuperset(inner) or self.starts_with(inner, here):
                            todo.append((part, inner, 0, at))
                    if part in self.nullable:
                        todo.append((name, body, dot + 1, began))
                elif part in here:
                    following.append((name, body, dot + 1, began))
            if at == len(tokens):
                done = any(name == start and dot == len(body) and began == 0 for name, body, dot, began in row)
                return None if done else at
            if not following:
                return at
            todo = following
            rows.append({})
        return None

    def starts_with(self, body, here):
        return not here.isdisjoint(self.starts(body))


def tokens_of(remora, path):
    """The tokens of a program: place, and as what each may count."""
    run = subprocess.run([*remora, "dump", "--stage", "tokens", str(path)], capture_output=True, text=True, check=True)
    found = []
    for line in run.stdout.splitlines():
        place, kind, text = line.split("\t")
        if kind != "Eof":
            found.append((place, text, frozenset({'"' + text} | {name for name, kinds in CLASSES.items() if kind in kinds})))
    return found


def programs_follow(remora, reader, files):
    """How many tokens were looked at, and what does not follow from the grammar, or is in the grammar and in no program."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "programs.rem"
        if not files:
            found = [path for pattern in PROGRAMS for path in sorted(ROOT.glob(pattern))]
            whole.write_text("\n".join([*(path.read_text() for path in found), SELDOM]))
        problems, count = [], 0
        for file in files or [whole]:
            tokens = tokens_of(remora, file)
            count += len(tokens)
            stop = reader.reads("file", [classes for _, _, classes in tokens])
            if stop is not None:
                around = " ".join(text for _, text, _ in tokens[max(stop - 12, 0) : stop])
                place, text = tokens[stop][:2] if stop < len(tokens) else ("the end", "")
                problems.append(f"{file}:{place}: {around} >>> {text}\n  does not follow from the grammar")
        if not files and not problems:
            unused = [(name, body) for name, bodies in reader.productions.items() for body in bodies if (name, body) not in reader.used]
            problems += [f"no program has what the rule {name} says of {' '.join(body) or 'nothing'}" for name, body in unused]
    return count, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remora", default="remora")
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*", metavar="FILE", help="programs instead of those that are looked at by default")
    options = parser.parse_args()
    remora = shlex.split(options.remora)
    document = DOCUMENT.read_text()
    rules, of_words = read_rules(document)
    problems = list(compare_words(rules, of_words, document))
    syntax = {name: rule for name, rule in rules.items() if name not in of_words}
    if not problems:
        said, run = complaints(remora, syntax | {name: [] for name in CLASSES}, options.sentences, options.seed)
        problems += said[:5]
        if run.returncode not in (0, 1) or not run.stdout:
            problems.append(f"the sentences are not looked at: {run.stderr}")
    reader = Reader(syntax)
    count, unread = programs_follow(remora, reader, options.files)
    problems += unread
    print(f"docs/language.md: {len(rules)} rules, {options.sentences} sentences read, {count} tokens follow, {len(problems)} problems")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
