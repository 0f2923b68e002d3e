/**
 * Finds the messages in the source: the texts of errors, warnings, notices and refusals, with a word in capitals for each
 * part that differs from one occurrence to the next.
 */
import { join, relative } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import { API } from "typescript/unstable/async";
import { textsOf } from "./template-text.ts";

const ROOT = join(import.meta.dir, "../..");

/** A message of the source. */
export interface FoundMessage {
  /** Its text, such as `unknown flag NAME`. */
  text: string;
  /** The file, relative to the root. */
  file: string;
}

/** Returns the messages in `src` and `builtins`, each once for a file, in the order of files and lines. */
export async function scanMessages(): Promise<FoundMessage[]> {
  const api = new API();
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [join(ROOT, "tsconfig.json")] });
    const [project] = snapshot.getProjects();
    if (!project) throw new Error("tsconfig.json has no project");
    const names = (await project.program.getSourceFileNames()).filter(isScanned).sort();
    const found: FoundMessage[] = [];
    for (const name of names) {
      const source = await project.program.getSourceFile(name);
      if (source) found.push(...messagesIn(source, relative(ROOT, name)));
    }
    return found;
  } finally {
    await api.close();
  }
}

/** Folders and files whose texts are tables, prompts and reports: a user reads them, but nothing went wrong. */
const NO_MESSAGES = [
  "src/records/trace/page/",
  "src/terminal/front-end/banner.ts",
  "src/commands/init/find-project.ts",
  "src/commands/init/starter-files.ts",
  "src/run/headless/event-texts.ts",
  "src/testing/attacks/",
  "src/testing/fuzz/",
  "src/terminal/tui/tool-call/essence.ts",
  "src/records/stats/stats-text.ts",
  "src/terminal/sessions-text.ts",
  "src/hosts/status/hooks-report-text.ts",
  "src/hooks/hooks-text.ts",
  "src/testing/coverage/coverage-text.ts",
  "src/testing/attacks/attacks-text.ts",
  "src/commands/doctor/doctor-text.ts",
  "src/hosts/status/status-text.ts",
  "src/testing/tests-text.ts",
  "src/shell/",
  "src/redaction/generic/",
  "src/redaction/keys/",
  "src/redaction/kinds/",
];

function isScanned(path: string): boolean {
  const file = relative(ROOT, path);
  return /^(src|builtins)\//.test(file) && !NO_MESSAGES.some((start) => file.startsWith(start));
}

function messagesIn(source: SourceFile, file: string): FoundMessage[] {
  const texts = new Set<string>();
  const visit = (node: Node) => {
    for (const expression of messagePositions(node)) {
      for (const text of textsOf(expression).map(oneLine)) if (isMessage(text)) texts.add(text);
    }
    node.forEachChild((child) => void visit(child));
  };
  visit(source);
  return [...texts].map((text) => ({ text, file }));
}

/** Calls whose texts the user reads, by the last part of the callee's name. */
const MESSAGE_CALLS =
  /^#?(warn|warnOnce|warning|problem|note|notice|inform|report|printError|diagnostics|toolError|refuse|refusal|reject|rejection|objection|atChar|settingNote|onProblem|onRepair|onError|brokenAt|fail(ure|ed)?|hostFailure|fatal|error|complaint|break|ended|nonEmpty|regex|check|nack|deny|denyByRule|gap|log|take|always|ifContract|aboutHooks|useCached|orNone|super|attempt|remark|stopTask|stopBackgroundTasks)$/;
const PUSHED = /(problems|issues|warnings|notices|losses|errors|notes|reasons|findings|remarks|list)\.(push|set)$/;
const MESSAGE_NAMES =
  /^(message|problem|reason|error|hint|notice|warning|note|advice|why|objection|refusal|failure|obstacle|system_message|detail|expected|otherwise)$|(Message|Problem|Reason|Notice|Warning|Hint|Refusal|Objection|_MESSAGE|_PROBLEM|_REASON|_NOTICE|_WARNING|_HINT|_ADVICE)$/;

function messagePositions(node: Node): readonly Node[] {
  if (is.isNewExpression(node))
    return /(Error|StopReason)$/.test(node.expression.getText()) ? (node.arguments ?? []) : [];
  if (is.isCallExpression(node)) return isMessageCall(node.expression.getText()) ? node.arguments : [];
  if (is.isPropertyAssignment(node) || is.isVariableDeclaration(node)) {
    return node.initializer && MESSAGE_NAMES.test(node.name.getText()) ? [node.initializer] : [];
  }
  if (is.isReturnStatement(node)) return node.expression ? [node.expression] : [];
  return is.isArrowFunction(node) ? [node.body] : [];
}

function isMessageCall(callee: string): boolean {
  const name = callee.split(/\??\./).at(-1) ?? "";
  return MESSAGE_CALLS.test(name) || PUSHED.test(callee);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** True if a text has two words in a row, so that it is not a name, a path or a command, and is not one of the others. */
function isMessage(text: string): boolean {
  const isSentence =
    /[a-z]{2,},? [a-z]{2,}|[A-Z]{2,} (is|must|has|was|cannot|needs|to|of|in|at)\b|[a-z]{2,} [A-Z]{3,}/.test(text);
  return isSentence && !NO_MESSAGE_TEXTS.some((pattern) => pattern.test(text));
}

/** Texts in the position of a message that are none: prompts, successful results, parts of files and of other texts. */
const NO_MESSAGE_TEXTS: readonly RegExp[] = [
  /^(\[Workflow run\]|<!|<\?xml|# (Tests of|Written by)|#!|\$ |TOOL by SOURCE|- TOOL|export NAME=|HEAD; const|RUN \| \{ READ|\*\*\* Begin Patch)/,
  /^(Another agent has given you|You carry out the skill|Please proceed|Run the skill|CONTENT Follow|This skill comes from|The folder of this skill)/,
  /^(File (written|edited)|Directory (created|removed)|INDEX\. Replaced|Showing the last|HEAD \[|session SESSION · TIME|LINE \.\.\. \(LENGTH)/,
  /^(## hooksh run|### Tool calls|\(without UNPRICED|TEXT: REASON To allow|Basic BUFFER|Bearer KEY|text OUTPUT_INDEX|thought OUTPUT_INDEX|VALUE on PLATFORM|document NAME|the manifest|the upload|standard input|hooks file|yes or no|in line LINE)$/,
  /^(\[called NAME|parse arg|render arg|a list, separated|through hooksh dispatch on|COMMAND under EVENT|tool TOOL runs|calls (API|URL)|connects to|starts the MCP)/,
];
