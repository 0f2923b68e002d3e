import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, resolve, sep, win32 } from "node:path";
import { homeDirectory } from "../src/lib/env.ts";
import { errorText } from "../src/lib/errors.ts";
import { cutBytes } from "../src/lib/text.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";

const FILE_LIMIT = 256 * 1024;
const TOTAL_LIMIT = 1024 * 1024;
const TRUNCATED = "\n... (truncated)";

/**
 * Adds the contents of the named files: of each the nearest one at or above the working directory, and the one in the
 * home directory. Read anew each time.
 *
 * Source: hooks 11.2.
 */
export const run = defineBuiltin(async (input, names, { env, log }) => {
  if (input.cwd === "") return undefined;
  const home = homeDirectory(env);
  const contents: string[] = [];
  for (const name of names) {
    if (!staysInside(name)) {
      log("warn", `add_prompt_files: ${JSON.stringify(name)} must name a file inside the directory`);
      continue;
    }
    for (const path of await findFiles(name, input.cwd, home)) {
      try {
        contents.push(await readBeginning(path));
      } catch (error) {
        log("warn", `add_prompt_files: ${path}: ${errorText(error)}`);
      }
    }
  }
  const text = contents.join("\n\n");
  const cut = cutBytes(text, TOTAL_LIMIT);
  return contextOutput(input.hook_event_name, cut === text ? text : cut + TRUNCATED);
});

function staysInside(name: string): boolean {
  const plain = normalize(name);
  return name !== "" && !isAbsolute(name) && !win32.isAbsolute(name) && plain !== ".." && !plain.startsWith(`..${sep}`);
}

async function findFiles(name: string, cwd: string, home: string): Promise<string[]> {
  const found: string[] = [];
  for (let at = resolve(cwd); ; at = dirname(at)) {
    if (await isNoDirectory(join(at, name))) found.push(join(at, name));
    if (found.length > 0 || dirname(at) === at) break;
  }
  const own = home === "" ? undefined : resolve(home, name);
  if (own !== undefined && !found.includes(own) && (await isNoDirectory(own))) found.push(own);
  return found;
}

async function isNoDirectory(path: string): Promise<boolean> {
  return stat(path).then((found) => !found.isDirectory(), () => false);
}

/** Opened without waiting, because a FIFO would keep us until somebody writes to it. */
async function readBeginning(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error("not a regular file");
    const buffer = Buffer.alloc(Math.min(found.size, FILE_LIMIT + 4)); // 4: enough to see that a character is cut
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const text = buffer.toString("utf8", 0, bytesRead);
    return bytesRead > FILE_LIMIT ? cutBytes(text, FILE_LIMIT) + TRUNCATED : text;
  } finally {
    await file.close();
  }
}
