# make demo          an example on a real image: the inferred program, the result as a picture
# make fit           a curve fitted to measurements by its gradient, and how it got there as a picture
# make test          all tests, the examples against NumPy and the Python package included
# make golden        rewrites the golden files of reports (look at what git says has changed)
# make examples      the examples against NumPy
# make properties    the properties of AUTOMAP on CASES generated cases each: make properties CASES=1000000
# make torture       stress tests: generated programs, compiled in many ways, for MINUTES=10 (docs/testing-the-compiler.md)
# make mutations     mistakes put into the compiler: what finds each of them, within MINUTES=10 (docs/testing-the-compiler.md)
#                    ONLY=Name,src/folder NETS=generated FRESH=1 (looks again instead of in tests/data/mutations/found.txt) WRITE=1
# make bench         compiled remora against hand-written C, NumPy and what else is installed: a table and a plot (build/bench)
#                    SIZE=large|small|test ONLY=name,name THREADS=2 ROUNDS=3 RUNS=10 BY=min FRESH=1; PEERS=1 installs Numba and JAX first
# make bench-check   the table of checking times and memory
# make bench-library   functions of lib/linalg, lib/fft and lib/np beside NumPy: a table (benches/library.py --help)
# make bench-derivatives   derivatives beside the programs themselves, JAX and C by hand: a table (benches/derivatives.py --help)
# make programs-table  the table of docs/programs.md: what need not be written, checking times
# make interop       the Python package with Dask, xarray, pandas, JAX, SciPy and Arrow (large downloads)
# make editors       the language server under Neovim and Monaco, pages in Chromium, the files of the extension for Visual Studio Code (what cannot be installed is skipped)
# make screenshots   docs/pictures.png and docs/editor.png, which documents show (Chromium, and Monaco from npm)
# make fuzz MINUTES=10   each fuzzing target for ten minutes, with libFuzzer (TARGETS="check core" for some of them)
# make site          the guide, the documents, every command and every diagnostic as one site to read without a network: build/site/index.html
# make aarch64       the C of a program compiled for aarch64, and run under qemu (Debian's cross compiler)
# make dist          an archive for Debian machines without Rust: the program with the solver inside, manual pages, completions (build/dist)
# make ci            what has to be green before a change is accepted
# All of them install what is missing on a Debian machine with Rust (see .ci/setup).

.PHONY: all setup demo fit test test-scripts test-python test-editors golden examples properties torture mutations bench bench-check bench-library bench-derivatives programs-table editors interop screenshots fuzz site aarch64 dist ci clean

all:
	@.ci/setup build
	cargo build --release

setup:
	@.ci/setup

demo:
	@.ci/setup build
	cargo build --release
	@examples/demo.sh

fit:
	@.ci/setup build
	cargo build --release
	@examples/fit.sh

# Properties run on the same generated cases each time; `PROPTEST_RNG_SEED=N make test` takes others.
PROPTEST_RNG_SEED ?= 20240
export PROPTEST_RNG_SEED

# What tests are built with: the extension for Python with the rest, so that they share all crates, and the mistakes that tests/mutations
# switches on; nothing that users get has them (.ci/run looks).
TESTED = PYO3_PYTHON=$(CURDIR)/python/.venv/bin/python
WITH_PYTHON = --package remora --package remora-python --features mutations

# SKIPPED=.. leaves tests out whose names contain one of these.
# Unit tests are short, so the library is built for them without optimisation, which takes a third of the time.
test: setup
	CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --features mutations --lib
	@.ci/setup python
	$(TESTED) cargo build $(WITH_PYTHON) --lib --bins --test '*'
	$(TESTED) cargo test $(WITH_PYTHON) --test '*' $(if $(SKIPPED),-- $(addprefix --skip ,$(SKIPPED)))
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=recurse test-editors test-scripts test-python

# What `make test` runs when everything is built: side by side, since the Python tests take one core.
test-scripts:
	@echo "examples against NumPy, size test:"
	@.venv/bin/python examples/check.py --remora target/debug/remora --size test
	@.venv/bin/python tests/apl/oracle.py --cases tests/data/apl/cases.txt
	@.venv/bin/python tests/apl/oracle.py --examples examples/apl/*.apl
	@.venv/bin/python tests/library/check.py --remora target/debug/remora
	@echo "the examples in libraries that have no cases there:"
	@target/debug/remora test --examples $(foreach name,graph ragged segmented sorting text vector,stdlib/lib/$(name).rem)
	@.venv/bin/python tests/documents.py --remora target/debug/remora
	@.venv/bin/python tests/grammar.py --remora target/debug/remora
	@.venv/bin/python benches/bench.py --check

# The language server in editors and pages in a browser: those that are there (`make editors` installs them), the others are named.
test-editors:
	@echo "editors and pages:"
	@editors/test.sh target/debug/remora

test-python:
	@echo "the Python package:"
	@$(MAKE) --no-print-directory -C python test BUILT=../target/debug/lib_remora.so

# Rewrites the golden files of reports.
golden: setup
	@.ci/setup python
	REMORA_BLESS=1 $(TESTED) cargo test $(WITH_PYTHON) --quiet --test suites -- reports::

examples: setup
	cargo build
	@echo "examples against NumPy, size test:"
	@.venv/bin/python examples/check.py --remora target/debug/remora --size test

editors: setup
	@.ci/setup editors
	cargo build --release
	@editors/test.sh target/release/remora

interop:
	@$(MAKE) --no-print-directory -C python interop

screenshots:
	@.ci/setup build
	@.ci/setup editors
	cargo build --release
	@editors/pages.py target/release/remora --document docs/pictures.png
	@editors/monaco.py target/release/remora --document docs/editor.png

CASES ?= 100000
properties: setup
	CASES=$(CASES) THREADS=$$(nproc) cargo test --release --test it -- front::automap rank::conjecture rank::properties --nocapture

STAGES ?= soac,kernel,imp,imp-device,cpu,sanitized,device
torture: setup
	@mkdir -p build/torture
	FORMS=all MINUTES=$(MINUTES) SEED=$(or $(SEED),$$(date +%s)) STAGES=$(STAGES) FINDINGS=$(CURDIR)/build/torture \
	  cargo test --profile torture --test torture evaluators_agree -- --nocapture

mutations: setup
	ALL=1 MINUTES=$(MINUTES) ONLY="$(ONLY)" NETS=$(NETS) FRESH=$(FRESH) WRITE=$(WRITE) SEED=$(SEED) \
	  cargo test --profile torture --features mutations --test mutations -- --nocapture

SIZE ?= large
bench:
	@.ci/setup
	@if [ -n "$(PEERS)" ]; then .ci/setup peers; fi
	cargo build --release
	@.venv/bin/python benches/bench.py --size $(SIZE) --only "$(ONLY)" $(if $(THREADS),--threads $(THREADS)) \
	  $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(RUNS),--runs $(RUNS)) $(if $(BY),--by $(BY)) $(if $(FRESH),--fresh)

bench-check:
	@.ci/setup
	cargo build --release
	@.venv/bin/python benches/check.py

bench-library:
	@.ci/setup
	cargo build --release
	@.venv/bin/python benches/library.py --only "$(ONLY)" $(if $(THREADS),--threads $(THREADS))

bench-derivatives:
	@.ci/setup
	@if [ -n "$(PEERS)" ]; then .ci/setup peers; fi
	cargo build --release
	@.venv/bin/python benches/derivatives.py --only "$(ONLY)" $(if $(THREADS),--threads $(THREADS)) $(if $(ROUNDS),--rounds $(ROUNDS))

programs-table:
	@.ci/setup build
	cargo build --release
	REMORA_BLESS=1 REMORA_TIMED=target/release/remora cargo test --test suites -- programs_of_size::table

MINUTES ?= 10
TARGETS ?= syntax format check core rank data apl
fuzz:
	@.ci/setup build
	@fuzz/run.sh $(MINUTES) $(TARGETS)

# Not a part of `make test`: what makes pages of documents (site/requirements.txt) is downloaded.
site:
	@.ci/setup site
	cargo build --release
	@site/.venv/bin/python site/make.py --remora target/release/remora

aarch64:
	@.ci/setup
	cargo build --release
	@.venv/bin/python tests/aarch64.py

dist:
	@.ci/setup build
	@.ci/dist

ci:
	@.ci/run

clean:
	cargo clean
	rm -rf .venv site/.venv build fuzz/target fuzz/found
