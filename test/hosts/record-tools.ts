import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "./host.ts";
import { type ModelServer, type Step, startModelServer } from "./model-server.ts";
import { inSandbox, type Options, setUp, versionOf } from "./try-case.ts";

/** The tools that a released program offered to the model, as `tools/HOST.json` keeps them. */
export interface RecordedTools {
  version: string;
  /** The properties of each tool's input, by the tool's name. */
  tools: Record<string, string[]>;
}

const FOLDER = join(import.meta.dir, "tools");

/** Reads the recorded tools of a program. */
export function recordedTools(host: string): RecordedTools {
  return JSON.parse(readFileSync(join(FOLDER, `${host}.json`), "utf8"));
}

/**
 * Starts a program without a policy and records every tool that it offers: first those of its requests, then, in a second
 * run, those that the model has to search for.
 */
export async function recordTools(host: Host, bin: string, options: Options): Promise<RecordedTools> {
  const first = await offersOf(host, bin, [], options);
  const found = host.search?.(first.turns.join("\n")) ?? [];
  const second = found.length === 0 ? first : await offersOf(host, bin, found, options);
  const offers = new Map([...first.offers, ...second.offers]);
  const byName = [...offers].sort(([a], [b]) => (a < b ? -1 : 1));
  const recorded: RecordedTools = {
    version: await versionOf(host, bin, options),
    tools: Object.fromEntries(byName.map(([name, { input }]) => [name, input])),
  };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${host.name}.json`), asJson(recorded));
  return recorded;
}

async function offersOf(host: Host, bin: string, steps: readonly Step[], options: Options): Promise<ModelServer> {
  const server = startModelServer(host.shell.name);
  server.script.push(...steps, { text: "done." });
  try {
    await inSandbox({ name: host.name, url: server.url, keep: options.keep }, async (sandbox) => {
      const { start } = await setUp(host, bin, sandbox);
      const { output } = await start();
      if (options.verbose) console.error([output, ...server.seen].join("\n"));
    });
  } finally {
    server.stop();
  }
  if (server.offers.size === 0) throw new Error(`${host.name} offered no tool to the model`);
  return server;
}

/** One line for each tool. */
function asJson({ version, tools }: RecordedTools): string {
  const lines = Object.entries(tools).map(([name, input]) => `    ${JSON.stringify(name)}: ${spaced(input)}`);
  return `{\n  "version": ${JSON.stringify(version)},\n  "tools": {\n${lines.join(",\n")}\n  }\n}\n`;
}

const spaced = (input: readonly string[]) => `[${input.map((name) => JSON.stringify(name)).join(", ")}]`;
