import { statSync } from "node:fs";
import * as v from "valibot";
import type { Env } from "../../lib/env.ts";
import { runProcess } from "../../lib/process/process.ts";
import type { Fetch } from "../calls/transport.ts";

/** The address of Docker Model Runner; `unix` is the path of the socket, if it listens on one. */
export interface DmrEndpoint {
  baseUrl: string;
  unix?: string;
}

/** The inputs of the search for Docker Model Runner. */
export interface DmrSearch {
  /** The environment of the `docker` command; its `MODEL_RUNNER_HOST` takes precedence. */
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

/** True if this process runs inside a Docker container. */
export function isInContainer(): boolean {
  return statSync("/.dockerenv", { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * Finds Docker Model Runner at `MODEL_RUNNER_HOST`, else at the address that the `docker` command reports, else at one
 * of the usual addresses. Each address but that of `MODEL_RUNNER_HOST` is tried for two seconds; if none answers, the
 * first one is returned. Never throws.
 */
export async function findDmr(search: DmrSearch): Promise<DmrEndpoint> {
  const host = search.env["MODEL_RUNNER_HOST"];
  if (host) return { baseUrl: `${host.replace(/\/+$/, "")}/engines/v1/` };
  const first = placeOf(await reportedUrl(search.env), search.inContainer);
  const others = search.inContainer ? [CONTAINER_DEFAULT, ...CONTAINER_OTHERS] : [HOST_DEFAULT];
  const places = [first, ...others.filter((url) => url !== first.baseUrl).map((baseUrl): DmrEndpoint => ({ baseUrl }))];
  for (const place of places) if (await answers(place, search.fetch)) return place;
  return first;
}

/** Returns the endpoint for the address that the `docker` command reported, as this process can reach it. */
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

/** True if any HTTP server answers there. */
async function answers({ baseUrl, unix }: DmrEndpoint, send: Fetch): Promise<boolean> {
  try {
    const response = await send(new URL("models", baseUrl), {
      signal: AbortSignal.timeout(PROBE_MS),
      ...viaSocket(unix),
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false; // no server there: the next endpoint is tried
  }
}

/** Returns the `fetch` option for a request through a Unix socket. */
export function viaSocket(unix: string | undefined): { unix?: string } {
  return unix === undefined ? {} : { unix };
}
