/** The tables of docs/rules.md and docs/rule-sets.md, from the lists that rules are checked with. */
import { HOST_SETS, PATH_SETS } from "../src/facts/sets/set-names.ts";
import { FACT_MEANINGS, FACT_TABLE, type FactFacts } from "../src/rules/fact-table.ts";
import type { RuleSet } from "../src/rules/include/rule-set.ts";
import { type ExampleCall, RULE_SET_EXAMPLES } from "../src/rules/include/rule-set-examples.ts";
import { RULE_SETS } from "../src/rules/include/rule-sets.ts";
import { FACTS } from "../src/rules/rule.ts";
import { EFFECTS } from "../src/shell/steps/effects/effect.ts";
import { EFFECT_MEANINGS } from "../src/shell/steps/effects/effect-meanings.ts";

/** The generated blocks of docs/rules.md by name. */
export function ruleBlocks(): Record<string, string[]> {
  return {
    facts: [
      "| fact | of | values | meaning |",
      "|---|---|---|---|",
      ...FACTS.map(
        (fact) => `| \`${fact}\` | ${FACT_TABLE[fact].of} | ${valuesOf(FACT_TABLE[fact])} | ${FACT_MEANINGS[fact]} |`,
      ),
    ],
    effects: [
      "| effect | meaning | for example |",
      "|---|---|---|",
      ...EFFECTS.map((effect) => {
        const { meaning, sample } = EFFECT_MEANINGS[effect];
        return `| \`${effect}\` | ${meaning} | \`${sample.replaceAll("|", "\\|")}\` |`;
      }),
    ],
    sets: [...setTable("paths", PATH_SETS), "", ...setTable("hosts", HOST_SETS)],
  };
}

function valuesOf({ kind, closed, values }: FactFacts): string {
  if (closed && closed.length < 8) return closed.map((one) => `\`${one}\``).join(", ");
  if (closed) return "[effects](#effects)";
  if (values !== "text") return values === "path" ? "paths, [sets](#sets)" : "hosts, [sets](#sets)";
  const words = {
    one: "text",
    marks: "texts",
    things: "texts",
    map: "texts",
    number: "number",
    time: "times",
    truth: "",
  };
  return kind === "truth" ? "`true`, `false`" : words[kind];
}

function setTable(title: string, sets: Readonly<Record<string, string>>): string[] {
  return [
    `| set of ${title} | covers |`,
    "|---|---|",
    ...Object.entries(sets).map(([name, about]) => `| \`${name}\` | ${about} |`),
  ];
}

/** The generated blocks of docs/rule-sets.md: the rules of each set by its name. */
export function ruleSetBlocks(): Record<string, string[]> {
  return Object.fromEntries(Object.entries(RULE_SETS()).map(([name, set]) => [name, rulesOfSet(name, set)]));
}

function rulesOfSet(name: string, { summary, parameters, rules }: RuleSet): string[] {
  const shown = Object.entries(parameters).map(([key, { default: given }]) => `\`${key}: ${JSON.stringify(given)}\``);
  return [
    summary,
    "",
    "```yaml",
    `# - include: builtin:${name}`,
    ...rules.map((rule) => `- ${flow(shortened(rule))}`),
    "```",
    "",
    shown.length === 0 ? "No parameters." : `Parameters (\`with\`): ${shown.join(", ")}.`,
  ];
}

/** The rule, without conditions that fill lines of their own; `hooksh rules list` prints those. */
function shortened(rule: RuleSet["rules"][number]): object {
  return flow(rule).length > MAX_RULE && "when" in rule ? { ...rule, when: "..." } : rule;
}

/** Characters of a rule that the page shows whole. */
const MAX_RULE = 200;

/** A value in YAML's flow form. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${key}: ${flow(inner)}`)
      .join(", ")} }`;
  return typeof value === "string" && !/^[\w$][\w $*/.;'()-]*$/.test(value) ? JSON.stringify(value) : String(value);
}

/** The files of examples/rules: each ready-made set in a hooks file of its own, and its tests. */
export function ruleSetFiles(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(RULE_SETS()).flatMap(([name, set]) => [
      [`examples/rules/${name}/hooks.yaml`, hooksFile(name, set)],
      [`examples/rules/${name}/hooks.hooktest.yaml`, testFile(name, set)],
    ]),
  );
}

function hooksFile(name: string, { summary }: RuleSet): string {
  const schema = "# yaml-language-server: $schema=../../../docs/schema/hooks.schema.json";
  return `${schema}\n# ${summary}\nrules:\n  - include: builtin:${name}\n`;
}

/** The tests of a set: for each rule the calls that it hits and those that pass. */
function testFile(name: string, { rules }: RuleSet): string {
  const tests = rules.flatMap((rule): string[] => {
    const { hit, pass } = RULE_SET_EXAMPLES[name]?.[rule.name] ?? { hit: [], pass: [] };
    // A rule of a parameter that is empty hits nothing. A test has a temporary home directory, and may run in a temporary folder.
    if (hit.length === 0 || /^(?:home|reads-home|deletes|data-files)$/.test(rule.name)) return [];
    const own = `${name}/${rule.name}`;
    // A file of git whose state cannot be read: it counts as changed.
    const files = rule.name === "discard" ? ["    files: { .git/HEAD: x }"] : [];
    return [
      `  - name: ${rule.name} hits`,
      ...eachOf(hit),
      ...files,
      `    expect: { decision: ${"ask" in rule ? "ask" : "deny"}, ran: [${own}] }`,
      `  - name: ${rule.name} lets similar calls pass`,
      ...eachOf(pass),
      ...files,
      `    expect: { decision: none, not_ran: [${own}] }`,
    ];
  });
  return [
    "# Generated by scripts/docs.ts from the examples of the set.",
    "hooks: hooks.yaml",
    "defaults: { event: pre_tool_use, cwd: . }",
    "tests:",
    ...tests,
    "",
  ].join("\n");
}

function eachOf(calls: readonly ExampleCall[]): string[] {
  const items = calls.map((call) => (typeof call === "string" ? { tool: "shell", input: { cmd: call } } : call));
  return [
    "    tool: $each.tool",
    "    input: $each.input",
    "    each:",
    ...items.map((item) => `      - ${JSON.stringify(item)}`),
  ];
}
