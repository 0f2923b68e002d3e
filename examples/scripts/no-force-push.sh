#!/bin/sh
# A PreToolUse hook of Claude Code, registered there for the tool Bash. Exit code 2 refuses the call.
input=$(cat)
if printf '%s' "$input" | grep -Eq '"command":"[^"]*git push[^"]*(--force|-f)\b'; then
  echo "force pushes rewrite what others have: push to a branch of your own" >&2
  exit 2
fi
