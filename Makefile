# Daily commands. Each says what it does and skips what is up to date (.stamps/ holds the marks).

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PY     := $(BIN)/python
STAMPS := .stamps
# Runs a command with its output in .logs/ and its progress in one line.
QUIET  := "$(PYTHON)" scripts/quiet.py
LINK   := $(VENV)/share/jupyter/labextensions/jupyterlab-turnbook
ARGS   ?=
SUITE  ?=

# jlpm and jupyter-builder are Python scripts of the environment.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export YARN_ENABLE_TELEMETRY = 0

# Sources by folder, so that a new or removed file counts as a change too.
UI_SOURCES := $(shell find src style schema -not -path '*/__tests__*' 2>/dev/null)
PY_SOURCES := $(shell find jupyterlab_turnbook jupyter-config -type f -not -path '*/labextension/*' \
                -not -path '*/__pycache__/*' -not -name _version.py 2>/dev/null)

.PHONY: help lab install build client model test faults soak lint fix rooms catalogue types bench earnest docs screenshot dist clean
.DEFAULT_GOAL := help

help:
	@echo "make lab    install, build, download the embedded model, open JupyterLab"
	@echo "            make lab ARGS=\"--no-browser --port 9000\" passes the arguments to jupyter lab"
	@echo "make test   lint and all tests; SUITE=lint, docs, jest, pytest, faults, hub, wheel or ui runs one"
	@echo "make faults inject every fault at every place, one table (about half an hour)"
	@echo "make soak   random use with faults for 30 minutes, one table; ARGS=\"--minutes 2 --seed 7\" is shorter"
	@echo "make lint   types, ESLint, Prettier, Stylelint, knip, ruff, mypy (make fix fixes what can be fixed)"
	@echo "make rooms  draw in ARCHITECTURE.md which rooms of src/ import which"
	@echo "make catalogue  add new texts to the translations, empty"
	@echo "make types  write src/base/api.ts and docs/api.md from jupyterlab_turnbook/openapi.yaml"
	@echo "make bench  measure, one table; ARGS=--write puts it into docs/speed.md"
	@echo "make earnest  turns against the embedded model and LiteLLM's proxy (installs it, about 750 MB)"
	@echo "make dist   sdist and wheel in dist/"
	@echo "make docs   build the site of docs/ and check its links; says where its index.html is"
	@echo "make screenshot  take the pictures in docs/ again"
	@echo "make clean  remove what was built (the environments stay; make clean ALL=1 removes them too)"

$(STAMPS)/tools: requirements/dev.txt scripts/need.sh
	@sh scripts/need.sh "$(PYTHON)"
	@mkdir -p $(STAMPS)
	@test -x $(PY) || "$(PYTHON)" -m venv $(VENV)
	@$(QUIET) "Python environment in $(VENV)" $(PY) -m pip install \
	  --require-hashes -r requirements/dev.txt
	@touch $@

$(STAMPS)/node: package.json yarn.lock .yarnrc.yml | $(STAMPS)/tools
	@$(QUIET) "Node packages (the first time takes some minutes)" jlpm install --immutable
	@touch $@

$(STAMPS)/build: $(UI_SOURCES) tsconfig.json package.json scripts/core.mjs $(STAMPS)/node
	@$(QUIET) "Building the front end" jlpm build:prod
	@touch $@

$(STAMPS)/install: pyproject.toml install.json package.json $(STAMPS)/tools \
                   $(wildcard jupyter-config/*/*.json) | $(STAMPS)/build
	@# pip would write its files through an old link into the sources.
	@test ! -L $(LINK) || rm $(LINK)
	@$(QUIET) "Installing Turnbook into $(VENV), linked to this folder" \
	  $(PY) -m pip install --no-deps --no-build-isolation -e .
	@$(PY) scripts/link.py
	@touch $@

build: $(STAMPS)/build

# What `faults/` drives: the shipped client with its host, for Node.
$(STAMPS)/client: $(UI_SOURCES) $(shell find faults/client 2>/dev/null) package.json $(STAMPS)/node
	@$(QUIET) "Bundling the client that faults are injected into" node faults/client/build.mjs
	@touch $@

client: $(STAMPS)/client

# Browser tests load the extensions of examples/ into JupyterLab.
$(STAMPS)/examples: $(shell find examples/*/ -name node_modules -prune -o -type f -print 2>/dev/null) scripts/examples.mjs $(STAMPS)/build $(STAMPS)/install
	@$(QUIET) "Building the extensions of examples/" node scripts/examples.mjs
	@touch $@

install: $(STAMPS)/build $(STAMPS)/install

model: install
	@$(PY) -m jupyterlab_turnbook.local.fetch

lab: model
	@$(PY) scripts/lab.py $(ARGS)

$(STAMPS)/dist: $(STAMPS)/build $(STAMPS)/install $(PY_SOURCES) pyproject.toml install.json LICENSE README.md
	@rm -rf dist
	@$(QUIET) "Packing sdist and wheel into dist/" $(PY) -m build --no-isolation .
	@touch $@

dist: $(STAMPS)/dist
	@ls -1 dist

# Lint, docs and hub need no model; jest, pytest, faults and hub run on the tree as it is; the others need the wheel too.
test: $(if $(filter lint docs hub,$(SUITE)),install,model) $(if $(filter lint docs jest pytest faults hub,$(SUITE)),,dist) \
      $(if $(filter-out faults,$(SUITE)),,client) $(if $(filter-out ui,$(SUITE)),,$(STAMPS)/examples)
	@$(PY) scripts/test.py $(SUITE)

faults: install client
	@$(PY) -m faults --write $(ARGS)

soak: install client
	@$(PY) -m soak $(ARGS)

lint: install
	@$(PY) scripts/lint.py

fix: install
	@jlpm fix
	@ruff check --fix . && ruff format .

rooms:
	@node scripts/rooms.mjs --write

catalogue:
	@node scripts/catalogue.mjs --write

types:
	@node scripts/types.mjs
	@node scripts/apipage.mjs

# LiteLLM's proxy is an alternative that is measured; without it, its rows are left out.
bench: install
	@$(MAKE) --no-print-directory $(STAMPS)/litellm || true
	@$(PY) bench/run.py $(ARGS)

$(STAMPS)/litellm: requirements/litellm.txt | $(STAMPS)/tools
	@test -x .venv-litellm/bin/python || "$(PYTHON)" -m venv .venv-litellm
	@$(QUIET) "LiteLLM's proxy in .venv-litellm" .venv-litellm/bin/python -m pip install \
	  --require-hashes -r requirements/litellm.txt
	@touch $@

earnest: model $(STAMPS)/litellm
	@TURNBOOK_LITELLM=$(CURDIR)/.venv-litellm/bin/litellm $(PY) -m pytest -v -n0 --no-header \
	  --show-capture=no jupyterlab_turnbook/tests/test_earnest.py $(ARGS)

docs:
	@"$(PYTHON)" scripts/docs_site.py

screenshot: model
	@$(PY) scripts/screenshot.py

clean:
	@echo "==> Removing what was built"
	@rm -rf lib dist build coverage .logs tsconfig.tsbuildinfo jupyterlab_turnbook/labextension \
	  jupyterlab_turnbook/_version.py ui-tests/test-results ui-tests/playwright-report ui-tests/.state \
	  $(STAMPS)/build $(STAMPS)/client $(STAMPS)/examples $(STAMPS)/install $(STAMPS)/dist .mypy_cache .ruff_cache .pytest_cache
	@if [ -n "$(ALL)" ]; then echo "==> and the environments"; rm -rf $(VENV) .venv-rtc .venv-docs .venv-litellm .venv-others .venv-oldest .venv-newest node_modules $(STAMPS); fi
