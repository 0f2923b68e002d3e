#!/bin/sh
# Lets the agent stop once the project's ./run-tests passes. Until then the agent reads the end of its output.
[ -x ./run-tests ] || exit 0
output=$(./run-tests 2>&1) && exit 0
printf './run-tests fails, repair it:\n%s\n' "$(printf '%s\n' "$output" | tail -n 20)" >&2
exit 2
