/**
 * Yields the JSON events of a stream of server-sent events, for APIs that are called without an SDK. Throws a
 * SyntaxError if the data is not JSON.
 */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<unknown> {
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    if (line !== "" || data.length === 0) continue;
    yield JSON.parse(data.join("\n"));
    data = [];
  }
  // The last event has no empty line after it: JSON.parse throws if it was cut off.
  if (data.length > 0) yield JSON.parse(data.join("\n"));
}

async function* readLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
  }
  if (rest !== "") yield rest;
}
