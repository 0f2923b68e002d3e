import type { Env } from "../../src/lib/env.ts";
import { readUserFileSync } from "../../src/lib/files/read-file.ts";
import { isObject } from "../../src/lib/json.ts";

/** An issue or a pull request; GitHub numbers both in one sequence. */
export interface Target {
  owner: string;
  repo: string;
  number: number;
}

const MAX_EVENT_BYTES = 5 * 1024 * 1024;

/**
 * Returns the issue or pull request that `owner/repo#12` names, or without an argument the one that the workflow runs
 * for. Returns a text that says what is missing if there is none.
 */
export function findTarget(argument: string | undefined, env: Env): Target | string {
  if (argument) {
    const [, repository = "", number = ""] = /^([^#]*)#(\d{1,9})$/.exec(argument) ?? [];
    return makeTarget(repository, Number(number)) ?? `${JSON.stringify(argument)} is not owner/repo#number`;
  }
  const repository = env["GITHUB_REPOSITORY"];
  if (!repository) return "not in a GitHub workflow (GITHUB_REPOSITORY is not set): name owner/repo#number in args";
  const number = numberOf(readEvent(env["GITHUB_EVENT_PATH"]));
  if (number === undefined) return "the workflow's event concerns neither an issue nor a pull request";
  return makeTarget(repository, number) ?? `GITHUB_REPOSITORY is not owner/repo: ${JSON.stringify(repository)}`;
}

function makeTarget(repository: string, number: number): Target | undefined {
  const [, owner, repo] = /^([\w.-]{1,100})\/([\w.-]{1,100})$/.exec(repository) ?? [];
  if (owner === undefined || repo === undefined || number < 1) return undefined;
  if (/^\.+$/.test(owner) || /^\.+$/.test(repo)) return undefined; // `..` would change the path of the request
  return { owner, repo, number };
}

function readEvent(path: string | undefined): unknown {
  if (!path) return undefined;
  try {
    return JSON.parse(readUserFileSync(path, { limit: MAX_EVENT_BYTES }).toString("utf8"));
  } catch {
    return undefined; // the caller reports that there is nothing to comment on
  }
}

/** The number of the pull request or issue in a webhook event, else that of the event itself. */
function numberOf(event: unknown): number | undefined {
  if (!isObject(event)) return undefined;
  const found = [event["pull_request"], event["issue"], event].flatMap((holder) =>
    isObject(holder) && Number.isSafeInteger(holder["number"]) ? [Number(holder["number"])] : [],
  );
  return found[0];
}
