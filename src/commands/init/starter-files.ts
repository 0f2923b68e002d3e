import type { FoundModel } from "./find-model.ts";
import type { Project } from "./find-project.ts";

/** What the starter files are written for. */
export interface StarterOptions {
  /** The name of the agent file without its extension. */
  name: string;
  /** The name of the agent file. */
  file: string;
  model: Pick<FoundModel, "reference" | "reason" | "others">;
  project: Project;
  /** Whether the builtin `guards_stay` keeps the agent from changing these files. */
  guardsStay: boolean;
}

/** The starter files by name: the agent, its guard, and the tests of the guard. */
export type StarterFiles = Readonly<Record<"agent" | "guard" | "tests", { name: string; text: string }>>;

/** Returns the files that `hooksh init` writes. `hooksh validate` and `hooksh test` accept them as they are. */
export function starterFiles(options: StarterOptions): StarterFiles {
  const { name, file, project } = options;
  const rules = rulesFor(project);
  const guard = `${name}-guard.ts`;
  return {
    agent: { name: file, text: agentText(options, guard) },
    guard: { name: guard, text: guardText(file, rules, project) },
    tests: { name: `${name}.hooktest.yaml`, text: testsText(file, rules) },
  };
}

/** A rule of the guard, with calls to test it. */
interface Rule {
  title: string;
  /** Expressions of the guard's source: patterns, or calls of its function `pushes`. */
  patterns: string;
  /** What the model reads. */
  reason: string;
  denied: readonly string[];
  /** Similar calls that run. */
  allowed: readonly string[];
}

const MACHINE_RULES: readonly Rule[] = [
  {
    title: "nothing runs as root",
    patterns: '["sudo *", "su", "su *", "doas *"]',
    reason: "Nothing here runs as root: do it without, or ask the user to do it",
    denied: ["sudo ls", "ls; sudo rm x", "sh -c 'sudo ls'"],
    allowed: ["ls -la", "echo sudo"],
  },
  {
    title: "no folder outside of the project is deleted",
    patterns: '["rm *-r* /*", "rm *-r* ~*", "rm *-r* ..*"]',
    reason: "Only folders inside the project are deleted",
    denied: ["rm -rf /", "rm  -r  -f ~", "rm -rf ../other", "'rm' -rf \"$HOME\""],
    allowed: ["rm -rf build", "rm notes.txt"],
  },
];

function rulesFor({ protectedBranch: branch }: Project): readonly Rule[] {
  if (branch === undefined) return MACHINE_RULES;
  return [
    {
      title: "no push rewrites or deletes what others have",
      patterns: 'pushes(" *-f*", " *--force*", " *--mirror*", " *--delete*", " +*", " * +*", " * :*")',
      reason: "A force push rewrites what others have pulled: push to a new branch",
      denied: ["git push --force", "git  push  -f origin topic", "git push origin +topic", "true; sh -c 'git push -f'"],
      allowed: ["git push origin topic", "git push -u origin topic"],
    },
    {
      title: `no push to ${branch}`,
      patterns: `pushes(" * ${branch}", " * ${branch} *", ":${branch}", " *:${branch}", " */${branch}")`,
      reason: `${branch} is protected: push to a branch of your own, for others to review`,
      denied: [`git push origin ${branch}`, `git push origin HEAD:${branch}`, `git -C . push origin ${branch}`],
      allowed: ["git push origin topic"],
    },
    {
      title: "a push names its branch",
      patterns: 'pushes("", " origin", " * HEAD")',
      reason: "Name the branch that you push: git push origin BRANCH",
      denied: ["git push", "git push origin", "git push origin HEAD"],
      allowed: ["git pull", "git stash push", "git status"],
    },
    ...MACHINE_RULES,
  ];
}

function agentText({ file, model, project, guardsStay }: StarterOptions, guard: string): string {
  const { tests, protectedBranch } = project;
  return lines(
    `# An agent for this project. Try: hooksh run ${file} "What is in this directory?"`,
    "# hooksh run without an agent uses hooksh.yaml, docker-agent.yaml or agent.yaml of the current directory.",
    protectedBranch !== undefined && "# --worktree gives a run a branch and a git worktree of its own.",
    "agents:",
    "  root:",
    ...modelLines(model),
    "    description: Works on this project",
    "    instruction: |",
    "      You work on the project in the current directory. Find out before you act: read files and run commands",
    "      rather than guess. Say what you are about to change, and keep changes small.",
    tests && `      Run the tests after every change: ${tests.command}`,
    protectedBranch !== undefined &&
      `      Never work on the branch ${protectedBranch}; commit to a branch of your own.`,
    "    toolsets:",
    "      - type: filesystem",
    "      - type: shell",
    "    # redact_secrets: true        # keep keys and passwords away from the model",
    "",
    "# Hooks here hold for every agent of the file. This one runs before every call of the shell tool, also with --yolo.",
    "# If it fails, the call is denied.",
    "hooks:",
    "  pre_tool_use:",
    "    - matcher: shell",
    "      hooks:",
    "        - name: guard",
    "          type: builtin",
    `          command: ${quoted(`\${hook_dir}/${guard}`)}`,
    "          timeout: 5",
    ...(guardsStay
      ? [
          "    # No call changes this file, the guard, or the hooks and settings of other agents.",
          "    - hooks:",
          "        - name: guards-stay",
          "          type: builtin",
          "          command: guards_stay",
        ]
      : []),
    "",
    "# Rules test what a call does, not how it is spelled. These two sets come with hooksh; hooksh rules list FILE shows their rules.",
    "rules:",
    "  - include: builtin:credentials",
    "  - include: builtin:remote-code",
    "# - include: builtin:git-safety    # more: outside-deletion, guards-stay, packages, production, ci, destruction, unattended",
    "",
    "# What runs without asking, what asks, and what never runs, whatever the hooks say:",
    "# permissions:",
    `#   allow: [read_file, "shell:cmd=${tests?.command ?? "ls *"}"]`,
    '#   deny: ["shell:cmd=curl *"]',
  );
}

function modelLines({ reference, reason, others }: StarterOptions["model"]): (string | false)[] {
  if (reference === "auto")
    return [
      "    # The first provider whose key is set, else Docker Model Runner. `hooksh doctor` lists what it finds.",
      "    model: auto",
    ];
  return [
    `    model: ${quoted(reference)}    # ${reason}`,
    others.length > 0 && `    # or: ${others.slice(0, 5).join(", ")}`,
  ];
}

function guardText(file: string, rules: readonly Rule[], { protectedBranch }: Project): string {
  return lines(
    `// The guard of ${file}. It judges the commands that a line runs, however they are spelled: also in "git" push,`,
    "// sh -c 'git push' and $(git push). Where a variable hides the command, it denies the call. In a pattern, * matches any text.",
    'import { BLOCK, type Builtin, mayRun } from "hooksh/hook";',
    "",
    ...(protectedBranch === undefined
      ? []
      : [
          "/** A push with one of these endings, also after options of git such as -C. */",
          "const pushes = (...endings: string[]) =>",
          '  ["git push", "git -* push"].flatMap((push) => endings.map((ending) => push + ending));',
          "",
        ]),
    "/** Commands that do not run, and the reason that the model reads. */",
    "const FORBIDDEN: { patterns: string[]; reason: string }[] = [",
    ...rules.flatMap(({ title, patterns, reason }) => [
      `  // ${title}`,
      `  { patterns: ${patterns}, reason: ${JSON.stringify(reason)} },`,
    ]),
    "];",
    "",
    "const guard: Builtin = (input) => {",
    '  const line = input.tool_input?.["cmd"];',
    '  if (typeof line !== "string") throw new Error("no command line to judge"); // a failure, so the call is denied',
    "  const rule = FORBIDDEN.find(({ patterns }) => mayRun(line, patterns));",
    "  return rule && { decision: BLOCK, reason: rule.reason };",
    "};",
    "",
    "export default guard;",
  );
}

function testsText(file: string, rules: readonly Rule[]): string {
  return lines(
    "# hooksh test",
    `hooks: ${quoted(`./${file}`)}`,
    "agent: root",
    "defaults: { event: pre_tool_use, tool: shell }",
    "tests:",
    ...rules.flatMap(({ title, denied, reason }) => [
      `  - name: ${title}`,
      "    each:",
      ...denied.map((line) => `      - ${JSON.stringify(line)}`),
      '    input: { cmd: "$each" }',
      `    expect: { decision: deny, by: guard, message: ${JSON.stringify(`/^${escapeExpression(reason)}/`)} }`,
    ]),
    "  - name: other commands run",
    "    each:",
    ...[...new Set(rules.flatMap(({ allowed }) => allowed))].map((line) => `      - ${JSON.stringify(line)}`),
    '    input: { cmd: "$each" }',
    "    expect: { decision: none, ran: [guard] }",
    "  - name: without its guard, no command runs",
    "    fault: { hook: guard, kinds: [missing, crash, hang, garbage, killed] }",
    "    input: { cmd: ls }",
    "    expect: { decision: deny }",
  );
}

/** The tests expect how a message begins: `guards_stay` may refuse the same call and add its reason after the guard's. */
function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Joins the lines that are not left out. */
function lines(...given: readonly (string | false | undefined)[]): string {
  return `${given.filter((line) => line !== false && line !== undefined).join("\n")}\n`;
}

/** Returns a text as a YAML scalar, in quotes unless it is plain in every reading. */
function quoted(text: string): string {
  return /^[A-Za-z./$][\w./:@${}-]*$/.test(text) && !text.endsWith(":") ? text : JSON.stringify(text);
}
