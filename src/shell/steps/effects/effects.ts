import { isShell } from "../../launchers.ts";
import { patchEffects, patchFiles } from "../../patch-files.ts";
import { isDisk, isSink } from "../../rules/rules.ts";
import { HOLE, type Invocation } from "../invocation.ts";
import { parseWords } from "../parse-words.ts";
import type { Value, Values } from "../program-facts.ts";
import { changesCloud } from "./cloud.ts";
import { originEffects } from "./code-origin.ts";
import { CommandView } from "./command-view.ts";
import { EFFECTS, type Effect } from "./effect.ts";
import { type Grade, matchRow } from "./match-row.ts";
import { runsScript } from "./opaque.ts";
import { rowsByOption, rowsOf } from "./program-rows.ts";
import { isInterpreter, sourceEffects } from "./source-effects.ts";

type Grades = Map<Effect, Grade>;

/** What a command leads to. `views`: the command as each program that it may run reads it. */
export function effectsOf(invocation: Invocation, views: readonly CommandView[]): Values {
  const all: Grades = new Map();
  const certain = views.map((view) => (view.program.includes(HOLE) ? guessed(view) : gradesOf(view)));
  for (const effect of EFFECTS) {
    const grades = certain.map((one) => one.get(effect) ?? 0);
    if (grades.some((grade) => grade > 0)) all.set(effect, grades.every((grade) => grade === 2) ? 2 : 1);
  }
  for (const effect of [
    ...redirectEffects(invocation),
    ...originEffects(invocation.codeFrom),
    ...assignEffects(invocation),
    ...serviceEffects(invocation),
  ])
    all.set(effect, 2);
  const values = EFFECTS.flatMap((effect): Value[] => {
    const grade = all.get(effect);
    return grade ? [{ text: effect, sure: grade === 2 }] : [];
  });
  return { values, open: false };
}

/** What one program leads to with its words. */
function gradesOf(view: CommandView): Grades {
  const grades: Grades = new Map();
  if (asksForHelp(view)) return grades;
  const raise = (effect: Effect, grade: Grade) => {
    if (grade > (grades.get(effect) ?? 0)) grades.set(effect, grade);
  };
  for (const { effect, rule, own } of rowsOf(view.program))
    if ((grades.get(effect) ?? 0) < 2) raise(effect, matchRow(rule, view, { asked: false, own }));
  if (changesCloud(view)) raise("cloud", view.parsed.verb?.includes(HOLE) ? (view.parsed.loose ? 1 : 0) : 2);
  for (const effect of sourceEffects(view)) raise(effect, 2);
  for (const [effect, grade] of scriptGrades(view)) raise(effect, grade);
  if (isPatcher(view.program)) for (const effect of patchedEffects(view)) raise(effect, 2);
  if (isDryRun(view)) for (const effect of grades.keys()) if (!KEPT_DRY.has(effect)) grades.delete(effect);
  const publishes = grades.get("publish");
  if (publishes) raise("sends", publishes);
  const installs = grades.get("packages");
  if (installs) raise("fetches", installs);
  return grades;
}

/** What a program of which only a part of the name is known may lead to, by the options that it is given. */
function guessed(view: CommandView): Grades {
  const grades: Grades = new Map();
  const texts = view.words.slice(0, MAX_GUESSED).map(({ text }) => text);
  const options = texts.filter((text) => /^-./.test(text));
  if (options.length === 0 || asksForHelp(view)) return grades;
  const [head = "", ...rest] = view.program.split(HOLE);
  const tail = rest.at(-1) ?? "";
  const words = new Set(texts.map((text) => text.toLowerCase()));
  const guesses = new Map<string, CommandView>();
  for (const { effect, rule, own, program } of rowsByOption()) {
    if (grades.has(effect) || !program.startsWith(head) || !program.endsWith(tail)) continue;
    const [first] = rule.path;
    if (first && !first.some((text) => text.includes("*") || words.has(text))) continue;
    if (!rule.needs.some((group) => group.some((term) => options.some((option) => mayHave(option, term))))) continue;
    let guess = guesses.get(program);
    if (!guess)
      guesses.set(program, (guess = new CommandView(program, parseWords(program, view.words), view.invocation)));
    if (!isDryRun(guess) && matchRow(rule, guess, { asked: true, own }) > 0) grades.set(effect, 1);
  }
  return grades;
}

/** Words that are examined of a program that is not known. */
const MAX_GUESSED = 64;

/** True if a word may be or hold an option, by any name: any long option may be another name of a short one. */
function mayHave(word: string, term: string): boolean {
  if (word.startsWith("--")) return true;
  return term.length === 2 ? word.includes(term.charAt(1)) : word.startsWith(term) || term.startsWith("--");
}

/** What a script leads to that has rows of its own: `python manage.py flush`, `php artisan db:wipe`, `yarn prisma migrate reset`. */
function scriptGrades({ program, parsed, invocation }: CommandView): Grades {
  if (runsScript(program, parsed.verb)) {
    const at = invocation.words.findIndex(({ text }) => text === parsed.verb?.split(" ", 1)[0]);
    return at < 0 ? new Map() : gradesBehind(invocation, at);
  }
  const [script] = parsed.operands;
  if (!isInterpreter(program) || !script || parsed.options.some(({ name }) => name === "-c" || name === "-e"))
    return new Map();
  return gradesBehind(invocation, invocation.words.indexOf(script));
}

/** What the program leads to that one of the words names, with the words behind it. */
function gradesBehind(invocation: Invocation, at: number): Grades {
  const { text = "" } = invocation.words[at] ?? {};
  const name = text.slice(text.lastIndexOf("/") + 1).toLowerCase();
  if (name.includes(HOLE) || rowsOf(name).length === 0 || isInterpreter(name)) return new Map();
  const words = invocation.words.slice(at + 1);
  return gradesOf(new CommandView(name, parseWords(name, words), { ...invocation, programs: [name], words }));
}

function asksForHelp({ parsed }: CommandView): boolean {
  return parsed.options.some(({ name, value }) => value === undefined && /^--?(?:help|version)$/.test(name));
}

/** Programs that run what they are told with options that they do not know. */
const NO_DRY_RUN =
  /^(?:npx|bunx|yarn|sudo|doas|env|sh|bash|zsh|python|node|perl|ruby|php|deno|bun|psql|mysql|mariadb|sqlite3|mongosh|redis-cli)$/;
/** What a dry run does nevertheless. */
const KEPT_DRY: ReadonlySet<Effect> = new Set([
  "fetches",
  "reveals",
  "bypass",
  "privilege",
  "delegates",
  "remote-code",
  "hidden-code",
]);

function isDryRun(view: CommandView): boolean {
  if (NO_DRY_RUN.test(view.program)) return false;
  const named = view.parsed.options.findLast(({ name }) =>
    /^--?(?:dry-?run|simulate|just-print|what-?if)$/i.test(name),
  );
  return named !== undefined && !/^(?:none|false|0|no)$|\0/.test(named.value?.text ?? "");
}

function isPatcher(program: string): boolean {
  return program === "apply_patch" || program === "applypatch";
}

/** What a patch leads to that stands in the line; one that does not changes files. */
function patchedEffects({ words, invocation }: CommandView): Effect[] {
  const files = [...invocation.given, ...words.map(({ text }) => text)].flatMap(patchFiles);
  return files.length === 0 ? ["fs-modify"] : patchEffects(files);
}

/** What redirections lead to. */
function redirectEffects({ redirects, programs }: Invocation): Effect[] {
  const isConnected = redirects.some(({ target }) => DEVICE.test(target.text));
  // A shell whose input is a connection runs what comes from there.
  if (isConnected && isShell(programs[0] ?? "")) return ["remote-code", "sends", "fetches"];
  return redirects.flatMap(({ operator, target: { text }, writes }): Effect[] => {
    if (DEVICE.test(text)) return writes ? ["sends"] : ["fetches"];
    if (!writes || isSink(text)) return [];
    if (isDisk(text)) return ["block-device"];
    if (text === "/proc/sysrq-trigger") return ["system"];
    return [operator.includes(">>") || operator === "<>" ? "fs-modify" : "fs-overwrite"];
  });
}

/** A connection to another machine. */
const DEVICE = /^\/dev\/(?:tcp|udp)\//;

/** What a script of a service leads to: `/etc/init.d/x restart`. */
function serviceEffects({ spelled, words }: Invocation): Effect[] {
  const changes = /^(?:start|stop|restart|reload|force-reload)$/.test(words[0]?.text ?? "");
  return changes && /^\/etc\/(?:rc\.d\/)?init\.d\//.test(spelled) ? ["system"] : [];
}

/** Checks that variables switch off. */
function assignEffects({ assigns, programs, words }: Invocation): Effect[] {
  const exported = programs[0] === "export" ? words.map(({ text }) => text) : [];
  const set = [...assigns.map(({ name, value }) => `${name}=${value.text}`), ...exported];
  return set.some((text) =>
    /^(?:HUSKY=0$|SKIP=.|PRE_COMMIT_ALLOW_NO_CONFIG=.|HISTFILE=(?:\/dev\/null)?$|GIT_CONFIG_KEY_\d+=core\.hookspath$)/i.test(
      text,
    ),
  )
    ? ["bypass"]
    : [];
}
