import type { Env } from "./env.ts";

/**
 * The program and arguments that run a command text through the platform's shell: `$SHELL -c` on Unix, `/bin/sh -c`
 * without it; PowerShell, else `cmd.exe`, on Windows.
 *
 * Source: hooks 5.4, config-and-cli 5.1.
 */
export function shellCommand(text: string, env: Env): string[] {
  if (process.platform !== "win32") return [env["SHELL"] || "/bin/sh", "-c", text];
  const powershell = Bun.which("pwsh") ?? Bun.which("powershell");
  if (powershell) return [powershell, "-NoProfile", "-NonInteractive", "-Command", text];
  return [env["ComSpec"] || "C:\\Windows\\System32\\cmd.exe", "/C", text];
}
