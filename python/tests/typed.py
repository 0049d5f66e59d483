"""Type stubs: mypy checks this file, nothing runs it."""

from typing_extensions import assert_type

import remora as rm

program = rm.load("program.rem", threads=2)
assert_type(program, rm.Program)
assert_type(program.main, rm.Function)
assert_type(program.main.infer().source, str)
for function in program:
    assert_type(function.__name__, str)
try:
    program.main(1.0, out=None)
except rm.RankError as error:
    assert_type(error.readings[0].fragment, str)
    assert_type(error.diagnostics[0].code, str)
assert_type(rm.grad(program.main), rm.Function)
assert_type(rm.value_and_grad(program.main, argnums=(0, 2)), rm.Function)
