# Targets for a fresh clone; all set up .venv by themselves, and again whenever the dependencies change.
PYTHON ?= python3
unexport PYTHONDONTWRITEBYTECODE  # hundreds of tests start a Python: none compiles what another has compiled
BIN := .venv/bin
# The pins also hold where pip builds this package, which `-c` does not reach: up to pip 25.2 by the first variable, from
# 25.3 on by the second, which older ones do not read.
INSTALL := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt $(BIN)/python -m pip install -q

.PHONY: demo lint check test test-rest test-all attack docs site dist sanity clean

demo: .venv/.installed
	@$(BIN)/isarstep demo

# Every test is in exactly one of TEST and REST, but for those that draw random inputs: a fifth in TEST and
# the others in REST (tests/drawn.py).
CHECK := -m 'not integration and not slow'
TEST := -m 'not slow'
REST := -m 'slow'
# pytest-xdist hands out whole files, so that what a file sets up is set up once.
WORKERS ?= 2
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest -q -n $(WORKERS) --dist loadscope

# With types checked meanwhile.
typed = $(BIN)/mypy & types=$$!; $(1); tests=$$?; wait $$types && exit $$tests

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .

# For every save, under a minute.
check: lint
	@$(call typed,$(PYTEST) $(CHECK))

# Before every commit, under five minutes.
test: lint
	@$(call typed,$(PYTEST) $(TEST))

# The slow tests alone.
test-rest: .venv/.installed-dev
	$(PYTEST) $(REST)

test-all: test test-rest

# All statements that must not be proved, on the shipped facts; `make test-all` asks a tenth of them.
attack: .venv/.installed-dev
	$(BIN)/python -m tests.attack

docs: .venv/.installed
	$(BIN)/python -m isarstep.cli_docs docs/cli.md

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
