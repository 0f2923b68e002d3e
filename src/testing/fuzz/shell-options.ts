import { pick } from "./dice.ts";
import { type PlainWord, plainLine } from "./plain-words.ts";
import { type Spelling, splice } from "./spelling.ts";

/** The options of a program that have several spellings. */
interface Options {
  /** The words before the options: `git push`. */
  program: string;
  /** Equal options, each group in every spelling. */
  equal: readonly (readonly string[])[];
  /** Letters of short options without a value, which may share a dash. */
  letters: string;
  /** Options between the program and its verb that change nothing. */
  global?: readonly string[];
}

const GIT = ["-C .", "--no-pager", "-c a.b=c", "--literal-pathspecs", "-P"];

/** From the manual pages of Git, GNU coreutils, curl and GNU Wget. */
const OPTIONS: readonly Options[] = [
  {
    program: "git push",
    equal: [
      ["--force", "-f"],
      ["--delete", "-d", "--delet"],
      ["--set-upstream", "-u"],
      ["--mirror", "--mirro"],
    ],
    letters: "fuqvnd",
    global: GIT,
  },
  {
    program: "git reset",
    equal: [["--hard", "--har"]],
    letters: "qN",
    global: GIT,
  },
  {
    program: "git clean",
    equal: [["--force", "-f", "--forc"], ["-d"], ["-x"]],
    letters: "fdxXqn",
    global: GIT,
  },
  { program: "git branch", equal: [["-D", "-d -f", "--delete --force"]], letters: "dfDr", global: GIT },
  {
    program: "git commit",
    equal: [
      ["--no-verify", "-n", "--no-ver"],
      ["--all", "-a"],
      ["--message", "-m"],
    ],
    letters: "anqsv",
    global: GIT,
  },
  {
    program: "rm",
    equal: [
      ["-r", "-R", "--recursive", "--recurs"],
      ["-f", "--force", "--fo"],
      ["-rf", "-fr", "-r -f", "-Rf", "-rfv", "--recursive --force"],
      ["-fr", "-rf", "-f -r", "-fR"],
    ],
    letters: "rRfvdi",
  },
  { program: "chmod", equal: [["-R", "--recursive"]], letters: "Rvcf" },
  { program: "chown", equal: [["-R", "--recursive"]], letters: "Rvcfh" },
  { program: "cp", equal: [["-r", "-R", "--recursive", "-a"]], letters: "rRfpvai" },
  {
    program: "curl",
    equal: [
      ["-d", "--data", "--data-ascii"],
      ["-F", "--form"],
      ["-T", "--upload-file"],
      ["-X", "--request"],
      ["-s", "--silent"],
      ["-o", "--output"],
      ["-L", "--location"],
      ["-k", "--insecure"],
    ],
    letters: "sSfkLgi",
  },
  {
    program: "wget",
    equal: [
      ["-q", "--quiet"],
      ["-O", "--output-document"],
      ["-qO-", "-q -O -", "-O- -q"],
    ],
    letters: "qcN",
  },
  {
    program: "kubectl delete",
    equal: [
      ["-n", "--namespace"],
      ["-A", "--all-namespaces"],
      ["-f", "--filename"],
    ],
    letters: "",
  },
  { program: "terraform destroy", equal: [["-auto-approve", "--auto-approve", "-auto-approve=true"]], letters: "" },
  {
    program: "docker run",
    equal: [
      ["-v", "--volume"],
      ["-it", "-i -t", "-ti"],
    ],
    letters: "itd",
  },
  {
    program: "npm install",
    equal: [
      ["-g", "--global", "--location=global"],
      ["-D", "--save-dev"],
    ],
    letters: "",
  },
];

/** A command of a line whose options are known. */
interface Found {
  options: Options;
  /** The program and its verb, then the arguments. */
  program: readonly PlainWord[];
  rest: readonly PlainWord[];
}

/** Spellings of options. */
export const OPTION_SPELLINGS: readonly Spelling[] = [
  {
    name: "long and short options",
    keeps: "gnu",
    respell: (line, dice) => {
      const { options, rest } = findCommand(line) ?? {};
      const known = (rest ?? []).flatMap((word) =>
        (options?.equal ?? [])
          .filter((group) => group.includes(word.text))
          .flatMap((group) => group.filter((other) => other !== word.text).map((other) => ({ word, other }))),
      );
      const found = pick(dice, known);
      return found && splice(line, found.word.from, found.word.to, found.other);
    },
  },
  {
    name: "short options apart",
    keeps: "posix",
    respell: (line, dice) => {
      const { options, rest } = findCommand(line) ?? {};
      const isBundle = (text: string) =>
        /^-[A-Za-z]{2,}$/.test(text) && [...text.slice(1)].every((letter) => options?.letters.includes(letter));
      const found = pick(
        dice,
        (rest ?? []).filter(({ text }) => isBundle(text)),
      );
      if (!found) return undefined;
      const letters = [...found.text.slice(1)];
      const texts = [letters.map((letter) => `-${letter}`).join(" "), `-${letters.toReversed().join("")}`];
      return splice(line, found.from, found.to, pick(dice, texts) ?? found.text);
    },
  },
  {
    name: "order of options",
    keeps: "gnu",
    respell: (line, dice) => {
      const { rest = [], program = [] } = findCommand(line) ?? {};
      const moved = pick(dice, rest.filter(isFlag));
      const last = rest.at(-1);
      if (!moved || !last || rest.length < 2 || rest.some(({ text }) => text === "--")) return undefined;
      if (moved === last) {
        const at = program.at(-1)?.to ?? 0;
        return `${line.slice(0, at)} ${moved.text}${line.slice(at, moved.from).trimEnd()}${line.slice(moved.to)}`;
      }
      return `${line.slice(0, moved.from)}${line.slice(moved.to, last.to).trimStart()} ${moved.text}${line.slice(last.to)}`;
    },
  },
  {
    name: "option before the verb",
    keeps: "posix",
    respell: (line, dice) => {
      const { options, program } = findCommand(line) ?? {};
      const at = program?.[0]?.to ?? 0;
      const added = pick(dice, options?.global ?? []);
      return added === undefined ? undefined : splice(line, at, at, ` ${added}`);
    },
  },
];

/** True for an option that surely takes no value in the next word. */
function isFlag({ text }: PlainWord): boolean {
  return /^(?:-[rRf]{1,3}|--(?:force|recursive|delete|mirror|hard|no-verify|all|tags))$/.test(text);
}

/** Finds a simple command of plain words whose options are in the table. */
function findCommand(line: string): Found | undefined {
  const { words, isSimple } = plainLine(line);
  if (!isSimple) return undefined;
  for (const options of OPTIONS) {
    const names = options.program.split(" ");
    if (names.every((name, index) => words[index]?.text === name))
      return { options, program: words.slice(0, names.length), rest: words.slice(names.length) };
  }
  return undefined;
}
