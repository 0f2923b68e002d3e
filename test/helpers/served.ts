import { readFileSync } from "node:fs";
import { binary, cleanEnv } from "./binary.ts";

/** A running `hooksh serve`, and how to post to it. */
export interface Served extends AsyncDisposable {
  child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** `http://127.0.0.1:PORT` */
  url: string;
  token: string;
  /** Posts JSON, with the token. A header that is null is left out. */
  post: (path: string, body: unknown, options?: PostOptions) => Promise<Answer>;
  /** Sends SIGTERM. Resolves with the exit code. */
  stop: () => Promise<number>;
  /** Everything on standard error, once the server has ended. */
  stderr: Promise<string>;
}

export interface PostOptions {
  headers?: Readonly<Record<string, string | null>>;
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  text: string;
  json: unknown;
}

/** Starts `hooksh serve --port 0` and waits until it listens. */
export async function serve(
  cwd: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const child = Bun.spawn([binary(), "serve", "--port", "0", ...args], {
    cwd,
    env: cleanEnv(cwd, env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const stderr = child.stderr.text();
  const found = await waitFor(child.stdout, /(http:\S+), for requests with the token in (.*)\n/);
  if (!found) throw new Error(`hooksh serve ended: ${await stderr}`);
  const [, url = "", tokenFile = ""] = found;
  const token = readFileSync(tokenFile, "utf8").trim();
  const stop = async () => {
    child.kill("SIGTERM");
    return await child.exited;
  };
  return {
    child,
    url,
    token,
    post: (path, body, { headers = {}, ...options } = {}) =>
      post(url + path, body, { headers: { authorization: `Bearer ${token}`, ...headers }, ...options }),
    stop,
    stderr,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/** Posts a JSON value, or a text as it is; with `socket`, to a socket file. */
export async function post(
  url: string,
  body: unknown,
  { headers = {}, ...options }: PostOptions & { socket?: string } = {},
): Promise<Answer> {
  const all = { "content-type": "application/json", ...headers };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  const { socket, signal } = options;
  const response = await fetch(url, {
    method: "POST",
    headers: sent,
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(socket === undefined ? {} : { unix: socket }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { status: response.status, text, json: text === "" ? undefined : JSON.parse(text) };
}

async function waitFor(stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<RegExpExecArray | undefined> {
  const reader = stream.getReader();
  let seen = "";
  for (;;) {
    const found = pattern.exec(seen);
    if (found) return found;
    const { done, value } = await reader.read();
    if (done) return undefined;
    seen += Buffer.from(value).toString();
  }
}
