import { errorText, UserError } from "../lib/errors.ts";
import { write } from "../lib/platform.ts";
import { failureReports, hookReports } from "./report.ts";
import { placeOf, type Reporter, type Summary } from "./reporter.ts";
import type { CaseResult } from "./run-case.ts";
import { failureLines, hookLines } from "./tests-text.ts";

/** The tests of one file, as XML. */
interface Suite {
  name: string;
  cases: string[];
  failures: number;
  errors: number;
  skipped: number;
  milliseconds: number;
}

/**
 * Writes the results to a file in the XML that JUnit's reporters for Ant write, which build servers read: a `testsuite`
 * for each file, a `testcase` for each test. The file is written at the end, or a {@link UserError} says why not.
 */
export function junitReporter(path: string): Reporter {
  const suites: Suite[] = [];
  const suiteOf = (name: string): Suite => {
    const known = suites.find((suite) => suite.name === name);
    if (known) return known;
    const suite = { name, cases: [], failures: 0, errors: 0, skipped: 0, milliseconds: 0 };
    suites.push(suite);
    return suite;
  };
  return {
    result: async (result) => {
      const suite = suiteOf(result.test.file);
      suite.cases.push(await testcase(result));
      suite.milliseconds += result.milliseconds;
      if (result.status === "skipped") suite.skipped++;
      else if (result.error !== undefined) suite.errors++;
      else if (result.status === "failed") suite.failures++;
    },
    broken: async (name, problems) => {
      const suite = suiteOf(name);
      suite.errors++;
      const error = element("error", { message: problems[0] ?? "", type: "invalid" }, escape(problems.join("\n")));
      suite.cases.push(element("testcase", { name: "the file is valid", classname: name, time: "0" }, error));
    },
    end: async (summary) => {
      await write(path, document(suites, summary)).catch((error: unknown) => {
        throw new UserError(`${path}: cannot be written: ${errorText(error)}`, { cause: error });
      });
    },
  };
}

function document(suites: readonly Suite[], { milliseconds }: Summary): string {
  const total = (key: "failures" | "errors" | "skipped") => suites.reduce((sum, suite) => sum + suite[key], 0);
  const tests = suites.reduce((sum, suite) => sum + suite.cases.length, 0);
  const counts = { tests, failures: total("failures"), errors: total("errors"), time: seconds(milliseconds) };
  const body = suites.map((suite) => {
    const { name, cases, failures, errors, skipped } = suite;
    const own = { name, tests: cases.length, failures, errors, skipped, time: seconds(suite.milliseconds) };
    return element("testsuite", own, `\n${cases.join("\n")}\n`);
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "hooksh test", ...counts }, `\n${body.join("\n")}\n`)}\n`;
}

async function testcase(result: CaseResult): Promise<string> {
  const { test, status, error, milliseconds, observed } = result;
  const attributes = { name: test.name, classname: test.file, time: seconds(milliseconds) };
  if (status === "skipped") return element("testcase", attributes, element("skipped", { message: test.skip ?? "" }));
  if (status === "passed") return element("testcase", attributes);
  const { file, line, column } = await placeOf(result);
  const lines = failureReports(result).flatMap(failureLines);
  const hooks = (await Promise.all(observed.map(hookReports))).flat().flatMap(hookLines);
  const text = [`${file}:${line}:${column}`, ...(error === undefined ? [] : [error]), ...lines, ...hooks].join("\n");
  const kind = error === undefined ? "failure" : "error";
  const type = error === undefined ? (result.failures[0]?.key ?? "") : "error";
  return element("testcase", attributes, element(kind, { message: error ?? lines.join("; "), type }, escape(text)));
}

/** Formats an element. The content is XML already. */
function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ""): string {
  const shown = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(String(value))}"`);
  const open = `<${name}${shown.join("")}`;
  return content === "" ? `${open}/>` : `${open}>${content}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
};

/** Escapes text for XML. Characters that XML 1.0 cannot contain become U+FFFD. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"\n\r\t]/g, (character) => ENTITIES[character] ?? character);
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
