import { EFFECTS } from "../../facts/facts.ts";
import { once } from "../../lib/once.ts";
import { OWN_TOOLS, type ToolClass } from "../../protocol/tool-class.ts";
import { samePrograms } from "../../shell/rules/rules.ts";
import { CLOUDS } from "../../shell/steps/effects/cloud.ts";
import { programsWithRows, rowsOf } from "../../shell/steps/effects/program-rows.ts";
import { isInterpreter } from "../../shell/steps/effects/source-effects.ts";
import type { CallKind, ProgramRows, ProofTables } from "./tables.ts";

const PATH_FACTS = ["reads", "writes", "paths"];
const COMMAND_FACTS = [
  "program",
  "verb",
  "flags",
  "args",
  "command",
  "env",
  "effect",
  "ref",
  "target",
  "hosts",
  "sends",
];

/** What any command can have, by its redirections and variables, the code that reaches it, and the files it touches. */
const OF_COMMANDS = [
  "fs-overwrite",
  "fs-modify",
  "block-device",
  "remote-code",
  "hidden-code",
  "system",
  "persistence",
  "reveals",
  "sends",
  "fetches",
  "bypass",
  "packages",
];

const KINDS: readonly Omit<CallKind, "tools">[] = [
  kind("runs-commands", [...COMMAND_FACTS, ...PATH_FACTS], OF_COMMANDS, "sometimes"),
  kind(
    "writes-files",
    ["effect", ...PATH_FACTS],
    ["fs-delete", "fs-overwrite", "fs-modify", "persistence", "reveals"],
    "sometimes",
  ),
  kind("reads-files", ["effect", ...PATH_FACTS], ["reveals"], "never"),
  kind("network", ["effect", "hosts", "sends", ...PATH_FACTS], ["fetches", "sends", "reveals"], "never"),
  kind("delegates", ["effect"], ["delegates"], "never"),
  kind(
    "other",
    ["effect", "hosts", "sends", ...PATH_FACTS],
    ["fetches", "sends", "reveals", "persistence"],
    "sometimes",
  ),
];

function kind(
  name: ToolClass,
  facts: readonly string[],
  effects: readonly string[],
  opaque: CallKind["opaque"],
): Omit<CallKind, "tools"> {
  const anyTool = name !== "delegates" && name !== "reads-files" && name !== "network";
  return { class: name, anyTool, facts: new Set(name === "other" ? [...facts, "server"] : facts), effects, opaque };
}

/** Programs of a family that share their rows. */
const FAMILIES = ["ext2", "ext3", "ext4", "xfs", "btrfs", "vfat", "ntfs"].map((name) => `mkfs.${name}`);

/** The tables of hooksh as proofs use them. */
export const proofTables = once((): ProofTables => {
  const names = [...programsWithRows(), ...samePrograms(), ...CLOUDS, ...FAMILIES];
  return {
    kinds: KINDS.map((one) => ({ ...one, tools: OWN_TOOLS[one.class].map((tool) => [tool]) })),
    programs: [...new Set(names)].map(programRows),
  };
});

function programRows(program: string): ProgramRows {
  if (isInterpreter(program)) return { program, effects: EFFECTS, verbs: {} };
  const effects = new Set<string>(CLOUDS.has(program) ? ["cloud"] : []);
  const verbs = new Map<string, Set<string>>();
  for (const { effect, rule } of rowsOf(program)) {
    const [first] = rule.path;
    if (!first || first.some((verb) => verb.includes("*"))) effects.add(effect);
    else for (const verb of first) verbs.set(verb, (verbs.get(verb) ?? new Set()).add(effect));
  }
  return {
    program,
    effects: implied(effects),
    verbs: Object.fromEntries([...verbs].map(([verb, of]) => [verb, implied(of)])),
  };
}

/** Publishing sends, and adding packages fetches. */
function implied(effects: ReadonlySet<string>): string[] {
  return [...effects, ...(effects.has("publish") ? ["sends"] : []), ...(effects.has("packages") ? ["fetches"] : [])];
}
