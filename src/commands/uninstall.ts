import { existsSync } from "node:fs";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print } from "../cli/print.ts";
import type { HostScope } from "../dialects/host-file.ts";
import { type HostId, hostFiles } from "../dialects/host-files.ts";
import { applyPlans } from "../hosts/registration/apply-plans.ts";
import { SCOPE_FLAGS, scopeOf, WRITE_FLAGS, writeOptions } from "../hosts/registration/host-flags.ts";
import { type InstallTarget, installTarget, planRemoval } from "../hosts/registration/host-plan.ts";
import { type InstallRecord, openInstallRecord } from "../hosts/registration/install-record.ts";
import { currentPlace, HOST_IDS, namedHost } from "../hosts/registration/named-host.ts";
import { ownRulesFile } from "../hosts/registration/policy.ts";
import { installedFiles } from "../hosts/registration/registration-loss.ts";
import { EXIT_CODES, UsageError, UserError } from "../lib/errors.ts";

const FLAGS = { ...SCOPE_FLAGS, ...WRITE_FLAGS } as const satisfies FlagSpecs;

/** `hooksh uninstall`: removes what `hooksh install` registered. */
export const command = defineCommand({
  positionals: "HOST",
  description:
    "Removes the commands of hooksh from the configuration of another agent. Restores the file byte for byte as it was before\n" +
    "install; if you changed it since, removes only the entries of hooksh. Removes files that install created.\n" +
    "Shows the change and asks before it writes; keeps a backup in the data directory.",
  flags: FLAGS,
  async run({ flags, positionals, signal }: CommandInput<typeof FLAGS>) {
    const [name, ...rest] = positionals;
    if (name === undefined || rest.length > 0) throw new UsageError(`uninstall takes one host: ${HOST_IDS.join(", ")}`);
    const targets = targetsOf(namedHost(name), scopeOf(flags));
    const [target] = targets;
    const directories = directoriesOf(flags);
    const record = openInstallRecord(directories);
    const plans = targets.flatMap((each) => planRemoval(each, record));
    if (plans.length === 0) await print(`${target.path}: nothing to remove${otherScope(target, record)}`);
    else if (!(await applyPlans(plans, { directories, ...writeOptions(flags), signal }))) return EXIT_CODES.ok;
    const rules = ownRulesFile(directories);
    if (existsSync(rules)) await print(`note: ${rules} stays, and its rules hold for hooksh run and other agents`);
    if (flags["dry-run"]) return EXIT_CODES.ok;
    for (const [path, file] of installedFiles(target.host, [target.project], directories))
      if (targets.some((each) => each.file.scope === file.scope)) record.remove(path);
    return EXIT_CODES.ok;
  },
});

/** Returns the file of the scope; for a project also the agent's own file for this machine, if it has one. */
function targetsOf(host: HostId, scope: HostScope): [InstallTarget, ...InstallTarget[]] {
  const place = currentPlace();
  const hasLocal = scope === "project" && hostFiles(host).files.some((file) => file.scope === "local" && file.install);
  return [installTarget(host, scope, place), ...(hasLocal ? [installTarget(host, "local", place)] : [])];
}

/** Names the flag that would remove something, for a user who forgot it. */
function otherScope({ host, file }: InstallTarget, record: InstallRecord): string {
  const scope = file.scope === "project" ? "user" : "project";
  try {
    const other = targetsOf(host, scope).find((each) => planRemoval(each, record).length > 0);
    return other ? `; hooksh is registered in ${other.path}: use --${scope}` : "";
  } catch (error) {
    if (error instanceof UserError) return ""; // the host has no such file, or it cannot be read
    throw error;
  }
}
