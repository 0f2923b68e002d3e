import { addressOf, integerAt, type NativeSignature, nativeFunctions } from "../platform.ts";

// Calls of Linux through its C library, for a process that has no time to load node:fs. Constants and structures are
// those that all Linux platforms share.

const SIGNATURES = {
  open: { args: ["ptr", "i32", "i32"], returns: "i32" },
  close: { args: ["i32"], returns: "i32" },
  read: { args: ["i32", "ptr", "u64"], returns: "i64_fast" },
  write: { args: ["i32", "ptr", "u64"], returns: "i64_fast" },
  pread: { args: ["i32", "ptr", "u64", "i64_fast"], returns: "i64_fast" },
  lseek: { args: ["i32", "i64_fast", "i32"], returns: "i64_fast" },
  ftruncate: { args: ["i32", "i64_fast"], returns: "i32" },
  getdents64: { args: ["i32", "ptr", "u64"], returns: "i64_fast" },
  access: { args: ["ptr", "i32"], returns: "i32" },
  statx: { args: ["i32", "ptr", "i32", "u32", "ptr"], returns: "i32" },
  flock: { args: ["i32", "i32"], returns: "i32" },
  poll: { args: ["ptr", "u64", "i32"], returns: "i32" },
  pipe2: { args: ["ptr", "i32"], returns: "i32" },
  memfd_create: { args: ["ptr", "u32"], returns: "i32" },
  waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
  _exit: { args: ["i32"], returns: "void" },
  __errno_location: { args: [], returns: "ptr" },
  // Older C libraries have no functions for pidfd_open and close_range; their numbers are the same on all platforms.
  syscall: { args: ["i64_fast", "i64_fast", "i64_fast", "i64_fast"], returns: "i64_fast" },
  posix_spawn: { args: ["ptr", "ptr", "ptr", "ptr", "ptr", "ptr"], returns: "i32" },
  posix_spawn_file_actions_init: { args: ["ptr"], returns: "i32" },
  posix_spawn_file_actions_adddup2: { args: ["ptr", "i32", "i32"], returns: "i32" },
  posix_spawn_file_actions_addchdir_np: { args: ["ptr", "ptr"], returns: "i32" },
  posix_spawnattr_init: { args: ["ptr"], returns: "i32" },
  posix_spawnattr_setflags: { args: ["ptr", "i32"], returns: "i32" },
  posix_spawnattr_setsigdefault: { args: ["ptr", "ptr"], returns: "i32" },
} as const satisfies Record<string, NativeSignature>;

type Calls = ReturnType<typeof nativeFunctions<keyof typeof SIGNATURES>>;

const O_RDWR = 2;
const O_CLOEXEC = 0o2000000;
const O_NONBLOCK = 0o4000;
const O_APPEND = 0o2000;
/** O_NOFOLLOW, the one constant here that platforms do not share. */
const NO_LINK = process.arch === "arm64" ? 0o100000 : 0o400000;
const ENOENT = 2;
const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
const STATX_BASIC_STATS = 0x7ff;
const SYS_PIDFD_OPEN = 434;
const SYS_CLOSE_RANGE = 436;
const CLOSE_RANGE_CLOEXEC = 4;
const POSIX_SPAWN_SETSIGDEF = 0x04;
const POSIX_SPAWN_SETSID = 0x80;
const WNOHANG = 1;
/** Larger than the structures of the C libraries; they are opaque. */
const OPAQUE_BYTES = 512;
const SIGNAL_SET_BYTES = 128;

/** What is at a path, or behind a descriptor. */
export interface FileStatus {
  kind: "file" | "folder" | "pipe" | "socket" | "device" | "other";
  size: number;
  /** Of a device. */
  device: { major: number; minor: number };
}

const KINDS: Readonly<Record<number, FileStatus["kind"]>> = {
  0x8000: "file",
  0x4000: "folder",
  0x1000: "pipe",
  0xc000: "socket",
  0x2000: "device",
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns a text as the C library reads it. Throws if it would end early. */
function cText(text: string): Uint8Array {
  if (text.includes("\0")) throw new Error("a text with a null character");
  return encoder.encode(`${text}\0`);
}

/** An entry of a folder; a link is neither a file nor a folder. */
export interface FolderEntry {
  name: string;
  kind: "file" | "folder" | "other";
}

const ENTRY_KINDS: Readonly<Record<number, FolderEntry["kind"]>> = { 8: "file", 4: "folder" };

/** A folder with more entries is not listed. */
const LISTED_BYTES = 32 * 1024;

/** A process to start: in a session of its own, with default signals. */
export interface SpawnRequest {
  /** The absolute path of the program, and its arguments. */
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Its descriptors 0, 1 and 2; each is above 2 here. */
  streams: readonly [number, number, number];
}

/** What {@link SystemCalls.wait} waits for: a descriptor with something to read, or with its other end closed. */
export interface Ready {
  descriptor: number;
  isReady: boolean;
}

/** Calls of the system. A method returns undefined or -1 if its call fails; none waits but {@link SystemCalls.wait}. */
export class SystemCalls {
  readonly #calls: Calls;

  /** Throws where the C library, one of its functions, or the JIT that calls them is missing. */
  constructor() {
    this.#calls = nativeFunctions(SIGNATURES);
  }

  /** Returns what is at a path, or behind a descriptor. `isLink`: a link itself, not what it leads to. */
  status(of: string | number, isLink = false): FileStatus | undefined {
    const found = new DataView(new ArrayBuffer(256));
    const [at, path, flags] =
      typeof of === "number" ? [of, "", AT_EMPTY_PATH] : [AT_FDCWD, of, isLink ? AT_SYMLINK_NOFOLLOW : 0];
    if (this.#calls.statx(at, cText(path), flags, STATX_BASIC_STATS, new Uint8Array(found.buffer)) !== 0)
      return undefined;
    return {
      kind: KINDS[found.getUint16(28, true) & 0xf000] ?? "other",
      size: Number(found.getBigUint64(40, true)),
      device: { major: found.getUint32(128, true), minor: found.getUint32(132, true) },
    };
  }

  /** True if there is something at a path, even a broken link; false if there is certainly nothing; else undefined. */
  exists(path: string): boolean | undefined {
    if (this.status(path, true)) return true;
    return integerAt(this.#calls.__errno_location()) === ENOENT ? false : undefined;
  }

  /** Returns the entries of a folder; undefined if it cannot be listed at once. */
  list(folder: string): FolderEntry[] | undefined {
    const descriptor = this.open(folder);
    if (descriptor < 0) return undefined;
    const bytes = new Uint8Array(LISTED_BYTES);
    const length = this.#calls.getdents64(descriptor, bytes, bytes.length);
    const more = length > 0 ? this.#calls.getdents64(descriptor, new Uint8Array(512), 512) : 0;
    this.close(descriptor);
    if (length < 0 || more !== 0) return undefined;
    const view = new DataView(bytes.buffer);
    const entries: FolderEntry[] = [];
    for (let at = 0; at < length; at += view.getUint16(at + 16, true)) {
      const end = bytes.indexOf(0, at + 19);
      const name = decoder.decode(bytes.subarray(at + 19, end));
      if (name !== "." && name !== "..") entries.push({ name, kind: ENTRY_KINDS[bytes[at + 18] ?? 0] ?? "other" });
    }
    return entries;
  }

  /** True for a folder to which this user may write. */
  mayCreateIn(folder: string): boolean {
    return this.status(folder)?.kind === "folder" && this.#calls.access(cText(folder), 3) === 0;
  }

  /** Opens a file that exists. Does not wait for the other end of a pipe. To be written, it must not be a link. */
  open(path: string, use: "read" | "write" | "append" = "read"): number {
    const flags = use === "read" ? 0 : O_RDWR | NO_LINK | (use === "append" ? O_APPEND : 0);
    return this.#calls.open(cText(path), flags | O_CLOEXEC | O_NONBLOCK, 0);
  }

  close(descriptor: number): void {
    this.#calls.close(descriptor);
  }

  /** Reads what there is, at most as much as fits. Returns the number of bytes: 0 at the end, -1 if that fails. */
  read(descriptor: number, into: Uint8Array): number {
    return into.length === 0 ? 0 : this.#calls.read(descriptor, into, into.length);
  }

  readAt(descriptor: number, into: Uint8Array, position: number): number {
    return into.length === 0 ? 0 : this.#calls.pread(descriptor, into, into.length, position);
  }

  /** Writes bytes. Returns how many were written. */
  write(descriptor: number, bytes: Uint8Array): number {
    let written = 0;
    while (written < bytes.length) {
      const rest = bytes.subarray(written);
      const count = this.#calls.write(descriptor, rest, rest.length);
      if (count <= 0) break;
      written += count;
    }
    return written;
  }

  truncate(descriptor: number, size: number): void {
    this.#calls.ftruncate(descriptor, size);
  }

  /** Locks an open file against other processes, as `tryLock` of descriptors.ts does. */
  tryLock(descriptor: number): boolean {
    return this.#calls.flock(descriptor, 2 | 4) === 0;
  }

  /** Reads a whole file of at most `limit` bytes that is a regular one. */
  readFile(path: string, limit: number): Uint8Array | undefined {
    const descriptor = this.open(path);
    if (descriptor < 0) return undefined;
    try {
      const found = this.status(descriptor);
      if (found?.kind !== "file" || found.size > limit) return undefined;
      // One byte more shows a file that grew.
      const bytes = new Uint8Array(found.size + 1);
      const length = this.read(descriptor, bytes);
      return length === found.size ? bytes.subarray(0, length) : undefined;
    } finally {
      this.close(descriptor);
    }
  }

  /** Returns a file in memory that holds bytes, at its beginning. */
  memoryFile(bytes: Uint8Array): number {
    const descriptor = this.#calls.memfd_create(cText("spawn_stdio_stdin"), 1);
    if (descriptor < 0) return -1;
    if (this.write(descriptor, bytes) === bytes.length && this.#calls.lseek(descriptor, 0, 0) === 0) return descriptor;
    this.close(descriptor);
    return -1;
  }

  /** Returns the reading and the writing end of a pipe. */
  pipe(): readonly [number, number] | undefined {
    const ends = new Int32Array(2);
    return this.#calls.pipe2(ends, O_CLOEXEC) === 0 ? [ends[0] ?? -1, ends[1] ?? -1] : undefined;
  }

  /** Keeps all descriptors from processes that are started; false if the system cannot. */
  inheritNothing(): boolean {
    return this.#calls.syscall(SYS_CLOSE_RANGE, 3, 0xffffffff, CLOSE_RANGE_CLOEXEC) === 0;
  }

  /** Starts a process. Returns its id; -1 if it does not start. */
  spawn({ command, cwd, env, streams }: SpawnRequest): number {
    const calls = this.#calls;
    const texts: Uint8Array[] = [];
    const vector = (list: readonly string[]) => {
      const addresses = new BigUint64Array(list.length + 1);
      for (let at = 0; at < list.length; at++) {
        const text = cText(list[at] ?? "");
        texts.push(text);
        addresses[at] = addressOf(text);
      }
      return addresses;
    };
    const variables: string[] = [];
    for (const name in env) variables.push(`${name}=${env[name]}`);
    const attributes = new Uint8Array(OPAQUE_BYTES);
    const actions = new Uint8Array(OPAQUE_BYTES);
    const [stdin, stdout, stderr] = streams;
    const failures = [
      calls.posix_spawnattr_init(attributes),
      calls.posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF),
      calls.posix_spawnattr_setsigdefault(attributes, new Uint8Array(SIGNAL_SET_BYTES).fill(255)),
      calls.posix_spawn_file_actions_init(actions),
      calls.posix_spawn_file_actions_addchdir_np(actions, cText(cwd)),
      calls.posix_spawn_file_actions_adddup2(actions, stdin, 0),
      calls.posix_spawn_file_actions_adddup2(actions, stdout, 1),
      calls.posix_spawn_file_actions_adddup2(actions, stderr, 2),
    ];
    for (const failure of failures) if (failure !== 0) return -1;
    const pid = new Int32Array(1);
    const started = calls.posix_spawn(
      pid,
      cText(command[0] ?? ""),
      actions,
      attributes,
      vector(command),
      vector(variables),
    );
    // Read after the call, so that the texts are kept until it returns.
    return started === 0 && texts.length > 0 ? (pid[0] ?? -1) : -1;
  }

  /** Returns a descriptor that has something to read when a process has ended. */
  processDescriptor(pid: number): number {
    return this.#calls.syscall(SYS_PIDFD_OPEN, pid, 0, 0);
  }

  /** Returns the exit code of a process that has ended, or the negative number of the signal that ended it. */
  exitCode(pid: number): number | undefined {
    const status = new Int32Array(1);
    if (this.#calls.waitpid(pid, status, WNOHANG) !== pid) return undefined;
    const value = status[0] ?? 0;
    const signal = value & 127;
    return signal === 0 ? (value >> 8) & 255 : -signal;
  }

  /** Ends this process at once: nothing that the runtime would do at its end is needed (cold start). */
  exit(code: number): void {
    this.#calls._exit(code);
  }

  /**
   * Waits until one of the descriptors is ready, and marks those that are. False if none is within `ms`, or if a signal
   * arrives first.
   */
  wait(descriptors: readonly Ready[], ms: number): boolean {
    const set = new DataView(new ArrayBuffer(8 * descriptors.length));
    for (let at = 0; at < descriptors.length; at++) {
      set.setInt32(8 * at, descriptors[at]?.descriptor ?? -1, true);
      set.setInt16(8 * at + 4, 1, true);
    }
    const found = this.#calls.poll(new Uint8Array(set.buffer), descriptors.length, Math.max(0, Math.ceil(ms)));
    if (found <= 0) return false;
    for (let at = 0; at < descriptors.length; at++) {
      const entry = descriptors[at];
      if (entry) entry.isReady = set.getInt16(8 * at + 6, true) !== 0;
    }
    return true;
  }
}
