import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf, fallbackWarning } from "../cli/global-flags.ts";
import { print, printError, warn } from "../cli/print.ts";
import { sourceContext } from "../cli/source-context.ts";
import { type FileToTrust, loadAgentFile } from "../config/agent/load-agent.ts";
import { openTrustStore } from "../config/user/trust-store.ts";
import { aliasPath, loadUserConfig } from "../config/user/user-config.ts";
import { confirm, describeEffects, isInteractive } from "../hooks/trust-check.ts";
import { EXIT_CODES, UsageError, UserError } from "../lib/errors.ts";

const FLAGS = { json: { kind: "switch", description: "list, show: print JSON" } } as const satisfies FlagSpecs;

type TrustInput = CommandInput<typeof FLAGS>;

/** `hooksh trust`: manages which agents from elsewhere may run on this machine. */
export const command = defineCommand({
  positionals: "list | show AGENT | add AGENT [DIGEST...] | remove AGENT|DIGEST",
  description:
    "An agent from a registry, a URL or GitHub runs here only after you trust its content, and so does the agent file that\n" +
    "hooksh run finds in a folder. list prints what you trust;\n" +
    "show prints the digest of an agent and what it would do on this machine; add trusts it after asking, or without\n" +
    "asking if you name its digests; remove withdraws the trust.",
  flags: FLAGS,
  run: runTrust,
});

async function runTrust(input: TrustInput): Promise<number> {
  const [verb = "", subject, ...digests] = input.positionals;
  if (verb === "list" && subject === undefined) return list(input);
  if (verb === "show" && subject !== undefined && digests.length === 0) return show(subject, input);
  if (verb === "add" && subject !== undefined) return add(subject, digests, input);
  if (verb === "remove" && subject !== undefined && digests.length === 0) return remove(subject, input);
  throw new UsageError("trust takes list, show AGENT, add AGENT [DIGEST...] or remove AGENT|DIGEST");
}

async function list({ flags }: TrustInput): Promise<number> {
  const agents = openTrustStore(directoriesOf(flags)).list();
  if (flags.json) await print(JSON.stringify(agents, undefined, 2));
  else for (const { reference, digest, time } of agents) await print(`${digest}  ${reference}  ${time.slice(0, 10)}`);
  return EXIT_CODES.ok;
}

async function show(reference: string, input: TrustInput): Promise<number> {
  const parts = await partsOf(reference, input);
  if (input.flags.json) {
    await print(JSON.stringify(parts, undefined, 2));
    return EXIT_CODES.ok;
  }
  for (const part of parts) {
    await print(`${part.reference} ${part.digest}`);
    for (const line of part.effects) await print(`  ${line}`);
    if (part.effects.length === 0) await print("  only talks to its model and does nothing on this machine");
  }
  return EXIT_CODES.ok;
}

async function add(reference: string, digests: readonly string[], input: TrustInput): Promise<number> {
  const directories = directoriesOf(input.flags);
  const store = openTrustStore(directories);
  const lost = fallbackWarning("data", directories.data);
  for (const part of (await partsOf(reference, input)).filter(({ effects }) => effects.length > 0)) {
    if (store.trusts(part)) continue;
    if (digests.length > 0) {
      if (!digests.includes(part.digest))
        throw new UserError(
          `${part.reference}: its digest is ${part.digest}, which you did not name; nothing was trusted`,
        );
    } else {
      if (!isInteractive())
        throw new UsageError(
          `trust add needs the digest if there is no terminal: hooksh trust add ${reference} ${part.digest}`,
        );
      printError(describeEffects(part, store.previous(part.reference)));
      if (!(await confirm("Trust it from now on? [y/N] ", input.signal)))
        throw new UserError(`${part.reference}: you did not agree, so it is not trusted`);
    }
    store.add(part);
    if (lost !== undefined) warn(lost);
  }
  return EXIT_CODES.ok;
}

async function remove(subject: string, { flags }: TrustInput): Promise<number> {
  if (openTrustStore(directoriesOf(flags)).remove(subject) === 0) throw new UserError(`${subject}: was not trusted`);
  return EXIT_CODES.ok;
}

/** Returns every file from elsewhere that an agent consists of. */
async function partsOf(reference: string, { flags, signal }: TrustInput): Promise<readonly FileToTrust[]> {
  const directories = directoriesOf(flags);
  const cwd = process.cwd();
  const user = await loadUserConfig(directories);
  const { filesToTrust } = await loadAgentFile(aliasPath(user, reference) ?? reference, {
    cwd,
    userProviders: user.providers,
    loadExternal: true,
    sources: sourceContext({ directories, cwd, signal }),
  });
  if (filesToTrust.length === 0)
    throw new UserError(`${reference}: does not come from elsewhere; files that you name need no trust`);
  return filesToTrust;
}
