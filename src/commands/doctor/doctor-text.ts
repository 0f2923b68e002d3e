import { STATES } from "../../hosts/status/status-text.ts";
import { columnsOf } from "../../lib/platform.ts";
import {
  type DirectoryState,
  type DoctorReport,
  type ProgramState,
  type VariableState,
  WORKS,
} from "./doctor-report.ts";

/** Formats the report as text: what was found, then the notes, warnings and issues. */
export function renderDoctor(report: DoctorReport): string {
  const { version, commit, bun, platform } = report.version;
  const runner = report.model_runner;
  const sections = [
    [`hooksh ${version} (commit ${commit.slice(0, 12)}, Bun ${bun}, ${platform})`],
    [
      "Directories",
      ...table(Object.entries(report.directories).map(([name, state]) => [name, state.path, describe(state)])),
    ],
    ["Variables (where they are set)", ...variables(report.variables)],
    [
      "Programs",
      ...table(Object.entries(report.programs).map(([name, state]) => [name, programText(state)])),
      ...(runner ? [`  Docker Model Runner ${runner.answers ? "answers" : "does not answer"} at ${runner.url}`] : []),
    ],
    report.local_models.length === 0
      ? []
      : [
          "Local models",
          ...table(report.local_models.map(({ provider, url, models }) => [provider, url, shortList(models)])),
        ],
    [
      "Hooks",
      `  ${report.hooks.user} of the user`,
      ...(report.hooks.agent === undefined ? [] : [`  ${report.hooks.agent} of the agent`]),
    ],
    report.hosts.length === 0
      ? []
      : ["Agents with hooksh", ...table(report.hosts.map(({ host, state }) => [host, STATES[state](host)]))],
    list("Notes", report.notes),
    list("Warnings", report.warnings),
    list("Issues", report.issues),
  ];
  return [...sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")), ending(report)].join(
    "\n\n",
  );
}

function ending({ issues, warnings }: DoctorReport): string {
  if (issues.length === 0) return warnings.length === 0 ? "No issues found." : "No issues found; see the warnings.";
  return issues.length === 1 ? "1 issue found." : `${issues.length} issues found.`;
}

function describe({ exists, writable, temporary }: DirectoryState): string {
  const state = exists ? (writable ? "writable" : "not writable") : writable ? "not created yet" : "cannot be created";
  return temporary ? `${state}, temporary` : state;
}

/** The output of a working program contains its name, except for the shell. */
function programText({ command, found, detail }: ProgramState): string {
  if (!found) return `${command} does not work: ${detail}`;
  return detail === WORKS ? command : detail;
}

function variables(found: readonly VariableState[]): string[] {
  if (found.length === 0) return ["  none"];
  return table(
    found.map(({ name, source, empty, url }) => [
      name,
      [source, ...(empty ? ["empty"] : []), ...(url ? [url] : [])].join(", "),
    ]),
  );
}

const SHOWN_MODELS = 5;

function shortList(models: readonly string[]): string {
  const shown = models.slice(0, SHOWN_MODELS).join(", ");
  return models.length > SHOWN_MODELS ? `${shown} and ${models.length - SHOWN_MODELS} more` : shown || "no chat model";
}

function list(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  - ${line.replaceAll("\n", "\n    ")}`)];
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_cell, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ""))));
  return rows.map((row) =>
    `  ${row.map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - columnsOf(cell))).join("  ")}`.trimEnd(),
  );
}
