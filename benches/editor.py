#!/usr/bin/env python3
"""Prints how long the language server takes to answer after a keystroke, on the programs of check.py. Needs only Python's standard library.

  benches/editor.py [REMORA]      medians and maxima over the keystrokes, from the change to the diagnostics, and to hints
"""
import importlib.util, json, os, pathlib, statistics, subprocess, sys, tempfile, time

REMORA = sys.argv[1] if len(sys.argv) > 1 else "target/release/remora"
KEYSTROKES = 15


def programs():
    path = pathlib.Path(__file__).with_name("check.py")
    spec = importlib.util.spec_from_file_location("check", path)
    module = importlib.util.module_from_spec(spec)
    argv, sys.argv = sys.argv, sys.argv[:1]
    spec.loader.exec_module(module)
    sys.argv = argv
    return module.annotated


class Server:
    def __init__(self, folder):
        environment = {**os.environ, "REMORA_CACHE": folder}
        self.process = subprocess.Popen([REMORA, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.next = 0
        self.request("initialize", {"capabilities": {}})
        self.notify("initialized", {})

    def send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline()).strip():
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def request(self, method, params):
        self.next += 1
        self.send({"id": self.next, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.next:
            pass
        return message["result"]

    def diagnostics(self, version):
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"].get("version") == version:
                return message["params"]["diagnostics"]

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def keystrokes(server, uri, text, place):
    """Types a comment, and then digits into the body of the definition at this line: both are answered after each key."""
    lines = text.split("\n")
    version = 1
    times, hints, cpu = [], [], []
    column = lines[place].index("+ 1") + 3 if "+ 1" in lines[place] else len(lines[place])
    for key in range(KEYSTROKES):
        version += 1
        at = {"line": place, "character": column + key}
        change = {"range": {"start": at, "end": at}, "text": "0"}
        start, used = time.perf_counter(), server.cpu()
        server.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]})
        assert not server.diagnostics(version)
        times.append(time.perf_counter() - start)
        start = time.perf_counter()
        around = {"start": {"line": max(place - 30, 0), "character": 0}, "end": {"line": place + 30, "character": 0}}
        server.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": around})
        hints.append(time.perf_counter() - start)
        cpu.append(server.cpu() - used)
    return times, hints, cpu


def main():
    annotated = programs()
    print("| lines | where | diagnostics, median | maximum | hints of 60 lines | CPU of both |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for count in (1_000, 10_000):
            text = annotated(count)
            for name, place in (("at the beginning", 2), ("in the middle", count // 2 + 2), ("at the end", count - 3)):
                server = Server(folder)
                uri = f"file://{folder}/{count}.rem"
                document = {"uri": uri, "languageId": "remora", "version": 1, "text": text}
                server.notify("textDocument/didOpen", {"textDocument": document})
                assert not server.diagnostics(1)
                times, hints, cpu = keystrokes(server, uri, text, place)
                show = lambda seconds: f"{seconds * 1000:.0f} ms"
                median = statistics.median
                print(f"| {count} | {name} | {show(median(times))} | {show(max(times))} | {show(median(hints))} | {show(sum(cpu) / len(cpu))} |")
                server.process.kill()


main()
