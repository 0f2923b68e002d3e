/**
 * Builds what `npm pack` puts into the package, into `dist/package`: the library and the program as ES modules with
 * source maps, and the declarations of what they export. Run: `npm run package`; `npm pack` does it by itself.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, relative, resolve } from "node:path";
import { engines } from "../package.json" with { type: "json" };
import { commit, root } from "./compile.ts";

const out = resolve(process.argv[2] ?? join(root, "dist", "package"));

/** The library, the program, and the thread that runs builtins: they share their chunks. */
const RUNTIME = ["src/index.ts", "src/snapshot.ts", "src/main.ts", "src/worker.ts"];

/** A single file, which runs on every runtime. */
const HOOK = "src/hook.ts";

const NEEDS_BUN = `hooksh needs Bun ${engines.bun.replace(">=", "")} or newer: run this program with bun (https://bun.sh)`;

/**
 * Declares `AbortSignal`, which every runtime has as a global type and no single library defines: without it, as with
 * `"types": []` and no DOM, the declarations would not compile.
 */
const SIGNAL = `/** The platform's \`AbortSignal\`; without its types, the part of it that hooksh uses. */
export type AbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
    ? Signal
    : {
        readonly aborted: boolean;
        readonly reason: unknown;
        addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
        removeEventListener(type: "abort", listener: () => void): void;
    };
`;

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build(RUNTIME, "bun");
await build([HOOK], "node");
writeFileSync(join(out, "needs-bun.js"), `throw new Error(${JSON.stringify(NEEDS_BUN)});\n`);
writeFileSync(
  join(out, "bin.js"),
  `#!/usr/bin/env bun
if (typeof Bun === "undefined") {
  console.error(${JSON.stringify(NEEDS_BUN)});
  process.exit(1);
}
await import("./main.js");
`,
);
chmodSync(join(out, "bin.js"), 0o755);
declare(["src/index.ts", HOOK, "src/snapshot.ts"]);
console.log(out);

async function build(entrypoints: readonly string[], target: "bun" | "node"): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: entrypoints.map((file) => join(root, file)),
    outdir: out,
    root: join(root, "src"),
    target,
    format: "esm",
    splitting: target === "bun",
    packages: "external",
    sourcemap: "linked",
    define: { HOOKSH_COMMIT: JSON.stringify(commit()) },
    naming: { entry: "[name].js", chunk: "chunk-[hash].js" },
  });
  if (!success) throw new AggregateError(logs, "the package could not be built");
}

/** Writes the declarations of these modules and of every module they name, below `types`. */
function declare(modules: readonly string[]): void {
  const scratch = mkdtempSync(join(root, "dist", ".types-"));
  try {
    const options = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        stripInternal: true,
        paths: {},
        rootDir: root,
        outDir: scratch,
        typeRoots: [join(root, "node_modules/@types")],
      },
      include: [],
      files: modules.map((file) => join(root, file)),
    };
    const config = join(scratch, "tsconfig.json");
    writeFileSync(config, JSON.stringify(options));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { success, stdout } = Bun.spawnSync([process.execPath, compiler, "-p", config], { cwd: root });
    if (!success) throw new Error(stdout.toString());
    const found = new Set<string>();
    for (const module of modules) collect(scratch, module.replace(/\.ts$/, ".d.ts"), found);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Copies a declaration file and, once each, those that it names; packages that it names must be dependencies. */
function collect(scratch: string, file: string, found: Set<string>): void {
  if (found.has(file)) return;
  found.add(file);
  const target = join(out, "types", relative("src", file));
  mkdirSync(dirname(target), { recursive: true });
  const text = withSignal(readFileSync(join(scratch, file), "utf8"), relative(dirname(target), join(out, "types")));
  for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)\.ts"/g)) {
    collect(scratch, normalize(join(dirname(file), `${specifier}.d.ts`)), found);
  }
  writeFileSync(target, text.replaceAll(/((?:\bfrom|\bimport)\s*\(?\s*"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}

/** Gives the declarations that name `AbortSignal` one that always exists. */
function withSignal(text: string, up: string): string {
  if (!/\bAbortSignal\b/.test(text)) return text;
  writeFileSync(join(out, "types", "abort-signal.d.ts"), SIGNAL);
  return `import type { AbortSignal } from "${up === "" ? "." : up}/abort-signal.js";\n${text}`;
}
