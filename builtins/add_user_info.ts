import { hostname } from "node:os";
import { readRegularFile } from "../src/lib/files/read-file.ts";
import { runProcess } from "../src/lib/process/process.ts";
import { type BuiltinContext, defineBuiltin } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";

const ACCOUNTS_LIMIT = 16 * 1024 * 1024;

interface Account {
  name: string;
  fullName: string;
}

/** Adds the user's name and the host name, without those that are not known. */
export const run = defineBuiltin(async (input, _args, context) => {
  const account = process.platform === "darwin" ? await askSystem(context) : await readAccount();
  const { env } = context;
  const facts = [
    ["User", account.name || env["USER"] || env["LOGNAME"] || env["USERNAME"] || ""],
    ["Full name", account.fullName],
    ["Hostname", hostname()],
  ] as const;
  const lines = facts.filter(([, value]) => value.trim() !== "").map(([label, value]) => `${label}: ${value}`);
  return lines.length === 0 ? undefined : contextOutput(input.hook_event_name, `Current user:\n\n${lines.join("\n")}`);
});

/** This user's entry in /etc/passwd, if there is one. The full name ends at the first comma. */
async function readAccount(): Promise<Account> {
  const accounts = process.getuid ? await readAccounts() : "";
  const id = String(process.getuid?.());
  const fields =
    accounts
      .split("\n")
      .map((line) => line.split(":"))
      .find((entry) => entry[2] === id) ?? [];
  return { name: fields[0] ?? "", fullName: fields[4]?.split(",")[0]?.trim() ?? "" };
}

/** The text of /etc/passwd; empty if it cannot be read. */
async function readAccounts(): Promise<string> {
  return readRegularFile("/etc/passwd", { limit: ACCOUNTS_LIMIT }).then(
    (bytes) => bytes.toString("utf8"),
    () => "",
  );
}

/** macOS keeps accounts in a directory service. */
async function askSystem({ env, signal }: BuiltinContext): Promise<Account> {
  const ask = async (flag: string) => {
    const command = ["/usr/bin/id", flag];
    const { stdout } = await runProcess({
      command,
      cwd: "/",
      env,
      signal,
      deadlineMs: 5000,
      stdoutLimit: 1024,
      stderrLimit: 0,
    });
    return stdout.trim();
  };
  const [name, fullName] = await Promise.all([ask("-un"), ask("-F")]);
  return { name, fullName };
}
