# The executable in a small image: git and a shell for hooks, a user without rights, tini as process 1.
#
#   docker build -t hooksh .
#   docker run --rm -v "$PWD:/work" -w /work -e OPENAI_API_KEY hooksh run agent.yaml "hello"
#   docker run --rm -i -v "$PWD:/work" -w /work hooksh dispatch --hooks-file hooks.yaml < event.json
FROM oven/bun:1.4.5-debian AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN bun install --production=false
COPY . .
RUN bun scripts/build.ts /out/hooksh

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --create-home --uid 1000 hooksh \
  && mkdir /data && chown hooksh /data
COPY --from=build /out/hooksh /usr/local/bin/hooksh
USER hooksh
ENV HOOKSH_DATA_DIR=/data SHELL=/bin/sh
VOLUME /data
ENTRYPOINT ["tini", "--", "hooksh"]
CMD ["run"]
