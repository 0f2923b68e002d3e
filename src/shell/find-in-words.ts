import { type Destructive, isSink, matchRules, ruleName, rulesFor } from "./rules/rules.ts";

/** The programs that a word may be, and whether it may also be no program: an argument or a word of prose. */
export interface Start {
  names: readonly string[];
  loose: boolean;
}

/** One simple command. */
export interface Words {
  words: readonly string[];
  /** What the word at an index may start. */
  startAt: (at: number) => Start | undefined;
  /** The texts on its standard input. */
  given: readonly string[];
  /** True if unknown arguments follow. */
  appends: boolean;
}

/** Programs whose names hardly occur in prose: with any operand they destroy something. */
const UNMISTAKABLE = new Set(
  "rm rmdir shred srm mv mkfs wipefs rimraf del-cli dropdb pkill killall kill-port remove-item rd del".split(" "),
);

/**
 * Returns the destructive operations that words start, in their order. Goes from the last word to the first, so that
 * the words after each one are already known.
 */
export function findInWords({ words, startAt, given, appends }: Words): Destructive[] {
  const behind = new Set<string>();
  const letters = new Set<string>();
  const found: Destructive[] = [];
  for (const mark of given.flatMap((text) => [...marksOfText(text)])) behind.add(mark);
  if (words.at(-1) === "-1") behind.add("@every-process");
  for (let at = words.length - 1; at >= 0; at--) {
    const start = asksForHelp(words, at) ? undefined : startAt(at);
    const more = at + 1 < words.length || appends || given.length > 0;
    for (const name of start?.names ?? []) {
      const rules = rulesFor(name);
      if (!rules) continue;
      const isSure = !start?.loose || UNMISTAKABLE.has(ruleName(name));
      const usable = isSure ? rules : rules.filter(({ path, needs }) => path.length + needs.length > 0);
      const match = matchRules(usable, { words: behind, letters, more, path: subCommands(name, words, at + 1) });
      if (match) found.push(match);
    }
    note(words[at] ?? "", behind, letters);
  }
  return found.reverse();
}

function asksForHelp(words: readonly string[], at: number): boolean {
  return at + 2 === words.length && /^--(?:help|version)$/.test(words[at + 1] ?? "");
}

/** Options that take the next word, where sub-commands follow them. */
const VALUED: Readonly<Record<string, string>> = {
  git: "-C -c --git-dir --work-tree --namespace --config-env --exec-path --super-prefix",
  docker:
    "-c -f -p -H -l --context --config --host --log-level --file --project-name --project-directory --profile --env-file --ansi --progress --parallel",
  kubectl:
    "-n -s -f -l -c --namespace --context --cluster --user --kubeconfig --server --token --as --cache-dir --request-timeout",
  helm: "-n --namespace --kube-context --kubeconfig --registry-config --repository-config",
  aws: "--profile --region --output --endpoint-url --query --color --ca-bundle",
  gcloud: "--project --account --configuration --format --region --zone",
  terraform: "-chdir",
  systemctl: "-H -M -t --host --machine --type --root",
  hg: "-R --cwd --config",
  gh: "-R --repo",
  apt: "-o -c -t",
  "apt-get": "-o -c -t",
};

const LOOK_AHEAD = 24;
const MAX_PATH = 6;

/** The first words that are not options, among the next few. */
export function subCommands(name: string, words: readonly string[], from: number): string[] {
  const program = ruleName(name);
  const valued = new Set(Object.hasOwn(VALUED, program) ? VALUED[program]?.split(" ") : []);
  const path = program === "docker" && name.includes("-compose") ? ["compose"] : [];
  for (let at = from; at < Math.min(words.length, from + LOOK_AHEAD) && path.length < MAX_PATH; at++) {
    const word = words[at] ?? "";
    if (valued.has(word)) at++;
    else if (!/^[-+]./.test(word)) path.push(word.slice(0, 64).toLowerCase());
  }
  return path;
}

const SQL =
  /\b(?:drop\s+(?:table|database|schema|view|index|user|role|keyspace|column|type|function|trigger|sequence|extension|materialized|constraint|collection|owned|partition)|truncate\s+(?:table\s+)?["`'[\w]|delete\s+from|detach\s+delete|drop\s+if)/i;
const MONGO =
  /\bdropDatabase\b|\.(?:drop|deleteMany|deleteOne|remove|dropIndex|dropIndexes|dropUser|findOneAndDelete)\s*\(/;
/** Adds a word to the known words after a program: as it is, by its option's name, and by its marks. */
export function note(word: string, words: Set<string>, letters: Set<string>): void {
  words.add(word);
  if (word.length < 4096) words.add(word.slice(word.lastIndexOf("/") + 1));
  const equals = word.indexOf("=");
  if (equals > 0) words.add(word.slice(0, equals + 1));
  for (const mark of marksOf(word)) words.add(mark);
  const [, group] = /^-([A-Za-z\d]+$|[A-Za-z]{1,2}(?![A-Za-z=])|[A-Za-z])/.exec(word) ?? [];
  for (const letter of group ?? "") letters.add(letter);
}

/** The marks of a word that rules refer to beyond its text. */
function* marksOf(word: string): Generator<string> {
  if (word.includes("$")) yield "@expansion";
  if (word.startsWith("of=/dev/") && !isSink(word.slice(3))) yield "@of-device";
  if (/^(?:--checkpoint-action[= ]?)?exec=/.test(word)) yield "@runs-code";
  if (/^(?:exec|system):/i.test(word)) yield "@socat-exec";
  if (/^\/(?:etc|bin|sbin|usr|lib|boot|dev|proc|sys|System|Library)\/./.test(word) && !isSink(word))
    yield "@system-path";
  if (/^[A-Za-z]:$/.test(word)) yield "@drive";
  if (/^\/w:/i.test(word)) yield "@wipe";
  yield* marksOfText(word);
  if (/^\+[\w/$]/.test(word)) yield "@forced-ref";
  if (/^:[\w/.-]+$/.test(word)) yield "@deleted-ref";
  if (/^(?:-X|--(?:request|method)=)?["']?DELETE["']?$|\/_delete_by_query\b/.test(word)) yield "@http-delete";
  if (/\bstate=absent\b|\b(?:rm|shred|dd|mkfs)\s/.test(word)) yield "@absent";
  if (!/^[-<>]/.test(word) && !isSink(word)) yield "@plain-file";
  if (/^-(?:SIG)?KILL$|^-9$|^(?:SIG)?KILL$/i.test(word)) yield "@kill-signal";
}

/** The marks of a text that is code of some kind, for example on standard input. */
function* marksOfText(text: string): Generator<string> {
  if (SQL.test(text)) yield "@sql-drop";
  if (MONGO.test(text)) yield "@mongo-drop";
  if (/\bflush(?:all|db)\b/i.test(text)) yield "@flush";
  if (/(?:^|\n)\d*(?:w|wq|,?\$?d)\s*(?:\n|$)/.test(text.slice(0, 4096))) yield "@ed-write";
}
