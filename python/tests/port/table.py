"""Prints the tables of docs/porting-table.md: each function of a corpus, and what `check_port` says of it on COUNT inputs.

`python tests/port/table.py [COUNT [fields]]`: with `fields` the second corpus.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main(count: int, fields: bool) -> None:
    """The table."""
    from test_port import FUNCTIONS, INPUTS

    if fields:
        from test_port_fields import FUNCTIONS, INPUTS  # noqa: F811
    from remora.port import check_port

    print("| function | file | lines | agree | both raise | refused here | differ |\n| --- | --- | --- | --- | --- | --- | --- |")
    good = 0
    for name, function in FUNCTIONS.items():
        report = check_port(function, n=count, inputs=INPUTS.get(name), backend="interp")
        good += bool(report)
        lines = len(inspect.getsource(function).splitlines())
        said = report.refusal.split("\n")[0].split(": ", 1)[-1] if report.refusal else ""
        file = Path(inspect.getsourcefile(function) or "").stem
        print(f"| `{name}` | {file} | {lines} | {report.agreed} | {report.both_raise} | {report.refused}{f' ({said})' if said else ''} | {len(report.differences)} |", flush=True)
        if report.differences:
            print(report, file=sys.stderr)
    print(f"\n{good} of {len(FUNCTIONS)} agree on all inputs that they take.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, "fields" in sys.argv)
