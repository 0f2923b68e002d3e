import { type FlagSpecs, type Flags, listValuesInOrder } from "../cli/flags.ts";
import { matcherProblem } from "../config/hooks/hook-filter.ts";
import type { FlagHook, HookSourceOptions } from "../config/hooks/hook-sources.ts";
import type { Directories } from "../lib/env.ts";
import { UsageError } from "../lib/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import { contractOf, EVENT_NAMES, type EventName, isEventName } from "../protocol/events.ts";

const command = (event: string) =>
  ({
    kind: "list",
    hint: "CMD",
    verbatim: true,
    description: `Shell command to run on ${event}, after all configured hooks`,
  }) as const;

/** The flags of `run`, `dispatch` and `hooks` that add or leave out hooks. */
export const HOOK_FLAGS = {
  "hooks-file": { kind: "list", hint: "FILE", description: "File that contains a hooks block; can be repeated" },
  hook: {
    kind: "list",
    hint: "EVENT[:MATCHER]=CMD",
    verbatim: true,
    description: "Shell command to run on any event; can be repeated",
  },
  "hook-pre-tool-use": command("pre_tool_use of every tool"),
  "hook-post-tool-use": command("post_tool_use of every tool"),
  "hook-session-start": command("session_start"),
  "hook-session-end": command("session_end"),
  "hook-on-user-input": command("on_user_input"),
  "hook-stop": command("stop"),
  "guards-stay": {
    kind: "switch",
    description:
      "Before all hooks, refuse tool calls that change guards (the builtin guards_stay); hooksh install adds it",
  },
  "no-user-hooks": { kind: "switch", description: "Ignore settings.hooks and hooks.d" },
  observe: {
    kind: "switch",
    description: "Run configured hooks without enforcing them: report what they would have decided",
  },
  "skip-broken-hooks": {
    kind: "switch",
    description: "Skip broken files in hooks.d with a warning (default: stop with an error)",
  },
  "strict-hooks": {
    kind: "switch",
    isIgnored: true,
    description: "No effect: a broken file in hooks.d is an error unless --skip-broken-hooks is given",
  },
} as const satisfies FlagSpecs;

const EVENT_OF_FLAG: Partial<Record<keyof typeof HOOK_FLAGS, EventName>> = {
  "hook-pre-tool-use": "pre_tool_use",
  "hook-post-tool-use": "post_tool_use",
  "hook-session-start": "session_start",
  "hook-session-end": "session_end",
  "hook-on-user-input": "on_user_input",
  "hook-stop": "stop",
};

/**
 * Returns the sources of hooks that the flags name. Relative hooks files are resolved against `cwd`. Throws a {@link
 * UsageError}.
 */
export function hookSources(
  flags: Flags<typeof HOOK_FLAGS>,
  directories: Directories,
  warn: (message: string) => void,
  cwd?: string,
): HookSourceOptions {
  if (flags["skip-broken-hooks"] && flags["strict-hooks"])
    throw new UsageError("--skip-broken-hooks and --strict-hooks cannot be used together");
  if (flags.observe) warn("every configured hook only observes: nothing is enforced (--observe)");
  if (flags["no-user-hooks"]) warn("the user's own hooks are left out (--no-user-hooks)");
  return {
    directories,
    warn,
    hooksFiles: flags["hooks-file"],
    cwd,
    flagHooks: flagHooks(flags),
    noUserHooks: flags["no-user-hooks"] ?? false,
    observe: flags.observe ?? false,
    guardsStay: flags["guards-stay"] ?? false,
    skipBrokenHooks: flags["skip-broken-hooks"] ?? false,
  };
}

function flagHooks(flags: Flags<typeof HOOK_FLAGS>): FlagHook[] {
  return listValuesInOrder(flags, [...Object.keys(EVENT_OF_FLAG), "hook"]).map(({ name, value }) => {
    const event = EVENT_OF_FLAG[name as keyof typeof HOOK_FLAGS];
    return withCommand(event ? { event, matcher: "", command: value, flag: `--${name}` } : parseHook(value));
  });
}

/** Rejects a blank command: it comes from an unset variable, and hooksh would run without the guard that was meant. */
function withCommand(hook: FlagHook): FlagHook {
  if (hook.command.trim() !== "") return hook;
  const flag = hook.flag === "--hook" ? `--hook ${hook.event}=` : hook.flag;
  throw new UsageError(`${flag} needs a shell command, but its value is blank: is a variable unset?`);
}

/** Parses `EVENT[:MATCHER]=CMD`: the event ends at the first `:` or `=`, the command starts after the first `=`. */
function parseHook(text: string): FlagHook {
  const [, event = "", matcher = "", body = ""] = /^([^:=]*)(?::([^=]*))?=([\s\S]*)$/.exec(text) ?? [];
  if (!isEventName(event)) {
    const close = nearest(event, EVENT_NAMES);
    throw new UsageError(
      `--hook ${JSON.stringify(text)} does not start with an event${close ? `, did you mean ${close}?` : ": EVENT[:MATCHER]=CMD"}`,
    );
  }
  if (matcher !== "" && !contractOf(event).matcher)
    throw new UsageError(`--hook ${event} takes no matcher: it is not about a tool call`);
  const problem = matcherProblem(matcher);
  if (problem !== undefined) throw new UsageError(`--hook ${JSON.stringify(text)}: invalid matcher: ${problem}`);
  return { event, matcher, command: body, flag: "--hook" };
}

/** The flags that say which agents from elsewhere a run trusts; see docs/agents-from-elsewhere.md#trust. */
export const TRUST_FLAGS = {
  trust: {
    kind: "list",
    hint: "DIGEST",
    description: "Trust an agent from elsewhere that has this digest, for this run; can be repeated",
  },
  "trust-all": { kind: "switch", description: "Trust every agent from elsewhere, for this run, whatever it executes" },
} as const satisfies FlagSpecs;
