import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readConfigDirectory } from "../../config/hooks/config-directory.ts";
import { asHooksDocument, loadHooksDocument } from "../../config/hooks/hook-sources.ts";
import { readDocument } from "../../config/yaml/document.ts";
import { ConfigError, errorText, UserError } from "../../lib/errors.ts";
import { shownPath } from "./places.ts";
import type { ImportedRow } from "./report.ts";

/** The configuration directories of docker-agent and hooksh. */
export interface DropInImport {
  from: string;
  to: string;
  dryRun: boolean;
}

/** Copies the hooks files of docker-agent's `hooks.d` that hooksh does not have. Returns the outcome of each. */
export async function importDropIns({ from, to, dryRun }: DropInImport): Promise<ImportedRow[]> {
  const { dropIns, notices } = readConfigDirectory(from);
  const rows = notices.map(
    (notice): ImportedRow => ({ place: shownPath(from), status: "left", subject: notice, remarks: [] }),
  );
  for (const path of dropIns) {
    const target = join(to, "hooks.d", basename(path));
    const outcome = await outcomeOf(path, target);
    if (outcome.status === "imported" && !dryRun) copy(path, target);
    rows.push({ place: shownPath(path), subject: "hooks", ...outcome });
  }
  return rows;
}

async function outcomeOf(path: string, target: string): Promise<Pick<ImportedRow, "status" | "remarks">> {
  try {
    const document = await readDocument(path, shownPath(path));
    if (existsSync(target)) {
      const isSame = readFileSync(target, "utf8") === document.text;
      return isSame
        ? { status: "present", remarks: [] }
        : { status: "conflict", remarks: [`hooksh has another ${basename(target)} and keeps it`] };
    }
    await loadHooksDocument(asHooksDocument(document));
    return { status: "imported", remarks: [] };
  } catch (error) {
    if (error instanceof ConfigError) return { status: "left", remarks: error.problems };
    throw error;
  }
}

function copy(path: string, target: string): void {
  try {
    mkdirSync(join(target, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(target, readFileSync(path), { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw new UserError(`${target}: cannot be written: ${errorText(error)}`, { cause: error });
  }
}
