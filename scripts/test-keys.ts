/**
 * Adds the private keys in some folders to `src/redaction/keys/test-keys.ts`. They must be folders that everybody has, such
 * as the sources of Go or the library of Python: redaction leaves these keys alone.
 * Run: `bun scripts/test-keys.ts FOLDER...`
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keyDigest } from "../src/redaction/keys/public-keys.ts";
import { TEST_KEYS } from "../src/redaction/keys/test-keys.ts";
import { findSecrets } from "../src/redaction/redact.ts";

const FILE = new URL("../src/redaction/keys/test-keys.ts", import.meta.url).pathname;
const LARGEST = 2e6;
const PER_LINE = 12;

function* textsIn(path: string): Generator<string> {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) yield* textsIn(join(path, name));
  else if (statSync(path).size < LARGEST) yield readFileSync(path, "latin1");
}

const digests = new Set(TEST_KEYS.match(/\S+/g));
for (const folder of process.argv.slice(2)) {
  for (const text of textsIn(folder)) {
    if (!text.includes("PRIVATE KEY")) continue;
    for (const { kind, start, end } of findSecrets(text)) {
      const hasMaterial = /[A-Za-z0-9+/]{40}/.test(text.slice(start, end));
      if (kind.endsWith("private-key") && hasMaterial) digests.add(keyDigest(text, start, end));
    }
  }
}
const sorted = [...digests].sort();
const lines = Array.from({ length: Math.ceil(sorted.length / PER_LINE) }, (_, n) =>
  sorted.slice(n * PER_LINE, (n + 1) * PER_LINE).join(" "),
);
writeFileSync(
  FILE,
  `/**
 * The digests of private keys that ship with the tests of Go, Python and widely used libraries. Written by
 * \`scripts/test-keys.ts\`.
 */
export const TEST_KEYS = \`
${lines.join("\n")}
\`;
`,
);
console.log(`${sorted.length} keys`);
