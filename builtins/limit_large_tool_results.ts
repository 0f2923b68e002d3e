import { errorText } from "../src/lib/errors.ts";
import { type BuiltinInput, defineBuiltin } from "../src/protocol/builtin.ts";
import {
  firstBytes,
  firstLines,
  isLarge,
  LIMIT_BYTES,
  LIMIT_LINES,
  lastBytes,
  lastLines,
} from "./tool-results/large-text.ts";
import { removeStoredResults, storeResult } from "./tool-results/result-store.ts";

/** Categories of tools whose results can be as large as a file, the output of a program or the response of a server. */
const CATEGORIES: readonly (string | undefined)[] = [
  "filesystem",
  "shell",
  "script",
  "background_jobs",
  "mcp",
  "a2a",
  "fetch",
  "api",
  "openapi",
];

/**
 * Stores a tool response of more than 51200 bytes or 2000 lines in a file. The model gets the path and the end of the
 * response, or its beginning if the tool read a file. The files of a session are deleted when it ends.
 */
export const run = defineBuiltin(async (input, _args, { env, log }) => {
  if (input.hook_event_name === "session_end") {
    await removeStoredResults(input.session_id, env).catch((error) =>
      log("warn", `limit_large_tool_results: ${errorText(error)}`),
    );
    return undefined;
  }
  const text = input.tool_response;
  if (input.hook_event_name !== "tool_response_transform" || typeof text !== "string") return undefined;
  if (!CATEGORIES.includes(input.tool_category) || !isLarge(text)) return undefined;
  try {
    const path = await storeResult(text, input.session_id, env);
    const size = Buffer.byteLength(text);
    const stored =
      `Tool call result was too large (${size} bytes; limit ${LIMIT_BYTES} bytes). ` +
      `The full result is available in a file: ${path}`;
    const excerpt = isFileRead(input) ? beginning(text, input) : ending(text);
    const updated_tool_response = `${stored}\n\n${excerpt}`;
    return { hook_specific_output: { hook_event_name: input.hook_event_name, updated_tool_response } };
  } catch (error) {
    log("warn", `limit_large_tool_results: ${errorText(error)}`);
    return undefined;
  }
});

function isFileRead(input: BuiltinInput): boolean {
  return input.tool_category === "filesystem" && input.tool_name === "read_file";
}

function ending(text: string): string {
  const tail = lastBytes(lastLines(text, LIMIT_LINES), LIMIT_BYTES);
  return `Showing the last ${LIMIT_LINES} lines (up to ${LIMIT_BYTES} bytes):\n\n${tail}`;
}

/** The excerpt of a file, and how to read on from its end. A line that is cut is read again. */
function beginning(text: string, input: BuiltinInput): string {
  const head = firstBytes(firstLines(text, LIMIT_LINES), LIMIT_BYTES);
  const requestedLine = input.tool_input?.["line"];
  const start =
    typeof requestedLine === "number" && Number.isInteger(requestedLine) && requestedLine > 0 ? requestedLine : 1;
  const lines = head.split("\n").length - 1;
  const showing =
    lines === 0
      ? `Showing the first ${LIMIT_BYTES} bytes of line ${start}, which alone is longer than this excerpt. ` +
        "To continue reading, use a tool that reads byte ranges, such as head -c and tail -c in a shell:"
      : `Showing the first ${LIMIT_LINES} lines (up to ${LIMIT_BYTES} bytes). To continue reading, call read_file ` +
        `again with the same path plus "line": ${start + lines} (1-based start line) and a "limit" ` +
        "(maximum number of lines):";
  return `${showing}\n\n${head}`;
}
