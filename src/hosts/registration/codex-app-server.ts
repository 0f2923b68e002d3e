import * as v from "valibot";
import { type Env, processEnv } from "../../lib/env.ts";
import { errorText, UserError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { findExecutable } from "../../lib/platform.ts";
import { type Server, spawnServer } from "../../lib/process/server.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { readDispatchCall } from "./own-command.ts";

const ANSWER_MS = 15_000;

const HooksSchema = v.object({
  data: v.array(
    v.object({
      hooks: v.array(
        v.object({
          key: v.string(),
          eventName: v.string(),
          command: v.optional(v.nullable(v.string())),
          currentHash: v.string(),
          trustStatus: v.string(),
          enabled: v.optional(v.boolean(), true),
        }),
      ),
    }),
  ),
});

/** A hook of hooksh as Codex sees it. */
export interface CodexHook {
  /** The name under which Codex stores its trust. */
  key: string;
  event: string;
  /** The digest of its entry; every edit changes it. */
  hash: string;
  trusted: boolean;
  enabled: boolean;
}

/** Returns the path of the Codex program, if it is on PATH. */
export function findCodex(): string | undefined {
  return findExecutable("codex");
}

/**
 * Asks Codex which hooks of hooksh it knows, with `hooks/list` of its app server
 * (https://github.com/openai/codex/tree/main/codex-rs/app-server). Throws a {@link UserError} if it does not answer.
 */
export function listCodexHooks(codex: string, cwd: string): Promise<CodexHook[]> {
  return withAppServer({ codex, cwd }, (request) => hooksIn(request, cwd));
}

/** Makes Codex trust the hooks of hooksh as they are now. Returns the ones that it did not trust before. */
export function trustCodexHooks(codex: string, cwd: string): Promise<CodexHook[]> {
  return withAppServer({ codex, cwd }, async (request) => {
    const untrusted = (await hooksIn(request, cwd)).filter(({ trusted }) => !trusted);
    if (untrusted.length === 0) return [];
    const value = Object.fromEntries(untrusted.map(({ key, hash }) => [key, { trusted_hash: hash }]));
    await request("config/batchWrite", { edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }] });
    return untrusted;
  });
}

type Request = (method: string, params: object) => Promise<unknown>;

async function hooksIn(request: Request, cwd: string): Promise<CodexHook[]> {
  const { data } = v.parse(HooksSchema, await request("hooks/list", { cwds: [cwd] }));
  return data
    .flatMap(({ hooks }) => hooks)
    .filter(({ command }) => readDispatchCall(command, "codex"))
    .map(({ key, eventName, currentHash, trustStatus, enabled }) => ({
      key,
      event: eventName,
      hash: currentHash,
      trusted: trustStatus === "trusted",
      enabled,
    }));
}

async function withAppServer<T>(
  { codex, cwd }: { codex: string; cwd: string },
  use: (request: Request) => Promise<T>,
): Promise<T> {
  const waiting = new Map<number, (message: Record<string, unknown>) => void>();
  const server = startAppServer(codex, { cwd, env: processEnv() }, (message) => {
    if (typeof message["id"] === "number") waiting.get(message["id"])?.(message);
  });
  let id = 0;
  const send = (message: object) => server.write(`${JSON.stringify(message)}\n`);
  const request: Request = async (method, params) => {
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(++id, resolve);
    await send({ id, method, params });
    const answer = await settleWithin(promise, { ms: ANSWER_MS });
    if (answer.kind !== "done") throw new UserError(`codex app-server does not answer ${method}`);
    if (isObject(answer.value["error"]))
      throw new UserError(`codex app-server: ${method}: ${String(answer.value["error"]["message"])}`);
    return answer.value["result"];
  };
  try {
    await request("initialize", { clientInfo: { name: "hooksh", title: "hooksh", version: "1" } });
    await send({ method: "initialized" });
    return await use(request);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`codex app-server answered in an unknown form: ${errorText(error)}`, { cause: error });
  } finally {
    await server.stop();
  }
}

function startAppServer(
  codex: string,
  { cwd, env }: { cwd: string; env: Env },
  onMessage: (message: Record<string, unknown>) => void,
): Server {
  const decoder = new TextDecoder();
  let rest = "";
  const server = spawnServer({
    command: [codex, "app-server"],
    cwd,
    env,
    onOutput: (chunk, stream) => {
      if (stream === "stderr") return;
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = parseLine(line);
        if (message) onMessage(message);
      }
    },
  });
  if ("kind" in server) throw new UserError(`${codex} app-server: cannot be started: ${server.error}`);
  return server;
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined; // not a message
  }
}
