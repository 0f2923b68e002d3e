#!/bin/sh
# Checks types, format and lint rules, builds, and runs the tests. With --all, the campaigns too: the files named
# *.campaign.test.ts, which need minutes for floods, generated cases, real shells, browsers and releases.
# Other arguments go to the test runner.
set -eu
cd "$(dirname "$0")/.."
bun="sh scripts/with-bun.sh"
if [ "${1-}" = --all ]; then shift; else set -- --path-ignore-patterns='**/*.campaign.test.ts' "$@"; fi
echo "== types"
$bun node_modules/typescript/bin/tsc --noEmit
$bun node_modules/typescript/bin/tsc --noEmit -p src/records/trace/page
echo "== format and lint"
$bun node_modules/@biomejs/biome/bin/biome ci
echo "== build"
$bun scripts/build.ts
echo "== tests"
# The tests do not look at the sources again, and more files run at a time than there are cores: tests wait for programs.
HOOKSH_TEST_BINARY="$PWD/dist/hooksh" $bun test --parallel=4 "$@"
