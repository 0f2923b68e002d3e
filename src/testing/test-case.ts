import type { Routes } from "../config/agent/routes.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import type { PlacedRule } from "../config/rules/load-rules.ts";
import type { Document, Path } from "../config/yaml/document.ts";
import type { DialectName } from "../dialects/names.ts";
import type { EventName } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { Doubles } from "./doubles.ts";
import type { Expect } from "./expectations.ts";
import type { TestHooks } from "./test-hooks.ts";

/** A `*.hooktest.yaml` that was read and checked. */
export interface TestFile {
  /** Absolute. */
  path: string;
  /** The path in messages. */
  name: string;
  document: Document;
  hooks: TestHooks;
  /** In the order of the file. A test with `each` or `fault` is several cases. */
  cases: readonly TestCase[];
  recordings: readonly RecordingTest[];
}

/** One case: one session of its own. */
export interface TestCase {
  /** The name of the test, followed by the item or fault in brackets if the test has several cases. */
  name: string;
  /** The name of the file in messages. */
  file: string;
  document: Document;
  /** The place of the test in its document. */
  path: Path;
  entries: readonly HookEntry[];
  rules: readonly PlacedRule[];
  /** Where they may route to, if they are those of an agent file. */
  routes?: Routes | undefined;
  /** The item of `each` that this case is for; absent if the test has none. */
  item?: { value: unknown };
  doubles: Doubles;
  /** The events in their order; at least one. */
  steps: readonly TestStep[];
  /** Variables of the hooks, in addition to those of this process. */
  env: Readonly<Record<string, string>>;
  /** The absolute directory in which hooks run; undefined if the case has `files`. */
  workingDir: string | undefined;
  /** Files of a temporary directory, in which hooks run. */
  files?: Readonly<Record<string, string>>;
  /** The agent whose bytes carry its events and answers; absent: none does. */
  dialect?: DialectName;
  /** Why the case does not run; empty if no reason is given. */
  skip?: string;
  /** True if only cases with this mark are to run. */
  only: boolean;
  /** What an example beside a rule says; absent for other cases. */
  ruleExample?: RuleExample;
}

/** Whether the only rule of a case must hit. */
export interface RuleExample {
  hits: boolean;
  /** Facts of the event that the example gives. */
  stated: Readonly<Record<string, unknown>>;
}

/** One event of a case. */
export interface TestStep {
  event: EventName;
  payload: Payload;
  expect: Expect;
  /** The place in the document. */
  path: Path;
}

/** A test whose events are recorded (`from`). */
export interface RecordingTest {
  name: string;
  file: string;
  /** The absolute folder of the test file. */
  directory: string;
  document: Document;
  path: Path;
  entries: readonly HookEntry[];
  rules: readonly PlacedRule[];
  doubles: Doubles;
  env: Readonly<Record<string, string>>;
  /** The patterns of the recordings, relative to the folder of the test file. */
  from: readonly string[];
  /** The file that holds the expected verdicts, relative to the folder of the test file. */
  verdicts: string | undefined;
  skip?: string;
  only: boolean;
}
