import { readdir } from "node:fs/promises";
import { errorText } from "../src/lib/errors.ts";
import { escapeControls } from "../src/lib/text/escape-controls.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";

const SHOWN = 100;

/** Adds the first 100 names of the working directory, without hidden ones; none can look like more than one line. */
export const run = defineBuiltin(async (input, _args, { log }) => {
  if (input.cwd === "") return undefined;
  try {
    const entries = await readdir(input.cwd, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.name.startsWith("."))
      .map((entry) => Buffer.from(entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort(Buffer.compare);
    if (names.length === 0) return undefined;
    const lines = names.slice(0, SHOWN).map((name) => `- ${escapeControls(String(name))}`);
    if (names.length > SHOWN) lines.push(`... and ${names.length - SHOWN} more`);
    return contextOutput(input.hook_event_name, `Top-level entries in ${input.cwd}:\n\n${lines.join("\n")}`);
  } catch (error) {
    log("debug", `add_directory_listing: ${errorText(error)}`);
    return undefined;
  }
});
