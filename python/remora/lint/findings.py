"""What is found, and how it is shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Rule(Enum):
    """The kinds of mistakes, with what a reader should know about each."""

    AGREE = "L01"
    SQUARE = "L02"
    CHANCE = "L03"
    AXIS = "L04"
    TYPE = "L05"
    VIEW = "L06"
    NAN = "L07"
    SYNTAX = "L00"

    @property
    def explanation(self) -> str:
        """One sentence for a list of rules."""
        return _EXPLANATIONS[self]

    @property
    def level(self) -> str:
        """As SARIF names it: an error fails when it is reached, a warning computes something else than was meant."""
        return "error" if self in (Rule.AGREE, Rule.SYNTAX) else "warning"


_EXPLANATIONS = {
    Rule.SYNTAX: "The file is no Python that this interpreter reads.",
    Rule.AGREE: "Sizes of dimensions cannot agree in an operation, a product, a concatenation, a reshape or an assignment, an index is beyond them, or they are no shape.",
    Rule.SQUARE: "A column of n numbers with a vector of n numbers makes n x n numbers, where n were meant.",
    Rule.CHANCE: "A vector along one axis is broadcast along another, which has the same size by chance.",
    Rule.AXIS: "A reduction names an axis that the array does not have, or the result no longer fits the array that it came from.",
    Rule.TYPE: "A value is cut off, wraps around or changes its type because of the type of an array.",
    Rule.VIEW: "A write through one name changes an array that is used under another.",
    Rule.NAN: "NaN is equal to nothing, also not to itself.",
}


@dataclass(frozen=True, order=True)
class Finding:
    """One mistake at one place."""

    file: str
    line: int
    column: int
    code: str
    message: str

    @property
    def rule(self) -> Rule:
        """Which kind it is."""
        return Rule(self.code)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.code} {self.message}"


def sarif(findings: list[Finding]) -> str:
    """All findings as SARIF 2.1.0, the format of code scanning."""
    rules = [{"id": rule.value, "shortDescription": {"text": rule.explanation}, "defaultConfiguration": {"level": rule.level}} for rule in Rule]
    results: list[dict[str, Any]] = [
        {
            "ruleId": finding.code,
            "level": finding.rule.level,
            "message": {"text": finding.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": finding.file},
                        "region": {"startLine": finding.line, "startColumn": finding.column},
                    }
                }
            ],
        }
        for finding in findings
    ]
    driver = {"name": "remora lint", "rules": rules}
    return json.dumps({"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}, indent=2)
