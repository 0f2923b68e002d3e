/**
 * Code that knows nothing about hooks: processes, files, the network, schemas, text, secrets in the environment. It
 * imports nothing of the project.
 *
 * This file holds everything that hooksh uses of Bun only. No other file uses `Bun`, `bun:` modules or globals that only
 * Bun has (test/architecture.test.ts). Where Node's own API does the same at the same cost, hooksh uses that.
 *
 * This module runs nothing and loads nothing until one of its functions is called.
 *
 * @packageDocumentation
 */
import type { Database, DatabaseOptions } from "bun:sqlite";

export type { Database } from "bun:sqlite";

/** Returns the version of the runtime, such as `1.4.5`. */
export function runtimeVersion(): string {
  return Bun.version;
}

/** True in the compiled executable, false if the sources or the package run. */
export function isStandalone(): boolean {
  return Bun.isStandaloneExecutable;
}

/** Makes the JIT compile code as soon as that pays off; the executable's build flags make it wait. */
export function compileEagerly(): void {
  Bun.unsafe.setJITPolicy(1);
}

// Processes and threads.

/** A running program. */
export type Child<
  In extends Bun.SpawnOptions.Writable = Bun.SpawnOptions.Writable,
  Out extends Bun.SpawnOptions.Readable = Bun.SpawnOptions.Readable,
  Err extends Bun.SpawnOptions.Readable = Bun.SpawnOptions.Readable,
> = Bun.Subprocess<In, Out, Err>;

/** Starts a program. Throws if it cannot be started. */
export function startProgram<
  const In extends Bun.SpawnOptions.Writable,
  const Out extends Bun.SpawnOptions.Readable,
  const Err extends Bun.SpawnOptions.Readable,
>(command: readonly string[], options: Bun.SpawnOptions.SpawnOptions<In, Out, Err>): Child<In, Out, Err> {
  return Bun.spawn([...command], options);
}

/**
 * Runs a program to its end without output; it inherits the descriptor `stdin`, if any. Returns its exit code, null after
 * a signal; throws if it cannot be started.
 */
export function runSilently(command: readonly string[], stdin?: number): number | null {
  return Bun.spawnSync([...command], { stdin: stdin ?? "ignore", stdout: "ignore", stderr: "ignore" }).exitCode;
}

/** Runs a program on the terminal of this process to its end. Returns its exit code; throws if it cannot be started. */
export async function runAttached(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  return Bun.spawn([...command], { env, stdin: "inherit", stdout: "inherit", stderr: "inherit" }).exited;
}

/**
 * Returns the path of an executable file with this name in `path`, which has the form of `PATH` (default: the `PATH` of
 * this process).
 */
export function findExecutable(name: string, path?: string): string | undefined {
  return Bun.which(name, path === undefined ? {} : { PATH: path }) ?? undefined;
}

/** Resolves after this many milliseconds. */
export function sleep(ms: number): Promise<void> {
  return Bun.sleep(ms);
}

/** Blocks the thread for this many milliseconds. */
export function sleepSync(ms: number): void {
  Bun.sleepSync(ms);
}

/** Starts a thread with an empty environment. It reports through the events `message`, `error` and `close`. */
export function startWorker(url: string): Worker {
  return new Worker(url, { env: {} });
}

/** Makes `import ... from "name"` return these exports on this thread, whether or not such a package is installed. */
export function provideModule(name: string, exports: Record<string, unknown>): void {
  Bun.plugin({ name, setup: (build) => void build.module(name, () => ({ loader: "object", exports })) });
}

/** The types of a C function's arguments and result, under the names of `bun:ffi`. */
export type NativeSignature = { args: readonly string[]; returns: string };
export type NativeFunction = (...args: unknown[]) => number;
type Dlopen = (
  library: string,
  functions: Record<string, NativeSignature>,
) => { symbols: Record<string, NativeFunction> };

/** The system's C library. musl can be loaded under the name of glibc, too. */
const C_LIBRARY = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";

/** `Bun.FFI`, on which the documented `bun:ffi` is built (cold start). */
function nativeInterface(): {
  dlopen: Dlopen;
  ptr: (bytes: Uint8Array) => number;
  read: { i32: (address: number, offset: number) => number };
} {
  type Native = ReturnType<typeof nativeInterface>;
  return (Bun as { FFI?: Native }).FFI ?? (require("bun:ffi") as Native);
}

/** Returns a function of the C library. Throws without the JIT, or if the library or the function does not exist. */
export function nativeFunction(name: string, signature: NativeSignature): NativeFunction {
  return nativeFunctions({ [name]: signature })[name] as NativeFunction;
}

/** Returns several functions of the C library, which takes less time than one after another. Throws if one does not exist. */
export function nativeFunctions<Name extends string>(
  signatures: Readonly<Record<Name, NativeSignature>>,
): Record<Name, NativeFunction> {
  return nativeInterface().dlopen(C_LIBRARY, signatures).symbols as Record<Name, NativeFunction>;
}

/** Returns where bytes are in memory, for a structure that a native function reads. They must be kept until it returns. */
export function addressOf(bytes: Uint8Array): bigint {
  return BigInt(nativeInterface().ptr(bytes));
}

/** Returns the 32-bit integer at an address that a native function returned. */
export function integerAt(address: number): number {
  return nativeInterface().read.i32(address, 0);
}

/** True if {@link nativeFunction} works: it needs the JIT, which the environment or the system can forbid. */
export function hasJit(): boolean {
  try {
    return nativeFunction("getpid", { args: [], returns: "i32" })() > 0;
  } catch {
    return false;
  }
}

// Files and standard streams.

/** A file to write to, such as standard output. */
export type OutputFile = Bun.BunFile;

export function standardOutput(): OutputFile {
  return Bun.stdout;
}

export function descriptorFile(descriptor: number): OutputFile {
  return Bun.file(descriptor);
}

/** Writes text or bytes to an open file, or to a path, and creates missing folders. */
export async function write(file: OutputFile | string, content: string | Uint8Array): Promise<void> {
  if (typeof file === "string") await Bun.write(file, content);
  else await Bun.write(file, content);
}

/** Returns the bytes of standard input. */
export function standardInput(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return Bun.stdin.stream();
}

/** Returns the bytes of a file, given its path or an open descriptor. */
export function readStream(file: string | number): ReadableStream<Uint8Array<ArrayBuffer>> {
  return (typeof file === "string" ? Bun.file(file) : Bun.file(file)).stream();
}

/** Opens a SQLite database. The first call loads SQLite. */
export function openSqlite(path: string, options: DatabaseOptions): Database {
  return new (sqlite().Database)(path, options);
}

/**
 * Opens a SQLite database of another program for reading. Writes nothing beside the file either if `isUnused` holds: no
 * process has the database open, so it needs no lock and no write-ahead log (https://www.sqlite.org/uri.html).
 */
export function openForeignSqlite(path: string, { isUnused }: { isUnused: boolean }): Database {
  const { Database, constants } = sqlite();
  const url = `${Bun.pathToFileURL(path).href}${isUnused ? "?immutable=1" : ""}`;
  return new Database(url, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

/** True for an error of SQLite, whose `code` is the name of its result code, such as `SQLITE_BUSY`. */
export function isSqliteError(error: unknown): error is Error & { code?: string } {
  return error instanceof sqlite().SQLiteError;
}

function sqlite(): typeof import("bun:sqlite") {
  return require("bun:sqlite") as typeof import("bun:sqlite");
}

// Texts and values.

/** Parses a YAML 1.2 document. Throws if the text is invalid. */
export function parseYaml(text: string): unknown {
  return Bun.YAML.parse(text);
}

/** Returns the SHA-256 digest of bytes, or of a text in UTF-8. */
export function sha256(content: string | Uint8Array, encoding: "hex" | "base64" = "hex"): string {
  return new Bun.CryptoHasher("sha256").update(content).digest(encoding);
}

/** The state of a SHA-256 digest: `copy` keeps it, so that another text can continue from there. */
export type Hash = Bun.CryptoHasher;

export function sha256Hash(): Hash {
  return new Bun.CryptoHasher("sha256");
}

/** Returns a 64-bit hash that is fast, equal in every process, and easy to forge. */
export function quickHash(text: string): number | bigint {
  return Bun.hash(text);
}

/** True if two JSON values are equal, whatever the order of their keys. */
export function isDeepEqual(one: unknown, other: unknown): boolean {
  return Bun.deepEquals(one, other);
}

/** True if a glob matches the whole path. */
export function matchesGlob(glob: string, path: string): boolean {
  return new Bun.Glob(glob).match(path);
}

/** Returns the number of columns that a text takes on a terminal. */
export function columnsOf(text: string): number {
  return Bun.stringWidth(text);
}

/** Returns the text without ANSI escape codes. */
export function stripAnsi(text: string): string {
  return Bun.stripANSI(text);
}

/** True unless the environment turns colours off, for example with `NO_COLOR`. */
export function wantsColor(): boolean {
  return Bun.enableANSIColors;
}

/** An image that is being converted. */
export type Image = Bun.Image;

/** Opens an image to resize and encode it. Decoding fails if it has more than `maxPixels`. */
export function openImage(bytes: Uint8Array, maxPixels: number): Image {
  return new Bun.Image(bytes, { maxPixels });
}

/** An element of a page, as passed by {@link visitHtml}. */
export type HtmlElement = HTMLRewriterTypes.Element;
/** A piece of a page's text, as passed by {@link visitHtml}. */
export type HtmlText = HTMLRewriterTypes.Text;

/** Calls `element` for the start of every element of a page and `text` for every piece of its text, in order. */
export function visitHtml(
  html: string,
  { element, text }: { element: (node: HtmlElement) => void; text: (node: HtmlText) => void },
): void {
  new HTMLRewriter().on("*", { element }).onDocument({ text }).transform(html);
}

/** About four megabytes of garbage. Left to itself, the runtime collects at 17. */
const WAITS_A_COLLECTION = 5;
let waits = 0;

/** Collects garbage now and then. Call it when a long wait begins, for a model's answer: there it delays nothing. */
export function collectWhileWaiting(): void {
  if (isStandalone() && ++waits % WAITS_A_COLLECTION === 0) Bun.gc(false);
}

let isOptimized = false;

/**
 * Makes the JIT compile code as soon as that pays off. The executable starts with late compilation, because compiling
 * costs a short command more than it gains.
 */
export function optimizeForLongRun(): void {
  if (isOptimized || !isStandalone()) return;
  isOptimized = true;
  compileEagerly();
}
