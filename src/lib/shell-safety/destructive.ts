import { readCommandLine, WRITE } from "./command-line.ts";
import { splitCommands } from "./words.ts";

/** How much a command can destroy; `unknown` stands between medium and high. */
export type BlastRadius = "low" | "medium" | "unknown" | "high";

/** A destructive operation that was found. */
export interface Destructive {
  pattern: string;
  radius: BlastRadius;
  category: string;
}

/** What stands behind a program's name, up to the end of its simple command. */
interface Rest {
  /** Every word, and what {@link note} says of it. */
  words: ReadonlySet<string>;
  /** The letters of short flags: `-rf` gives both, of `-i.bak` only the first. */
  letters: ReadonlySet<string>;
  /** The first two words that are no option: the sub-commands of git and docker. */
  path: readonly string[];
}

type Rule = readonly [radius: BlastRadius, category: string, pattern: string, applies: (rest: Rest) => boolean];

const always = () => true;
const flag =
  (...letters: string[]) =>
  ({ letters: flags }: Rest) =>
    letters.some((letter) => flags.has(letter));
const word =
  (...expected: string[]) =>
  ({ words }: Rest) =>
    expected.some((one) => words.has(one));
const either =
  (...tests: ((rest: Rest) => boolean)[]) =>
  (rest: Rest) =>
    tests.some((test) => test(rest));
const both =
  (...tests: ((rest: Rest) => boolean)[]) =>
  (rest: Rest) =>
    tests.every((test) => test(rest));
const sub =
  (...path: string[]) =>
  (rest: Rest) =>
    path.every((part, at) => rest.path[at] === part);

const recursive = either(flag("r", "R"), word("--recursive"));
const force = either(flag("f"), word("--force"));
const volumes = either(flag("v"), word("--volumes"));
const all = either(flag("a"), word("--all"));

/** By program, widest radius first; the first that applies counts. A name with nothing behind it destroys nothing. */
const RULES: Partial<Record<string, readonly Rule[]>> = {
  rm: [
    ["high", "fs-delete", "rm -rf <path>", both(recursive, force)],
    ["high", "fs-delete", "rm -r <path>", recursive],
    ["medium", "fs-delete", "rm -f <file>", force],
    ["low", "fs-delete", "rm <file>", always],
  ],
  rmdir: [["low", "fs-delete", "rmdir <path>", always]],
  find: [
    ["high", "fs-delete", "find <path> -delete", word("-delete")],
    ["high", "fs-delete", "find <path> -exec rm {} \\;", both(word("-exec", "-execdir", "-ok", "-okdir"), word("rm"))],
  ],
  shred: [["high", "fs-secure-delete", "shred <file>", always]],
  dd: [
    ["high", "block-device", "dd if=... of=/dev/<disk>", word("of=/dev/")],
    ["high", "fs-overwrite", "dd if=/dev/zero of=<file>", word("of=")],
  ],
  mkfs: [["high", "block-device", "mkfs -t <fs> <device>", always]],
  wipefs: [["high", "block-device", "wipefs <device>", always]],
  truncate: [["medium", "fs-overwrite", "truncate -s 0 <file>", either(flag("s"), word("--size", "--size="))]],
  rsync: [["high", "fs-modify", "rsync --delete <src> <dst>", word("--del", "--delete*")]],
  cp: [
    ["high", "fs-modify", "cp -rf <src> <dst>", both(force, either(recursive, flag("a"), word("--archive")))],
    ["medium", "fs-modify", "cp -f <src> <dst>", force],
  ],
  mv: [
    ["medium", "fs-modify", "mv -f <src> <dst>", force],
    ["medium", "fs-modify", "mv <src> <dst>", always],
  ],
  ln: [["medium", "fs-modify", "ln -sf <a> <b>", force]],
  sed: [["medium", "fs-modify", "sed -i", either(flag("i"), word("--in-place", "--in-place="))]],
  chmod: [
    ["low", "fs-permissions", "chmod -R 777 <path>", both(recursive, word("777", "0777"))],
    ["medium", "fs-permissions", "chmod -R 000 <path>", both(recursive, word("000", "0000"))],
    ["medium", "fs-permissions", "chmod -R <mode> <path>", recursive],
  ],
  chown: [["medium", "fs-permissions", "chown -R <user> <path>", recursive]],
  git: [
    ["high", "git-discard", "git reset --hard", both(sub("reset"), word("--hard"))],
    ["high", "git-discard", "git checkout -- <path>", both(sub("checkout"), word("--"))],
    ["high", "git-discard", "git checkout .", both(sub("checkout"), word("."))],
    ["high", "git-discard", "git checkout -f", both(sub("checkout"), force)],
    ["high", "git-discard", "git restore .", both(sub("restore"), word("."))],
    ["high", "git-discard", "git clean -f", both(sub("clean"), force)],
    ["high", "git-discard", "git stash clear", sub("stash", "clear")],
    ["medium", "git-discard", "git restore <path>", sub("restore")],
    ["medium", "git-discard", "git stash drop", sub("stash", "drop")],
    ["medium", "git-history", "git push --force", both(sub("push"), force)],
    [
      "medium",
      "git-history",
      "git push --force-with-lease",
      both(sub("push"), word("--force-with-lease", "--force-with-lease=")),
    ],
    [
      "medium",
      "git-history",
      "git branch -D <name>",
      both(sub("branch"), either(flag("D"), both(force, either(flag("d"), word("--delete"))))),
    ],
  ],
  docker: [
    ["high", "docker", "docker volume rm", sub("volume", "rm")],
    ["high", "docker", "docker volume prune -a", both(sub("volume", "prune"), all)],
    ["high", "docker", "docker rm -f", both(either(sub("rm"), sub("container", "rm")), either(force, volumes))],
    ["high", "docker", "docker system prune -a", both(sub("system", "prune"), either(all, word("--volumes")))],
    ["high", "docker", "docker builder prune -a", both(either(sub("builder", "prune"), sub("buildx", "prune")), all)],
    ["high", "docker", "docker compose down -v", both(sub("compose", "down"), volumes)],
    ["high", "docker", "docker compose rm -v", both(sub("compose", "rm"), volumes)],
    ["high", "docker", "docker exec <ctr> rm -rf", both(sub("exec"), word("rm"), recursive)],
    ["medium", "docker", "docker volume prune", sub("volume", "prune")],
    ["medium", "docker", "docker rm", either(sub("rm"), sub("container", "rm"))],
    ["medium", "docker", "docker container prune", sub("container", "prune")],
    ["medium", "docker", "docker image rm", either(sub("image", "rm"), sub("rmi"))],
    ["medium", "docker", "docker image prune -a", both(sub("image", "prune"), all)],
    ["medium", "docker", "docker network rm", either(sub("network", "rm"), sub("network", "prune"))],
    ["medium", "docker", "docker system prune", sub("system", "prune")],
    ["medium", "docker", "docker builder prune", either(sub("builder", "prune"), sub("buildx", "prune"))],
    ["medium", "docker", "docker compose down", sub("compose", "down")],
    ["medium", "docker", "docker compose rm -f", sub("compose", "rm")],
    ["medium", "docker", "docker plugin rm", sub("plugin", "rm")],
    ["medium", "docker", "docker stop $(docker ps -q)", both(either(sub("stop"), sub("kill")), word("$"))],
    ["low", "docker", "docker image prune", sub("image", "prune")],
    ["low", "docker", "docker context rm", sub("context", "rm")],
    ["low", "docker", "docker stop <id>", sub("stop")],
    ["low", "docker", "docker kill <id>", sub("kill")],
  ],
};

const OVERWRITE: Destructive = { pattern: "> <file>", radius: "medium", category: "fs-overwrite" };
const MOUNTED: Destructive = {
  pattern: "docker run -v /:<path> with a destructive command",
  radius: "high",
  category: "docker",
};
const RADII: readonly BlastRadius[] = ["low", "medium", "unknown", "high"];

/** The destructive operation with the widest radius, the first of equals; undefined when there is none. */
export function findDestructive(command: string): Destructive | undefined {
  const { commands, redirects } = splitCommands(command);
  const found = commands.flatMap(findInCommand);
  const { running, opaque } = readCommandLine(command, "posix");
  if ((opaque && redirects) || running.some(({ units }) => units.includes(WRITE))) found.push(OVERWRITE);
  if (found.length > 0 && commands.some((words) => words.includes("docker")) && MOUNT.test(command))
    found.push(MOUNTED);
  return RADII.toReversed()
    .map((radius) => found.find((one) => one.radius === radius))
    .find((one) => one !== undefined);
}

/** A bind mount of the whole file system or of the working directory. */
const MOUNT =
  /(?:-v|--volume)[ =]["']?(?:\/|\$\(pwd\)|\$PWD|\$\{PWD\}):|(?:source|src)=(?:\/|\$\(pwd\)|\$PWD|\$\{PWD\})[," ]/;

/**
 * Goes from the last word to the first, so that what stands behind a word is known without looking again. Every word
 * may be the program: `sudo`, `xargs`, `bash -c` and the like stand before it.
 */
function findInCommand(words: readonly string[]): Destructive[] {
  const behind = new Set<string>();
  const letters = new Set<string>();
  const found: Destructive[] = [];
  // What such a program appends to its arguments is not known: a name at the end has something behind it.
  const fed = words.findIndex((word) => /(?:^|\/)(?:xargs|parallel)$/i.test(word));
  for (let at = words.length - 1; at >= 0; at--) {
    const here = words[at] ?? "";
    const name = here.slice(here.lastIndexOf("/") + 1).toLowerCase();
    const program = name === "docker-compose" ? "docker" : name.startsWith("mkfs.") ? "mkfs" : name;
    const rules = (at + 1 < words.length || (fed >= 0 && fed < at)) && Object.hasOwn(RULES, program) ? RULES[program] : undefined;
    if (rules) {
      const path = [...(name === "docker-compose" ? ["compose"] : []), ...subCommands(words, at + 1)];
      const rule = rules.find(([, , , applies]) => applies({ words: behind, letters, path }));
      if (rule) found.push({ radius: rule[0], category: rule[1], pattern: rule[2] });
    }
    note(here, behind, letters);
  }
  return found.reverse();
}

/** Makes a word known to the words before it: as it is, and by the beginnings and ends that rules ask for. */
function note(word: string, words: Set<string>, letters: Set<string>): void {
  words.add(word);
  words.add(word.slice(word.lastIndexOf("/") + 1));
  const equals = word.indexOf("=");
  if (equals > 0) words.add(word.slice(0, equals + 1));
  if (word.startsWith("of=/dev/")) words.add("of=/dev/");
  if (word.startsWith("--delete")) words.add("--delete*");
  if (/^-[A-Za-z]+$/.test(word)) for (const letter of word.slice(1)) letters.add(letter);
  else if (/^-[A-Za-z]/.test(word)) letters.add(word.charAt(1));
}

/** Options of git, docker and docker compose that take the next word. */
const VALUED = new Set([
  "-C",
  "-c",
  "-f",
  "-p",
  "-H",
  "-l",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--context",
  "--config",
  "--host",
  "--log-level",
  "--file",
  "--project-name",
  "--project-directory",
  "--profile",
  "--env-file",
  "--ansi",
  "--progress",
  "--parallel",
]);
const LOOK_AHEAD = 24;

/** The first two words that are no option, looked for among the next few. */
function subCommands(words: readonly string[], from: number): string[] {
  const path: string[] = [];
  for (let at = from; at < Math.min(words.length, from + LOOK_AHEAD) && path.length < 2; at++) {
    const here = words[at] ?? "";
    if (VALUED.has(here)) at++;
    else if (!here.startsWith("-")) path.push(here);
  }
  return path;
}
