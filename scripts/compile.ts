import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { COMPILE_OPTIONS, ENTRY_POINTS, EXECUTABLE_OPTIONS, SHARED_OPTIONS } from "./build-flags.ts";

/** The directory of the project. */
export const root: string = join(import.meta.dir, "..");

/** The options of a build. */
export interface Compilation {
  outfile: string;
  /** Bun's name of the platform (default: this one). */
  target?: string;
  /** The Bun executable to embed (default: the running one). */
  runtime?: string;
}

/** What the entry loads for most dispatches. */
const QUICK = "src/guard/quick/quick-dispatch.ts";

/**
 * Builds the executable. The build is reproducible: the embedded name is always `hooksh`, and apart from sources and
 * runtime the only input is the commit. Throws with the compiler's messages.
 */
export async function compile({ outfile, target, runtime }: Compilation): Promise<void> {
  mkdirSync(dirname(outfile), { recursive: true });
  const scratch = mkdtempSync(join(dirname(outfile), ".build-"));
  // Bun adds .exe for Windows if it is missing.
  const built = join(scratch, target?.includes("windows") ? "hooksh.exe" : "hooksh");
  try {
    await build(outfile, { ...SHARED_OPTIONS, entrypoints: [join(root, QUICK)], outdir: join(scratch, "quick") });
    await build(outfile, {
      ...SHARED_OPTIONS,
      ...EXECUTABLE_OPTIONS,
      entrypoints: ENTRY_POINTS.map((file) => join(root, file)),
      define: { HOOKSH_COMMIT: JSON.stringify(commit()) },
      plugins: [bundledAlone(join(scratch, "quick"))],
      compile: {
        ...COMPILE_OPTIONS,
        outfile: built,
        ...(target === undefined ? {} : { target: target as Bun.Build.CompileTarget }),
        ...(runtime === undefined ? {} : { executablePath: runtime }),
      },
    });
    renameSync(built, outfile);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function build(outfile: string, options: Bun.BuildConfig): Promise<void> {
  const { success, logs } = await Bun.build({ ...options, throw: false });
  if (!success) throw new Error(`${outfile}: ${logs.join("\n")}`);
}

/**
 * Takes {@link QUICK} from a bundle of its own, in a folder. Bundled with everything else, it would be in some thirty chunks,
 * because each group of modules that other parts share gets one, and every chunk takes time to load. The folder's path is no
 * part of the result, which would not be reproducible otherwise.
 */
function bundledAlone(folder: string): Bun.BunPlugin {
  const namespace = "quick";
  return {
    name: namespace,
    setup(builder) {
      builder.onResolve({ filter: /\/quick-dispatch\.ts$/ }, () => ({ path: "quick-dispatch.js", namespace }));
      builder.onResolve({ filter: /^\.\/chunk-\w+\.js$/ }, ({ path }) => ({ path: basename(path), namespace }));
      builder.onLoad({ filter: /\.js$/, namespace }, ({ path }) => ({
        contents: readFileSync(join(folder, path), "utf8"),
        loader: "js",
      }));
    },
  };
}

/** Returns the commit of the sources, with a `+` if they have changes; HOOKSH_COMMIT if git is not available. */
export function commit(): string {
  const given = process.env["HOOKSH_COMMIT"];
  if (given) return given;
  const git = (...args: string[]) => {
    try {
      const { exitCode, stdout } = Bun.spawnSync(["git", ...args], { cwd: root, stdout: "pipe", stderr: "ignore" });
      return exitCode === 0 ? stdout.toString().trim() : undefined;
    } catch {
      return undefined; // no git
    }
  };
  const head = git("rev-parse", "HEAD");
  if (head === undefined) return "unknown";
  return git("status", "--porcelain", "--untracked-files=no", "--", "src", "builtins", "package-lock.json")
    ? `${head}+`
    : head;
}
