#!/bin/sh
# Tries an executable as a new user would: in an empty home directory, away from the project. Exits 0 when all is well.
#   sh test/smoke/run.sh dist/hooksh
set -eu
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cd "$home"
hooksh() { env -i PATH="$PATH" HOME="$home" "$binary" "$@"; }

expect() { # expect WHAT WANTED-EXIT-CODE PATTERN COMMAND...
  what=$1 wanted=$2 pattern=$3
  shift 3
  code=0
  output=$("$@" 2>&1) || code=$?
  if [ "$code" -ne "$wanted" ] || ! printf '%s\n' "$output" | grep -Eq "$pattern"; then
    printf 'smoke: %s: exit code %s (wanted %s), output:\n%s\n' "$what" "$code" "$wanted" "$output" >&2
    exit 1
  fi
}

expect "version" 0 '^hooksh [0-9]+\.[0-9]+\.[0-9]+$' hooksh version
expect "help" 0 'dispatch' hooksh --help
expect "unknown flag" 64 'unknown flag' hooksh validate --nonsense
expect "unknown flag, as a hook" 2 'unknown flag' hooksh dispatch --nonsense
expect "validate" 0 'hooks.yaml: ok' hooksh validate "$examples/dispatch/hooks.yaml"

event() { printf '{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"%s"}}' "$1"; }
force() { event "git push --force" | hooksh dispatch --hooks-file "$examples/dispatch/hooks.yaml" --output result; }
plain() { event "git push" | hooksh dispatch --hooks-file "$examples/dispatch/hooks.yaml" --output result; }
expect "a forbidden call is blocked" 2 '"allowed":false' force
expect "an allowed call is allowed" 0 '"allowed":true' plain

cp -r "$examples/guarded-cleanup" work
mkdir work/build
cd work
expect "the demo" 0 'Denied shell\(cmd: rm -rf build\)' hooksh run agent.yaml --yolo --fake recording.yaml "Free some disk space: get rid of the build folder."
test -d .trash/build
echo "smoke: all is well"
