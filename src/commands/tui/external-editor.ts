import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnv } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import { runAttached } from "../../lib/platform.ts";
import { shellCommand } from "../../lib/process/system-shell.ts";

/**
 * Opens a text in the user's editor, $VISUAL or $EDITOR (default: vi), and returns what the user made of it. If the
 * editor fails, returns the text unchanged and tells why.
 */
export async function editExternally(text: string, tell: (problem: string) => void): Promise<string> {
  const env = processEnv();
  const editor = env["VISUAL"] || env["EDITOR"] || "vi";
  const directory = mkdtempSync(join(tmpdir(), "hooksh-message-"));
  const file = join(directory, "message.md");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // The variable may hold arguments: EDITOR="code --wait"
    const code = await runAttached([...shellCommand(`${editor} "$HOOKSH_MESSAGE"`, env)], {
      ...env,
      HOOKSH_MESSAGE: file,
    });
    if (code === 0) return readFileSync(file, "utf8").trimEnd();
    tell(`${editor} ended with exit code ${code}: the message is unchanged`);
  } catch (error) {
    tell(`${editor} could not be started: ${errorText(error)}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return text;
}
