import { describe, expect, test } from "bun:test";
import { PDF, png, wav } from "../helpers/images.ts";
import { filesIn, mediaAgent } from "../helpers/media-agent.ts";
import { type Reply, strictChat } from "../model/servers/chat.ts";
import { CHAT_PROVIDERS } from "../model/servers/chat-providers.ts";
import { MEDIA_RULES } from "../model/servers/media-rules.ts";

describe("the providers that speak Chat Completions", () => {
  const files = { "a.png": png(8, 8), "b.pdf": PDF, "c.wav": wav() };
  const look: Reply = { calls: [{ name: "read_multiple_files", arguments: { paths: Object.keys(files) } }] };
  const strict = (provider: keyof typeof MEDIA_RULES, script: readonly Reply[]) => {
    const known = CHAT_PROVIDERS[provider === "copilot" ? "github-copilot" : provider];
    return strictChat({ ...known, rules: [...known.rules, MEDIA_RULES[provider]] }, script);
  };

  test.each<[keyof typeof MEDIA_RULES, Record<string, unknown>, number]>([
    ["openai", { provider: "openai", model: "gpt-4o" }, 2],
    ["openai", { provider: "openai", model: "gpt-4o-audio-preview" }, 1],
    ["openai", { provider: "openai", model: "o3-mini" }, 0],
    ["deepseek", { provider: "deepseek", model: "deepseek-chat" }, 0],
    ["moonshot", { provider: "moonshot", model: "kimi-k2.5" }, 1],
    ["mistral", { provider: "mistral", model: "mistral-medium-latest" }, 1],
    ["mistral", { provider: "mistral", model: "codestral-latest" }, 0],
    ["groq", { provider: "groq", model: "meta-llama/llama-4-scout-17b-16e-instruct" }, 1],
    ["groq", { provider: "groq", model: "llama-3.3-70b-versatile" }, 0],
    ["cerebras", { provider: "cerebras", model: "gpt-oss-120b" }, 0],
    ["xai", { provider: "xai", model: "grok-4" }, 1],
    ["openrouter", { provider: "openrouter", model: "anthropic/claude-sonnet-4.5" }, 2],
    ["copilot", { provider: "github-copilot", model: "gpt-4o", capabilities: { pdf: false } }, 1],
    ["vllm", { provider: "own", model: "some-vl-model" }, 1],
  ])("%s with %j sends what the model accepts", async (provider, model, shown) => {
    const server = strict(provider, [look, { text: "Seen." }]);
    const { run } = mediaAgent({ ...model, base_url: server.url }, files);
    expect(await run("look")).toMatchObject({ code: 0 });
    await server.stop();
    expect(server.refused).toEqual([]);
    expect(filesIn(server.requests[1]).length).toBe(shown);
  });

  test.each<[keyof typeof MEDIA_RULES, Record<string, unknown>]>([
    ["openai", { provider: "openai", model: "o3-mini" }],
    ["deepseek", { provider: "deepseek", model: "deepseek-chat" }],
    ["moonshot", { provider: "moonshot", model: "kimi-k2-thinking" }],
    ["mistral", { provider: "mistral", model: "codestral-latest" }],
    ["groq", { provider: "groq", model: "llama-3.3-70b-versatile" }],
    ["cerebras", { provider: "cerebras", model: "gpt-oss-120b" }],
    ["xai", { provider: "xai", model: "grok-3" }],
    ["copilot", { provider: "github-copilot", model: "gpt-4o" }],
    ["vllm", { provider: "own", model: "some-model" }],
  ])("%s with %j refuses what is declared by mistake, and the session continues", async (provider, model) => {
    const server = strict(provider, [{ ...look, thinking: ["hm"] }, { text: "Seen." }, { text: "Still here." }]);
    const { run } = mediaAgent({ ...model, base_url: server.url, capabilities: { image: true, pdf: true } }, files);
    const first = await run("look");
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("Seen.") });
    expect(first.stderr).toContain("the provider refused ");
    const refused = server.refused.length;
    expect(refused).toBeGreaterThan(0);
    expect(await run("and now?")).toMatchObject({ code: 0, stdout: expect.stringContaining("Still here.") });
    await server.stop();
    expect(server.refused.length).toBe(refused);
  });
});
