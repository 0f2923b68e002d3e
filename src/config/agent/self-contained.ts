import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { SCHEMA_VERSION } from "../yaml/check-schema.ts";
import { parseDocument, problemsError } from "../yaml/document.ts";
import { type AgentFile, checkAgentFile } from "./agent-file.ts";

/**
 * Returns the text of an agent file that works without other files: `version` is added and instruction files are
 * written into it. A file that needs neither is returned unchanged. Throws a {@link ConfigError} if the result is
 * invalid.
 */
export async function selfContainedText(file: AgentFile): Promise<string> {
  const { document } = file;
  const raw = isObject(document.value) ? document.value : {};
  const needsVersion = raw["version"] === undefined || raw["version"] === null;
  const agents = isObject(raw["agents"]) ? raw["agents"] : {};
  const inlined = file.agents.filter(
    ({ name }) => isObject(agents[name]) && agents[name]["instruction_file"] !== undefined,
  );
  if (!needsVersion && inlined.length === 0) return document.text;
  const yaml = await import("yaml");
  const edited = yaml.parseDocument(document.text, { merge: true });
  if (!yaml.isMap(edited.contents)) throw new ConfigError(`${document.file}: expected a mapping`);
  for (const { name, instruction } of inlined) {
    edited.deleteIn(["agents", name, "instruction_file"]);
    edited.setIn(["agents", name, "instruction"], instruction);
  }
  if (needsVersion) {
    edited.delete("version");
    edited.contents.items.unshift(edited.createPair("version", String(SCHEMA_VERSION)));
  }
  const text = edited.toString({ lineWidth: 0 });
  await checkAlone(text, document.file);
  return text;
}

/**
 * Checks the result: an `instruction_file` that comes from a YAML anchor cannot be removed from the agent that uses
 * it.
 */
async function checkAlone(text: string, displayName: string): Promise<void> {
  const document = await parseDocument(text, `${displayName} (as it would be pushed)`);
  const { problems } = await checkAgentFile(document, undefined);
  if (problems.length > 0) throw await problemsError(document, problems);
}
