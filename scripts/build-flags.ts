/**
 * How every executable is made, whoever makes it.
 *
 * `--splitting` keeps what a command does not use out of its start-up, bytecode spares parsing, the source map is put
 * inside, and the two `no-compile-autoload` flags keep the `bunfig.toml` and `.env` of whatever directory it is started
 * in out of it. The JIT policy spares a short command the compiling of what it runs once; long ones lift it
 * (src/lib/jit.ts). A `package.json` is read where the user's own hook imports a package, and runs nothing.
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

/** The program, and the thread that runs builtins. */
export const ENTRY_POINTS: readonly string[] = ["src/main.ts", "src/worker.ts"];
