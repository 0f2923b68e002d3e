import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import type { Directories } from "../../lib/env.ts";
import { tryReadFile, writePrivateFile } from "./private-file.ts";

/** The absolute paths of files that `hooksh agent pull` wrote. */
const FileSchema = v.array(v.string());

type Place = Pick<Directories, "data">;

/** Notes in `pulled.json` of the data directory that a file holds an agent from elsewhere. */
export function addPulledFile(path: string, directories: Place): void {
  const paths = new Set([...(read(directories) ?? []), path]);
  writePrivateFile(listIn(directories), `${JSON.stringify([...paths], undefined, 2)}\n`);
}

/** True if `hooksh agent pull` wrote a file, also if that cannot be read: the file then needs the user's trust. */
export function isPulledFile(path: string, directories: Place): boolean {
  if (!existsSync(listIn(directories))) return false;
  const paths = read(directories);
  return paths === undefined || paths.includes(path) || paths.includes(realpathSync(path));
}

function listIn({ data }: Place): string {
  return join(data, "pulled.json");
}

function read(directories: Place): string[] | undefined {
  const bytes = tryReadFile(listIn(directories));
  try {
    return bytes && v.parse(FileSchema, JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}
