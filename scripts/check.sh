#!/bin/sh
# Checks everything in one command: installs packages, checks types, format and lint rules, builds, and runs all tests.
set -eu
cd "$(dirname "$0")/.."
bun="sh scripts/with-bun.sh"
echo "== types"
$bun node_modules/typescript/bin/tsc --noEmit
$bun node_modules/typescript/bin/tsc --noEmit -p src/records/trace/page
echo "== format and lint"
$bun node_modules/@biomejs/biome/bin/biome ci
echo "== build"
$bun scripts/build.ts
echo "== tests"
# Two files at a time: most tests wait for programs that they start.
$bun test --parallel=2 "$@"
