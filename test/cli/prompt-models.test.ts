import { afterAll, expect, test } from "bun:test";
import { agentFor, fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { converse, start } from "../helpers/terminal-run.ts";

const model = fakeOpenAI([{ text: "from the other" }]);

/** Lists its models, and passes questions on to the scripted model. */
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/v1/models") return Response.json({ data: ["large", "other", "small"].map((id) => ({ id })) });
    return fetch(`${model.url}${pathname.replace("/v1", "")}`, { method: "POST", body: request.body });
  },
});

afterAll(() => {
  model.stop();
  provider.stop(true);
});

test("/model proposes the models of a provider with a key, and refuses names that no provider knows", async () => {
  const file = JSON.parse(agentFor({ url: `http://127.0.0.1:${provider.port}/v1` }));
  file.models = { quick: { provider: "fake", model: "unlisted" }, autos: { provider: "fake", model: "large" } };
  const cwd = tempDir({ "agent.yaml": JSON.stringify(file) });
  const run = start(cwd, [], { env: { MISTRAL_API_KEY: "x" } });
  await converse(run, [
    ["", "> "],
    ["/model fkae/other\r", 'no provider "fkae", did you mean fake/other?'],
    ["/model fake/othre\r", 'fake lists no model "othre"; did you mean other?'],
    ["/model quik\r", 'no model "quik", did you mean quick?'],
    ["/model quick\r", "(root uses fake/unlisted from now on)"],
    ["/model auto\r", "(root uses mistral/mistral-small-latest from now on)"],
    ["/model fake/small\r", "(root uses fake/small from now on)"],
    ["/model xai/grok-4\r", "not set: XAI_API_KEY"],
    ["/model\r", "→ fake/small", "quick", "mistral/mistral-small-latest", "fake/ …"],
    ["fake/ asks", "→ fake/ …"],
    ["\r", "Model of fake", "→ large", "other", "small"],
    ["oth", "> oth"],
    ["\r", "(root uses fake/other from now on)"],
    ["hello\r", "from the other"],
    ["/exit\r"],
  ]);
  expect(await run.child.exited).toBe(0);
  expect(model.requests[0]).toMatchObject({ model: "other" });
});
