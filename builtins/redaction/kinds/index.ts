import { ASSIGNED_RULES } from "./assigned.ts";
import { CLOUD_RULES } from "./cloud.ts";
import { DEVELOPMENT_RULES } from "./development.ts";
import { GENERIC_KINDS } from "../generic/index.ts";
import { LINK_KINDS, OTHER_LINK_ID } from "../links.ts";
import { MESSAGING_RULES } from "./messaging.ts";
import { MODEL_RULES } from "./models.ts";
import { PAYMENT_RULES } from "./payment.ts";
import { KEY_IDS } from "../private-key.ts";
import type { SecretRule } from "../rule.ts";
import { SERVICE_RULES } from "./services.ts";

/** Every kind of secret that its own shape tells. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...CLOUD_RULES, ...DEVELOPMENT_RULES, ...MODEL_RULES, ...PAYMENT_RULES, ...MESSAGING_RULES, ...SERVICE_RULES,
];

/**
 * The id of every kind of secret that is looked for, whatever finds it. A kind that gitleaks knows has the id that it
 * has there.
 */
export const SECRET_KINDS: readonly string[] = [
  ...new Set([
    ...SECRET_RULES.map(({ id }) => id),
    ...ASSIGNED_RULES.map(({ id }) => id),
    ...LINK_KINDS.map(({ id }) => id),
    OTHER_LINK_ID,
    ...Object.values(KEY_IDS),
    ...GENERIC_KINDS,
  ]),
];
