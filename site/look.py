"""Looks at a site that was built: whether reading it fetches anything from elsewhere, and whether its links lead somewhere."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

# What a browser fetches without being asked.
FETCHED = {
    "script": ["src"],
    "img": ["src", "srcset"],
    "source": ["src", "srcset"],
    "iframe": ["src"],
    "embed": ["src"],
    "object": ["data"],
    "video": ["src", "poster"],
    "audio": ["src"],
    "link": ["href"],
}


class Page(HTMLParser):
    """The names of places in a page, what it fetches, and where its links lead."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.fetched, self.links = set(), [], []
        self.style = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = {name: value or "" for name, value in attrs}
        self.style = tag == "style"
        self.ids.update(attrs[name] for name in ("id", "name") if name in attrs)
        self.fetched += styled(attrs.get("style", ""))
        # Such a link is where the page comes from, and is not fetched.
        if not (tag == "link" and attrs.get("rel") == "canonical"):
            self.fetched += [attrs[name] for name in FETCHED.get(tag, []) if attrs.get(name)]
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])

    def handle_data(self, data):
        if self.style:
            self.fetched += styled(data)


def styled(text):
    """What a style sheet fetches."""
    return [found[1] or found[2] for found in re.finditer(r"""url\(\s*['"]?([^'")\s]+)|@import\s+['"]([^'"]+)""", text)]


def elsewhere(url):
    parts = urlsplit(url)
    return bool(parts.netloc) or parts.scheme not in ("", "data", "mailto")


def outside_and_broken(out):
    """What is wrong with the site in a folder, one line each."""
    # The theme leaves templates of its own in _static, which nobody reads.
    found = [path for path in sorted(out.rglob("*.html")) if "_static" not in path.relative_to(out).parts]
    pages = {path: Page(path.read_text()) for path in found}
    problems = []
    for path, page in pages.items():
        shown = path.relative_to(out)
        problems += [f"{shown} fetches {url}" for url in page.fetched if elsewhere(url)]
        for link in page.fetched + page.links:
            parts = urlsplit(link)
            if elsewhere(link) or parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                problems.append(f"{shown} points to {link}, which is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                problems.append(f"{shown} points to {link}: the page has no such place")
    for path in sorted(out.rglob("*.css")):
        problems += [f"{path.relative_to(out)} fetches {url}" for url in styled(path.read_text()) if elsewhere(url)]
    return problems
