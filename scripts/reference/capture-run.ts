/** Runs agents with the compiled program, and keeps what their hooks read. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { allContracts, type EventName } from "../../src/protocol/events.ts";
import { binary, cleanEnv } from "../../test/helpers/binary.ts";
import { cleaner } from "./clean.ts";

/** What a hook read: the event in JSON. */
export type Payload = Record<string, unknown> & { hook_event_name: EventName };

/** A directory with an agent whose hooks keep every event. */
export interface CaptureRun extends Disposable {
  cwd: string;
  env: Record<string, string>;
  /** The events so far, oldest first. */
  payloads(): Payload[];
  /** The same without what belongs to this run. */
  cleaned<T>(value: T): T;
}

/**
 * Returns hooks on every event, or on all but some, that write what they read to a file each. Those on events that route
 * are left out unless they are `also` wanted: an agent needs `routing` for them.
 */
export function capturingHooks(
  without: readonly EventName[] = [],
  also: readonly EventName[] = [],
): Record<string, unknown> {
  const command = 'cat > "$(mktemp "$CAPTURE/XXXXXXXX")"';
  const contracts = allContracts().filter(
    ({ event, contract }) =>
      !without.includes(event) && (!contract.accepts.includes("transition") || also.includes(event)),
  );
  return Object.fromEntries(
    contracts.map(({ event, contract: { matcher, reading } }) => {
      const hook = { type: "command", command: reading === "approval" ? `${command}; ${APPROVE}` : command };
      return [event, matcher ? [{ matcher: "*", hooks: [hook] }] : [hook]];
    }),
  );
}

const APPROVE = `echo '{"continue":true}'`;

/** Makes the directory. `urls` are the addresses of servers. */
export function captureRun(files: Readonly<Record<string, string>>, ...urls: string[]): CaptureRun {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hooksh-reference-")));
  const [cwd, capture] = [join(root, "shop"), join(root, "captured")];
  mkdirSync(capture);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  const hosts = Object.fromEntries(urls.map((url, at) => [new URL(url).host, `127.0.0.1:${8080 + at}`]));
  return {
    cwd,
    env: {
      ...cleanEnv(root, { CAPTURE: capture, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }),
      HOME: root,
    },
    payloads: () => payloadsIn(capture),
    cleaned: cleaner({ [cwd]: "/home/user/shop", [root]: "/home/user", ...hosts }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function payloadsIn(folder: string): Payload[] {
  const stamped = readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return { at: statSync(path, { bigint: true }).mtimeNs, text: readFileSync(path, "utf8") };
  });
  const written = stamped.filter(({ text }) => text.trimEnd().endsWith("}"));
  return written.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ text }) => JSON.parse(text) as Payload);
}

/** Runs `hooksh ARGS` to its end. Returns its standard output; throws with standard error unless it exits with `code`. */
export async function runToEnd({ cwd, env }: CaptureRun, args: readonly string[], code = 0): Promise<string> {
  const child = Bun.spawn([binary(), ...args], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [ended, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  if (ended !== code) throw new Error(`hooksh ${args.join(" ")} exited with ${ended}: ${stderr}`);
  return stdout;
}
