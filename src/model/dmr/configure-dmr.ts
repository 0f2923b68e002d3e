import { errorText } from "../../lib/errors.ts";
import type { Fetch } from "../calls/transport.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import { parseThinkingBudget, THINKING_TOKENS } from "../settings/thinking.ts";
import { type DmrEndpoint, viaSocket } from "./find-dmr.ts";

const CONFIGURE_MS = 10_000;

/**
 * Sends Docker Model Runner the settings with which it loads a model, if any are configured. A failure is only logged,
 * because the engine can run with its own settings. Never throws.
 */
export async function configureDmr(
  model: ResolvedModel,
  endpoint: DmrEndpoint,
  send: Fetch,
  log: (level: "debug" | "warn", message: string) => void,
): Promise<void> {
  const settings = dmrSettings(model);
  if (Object.keys(settings).length === 0) return;
  const url = `${endpoint.baseUrl.replace(/\/v1\/?$/, "")}/_configure`;
  try {
    const response = await send(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: model.model, ...settings }),
      signal: AbortSignal.timeout(CONFIGURE_MS),
      ...viaSocket(endpoint.unix),
    });
    await response.body?.cancel();
    if (response.status !== 202)
      log("warn", `${model.provider}/${model.model}: configuring the engine: HTTP ${response.status}`);
  } catch (error) {
    log("warn", `${model.provider}/${model.model}: configuring the engine: ${errorText(error)}`);
  }
}

/** Returns the configured settings under the engine's names. */
function dmrSettings({ spec }: ResolvedModel): Record<string, unknown> {
  const options = spec.provider_opts ?? {};
  const group = (entries: Record<string, unknown>) => {
    const configured = Object.entries(entries).filter(([, value]) => value !== undefined);
    return configured.length > 0 ? Object.fromEntries(configured) : undefined;
  };
  return (
    group({
      "context-size": options["context_size"],
      "runtime-flags": options["runtime_flags"],
      "raw-runtime-flags": options["raw_runtime_flags"],
      mode: options["mode"],
      keep_alive: options["keep_alive"],
      speculative: group({
        "draft-model": options["speculative_draft_model"],
        "num-tokens": options["speculative_num_tokens"],
        "min-acceptance-rate": options["speculative_acceptance_rate"],
      }),
      llamacpp: group({ "reasoning-budget": reasoningBudget(spec.thinking_budget) }),
      vllm: group({
        "gpu-memory-utilization": options["gpu_memory_utilization"],
        "hf-overrides": options["hf_overrides"],
      }),
    }) ?? {}
  );
}

/** Returns the thinking tokens that the engine allows; -1 leaves it to the model. */
function reasoningBudget(setting: unknown): number | undefined {
  const budget = parseThinkingBudget(setting);
  if (!budget) return undefined;
  if (budget.kind === "off") return 0;
  if (budget.kind === "tokens") return budget.tokens;
  return budget.adaptive ? -1 : THINKING_TOKENS[budget.level];
}
