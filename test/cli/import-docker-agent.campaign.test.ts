import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { writeAgentDatabase } from "../helpers/docker-agent-database.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("the import of a session does not read a conversation that is larger than a session can be", async () => {
  const cwd = tempDir();
  const database = join(cwd, ".home/.cagent/session.db");
  mkdirSync(join(cwd, ".home"));
  writeAgentDatabase(database, [{ id: "large", items: [{ message: { role: "user", content: "Go." } }] }]);
  const db = new Database(database);
  db.run("UPDATE session_items SET message_json = replace(hex(zeroblob(70 * 1024 * 1024)), '0', ' ')");
  db.close();
  const { sessions, configuration } = JSON.parse((await hooksh(["import", "docker-agent", "--json"], { cwd })).stdout);
  expect([...sessions, ...configuration]).toMatchObject([
    { status: "left", subject: 'session "large"', remarks: ["it has more than 134,217,728 characters"] },
  ]);
});
