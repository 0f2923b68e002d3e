import type { JsonObject } from "../src/lib/json.ts";
import { EVENT_TEXTS } from "../src/run/headless/event-texts.ts";
import { eventsJsonSchema } from "../src/run/headless/events-json-schema.ts";
import { RUN_EVENTS, type RunEventType } from "../src/runtime/events/run-events.ts";

/** Returns the page about `run --json`. */
export function jsonEventsPage(): string {
  const types = Object.keys(RUN_EVENTS) as RunEventType[];
  const schemas = eventsJsonSchema()["$defs"] as Record<string, JsonObject>;
  const shared = Object.entries(SHARED).map(([name, typed]) => `- \`${name}\`: ${typed}`);
  const lines = types.map((type) => eventLine(type, schemas[type] ?? {}));
  return [INTRODUCTION, ...shared, "", "| type | means | fields |", "|---|---|---|", ...lines, ""].join("\n");
}

/** The types of fields that have the same one in every event. */
const SHARED: Readonly<Record<string, string>> = {
  tool_call: "object with `id`, `type`, `function`",
  tool_definition: "object with `name`, `description?`, `parameters?`, `category?`, `read_only?`",
  hooks: "list: object with `event`, `name`, `type`, `source`, `outcome`, `duration_ms`, `exit_code?`, `message?`",
};

function eventLine(type: RunEventType, { properties, required }: JsonObject): string {
  const needed = required as string[];
  const fields = Object.entries(properties as Record<string, JsonObject>).filter(
    ([name]) => !["type", "timestamp", "agent_name", "background_task"].includes(name),
  );
  const shown = fields.map(([name, schema]) => {
    const typed = typeOf(schema);
    const isSaid = typed === "text" || SHARED[name] === typed;
    return `\`${name}${needed.includes(name) ? "" : "?"}\`${isSaid ? "" : ` (${typed})`}`;
  });
  return `| \`${type}\` | ${cell(EVENT_TEXTS[type])} | ${cell(shown.join(", "))} |`;
}

/** Describes a type in words: `text`, `list of objects with tool, call`, `one of ...`. */
function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema["enum"])) return `one of ${schema["enum"].map((value) => `\`${value}\``).join(", ")}`;
  if (schema["const"] !== undefined) return `\`${JSON.stringify(schema["const"])}\``;
  if (Array.isArray(schema["anyOf"])) return schema["anyOf"].map((one) => typeOf(one as JsonObject)).join(" or ");
  if (schema["type"] === "array") return `list: ${typeOf(schema["items"] as JsonObject)}`;
  if (schema["type"] === "string") return "text";
  if (schema["type"] === "integer") return "whole number";
  if (schema["type"] !== "object") return String(schema["type"] ?? "any value");
  const { properties, required = [] } = schema as { properties?: JsonObject; required?: string[] };
  if (!properties) return "object";
  const names = Object.keys(properties).map((name) => `\`${name}${required.includes(name) ? "" : "?"}\``);
  return `object with ${names.join(", ")}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

const INTRODUCTION = `# Events of \`run --json\`

\`hooksh run --json\` writes one JSON object per line to standard output. Warnings of hooksh itself and the report of denied calls go to
standard error.

<!-- test: model
- { text: "I look at the file.", calls: [{ name: shell, arguments: { cmd: "rm notes.txt" } }], usage: { prompt: 1200, completion: 30 } }
- { text: "I may not remove it.", usage: { prompt: 1260, completion: 12 } }
-->
\`\`\`yaml
# agent.yaml
models:
  small:
    provider: openai
    model: gpt-4o-mini
    cost: {input: 0.15, output: 0.60}   # US dollars per million tokens
agents:
  root:
    model: small
    instruction: Tidy up the folder.
    toolsets: [{type: shell}]
permissions:
  deny: ["shell:cmd=rm *"]
\`\`\`

\`\`\`console
$ hooksh run agent.yaml --json "Tidy up" > run.jsonl
1 call denied:
  shell(cmd: rm notes.txt): rule "shell:cmd=rm *" of the permissions configuration
    to allow it: change or remove the rule, which holds in every mode
$ jq -r .type run.jsonl | uniq
team_info
toolset_info
user_message
...
run_ended
$ jq -c 'select(.type == "run_ended") | {exit_code, reason, turns, cost, calls}' run.jsonl
{"exit_code":0,"reason":"answered","turns":2,"cost":0.0003942,"calls":{"denied":1}}
\`\`\`

\`hooksh schema events\` prints the JSON Schema of a line, which is also in [docs/schema](schema/events.schema.json). Later versions may add
fields and types: skip those that you do not know.

## Every line

| field | meaning |
|---|---|
| \`type\` | the type of the event |
| \`timestamp\` | when it happened ([RFC 3339](https://www.rfc-editor.org/rfc/rfc3339)) |
| \`agent_name?\` | the agent that the event concerns |
| \`background_task?\` | the id of the task, if the agent works in the background; its calls stand between those of other agents |

A \`?\` marks a field that may be absent.

## The last line

The last line of every run is \`run_ended\`, even if the run could not start, for example because of a wrong flag, an unknown agent or a
missing key: then \`error\` says why, and there is no \`session_id\`. It is missing only if hooksh is killed, if nobody reads
standard output, and with \`--dry-run\`.

\`exit_code\` is the exit code of the process. \`reason\` is \`answered\`, \`error\`, \`limit\` (\`limit\` names the flag), \`interrupted\` or
\`output_closed\`. \`cost\` is in US dollars and includes sub-agents, summaries and model hooks; the calls of \`unpriced_models\` are not part of it,
because the agent file gives them no price or their server reported no tokens. \`denied\` lists the calls that were \`blocked\`, \`denied\` or
\`refused\`, with the reason, the hooks behind it, and how to allow such a call.

## Tool calls

A call that runs has a \`tool_call\` and a \`tool_call_response\` with the same id; a call that does not run only has the second. Its \`outcome\`:

| outcome | meaning |
|---|---|
| \`completed\`, \`failed\` | the call ran |
| \`blocked\` | a hook or a [rule](rules.md) blocked it |
| \`denied\` | a permission rule or the safety mode denied it |
| \`refused\` | it needs the user's approval, and there is no terminal to ask at |
| \`rejected\` | the user rejected it |
| \`unknown_tool\`, \`malformed_arguments\` | the model made a mistake in it |
| \`canceled\` | the run was interrupted or stopped |
| \`skipped\` | a hook ended the run before it |

\`reason\` says why, and \`hint\` how to allow such a call. \`hooks\` lists the hooks that gave a verdict, with \`source\` as \`file:line\` or a flag.
\`redacted\` of \`hook_finished\` counts the secrets that hooks replaced, by kind: \`{"github-pat":2}\`.

## Pieces of an answer

\`agent_choice\`, \`agent_choice_reasoning\` and \`partial_tool_call\` are pieces of an incomplete answer; \`message_added\` completes it. After
\`model_restarted\`, \`error\` or \`stream_stopped\`, discard the pieces of the same \`session_id\` that no \`message_added\` has completed.
\`model_waiting\` means that every model failed and a busy one (HTTP 429, 503, 529) is asked again after \`wait_ms\`; a signal ends the wait.

## Types

The fields of each type. A field is a text, unless its type follows in parentheses or it is one of these:
`;
