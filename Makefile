# `make demo` and `make test` each set up what they need on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# What runs by night: what waits for the clock, and what breaks a server on purpose, for an hour or two.
SOAK := injection cache_timing tenants chaos soak fuzz

# Tests start the command some hundred times; without bytecode each start would compile it anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test soak setup lint generate lock wheels clean

demo: $(VENV)/.ready
	$(BIN)/groundwire model prepare
	$(BIN)/python examples/demo.py

# In two parts of about the same length, one beside the other: the real model keeps one core busy. Each further part
# would import torch and the server once more: 17 seconds of a processor.
WITH_REAL := real repository training bench client verifier
PART_real := $(WITH_REAL:%=tests/%)
PART_others := $(WITH_REAL:%=--ignore=tests/%)
PARTS := real others
.PHONY: $(PARTS:%=test-%)

test: setup
	$(MAKE) --jobs=2 --keep-going --no-print-directory $(PARTS:%=test-%) lint

$(PARTS:%=test-%): test-%:
	$(BIN)/python -m pytest -q $(PART_$*)

soak: setup
	$(BIN)/python -m pytest -q tests/soak
	for part in $(SOAK); do $(BIN)/python -m tests.soak.$$part || exit 1; done

setup: $(VENV)/.ready
	$(BIN)/groundwire model prepare small
	$(BIN)/groundwire model prepare base

# uv puts several gigabytes in place many times faster than pip. Without bytecode the first start
# would compile it, and every one where Python may not write it. Nothing is installed whose hash is not
# in requirements/, and nothing builds with a setuptools that is downloaded beside them.
REQUIREMENTS := requirements/cpu.txt requirements/dev.txt
$(VENV)/.ready: requirements/setup.txt $(REQUIREMENTS) pyproject.toml clients/python/pyproject.toml training/pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; (3, 11) <= v[:2] <= (3, 13) or sys.exit("Python 3.11 to 3.13 is needed, and $(PYTHON) is %d.%d; name another, such as: make PYTHON=python3.11 $(MAKECMDGOALS)" % v[:2])'
	@echo "Downloading some 3 GB, checked by hash: the libraries of the server on a CPU, and those of the tests"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/setup.txt
	# setuptools is there, from pip; the tests of the wheels look for it in uv's cache.
	$(BIN)/uv pip install --python $(BIN)/python --compile-bytecode --no-deps --require-hashes --reinstall-package setuptools $(REQUIREMENTS:%=-r %)
	$(BIN)/uv pip install --python $(BIN)/python --no-deps --no-build-isolation --editable clients/python --editable training --editable .
	touch $@

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

generate: setup
	scripts/generate

# After a change of requirements/*.in or of pyproject.toml's extras but `cpu`.
lock: $(VENV)/.ready
	$(BIN)/python scripts/lock.py

# A wheel of each package, in dist/. Built with the setuptools of requirements/ in an environment of its own, and without
# what a build before left behind, which would go into the wheel.
PACKAGES := $(dir $(wildcard pyproject.toml */pyproject.toml clients/*/pyproject.toml))
wheels:
	rm -rf dist build/wheels $(PACKAGES:%=%build/lib)
	$(PYTHON) -m venv build/wheels
	build/wheels/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/setup.txt
	for package in $(PACKAGES); do \
	    build/wheels/bin/uv build --wheel --no-build-isolation --python build/wheels/bin/python --out-dir dist $$package || exit 1; done

clean:
	rm -rf $(VENV) .cache dist build *.egg-info $(foreach package,$(PACKAGES),$(package)build $(package)*.egg-info)
