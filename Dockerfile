# A small image with the executable, a shell and git for hooks and tools, an unprivileged user, and tini as process 1.
#
#   docker build -t hooksh --build-arg COMMIT="$(git rev-parse HEAD)" .
#   docker run --rm -v "$PWD:/work" -e OPENAI_API_KEY hooksh run agent.yaml "hello"
#   docker run --rm -i -v "$PWD:/work" hooksh dispatch --hooks-file hooks.yaml < event.json
#
# Without git: --build-arg PACKAGES="ca-certificates tini"
ARG NODE_IMAGE=node:22-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
ARG COMMIT=unknown
RUN HOOKSH_COMMIT="$COMMIT" sh scripts/with-bun.sh scripts/build.ts /out/hooksh

FROM ${BASE_IMAGE}
ARG PACKAGES="ca-certificates git tini"
RUN apt-get update \
  && apt-get install -y --no-install-recommends $PACKAGES \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
  && useradd --uid 1000 --create-home hooksh \
  && mkdir /data /work /etc/hooksh \
  && chmod 1777 /data /work /home/hooksh
COPY --from=build /out/hooksh /usr/local/bin/hooksh
# --user may choose any user, so home and data are writable for everyone.
USER hooksh
ENV HOME=/home/hooksh HOOKSH_DATA_DIR=/data HOOKSH_CONFIG_DIR=/etc/hooksh SHELL=/bin/sh
VOLUME /data
WORKDIR /work
ENTRYPOINT ["/usr/bin/tini", "--", "hooksh"]
CMD ["run"]
