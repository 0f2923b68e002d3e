import * as v from "valibot";
import {
  anyMap,
  duration,
  flag,
  nonEmptyText,
  number,
  oneOf,
  optional,
  sinceVersion,
  text,
  textList,
  textMap,
  wholeNumber,
  withoutEffect,
} from "../../lib/schema/keys.ts";
import { otherKeys, toolsetRow } from "../toolset-row.ts";

/** When to restart a server, and its time limits. Also used for servers of other protocols. */
export const lifecycleKey = sinceVersion(
  8,
  v.strictObject({
    profile: optional(oneOf("resilient", "strict", "best-effort")),
    required: optional(flag),
    startup_timeout: optional(duration),
    call_timeout: optional(duration),
    restart: optional(oneOf("never", "on_failure", "always")),
    max_restarts: optional(wholeNumber(-1)),
    backoff: optional(
      v.strictObject({
        initial: optional(duration),
        max: optional(duration),
        multiplier: optional(number(0)),
        jitter: optional(number(0, 1)),
      }),
    ),
  }),
);

/** A server that hooksh reaches over HTTP. */
export const remoteKey = optional(
  v.strictObject({
    url: nonEmptyText,
    transport_type: optional(oneOf("streamable", "streamable-http", "sse")),
    headers: optional(textMap),
    oauth: withoutEffect(
      v.strictObject({
        clientId: optional(text),
        clientSecret: optional(text),
        callbackPort: optional(wholeNumber(1, 65535)),
        scopes: optional(textList),
        callbackRedirectURL: optional(text),
      }),
      0,
      "put a token into headers",
    ),
  }),
);

/** `mcp`: the tools of a server that speaks the Model Context Protocol. */
export const mcpRow = toolsetRow({
  summary: "Offers the tools of an MCP server.",
  keys: {
    command: optional(nonEmptyText),
    remote: remoteKey,
    ref: sinceVersion(1, nonEmptyText),
    args: optional(textList),
    env: optional(textMap),
    working_dir: optional(text),
    config: sinceVersion(1, anyMap),
    version: withoutEffect(text, 6, "install the program of the server yourself"),
    lifecycle: lifecycleKey,
    allow_private_ips: optional(flag),
  },
  effects: ({ command, args, remote, ref, ...rest }) => {
    const more = otherKeys(rest);
    const shown = (value: unknown) => ` ${JSON.stringify(value)}`;
    if (command !== undefined) return [`starts${shown(command)}${args === undefined ? "" : shown(args)}${more}`];
    if (remote !== undefined) return [`connects to${shown(remote)}${more}`];
    return ref === undefined ? [] : [`starts the MCP server${shown(ref)}${more}`];
  },
  check: async (entry, report, names) => (await import("./check-mcp.ts")).checkMcp(entry, report, names),
  obstacles: async (entry, machine) => (await import("./mcp-obstacles.ts")).mcpObstacles(entry, machine),
  load: () => import("./mcp.ts"),
});
