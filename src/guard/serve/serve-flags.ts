import type { FlagGroups } from "../../cli/define-command.ts";
import type { FlagSpecs } from "../../cli/flags.ts";
import { ANSWERING_FLAG_GROUPS, ANSWERING_FLAGS } from "../dispatch/dispatch-flags.ts";

const LISTEN_FLAGS = {
  socket: { kind: "value", hint: "PATH", description: "Listen on a socket file that only you can open" },
  port: {
    kind: "value",
    hint: "N",
    description: "Listen on this port of 127.0.0.1, for requests with the token; 0 takes a free port and prints it",
  },
  "token-file": {
    kind: "value",
    hint: "FILE",
    description: "The token for --port; created if missing (default: serve.token in the data directory)",
  },
} as const satisfies FlagSpecs;

export const SERVE_FLAGS = { ...LISTEN_FLAGS, ...ANSWERING_FLAGS } as const satisfies FlagSpecs;

export const SERVE_FLAG_GROUPS: FlagGroups = { "Where to listen": LISTEN_FLAGS, ...ANSWERING_FLAG_GROUPS };
