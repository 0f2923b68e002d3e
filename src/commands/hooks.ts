import { resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print, warn } from "../cli/print.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import { withResetHooks } from "../config/hooks/reset-hooks.ts";
import { newRegistry } from "../engine/registry.ts";
import { describeHook } from "../hooks/describe-hook.ts";
import { placesOf, renderPlaces } from "../hooks/hook-places.ts";
import { renderHooks } from "../hooks/hooks-text.ts";
import { loadHookEntries, SOURCE_FLAGS } from "../hooks/load-hooks.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { onlyObserving } from "../lib/text/counted.ts";
import { EVENT_NAMES, type EventName, isEventName, unknownEvent } from "../protocol/events.ts";

const LIST_FLAGS = {
  event: { kind: "value", hint: "EVENT", description: "list: only this event" },
  json: { kind: "switch", description: "Print JSON" },
} as const satisfies FlagSpecs;

const FLAGS = { ...LIST_FLAGS, ...SOURCE_FLAGS } as const satisfies FlagSpecs;

/** `hooksh hooks`: the hooks in effect, and where hooks come from. */
export const command = defineCommand({
  positionals: "list|sources [AGENT]",
  description:
    "list prints every hook in effect, in configuration order. sources prints the places that hooks come from, and how\n" +
    "many each has:\n" +
    "  agent.yaml     hooks: for every agent of the file, or for one agent; what a project needs\n" +
    "  --hooks-file   a hooks block alone, for dispatch, serve and other agents: one policy in one file\n" +
    "  hooks.d/*.yaml hooks blocks in your configuration directory, for everything that you run on this machine\n" +
    "  config.yaml    settings.hooks in the same directory, beside your other settings\n" +
    "  --hook         one command for one run: --hook EVENT[:MATCHER]=CMD",
  flags: FLAGS,
  flagGroups: { List: LIST_FLAGS, Hooks: SOURCE_FLAGS },
  run: runHooks,
});

async function runHooks({ flags, positionals }: CommandInput<typeof FLAGS>): Promise<number> {
  const [action = "", reference, ...rest] = positionals;
  if (action !== "list" && action !== "sources")
    throw new UsageError(
      action === "explain"
        ? "hooks explain is hooksh explain now"
        : `hooks takes list or sources${action === "" ? "" : `, not ${JSON.stringify(action)}`}`,
    );
  if (rest.length > 0) throw new UsageError(`hooks ${action} takes one agent, not ${rest.length + 1}`);
  const event = eventFlag(flags.event);
  if (event !== undefined && action === "sources") throw new UsageError("--event is a flag of hooks list");
  const directories = directoriesOf(flags);
  const { entries, rules, unenforced } = await loadHookEntries({
    reference,
    flags,
    directories,
    cwd: resolve("."),
    notices: action === "sources" ? [] : ["matcher", "timeout", "relative", "script", "observe", "unguarded", "judge"],
  });
  for (const line of unenforced) warn(line);
  if (action === "list") {
    await printList(entries, event, flags.json);
    if (!flags.json && rules.length > 0) {
      const before = entries.length > 0 ? "Before the hooks, " : "";
      const count = rules.length === 1 ? "1 rule judges" : `${rules.length} rules judge`;
      const observing = onlyObserving(rules.filter(({ observe }) => observe).length);
      await print(`\n${before}${count} events${observing}: hooksh rules list`);
    }
  } else {
    const places = await placesOf(entries, rules, directories, flags["no-user-hooks"] ?? false);
    await print(flags.json ? JSON.stringify(places, undefined, 2) : renderPlaces(places));
  }
  return EXIT_CODES.ok;
}

async function printList(
  entries: readonly HookEntry[],
  event: EventName | undefined,
  json: boolean | undefined,
): Promise<void> {
  const registry = newRegistry();
  const events = EVENT_NAMES.filter((name) => event === undefined || name === event);
  const all = withResetHooks(entries);
  const ordered = events.flatMap((name) => all.filter((entry) => entry.event === name));
  const hooks = await Promise.all(ordered.map((entry) => describeHook(entry, registry)));
  await print(json ? JSON.stringify(hooks, undefined, 2) : renderHooks(hooks));
}

function eventFlag(event: string | undefined): EventName | undefined {
  if (event === undefined || isEventName(event)) return event;
  throw new UsageError(unknownEvent(event));
}
