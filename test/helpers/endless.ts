import { gzipSync } from "node:zlib";

const MIB = 1024 * 1024;

/**
 * How a server sends far more than anything should read: as it is, or compressed so that the network does not slow it.
 */
export const ENDLESS = ["plain", "gzip"] as const;

/** A response of 5 GiB in which `piece` is repeated; a consumer that stops early stops it. */
export function endless(
  piece: string,
  how: (typeof ENDLESS)[number],
  { status = 200, type = "text/plain" } = {},
): Response {
  const unit = Buffer.from(piece.repeat(Math.ceil(MIB / piece.length)));
  // Gzip members can be concatenated.
  const sent = how === "gzip" ? gzipSync(Buffer.concat(Array.from({ length: 8 }, () => unit))) : unit;
  let left = how === "gzip" ? 640 : 5 * 1024;
  const body = new ReadableStream({
    pull: (controller) => (left-- > 0 ? controller.enqueue(sent) : controller.close()),
  });
  const encoding = how === "gzip" ? { "content-encoding": "gzip" } : {};
  return new Response(body, { status, headers: { "content-type": type, ...encoding } });
}

/** The memory that this process needed beyond what it had before, in MiB, while `work` was done. */
export async function memoryOf(work: () => Promise<unknown>): Promise<number> {
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  let peak = before;
  const look = () => (peak = Math.max(peak, process.memoryUsage().rss));
  const timer = setInterval(look, 5);
  await work();
  look();
  clearInterval(timer);
  return (peak - before) / MIB;
}
