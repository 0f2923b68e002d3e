/**
 * Prints the notes of a release, made from commit subjects: `bun scripts/release-notes.ts [FROM] [TO]`. FROM is the
 * last tag by default, else the first commit; TO is `HEAD`. Subjects have the form `type(part): what now holds`.
 */
import { root } from "./compile.ts";

/** The types of commits that users care about, in the order of the notes, with their headings. */
const SECTIONS = { feat: "New", fix: "Fixed", perf: "Faster", docs: "Documentation" } as const;

/**
 * A commit by its subject. `part` is empty if the subject names none; a `!` before the colon marks a breaking change.
 */
interface Change {
  type: string;
  part: string;
  text: string;
  breaking: boolean;
}

/** Reads a subject. Undefined for subjects of another form. */
function parseSubject(subject: string): Change | undefined {
  const [, type = "", part = "", mark = "", text = ""] = /^([a-z]+)(?:\(([^)]+)\))?(!?): (.+)$/.exec(subject) ?? [];
  return type ? { type, part, text, breaking: mark === "!" } : undefined;
}

/** The notes in Markdown: breaking changes of any type first, then a section for each type that users see, sorted by part. */
export function releaseNotes(subjects: readonly string[]): string {
  const changes = subjects.flatMap((subject) => parseSubject(subject) ?? []);
  const breaking = changes.filter((change) => change.breaking);
  const sections = Object.entries(SECTIONS).map(
    ([type, heading]) => [heading, changes.filter((change) => change.type === type)] as const,
  );
  const written = [["Breaking changes", breaking] as const, ...sections].filter(([, list]) => list.length > 0);
  return written.map(([heading, list]) => `## ${heading}\n\n${list.toSorted(byPart).map(lineOf).join("")}`).join("\n");
}

function byPart(a: Change, b: Change): number {
  return a.part.localeCompare(b.part, "en");
}

function lineOf({ part, text }: Change): string {
  return `- ${part ? `**${part}**: ` : ""}${text}\n`;
}

function git(...args: string[]): string | undefined {
  const { exitCode, stdout } = Bun.spawnSync(["git", ...args], { cwd: root, stdout: "pipe", stderr: "ignore" });
  return exitCode === 0 ? stdout.toString().trim() : undefined;
}

function main([from, to = "HEAD"]: readonly string[]): number {
  const start = from ?? git("describe", "--tags", "--abbrev=0", to);
  const subjects = git(
    "log",
    "--reverse",
    "--format=%s",
    "--end-of-options",
    start === undefined ? to : `${start}..${to}`,
  );
  if (subjects === undefined) {
    console.error(`git cannot list the commits from ${JSON.stringify(start ?? "the first")} to ${JSON.stringify(to)}`);
    return 1;
  }
  process.stdout.write(releaseNotes(subjects.split("\n")));
  return 0;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
