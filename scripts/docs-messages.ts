/**
 * Generates docs/messages.md from the source: each `Help` with the messages of the errors, problems and functions that
 * carry it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Node, ObjectLiteralExpression, SourceFile } from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import { API } from "typescript/unstable/async";
import { MessageReader, visit } from "./message-reader.ts";
import { propertyOf, textsOf } from "./message-texts.ts";

const ROOT = join(import.meta.dir, "..");

const INTRO = [
  "# Messages",
  "",
  "Messages of hooksh that need more than they say themselves; all others say what to do. Search this page for words that you saw. Words in",
  "capitals are placeholders. A message can start with a place, such as `agent.yaml:6:18: agents.root.model:`, and can end with a more specific",
  "message after `: `. With `--debug`, a command that fails prints the cause and the cure, even for messages that are not listed here.",
  "",
];

/** The areas of the page in its order, with the folders and files of their messages. The longest path decides. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  "Agent file": ["src/config", "src/template"],
  "Agents from elsewhere": ["src/config/sources", "src/hooks/trust-check.ts"],
  "Hook configuration": ["src/config/hooks", "src/config/notices", "src/hooks", "src/pattern"],
  "Hooks while they run": ["src/engine", "src/protocol", "src/dialects/scripts", "builtins"],
  Evaluators: ["src/model/evaluators"],
  Models: ["src/model", "src/lib/files/fit-image.ts"],
  Tools: ["src/tools"],
  "Runs of an agent": ["src/runtime", "src/run", "src/terminal"],
  "Undo and snapshots": ["src/snapshot", "src/commands/snapshots"],
  "Other agents (hosts)": ["src/hosts", "src/guard", "src/dialects", "src/commands"],
  "Record and replay": ["src/guard/replay", "src/guard/record", "src/model/recording"],
  "Audit and traces": ["src/audit", "src/records", "src/trace"],
  Tests: ["src/testing"],
};

/** Titles of helps that the page leaves out, because their messages say what is wrong and what to do. */
const SAID_BY_MESSAGES: ReadonlySet<string> = new Set([
  "Agent sent back",
  "Audit log not written",
  "Call not approved",
  "Domain not allowed",
  "Event not recorded",
  "Expectation cannot hold",
  "Forbidden address",
  "Guard not in force",
  "Guard of one agent only",
  "Hooks not run by Codex",
  "Image cannot be sent",
  "Incomplete answer",
  "Model hook is not asked",
  "No verdict in time",
  "Not an agent image",
  "Output only partly redacted",
  "Registration differs",
  "Request not recorded",
  "Route refused",
  "Routing is not consistent",
  "Session continued elsewhere",
  "Setting sent otherwise",
  "Shell refused on Codex",
  "Skill left out",
  "Skills not fetched",
]);

/** A help of the source, and the messages beside it. */
export interface MessageFamily {
  area: string;
  title: string;
  cause: string;
  cure: string;
  messages: readonly string[];
}

/** Returns the page. */
export async function messagesPage(): Promise<string> {
  // By title, so that the page stays the same when a help moves within its part.
  const all = (await messageFamilies()).sort((a, b) => (a.title < b.title ? -1 : 1));
  const families = all.filter(({ title }) => !SAID_BY_MESSAGES.has(title));
  if (families.length + SAID_BY_MESSAGES.size !== all.length) throw new Error("SAID_BY_MESSAGES names no help");
  const sections = Object.keys(AREAS).map((area) => [area, families.filter((family) => family.area === area)] as const);
  return [
    ...INTRO,
    ...sections.flatMap(([area, list]) => (list.length > 0 ? [`## ${area}`, "", ...list.flatMap(familyLines)] : [])),
  ].join("\n");
}

function familyLines({ title, cause, cure, messages }: MessageFamily): string[] {
  return [
    `### ${title}`,
    "",
    ...messages.map((text) => `- ${code(text)}`),
    "",
    `**Cause**: ${cause} **Cure**: ${cure}`,
    "",
  ];
}

function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Returns every help of a project with its messages. Throws if one has an empty text or no message. */
export async function messageFamilies(root: string = ROOT): Promise<MessageFamily[]> {
  const files = await sourceFiles(root);
  const uses = new Map<string, Node[]>();
  const helps: { name: string; file: string; value: ObjectLiteralExpression }[] = [];
  for (const [file, source] of files) {
    visit(source, (node) => {
      if (is.isObjectLiteralExpression(node) && propertyOf(node, "cure")) {
        if (!is.isVariableDeclaration(node.parent)) throw new Error(`${file}: give the help a name: ${node.getText()}`);
        helps.push({ name: node.parent.name.getText(), file, value: node });
      }
      if (is.isIdentifier(node) && /^[A-Z][A-Z0-9_]+$/.test(node.text) && isUse(node))
        uses.set(node.text, [...(uses.get(node.text) ?? []), node]);
    });
  }
  const reader = new MessageReader(files);
  return helps.map(({ name, file, value }) => {
    const [cause = "", cure = ""] = ["cause", "cure"].map((key) => textsOf(propertyOf(value, key) ?? value)[0]);
    const messages = [...new Set((uses.get(name) ?? []).flatMap((use) => reader.messagesAt(use)))].sort();
    if (helps.filter((help) => help.name === name).length > 1) throw new Error(`${name} is the name of two helps`);
    if (cause === "" || cure === "") throw new Error(`${file}: ${name} lacks a cause or a cure`);
    if (messages.length === 0) throw new Error(`${file}: ${name} is the help of no message`);
    return { area: areaOf(file), title: titleOf(name), cause, cure, messages };
  });
}

/** False for a name where it is declared, imported or exported. */
function isUse({ parent }: Node): boolean {
  return !is.isVariableDeclaration(parent) && !is.isImportSpecifier(parent) && !is.isExportSpecifier(parent);
}

function areaOf(file: string): string {
  const rows = Object.entries(AREAS).flatMap(([area, paths]) => paths.map((path) => ({ area, path })));
  const fitting = rows.filter(({ path }) => file === path || file.startsWith(`${path}/`));
  const [closest] = fitting.sort((a, b) => b.path.length - a.path.length);
  if (!closest) throw new Error(`${file}: no area of the page of messages has this file`);
  return closest.area;
}

/** Words of the names of helps that are written otherwise. */
const SPELLINGS = ["JSON", "YAML", "MCP", "HTTP", "HTTPS", "GitHub", "TypeScript", "Codex", "RE2", "Docker"];

/** Returns the heading of a help: that of `NOT_YAML` is `Not YAML`. */
function titleOf(name: string): string {
  const words = name.toLowerCase().split("_");
  const spelled = words.map((word) => SPELLINGS.find((spelling) => spelling.toLowerCase() === word) ?? word);
  const title = spelled.join(" ");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Parses the files of `src` and `builtins`: a project of their own, because no other file and no type is needed. */
async function sourceFiles(root: string): Promise<Map<string, SourceFile>> {
  const folder = mkdtempSync(join(tmpdir(), "hooksh-messages-"));
  const api = new API();
  try {
    const project = {
      compilerOptions: { noLib: true, noResolve: true, types: [], allowImportingTsExtensions: true, noEmit: true },
      include: ["src", "builtins"].map((part) => join(root, part)),
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    const snapshot = await api.updateSnapshot({ openProjects: [join(folder, "tsconfig.json")] });
    const [{ program } = { program: undefined }] = snapshot.getProjects();
    if (!program) throw new Error("the sources are no project");
    const names = [...(await program.getSourceFileNames())].sort();
    const files = await Promise.all(names.map((name) => program.getSourceFile(name)));
    return new Map(files.flatMap((file, at) => (file ? [[relative(root, names[at] ?? ""), file] as const] : [])));
  } finally {
    await api.close();
    rmSync(folder, { recursive: true });
  }
}
