# make demo          an example on a real image: the inferred program, the result as a picture
# make test          all tests, the examples against NumPy included
# make properties    the properties of AUTOMAP on CASES generated cases each: make properties CASES=1000000
# make bench-check   the table of checking times and memory
# make ci            what has to be green before a change is accepted
# All of them install what is missing on a Debian machine with Rust (see .ci/setup).

.PHONY: all setup demo test examples properties bench-check ci clean

all:
	@.ci/setup build
	cargo build --release

setup:
	@.ci/setup

demo:
	@.ci/setup build
	cargo build --release
	@examples/demo.sh

# Properties run on the same generated cases each time; `PROPTEST_RNG_SEED=N make test` takes others.
PROPTEST_RNG_SEED ?= 20240
export PROPTEST_RNG_SEED

test: setup
	cargo test
	@echo "examples against NumPy, size test:"
	@.venv/bin/python examples/check.py --remora target/debug/remora --size test

examples: setup
	cargo build
	@echo "examples against NumPy, size test:"
	@.venv/bin/python examples/check.py --remora target/debug/remora --size test

CASES ?= 100000
properties: setup
	CASES=$(CASES) THREADS=$$(nproc) cargo test --release --test automap --test conjecture --test rank_properties -- --nocapture

bench-check:
	@.ci/setup
	cargo build --release
	@.venv/bin/python benches/check.py

ci:
	@.ci/run

clean:
	cargo clean
	rm -rf .venv build
