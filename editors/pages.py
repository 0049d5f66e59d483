#!/usr/bin/env python3
"""Pages of `remora` in Chromium without a screen: usage pages.py REMORA [FOLDER FOR SCREENSHOTS], or
pages.py REMORA --document FILE.png, which makes the picture in docs/pictures.md.

Looked at are: no requests but for the page itself, nothing wider than the window at 1280 and at 400 pixels, the contrast of every text in light,
dark and print, and that names of the program stay text; of those of `infer` also what the keyboard reaches and what is shown then; of those of `doc`
the search. Chromium is spoken to over pipes (the
DevTools protocol), so that nothing but Python is needed.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = {
    "insertions.rem": """-- <script>document.title = 'run'</script>
def norm [n] (v: [n]f64) : f64 = f64.sqrt (f64.sum (v * v))

-- | A long line, which is wider than a telephone: https://example.org/a/path/that/has/no/blanks/in/it/and/goes/on/for/quite/a/while/until/it/ends
entry main [n][m][k] (cubes: [n][m][k]f64) (w: [k]f64) : [n][m]f64 =
  let weighted = cubes * w
  let lengths = norm weighted
  in 2.0 * lengths + 1.0

entry first (text: []u8) = text == "<script>document.title = 'run'</script>"
""",
    "ambiguous.rem": """def counts (xss: [][]i64) = i64.sum (length xss)
def wrong (x: i64) = x + y -- <script>
def fine (v: []f64) = v + 1.0
""",
}

# Other pages, and what makes them.
OTHERS = {
    "profile.html": ["profile", "insertions.rem", "[[[1, 2], [3, 4]]]", "[1, 2]", "--runs", "1", "--format", "html", "-o", "profile.html"],
    "insertions.document.html": ["literate", "insertions.rem", "-o", "insertions.document.html", "--backend", "interp"],
    "documented/insertions.html": ["doc", "insertions.rem", "lib/graph", "prelude", "-o", "documented"],
    "documented/lib-graph.html": [],
    "documented/prelude.html": [],
    "documented/index.html": [],
}

DOCUMENT = """-- | The length of a vector.
def norm [n] (v: [n]f64) : f64 = f64.sqrt (f64.sum (v * v))

-- | Rows of length 1, a weight for each column.
entry main [n][m] (rows: [n][m]f64) (w: [m]f64) : [m][n]f64 =
  let lengths = norm (rows * w)
  in transpose rows / lengths
"""

# The contrast of each text with what is behind it, as WCAG 2.1 defines it; the smallest ones first.
CONTRAST = """(() => {
  const numbers = c => { const m = c.match(/[\\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1] };
  const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  const behind = e => { const layers = [];
    for (let at = e; at; at = at.parentElement) { const c = numbers(getComputedStyle(at).backgroundColor); layers.push(c); if (c[3] === 1) break }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]) };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, e = text.parentElement;
    if (!text.data.trim() || e.closest('style')) continue;
    // Tips are shown later.
    if (e.getClientRects().length === 0 && !e.closest('.remora-tip')) continue;
    const style = getComputedStyle(e), back = behind(e), ink = over(numbers(style.color), back);
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), text.data.trim().slice(0, 30), e.className])
  }
  return found.sort((x, y) => x[0] - y[0]).slice(0, 3) })()"""

# What the keyboard is on, and what is shown for it once it has been laid out.
FOCUS = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => { const e = document.activeElement; const tip = e.querySelector('.remora-tip'); const r = tip && tip.getBoundingClientRect();
  const named = (e.getAttribute('aria-describedby') || '').split(' ').filter(Boolean).every(id => document.getElementById(id));
  return { tag: e.tagName, name: e.className, text: e.textContent.slice(0, 60), tip: tip && getComputedStyle(tip).display, said: tip && tip.textContent, named, rect: r && [r.left, r.top, r.right, r.bottom],
    inside: !r || (r.width > 0 && r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight) } })"""


def chromium() -> str | None:
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """Chromium at the other end of two pipes."""

    def __init__(self, program: str, folder: str) -> None:
        (self.told, tell), (hear, self.said) = os.pipe(), os.pipe()
        # Chromium reads from 3 and writes to 4.
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        command = 'exec 3<&%d 4>&%d; exec "$@"' % (self.told, self.said)
        self.process = subprocess.Popen(
            ["bash", "-c", command, "chromium", program, *flags, "about:blank"],
            pass_fds=(self.told, self.said), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(self.told), os.close(self.said)
        self.out, self.input, self.buffer, self.number, self.session, self.requests = tell, hear, b"", 0, None, []
        self.calls: list[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Network", "Runtime"]:
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def next(self):
        while b"\0" not in self.buffer:
            part = os.read(self.input, 1 << 16)
            if not part:
                raise RuntimeError("Chromium has ended")
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\0", 1)
        answer = json.loads(line)
        if answer.get("method") == "Network.requestWillBeSent":
            self.requests.append(answer["params"]["request"]["url"])
        # What the page says to this program (`Runtime.addBinding`).
        if answer.get("method") == "Runtime.bindingCalled":
            self.calls.append(answer["params"]["payload"])
        return answer

    def open(self, url: str) -> None:
        self.requests.clear()
        self.ask("Page.navigate", url=url)
        while not self.value("document.readyState === 'complete' && location.href !== 'about:blank'"):
            pass

    def value(self, expression: str):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def size(self, width: int, height: int) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, scheme: str, kind: str = "screen") -> None:
        self.ask("Emulation.setEmulatedMedia", media=kind, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def key(self, name: str, number: int) -> None:
        for kind in ["rawKeyDown", "keyUp"]:
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=number)

    def tab(self) -> None:
        self.key("Tab", 9)

    def picture(self, path: pathlib.Path, whole: bool = True) -> None:
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]))

    def end(self) -> None:
        self.ask("Browser.close")
        self.process.wait(timeout=30)


def check(browser: Browser, page: pathlib.Path, pictures: pathlib.Path | None) -> list[str]:
    wrong = []
    marked = [pathlib.Path(name).with_suffix(".html").name for name in PROGRAMS] if page.parent.name != "documented" else []
    url = page.as_uri()
    for width in [1280, 400]:
        browser.size(width, 900)
        for scheme in ["light", "dark"]:
            browser.media(scheme)
            browser.open(url)
            # Pages of `doc` have their style and their index beside them.
            folder = page.parent.as_uri()
            if not all(asked == url or page.parent.name == "documented" and asked.startswith(folder) for asked in browser.requests):
                wrong.append(f"requests: {browser.requests}")
            if (wide := browser.value("document.documentElement.scrollWidth")) > width:
                wrong.append(f"{wide} pixels wide in a window of {width}")
            own = 1 if page.parent.name == "documented" else 0
            if browser.value("document.title") == "run" or browser.value("document.scripts.length") != own:
                wrong.append("a text of the program is run")
            wrong += [f"{scheme}: contrast {ratio:.2f} of {text!r} ({name})" for ratio, text, name in browser.value(CONTRAST) if ratio < 4.5]
            if pictures:
                browser.picture(pictures / f"{page.stem}-{width}-{scheme}.png")
        if page.parent.name == "documented":
            wrong += [f"{width} pixels: {said}" for said in search(browser)]
        if page.name not in marked:
            continue
        wrong += [f"{width} pixels: {said}" for said in keyboard(browser, pictures and pictures / f"{page.stem}-{width}-focus.png")]
    browser.media("dark", "print")
    wrong += [f"print: contrast {ratio:.2f} of {text!r} ({name})" for ratio, text, name in browser.value(CONTRAST) if ratio < 4.5]
    if folded := browser.value("[...document.querySelectorAll('details > :not(summary)')].filter(e => !e.checkVisibility({ contentVisibilityAuto: true })).length"):
        wrong.append(f"print: {folded} texts are folded away")
    if pictures:
        (pictures / f"{page.stem}.pdf").write_bytes(base64.b64decode(browser.ask("Page.printToPDF", printBackground=True)["data"]))
    return wrong


def search(browser: Browser) -> list[str]:
    """What the field for searching finds, and where its links lead."""
    browser.value("(() => { const at = document.querySelector('#search'); at.value = 'norm'; at.dispatchEvent(new Event('input', { bubbles: true })) })()")
    found = browser.value("[...document.querySelectorAll('#found a')].map(a => a.getAttribute('href'))")
    wrong = [] if "insertions.html#norm" in found else [f"a search for `norm` finds {found}"]
    broken = browser.value("[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.getElementById(decodeURIComponent(a.hash.slice(1)))).map(a => a.href)")
    return wrong + ([f"{len(broken)} links lead nowhere: {broken[:3]}"] if broken else [])


def keyboard(browser: Browser, picture: pathlib.Path | None) -> list[str]:
    """Goes through everything with the Tab key."""
    wrong, marks, seen = [], 0, []
    for _ in range(200):
        browser.tab()
        on = browser.value(FOCUS)
        if on["tag"] == "BODY":
            break
        seen.append(on)
        if not on["inside"] or not on["named"] or (on["said"] is not None and on["tip"] != "block"):
            wrong.append(f"on {on['text']!r} the tip is not shown within the window: {on}")
        if "remora-chip" in on["name"]:
            marks += 1
            if "rank" not in on["said"] or "cell" not in on["said"]:
                wrong.append(f"a mark says nothing of rank and cell: {on['said']!r}")
            if marks == 3 and picture:
                browser.picture(picture, whole=False)
    chips = browser.value("document.querySelectorAll('.remora-chip').length")
    if marks != chips or chips == 0:
        wrong.append(f"the keyboard reaches {marks} of {chips} marks")
    if not any("remora-var" in on["name"] for on in seen):
        wrong.append("the keyboard reaches no variable")
    broken = browser.value("[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.querySelector(a.getAttribute('href'))).length")
    return wrong + ([f"{broken} links lead nowhere"] if broken else [])


def document(browser: Browser, remora: str, folder: pathlib.Path, picture: pathlib.Path) -> None:
    """A page with the keyboard on a mark, as documents show it."""
    (folder / "rows.rem").write_text(DOCUMENT)
    subprocess.run([remora, "infer", "rows.rem", "--format", "html", "-o", "rows.html"], cwd=folder, check=True)
    browser.size(800, 640)
    browser.media("light")
    browser.open((folder / "rows.html").as_uri())
    while not browser.value(FOCUS)["text"].startswith("map norm"):
        browser.tab()
    browser.value("scrollTo(0, document.activeElement.closest('section').offsetTop - 10)")
    browser.value(FOCUS)
    browser.picture(picture, whole=False)


def main() -> int:
    remora = str(pathlib.Path(sys.argv[1]).resolve())
    shown = pathlib.Path(sys.argv[3]) if sys.argv[2:3] == ["--document"] else None
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None
    program = chromium()
    if program is None:
        print("SKIPPED: pages are not looked at: Chromium is not there (apt-get install chromium)", file=sys.stderr)
        return 0
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        browser = Browser(program, str(folder / "profile"))
        if shown:
            document(browser, remora, folder, shown)
            browser.end()
            return 0
        for file, text in PROGRAMS.items():
            (folder / file).write_text(text)
            page = (folder / file).with_suffix(".html")
            subprocess.run([remora, "infer", file, "--format", "html", "-o", page.name], cwd=folder, stderr=subprocess.DEVNULL, check=False)
            wrong = check(browser, page, pictures)
            for said in wrong:
                print(f"{file}: {said}", file=sys.stderr)
            failed += len(wrong)
        for file, command in OTHERS.items():
            if command:
                subprocess.run([remora, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            wrong = check(browser, folder / file, pictures)
            for said in wrong:
                print(f"{file}: {said}", file=sys.stderr)
            failed += len(wrong)
        browser.end()
    looked = len(PROGRAMS) + len(OTHERS)
    print(f"pages in Chromium: {failed} things are wrong" if failed else f"pages in Chromium: {looked} are fine")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
