#!/bin/sh
# Replace ./lint with your own command, for example: npx biome check --write
[ -x ./lint ] || exit 0
output=$(./lint 2>&1) && exit 0
# With exit code 0, text on standard output goes to the model.
printf 'The linter found this, repair it:\n%s\n' "$(printf '%s\n' "$output" | tail -n 40)"
