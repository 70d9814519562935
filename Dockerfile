# Two images, each with one job, without root and without a compiler:
#   docker build --target live --tag molt-bench-live .       a server for live agents
#   docker build --target worker --tag molt-bench-worker .   a node of a Ray cluster that plays games
# See docs/how-to/use-all-cores.md.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS source
WORKDIR /build
COPY pyproject.toml README.md LICENSE hatch_build.py ./
# What the build hooks import.
COPY scripts/page_bundle.py scripts/package_readme.py scripts/
COPY src src
# Without pip, which is only needed here.
RUN python -m venv --without-pip /opt/molt-bench

FROM source AS live-packages
RUN python -m pip --python /opt/molt-bench/bin/python install --no-cache-dir --no-compile ".[live]"
RUN find /opt/molt-bench -depth -type d -name tests -path "*/site-packages/*" -exec rm -r {} +

FROM source AS worker-packages
# Compiled to bytecode, since a node of Ray is many processes, and each would do it again.
RUN python -m pip --python /opt/molt-bench/bin/python install --no-cache-dir ".[ray]"
RUN find /opt/molt-bench -depth -type d -name tests -path "*/site-packages/*" -exec rm -r {} +

# What both have in common: a user without rights, and a folder for configs and runs.
FROM python:${PYTHON}-slim AS runtime
RUN useradd --uid 10001 --no-log-init --create-home molt && install --directory --owner=molt /runs
ENV PATH=/opt/molt-bench/bin:$PATH LOGNAME=molt PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /runs

FROM runtime AS worker
COPY --from=worker-packages /opt/molt-bench /opt/molt-bench
ENV RAY_USAGE_STATS_ENABLED=0
ENTRYPOINT ["ray", "start", "--block"]
CMD ["--help"]

FROM runtime AS live
COPY --from=live-packages /opt/molt-bench /opt/molt-bench
EXPOSE 8770
ENTRYPOINT ["molt-bench", "serve", "--host", "0.0.0.0", "--port", "8770"]
CMD ["--help"]
