import { isDigest, NO_LINE } from "../../audit/entry.ts";
import { auditFolder } from "../../audit/files.ts";
import {
  AUDIT_CHAIN_BROKEN,
  type ChainProblem,
  filesOfLog,
  fileToVerify,
  type Verification,
  verifyFiles,
} from "../../audit/verify.ts";
import { directoriesOf } from "../../cli/global-flags.ts";
import { print, printError } from "../../cli/print.ts";
import { EXIT_CODES, UsageError } from "../../lib/errors.ts";
import { counted } from "../../lib/text/counted.ts";
import type { AuditInput } from "./audit-input.ts";

/** `hooksh audit verify`: verifies the whole log, or some of its files. */
export async function verifyLog({ flags }: AuditInput, paths: readonly string[]): Promise<number> {
  const { expect } = flags;
  if (expect !== undefined && !isDigest(expect)) throw new UsageError(`--expect ${expect}: not a digest, sha256:HEX`);
  const isComplete = paths.length === 0;
  const files = isComplete ? await filesOfLog(auditFolder(directoriesOf(flags).data)) : paths.map(fileToVerify);
  const verified = verifyFiles(files, { isComplete, expect });
  const isMissing = expect !== undefined && !verified.hasExpected && !isBroken(verified);
  const isValid = verified.problems.length === 0 && !isMissing;
  if (flags.json) {
    const { hasExpected: _hasExpected, ...shown } = verified;
    await print(
      JSON.stringify({ valid: isValid, ...shown, ...(expect === undefined ? {} : { expected: !isMissing }) }),
    );
  } else {
    for (const problem of verified.problems) printError(problemText(problem));
    if (isMissing) printError(missingText(expect, verified));
    if (!isBroken(verified)) await print(summary(verified));
  }
  return isValid ? EXIT_CODES.ok : EXIT_CODES.failed;
}

function isBroken({ problems }: Verification): boolean {
  return problems.some(({ expected }) => expected !== undefined);
}

function problemText({ file, line, message, expected, found }: ChainProblem): string {
  const digests = expected === undefined ? "" : `\n  expected ${expected}\n  found    ${found}`;
  return `${file}:${line}: ${message}${digests}`;
}

function missingText(expected: string, { head }: Verification): string {
  return (
    "no line has the expected digest: lines were cut off the end, or the log was replaced\n" +
    `  expected ${expected}\n  head     ${head}`
  );
}

missingText.help = AUDIT_CHAIN_BROKEN;

function summary({ files, lines, head, start, problems }: Verification): string {
  if (lines === 0) return "there are no lines to verify: no decision was logged yet, or the log was removed";
  const verdict = problems.length === 0 ? "every line continues the line before it" : "the chain itself is whole";
  const rows = [`${counted(lines, "line")} in ${counted(files, "file")}: ${verdict}`];
  if (start !== NO_LINE) rows.push(`start ${start}: the first line continues this digest`);
  rows.push(`head  ${head}`);
  rows.push(
    "Lines cut off the end break no chain: keep the head elsewhere, and pass it to audit verify --expect later.",
  );
  return rows.join("\n");
}
