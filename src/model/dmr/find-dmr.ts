import { statSync } from "node:fs";
import * as v from "valibot";
import type { Env } from "../../lib/env.ts";
import { runProcess } from "../../lib/process/process.ts";
import type { Fetch } from "../calls/transport.ts";

/** Where Docker Model Runner listens; `unix` is the socket to go through. */
export interface DmrEndpoint {
  baseUrl: string;
  unix?: string;
}

/** What the search for Docker Model Runner looks at. */
export interface DmrSearch {
  /** The environment of the `docker` command; its `MODEL_RUNNER_HOST` wins over everything. */
  env: Env;
  inContainer: boolean;
  fetch: Fetch;
}

const DOCKER_SOCKET = "/var/run/docker.sock";
const SOCKET_URL = "http://_/exp/vDD4.40/engines/v1/";
const INTERNAL_HOST = "model-runner.docker.internal";
const HOST_DEFAULT = "http://127.0.0.1:12434/engines/v1/";
const CONTAINER_DEFAULT = `http://${INTERNAL_HOST}/engines/v1/`;
const CONTAINER_OTHERS = ["http://host.docker.internal:12434/engines/v1/", "http://172.17.0.1:12434/engines/v1/"];
const DOCKER_DEADLINE_MS = 5000;
const PROBE_MS = 2000;

/** True inside a Docker container. */
export function isInContainer(): boolean {
  return statSync("/.dockerenv", { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * Finds Docker Model Runner: `MODEL_RUNNER_HOST`, else what the `docker` command reports, else the default place. A
 * place that was not given by name is tried for two seconds, and so are the usual others; when none answers, the first
 * stays. Never throws.
 *
 * Source: config-and-cli 6.9.
 */
export async function findDmr(around: DmrSearch): Promise<DmrEndpoint> {
  const host = around.env["MODEL_RUNNER_HOST"];
  if (host) return { baseUrl: `${host.replace(/\/+$/, "")}/engines/v1/` };
  const first = placeOf(await reportedUrl(around.env), around.inContainer);
  const others = around.inContainer ? [CONTAINER_DEFAULT, ...CONTAINER_OTHERS] : [HOST_DEFAULT];
  const places = [first, ...others.filter((url) => url !== first.baseUrl).map((baseUrl): DmrEndpoint => ({ baseUrl }))];
  for (const place of places) if (await answers(place, around.fetch)) return place;
  return first;
}

/** Where to reach what the `docker` command reported, seen from here. */
function placeOf(reported: string | undefined, inContainer: boolean): DmrEndpoint {
  const url = reported !== undefined && URL.canParse(reported) ? new URL(reported) : undefined;
  if (!url || url.port === "0") return { baseUrl: inContainer ? CONTAINER_DEFAULT : HOST_DEFAULT };
  if (inContainer) return { baseUrl: url.href };
  if (url.hostname === INTERNAL_HOST) return { baseUrl: SOCKET_URL, unix: DOCKER_SOCKET };
  return { baseUrl: `http://127.0.0.1:${url.port || "80"}/engines/v1/` };
}

const StatusSchema = v.looseObject({ endpoint: v.optional(v.string()) });

async function reportedUrl(env: Env): Promise<string | undefined> {
  const result = await runProcess({
    command: ["docker", "model", "status", "--json"],
    cwd: "/",
    env,
    deadlineMs: DOCKER_DEADLINE_MS,
    stdoutLimit: 64 * 1024,
    stderrLimit: 1024,
  });
  if (result.end.kind !== "exited" || result.end.code !== 0) return undefined;
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), StatusSchema), result.stdout);
  return parsed.success ? parsed.output.endpoint : undefined;
}

/** True when anything at all speaks HTTP there. */
async function answers({ baseUrl, unix }: DmrEndpoint, send: Fetch): Promise<boolean> {
  try {
    const response = await send(new URL("models", baseUrl), {
      signal: AbortSignal.timeout(PROBE_MS),
      ...viaSocket(unix),
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false; // nobody there: the next place is tried
  }
}

/** What to add to a request that goes through a socket. */
export function viaSocket(unix: string | undefined): { unix?: string } {
  return unix === undefined ? {} : { unix };
}
