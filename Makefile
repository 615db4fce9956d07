# Everything a newcomer needs: `make run`, `make test`, `make check`, `make journeys`, `make prove`; `make` lists all.
# PYTHON=/path/to/python and VENV=/folder choose another Python and folder than .venv; ARGS is passed on.
VENV := .venv
BIN := $(VENV)/bin
TESTS = $(BIN)/python -m pytest -q -rs -n auto -m "not browser"

.PHONY: help runtime developer run test test-postgresql journeys quick prove bench peers docs pictures check format messages lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

run: runtime ## serve the whole product with demo data at http://localhost:8000 (ARGS=--port=9000: elsewhere)
	@# Ctrl-C while Python itself starts would print a traceback. In the background nothing is
	@# interrupted, and the shell asks the demo to end.
	@stopped=; pid=; trap 'stopped=1; kill $$pid 2>/dev/null' INT TERM HUP; \
	$(BIN)/python manage.py demo $(ARGS) & pid=$$!; [ -z "$$stopped" ] || kill $$pid; \
	while kill -0 $$pid 2>/dev/null; do wait $$pid 2>/dev/null; code=$$?; done; exit $$code

test: developer ## every test without a browser, on SQLite
	$(TESTS) $(ARGS)

test-postgresql: developer ## the same on PostgreSQL: the one of DATABASE_URL, else a private one
	$(BIN)/python -m tests.postgres $(TESTS) $(ARGS)

journeys: developer ## every test in the browser: each width, colour scheme and language, page weight, offline, demos
	$(BIN)/python -m pytest -q -rs -m browser tests/journeys $(ARGS)

prove: developer ## every drill, on both engines
	$(BIN)/python manage.py drill $(ARGS)

bench: developer ## how long people wait, against goals; run it alone on the machine
	$(BIN)/python -m tests.postgres $(BIN)/python -m pytest -q -s tests/bench.py $(ARGS)

peers: developer ## other people's programs against the service: NextAuth's client, emulate, openapi-typescript (npm)
	$(BIN)/python -m tests.peers $(ARGS)

docs: developer ## the pages of docs/, in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

pictures: developer ## take the pictures of the docs from a running demo (ARGS="hoy semana": those), with a Chromium
	$(BIN)/python -m tests.pictures $(ARGS)

quick: developer ## in 15 seconds: lint, types, import rules, missing migrations
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	DEBUG=true $(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	DEBUG=true $(BIN)/python manage.py makemigrations --check --dry-run

# djlint only lints: its formatter adds white space inside inline text, where people would see it.
check: developer ## formatting, lint, security, types, import rules, templates, migrations, the API's description, deployment, docs, handbook, spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	DEBUG=true $(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint templates --lint --quiet
	DEBUG=true $(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m tests.check_migrations
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive --severity-level medium \
	    accounts bookings calendar_sync config manage.py
	DEBUG=true $(BIN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null
	$(BIN)/python -m tests.check_deploy
	$(BIN)/codespell *.md Makefile accounts bookings calendar_sync config docs tests
	$(BIN)/python -m tests.check_handbook
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

format: developer ## let the tools rewrite what they can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

messages: developer ## collect the texts for translation, and compile the catalogue
	$(BIN)/python -m tests.messages

# A pin keeps its extras: pip takes a newer coverage for "coverage[toml]" than a pin "coverage".
LOCK = uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
    --no-strip-extras --quiet --custom-compile-command "make lock"

lock: ## recompile both lock files from their .in files
	$(LOCK) requirements.in -o requirements.txt
	$(LOCK) -c requirements.txt tests/requirements.in -o tests/requirements.txt

clean: ## forget the virtual environment and the demo's data
	rm -rf .venv .demo

runtime:
	@VENV=$(VENV) config/make-venv requirements.txt

developer:
	@VENV=$(VENV) config/make-venv tests/requirements.txt
