#!/bin/sh
# Runs Bun with the given arguments. Finds it where `npm ci` or `bun install` put it, even if npm does not run install
# scripts, and first installs the project's packages if they are missing.
set -eu
cd "$(dirname "$0")/.."

find_bun() {
  for candidate in node_modules/.bin/bun node_modules/@oven/bun-*/bin/bun; do
    if [ -x "$candidate" ] && "$candidate" --version >/dev/null 2>&1; then
      echo "$PWD/$candidate"
      return
    fi
  done
}

# Prints the first package in package.json that is not installed, ignoring packages for specific platforms.
missing_package() {
  for package in $(sed -n '/[dD]ependencies": {/,/}/s/^    "\([^"]*\)": ".*/\1/p' package.json); do
    if [ ! -d "node_modules/$package" ]; then
      echo "$package"
      return
    fi
  done
}

if [ ! -d node_modules ]; then
  install="npm ci"
elif [ -n "$(missing_package)" ]; then
  install="npm install --no-save" # a package that has been added since: the rest is left alone
else
  install=""
fi
if [ -n "$install" ]; then
  if command -v npm >/dev/null 2>&1; then
    $install --no-fund --no-audit --loglevel=error >&2
  elif command -v bun >/dev/null 2>&1; then
    bun install --no-save --silent >&2
  else
    echo "hooksh needs Node.js with npm, or Bun, to set itself up; neither was found on the PATH" >&2
    exit 1
  fi
fi
bun=$(find_bun)
if [ -z "$bun" ]; then bun=$(command -v bun || true); fi
if [ -z "$bun" ]; then
  echo "No Bun runtime in node_modules: remove node_modules and run this again" >&2
  exit 1
fi
# Loads the modules anew for each test file: the helpers clean up and check with afterAll and afterEach, which hold only
# for the file that loads them, and no file depends on what another one left.
if [ "${1-}" = test ]; then
  shift
  set -- test --isolate "$@"
fi
exec "$bun" "$@"
