import type { FlagSpecs } from "../cli/flags.ts";
import { DISPATCH_FLAGS } from "../dispatch/dispatch-flags.ts";

const {
  input: _input,
  output: _output,
  details: _details,
  "fail-fast": _failFast,
  "input-timeout": _inputTimeout,
  stream: _stream,
  dialect: _dialect,
  event: _event,
  ...SHARED_FLAGS
} = DISPATCH_FLAGS;

/** The flags of `hooksh serve`: those of `dispatch` that do not concern one input, and where to listen. */
export const SERVE_FLAGS = {
  ...SHARED_FLAGS,
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
