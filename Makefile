# Targets for a fresh clone; all set up .venv by themselves, and again whenever the dependencies change.
PYTHON ?= python3
unexport PYTHONDONTWRITEBYTECODE  # hundreds of tests start a Python: none compiles what another has compiled
BIN := .venv/bin
# The pins also hold where pip builds this package, which `-c` does not reach: up to pip 25.2 by the first variable, from
# 25.3 on by the second, which older ones do not read.
INSTALL := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt $(BIN)/python -m pip install -q

.PHONY: demo check test nightly attack docs site dist sanity clean

demo: .venv/.installed
	@$(BIN)/isarstep demo

# Some tests beside all others, one core each, as long as each other; what the first said is shown at the end.
beside = export OMP_NUM_THREADS=1; trap 'cat .first.log; exit 1' TERM; $(BIN)/pytest -q $(2) $(1) >.first.log 2>&1 & first=$$!; \
	$(BIN)/pytest -q $(2) tests $(1:%=--ignore=%); rest=$$?; \
	wait $$first; first=$$?; cat .first.log; rm -f .first.log; [ $$first = 0 ] && [ $$rest = 0 ]

# With types checked meanwhile.
typed = $(BIN)/mypy & types=$$!; $(1); tests=$$?; wait $$types && exit $$tests

# The fast lane, for every save: under a minute. What needs no torch beside the rest.
check: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	@$(call typed,$(call beside,tests/logic $(wildcard tests/test_*.py),-m 'not slow'))

# Servers, provers and training beside all else.
test: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	@$(call typed,$(call beside,tests/attack tests/prove tests/serve tests/train))

# What must not be proved, on the real fact base; the tests run a tenth of it.
attack: .venv/.installed-dev
	$(BIN)/python -m tests.attack

docs: .venv/.installed
	$(BIN)/python -m isarstep.cli_docs docs/cli.md

# Tutorials with their training, and with mining where ISABELLE_HOME is set; ten times what tests draw at random.
nightly: .venv/.installed-dev
	$(BIN)/pytest -q tests/nightly.py
	$(BIN)/pytest -q --hypothesis-profile nightly $(shell grep -lEr 'tests.drawn|^@given' tests --include='test_*.py')

# docs/ as a site in out/site; a dead link fails.
site: .venv/.installed
	$(INSTALL) mkdocs-material
	$(BIN)/mkdocs build

# Wheel and sdist, with their sizes; tests/test_package.py builds and tries them too.
dist: .venv/.installed-dev
	@rm -rf dist
	$(BIN)/python -m hatchling build
	@du -h --apparent-size dist/*

# Wheel and sdist, each in an empty environment, each main job once; PYTHON says which Python.
sanity: dist
	$(BIN)/python -m tests.sanity dist/*.whl dist/*.tar.gz --python $(PYTHON)

.venv/.installed: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -e .
	@touch $@

# torch first and alone: its pin decides which build everything after it sees.
.venv/.installed-dev: .venv/.installed
	$(INSTALL) torch
	$(INSTALL) -e '.[dev,mcp,cards]'
	@touch $@

clean:
	rm -rf .venv dist .mypy_cache .ruff_cache
