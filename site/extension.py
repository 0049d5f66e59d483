"""What the site has beside Sphinx: colours for programs of Remora, commands and messages, and links where a text names a diagnostic or a
document.
"""

import posixpath
import re

from docutils import nodes
from pygments.lexer import Lexer, RegexLexer, words
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, Punctuation, String, Text
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

CODE = re.compile(r"\bE[01]\d{3}\b")
KEYWORDS = (
    "assert case def do else entry for if import in include let local loop match module open then type val while with".split()
)
SCALARS = "bool c64 c128 f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64".split()


class Remora(RegexLexer):
    """Programs in the surface language."""

    name = "Remora"
    aliases = ["remora"]
    tokens = {
        "root": [
            (r"--[^\n]*", Comment.Single),
            (r'"([^"\\\n]|\\.)*"', String),
            (r"'([^'\\\n]|\\[^0-9\n]|\\[0-9]+)'", String.Char),
            (words(KEYWORDS, suffix=r"\b(?!')"), Keyword),
            (words(("true", "false"), suffix=r"\b(?!')"), Keyword.Constant),
            (words(SCALARS, suffix=r"\b(?!')"), Keyword.Type),
            (r"#\[[^\]\n]*\]", Name.Decorator),
            (r"#[a-zA-Z_][\w']*", Name.Class),
            (r"'[\^~]?[a-zA-Z_][\w']*", Name.Variable),
            (r"[a-zA-Z_][\w']*", Name),
            (r"0[xX][\da-fA-F_]+(\.[\da-fA-F_]+[pP][+\-]?\d+)?\w*", Number),
            (r"\d[\d_]*(\.\d[\d_]*)?([eE][+\-]?\d+)?\w*", Number),
            (r"\.\.\.|\.\.<|\.\.>|\.\.|\?\?\?|:>|[+\-*/%=!><|&^~\\?:`]+", Operator),
            (r"[()\[\]{},.;@#$]", Punctuation),
            (r"\s+", Text),
            (r".", Text),
        ]
    }


class Anything(Lexer):
    """A block of which only the text says what it is: commands with their output, a message, or a program."""

    name = "Remora, commands or messages"
    aliases = ["remora-any", "console"]

    def get_tokens_unprocessed(self, text):
        first = text.lstrip().split("\n", 1)[0]
        if first.startswith("$ ") or re.match(r"(error|warning)\[E", first):
            yield from self.session(text)
        elif first.startswith(("⍝", ";", "(")) or "Usage:" in text:
            yield 0, Text, text
        else:
            yield from Remora().get_tokens_unprocessed(text)

    @staticmethod
    def session(text):
        at = 0
        for line in text.splitlines(keepends=True):
            if line.startswith("$ "):
                yield at, Generic.Prompt, line[:2]
                yield at + 2, Name.Function, line[2:]
            elif line.startswith(("error[", "error:")):
                yield at, Generic.Error, line
            else:
                yield at, Generic.Output, line
            at += len(line)


class Mentions(SphinxTransform):
    """Diagnostics, `docs/x.md` and `remora x` become links to their pages."""

    default_priority = 700

    def apply(self, **kwargs):
        for literal in list(self.document.findall(nodes.literal)):
            if not self.inside(literal):
                page = self.page(literal.astext())
                if page:
                    literal.replace_self(self.link(page, nodes.literal("", literal.astext())))
        for text in list(self.document.findall(nodes.Text)):
            if not self.inside(text) and CODE.search(text):
                text.parent.replace(text, list(self.codes(str(text))))

    @staticmethod
    def inside(node):
        """Whether a node is where no link can be, or one is already."""
        kept = (nodes.reference, addnodes.pending_xref, nodes.title, nodes.literal_block, addnodes.download_reference)
        parent = node.parent
        while parent is not None:
            if isinstance(parent, kept) or (isinstance(parent, nodes.literal) and isinstance(node, nodes.Text)):
                return True
            parent = parent.parent
        return False

    def known(self, page):
        return page if page in self.env.found_docs and page != self.env.docname else None

    def page(self, text):
        """The page that a literal is about."""
        if CODE.fullmatch(text):
            return self.known(f"diagnostics/{text}")
        command = re.match(r"remora ([a-z]+)$", text)
        if command:
            return self.known(f"commands/{command[1]}")
        if text.endswith(".md"):
            here = posixpath.normpath(posixpath.join(posixpath.dirname(self.env.docname), text[:-3]))
            return self.known(text[:-3]) or self.known(here)
        return None

    def codes(self, text):
        """A text with links in place of the diagnostics in it."""
        at = 0
        for found in CODE.finditer(text):
            page = self.known(f"diagnostics/{found[0]}")
            if page:
                yield nodes.Text(text[at : found.start()])
                yield self.link(page, nodes.inline("", found[0]))
                at = found.end()
        yield nodes.Text(text[at:])

    def link(self, page, shown):
        options = {"refdomain": "std", "reftype": "doc", "reftarget": f"/{page}", "refexplicit": True, "refwarn": True}
        return addnodes.pending_xref("", shown, refdoc=self.env.docname, **options)


def setup(app):
    app.add_lexer("remora", Remora)
    for name in ("remora-any", "console"):
        app.add_lexer(name, Anything)
    app.add_transform(Mentions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
