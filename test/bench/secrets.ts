/**
 * How many secrets are found, and which harmless texts are redacted: the samples of every kind in every context, and
 * harmless text of every family. `clean-text.ts` searches the files of folders.
 * Run: `bun test/bench/secrets.ts [--samples N] [--show] [--corpus FILE]`. `--show` prints each secret that is missed and
 * each harmless text that is redacted. The file has a sample of another program on each line: `{"rule": "github-pat",
 * "text": "token = ghp_...", "secrets": ["ghp_..."]}`.
 */
import { createRedactor } from "../../src/redaction/redact.ts";
import { CONTEXTS, nameOf } from "../redaction/contexts.ts";
import { negatives } from "../redaction/negatives.ts";
import { fits, POSITIVE_KINDS, place, positivesOf } from "../redaction/positives.ts";
import { printTable } from "./measure.ts";

const args = process.argv.slice(2);
const show = takeFlag("--show");
const samples = Number(takeOption("--samples") ?? 20);
const corpus = takeOption("--corpus");
const { redact, find } = createRedactor();

function takeFlag(name: string): boolean {
  const at = args.indexOf(name);
  return at >= 0 && args.splice(at, 1).length > 0;
}

function takeOption(name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

interface Share {
  asked: number;
  found: number;
}

const percent = ({ found, asked }: Share) =>
  `${((100 * found) / asked).toFixed(asked - found > 0 && asked > 1000 ? 2 : 1)} %`;

/** Every sample of every kind in every context that can hold it. */
function measureRecall(): void {
  const byContext = new Map<string, Share>();
  const byKind = new Map<string, Share>();
  const count = (shares: Map<string, Share>, id: string, isFound: boolean) => {
    const share = shares.get(id) ?? { asked: 0, found: 0 };
    shares.set(id, { asked: share.asked + 1, found: share.found + Number(isFound) });
  };
  for (const [at, kind] of POSITIVE_KINDS.entries()) {
    for (const positive of positivesOf(kind, samples, at + 1)) {
      for (const context of CONTEXTS.filter((each) => fits(positive, each))) {
        const { text, spelled } = place(positive, context);
        const isFound = !redact(text).includes(spelled);
        if (show && !isFound) console.log(`missed: ${kind} in ${context.id}: ${JSON.stringify(text)}`);
        count(byContext, context.id, isFound);
        count(byKind, kind, isFound);
      }
    }
  }
  const rows = (shares: Map<string, Share>) =>
    [...shares]
      .sort(([, a], [, b]) => a.found / a.asked - b.found / b.asked)
      .map(([id, share]) => [id, `${share.asked}`, percent(share)]);
  const all = [...byKind.values()].reduce((sum, { asked, found }) => ({
    asked: sum.asked + asked,
    found: sum.found + found,
  }));
  printTable(`Found by context, ${POSITIVE_KINDS.length} kinds`, ["context", "secrets", "found"], rows(byContext));
  const partly = rows(byKind).filter(([, , share]) => share !== "100.0 %");
  printTable(
    "Kinds that are not found everywhere",
    ["kind", "secrets", "found"],
    [...partly, ["all kinds", `${all.asked}`, percent(all)]],
  );
}

function measureNegatives(): void {
  const byFamily = new Map<string, [texts: number, hits: number]>();
  for (const { family, text } of negatives(samples, 1)) {
    const hits = find(text).length;
    if (show && hits > 0) console.log(`${family}: ${JSON.stringify(redact(text))}`);
    const [texts, before] = byFamily.get(family) ?? [0, 0];
    byFamily.set(family, [texts + 1, before + hits]);
  }
  const rows = [...byFamily]
    .filter(([, [, hits]]) => hits > 0)
    .map(([family, [texts, hits]]) => [family, `${texts}`, `${hits}`]);
  const texts = [...byFamily.values()].reduce((sum, [each]) => sum + each, 0);
  const hits = [...byFamily.values()].reduce((sum, [, each]) => sum + each, 0);
  printTable(
    `Harmless text, ${byFamily.size} families`,
    ["family", "texts", "redacted"],
    [...rows, ["all families", `${texts}`, `${hits}`]],
  );
}

/** A text with its secrets, made by the rule of another program. */
interface Sample {
  rule: string;
  text: string;
  secrets: string[];
}

const SHORTEST = 12;

/** The samples of a file of JSON lines as they are, and a secret of each rule in every context that names it. */
async function measureCorpus(file: string): Promise<void> {
  const lines = (await Bun.file(file).text()).trim().split("\n");
  const samples = lines.map((line) => JSON.parse(line) as Sample).filter(({ secrets }) => secrets.length > 0);
  const shares = { samples: { asked: 0, found: 0 }, contexts: { asked: 0, found: 0 } };
  const count = (share: Share, text: string, secrets: readonly string[]) => {
    const redacted = redact(text);
    const isFound = secrets.every((secret) => !redacted.includes(secret));
    if (show && !isFound) console.log(`missed: ${JSON.stringify(text)}`);
    share.asked++;
    share.found += Number(isFound);
  };
  for (const { text, secrets } of samples) count(shares.samples, text, secrets);
  for (const [rule, own] of Map.groupBy(samples, (sample) => sample.rule)) {
    const values = [...new Set(own.flatMap(({ secrets }) => secrets[0] ?? []))];
    const value = values[values.length >> 1] ?? "";
    // A part of a longer secret, which is none elsewhere.
    if (/\s/.test(value) || value.length < SHORTEST) continue;
    for (const { write, spell } of CONTEXTS.filter(({ nameless }) => !nameless))
      count(shares.contexts, write(nameOf(rule.replaceAll("-", "_")), value), [spell?.(value) ?? value]);
  }
  const rows = Object.entries(shares).map(([name, share]) => [name, `${share.asked}`, percent(share)]);
  printTable(file, ["what", "texts", "found"], rows);
}

measureRecall();
measureNegatives();
if (corpus !== undefined) await measureCorpus(corpus);
