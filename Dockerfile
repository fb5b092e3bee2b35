# Two images from one base, which is an argument so that both can be built where no registry is
# reachable (see scripts/sandbox-image). Works with the classic builder and with BuildKit.
ARG BASE=debian:bookworm-slim


# What a task's commands run in: git, Python with pytest, Node, a shell, an ordinary user.
# It holds nothing of Cairn: the container gets its files over the engine's exec call.
FROM ${BASE} AS sandbox
RUN set -eu; \
    missing=""; \
    for package in ca-certificates git nodejs python3 python3-pytest python3-venv; do \
        dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"; \
    done; \
    if [ -n "$missing" ]; then \
        apt-get update; \
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; \
        rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin; \
    fi; \
    # where a project says "python", it means Python 3
    [ -e /usr/bin/python ] || ln -s python3 /usr/bin/python; \
    useradd --uid 1000 --user-group --no-create-home --home-dir /tmp --shell /bin/bash cairn; \
    mkdir /workspace; \
    chown cairn:cairn /workspace
USER cairn
WORKDIR /workspace
CMD ["bash"]


# The server's packages, each checked against its hash, and Cairn itself.
FROM ${BASE} AS build
# a mirror of the package index may be named; the hashes are the same everywhere
ARG PIP_INDEX_URL=
RUN set -eu; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates python3 python3-venv; \
    python3 -m venv /opt/cairn
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements.lock /src/requirements.lock
RUN /opt/cairn/bin/pip install --require-hashes --only-binary=:all: -r /src/requirements.lock
COPY pyproject.toml README.md LICENSE /src/
COPY app /src/app
COPY handlers /src/handlers
COPY runner /src/runner
RUN /opt/cairn/bin/pip install --no-deps /src


# `cairn serve`: mount a volume at /data and the engine's socket, pass the settings by environment.
FROM ${BASE} AS server
RUN set -eu; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates git python3; \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin; \
    useradd --uid 1000 --user-group --create-home --shell /usr/sbin/nologin cairn; \
    mkdir /data; \
    chown cairn:cairn /data
COPY --from=build /opt/cairn /opt/cairn
ENV PATH=/opt/cairn/bin:$PATH PYTHONUNBUFFERED=1 CAIRN_DATA_DIR=/data HOST=0.0.0.0 PORT=8080
USER cairn
VOLUME /data
EXPOSE 8080
CMD ["cairn", "serve"]
