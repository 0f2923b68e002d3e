import { relative, resolve } from "node:path";
import type { Env } from "../lib/env.ts";
import { escapeControlsInLines } from "../lib/text/escape-controls.ts";

/** True in a step of a GitHub workflow, whose log may contain workflow commands. */
export function isInGitHubWorkflow(env: Env): boolean {
  return env["GITHUB_ACTIONS"] === "true";
}

/** A place in a file; line and column count from 1. */
export interface AnnotatedPlace {
  file: string;
  line?: number | undefined;
  column?: number | undefined;
}

export interface AnnotationParts {
  title: string;
  message: string;
  place: AnnotatedPlace | undefined;
  env: Env;
}

/**
 * Returns the workflow command that shows a message in the summary of a run and, if the file is part of the repository,
 * at its line. The format: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
export function annotation(level: "error" | "warning", { title, message, place, env }: AnnotationParts): string {
  const properties = { ...placeInRepository(place, env), title };
  const shown = Object.entries(properties).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escapeProperty(String(value))}`],
  );
  return `::${level} ${shown.join(",")}::${escapeData(escapeControlsInLines(message))}`;
}

function placeInRepository(place: AnnotatedPlace | undefined, env: Env) {
  if (!place) return {};
  const file = relative(env["GITHUB_WORKSPACE"] || resolve("."), resolve(place.file));
  return file.startsWith("..") ? {} : { file, line: place.line, col: place.column };
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(escapeControlsInLines(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/**
 * Returns a text in which no line is a workflow command, so that a model or a tool cannot give the runner orders. The
 * runner reads both output streams, ignores spaces before `::`, and finds the older form `##[command]` anywhere in a
 * line: https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs. The escapes keep the value of
 * JSON. `::stop-commands::` would not do: the order of lines on two streams is undefined, and it would be part of an
 * answer that a script reads.
 */
export function escapeWorkflowCommands(text: string): string {
  return text.replace(COMMAND_START, "$1$2\\u003a").replaceAll("##[", "#\\u0023[");
}

/** The first colon of `::` at the start of a line, after spaces and invisible characters. */
const COMMAND_START = /(^|[\r\n])((?:(?![\r\n])[\s\p{Cc}\p{Cf}])*):(?=:)/gu;
