/**
 * Measures where each key of docker-agent's agent file stands: writes an agent file for each key, and has the program
 * validate them all.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { isObject } from "../src/lib/json.ts";

const ROOT = join(import.meta.dir, "..");

/** Where a key stands, from best to worst. */
const STANDINGS = ["same", "different", "named only", "refused", "unknown"] as const;

type Standing = (typeof STANDINGS)[number];

type Mapping = Readonly<Record<string, unknown>>;

/** A key of docker-agent, and an agent file that has it. */
interface Probe {
  /** The path of what holds it: `agents.*.toolsets[]`. */
  holder: string;
  /** The keys beside it on which it depends: `type: fetch`; empty if there are none. */
  variant: string;
  key: string;
  /** The path in the file: `agents.root.toolsets[0].timeout`. */
  at: string;
  file: Mapping;
  /** True if its value holds keys of their own rows, which are not counted for it. */
  holdsKeys: boolean;
}

/** A key of docker-agent, where it stands, and what the program says about it. */
interface MeasuredKey extends Probe {
  standing: Standing;
  said: string;
}

/** What the keys of the probes refer to. */
const BASE: Mapping = {
  agents: {
    root: { model: "openai/gpt-4o", instruction: "Help.", toolsets: [{ type: "think" }] },
    other: { model: "openai/gpt-4o", instruction: "Help." },
  },
  commands: { group: { hello: "Hello" } },
  skills: { group: [] },
  toolsets: { group: { type: "think" } },
  budgets: { spare: { max_cost: 1 } },
  rag: { search: { strategies: [{ type: "bm25" }] } },
  evaluators: {
    danger: { provider: "typesafe", model: "jev-1", type: "boolean", instructions: "Is it?" },
    topic: { provider: "typesafe", model: "jev-1", type: "choice", instructions: "?", choices: { a: "A", b: "B" } },
  },
};

/** A place in the file: its path, and the file with a value there. */
interface Place {
  path: string;
  at: string;
  /** The variant of the keys above it, on which it depends too. */
  variant: string;
  fileWith: (value: unknown) => Mapping;
}

function probesOf(definitions: Mapping): Probe[] {
  const probes: Probe[] = [];
  visit("File", { path: "", at: "", variant: "", fileWith: (value) => value as Mapping });
  return probes;

  function sampleOf(value: unknown): unknown {
    const child = referenceIn(value);
    if (!child) return value;
    const [group = {}] = [definitions[child.name]].flat() as Mapping[];
    const [key = ""] = Object.keys(group).filter((each) => !each.startsWith("_"));
    return child.wrap(group["_with"] ?? { [key]: sampleOf(group[key]) });
  }

  function visit(name: string, place: Place): void {
    const groups = [definitions[name]].flat() as Mapping[];
    const [first = {}] = groups;
    for (const group of groups) {
      const { _with: needed = {}, _label: label, ...keys } = group as { _with?: Mapping; _label?: string };
      const variant = label ?? (group === first ? place.variant : variantOf(needed));
      const isNewType =
        "type" in first && probes.every((each) => each.holder !== place.path || each.variant !== variant);
      const typed = variant.startsWith("type: ") && isNewType ? { [variant]: undefined } : {};
      for (const [key, value] of Object.entries<unknown>({ ...typed, ...keys })) {
        const step = key.replace(/: .*/, "");
        const below = (inner: unknown): Mapping => {
          if (place.path === "") return { ...BASE, [step]: merged(BASE[step], inner) };
          return place.fileWith({ ...needed, ...(inner === undefined ? {} : { [step]: inner }) });
        };
        const child = referenceIn(value);
        const at = joined(place.at, step);
        const sample = sampleOf(value);
        probes.push({ holder: place.path, variant, key, at, file: below(sample), holdsKeys: child !== undefined });
        if (child) {
          visit(child.name, {
            path: `${joined(place.path, step)}${child.suffix}`,
            at: `${at}${child.at}`,
            variant: variant === label ? "" : variant,
            fileWith: (inner) => below(child.wrap(inner)),
          });
        }
      }
    }
  }
}

/** Entries of the base stay beside the one that is probed; agents are merged, because all need a model. */
function merged(base: unknown, value: unknown): unknown {
  return isObject(base) && isObject(value) ? { ...base, ...value } : value;
}

function variantOf(needed: Mapping): string {
  const [[key, value] = []] = Object.entries(needed);
  return key === "type" || key === "provider" ? `${key}: ${String(value)}` : "";
}

function joined(path: string, step: string): string {
  return path === "" ? step : `${path}.${step}`;
}

/** A definition that a value refers to, and how the value holds it. */
interface Reference {
  name: string;
  suffix: string;
  at: string;
  wrap: (value: unknown) => unknown;
}

function referenceIn(value: unknown): Reference | undefined {
  if (typeof value === "string") {
    return value.startsWith("$") ? { name: value.slice(1), suffix: "", at: "", wrap: (inner) => inner } : undefined;
  }
  const [[key, first] = []] = isObject(value) || Array.isArray(value) ? Object.entries(value) : [];
  if (key !== "*" && !Array.isArray(value)) return undefined;
  const inner = referenceIn(first);
  if (!inner) return undefined;
  const { name, suffix, at, wrap } = inner;
  return key === "*"
    ? { name, suffix: `.*${suffix}`, at: `.root${at}`, wrap: (held) => ({ root: wrap(held) }) }
    : { name, suffix: `[]${suffix}`, at: `[0]${at}`, wrap: (held) => [wrap(held)] };
}

/** Returns every key of docker-agent with where it stands. */
export async function measuredKeys(): Promise<MeasuredKey[]> {
  const text = readFileSync(join(ROOT, "scripts/reference/docker-agent-keys.yaml"), "utf8");
  const probes = probesOf(parse(text) as Mapping);
  const verdicts = await validated(probes.map(({ file }) => file));
  return probes.map((probe, index) => ({ ...probe, ...standingOf(probe, verdicts[index] ?? []) }));
}

/** What `validate` says about a file: an error or a warning at a path. */
interface Said {
  isError: boolean;
  path: string;
  message: string;
}

async function validated(files: readonly Mapping[]): Promise<Said[][]> {
  const folder = mkdtempSync(join(tmpdir(), "hooksh-keys-"));
  try {
    writeFileSync(join(folder, "agent.md"), "Help.\n");
    const names = files.map((file, index) => {
      writeFileSync(join(folder, `${index}.yaml`), JSON.stringify(file));
      return `${index}.yaml`;
    });
    const program = Bun.spawn([process.execPath, join(ROOT, "src/main.ts"), "validate", "--json", ...names], {
      cwd: folder,
      env: { PATH: "/usr/bin:/bin", HOME: folder },
      stderr: "inherit",
    });
    const output = await new Response(program.stdout).text();
    return output.trim().split("\n").map(readVerdict);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readVerdict(line: string): Said[] {
  const { problems, warnings } = JSON.parse(line) as Record<"problems" | "warnings", { message: string }[]>;
  const read =
    (isError: boolean) =>
    ({ message }: { message: string }) => {
      const [, path = "", text = message] = /^([\w.[\]*-]+): ([\s\S]*)$/.exec(message) ?? [];
      return { isError, path, message: text };
    };
  return [...problems.map(read(true)), ...warnings.map(read(false))];
}

/** Only what is said about the key, what is in it, and what holds it counts, but not about this machine. */
function standingOf({ at, holdsKeys }: Probe, verdict: readonly Said[]): Pick<MeasuredKey, "standing" | "said"> {
  const isRelated = ({ path, message }: Said) => {
    const holder = path.replace(/\.type$/, "");
    if (message.startsWith("cannot start: ")) return false;
    return (isAtOrBelow(path, at) && !(holdsKeys && path !== at)) || isAtOrBelow(at, path) || isAtOrBelow(at, holder);
  };
  const related = verdict.filter(isRelated);
  const ranked = related.map((each) => ({ standing: rankOf(each), said: each.message }));
  const worst = STANDINGS.findLast((standing) => ranked.some((each) => each.standing === standing)) ?? "same";
  return { standing: worst, said: ranked.find(({ standing }) => standing === worst)?.said ?? "" };
}

function isAtOrBelow(path: string, other: string): boolean {
  return other !== "" && (path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`));
}

function rankOf({ isError, message }: Said): Standing {
  if (isError) return message.startsWith("unknown key") ? "unknown" : "refused";
  return /not supported yet|is not enforced/.test(message) ? "named only" : "different";
}

/** Returns the text of docs/docker-agent-keys.md after its first line. */
export function agentKeysPage(keys: readonly MeasuredKey[]): string {
  return [
    "# The keys of docker-agent's agent file",
    "",
    `What hooksh does with the ${keys.length} key paths of docker-agent's agent file (schema version 16). It is measured: \`hooksh validate\` checks an`,
    "agent file for each path, and this page repeats what it said.",
    "",
    "| standing | meaning | paths |",
    "|---|---|---|",
    ...STANDINGS.map((standing) => `| ${standing} | ${MEANINGS[standing]} | ${countOf(keys, standing)} |`),
    "",
    "The keys that are not carried out as in docker-agent, without those below them. `[]` is an entry of a list, `*` a name that you choose.",
    "",
    ...differingKeys(keys),
    "",
  ].join("\n");
}

const MEANINGS: Readonly<Record<Standing, string>> = {
  same: "accepted and carried out",
  different: "accepted, with a remark",
  "named only": "accepted, with a warning that it has no effect",
  refused: "an error that says what to use",
  unknown: "an error: hooksh does not know the key",
};

function countOf(keys: readonly MeasuredKey[], standing: Standing): number {
  return keys.filter((each) => each.standing === standing).length;
}

function quoted(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

/** Returns the lines of the table of keys that are not the same: those below such a key are left out. */
function differingKeys(keys: readonly MeasuredKey[]): string[] {
  const differing = keys.filter(({ standing }) => standing !== "same");
  const outer = differing.filter(
    ({ at, said, key, variant }) =>
      !differing.some(
        (each) =>
          each.said === said &&
          ((each.at !== at && isAtOrBelow(at, each.at)) || (each.key === variant && key !== variant)),
      ),
  );
  const alike = Map.groupBy(outer, ({ standing, said }) => `${standing} | ${instead(said)}`);
  return [
    "| keys | standing | what happens, or what to use |",
    "|---|---|---|",
    ...[...alike].map(([facts, group]) => `| ${shortPaths(group).join(", ")} | ${facts} |`),
  ];
}

/** Leaves out of a message what the standing of its key says. */
function instead(said: string): string {
  return said.replace(/^("\w+" is )?not supported yet(, ignored)?[;:] /, "").replace(/^provider_opts\.\w+ /, "");
}

/** The last steps of paths, each once: the same keys may be in several places. */
function shortPaths(group: readonly MeasuredKey[]): string[] {
  const paths = group.map(({ holder, key, variant }) => {
    const shown = `${holder.replace(/^agents\.\*\.toolsets\[\]/, "toolsets.*")}`;
    return quoted(
      key === variant
        ? `${shown} ${key}`
        : `${joined(shown, key)}${variant.startsWith("type: ") ? ` (${variant})` : ""}`,
    );
  });
  return [...new Set(paths)];
}
