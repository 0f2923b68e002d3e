import { GENERIC_KINDS } from "../generic/find-generic.ts";
import { KEY_KINDS } from "../keys/find-keys.ts";
import { KNOWN_VALUE } from "../known-values.ts";
import { LINK_KINDS, OTHER_LINK_ID } from "../links.ts";
import type { SecretRule } from "../rule.ts";
import { ASSIGNED_RULES } from "./assigned.ts";
import { CLOUD_RULES } from "./cloud.ts";
import { DEVELOPMENT_RULES } from "./development.ts";
import { MESSAGING_RULES } from "./messaging.ts";
import { MODEL_RULES } from "./models.ts";
import { PAYMENT_RULES } from "./payment.ts";
import { SERVICE_RULES } from "./services.ts";

/** The rules of every kind that is known by its own pattern. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...CLOUD_RULES,
  ...DEVELOPMENT_RULES,
  ...MODEL_RULES,
  ...PAYMENT_RULES,
  ...MESSAGING_RULES,
  ...SERVICE_RULES,
];

/** A group of kinds in `--list-kinds` and docs/kinds.md. */
export interface KindGroup {
  name: string;
  /** What the kinds are. */
  summary: string;
  ids: readonly string[];
}

const idsOf = (rules: readonly { id: string }[]): string[] => rules.map(({ id }) => id);

const GROUPS: readonly KindGroup[] = [
  { name: "cloud", summary: "Clouds, hosting and infrastructure", ids: idsOf(CLOUD_RULES) },
  { name: "development", summary: "Forges, CI, package registries and code quality", ids: idsOf(DEVELOPMENT_RULES) },
  { name: "models", summary: "Model providers and the services around them", ids: idsOf(MODEL_RULES) },
  { name: "payment", summary: "Payment, banking and shops", ids: idsOf(PAYMENT_RULES) },
  { name: "messaging", summary: "Chat, mail, telephony and webhooks", ids: idsOf(MESSAGING_RULES) },
  { name: "services", summary: "Monitoring, work tools and other services", ids: idsOf(SERVICE_RULES) },
  {
    name: "assigned",
    summary: "Keys without a mark of their own, known by the vendor's name before them",
    ids: idsOf(ASSIGNED_RULES),
  },
  { name: "urls", summary: "Passwords in URLs", ids: [...idsOf(LINK_KINDS), OTHER_LINK_ID] },
  {
    name: "generic",
    summary: "Credentials without a vendor's mark, known by their place and shape",
    ids: GENERIC_KINDS,
  },
  { name: "known", summary: "Values that hooksh knows from its environment and configuration", ids: [KNOWN_VALUE] },
  { name: "private-keys", summary: "Private keys, in frames, in PuTTY files, in JSON and in XML", ids: KEY_KINDS },
];

/**
 * Every kind of secret, in the first group that lists it. A kind that gitleaks also knows has the id that gitleaks
 * gives it.
 */
export const KIND_GROUPS: readonly KindGroup[] = (() => {
  const seen = new Set<string>();
  return GROUPS.map((group) => ({ ...group, ids: group.ids.filter((id) => !seen.has(id) && seen.add(id)) }));
})();

/** The id of every kind of {@link KIND_GROUPS}. */
export const SECRET_KINDS: readonly string[] = KIND_GROUPS.flatMap(({ ids }) => ids);
