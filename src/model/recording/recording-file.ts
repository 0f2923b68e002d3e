import * as v from "valibot";
import { errorText, InputError } from "../../lib/errors.ts";
import { readUserFile, UnreadableFileError } from "../../lib/files/read-file.ts";
import { parseYaml } from "../../lib/platform.ts";

const InteractionSchema = v.looseObject({
  id: v.optional(v.number()),
  request: v.looseObject({ method: v.string(), url: v.pipe(v.string(), v.url()), body: v.optional(v.string(), "") }),
  response: v.looseObject({
    body: v.optional(v.string(), ""),
    code: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
    headers: v.optional(v.record(v.string(), v.union([v.string(), v.array(v.string())])), {}),
  }),
});

const RecordingSchema = v.looseObject({
  version: v.literal(2),
  // Null if every response of the run was cut off.
  interactions: v.nullable(v.array(InteractionSchema)),
});

/** One request and its response in a recording. */
export type Interaction = v.InferOutput<typeof InteractionSchema>;

const MAX_RECORDING_BYTES = 256 * 1024 * 1024;

/**
 * Reads a recording (YAML in the shape of go-vcr, version 2). Throws an {@link InputError} that names file and place.
 */
export async function loadRecording(file: string): Promise<Interaction[]> {
  let value: unknown;
  try {
    value = parseYaml((await readUserFile(file, { limit: MAX_RECORDING_BYTES })).toString("utf8"));
  } catch (error) {
    const reason =
      error instanceof UnreadableFileError ? error.reason : `cannot read the recording: ${errorText(error)}`;
    throw new InputError(`${file}: ${reason}`, { cause: error });
  }
  const parsed = v.safeParse(RecordingSchema, value);
  if (parsed.success) return parsed.output.interactions ?? [];
  const [issue] = parsed.issues;
  throw new InputError(`${file}: not a recording: ${v.getDotPath(issue) ?? "the file"}: ${issue.message}`);
}

/** The first lines of a recording. */
export const RECORDING_HEAD = "---\nversion: 2\ninteractions:\n";

/** The data of one interaction to write. */
export interface Exchange {
  id: number;
  method: string;
  url: string;
  requestBody: string;
  code: number;
  status: string;
  /** The response headers to store. */
  headers: readonly (readonly [name: string, value: string])[];
  responseBody: string;
  durationMs: number;
}

/** Renders one entry of `interactions` as YAML. */
export function renderInteraction(exchange: Exchange): string {
  const { host } = new URL(exchange.url);
  // JSON texts are YAML scalars.
  const quote = (text: string) => JSON.stringify(text);
  return [
    `    - id: ${exchange.id}`,
    "      request:",
    "        proto: HTTP/1.1",
    "        proto_major: 1",
    "        proto_minor: 1",
    "        content_length: 0",
    `        host: ${quote(host)}`,
    `        body: ${quote(exchange.requestBody)}`,
    `        url: ${quote(exchange.url)}`,
    `        method: ${exchange.method}`,
    "      response:",
    "        proto: HTTP/1.1",
    "        proto_major: 1",
    "        proto_minor: 1",
    "        content_length: -1",
    `        body: ${quote(exchange.responseBody)}`,
    ...(exchange.headers.length > 0 ? ["        headers:"] : ["        headers: {}"]),
    ...exchange.headers.flatMap(([name, value]) => [`            ${name}:`, `                - ${quote(value)}`]),
    `        status: ${quote(exchange.status)}`,
    `        code: ${exchange.code}`,
    `        duration: ${exchange.durationMs.toFixed(3)}ms`,
    "",
  ].join("\n");
}
