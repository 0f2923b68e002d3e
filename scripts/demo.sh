#!/bin/sh
# Sets up the project, then shows how a hook keeps an agent to a rule. Needs no model, no key and no network: the model's
# replies come from examples/guarded-cleanup/recording.yaml, everything else is real.
set -eu
cd "$(dirname "$0")/.."
root=$PWD

newest=$(find src builtins package.json scripts/build.ts -newer dist/hooksh 2>/dev/null | head -n 1 || true)
if [ ! -x dist/hooksh ] || [ -n "$newest" ]; then
  echo "Setting up and building hooksh (once) ..."
  sh scripts/with-bun.sh scripts/build.ts
fi

workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT
cp examples/guarded-cleanup/* "$workspace"
mkdir -p "$workspace/build"
echo "main.o" > "$workspace/build/objects"
cd "$workspace"

cat <<'INTRO'

An agent is asked to free disk space. It may run any command without asking (--yolo), but a hook checks every call of
its shell tool: guard.ts lets through only commands that delete nothing.

INTRO
set -- run agent.yaml --yolo --fake recording.yaml "Free some disk space: get rid of the build folder."
printf '$ hooksh run agent.yaml --yolo --fake recording.yaml "Free some disk space: get rid of the build folder."\n\n'
"$root/dist/hooksh" "$@"
printf '\n$ ls -A .trash\n'
ls -A .trash
printf '\nThe folder was moved, not deleted, because of this hook: examples/guarded-cleanup/guard.ts\n'
