# Everything a newcomer needs: `make run`, `make test`, `make prove`, `make check`.
PYTHON ?= $(firstword $(foreach version,3.11 3.12 3.13 3.14,$(shell command -v python$(version))) python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test prove peers bench bench-peers bench-webhook bench-slow bench-heavy docs check format messages lock clean

run: $(VENV)/.runtime ## serve the whole product with demo data at http://localhost:8000
	$(BIN)/python manage.py demo

test: $(VENV)/.developer ## every test, on SQLite and on PostgreSQL
	$(BIN)/python -m tests $(ARGS)

prove: $(VENV)/.developer ## every drill and its twins, on both engines
	$(BIN)/python manage.py drill all $(ARGS)

bench: $(VENV)/.developer ## what each request costs, beside a bare Django view in the same run
	$(BIN)/python -m tests.bench $(ARGS)

bench-peers: $(VENV)/.developer ## the same beside django-appointment, which it installs for itself
	$(BIN)/python -m tests.bench peers $(ARGS)

bench-webhook: $(VENV)/.developer ## how soon the webhook answers while Mercado Pago is down
	$(BIN)/python -m tests.bench.webhook $(ARGS)

bench-slow: $(VENV)/.developer ## what 200 slow connections cost the others, with the shipped nginx and gunicorn
	$(BIN)/python -m tests.bench.slow $(ARGS)

bench-heavy: $(VENV)/.developer ## what 300 MB in chunks and tangled JSON cost in memory and time
	$(BIN)/python -m tests.bench.heavy $(ARGS)

peers: $(VENV)/.developer ## other people's programs against a running demo: NextAuth's client and more (npm)
	$(BIN)/python -m tests.peers $(ARGS)

docs: $(VENV)/.developer ## the pages of docs/, in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

# djlint only lints: its formatter adds white space inside inline text, where people would see it.
check: $(VENV)/.developer ## formatting, lint, security, types, import rules, templates, migrations, the API's description, deployment, docs
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
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

format: $(VENV)/.developer ## let the tools rewrite what they can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

messages: $(VENV)/.developer ## collect the texts for translation, and compile the catalogue
	$(BIN)/python -m tests.messages

lock: ## recompile both lock files from their .in files
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --quiet \
	    --custom-compile-command "make lock" requirements.in -o requirements.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --quiet \
	    --custom-compile-command "make lock" -c requirements.txt tests/requirements.in -o tests/requirements.txt

clean: ## forget the virtual environment and the demo's data
	rm -rf $(VENV) .demo

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	touch $@

$(VENV)/.developer: tests/requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/requirements.txt
	touch $@ $(VENV)/.runtime
