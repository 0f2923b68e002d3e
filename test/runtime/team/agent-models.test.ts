import { expect, test } from "bun:test";
import { checkAgentFile } from "../../../src/config/agent/agent-file.ts";
import { parseDocument } from "../../../src/config/yaml/document.ts";
import { modelsOf } from "../../../src/runtime/team/agent-models.ts";

/** The model that writes the summaries of the only agent, with these further keys of the three that may name it. */
async function summaryModel({ agent = "", model = "", provider = "" }): Promise<string[] | undefined> {
  const text =
    `agents: {root: {model: m, instruction: i${agent}}}\nmodels: {m: {provider: mine, model: a${model}}}\n` +
    `providers: {mine: {base_url: http://localhost${provider}}}\n`;
  const { file } = await checkAgentFile(await parseDocument(text, "a.yaml"), "/");
  const [root] = file?.agents ?? [];
  if (!file || !root) return undefined;
  const context = { file, lookup: () => undefined, missing: () => [] };
  return modelsOf(root, context).compaction.map(({ name }) => name);
}

test("compaction_model of the agent wins over that of its model, and that over that of the provider", async () => {
  const named = (name: string) => `, compaction_model: openai/${name}`;
  expect(await summaryModel({})).toEqual([]);
  expect(await summaryModel({ provider: named("p") })).toEqual(["openai/p"]);
  expect(await summaryModel({ provider: named("p"), model: named("m") })).toEqual(["openai/m"]);
  expect(await summaryModel({ provider: named("p"), model: named("m"), agent: named("a") })).toEqual(["openai/a"]);
  expect(await summaryModel({ provider: ", compaction_model: nowhere" })).toBeUndefined();
});
