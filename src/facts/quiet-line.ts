import type { DecodedTool } from "../dialects/dialect.ts";
import type { Env } from "../lib/env.ts";
import type { ToolUse } from "./tool-touches.ts";
import { isPosix, takesLine } from "./tool-use.ts";

/** What the commands of a line can be and do at most, known without reading it. */
export interface QuietLine {
  commands: readonly QuietCommand[];
  /** The facts that may have a value, and the effects that there may be, beside those of every command: its words. */
  may: ReadonlySet<string>;
}

export interface QuietCommand {
  program: string;
  /** The first level of its verb; undefined if the table does not say. */
  verb: string | undefined;
  /** Its words; undefined if only the program and the verb are looked at. */
  text: string | undefined;
}

/**
 * Everyday commands that do little: the program, with its verb if that decides; the options that change nothing about that;
 * `words` if plain words may follow, and `rest` if any may behind `--`; then the facts and effects there may be. Reading
 * a line takes code that takes longer to load than all else of a short dispatch, and of most lines no rule is about.
 * The test of this table compares each row with the facts of lines that are read.
 */
export const QUIET_COMMANDS = `
pwd:
date:
whoami:
hostname:
uptime:
true:
false:
id: -u -un -g
uname: -a -s -r -m
free: -h -m
df: -h
ps: -ef
sleep: words
echo: words
which: words
ls: -l -a -la -al -lah -lh -lt -ltr -1 -A -R words paths
du: -s -h -sh words paths
tree: words paths
cd: words paths
stat: words paths
file: words paths
head: -N -n words reads paths reveals
tail: -N -n words reads paths reveals
wc: -l -c -w words reads paths reveals
cat: -n words reads paths reveals
sort: -u -n -r -rn words reads paths reveals
uniq: -c -d
git status: -s -sb -b --short --porcelain --branch
git diff: --stat --cached --staged --name-only --name-status words reads paths reveals
git log: -N --oneline --stat --graph --all -p words reads paths reveals
git show: --stat words reads paths reveals
git branch: -a -r -v -vv --show-current --list
git rev-parse: --show-toplevel --abbrev-ref words
git ls-files: words reads paths reveals
git blame: words reads paths reveals
npm test: words rest
npm t: words rest
npm run: words rest
npm ls:
pnpm test: words rest
pnpm run: words rest
yarn test: words rest
yarn run: words rest
yarn build: words rest
bun test:
node: --version -v
python: --version -V
tsc: --noEmit -b --build
eslint: words
biome: words
jest: words
vitest: words
mocha: words
pytest: -q -v -x words
ruff: words
mypy: words
go test: -v -race words
go build: -v words
go vet: words
go version:
cargo test: -v --release --all --workspace words rest
cargo build: -v --release --all --workspace
cargo check: --all --workspace --all-targets
cargo clippy: --all --workspace --all-targets
make: -j -jN words
ninja:
mvn test: -q
gradle test:
dotnet test:
dotnet build:
rspec: words
rake test:
phpunit: words
composer test:
just test:
terraform validate:
docker ps: -a
docker images:
`;

/** What may follow a command, and what facts it may have then. */
interface Command {
  options: readonly string[];
  takesWords: boolean;
  takesRest: boolean;
  may: readonly string[];
}

/** The row of a program, or of a program and a verb. Only the rows that a line needs are read (cold start). */
export function quietCommand(name: string): Command | undefined {
  const start = QUIET_COMMANDS.indexOf(`\n${name}:`) + name.length + 2;
  if (start < name.length + 2 || !/^[\w-]+(?: [\w-]+)?$/.test(name)) return undefined;
  const words = QUIET_COMMANDS.slice(start, QUIET_COMMANDS.indexOf("\n", start)).split(" ").filter(Boolean);
  const [options, others] = [words.filter(isOption), words.filter((word) => !isOption(word))];
  const may = others.filter((word) => word !== "words" && word !== "rest");
  return { options, takesWords: others.includes("words"), takesRest: others.includes("rest"), may };
}

function isOption(word: string): boolean {
  return word.startsWith("-");
}

/** The quiet line of a call, as {@link quietLine} tells it; undefined for a tool that runs something else too. */
export function quietCall(use: ToolUse, tool: DecodedTool | undefined, env: Env): QuietLine | undefined {
  if (!takesLine(use, tool) || tool?.row?.runsHidden || tool?.row?.interpreter !== undefined) return undefined;
  const { cmd, cwd = null } = use.input;
  if (typeof cmd !== "string" || (cwd !== null && typeof cwd !== "string") || !isPosix(use, tool, env))
    return undefined;
  return quietLine(cmd);
}

/** A longer line is read. */
const MAX_LINE = 500;

/** A word that no shell changes, and that is no option and no address. */
const WORD = /^[\w./][\w./-]*$/;

/**
 * What the commands of a line in the syntax of sh can do, if all of them are of the table, in plain words. Undefined for
 * every other line.
 */
export function quietLine(line: string): QuietLine | undefined {
  if (line.length > MAX_LINE) return undefined;
  const commands: QuietCommand[] = [];
  const may = new Set<string>();
  for (const part of line.split(/ (?:&&|\|\||[|;]) |; /)) {
    const text = part.replace(/ 2>&1$/, "");
    const words = text.split(" ");
    const [program = "", second] = words;
    const withVerb = quietCommand(`${program} ${second}`);
    const command = withVerb ?? quietCommand(program);
    if (!command || !mayFollow(words.slice(withVerb ? 2 : 1), command)) return undefined;
    commands.push({ program, verb: withVerb && second, text });
    for (const fact of command.may) may.add(fact);
  }
  return { commands, may };
}

function mayFollow(words: readonly string[], { options, takesWords, takesRest }: Command): boolean {
  const end = words.indexOf("--");
  if (end >= 0 && !(takesRest && words.slice(end + 1).every((word) => /^[\w./=-]+$/.test(word)))) return false;
  return (end < 0 ? words : words.slice(0, end)).every(
    (word) => options.includes(word) || options.includes(word.replace(/\d+/, "N")) || (takesWords && WORD.test(word)),
  );
}
