import { expect, test } from "bun:test";
import { changesNothing } from "../../src/shell/changes-nothing.ts";

test.each([
  "ls",
  "cat a.txt | grep -n 'rm -rf x' | head -5",
  'cd src && git status --short; git log --oneline -5 -- "a b"',
  'git add . && git commit -m "wip: change hooks.yaml" && git push',
  "npm test 2>&1",
  "npm run build -- --watch > /dev/null 2>&1",
  "npx tsc --noEmit || make test",
  "ls *.yaml",
])("%j changes nothing", (line) => expect(changesNothing(line)).toBe(true));

test.each([
  "",
  "rm x",
  "ls > f",
  "ls >/dev/null/../../f",
  "ls 2>f",
  "ls; rm x",
  "ls & rm x",
  "ls\nrm x",
  "ls $(rm x)",
  "ls `rm x`",
  'echo "$(rm x)"',
  `echo "$a 'b" ; rm x ; echo 'c"'`,
  "cat x | sh",
  "cat x | xargs rm",
  "ls() { rm x; }; ls",
  "x=1 ls",
  "git -c core.hooksPath=x commit",
  "git diff --output=f",
  "git fetch --upload-pack='rm x'",
  "git fetch 'ext::sh -c x' --upload-pack=x",
  "git fetch ext::x",
  "git commit --template x --exec=y",
  "npm run x > f",
  "make x",
  "go build -o f ./...",
  "ls \\x",
  `ls ${"a".repeat(5000)}`,
])("%j may change something", (line) => expect(changesNothing(line)).toBe(false));
