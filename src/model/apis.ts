import { anthropicNotes } from "./anthropic/anthropic-settings.ts";
import type { ModelCall } from "./calls/stream-reply.ts";
import type { Api } from "./catalog/providers.ts";
import type { ResolvedModel } from "./catalog/resolve.ts";
import { googleNotes } from "./google/google-settings.ts";
import type { Reply } from "./model.ts";
import { openAINotes } from "./openai/openai-settings.ts";
import type { SettingNote } from "./settings/request-settings.ts";

/** An API of model providers. */
export interface ApiRow {
  /** Returns notes on the settings of a model that are not sent as written. */
  notes: (model: ResolvedModel) => readonly SettingNote[];
  /** Loads the function that makes one call. */
  load: () => Promise<(call: ModelCall) => Promise<Reply>>;
}

/** Every API. The row of a provider names those it offers. */
export const APIS: Readonly<Record<Api, ApiRow>> = {
  chat: { notes: openAINotes, load: async () => (await import("./chat/call-chat.ts")).callChat },
  responses: { notes: openAINotes, load: async () => (await import("./responses/call-responses.ts")).callResponses },
  anthropic: {
    notes: anthropicNotes,
    load: async () => (await import("./anthropic/call-anthropic.ts")).callAnthropic,
  },
  google: { notes: googleNotes, load: async () => (await import("./google/call-google.ts")).callGoogle },
};
