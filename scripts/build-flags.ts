/**
 * The flags for every build of the executable.
 *
 * `--splitting` lets a command load only the code it uses, bytecode saves parsing, and the source map is embedded. The
 * two `no-compile-autoload` flags keep the executable from reading a `bunfig.toml` or `.env` in the current directory.
 * The JIT policy keeps a short command from compiling code that it runs once; long ones lift it (src/lib/platform.ts). A
 * `package.json` is read if the user's own hook imports a package; it cannot run code.
 */
export const BUILD_FLAGS: readonly string[] = [
  "--compile",
  "--splitting",
  "--bytecode",
  "--minify",
  "--sourcemap",
  "--format=esm",
  "--no-compile-autoload-bunfig",
  "--no-compile-autoload-dotenv",
  "--compile-autoload-package-json",
  "--compile-jit-policy",
  "100",
];

/** Options for every bundle of the program's code. */
export const SHARED_OPTIONS = { target: "bun", format: "esm", splitting: true, minify: true } as const;

/** The other options of {@link BUILD_FLAGS}, for `Bun.build`, which takes plugins. */
export const EXECUTABLE_OPTIONS = { bytecode: true, sourcemap: "linked" } as const;

export const COMPILE_OPTIONS = {
  autoloadBunfig: false,
  autoloadDotenv: false,
  autoloadPackageJson: true,
  jitPolicy: 100,
} as const;

/** The entry points: the program, and the thread that runs builtins. */
export const ENTRY_POINTS: readonly string[] = ["src/main.ts", "src/worker.ts"];
