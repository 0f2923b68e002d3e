import { parseDocument } from "../../config/yaml/document.ts";
import type { Directories } from "../../lib/env.ts";
import { UsageError } from "../../lib/errors.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { findTestFiles } from "../find-test-files.ts";
import { readTestFile } from "../read-test-file.ts";
import type { CaseResult } from "../run-case.ts";
import type { TestCase } from "../test-case.ts";
import { displayPath, loadTestHooks, type TestHooks } from "../test-hooks.ts";
import type { Attack } from "./attack.ts";
import { CREDENTIALS } from "./credentials.ts";
import { DATABASE } from "./database.ts";
import { DELETION } from "./deletion.ts";
import { EXFILTRATION } from "./exfiltration.ts";
import { FORCE_PUSH } from "./force-push.ts";
import { GUARD_TAMPERING } from "./guard-tampering.ts";
import { attackCase, attackTools, type JudgedAttack, judgeAttack } from "./judge-attacks.ts";
import { PERSISTENCE } from "./persistence.ts";
import { PRIVILEGE } from "./privilege.ts";
import { SUPPLY_CHAIN } from "./supply-chain.ts";

/** The shipped attacks by category, in the order of the report. */
export const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  deletion: DELETION,
  exfiltration: EXFILTRATION,
  credentials: CREDENTIALS,
  "force-push": FORCE_PUSH,
  persistence: PERSISTENCE,
  "guard-tampering": GUARD_TAMPERING,
  privilege: PRIVILEGE,
  "supply-chain": SUPPLY_CHAIN,
  database: DATABASE,
};

/** The guards of one file under attack. */
export interface AttackReport {
  /** The file, as messages show it. */
  file: string;
  attacks: readonly JudgedAttack[];
}

/** Runs cases in order and yields their results. */
export type RunCases = (hooks: TestHooks, cases: readonly TestCase[]) => AsyncIterable<CaseResult>;

/** The hooks of a file under attack, and what its cases have in common. */
interface Target {
  file: string;
  hooks: TestHooks;
  like: Omit<TestCase, "name" | "steps">;
}

/**
 * Shows the attacks of a category (all, if it is empty) to the hooks of the given files: agent files, hooks files, and
 * test files, whose hooks are used. Throws a {@link UsageError} if the category is unknown or there are no hooks to
 * test, and a `ConfigError` if a file is invalid.
 */
export async function* runAttacks(
  category: string,
  paths: readonly string[],
  { directories, cwd, agent, run }: { directories: Directories; cwd: string; agent: string | undefined; run: RunCases },
): AsyncGenerator<AttackReport> {
  const chosen = attacksOf(category).flatMap(([name, attacks]) =>
    attacks.map((attack): Attack & { category: string } => ({ ...attack, category: name })),
  );
  const tools = await attackTools(cwd);
  for (const { file, hooks, like } of await targetsOf(paths, { directories, cwd, agent })) {
    const cases = chosen.map((attack) => attackCase(attack, hooks, like));
    const attacks: JudgedAttack[] = [];
    for await (const result of run(hooks, cases)) {
      const attack = chosen[attacks.length];
      if (attack) attacks.push(judgeAttack(attack, result, { agent: hooks.agent, tools }));
    }
    yield { file, attacks };
  }
}

async function targetsOf(
  paths: readonly string[],
  { directories, cwd, agent }: { directories: Directories; cwd: string; agent: string | undefined },
): Promise<Target[]> {
  const found = findTestFiles(paths, cwd);
  const targets = new Map<string, Target>();
  for (const path of found.hooks) {
    const file = displayPath(path);
    const document = await parseDocument(`hooks: ${JSON.stringify(path)}`, file, cwd);
    const hooks = await loadTestHooks({ document, directory: cwd, hooks: path, agent, userHooks: false, directories });
    targets.set(file, { file, hooks, like: likeNothing(file, document, hooks, cwd) });
  }
  for (const path of found.tests) {
    const { name, document, hooks, cases } = await readTestFile(path, directories);
    const file = hooks.files.map(displayPath).join(", ") || name;
    const [first] = cases;
    const common = likeNothing(file, document, hooks, first?.workingDir ?? cwd);
    if (!targets.has(file)) targets.set(file, { file, hooks, like: common });
  }
  if (targets.size === 0) throw new UsageError("--attacks needs an agent file, a hooks file or test files");
  return [...targets.values()];
}

/** What the cases of attacks have in common: no doubles, no variables, so every hook runs as configured. */
function likeNothing(
  file: string,
  document: TestCase["document"],
  { entries, rules }: TestHooks,
  workingDir: string,
): Target["like"] {
  return { file, document, path: [], entries, rules, doubles: new Map(), env: {}, workingDir, only: false };
}

/** Returns the attacks of one category, or of all if the name is empty. Throws a {@link UsageError} if it is unknown. */
function attacksOf(category: string): [category: string, attacks: readonly Attack[]][] {
  if (category === "") return Object.entries(ATTACKS);
  const wanted = category.toLowerCase().replace(/[ _]/g, "-");
  const attacks = Object.hasOwn(ATTACKS, wanted) ? ATTACKS[wanted] : undefined;
  if (attacks) return [[wanted, attacks]];
  const known = Object.keys(ATTACKS);
  const close = nearest(wanted, known);
  const hint = close === undefined ? "" : `, did you mean ${close}?`;
  throw new UsageError(`--attacks: unknown category ${JSON.stringify(category)}${hint} (known: ${known.join(", ")})`);
}
