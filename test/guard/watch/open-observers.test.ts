import { expect, test } from "bun:test";
import { join } from "node:path";
import type { NewEntry } from "../../../src/audit/append.ts";
import { type AuditSettings, DEFAULT_WATCH } from "../../../src/config/user/watch-settings.ts";
import { auditProblem, openAudit } from "../../../src/guard/watch/open-observers.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const open = (data: string, audit: Partial<AuditSettings>, warn: (message: string) => void) =>
  openAudit({
    flags: { "no-audit": undefined, record: undefined, trace: undefined, "record-events": undefined },
    settings: { ...DEFAULT_WATCH, audit: { ...DEFAULT_WATCH.audit, ...audit } },
    directories: { data, config: data, cache: data },
    source: "serve",
    warn,
  });

const ENTRY: Omit<NewEntry, "source"> = { session: "s", event: "stop", hooks: [], decision: "none", ms: 1 };

test("the first line that cannot be written is reported, once for each data directory", async () => {
  const warnings: string[] = [];
  const broken = ["a", "b"].map((name) => join(tempDir({ [`${name}/audit`]: "" }), name));
  const append = async (data: string) => {
    const log = await open(data, { required: true }, (message) => warnings.push(message));
    return [await log?.append(ENTRY), await log?.append(ENTRY)];
  };
  const problems = broken.map(
    (data) => `cannot write the audit log: ${data}/audit/lock: a folder on the way is a file`,
  );
  for (const [index, data] of [...broken, ...broken].entries()) {
    const reason = `${problems[index % 2]}, and settings.audit requires it`;
    expect(await append(data)).toEqual([reason, reason]);
  }
  expect(warnings).toEqual(problems);
  expect(auditProblem()).toBe(problems[0]);
});

test.each([true, false])("entries hold the payload as settings.audit says: %p", async (payload) => {
  expect((await open(tempDir(), { payload }, () => {}))?.holdsPayload).toBe(payload);
});
