# Two commands do everything, their own set-up included: `make reproduce` and `make test`.
# Options: CONFIG=config/hamming_trees.yaml  CORES=2  PYTHON=python3.11  CXX=g++  TARGET=tables  ARGS="..."

VENV := .venv
BIN := $(VENV)/bin
# nproc would take OMP_NUM_THREADS, what a library may use, for the number of processors.
CORES ?= $(shell env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
CONFIG ?=
TARGET ?=
ARGS ?=
KERNELS := $(wildcard src/algos/_kernels/*.cpp src/algos/_kernels/*.hpp)
SNAKEFILES := Snakefile workflow
# Files of tests side by side, one core each.
PYTEST = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(CORES) --dist loadfile

# Scripts of jobs run with the environment's Python, and Snakemake's caches stay out of the way of other users.
export PATH := $(abspath $(BIN)):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup reproduce test test-fast lint format bench lock clean clean-all
.DELETE_ON_ERROR:

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

reproduce: setup ## Run the pipeline: CONFIG names another config, CORES how many jobs run side by side
	@$(BIN)/python -m algos.yamlfile $(or $(CONFIG),config/config.yaml)
	$(BIN)/snakemake $(TARGET) --cores $(CORES) $(if $(CONFIG),--configfile $(CONFIG)) $(ARGS)
	@test ! -f results/report.html || echo "Open results/report.html in a browser."

test: setup ## Run all tests
	$(PYTEST) $(ARGS)

test-fast: setup ## Run the tests that take no more than a few seconds each
	$(PYTEST) -m "not slow" $(ARGS)

lint: setup ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check $(SNAKEFILES)

format: setup ## Format all code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt $(SNAKEFILES)

bench: setup $(VENV)/.bench ## Measure speed and memory against what a user would pick instead
	@set -e; for benchmark in benchmarks/bench_*.py; do echo "== $$benchmark"; $(BIN)/python "$$benchmark" $(ARGS); done

setup: $(VENV)/.package ## Make the environment in .venv, once; again where what it is made from has changed

$(VENV)/.requirements: requirements.lock
	@echo "== 1/2: the packages of requirements.lock into $(VENV) (about 900 MB, a few minutes; only now)"
	@python=$$(sh tools/check_machine.sh $(PYTHON)) && { test -x $(BIN)/python || $$python -m venv $(VENV); }
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.package: $(VENV)/.requirements pyproject.toml CMakeLists.txt $(KERNELS)
	@echo "== 2/2: the package and its C++ extension"
	@sh tools/check_machine.sh $(PYTHON) >/dev/null
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-build-isolation --no-deps --editable . \
		> $(VENV)/build.log 2>&1 || { tail -n 20 $(VENV)/build.log; \
		echo "The C++ extension could not be built; the whole output is in $(VENV)/build.log."; exit 1; }
	@touch $@

$(VENV)/.bench: $(VENV)/.requirements requirements-bench.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements-bench.lock
	@touch $@

lock: $(VENV)/.requirements ## Make requirements.lock anew from pyproject.toml and requirements.in
	@test -x $(VENV)-lock/bin/pip-compile || { $(BIN)/python -m venv $(VENV)-lock && \
		$(VENV)-lock/bin/python -m pip install --quiet pip-tools; }
	$(VENV)-lock/bin/pip-compile --quiet --upgrade --allow-unsafe --extra=cluster --extra=data --extra=dev \
		--extra=images --extra=workflow --generate-hashes \
		--no-emit-find-links --no-emit-index-url --no-emit-trusted-host --strip-extras \
		--output-file=requirements.lock pyproject.toml requirements.in
	$(VENV)-lock/bin/pip-compile --quiet --upgrade --generate-hashes \
		--no-emit-find-links --no-emit-index-url --no-emit-trusted-host --strip-extras \
		--output-file=requirements-bench.lock requirements-bench.in

clean: ## Remove results, logs and what Snakemake knows of them; fetched data stay
	rm -rf results logs .snakemake

clean-all: clean ## Remove the environment and fetched data too
	rm -rf $(VENV) $(VENV)-lock build data .pytest_cache .ruff_cache
