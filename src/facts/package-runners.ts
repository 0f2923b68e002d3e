import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HOLE, type Invocation } from "../shell/steps/invocation.ts";
import type { Value } from "../shell/steps/program-facts.ts";
import type { HostValue } from "./facts.ts";
import type { Place } from "./place.ts";
import { hostOfUrl } from "./urls.ts";

/** Launchers that fetch the package of the program that they run, unless it is installed. */
const FETCHING = /^(npx|bunx|bun x|pnpm dlx|yarn dlx|npm exec|npm x|uvx|pipx run)(?: from (.+))?$/s;
const NODE = /^(?:npx|bunx|bun x|pnpm dlx|npm exec|npm x)$/;
/** A package from elsewhere than a registry. */
const ELSEWHERE =
  /^(?:https?:|git[+:@]|github:|gitlab:|bitbucket:|[\w.-]+\/[\w.-]+(?:#|$)|file:)|\.(?:git|tgz)(?:#|$)/i;

const FETCHES: Value = { text: "fetches", sure: true };
const ADDRESS = /^(?:git\+)?(?:https?|ssh|git):\/\/|^git@/i;

/** The effects of running a program of a package: `npx cowsay` adds a package, `npx https://...` runs code from the network. */
export function packageEffects({ via, spelled, directories }: Invocation, place: Place, directory: string): Value[] {
  if (via.includes("nix run") && isRemote(spelled)) return [{ text: "remote-code", sure: true }, FETCHES];
  const found = runnerIn(via);
  if (!found) return [];
  const { runner, source = spelled } = found;
  if (isRemote(source)) return [{ text: "remote-code", sure: true }, FETCHES];
  const program = source.replace(/(?<=.)@.*$/, "");
  const isInstalled =
    NODE.test(runner) &&
    !program.includes(HOLE) &&
    directories.some((from) => !from.includes(HOLE) && hasProgram(resolve(place.cwd, directory, from), program));
  return isInstalled ? [] : [{ text: "packages", sure: true }, FETCHES];
}

/** The host of a package that is named by its address. */
export function packageHosts({ via, spelled }: Invocation): HostValue[] {
  const found = runnerIn(via);
  const { source = spelled } = found ?? {};
  const host = found && ADDRESS.test(source) ? hostOfUrl(source) : undefined;
  return host ? [host] : [];
}

/** The launcher that fetches packages, and the package if an option names it. */
function runnerIn(via: readonly string[]): { runner: string; source?: string } | undefined {
  for (const name of via) {
    const [, runner, source] = FETCHING.exec(name) ?? [];
    if (runner !== undefined) return { runner, ...(source !== undefined && { source }) };
  }
  return undefined;
}

function isRemote(spelled: string): boolean {
  return !spelled.startsWith("@") && !spelled.startsWith(".") && ELSEWHERE.test(spelled);
}

/** True if the directory or one above it has the program installed. */
function hasProgram(from: string, program: string): boolean {
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(join(at, "node_modules", ".bin", program))) return true;
    if (dirname(at) === at) return false;
  }
}
