# `make demo` and `make test` each set up what they need on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.9

.PHONY: demo test setup lint generate clean

demo: setup
	$(BIN)/python examples/demo.py

test: setup lint
	$(BIN)/python -m pytest -q

setup: $(VENV)/.ready
	$(BIN)/groundwire model prepare

# uv puts several gigabytes in place many times faster than pip. Without bytecode the first start
# would compile it, and every one where Python may not write it.
$(VENV)/.ready: requirements/cpu.txt requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip install --python $(BIN)/python --compile-bytecode --no-deps -r requirements/cpu.txt -r requirements/dev.txt
	$(BIN)/uv pip install --python $(BIN)/python --no-deps --editable .
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

generate: setup
	scripts/generate

clean:
	rm -rf $(VENV) .cache build *.egg-info
