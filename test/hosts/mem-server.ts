/** An MCP server over standard input with one tool, `add_note`, which creates the file that the first argument names. */

import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const say = (id: unknown, result: object) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "mem", version: "1.0.0" };
    say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") {
    const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    say(id, { tools: [{ name: "add_note", description: "Adds a note", inputSchema }] });
  } else if (method === "tools/call") {
    writeFileSync(process.argv[2] ?? "", "x\n");
    say(id, { content: [{ type: "text", text: "added" }] });
  } else if (id !== undefined) say(id, {});
}
