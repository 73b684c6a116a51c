# Everything is set up in .venv; what is needed before: Rust (cargo), Python >= 3.11, a C linker, make.

PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11,\
    $(shell $(name) -c 'import sys; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
MATURIN = VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile
SOURCES := Cargo.toml Cargo.lock pyproject.toml python/Cargo.toml readers/Cargo.toml \
    $(shell find src readers/src python/src -name '*.rs' 2>/dev/null)

# PyO3 is told the interpreter, so that clippy, tests and the extension share one build of it.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# Hundreds of tests start Python, which takes four times as long where it compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test nightly oracles check lint lint-rust lint-python fuzz memcheck deny digests bench papers docs clean

help:
	@echo "make demo   learn a million examples, then digits; model and picture go to out/demo"
	@echo "make test   the Rust tests and the Python tests"
	@echo "make nightly  make test with every algorithm, the tests of the oracles and those marked nightly; each benchmark of the crates once"
	@echo "make oracles  compute the results that tests/python/reference compares with (minutes)"
	@echo "make check  formats, lints, types and documentation, then make test"
	@echo "make fuzz   random cases for MINUTES=5, and the property tests; SEED=number, PARTS=models,readers"
	@echo "make memcheck  a hundred random cases under valgrind: no byte is read or written that is not there"
	@echo "make deny   licences, advisories and sources of the crates (needs cargo-deny)"
	@echo "make digests  which results differ from those of the commit BASE=COMMIT; EVERY=20, OWN_SCRIPT=1"
	@echo "make bench  the short benchmarks: minutes"
	@echo "make papers       the tables of the papers and of calibration, from measure/results"
	@echo "make docs   the site, in out/docs"
	@echo "make clean  remove .venv, out and everything that was built"

demo: $(VENV)/.demo
	$(BIN)/budgetrs demo -o out/demo

# The whole workspace, so that the tests and the extension module share one build of the core.
test: $(VENV)/.tests $(VENV)/.dev
	cargo test --workspace
	$(BIN)/pytest --numprocesses auto --dist worksteal

# With what takes too long for every change.
nightly: export BUDGETRS_ALL := 1
nightly: test
	cargo test --workspace --benches
	$(BIN)/python tests/python/reference/recorded.py --check

# The tests of the oracles first: their results are what the core is compared with.
oracles: $(VENV)/.dev
	BUDGETRS_ALL=1 $(BIN)/pytest tests/python/reference/*_by_hand.py
	$(BIN)/python tests/python/reference/recorded.py

check: lint test

# Two recipes, which `make --jobs 2` runs side by side.
lint: lint-rust lint-python

lint-rust: $(VENV)/.dev
	cargo fmt --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --package budgetrs --package budgetrs-readers
	@! cargo package --list --allow-dirty 2>/dev/null | grep '\.pyi\?$$' # the crate ships no Python

lint-python: $(VENV)/.dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/pyright --project pyproject.toml
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pyright --verifytypes budgetrs --ignoreexternal >$(VENV)/types.txt || \
	    { grep -A3 'error' $(VENV)/types.txt; exit 1; } # every name of the public interface has a known type
	$(BIN)/python scripts/parameters.py --check
	$(BIN)/pytest --doctest-modules python/budgetrs

fuzz: SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
fuzz: MINUTES := 5
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --seed $(SEED) $(if $(PARTS),--parts $(PARTS))

# Without AVX-512, which valgrind does not know.
memcheck: $(VENV)/.dev
	@valgrind --version >/dev/null 2>&1 || { echo "make: valgrind is needed" >&2; exit 1; }
	BUDGETRS_SIMD=avx2 PYTHONMALLOC=malloc valgrind --quiet --undef-value-errors=no --error-exitcode=1 \
	    --suppressions=tests/fuzz/memcheck.supp $(BIN)/python -m tests.fuzz.memcheck

deny:
	@cargo deny --version >/dev/null 2>&1 || { \
	    echo "make: cargo-deny is needed: cargo install --locked cargo-deny (minutes)" >&2; exit 1; }
	cargo deny check

# At every SIMD level, beside a build of the commit BASE; EVERY=20 runs one case in 20.
digests: EVERY := 1
digests: $(VENV)/.dev
	@test -n "$(BASE)" || { echo "make: which commit? make digests BASE=COMMIT" >&2; exit 1; }
	$(BIN)/python benches/compare_digests.py $(BASE) --every $(EVERY) $(if $(OWN_SCRIPT),--own-script)

bench: $(VENV)/.dist
	$(BIN)/python benches/run.py

papers: $(VENV)/.dev
	@for paper in measure/papers/[a-z]*.py; do \
	    $(BIN)/python -m measure "$$(basename $$paper .py)" --report || exit 1; \
	done

# With the extension module that is there, or else one that compiles fast.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --nitpicky --doctree-dir out/doctrees docs out/docs
	@echo "make: the site is in out/docs/index.html"

clean:
	rm -rf $(VENV) docs/gallery docs/api/generated docs/pictures/drawn out dist .pytest_cache .ruff_cache .hypothesis
	find python -name '*.so' -delete
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +
	cargo clean

$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "make: Python >= 3.11 is needed and was not found (or set PYTHON=...)" >&2; exit 1; }
	@command -v cargo >/dev/null || { echo "make: cargo is needed; see https://rustup.rs" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	    echo "make: $(PYTHON) has no venv module; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) 'maturin>=1.9,<2'
	@touch $@

# A command, and the packages of some extras: pip takes what time the compiler leaves.
define beside_pip
	@$(BIN)/python scripts/requirements.py $(2) > $(VENV)/requirements.txt
	nice $(PIP) -r $(VENV)/requirements.txt & pip=$$!; trap 'kill $$pip 2>/dev/null' INT TERM HUP; \
	    $(1); built=$$?; wait $$pip && test $$built = 0
endef

# The extension module by a profile of Cargo.toml, and the packages of some extras.
define develop
	$(call beside_pip,$(MATURIN) develop $(1) --skip-install,$(2))
	$(MATURIN) develop $(1)
endef

# The first time: the core and the core of its own tests side by side, on all processors.
$(VENV)/.tests: $(VENV)/.created
	$(call beside_pip,cargo build --workspace --tests --examples,test lint)
	@touch $@

# The profiles of Cargo.toml: release compiles fast and runs fast, dev checks overflow and compiles again by parts, dist is
# what is shipped and measured. There is one extension module in python/budgetrs, that of the last stamp.
$(VENV)/.demo: $(VENV)/.created $(SOURCES)
	$(call develop,--release,demo)
	@rm -f $(VENV)/.dev $(VENV)/.dist && touch $@

$(VENV)/.dev: $(VENV)/.created $(SOURCES)
	$(call develop,--profile dev,test lint)
	@rm -f $(VENV)/.demo $(VENV)/.dist && touch $@

$(VENV)/.dist: $(VENV)/.created $(SOURCES)
	$(call develop,--profile dist,test)
	@rm -f $(VENV)/.demo $(VENV)/.dev && touch $@

$(VENV)/.docs: pyproject.toml $(or $(firstword $(wildcard $(VENV)/.dev $(VENV)/.dist $(VENV)/.demo)),$(VENV)/.demo)
	@$(BIN)/python scripts/requirements.py docs > $(VENV)/requirements.txt
	$(PIP) -r $(VENV)/requirements.txt
	@touch $@
