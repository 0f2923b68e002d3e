import { describe, expect, test } from "bun:test";
import { call, event, HOLE, judge, type ShortStep } from "../helpers/rule-facts.ts";

async function message(when: unknown, steps: ShortStep[], text = "no"): Promise<string> {
  const { messages } = await judge([{ name: "p", deny: text, when }], event(steps));
  return messages.join("\n");
}

const suffix = (found: string) => `no [p at hooks.yaml:1: ${found}]`;

describe("what made a rule hit", () => {
  test.each<[unknown, ShortStep, string]>([
    [
      { verb: "push", program: "git", flags: "-f" },
      { program: ["git"], verb: ["push"], flags: ["-u", "--force"] },
      "verb push, program git, flags --force",
    ],
    [{ writes: { not_in: ["project"] } }, { program: ["rm"], writes: ["/p/a", "/srv/b"] }, "writes /srv/b"],
    [{ args: { matches: "prod" } }, { program: ["x"], args: ["a", "my-prod"] }, "args my-prod"],
    [{ flags: true }, { program: ["ls"], flags: ["-l", "-a"] }, "flags -l"],
    [{ flags: false }, { program: ["ls"] }, "no flags"],
    [{ not: { flags: "-f" } }, { program: ["ls"], flags: ["-l"] }, "no flags"],
    [{ not: { not: { program: "ls" } } }, { program: ["ls"] }, "program ls"],
    [{ flags: { only: ["-l"] } }, { program: ["ls"], flags: ["-l"] }, "flags -l"],
    [{ any: [{ program: "rm" }, { verb: "x" }, { flags: "-l" }] }, { program: ["ls"], flags: ["-l"] }, "flags -l"],
    [
      { any: [{ all: [{ flags: "-l" }, { verb: "x" }] }, { program: "ls" }] },
      { program: ["ls"], flags: ["-l"] },
      "program ls",
    ],
    [{ flags: "--force" }, { program: ["git"], flags: ["..."] }, "flags possibly --force"],
    [{ flags: "-f" }, { program: ["git"], flags: ["..."] }, "flags possibly --force"],
    [{ not: { flags: "-f" } }, { program: ["git"], flags: ["..."] }, "possibly no flags"],
    [{ program: ["npm", "rm"] }, { program: [`?r${HOLE}`] }, "program possibly rm"],
    [
      { writes: { not_in: ["project", "tmp"] } },
      { program: ["rm"], writes: [HOLE] },
      "writes possibly not project, tmp",
    ],
    [{ ref: { matches: "^main" } }, { program: ["git"], ref: [`?${HOLE}`] }, "ref possibly ^main"],
    [{ writes: "/srv/*" }, { program: ["rm"], writes: [`/srv/${HOLE}`] }, "writes /srv/*"],
    [{ depth: { less_than: 3 } }, { program: ["rm"] }, "depth 0"],
    [{ opaque: true }, { program: ["make"], opaque: true }, "opaque true"],
    [{ tool: "bash" }, { program: ["make"] }, "tool Bash"],
  ])("%j at %j: %s", async (when, short, found) => {
    const command = [...(short.program ?? []), ...(short.verb ?? []), ...(short.args ?? [])].join(" ");
    const shown = command.startsWith("?") ? "r" : command;
    const steps = [{ ...short, command: shown }];
    expect(await message(when, steps)).toBe(suffix(`${found} in "${shown}"`));
  });

  test("an argument of the tool", async () => {
    const facts = event(
      call([{ command: undefined }], { class: "other", tools: ["mcp:a:b"], input: { a: { b: ["x", "y"] } } }),
    );
    const { messages, hits } = await judge([{ deny: "no", when: { input: { "a.b": "y" } } }], facts);
    expect(messages).toEqual(["no [rules[0] at hooks.yaml:1: input.a.b y]"]);
    expect(hits[0]?.facts).toEqual({ "input.a.b": "y" });
  });

  test("an unquoted word is the reason", async () => {
    const steps = [{ program: ["git"], verb: ["push"], flags: ["..."], unquoted: ["$FLAGS"] }];
    expect(await message({ flags: "--force" }, steps)).toBe(
      suffix('flags possibly --force in "git push"; quote "$FLAGS" if it is one argument'),
    );
    expect(await message({ verb: "push" }, steps)).toBe(suffix('verb push in "git push"'));
  });

  test("facts for those who look into it", async () => {
    const rules = [
      { deny: "no", when: { program: "git", any: [{ flags: "-f" }, { flags: "-v" }], not: { verb: "pull" } } },
    ];
    const { hits } = await judge(rules, event([{ program: ["git"], flags: ["-v", "..."] }]));
    expect(hits).toEqual([
      {
        name: "rules[0]",
        source: "hooks.yaml:1",
        verdict: "deny",
        sure: "certain",
        facts: { program: "git", flags: "--force", verb: "(none)" },
      },
    ]);
  });
});

describe("placeholders", () => {
  const steps: ShortStep[] = [
    {
      program: ["rm"],
      args: ["-r", "/srv/a"],
      effect: ["fs-delete"],
      writes: ["/p/x", "/srv/a"],
      hosts: ["h.example"],
    },
  ];
  test.each<[string, unknown, string]>([
    [
      "{name}: {program} {verb} of {path} ({effect}) by {tool}, {{not}} {host}",
      { writes: "/srv/*" },
      "p: rm (none) of /srv/a (fs-delete) by shell, {not} h.example",
    ],
    ["{path}", { program: "rm" }, "/p/x"],
    ["{path}", { not: { writes: "/p/*" } }, "/srv/a"],
    ["{command}", { program: "rm" }, "rm -r /srv/a"],
    [
      "{class} {branch} {agent} {count} {ref} {target}",
      { program: "rm" },
      "runs-commands dev (none) (none) (none) (none)",
    ],
    ["{{{program}}}", { program: "rm" }, "{rm}"],
  ])("%s with %j: %s", async (text, when, expected) => {
    expect((await message(when, steps, text)).replace(/ \[p at .*/s, "")).toBe(expected);
  });

  test("a possible value is the one that was tested", async () => {
    expect(await message({ ref: "main" }, [{ program: ["git"], ref: [`?${HOLE}`] }], "{ref}")).toStartWith("main [");
  });
});

describe("values are safe to show", () => {
  test("without control characters, and cut", async () => {
    const command = `rm \u001b[31mred\n${"a".repeat(500)}`;
    const got = await message({ program: "rm" }, [{ program: ["rm"], command }], "{command}");
    expect(got).toMatch(/^rm \[31mred a{189}\.\.\. \[p at hooks/);
    expect(got).not.toMatch(/[\u0000-\u001f]/);
    expect(got.length).toBeLessThan(500);
  });

  test("without secrets, also where the value is cut", async () => {
    const token = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].join("");
    for (const before of ["curl -H token:", "a".repeat(190)]) {
      const got = await message(
        { program: "curl" },
        [{ program: ["curl"], command: `${before} ${token}` }],
        "{command}",
      );
      expect(got).not.toContain("ghp_0123");
    }
  });
});
