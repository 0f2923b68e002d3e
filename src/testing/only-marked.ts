import { positionOf } from "../config/yaml/document.ts";
import type { Env } from "../lib/env.ts";
import type { RecordingTest, TestCase, TestFile } from "./test-case.ts";

/** The tests to run where some are marked `only`, and the marks that must not be there. */
export interface MarkedTests {
  files: readonly TestFile[];
  refused: { name: string; problems: readonly string[] }[];
}

/**
 * Leaves only the tests that are marked `only`, if any is. Says so in a warning; under CI, where it would hide the other
 * tests for good, each mark is a problem and all tests run.
 */
export function onlyMarked(
  files: readonly TestFile[],
  env: Env,
  warn: (message: string) => void,
): Promise<MarkedTests> {
  const all = files.flatMap(testsOf);
  const marked = all.filter(({ only }) => only);
  if (marked.length === 0) return Promise.resolve({ files, refused: [] });
  if (env["CI"] && env["CI"] !== "false") return refuse(files);
  warn(`only: ${marked.length} of ${all.length} tests run, because only they are marked so`);
  const isMarked = ({ only }: { only: boolean }) => only;
  return Promise.resolve({
    files: files.map((file) => ({
      ...file,
      cases: file.cases.filter(isMarked),
      recordings: file.recordings.filter(isMarked),
    })),
    refused: [],
  });
}

async function refuse(files: readonly TestFile[]): Promise<MarkedTests> {
  const refused = files.map(async (file) => {
    const places = testsOf(file)
      .filter(({ only }) => only)
      .map(async ({ document, path }) => {
        const { line, column } = await positionOf(document, [...path, "only"], "key");
        return `${file.name}:${line}:${column}: only is for your own machine: under CI it would hide the other tests`;
      });
    return { name: file.name, problems: [...new Set(await Promise.all(places))] };
  });
  return { files, refused: (await Promise.all(refused)).filter(({ problems }) => problems.length > 0) };
}

function testsOf({ cases, recordings }: TestFile): (TestCase | RecordingTest)[] {
  return [...cases, ...recordings];
}
