#!/bin/sh
# A preToolUse hook of Cursor, registered there for the tool Write. It answers in JSON.
if grep -q '"file_path":"[^"]*vendor/'; then
  echo '{"permission":"deny","user_message":"vendored code comes from upstream","agent_message":"vendored code comes from upstream"}'
else
  echo '{"permission":"allow"}'
fi
