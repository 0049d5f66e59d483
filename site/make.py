#!/usr/bin/env python3
"""Makes the site of all documentation, build/site: puts the pages together in build/site-source, as they lie in the repository, adds
those that the compiler knows best (commands, diagnostics) and those of programs that documents point to, and has Sphinx build it.
What is read needs no network: that is looked at in the end.

  make.py [--remora PATH]
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from look import outside_and_broken

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "build" / "site-source"
OUT = ROOT / "build" / "site"

# The documents.
PAGES = [
    "*.md",
    "docs/*.md",
    "docs/guide/*.md",
    "python/README.md",
    "python/docs/*.md",
    "editors/README.md",
    "editors/vscode/README.md",
    "examples/README.md",
    "examples/*/README.md",
    "benches/README.md",
]
# The sections in the line at the top: title, what the first page says of it, page of its own or none, the pages in it. `x/*` are those
# below x that no section names.
SECTIONS = [
    ("Guide", "from the first program to performance, devices and other languages", "docs/guide/index", []),
    (
        "Language",
        "the whole language with its grammar, and pages on parts of it; APL and core",
        None,
        "docs/language docs/types docs/updates docs/recursion docs/ragged docs/derivatives docs/testing docs/fmt docs/futhark docs/apl "
        "docs/remc docs/core-library docs/alex".split(),
    ),
    ("Library", "the functions of the library beside those of NumPy", None, "docs/library stdlib/*".split()),
    ("Commands", "what each command does, and its options", "commands/index", []),
    ("Diagnostics", "every error and warning, with a wrong program and a corrected one", "diagnostics/index", []),
    (
        "Python",
        "programs as functions of NumPy arrays; NumPy code as programs",
        "python/README",
        "python/docs/ten-minutes python/docs/porting python/docs/*".split(),
    ),
    (
        "Tools",
        "editors, libraries for C, devices",
        None,
        "docs/editor editors/README editors/* docs/libraries docs/cuda docs/*".split(),
    ),
    ("Examples", "NumPy programs and their ports, published algorithms", "examples/README", "docs/programs examples/*".split()),
    (
        "Compiler",
        "an overview, what changed, how the compiler works and how it is tested",
        None,
        "README CHANGELOG ARCHITECTURE CONTRIBUTING SECURITY docs/theory docs/testing-the-compiler benches/README *".split(),
    ),
]
# What a page is called in lists, where its first line does not say it.
TITLES = {"README": "Overview", "editors/vscode/README": "The extension for Visual Studio Code", "docs/programs": "Larger programs"}
# What else there is to read about a command.
ABOUT = {
    "build": ["docs/libraries", "docs/cuda", "python/docs/shipping"],
    "core": ["docs/remc"],
    "fmt": ["docs/fmt"],
    "lsp": ["docs/editor"],
    "test": ["docs/testing"],
}
# What diagnostics are about, by how their codes begin: the longest beginning counts.
FAMILIES = {
    "E01": "The text of a program",
    "E018": "The text of a program in core",
    "E02": "Names, imports and modules",
    "E03": "Types",
    "E04": "Ranks and sizes",
    "E05": "Runs",
    "E06": "Data, files, tests and tools",
    "E065": "Consumption",
    "E07": "Programs in core",
    "E08": "Compiling, and devices",
    "E09": "The compiler itself",
    "E095": "Derivatives",
    "E10": "APL",
}


# What a page begins with that no list has.
ORPHAN = "---\norphan: true\n---\n\n"


class Problem(Exception):
    """What makes the site impossible, in words."""


def write(page, text):
    """Adds a page to the sources."""
    path = SOURCE / f"{page}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def fenced(text, language):
    """A block that may have fences in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def toctree(pages, *options):
    entries = [f"{TITLES[page]} </{page}>" if page in TITLES else f"/{page}" for page in pages]
    return "\n".join(["```{toctree}", *options, *entries, "```", ""])


def fenced_programs(text):
    """An explanation with its indented programs as blocks with colours."""
    indented = re.compile(r"(?:^ {4}.*\n?|^\n(?= {4}))+", re.MULTILINE)
    return indented.sub(lambda found: fenced(re.sub(r"^ {4}", "", found[0], flags=re.MULTILINE).strip("\n"), "remora-any") + "\n", text)


def language_of(path):
    """The language of a file for colours, by its ending."""
    return {".rem": "remora", ".fut": "remora", ".py": "python", ".c": "c", ".json": "json", ".toml": "toml"}.get(path.suffix, "text")


class Pages:
    """Copies documents and makes pages of the programs that they point to."""

    LINK = re.compile(r"\]\(([^()#\s]+)(#[^()\s]*)?\)")
    # A part of a text in which nothing is a link.
    CODE = re.compile(r"^(`{3,}).*?^\1`*$|(`+)[^`].*?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL)

    def __init__(self):
        self.documents = sorted({path for pattern in PAGES for path in ROOT.glob(pattern)})
        self.programs = set()

    def copy_all(self):
        for path in self.documents:
            write(str(path.relative_to(ROOT).with_suffix("")), self.links(path, path.read_text()))

    def links(self, path, text):
        """A document with its links to folders and programs leading to pages."""
        parts, at = [], 0
        for code in self.CODE.finditer(text):
            parts += [self.LINK.sub(lambda m: self.link(path, m), text[at : code.start()]), code[0]]
            at = code.end()
        return "".join(parts) + self.LINK.sub(lambda m: self.link(path, m), text[at:])

    def link(self, path, found):
        target = (path.parent / found[1]).resolve()
        if not target.is_relative_to(ROOT) or not target.exists() or target in self.documents:
            return found[0]
        if target.suffix in (".png", ".svg"):
            copy = SOURCE / target.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(target.read_bytes())
            return found[0]
        if target.is_dir() and target / "README.md" in self.documents:
            return f"]({found[1].rstrip('/')}/README.md{found[2] or ''})"
        self.programs.add(target)
        return f"]({found[1].rstrip('/')}{'/index' if target.is_dir() else ''}.md)"

    def programs_all(self):
        for target in sorted(self.programs):
            name = str(target.relative_to(ROOT))
            if target.is_file():
                # Only the library is listed; others are found where they are pointed to.
                head = "" if name.startswith("stdlib/") else ORPHAN
                write(name, f"{head}# {target.name}\n\n`{name}`\n\n" + fenced(target.read_text(), language_of(target)))
                continue
            files = [path for path in sorted(target.iterdir()) if path.suffix in (".rem", ".fut", ".apl", ".remc", ".py")]
            below = [f"{path.relative_to(ROOT)}/index" for path in sorted(target.iterdir()) if path in self.programs]
            if not files and not below:
                raise Problem(f"a document points to {name}, in which there is no program")
            parts = [f"# {target.name}\n", f"`{name}`\n"]
            parts += [f"## {path.name}\n\n" + fenced(path.read_text(), language_of(path)) for path in files]
            write(f"{name}/index", "\n".join(parts) + ("\n" + toctree(below, ":maxdepth: 1") if below else ""))


class Compiler:
    """What `remora` says about itself."""

    def __init__(self, program):
        self.program = str(Path(program).resolve())

    def says(self, *words):
        run = subprocess.run([self.program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            raise Problem(f"remora {' '.join(words)} says: {run.stderr or run.stdout}")
        return run.stdout.replace(f"Usage: {Path(self.program).name}", "Usage: remora")

    def commands(self):
        """The names of all commands with their lines of help."""
        listed = re.search(r"^Commands:\n(.*?)\n\n", self.says("--help"), re.MULTILINE | re.DOTALL)
        found = re.findall(r"^ {2}([a-z-]+) +(\S.*)$", listed[1] if listed else "", re.MULTILINE)
        if not found:
            raise Problem("the help of remora lists no commands")
        return found

    def command_pages(self):
        rows = []
        for name, line in self.commands():
            rows.append(f"| [`remora {name}`]({name}.md) | {line.replace('|', chr(92) + '|')} |")
            text = self.says("help", *([] if name == "help" else [name]))
            head, _, rest = text.partition("\n\n")
            more = [f"[](/{page}.md)" for page in ABOUT.get(name, []) if (SOURCE / f"{page}.md").exists()]
            body, _, examples = rest.partition("\nExamples:\n")
            parts = [f"# remora {name}\n", f"{head}\n" if name != "help" else f"{line}\n", fenced(body, "text")]
            if examples:
                shown, _, after = examples.partition("\n\n")
                parts += ["## Examples\n", fenced(re.sub(r"^ {2}", "", shown, flags=re.MULTILINE), "text"), after.strip() + "\n"]
            if more:
                parts.append("More: " + ", ".join(more) + "\n")
            write(f"commands/{name}", "\n".join(parts))
        names = [f"commands/{name}" for name, _ in self.commands()]
        intro = "What each command prints as its help, `remora COMMAND --help`.\n"
        table = "\n".join(["| command | does |", "| --- | --- |", *rows, ""])
        write("commands/index", f"# Commands\n\n{intro}\n{table}\n" + toctree(names, ":hidden:"))

    def diagnostic_pages(self):
        codes = re.findall(r"^(E\d{4}) +(\S.*)$", self.says("explain"), re.MULTILINE)
        if not codes:
            raise Problem("`remora explain` lists no diagnostics")
        parts = ["# Diagnostics\n", "Every error and warning has a code, and `remora explain CODE` prints what is on its page here.\n"]
        families = {code: max((start for start in FAMILIES if code.startswith(start)), key=len, default=None) for code, _ in codes}
        strangers = [code for code, family in families.items() if family is None]
        if strangers:
            raise Problem(f"no family of diagnostics has {', '.join(strangers)} (FAMILIES in site/make.py)")
        for family in sorted(set(families.values())):
            rows = [f"| [{code}]({code}.md) | {title} |" for code, title in codes if families[code] == family]
            parts.append("\n".join([f"## {FAMILIES[family]}\n", "| code | |", "| --- | --- |", *rows, ""]))
        for code, _ in codes:
            title, _, text = self.says("explain", code).partition("\n")
            write(f"diagnostics/{code}", f"# {title}\n{fenced_programs(text)}")
        write("diagnostics/index", "\n".join(parts) + "\n" + toctree([f"diagnostics/{code}" for code, _ in codes], ":hidden:"))


def take(patterns, left):
    """The pages that patterns name, in their order, which are then no longer left."""
    found, named = [], {name for _, _, own, names in SECTIONS for name in [own, *names]}
    for pattern in patterns:
        for page in sorted(left):
            inside = page not in named and page.startswith(pattern[:-1]) if pattern.endswith("*") else page == pattern
            if inside and page in left:
                found.append(page)
                left.remove(page)
    return found


def below_guide(left):
    """The chapters of the guide, in the order in which its first page names them."""
    text = (SOURCE / "docs/guide/index.md").read_text()
    named = [f"docs/guide/{name}" for name in re.findall(r"\]\(([\w-]+)\.md", text)]
    return take([*dict.fromkeys(named), "docs/guide/*"], left)


def front(left):
    """The first page, with the sections, and the pages of sections that have none."""
    tops = []
    for title, about, own, patterns in SECTIONS:
        if own is not None and own not in left:
            if own != "docs/guide/index":
                raise Problem(f"the section {title} has no page {own}")
            continue
        if own is not None:
            left.remove(own)
        pages = below_guide(left) if own == "docs/guide/index" else take(patterns, left)
        if own is None:
            own = f"sections/{title.lower()}"
            write(own, f"# {title}\n\n" + toctree(pages, ":maxdepth: 1"))
        elif pages:
            path = SOURCE / f"{own}.md"
            path.write_text(path.read_text() + "\n" + toctree(pages, ":hidden:"))
        tops.append((title, about, own))
    if left:
        raise Problem(f"no section has the pages {', '.join(sorted(left))}")
    listing = "".join(f"* [{title}](/{page}.md): {about}\n" for title, about, page in tops)
    entries = [f"{title} </{page}>" for title, _, page in tops]
    tree = "\n".join(["```{toctree}", ":hidden:", *entries, "```", ""])
    text = (ROOT / "site" / "index.md").read_text()
    write("index", f"{text}\n{listing}\n{tree}")


def listed():
    """The pages that sections have to list: those of commands, diagnostics and folders are listed by pages of their own."""
    pages = {str(path.relative_to(SOURCE).with_suffix("")) for path in SOURCE.rglob("*.md") if not path.read_text().startswith(ORPHAN)}
    return {page for page in pages if not re.match(r"(commands|diagnostics)/(?!index$)|examples/programs/.+/", page)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remora", default=ROOT / "target" / "release" / "remora")
    options = parser.parse_args()
    for folder in (SOURCE, OUT):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        compiler, pages = Compiler(options.remora), Pages()
        pages.copy_all()
        pages.programs_all()
        compiler.command_pages()
        compiler.diagnostic_pages()
        front(listed())
    except Problem as problem:
        sys.exit(f"error: {problem}")
    sphinx = [sys.executable, "-m", "sphinx", "--quiet", "-W", "--keep-going", "-j", "auto", "-b", "html"]
    run = subprocess.run([*sphinx, "-c", str(ROOT / "site"), "-d", str(SOURCE / ".doctrees"), str(SOURCE), str(OUT)])
    if run.returncode != 0:
        sys.exit("error: Sphinx warns (above), which counts as an error")
    problems = outside_and_broken(OUT)
    if problems:
        sys.exit("\n".join(["error: the site is not whole:", *problems]))
    count = sum(1 for _ in OUT.rglob("*.html"))
    print(f"{OUT.relative_to(ROOT)}/index.html: {count} pages, no link is broken, nothing is fetched from elsewhere")


if __name__ == "__main__":
    main()
