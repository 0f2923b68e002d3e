import { expect, test } from "bun:test";
import { run } from "../../builtins/add_user_info.ts";
import { callBuiltin, sh } from "../helpers/call-builtin.ts";

test("adds the user, the full name and the host, each only if known", async () => {
  const fact = (script: string) => sh("/", script).trim();
  const fullName = fact('grep "^$(id -un):" /etc/passwd | cut -d: -f5 | cut -d, -f1');
  const lines = [
    `User: ${fact("id -un")}`,
    ...(fullName === "" ? [] : [`Full name: ${fullName}`]),
    `Hostname: ${fact("uname -n")}`,
  ];
  const { context } = await callBuiltin(run, { hook_event_name: "session_start" });
  expect(context).toBe(["Current user:", "", ...lines].join("\n"));
});
