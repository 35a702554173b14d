# Everything a reader, an instructor or a maintainer does here has one command; `make` lists them.
# The logic is in book/_tools/, one small script per task.

PY   ?= python3
PORT ?= 8000
ONLY ?=
ARGS ?=
SUBMISSIONS ?=
SET  ?=
OUT  ?=
SEED ?=
ROSTER ?=
SEEDS ?= 100
SHARE ?= 400
WORKERS ?= 2
LOWEST ?=
CALLS ?=
SEQUENCES ?=
POINTS ?=
EDGES ?=
AUDITS ?=

TOOLS  := book/_tools
PYTHON := .venv/bin/python
# The environment's commands first on the path: kernels and tools start each other by name.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.DEFAULT_GOAL := help
.PHONY: help maintain environment book serve test processors coverage lab notebooks refresh slides assignments grade rehearsal lint pdf claims bench contest package fuzz mutants audits changes clean distclean lock repository

# What lists the commands whose lines it gets: name, and what stands behind ##.
LIST := sed 's/^\([a-z]*\):[^\#]*\#\# /  \1|/;/^  [a-z]*|/!d' | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'

help:  ## list these commands
	@echo "make <command>, where the command is one of:"
	@sed '/^# For maintainers/,$$d' $(MAKEFILE_LIST) | $(LIST)
	@echo "A Python other than python3: make book PY=python3.12 (3.11 or newer)."

maintain:  ## list the commands for who maintains the package and the book
	@sed '1,/^# For maintainers/d' $(MAKEFILE_LIST) | $(LIST)

environment:  ## make or refresh .venv, which every other command uses
	@$(PY) $(TOOLS)/environment.py

book: environment  ## build the book and say how to open it
	@$(PYTHON) $(TOOLS)/build_book.py

serve: book  ## build the book and serve it to this machine only (PORT=8000)
	@echo "Serving http://127.0.0.1:$(PORT)/ (Ctrl-C stops)"
	@$(PYTHON) -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

test: environment  ## unit tests, stored outputs of every notebook, and the site in a browser (ARGS='tests -k ...' for some)
	@$(PYTHON) $(TOOLS)/run_tests.py $(ARGS)

lab: environment  ## open the notebooks in JupyterLab
	@$(PYTHON) -m jupyterlab $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS) notebooks

pdf: environment  ## build the book and print all of it as one PDF (ARGS=book/note for one page)
	@$(PYTHON) $(TOOLS)/make_pdf.py $(ARGS)

slides: environment  ## make lecture slides of the chapters (ONLY=notebooks/01_bandits.ipynb for one)
	@$(PYTHON) $(TOOLS)/make_slides.py $(ONLY)

notebooks: environment  ## run the notebooks and store their outputs (ONLY=notebooks/01_bandits.ipynb for one)
	@$(PYTHON) $(TOOLS)/run_notebooks.py $(ONLY)

assignments: environment  ## make the students' notebooks and the solutions from the masters (ONLY=3 for one set)
	@$(PYTHON) $(TOOLS)/make_assignments.py $(ONLY)

grade: environment  ## grade a folder of submissions (SUBMISSIONS=folder, SET=1, OUT=folder, ROSTER=file, WORKERS=2)
	@$(PYTHON) $(TOOLS)/grade.py "$(SUBMISSIONS)" --set "$(SET)" --out "$(OUT)" --seed "$(SEED)" --roster "$(ROSTER)" --workers "$(WORKERS)" $(ARGS)

rehearsal: environment  ## prove the assignments under many seeds and write book/teaching/power.json (SEEDS=100, ONLY=3 for one set)
	@$(PYTHON) $(TOOLS)/rehearse.py $(ONLY) --seeds $(SEEDS) $(ARGS)

lint: environment  ## check the code's style and the package's types
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff check --line-length 100 bandits_dp
	@$(PYTHON) -m mypy

repository: environment  ## set the book's public addresses in _config.yml and the notebooks (URL=https://...; URL= removes them; SITE=https://...)
	@$(PYTHON) $(TOOLS)/set_repository.py

clean:  ## remove what was built, and caches; keep .venv
	@rm -rf _build build .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage* bandits_dp.egg-info
	@find bandits_dp book notebooks tests -name __pycache__ -prune -exec rm -rf {} +
	@find notebooks -name .ipynb_checkpoints -prune -exec rm -rf {} +

# For maintainers

refresh: environment  ## make again all that is computed and stored, and say what moved (ONLY=price for one step, IDLE=yes also times)
	@$(PYTHON) $(TOOLS)/refresh.py $(ONLY)

claims: environment  ## run the tests that judge the papers' claims and write book/claims.json (ARGS=tests/test_07_arm_elimination.py for some)
	@$(PYTHON) -m pytest -q --write-claims $(or $(ARGS),tests)

bench: environment  ## measure the package's speed and memory for the book's page on it (ONLY=linucb for one family)
	@$(PYTHON) -m tests.benchmarks $(ONLY)

contest: environment  ## play the contest of all private learners, or go on where it was stopped (ONLY="arms pure" WORKERS=2 ARGS="--instances 5")
	@$(PYTHON) $(TOOLS)/play_contest.py --only "$(ONLY)" --workers $(WORKERS) $(ARGS)

processors: environment  ## run the tests as other processors would compute, and list every number that moves (ONLY=Nehalem ARGS=notebooks/10...)
	@$(PYTHON) $(TOOLS)/processors.py --only "$(ONLY)" $(ARGS)

coverage: environment  ## say which lines of the package no test reaches, and which tests guard each of the others (ARGS=tests/test_audit.py for some tests)
	@$(PYTHON) -m coverage erase
	@$(PYTHON) -m coverage run -m pytest -q --numprocesses=auto --dist=loadfile -m "not browser" $(or $(ARGS),tests --ignore=tests/site)
	@$(PYTHON) -m coverage combine --quiet
	@$(PYTHON) -m coverage report
	@$(PYTHON) -m coverage html --quiet && echo "Which tests guard which line: _build/coverage/index.html"

package: environment  ## build the wheel and the source archive, test them elsewhere (LOWEST=yes: on the lowest versions allowed)
	@$(PYTHON) $(TOOLS)/try_package.py $(if $(LOWEST),--lowest)

fuzz: environment  ## call everything public with generated arguments, for up to four hours (CALLS=1000 SEQUENCES=300 POINTS=2000 EDGES=40 SEED=1 ONLY=Skellam)
	@CALLS=$(or $(CALLS),1000000) SEQUENCES=$(or $(SEQUENCES),20000) POINTS=$(or $(POINTS),100000) EDGES=$(or $(EDGES),3000) SEED=$(or $(SEED),1) ONLY="$(ONLY)" \
		$(PYTHON) -m pytest -q --tb=short --numprocesses=$(WORKERS) --hypothesis-seed=$(or $(SEED),1) \
		tests/hardening/test_calls.py tests/hardening/test_sequences.py tests/hardening/test_extremes.py tests/test_float_edges.py

mutants: environment  ## change the package in small ways: does a test fail? (SHARE=400, SEED=1, ONLY=accounting, WORKERS=2)
	@$(PYTHON) -m tests.hardening.mutants $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED)) --share $(SHARE) --workers $(WORKERS)

audits: environment  ## audit every private learner as it is, 2,000 times in all, and count false alarms (AUDITS=200, ONLY=LinUCB-Tree)
	@$(PYTHON) -m tests.hardening.audits $(if $(ONLY),--only $(ONLY)) $(if $(AUDITS),--audits $(AUDITS)) $(if $(SEED),--seed $(SEED))

changes: environment  ## change the visible cells of the chapters as a student would: what crashes, what is silently wrong? (ONLY=06)
	@$(PYTHON) $(TOOLS)/change_safety.py $(if $(ONLY),--only $(ONLY)) $(ARGS)

distclean: clean  ## as clean, and remove .venv too
	@rm -rf .venv

_build/lock/bin/uv:
	@$(PY) -m venv _build/lock && _build/lock/bin/python -m pip install --quiet uv

lock: _build/lock/bin/uv  ## choose the newest allowed versions again and write requirements.lock
	@_build/lock/bin/uv pip compile --quiet --upgrade --universal --fork-strategy fewest --python-version 3.11 --generate-hashes \
	  --no-emit-package bandits-dp --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
	  requirements.txt --output-file requirements.lock
