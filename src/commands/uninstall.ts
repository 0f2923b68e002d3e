import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { type CommandInput, defineCommand } from "./cli/define-command.ts";
import type { FlagSpecs } from "./cli/flags.ts";
import { directoriesOf } from "./cli/global-flags.ts";
import { print } from "./cli/print.ts";
import { applyPlans } from "./hosts/apply-plans.ts";
import { SCOPE_FLAGS, scopeOf, WRITE_FLAGS, writeOptions } from "./hosts/host-flags.ts";
import { installTarget, planRemoval } from "./hosts/host-plan.ts";
import { openInstallRecord } from "./hosts/install-record.ts";
import { currentPlace, HOST_IDS, namedHost } from "./hosts/named-host.ts";

const FLAGS = { ...SCOPE_FLAGS, ...WRITE_FLAGS } as const satisfies FlagSpecs;

/** `hooksh uninstall`: removes what `hooksh install` registered. */
export const command = defineCommand({
  positionals: "HOST",
  description:
    "Removes the commands of hooksh from the configuration of another agent. The file becomes what it was before install,\n" +
    "byte for byte; if you changed it since, only the entries of hooksh go. Files that install created are removed.\n" +
    "Shows the change and asks before it writes; keeps a backup in the data directory.",
  flags: FLAGS,
  async run({ flags, positionals, signal }: CommandInput<typeof FLAGS>) {
    const [name, ...rest] = positionals;
    if (name === undefined || rest.length > 0) throw new UsageError(`uninstall takes one host: ${HOST_IDS.join(", ")}`);
    const target = installTarget(namedHost(name), scopeOf(flags), currentPlace());
    const directories = directoriesOf(flags);
    const plans = planRemoval(target, openInstallRecord(directories));
    if (plans.length === 0) await print(`${target.path}: nothing to remove`);
    else await applyPlans(plans, { directories, ...writeOptions(flags), signal });
    return EXIT_CODES.ok;
  },
});
