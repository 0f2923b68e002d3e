#!/bin/sh
# Sets up the project, then shows how a hook keeps an agent to a rule: `hooksh demo`, which needs no model and no key.
set -eu
cd "$(dirname "$0")/.."

newest=$(find src builtins examples package.json scripts/build.ts -newer dist/hooksh 2>/dev/null | head -n 1 || true)
if [ ! -x dist/hooksh ] || [ -n "$newest" ]; then
  echo "Setting up and building hooksh (once) ..."
  sh scripts/with-bun.sh scripts/build.ts
fi

dist/hooksh demo "$@"
echo "The tour, docs/tour.md, goes on from there."
