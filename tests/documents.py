"""Runs what documents show: a block that begins with a comment with a name in it (`-- NAME.rem`, `⍝ NAME.apl`, `; NAME.remc`, `/* NAME.c */`) is a file, a line `$ remora ..` (or
`$ cc ..`, `$ ./program`) a command on the files so far, and the lines after it, up to the next command, are all that it prints. Lines with `>>>` are run by doctest. Not run are
blocks that say `sh`, what installs things, `ebnf`, grammar that tests/grammar.py looks at, and `python` without `>>>`: python/tests runs those that need the package.

  documents.py [--remora PATH] [FILE...]
"""

import argparse
import doctest
import io
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ["site/index.md", "docs/language.md", "docs/derivatives.md", "docs/apl.md", "docs/ragged.md", "docs/pictures.md", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/guide/*.md") if path.stem != "index")]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"(?:--|⍝|;|/\*) (\S+\.(?:rem|apl|remc|c|csv))\b")


def commands(block):
    """The commands of a block, each with what it is said to print."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return [(command, "\n".join(lines).strip()) for command, lines in found]


def same(printed, wanted):
    """Whether two texts are the same but for the last digits of floats."""
    number = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")
    pairs = list(zip(number.findall(printed), number.findall(wanted)))
    near = all(abs(float(x) - float(y)) <= 1e-9 * max(1.0, abs(float(y))) for x, y in pairs)
    return near and number.sub("", printed) == number.sub("", wanted)


def check(path, remora):
    """The problems of a document, and how many commands it has."""
    problems, ran = [], 0
    session = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False), {}
    with tempfile.TemporaryDirectory() as folder:
        for language, block in BLOCK.findall(path.read_text()):
            named = NAMED.match(block)
            if named:
                # In a table there are no comments.
                text = block.split("\n", 1)[1] if named[1].endswith(".csv") else block
                (Path(folder) / named[1]).write_text(text)
            elif block.startswith("$ "):
                for command, wanted in commands(block):
                    words = shlex.split(command)
                    assert words[0] in ("remora", "cc") or words[0].startswith("./"), command
                    words = [*remora, *words[1:]] if words[0] == "remora" else words
                    run = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                    ran += 1
                    if not same(run.stdout.strip(), wanted):
                        problems.append(f"{command}\n  prints\n{run.stdout.strip()}\n  and not\n{wanted}")
            elif block.startswith(">>> "):
                problems += examples(session, block, path)
                ran += 1
            elif language not in ("sh", "ebnf", "python"):
                problems.append(f"a block is neither a file nor commands:\n{block}")
    return problems, ran


def examples(session, block, path):
    """What doctest says about lines for Python; names are kept from block to block."""
    parser, runner, names = session
    said = io.StringIO()
    test = parser.get_doctest(block, names, path.name, path.name, 0)
    failed = runner.run(test, out=said.write, clear_globs=False).failed
    names.update(test.globs)
    return [said.getvalue()] if failed else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remora", default="remora")
    parser.add_argument("files", nargs="*", default=DOCUMENTS, metavar="FILE")
    options = parser.parse_args()
    remora = shlex.split(options.remora)
    if "/" in remora[-1]:
        remora[-1] = str(Path(remora[-1]).resolve())
    failed = 0
    for file in options.files:
        problems, ran = check(ROOT / file, remora)
        failed += len(problems) + (ran == 0)
        print(f"{file}: {ran} commands, {len(problems)} problems")
        for problem in problems:
            print(problem)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
