# syntax=docker/dockerfile:1
# The service: web server, worker and commands, without root and on a file system that is only read.
# compose.yaml runs it; docs/deploy.md tells how. The target "demo" is for trying it: README.md.

FROM docker.io/library/python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
RUN python -m venv /venv
COPY requirements.txt ./
# Wheels only: nothing of the packages' own runs while they are installed.
# Google's client brings descriptions of all its services, 110 MB; two of them are in use.
RUN /venv/bin/pip install --require-hashes --only-binary :all: -r requirements.txt \
 && find /venv/lib/python3.11/site-packages/googleapiclient/discovery_cache/documents \
    -name '*.json' ! -name calendar.v3.json ! -name meet.v2.json -delete
COPY . ./
# Settings want values to begin with; these are the build's own and stay in none of its layers.
RUN SECRET_KEY=build FIELD_KEYS=YnVpbGQtYnVpbGQtYnVpbGQtYnVpbGQtYnVpbGQtYnU= \
    BASE_URL=https://build.invalid /venv/bin/python manage.py collectstatic --noinput \
 && /venv/bin/python -m compileall -q .
# COPY keeps modes, and the service runs as another user than whoever checked the files out.
# The demo and its stand-ins never get into the service's image.
RUN chmod -R a+rX . && mv tests /demo

FROM docker.io/library/python:3.11-slim-bookworm AS service
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin classes
COPY --from=build /venv /venv
COPY --from=build /app /app
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 ENV_FILE=
WORKDIR /app
USER 10001:10001
EXPOSE 8000
CMD ["gunicorn", "--config", "config/gunicorn.py", "--bind", "0.0.0.0:8000"]

FROM service AS demo
COPY --from=build /demo /app/tests
# Publish the ports on 127.0.0.1 only: anybody who reaches them may sign in as the teacher.
EXPOSE 8101-8105
ENTRYPOINT ["python", "manage.py", "demo", "--host=0.0.0.0", "--data=/tmp/demo"]

# The last stage is what a build without a target makes.
FROM service
