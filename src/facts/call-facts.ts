import { resolve } from "node:path";
import type { DecodedTool } from "../dialects/dialect.ts";
import { once } from "../lib/once.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type * as Redaction from "../redaction/redact.ts";
import type * as Classify from "../shell/classify.ts";
import { quoteWord } from "../shell/quote-word.ts";
import type { CallFacts, Step } from "./facts.ts";
import { allTexts } from "./input-fields.ts";
import type { Place } from "./place.ts";
import type * as ShellSteps from "./shell-steps.ts";
import { certaintyIn, toolStep } from "./tool-step.ts";
import type * as Touches from "./tool-touches.ts";
import type { ToolUse } from "./tool-touches.ts";
import { isPosix, namesOf, serverOf, takesLine, toolUse } from "./tool-use.ts";

/** What is known about a call beside its payload. */
export interface CallOptions {
  /** Further names of the tool, those of the host. */
  toolNames: readonly string[];
  /** The call as the host made it; undefined for an event of hooksh itself. */
  tool: DecodedTool | undefined;
  place: Place;
}

/**
 * The facts of the call that an event is about, computed when they are asked for, once. The code that reads command lines,
 * and that of labels, is large: it is loaded with the first fact that needs it.
 */
export function callFacts(payload: Payload, { toolNames, tool, place }: CallOptions): CallFacts {
  const use = toolUse(payload, tool, toolNames);
  const read = once(() => (use.class === "runs-commands" ? commandSteps(use, tool, place) : fileSteps(use, place)));
  const safety = once(() => safetyOf(use, read(), place));
  return {
    tools: namesOf(payload, toolNames),
    class: use.class,
    server: serverOf(payload, tool, toolNames),
    input: use.input,
    get steps() {
      return read().steps;
    },
    get readable() {
      return read().readable;
    },
    get exact() {
      return read().exact;
    },
    get safety() {
      return safety();
    },
    secrets: once(() => secretsIn(use.input)),
  };
}

/** What a call does, and how well it is known. */
interface ReadCall {
  steps: readonly Step[];
  readable: boolean;
  exact: boolean;
  /** The command line that the label is about. */
  line?: string;
}

/** Commands that end or show a program which another call started. */
const LOOKS = /output|list|kill|stop|last/i;

/** The steps of the command line in a call. */
function commandSteps(use: ToolUse, tool: DecodedTool | undefined, place: Place): ReadCall {
  const row = tool?.row;
  const { cmd, cwd } = use.input;
  const hasLine = takesLine(use, tool);
  if (!hasLine || (row?.runsHidden && cmd === undefined)) {
    const opaque = hasLine || use.isDeclared || !LOOKS.test(use.name);
    return { steps: [toolStep({ opaque }, place)], readable: true, exact: true };
  }
  if (typeof cmd !== "string" || (cwd !== undefined && cwd !== null && typeof cwd !== "string")) return unread(place);
  const line =
    row?.interpreter === undefined ? cmd : `${row.interpreter} ${CODE_OPTION.get(row.interpreter)} ${quoteWord(cmd)}`;
  const { shellSteps } = require("./shell-steps.ts") as typeof ShellSteps;
  const directory = directoryOf(cwd, place);
  // What is known of a place is kept with it.
  const at = directory === place.cwd ? place : { ...place, cwd: directory };
  const read = shellSteps(line, { place: at, directory: "", posix: isPosix(use, tool, place.env) });
  if (!read.complete) return { ...unread(place), line };
  const steps = read.steps.length > 0 ? read.steps : [toolStep({}, place)];
  const hides = row?.runsHidden === true || row?.interpreter !== undefined;
  if (hides) for (const step of steps) Object.defineProperty(step, "opaque", { value: true });
  return { steps, readable: true, exact: read.exact && !hides, line };
}

/** The option with which an interpreter takes code. */
const CODE_OPTION = new Map([
  ["node", "-e"],
  ["python3", "-c"],
]);

function directoryOf(cwd: unknown, { cwd: base, home }: Place): string {
  if (typeof cwd !== "string") return base;
  return resolve(
    base,
    cwd.replace(/^~(?=\/|$)/, () => home),
  );
}

function fileSteps(use: ToolUse, place: Place): ReadCall {
  const { toolTouches } = require("./tool-touches.ts") as typeof Touches;
  const touches = toolTouches(use);
  return touches.readable ? { steps: [toolStep(touches, place)], readable: true, exact: true } : unread(place);
}

/** A call whose input cannot be read as the tool's may do anything. */
function unread(place: Place): ReadCall {
  return { steps: [toolStep({}, place)], readable: false, exact: false };
}

/** The label. A call that may read credentials is never safe. */
function safetyOf(use: ToolUse, { steps, readable, line }: ReadCall, place: Place): CallFacts["safety"] {
  const label = use.class === "runs-commands" ? labelOfLine(line) : labelOfTool(use);
  const isHidden = !readable || (use.class === "runs-commands" && steps.some(({ opaque }) => opaque));
  if (label !== "safe") return label;
  const readsOne = steps.some(({ reads }) => certaintyIn("credentials", reads, place) !== "no");
  return isHidden || readsOne ? "unknown" : "safe";
}

function labelOfLine(line: string | undefined): CallFacts["safety"] {
  if (line === undefined) return "unknown";
  const { classifyCommand } = require("../shell/classify.ts") as typeof Classify;
  return classifyCommand(line).label;
}

function labelOfTool(use: ToolUse): CallFacts["safety"] {
  return use.readOnly || use.class === "reads-files" ? "safe" : "unknown";
}

/** The kinds of secrets in the texts of an input. The tables of secrets are large, so they are loaded when they are needed. */
function secretsIn(input: Payload): string[] {
  const { findSecrets } = require("../redaction/redact.ts") as typeof Redaction;
  return [...new Set(allTexts(input).flatMap((text) => findSecrets(text).map(({ kind }) => kind)))];
}
