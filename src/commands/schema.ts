import { defineCommand } from "../cli/define-command.ts";
import { print } from "../cli/print.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { nearest } from "../lib/text/nearest.ts";

const SCHEMAS = {
  agent: async () => (await import("../config/json-schema/agent-json-schema.ts")).agentFileJsonSchema(),
  hooks: async () => (await import("../config/json-schema/agent-json-schema.ts")).hooksJsonSchema(),
  config: async () => (await import("../config/json-schema/agent-json-schema.ts")).userConfigJsonSchema(),
  "hook-input": async () => (await import("../config/json-schema/hook-json-schema.ts")).hookInputJsonSchema(),
  "hook-output": async () => (await import("../config/json-schema/hook-json-schema.ts")).hookOutputJsonSchema(),
  hooktest: async () => (await import("../testing/test-json-schema.ts")).testFileJsonSchema(),
  events: async () => (await import("../run/headless/events-json-schema.ts")).eventsJsonSchema(),
  audit: async () => (await import("../audit/audit-json-schema.ts")).auditJsonSchema(),
} as const satisfies Record<string, () => Promise<JsonObject>>;

/** `hooksh schema`: prints a JSON Schema, generated from the schemas that hooksh itself validates with. */
export const command = defineCommand({
  positionals: `[${Object.keys(SCHEMAS).join("|")}]`,
  description:
    "Prints a JSON Schema (draft 2020-12) of an agent file, a hooks block (the default), config.yaml, what hooks read or\n" +
    "print, a *.hooktest.yaml, a line of run --json, or a line of the audit log. Save it next to your files and name it in their first line:\n" +
    "  # yaml-language-server: $schema=./hooks.schema.json",
  flags: {},
  async run({ positionals: [name = "hooks", ...rest] }) {
    if (rest.length > 0) throw new UsageError(`schema takes one name, not ${rest.length + 1}`);
    await print(JSON.stringify(await SCHEMAS[schemaName(name)](), undefined, 2));
    return EXIT_CODES.ok;
  },
});

type SchemaName = keyof typeof SCHEMAS;

function schemaName(name: string): SchemaName {
  const isKnown = (candidate: string): candidate is SchemaName => Object.hasOwn(SCHEMAS, candidate);
  if (isKnown(name)) return name;
  const close = nearest(name, Object.keys(SCHEMAS));
  throw new UsageError(
    `no schema ${JSON.stringify(name)}${close ? `, did you mean ${close}?` : `: choose ${Object.keys(SCHEMAS).join(", ")}`}`,
  );
}
