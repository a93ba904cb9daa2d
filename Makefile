# `make demo` and `make test` each set up what they need on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# What runs by night: what waits for the clock, and what breaks a server on purpose, for an hour or two.
SOAK := parser injection non_evidence cache_timing tenants chaos soak outside fuzz

.PHONY: demo test soak setup lint generate lock clean

demo: setup
	$(BIN)/python examples/demo.py

test: setup lint
	$(BIN)/python -m pytest -q

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
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/setup.txt
	$(BIN)/uv pip install --python $(BIN)/python --compile-bytecode --no-deps --require-hashes $(REQUIREMENTS:%=-r %)
	$(BIN)/uv pip install --python $(BIN)/python --no-deps --no-build-isolation --editable clients/python --editable training --editable .
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

generate: setup
	scripts/generate

# After a change of requirements/*.in or of pyproject.toml's extras but `cpu`.
lock: $(VENV)/.ready
	$(BIN)/python scripts/lock.py

clean:
	rm -rf $(VENV) .cache
	for folder in . clients/python training; do rm -rf $$folder/build $$folder/*.egg-info; done
