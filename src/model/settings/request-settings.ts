import type { Help } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import { type Message, mediaIn } from "../messages/message.ts";
import type { ModelRequest } from "../model.ts";
import type { Effort } from "./thinking.ts";

const SETTING_SENT_OTHERWISE: Help = {
  cause:
    "Models differ in the settings that they take. The request goes out without the setting, or with the nearest value, because the provider would refuse it.",
  cure: "Remove the setting, set it to a value that the model takes, or choose another model.",
};

/** A note on a setting that the provider would refuse, or that is not sent as written. */
export interface SettingNote {
  /** The path of keys to the setting. */
  readonly path: readonly string[];
  readonly message: string;
  /** True if no call with this setting can succeed. */
  readonly isFatal?: boolean;
  readonly help?: Help;
}

/** Fields of a request, and notes on settings that are not sent as written. */
export interface SettingPlan {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly notes: readonly SettingNote[];
}

/** Returns a note on a top-level setting. */
export function settingNote(key: string, message: string): SettingNote {
  return { path: [key], message, help: SETTING_SENT_OTHERWISE };
}

/** Tokens kept free in the context window, because the estimate of the request is not exact. */
const WINDOW_RESERVE = 1024;
/** The minimum budget of a call with minimal thinking, because thoughts count against it. */
const MIN_COMPLETION_TOKENS = 256;

/** Tokens added to the budget of a call with minimal thinking, for the thoughts of a model that always thinks. */
export const UNAVOIDABLE_THINKING_TOKENS = 4096;

/** Returns the completion budget of a call, limited to the context window; undefined leaves it to the provider. */
export function completionBudget(model: ResolvedModel, request: ModelRequest, window: number): number | undefined {
  // A limit set by hooksh never exceeds what the model accepts; one set by the user is sent as written.
  const own = request.maxTokens && Math.min(request.maxTokens, model.family.maxOutput || Infinity);
  const budget = request.minimalThinking && own ? Math.max(own, MIN_COMPLETION_TOKENS) : (own ?? model.spec.max_tokens);
  if (budget === undefined || budget <= 0) return undefined;
  return window > WINDOW_RESERVE ? Math.min(budget, window - WINDOW_RESERVE) : budget;
}

/**
 * Returns the sampling settings that are set and that the model accepts, under the names they share with the API.
 * OpenAI's reasoning models accept all of them if reasoning is off.
 */
export function samplingFields(
  { spec, family }: ResolvedModel,
  names: readonly ("temperature" | "top_p" | "frequency_penalty" | "presence_penalty")[],
  effort?: Effort,
): Record<string, number> {
  const accepted = names.filter((name) => effort === "none" || !family.refusedSampling.includes(name));
  return Object.fromEntries(
    accepted.flatMap((name) => {
      const value = spec[name];
      return typeof value === "number" ? [[name, value]] : [];
    }),
  );
}

/** Returns those of the named provider options that are set. */
export function providerOptionFields(model: ResolvedModel, names: readonly string[]): Record<string, unknown> {
  const options = model.spec.provider_opts ?? {};
  return Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
}

/**
 * Returns the headers of a request with these messages: the provider's, its credentials, then
 * `provider_opts.http_headers`, which override the others. Line breaks are removed.
 */
export function requestHeaders(model: ResolvedModel, messages: readonly Message[] = []): Record<string, string> {
  const { headers, imageHeaders } = model.row;
  const holdsImages = mediaIn(messages).some(({ type }) => type === "image");
  const configured = model.spec.provider_opts?.["http_headers"];
  const own = isObject(configured) ? Object.entries(configured) : [];
  return Object.fromEntries(
    [
      ...Object.entries({
        ...headers,
        ...model.variableHeaders,
        ...(holdsImages ? imageHeaders : {}),
        ...credentials(model),
      }),
      ...own,
    ].map(([name, value]) => [name.toLowerCase().replace(/[\r\n]/g, ""), String(value).replace(/[\r\n]/g, "")]),
  );
}

function credentials({ key, row: { keyHeaders = ["authorization"] } }: ResolvedModel): Record<string, string> {
  if (key === undefined) return {};
  return Object.fromEntries(keyHeaders.map((name) => [name, name === "authorization" ? `Bearer ${key}` : key]));
}
