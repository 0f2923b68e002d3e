import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { userConfigPath } from "../../config/user/user-config.ts";
import { type Document, parseDocument, readDocument } from "../../config/yaml/document.ts";
import { type Directories, processEnv } from "../../lib/env.ts";
import { isObject } from "../../lib/json.ts";
import { openStore } from "../../runtime/store/store.ts";
import { importConfig } from "./import-config.ts";
import { importDropIns } from "./import-drop-ins.ts";
import { importSessions } from "./import-sessions.ts";
import { type SourcePlaces, shownPath as show, sourcePlaces } from "./places.ts";
import type { ImportedRow, ImportReport } from "./report.ts";
import { openSessionDatabase, type SessionDatabase } from "./session-database.ts";

export interface DockerAgentImport {
  /** `--from`: a directory or a session database; docker-agent's own directories by default. */
  from: string | undefined;
  directories: Directories;
  /** Reads and checks everything, and writes nothing. */
  dryRun: boolean;
}

/**
 * Imports docker-agent's sessions, aliases and user configuration. Changes no file of docker-agent, and nothing that
 * hooksh already has, so that a second run imports only what is new. Throws a `UserError`, before it writes anything,
 * if a file cannot be read.
 */
export async function importDockerAgent({ from, directories, dryRun }: DockerAgentImport): Promise<ImportReport> {
  const places = sourcePlaces(from, processEnv());
  const config = await configDocument(places);
  const db = places.sessions === undefined ? undefined : openSessionDatabase(places.sessions);
  try {
    const target = { directories, dryRun };
    return {
      sessions: sessionRows(db, show(places.sessions ?? ""), target),
      configuration: [...(await configRows(places, config, target)), ...leftRows(places, directories)],
    };
  } finally {
    db?.close();
  }
}

type Target = Pick<DockerAgentImport, "directories" | "dryRun">;

function sessionRows(db: SessionDatabase | undefined, place: string, { directories, dryRun }: Target): ImportedRow[] {
  if (!db) return [];
  const store = openStore(join(directories.data, "session.db"));
  try {
    return importSessions({ db, store, place, dryRun });
  } finally {
    store.close();
  }
}

/**
 * Returns docker-agent's configuration. As in docker-agent, `aliases.yaml` of early versions counts if the configuration
 * has no aliases.
 */
async function configDocument({ config, aliases }: SourcePlaces): Promise<readonly Document[]> {
  const documents = config === undefined ? [] : [await readDocument(config, show(config))];
  if (aliases === undefined || documents.some(({ value }) => isObject(value) && "aliases" in value)) return documents;
  const early = await readDocument(aliases, show(aliases));
  return [...documents, await parseDocument(JSON.stringify({ aliases: early.value }), early.file)];
}

async function configRows(
  { configDirectory }: SourcePlaces,
  documents: readonly Document[],
  { directories, dryRun }: Target,
): Promise<ImportedRow[]> {
  if (configDirectory !== undefined && isSame(configDirectory, directories.config))
    return [
      { place: show(configDirectory), status: "present", subject: "configuration", remarks: ["hooksh reads it too"] },
    ];
  const rows: ImportedRow[] = [];
  for (const source of documents)
    rows.push(...(await importConfig({ source, target: userConfigPath(directories), dryRun })));
  if (configDirectory !== undefined)
    rows.push(...(await importDropIns({ from: configDirectory, to: directories.config, dryRun })));
  return rows;
}

function isSame(a: string, b: string): boolean {
  return existsSync(a) && existsSync(b) && realpathSync(a) === realpathSync(b);
}

/** Returns what exists and is not imported. Keys are secrets: the user copies them. */
function leftRows({ configDirectory, others, sessions }: SourcePlaces, directories: Directories): ImportedRow[] {
  const env = join(configDirectory ?? "", ".env");
  const isKept = configDirectory !== undefined && existsSync(env) && !isSame(configDirectory, directories.config);
  const copy = `hooksh does not copy keys: cp -p ${show(env)} ${show(join(directories.config, ".env"))}`;
  return [
    ...(isKept ? [{ place: show(env), status: "left", subject: "keys", remarks: [copy] } as const] : []),
    ...others.map(
      (name): ImportedRow => ({
        place: show(join(sessions ?? "", "..", name)),
        status: "left",
        subject: name,
        remarks: ["hooksh does not read it"],
      }),
    ),
  ];
}
