# A small image with the tool: docker build -t firelite . && docker run --rm -v "$PWD:/data" firelite info --database health.sqlite

FROM swift:6.1-bookworm AS build
# Any version of the distribution has what is needed.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4-openssl-dev libsqlite3-dev libssl-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
COPY Sources Sources
COPY Generator Generator
COPY Benchmarks Benchmarks
COPY Tests Tests
RUN swift build -c release --product firelite --static-swift-stdlib -Xlinker -lcurl \
    && install -D "$(swift build -c release --show-bin-path)/firelite" /firelite \
    && strip /firelite

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="FireLite" \
    org.opencontainers.image.description="Keeps FHIR resources in an SQLite file" \
    org.opencontainers.image.licenses="Apache-2.0"
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4 libsqlite3-0 libssl3 libxml2 zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin firelite \
    && install -d -o firelite -g firelite -m 700 /data
COPY --from=build /firelite /usr/local/bin/firelite
USER 10001
WORKDIR /data
VOLUME /data
ENTRYPOINT ["firelite"]
CMD ["--help"]
