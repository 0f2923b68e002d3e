import { isObject } from "../../lib/json.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import { type Message, mediaOf } from "../messages/message.ts";
import type { ModelRequest } from "../model.ts";
import type { Effort } from "./thinking.ts";

/** A setting of a model that its provider would refuse, or that is not sent as written. */
export interface SettingNote {
  /** The setting's key, with the keys above it. */
  readonly path: readonly string[];
  readonly message: string;
  /** True if no call with this setting can succeed. */
  readonly isFatal?: boolean;
}

/** Fields of a request, and notes on the settings that they do not carry as written. */
export interface SettingPlan {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly notes: readonly SettingNote[];
}

/** A note on a setting of the top level. */
export function settingNote(key: string, message: string): SettingNote {
  return { path: [key], message };
}

/** The room kept free in a context window for what the estimate does not see. */
const WINDOW_RESERVE = 1024;
/** The least budget of a quiet call: models think out of the same budget. */
const MIN_BUDGET = 256;

/** Tokens that a quiet call of a model that always thinks may spend on thoughts, on top of its budget. */
export const UNAVOIDABLE_THINKING_TOKENS = 4096;

/** The completion budget of one call, kept inside the context window; undefined leaves it to the provider. */
export function completionBudget(model: ResolvedModel, request: ModelRequest, window: number): number | undefined {
  const most = model.family.maxOutput || Infinity;
  // A limit of our own is never more than the model takes; one of the user's is sent as written.
  const own = request.maxTokens && Math.min(request.maxTokens, most);
  const asked = own ?? model.spec.max_tokens;
  const wanted = request.minimalThinking && own ? Math.max(own, MIN_BUDGET) : asked;
  if (wanted === undefined || wanted <= 0) return undefined;
  return window > WINDOW_RESERVE ? Math.min(wanted, window - WINDOW_RESERVE) : wanted;
}

/**
 * The sampling settings that are set and that the model takes, under the names they share with the API. OpenAI's
 * reasoning models take all of them when they do not reason.
 */
export function samplingFields(
  { spec, family }: ResolvedModel,
  names: readonly ("temperature" | "top_p" | "frequency_penalty" | "presence_penalty")[],
  effort?: Effort,
): Record<string, number> {
  const taken = names.filter((name) => effort === "none" || !family.refusedSampling.includes(name));
  return Object.fromEntries(
    taken.flatMap((name) => {
      const value = spec[name];
      return typeof value === "number" ? [[name, value]] : [];
    }),
  );
}

/** Those of the named provider options that are set. */
export function providerOptionFields(model: ResolvedModel, names: readonly string[]): Record<string, unknown> {
  const options = model.spec.provider_opts ?? {};
  return Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
}

/**
 * The headers of a request with these messages: the provider's, its credentials, then `provider_opts.http_headers`,
 * which win. Line breaks are taken out of configured values.
 */
export function requestHeaders(model: ResolvedModel, messages: readonly Message[] = []): Record<string, string> {
  const { headers, imageHeaders } = model.row;
  const showsImages = messages.some((message) => mediaOf(message).some(({ type }) => type === "image"));
  const configured = model.spec.provider_opts?.["http_headers"];
  const own = isObject(configured) ? Object.entries(configured) : [];
  return Object.fromEntries(
    [...Object.entries({ ...headers, ...(showsImages ? imageHeaders : {}), ...credentials(model) }), ...own].map(
      ([name, value]) => [name.toLowerCase().replace(/[\r\n]/g, ""), String(value).replace(/[\r\n]/g, "")],
    ),
  );
}

function credentials({ key, row: { keyHeaders = ["authorization"] } }: ResolvedModel): Record<string, string> {
  if (key === undefined) return {};
  return Object.fromEntries(keyHeaders.map((name) => [name, name === "authorization" ? `Bearer ${key}` : key]));
}
