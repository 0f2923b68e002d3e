import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  readFileInside,
  readRegularFile,
  readUserFile,
  readUserFileSync,
  UnreadableFileError,
} from "../../../src/lib/files/read-file.ts";
import { settled } from "../../helpers/settled.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const BOUND = { limit: 1024 };

/** Each way of reading, as a function of a path in a folder. */
const READERS: [
  string,
  (folder: string, path: string, bound?: Parameters<typeof readUserFile>[1]) => Promise<Buffer>,
][] = [
  ["readFileInside", async (folder, path, bound = BOUND) => readFileInside(folder, path, bound)],
  ["readUserFileSync", async (_folder, path, bound = BOUND) => readUserFileSync(path, bound)],
  ["readUserFile", (_folder, path, bound = BOUND) => readUserFile(path, bound)],
  ["readRegularFile", (_folder, path, bound = BOUND) => readRegularFile(path, bound)],
];

describe.each(READERS)("%s", (_name, read) => {
  test("reads a regular file, also through a link that stays in its folder", async () => {
    const folder = tempDir({ "a/b": "text" });
    symlinkSync("a/b", join(folder, "link"));
    expect((await read(folder, join(folder, "a/b"))).toString()).toBe("text");
    expect((await read(folder, join(folder, "link"))).toString()).toBe("text");
  });

  test("reads up to its limit", async () => {
    const folder = tempDir({ exact: "x".repeat(1024), over: "x".repeat(1025), long: "x".repeat(300_000) });
    expect((await read(folder, join(folder, "exact"))).length).toBe(1024);
    expect(await settled(read(folder, join(folder, "over")))).toThrow(
      `${join(folder, "over")}: larger than 1024 bytes`,
    );
    expect((await read(folder, join(folder, "long"), { limit: 200_000, over: "cut" })).length).toBe(200_000);
    expect((await read(folder, join(folder, "long"), { limit: 1024 * 1024 })).length).toBe(300_000);
  });

  test.each([
    ["nothing", () => {}, "missing", "no such file"],
    ["a directory", (at: string) => mkdirSync(at), "refused", "is a directory"],
    ["a pipe without a writer", (at: string) => void Bun.spawnSync(["mkfifo", at]), "refused", "is not a regular file"],
    ["a broken link", (at: string) => symlinkSync("gone", at), "refused", "is a broken symbolic link"],
    ["a link to itself", (at: string) => symlinkSync(at, at), "refused", "the symbolic links form a cycle"],
  ])("refuses %s", async (_what, make, kind, reason) => {
    const folder = tempDir();
    const path = join(folder, "file");
    make(path);
    const error = await read(folder, path).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreadableFileError);
    expect(error).toMatchObject({ kind, reason, message: `${path}: ${reason}` });
  });

  test("refuses a link to a device", async () => {
    const folder = tempDir();
    symlinkSync("/dev/zero", join(folder, "zero"));
    expect(await settled(read(folder, join(folder, "zero")))).toThrow(/is not a regular file|leads out of/);
  });

  test("refuses a socket", async () => {
    const folder = tempDir();
    const server = Bun.listen({ unix: join(folder, "socket"), socket: { data() {} } });
    expect(await settled(read(folder, join(folder, "socket")))).toThrow("is not a regular file");
    server.stop(true);
  });

  test.if(process.getuid?.() !== 0)("says when permission is missing", async () => {
    const folder = tempDir({ closed: "x" });
    chmodSync(join(folder, "closed"), 0);
    const failure: unknown = await read(folder, join(folder, "closed")).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "denied", reason: "permission denied" });
  });

  test("checks the bytes read, not the size that the file claims", async () => {
    // Files of /proc claim a size of 0.
    if (process.platform !== "linux") return;
    expect(await settled(read("/proc", "/proc/version", { limit: 16 }))).toThrow("larger than 16 bytes");
  });
});

describe("readFileInside", () => {
  test("refuses every way out of the folder", () => {
    const root = tempDir({ secret: "s", "inside-too/secret": "s" });
    const folder = join(root, "inside");
    mkdirSync(folder);
    symlinkSync("../secret", join(folder, "link"));
    symlinkSync(join(root, "secret"), join(folder, "absolute"));
    symlinkSync("..", join(folder, "up"));
    for (const path of ["link", "absolute", "up/secret", "../secret", "../inside-too/secret"]) {
      expect(() => readFileInside(folder, join(folder, path), BOUND)).toThrow(`leads out of ${folder}`);
    }
  });

  test("accepts a folder that is itself behind a link", () => {
    const root = tempDir({ "real/a": "text" });
    symlinkSync("real", join(root, "alias"));
    expect(readFileInside(join(root, "alias"), join(root, "alias/a"), BOUND).toString()).toBe("text");
  });

  // Elsewhere the system does not say where an open file is.
  test.if(process.platform === "linux")("never reads through a link that replaces a folder meanwhile", async () => {
    const root = tempDir({ "in/folder/file": "inside", "out/file": "outside" });
    symlinkSync("../out", join(root, "in/link"));
    const program = join(import.meta.dir, "../../fixtures/swap-forever.ts");
    const swapper = Bun.spawn([process.execPath, program, join(root, "in/folder"), join(root, "in/link")], {
      stdout: "pipe",
    });
    await swapper.stdout.getReader().read();
    const seen = new Map<string, number>();
    const hasSeen = (what: string) => (seen.get(what) ?? 0) >= 500;
    for (let tries = 0; tries < 100_000 && !(hasSeen("inside") && hasSeen("refused")); tries++) {
      const what = read(join(root, "in"), join(root, "in/folder/file"));
      seen.set(what, (seen.get(what) ?? 0) + 1);
    }
    swapper.kill();
    expect(seen.get("outside")).toBeUndefined();
    expect(seen.get("inside")).toBeGreaterThan(0);
  });

  function read(folder: string, path: string): string {
    try {
      return readFileInside(folder, path, BOUND).toString();
    } catch (error) {
      return error instanceof UnreadableFileError ? error.kind : String(error);
    }
  }
});

describe("a pipe that the user passes", () => {
  const program = join(import.meta.dir, "../../fixtures/read-user-file.ts");
  const read = async (shell: string, kind: "sync" | "async") => {
    const child = Bun.spawn(["bash", "-c", shell], {
      env: { PATH: process.env["PATH"] ?? "", BUN: process.execPath, PROGRAM: program, KIND: kind },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    await child.exited;
    return child.stdout.text();
  };

  test.each(["sync", "async"] as const)("is read to its end, however slowly it is written: %s", async (kind) => {
    expect(await read('"$BUN" "$PROGRAM" $KIND <(sleep 0.2; echo one; sleep 0.2; echo two)', kind)).toBe(
      "read one\ntwo\n",
    );
    expect(await read('echo one | "$BUN" "$PROGRAM" $KIND /dev/stdin', kind)).toBe("read one\n");
    expect(await read('"$BUN" "$PROGRAM" $KIND <(yes)', kind)).toMatch(
      /^refused \/dev\/fd\/\d+: larger than 1024 bytes/,
    );
  });
});
