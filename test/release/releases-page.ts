import { join } from "node:path";

/** A releases page on loopback, laid out as GitHub's. */
export interface ReleasesPage {
  url: string;
  /** The paths that were asked for. */
  asked: string[];
  stop(): void;
}

/**
 * Serves files under a tag and as the latest release. `files` is a directory, or file contents by name.
 */
export function serveReleases(
  files: string | Readonly<Record<string, string | Uint8Array>>,
  tag: string,
): ReleasesPage {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const name = [`/releases/download/${tag}/`, "/releases/latest/download/"].flatMap((folder) =>
        pathname.startsWith(folder) ? [pathname.slice(folder.length)] : [],
      )[0];
      if (name === undefined) return new Response("not found", { status: 404 });
      if (typeof files === "string") return new Response(Bun.file(join(files, name)));
      const content = Object.hasOwn(files, name) ? files[name] : undefined;
      return content === undefined ? new Response("not found", { status: 404 }) : new Response(content);
    },
  });
  return { url: `http://127.0.0.1:${server.port}/releases`, asked, stop: () => void server.stop(true) };
}
