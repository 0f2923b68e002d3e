/**
 * The cost of reading a hooks file in a process that reads one and ends: the first parse, each in its own process,
 * compiled as the executable is. Run: `bun test/bench/yaml.ts [ROUNDS]`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BUILD_FLAGS } from "../../scripts/build-flags.ts";
import { figuresOf, printTable, shown } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 40);
mkdirSync(join(import.meta.dir, "../../dist"), { recursive: true });
const dir = mkdtempSync(join(import.meta.dir, "../../dist/.bench-"));

const file = (hooks: number) =>
  `pre_tool_use:\n${Array.from({ length: hooks }, (_, n) => `  - matcher: "tool_${n}"\n    hooks: [{ type: command, command: "exit 2" }]\n`).join("")}`;

/** Each way as the body of a function that gets the text. */
const ways = {
  "Bun.YAML: repeated keys pass in silence": "Bun.YAML.parse(text);",
  "hooksh: proof that no key repeats, then Bun.YAML":
    "if (!hasNoRepeatedKeys(text)) throw new Error(); Bun.YAML.parse(text);",
  "the yaml package: positions and repeated keys":
    'const { parseDocument } = await import("yaml"); parseDocument(text).toJS();',
};

const rows: string[][] = [];
for (const hooks of [10, 35, 700]) {
  const text = file(hooks);
  for (const [name, body] of Object.entries(ways)) {
    const program = join(dir, "way.ts");
    await Bun.write(
      program,
      `import { hasNoRepeatedKeys } from "${join(import.meta.dir, "../../src/config/yaml/repeated-keys.ts")}";
       const text = await Bun.stdin.text();
       const started = Bun.nanoseconds();
       ${body}
       console.log((Bun.nanoseconds() - started) / 1e6, String(hasNoRepeatedKeys).length);`,
    );
    const built = Bun.spawnSync([process.execPath, "build", ...BUILD_FLAGS, program, "--outfile", join(dir, "way")]);
    if (!built.success) throw new Error(built.stderr.toString());
    const times = Array.from({ length: rounds }, () => {
      const { stdout, success, stderr } = Bun.spawnSync([join(dir, "way")], { stdin: Buffer.from(text) });
      if (!success) throw new Error(stderr.toString());
      return parseFloat(stdout.toString());
    });
    const { median, p90 } = figuresOf(times);
    rows.push([`${(text.length / 1024).toFixed(1)} KB, ${name}`, shown(median), shown(p90)]);
  }
}
printTable(`The first parse of a process, ${rounds} processes each`, ["way", "median ms", "p90 ms"], rows);
rmSync(dir, { recursive: true, force: true });
