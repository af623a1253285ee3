# `assay serve` in a container: docker build -t assay .
# With PostgreSQL beside it: compose.yaml. What to prepare is in docs/service.md.

FROM python:3.12.11-slim-bookworm AS built
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/assay \
    && /opt/assay/bin/pip install --no-cache-dir '.[service,postgres,otel]'

FROM python:3.12.11-slim-bookworm
LABEL org.opencontainers.image.title="Assay" \
      org.opencontainers.image.description="Tells whether a text is faithful to its source, sentence by sentence" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin assay \
    && install --directory --owner=assay --group=assay --mode=0700 /data
COPY --from=built /opt/assay /opt/assay
ENV PATH=/opt/assay/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    ASSAY_JOBS=/data/jobs \
    ASSAY_STATE=/data/state
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8766
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8766/readyz', timeout=4)"]
ENTRYPOINT ["assay"]
CMD ["serve", "--host", "0.0.0.0", "--keys", "/run/secrets/service_keys"]
