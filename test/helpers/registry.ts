import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

/** An image registry on loopback, for one test. */
export interface TestRegistry {
  /** `127.0.0.1:PORT` */
  host: string;
  stop(): Promise<void>;
}

/** True if the program `docker-registry` is installed; otherwise the tests that need it are skipped. */
export const hasRegistry = Bun.which("docker-registry") !== null;

if (!hasRegistry)
  console.warn(
    "docker-registry is not installed: tests against a real registry are left out (apt-get install docker-registry)",
  );

/** Starts a registry; with `htpasswd`, one that asks for a name and password. */
export async function startRegistry(htpasswd?: string): Promise<TestRegistry> {
  const dir = tempDir(htpasswd === undefined ? {} : { htpasswd });
  const auth =
    htpasswd === undefined ? "" : `auth:\n  htpasswd:\n    realm: test\n    path: ${join(dir, "htpasswd")}\n`;
  for (let attempt = 0; attempt < 5; attempt++) {
    const host = `127.0.0.1:${freePort()}`;
    const config = join(dir, "config.yml");
    await Bun.write(
      config,
      `version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: ${join(dir, "data")}\nhttp:\n  addr: ${host}\n${auth}`,
    );
    const child = Bun.spawn(["docker-registry", "serve", config], { stdout: "ignore", stderr: "ignore" });
    if (await answers(`http://${host}/v2/`, child)) {
      return {
        host,
        stop: async () => {
          child.kill("SIGKILL");
          await child.exited;
        },
      };
    }
    child.kill("SIGKILL");
  }
  throw new Error("docker-registry does not start");
}

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}

async function answers(url: string, child: Bun.Subprocess): Promise<boolean> {
  while (child.exitCode === null) {
    if (
      await fetch(url).then(
        ({ status }) => status === 200 || status === 401,
        () => false,
      )
    )
      return true;
    await Bun.sleep(25);
  }
  return false;
}
