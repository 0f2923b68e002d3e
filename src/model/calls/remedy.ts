import { isObject } from "../../lib/json.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { ModelError } from "../model.ts";

/** The parts of a model that say what its user can change. */
type Configured = Pick<
  ResolvedModel,
  "provider" | "model" | "row" | "keyVariable" | "hasCustomBaseUrl" | "baseUrlVariable"
>;

/** The advice for a kind of failure. */
interface RemedyRow {
  fits(error: ModelError): boolean;
  advice(model: Configured): string;
}

/** The first matching row counts. Codes without a status are those of Bun and of BoringSSL. */
const ROWS: readonly RemedyRow[] = [
  { fits: ({ status }) => status === 401, advice: keyAdvice },
  {
    fits: ({ status }) => status === 403,
    advice: (model) => `${keyAdvice(model)}; check that it may use ${model.model}`,
  },
  {
    fits: ({ status }) => status === 404,
    advice: (configured) => {
      const setting = addressSetting(configured);
      return `check the name of the model, ${JSON.stringify(configured.model)}${setting ? `, and ${setting}` : ""}`;
    },
  },
  {
    fits: (error) => /CERT|ISSUER|LEAF_SIGNATURE/.test(codeOf(error)),
    advice: () => "to trust the server's own authority, set NODE_EXTRA_CA_CERTS to the file of its certificate",
  },
  { fits: (error) => /ConnectionRefused|ECONNREFUSED/.test(codeOf(error)), advice: serverAdvice },
  {
    fits: (error) => /FailedToOpenSocket|ENOTFOUND|EAI_AGAIN/.test(codeOf(error)),
    advice: (configured) => {
      const setting = addressSetting(configured);
      return `check the network${setting ? ` and the host in ${setting}` : ""}`;
    },
  },
];

/** Returns what the user can do about a failed call of a model; undefined if only the provider's own text says it. */
export function remedyFor(model: Configured, error: ModelError): string | undefined {
  return ROWS.find(({ fits }) => fits(error))?.advice(model);
}

function codeOf({ cause }: ModelError): string {
  return isObject(cause) && typeof cause["code"] === "string" ? cause["code"] : "";
}

/** The key or the variable that sets the address; undefined if it is the provider's own. */
function addressSetting({ hasCustomBaseUrl, baseUrlVariable }: Configured): string | undefined {
  return hasCustomBaseUrl ? "base_url" : baseUrlVariable;
}

function keyAdvice(model: Configured): string {
  const { keyVariable, row } = model;
  if (keyVariable === undefined) return "no key was sent; name the variable of the key in token_key";
  const page = row.keyPage === undefined || addressSetting(model) ? "" : `, or create one at ${row.keyPage}`;
  return `check the key in ${keyVariable}${page}`;
}

function serverAdvice(model: Configured): string {
  const { startCommand } = model.row;
  const setting = addressSetting(model);
  const correction = setting ? `, or correct ${setting}` : "";
  if (startCommand !== undefined) return `start the server with \`${startCommand}\`${correction}`;
  return setting ? `start the server${correction}` : "check the network and its proxy";
}
