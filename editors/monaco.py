#!/usr/bin/env python3
"""The language server under Monaco, the editor of Visual Studio Code, in Chromium without a screen: usage monaco.py REMORA [FOLDER FOR SCREENSHOTS], or
monaco.py REMORA --document FILE.png, which makes the picture in docs/editor.md.

A program is shown with its hints; an ambiguous application is underlined, its readings are offered, and the first one is chosen with the keyboard. Monaco
is looked for in the folder MONACO, and else installed with npm into build/monaco. Between page and server stands this program: the page calls a
function of the DevTools protocol, and the answer is put back into the page.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pages import Browser, chromium  # noqa: E402

VERSION = "0.57.0"
PATIENCE = 60

PROGRAM = """-- | The length of a vector.
def norm [n] (v: [n]f64) : f64 = f64.sqrt (f64.sum (v * v))

-- | Rows of length 1, a weight for each column.
entry main [n][m] (rows: [n][m]f64) (w: [m]f64) =
  let weighted = rows * w
  let lengths = norm weighted
  in transpose (transpose weighted / lengths)

-- | A number and what belongs to it.
def pair 'b (x: f64) (other: b) = (x, other)

def pairs [n] (xs: [n]f64) (ys: [n]f64) = pair xs ys
"""
CHOSEN = "map2 pair xs ys"

PAGE = """<!doctype html><meta charset="utf-8"><style>html, body, #at { margin: 0; height: 100%; overflow: hidden }</style>
<div id="at"></div><script src="/vs/loader.js"></script><script>
const waiting = new Map(); let asked = 0
const ask = (method, params) => new Promise(done => { waiting.set(++asked, done); window.remora(JSON.stringify([asked, method, params])) })
window.answer = (id, result) => { waiting.get(id)(result); waiting.delete(id) }
const place = p => ({ line: p.lineNumber - 1, character: p.column - 1 })
const range = r => ({ start: { line: r.startLineNumber - 1, character: r.startColumn - 1 }, end: { line: r.endLineNumber - 1, character: r.endColumn - 1 } })
const back = r => ({ startLineNumber: r.start.line + 1, startColumn: r.start.character + 1, endLineNumber: r.end.line + 1, endColumn: r.end.character + 1 })
const document_ = { uri: URI }
require.config({ paths: { vs: '/vs' } })
require(['vs/editor/editor.main'], () => {
  monaco.languages.register({ id: 'remora' })
  monaco.languages.setMonarchTokensProvider('remora', { tokenizer: { root: [[/--.*/, 'comment'], [/(def|entry|let|in|if|then|else)(?![\\w'])/, 'keyword'], [/[a-z_][\\w']*/, ''], [/\\d[\\w.]*/, 'number']] } })
  const model = monaco.editor.createModel(TEXT, 'remora')
  const changed = new monaco.Emitter()
  let version = 1
  model.onDidChangeContent(() => ask('didChange', { textDocument: { ...document_, version: ++version }, contentChanges: [{ text: model.getValue() }] }))
  window.published = (found, of) => { if (of !== version) return
    monaco.editor.setModelMarkers(model, 'remora', found.map(d => ({ ...back(d.range), message: d.message, code: d.code, severity: d.severity === 1 ? 8 : 4, whole: d })))
    window.found = found; changed.fire() }
  monaco.languages.registerInlayHintsProvider('remora', { onDidChangeInlayHints: changed.event, provideInlayHints: async (_, r) => {
    const hints = await ask('textDocument/inlayHint', { textDocument: document_, range: range(r) }) || []
    const label = l => typeof l === 'string' ? l : l.map(part => part.value).join('')
    return { hints: hints.map(h => ({ label: label(h.label), position: { lineNumber: h.position.line + 1, column: h.position.character + 1 }, paddingLeft: h.paddingLeft, paddingRight: h.paddingRight })), dispose() {} } } })
  monaco.languages.registerCodeActionProvider('remora', { provideCodeActions: async (_, r, context) => {
    const diagnostics = window.found.filter(d => context.markers.some(m => m.message === d.message))
    const actions = await ask('textDocument/codeAction', { textDocument: document_, range: range(r), context: { diagnostics } }) || []
    return { actions: actions.map(a => ({ title: a.title, kind: a.kind, diagnostics: context.markers,
      edit: { edits: (a.edit?.changes?.[URI] || []).map(e => ({ resource: model.uri, versionId: undefined, textEdit: { range: back(e.range), text: e.newText } })) } })), dispose() {} } } })
  monaco.languages.registerHoverProvider('remora', { provideHover: async (_, p) => {
    const h = await ask('textDocument/hover', { textDocument: document_, position: place(p) })
    return h && { contents: [{ value: h.contents.value }], range: h.range && back(h.range) } } })
  window.editor = monaco.editor.create(document.getElementById('at'), { model, fontSize: 14, minimap: { enabled: false }, automaticLayout: true,
    scrollBeyondLastLine: false, lineNumbersMinChars: 3, inlayHints: { enabled: 'on', padding: true }, lightbulb: { enabled: 'on' } })
  ask('didOpen', { textDocument: { ...document_, languageId: 'remora', version: 1, text: TEXT } })
  window.ready = true
})
</script>"""


class Server:
    """`remora lsp`, whose messages are put into a list by a thread."""

    def __init__(self, remora: str, folder: str) -> None:
        self.process = subprocess.Popen([remora, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "REMORA_CACHE": folder})
        self.heard: list[dict] = []
        threading.Thread(target=self.listen, daemon=True).start()
        self.send({"id": "first", "method": "initialize", "params": {"capabilities": {}}})
        self.send({"method": "initialized", "params": {}})

    def send(self, message: dict) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()

    def listen(self) -> None:
        while header := self.process.stdout.readline():
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
            elif not header.strip():
                self.heard.append(json.loads(self.process.stdout.read(length)))


def pass_on(browser: Browser, server: Server) -> None:
    """What the page asks goes to the server, and what the server says to the page."""
    while browser.calls:
        number, method, params = json.loads(browser.calls.pop(0))
        if method.startswith("did"):
            server.send({"method": f"textDocument/{method}", "params": params})
            browser.value(f"answer({number}, null)")
        else:
            server.send({"id": number, "method": method, "params": params})
    while server.heard:
        message = server.heard.pop(0)
        if message.get("method") == "textDocument/publishDiagnostics":
            browser.value(f"published({json.dumps(message['params']['diagnostics'])}, {message['params'].get('version')})")
        elif isinstance(message.get("id"), int) and "method" not in message:
            if "error" in message:
                raise RuntimeError(str(message["error"]))
            browser.value(f"answer({message['id']}, {json.dumps(message['result'])})")


def until(browser: Browser, server: Server, what: str, condition: str):
    """Waits until an expression is true in the page."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        pass_on(browser, server)
        if value := browser.value(condition):
            return value
        time.sleep(0.02)
    raise SystemExit(f"Monaco: {what}: not within {PATIENCE} seconds; {browser.value('document.body.innerText.slice(-500)')!r}")


HINTS = """[...document.querySelectorAll('.view-line span')].filter(e => e.children.length === 0
  && /inline|hint|dyn-rule/.test(e.className)).map(e => e.textContent.trim()).filter(t => t)"""
MENU = "[...document.querySelectorAll('.action-widget .monaco-list-row')].map(e => e.textContent)"


def look(browser: Browser, server: Server, pictures: pathlib.Path | None, shown: pathlib.Path | None) -> None:
    until(browser, server, "the editor", "window.ready")
    found = until(browser, server, "diagnostics", "window.found")
    assert [one["code"] for one in found] == ["E0402"], found
    until(browser, server, "hints", f"(h => h.some(t => t.startsWith('map')) && h.some(t => t.includes('[n][m]f64')))({HINTS})")
    browser.value("(() => { editor.focus(); editor.setPosition({ lineNumber: 13, column: 46 }); editor.trigger('', 'editor.action.quickFix') })()")
    readings = until(browser, server, "readings", f"(m => m.length > 1 && m)({MENU})")
    assert any("map2 pair xs ys" in text for text in readings), readings
    for _ in range(20):
        pass_on(browser, server)
        time.sleep(0.02)
    if picture := shown or (pictures and pictures / "monaco-readings.png"):
        browser.picture(picture, whole=False)
    if shown:
        return
    browser.key("Enter", 13)
    until(browser, server, "the reading is written", f"editor.getValue().includes({json.dumps(CHOSEN)})")
    until(browser, server, "nothing is wrong any more", "window.found.length === 0")
    until(browser, server, "hints of the new text", f"{HINTS}.length > 2")
    if pictures:
        browser.picture(pictures / "monaco-chosen.png", whole=False)


def monaco() -> pathlib.Path | None:
    """The folder of Monaco that is served; nothing where it cannot be had."""
    root = pathlib.Path(os.environ.get("MONACO") or pathlib.Path(__file__).parent.parent / "build/monaco/node_modules/monaco-editor")
    if not (root / "min/vs/loader.js").is_file() and shutil.which("npm") and not os.environ.get("MONACO"):
        folder = root.parent.parent
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(folder), "--no-save", "--ignore-scripts", "--silent", f"monaco-editor@{VERSION}"]
        try:
            subprocess.run(command, timeout=300, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            pass
    return root if (root / "min/vs/loader.js").is_file() else None


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of two folders: Monaco's, and the page."""

    def __init__(self, *args, page: str, **more) -> None:
        self.page = page
        super().__init__(*args, **more)

    def do_GET(self) -> None:
        if self.path != "/":
            return super().do_GET()
        text = self.page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_) -> None:
        pass


def main() -> int:
    remora = str(pathlib.Path(sys.argv[1]).resolve())
    shown = pathlib.Path(sys.argv[3]).resolve() if sys.argv[2:3] == ["--document"] else None
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None
    program, root = chromium(), monaco()
    if program is None or root is None:
        print(f"SKIPPED: Monaco is not tried: {'Chromium is not there (apt-get install chromium)' if program is None else 'it cannot be installed with npm'}", file=sys.stderr)
        return 0
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        uri = (pathlib.Path(folder) / "rows.rem").as_uri()
        page = PAGE.replace("URI", json.dumps(uri)).replace("TEXT", json.dumps(PROGRAM).replace("</", "<\\/"))
        web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, page=page, directory=str(root / "min")))
        threading.Thread(target=web.serve_forever, daemon=True).start()
        browser, server = Browser(program, f"{folder}/profile"), Server(remora, folder)
        browser.size(800, 290)
        browser.ask("Runtime.addBinding", name="remora")
        browser.open(f"http://127.0.0.1:{web.server_port}/")
        look(browser, server, pictures, shown)
        browser.end()
        server.process.kill()
        web.shutdown()
    if not shown:
        print("Monaco in Chromium: hints are shown, and a reading is chosen")
    return 0


if __name__ == "__main__":
    sys.exit(main())
