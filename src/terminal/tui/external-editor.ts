import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnv } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import { readUserFileSync } from "../../lib/files/read-file.ts";
import { runAttached } from "../../lib/platform.ts";
import { shellCommand } from "../../lib/process/system-shell.ts";

const MAX_BYTES = 8 * 1024 * 1024;

/** The exit code of a shell that has not found the program. */
const NOT_FOUND = 127;

/**
 * Opens a text in the user's editor, $VISUAL or $EDITOR (default: vi), and returns what the user made of it. If the
 * editor fails, returns the text unchanged and tells why.
 */
export async function editExternally(text: string, tell: (problem: string) => void): Promise<string> {
  const env = processEnv();
  const editor = env["VISUAL"] || env["EDITOR"] || "vi";
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(tmpdir(), "hooksh-message-"));
    const file = join(directory, "message.md");
    writeFileSync(file, text, { mode: 0o600 });
    // The variable may hold arguments, EDITOR="code --wait", or be a path with spaces.
    const command = existsSync(editor) ? '"$HOOKSH_EDITOR"' : editor;
    const code = await runAttached([...shellCommand(`${command} "$HOOKSH_MESSAGE"`, env)], {
      ...env,
      HOOKSH_EDITOR: editor,
      HOOKSH_MESSAGE: file,
    });
    if (code === 0) return readUserFileSync(file, { limit: MAX_BYTES }).toString("utf8").trimEnd();
    const reason = code === NOT_FOUND ? "was not found: set EDITOR" : `ended with exit code ${code}`;
    tell(`${editor} ${reason}; the message is unchanged`);
  } catch (error) {
    tell(`${editor}: ${errorText(error)}; the message is unchanged`);
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
  return text;
}
