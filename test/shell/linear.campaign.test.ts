import { test } from "bun:test";
import { callForRules, judgeByRules } from "../../src/runtime/permissions/permissions.ts";
import { classifyCommand } from "../../src/shell/classify.ts";
import { expectLinear } from "../helpers/growth.ts";
import { fakeShell } from "../runtime/harness.ts";

const denied = (cmd: string, ...deny: string[]) =>
  judgeByRules({ allow: [], ask: [], deny }, callForRules(fakeShell(), { cmd })) === "deny";

test.each([
  "rm ",
  "git push ",
  "git -c ",
  "docker compose -f ",
  "rsync --delete ",
  "'",
  '"',
  "\\",
  "$(",
  "-v /:",
  ">",
  "find -exec rm ",
  "find . -exec ",
  "fd -x ",
  "a",
  "$",
  "$a",
  "echo $a ",
  "sh | ",
  "curl x | sh | ",
  "{ curl x | sh; ",
  "echo x | sh | ",
  "a=$a$a;",
  'a="$a$a x";$a;',
  "alias a='a a';a;",
  "set -- a b; $@ ",
  "{a,b} ",
  "{,",
  "x{a,b}{c,d}",
  "r? ",
  "trap 'a b' c ",
  "$(echo a) ",
  "`echo a` ",
  "<(a) ",
  "foo 'a b; c' ",
  "ssh sh ",
  "vim -c '!a' ",
  "awk '{print ",
  "open(",
  "drop  ",
  "sed 's/a/b/e' ",
  "((a>b))",
  "curl -o a x; a/b; ",
  "f() { f | f & }; ",
  "echo 'echo a | sh' | sh;",
  "git -c a.b=!x ",
  "python -c 'open('",
])("time grows with the length of a line of %j, not faster", async (bomb) => {
  await expectLinear(120_000, (size) => {
    const line = bomb.repeat(Math.ceil(size / bomb.length));
    return () => classifyCommand(line);
  });
});

test.each([
  "(",
  "$(",
  "`",
  "'",
  '"',
  "\\",
  "{a,",
  "[",
  "$((",
  "$'",
  "${",
  "a ",
  "a;",
  "$a ",
  "* ",
  "env ",
  "eval ",
  "env -S ",
  "sudo -x ",
  "find -exec eval ",
  "xargs sh -c ",
  "sh -c 'a' ",
  "<<a ",
  "<<a\n",
  "case a in ",
  "case a in a) ",
  "> f ",
  "a() ",
  "if ",
  "$'\\",
  "for f in ",
])("time grows with the length of a command line of %j, not faster", async (bomb) => {
  await expectLinear(80_000, (size) => {
    const cmd = bomb.repeat(Math.ceil(size / bomb.length));
    return () => denied(cmd, "shell:cmd=sudo *", "shell:cmd=*a*b*c*d*");
  });
});

test.each([
  ["firejail ", "a "],
  ["$X ", "env "],
  ["x | ", "python3 "],
  ["tool ", "'a b' "],
  ["tool ", "[ "],
  ["printf %d ", "1 "],
  ["declare ", "a "],
  ["alias ", "a=b "],
  ["rg --pre ", "a=b "],
  ["x=1; ", "$x "],
])(
  "a deny rule sees what other programs start in time linear in the length of a line: %j and many times %j",
  async (start, word) => {
    await expectLinear(60_000, (size) => {
      const cmd = start + word.repeat(Math.floor(size / word.length));
      return () => denied(cmd, "shell:cmd=git push*-f*");
    });
  },
);
