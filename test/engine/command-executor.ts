import { defineHook, type HookDefinition, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import type { EventName } from "../../src/protocol/events.ts";

const ENV = { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh" };

export function entry(event: EventName, hook: Partial<HookDefinition>): HookEntry {
  return {
    event,
    matcher: "",
    lane: "default",
    hook: defineHook({ type: "command", ...hook }),
    path: [],
    source: async () => "test",
  };
}

export function executor(workingDir: string, event: EventName, ...hooks: Partial<HookDefinition>[]): Executor {
  return new Executor(
    hooks.map((hook) => entry(event, hook)),
    { workingDir, env: ENV },
  );
}
