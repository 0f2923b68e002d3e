import type { HostFile, HostFiles } from "../../dialects/host-file.ts";
import { tableText } from "../registration/toml-entries.ts";
import type { HostHook } from "./export-entry.ts";

/** Writes hooks as a new file of a host. */
export function hostFileText(files: HostFiles, row: HostFile, hooks: readonly HostHook[]): string {
  if (row.format === "toml") return hooks.map((hook) => tableText(flatEntry(files, hook), "\n")).join("\n");
  const events = row.nesting === "list" ? hooks.map((hook) => flatEntry(files, hook)) : undefined;
  const content = row.at.includes("*")
    ? byName(files, row, hooks)
    : nested(row.at, events ?? byEvent(files, row, hooks));
  return `${JSON.stringify({ ...files.head, ...content }, undefined, 2)}\n`;
}

function nested(keys: readonly string[], value: unknown): object {
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}

/** A file whose outermost keys are the names of hooks. */
function byName(files: HostFiles, row: HostFile, hooks: readonly HostHook[]): object {
  const named = Map.groupBy(hooks, ({ name }) => name || "hooksh");
  return Object.fromEntries([...named].map(([name, list]) => [name, byEvent(files, row, list)]));
}

function byEvent(files: HostFiles, row: HostFile, hooks: readonly HostHook[]): object {
  const events = Map.groupBy(hooks, ({ event }) => event);
  return Object.fromEntries(
    [...events].map(([event, list]) => {
      const isGrouped = row.nesting === "groups" && !files.flatEvents?.includes(event);
      return [event, isGrouped ? groups(files, list) : list.map((hook) => flatEntry(files, hook))];
    }),
  );
}

function flatEntry(files: HostFiles, { matcher, entry }: HostHook): Record<string, unknown> {
  const key = files.entry.matcher;
  return matcher === undefined || key === undefined ? entry : { ...entry, [key]: matcher };
}

/** Consecutive hooks with the same matcher share a group. */
function groups(files: HostFiles, hooks: readonly HostHook[]): object[] {
  const key = files.entry.matcher ?? "matcher";
  const list: { head: string; group: { hooks: object[] } }[] = [];
  for (const { matcher, group, entry } of hooks) {
    const outer = { ...(matcher === undefined ? {} : { [key]: matcher }), ...group };
    const head = JSON.stringify(outer);
    const last = list.at(-1);
    if (last?.head === head) last.group.hooks.push(entry);
    else list.push({ head, group: { ...outer, hooks: [entry] } });
  }
  return list.map(({ group }) => group);
}
