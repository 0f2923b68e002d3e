import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../../src/lib/env.ts";
import { UserError } from "../../../src/lib/errors.ts";
import { settled } from "../../helpers/settled.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

const SERVER = join(import.meta.dir, "../../fixtures/mcp/server.ts");

/** A directory with a docker command that runs the given shell text. */
function dockerThat(text: string): { directory: string; env: Record<string, string> } {
  const directory = temporaryDirectory();
  const file = join(directory, "docker");
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return { directory, env: { ...processEnv(), PATH: `${directory}:/usr/bin:/bin` } };
}

const GATEWAY = `
echo "$@" >> "$(dirname "$0")/calls"
[ "$2" = version ] && exit 0
exec "${process.execPath}" "${SERVER}"`;

test("a server of the catalog runs behind the gateway under its name in the catalog", async () => {
  const { directory, env } = dockerThat(GATEWAY);
  const toolset = await makeToolset("mcp", directory, { ref: "docker:duckduckgo" }, { env });
  expect(toolset.tools[0]?.qualifiedName).toBe("mcp:duckduckgo:echo");
  expect((await call(toolset, "look", {}, toolContext("/"))).text).toBe("no output");
  await toolset.close?.();
  expect(readFileSync(join(directory, "calls"), "utf8")).toBe("mcp version\nmcp gateway run --servers duckduckgo\n");
});

test("its settings are in a file that only the user can read, as long as it runs", async () => {
  const { directory, env } = dockerThat(GATEWAY);
  const toolset = await makeToolset("mcp", directory, { ref: "docker:hub", config: { team: "a" } }, { env });
  const file = / --config (\S+)/.exec(readFileSync(join(directory, "calls"), "utf8"))?.[1] ?? "";
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Bun.YAML.parse(readFileSync(file, "utf8"))).toEqual({ hub: { team: "a" } });
  await toolset.close?.();
  expect(existsSync(file)).toBe(false);
});

test.each([
  ["without the plugin", "exit 1", "needs the MCP plugin of the docker command: install"],
  ["with a gateway that fails", '[ "$2" = version ] && exit 0; echo "no such server" >&2; exit 1', "no such server"],
])("%s it says what is wrong", async (_name, text, message) => {
  const { directory, env } = dockerThat(text);
  const made = await settled(makeToolset("mcp", directory, { ref: "docker:x" }, { env }));
  expect(made).toThrow(UserError);
  expect(made).toThrow(message);
});

test("without the docker command it says what is wrong", async () => {
  const directory = temporaryDirectory();
  const made = makeToolset("mcp", directory, { ref: "docker:x" }, { env: { PATH: directory } });
  expect(await settled(made)).toThrow("needs the docker command: install");
});

test("a name that could be a flag is refused", async () => {
  expect(await settled(makeToolset("mcp", "/", { ref: "docker:--privileged" }))).toThrow("is not a valid server name");
});
