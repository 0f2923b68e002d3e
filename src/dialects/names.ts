import type { Dialect } from "./dialect.ts";

/** What is known of a dialect without loading its codec. */
interface DialectRow {
  /** The product whose hooks speak it. */
  product: string;
  /** Variables that the product sets for its hooks, most telling first. They name the host if the payload does not. */
  variables?: readonly (string | readonly [name: string, value: string])[];
  load: () => Promise<{ dialect: Dialect }>;
}

/**
 * Every dialect of another agent's hooks, by the name that `--dialect` takes. A dialect's codec is loaded when it is
 * used. The pages about them: docs/agents.
 */
export const DIALECTS = {
  claude: { product: "Claude Code", load: () => import("./hosts/claude.ts") },
  codex: { product: "OpenAI Codex", load: () => import("./hosts/codex.ts") },
} as const satisfies Record<string, DialectRow>;

/** The name of a dialect. */
export type DialectName = keyof typeof DIALECTS;
