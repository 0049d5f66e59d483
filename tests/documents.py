"""Runs what documents show: a block that begins with `-- NAME.rem` or `⍝ NAME.apl` is a file, a line `$ remora ..` a command on the files so far, and the lines after
it, up to the next command, are all that it prints.

  documents.py [--remora PATH] [FILE...]
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ["docs/derivatives.md", "docs/apl.md", "docs/ragged.md"]
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
    with tempfile.TemporaryDirectory() as folder:
        for block in BLOCK.findall(path.read_text()):
            named = re.match(r"(?:--|⍝) (\S+\.(?:rem|apl))\b", block)
            if named:
                (Path(folder) / named[1]).write_text(block)
            elif block.startswith("$ "):
                for command, wanted in commands(block):
                    words = shlex.split(command)
                    assert words[0] == "remora", command
                    run = subprocess.run([*remora, *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                    ran += 1
                    if not same(run.stdout.strip(), wanted):
                        problems.append(f"{command}\n  prints\n{run.stdout.strip()}\n  and not\n{wanted}")
            else:
                problems.append(f"a block is neither a file nor commands:\n{block}")
    return problems, ran


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
