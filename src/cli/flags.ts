import { UsageError } from "../lib/errors.ts";
import { nearestName } from "../lib/text/nearest.ts";

export interface FlagSpec {
  /**
   * `switch`: on or off; `value`: takes a value; `list`: can be repeated; `optional`: takes a value only as
   * `--flag=value`.
   */
  kind: "switch" | "value" | "list" | "optional";
  /** One letter. */
  alias?: string;
  /** The placeholder of the value in the help text: `FILE`, `NAME`. */
  hint?: string;
  /** The allowed values. */
  choices?: readonly string[];
  /** The value may be empty or start with dashes, as a shell command may. */
  verbatim?: true;
  /** An earlier name, and how it is written now: `--replay FILE`. It keeps working, with a notice at a terminal. */
  now?: string;
  /** The flag that an earlier name gives its value to. */
  sets?: string;
  /** True for a flag without effect, which is only accepted. */
  isIgnored?: true;
  /**
   * For a flag that takes `KIND:VALUE`, once for each kind: the flag that each kind gives its value to. Only these words before
   * a colon are kinds, so `C:\\FILE` is a value without one; the flag itself gets such a value if it is one of the targets.
   */
  kinds?: Readonly<Record<string, string>>;
  description: string;
}

/** True for a flag that help, completion and reference list. */
export function isListed({ now, isIgnored }: FlagSpec): boolean {
  return now === undefined && isIgnored !== true;
}

/** Returns how a flag is written, with the placeholder of its value: `--session ID|-N`, `--worktree[=NAME]`. */
export function flagUsage(name: string, { kind, hint = "VALUE" }: FlagSpec): string {
  if (kind === "switch") return `--${name}`;
  return kind === "optional" ? `--${name}[=${hint}]` : `--${name} ${hint}`;
}

/** The flags of a command, by name without dashes. */
export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

/**
 * The parsed flags. A flag that is not given is undefined, or empty if it is a list; an optional flag without a value
 * is "".
 */
export type Flags<S extends FlagSpecs> = {
  [K in keyof S]: S[K]["kind"] extends "switch"
    ? boolean | undefined
    : S[K]["kind"] extends "list"
      ? string[]
      : string | undefined;
};

/** A flag that the command does not have. */
export class UnknownFlagError extends UsageError {
  /** With its dashes. */
  readonly flag: string;

  constructor(flag: string, close: string | undefined) {
    super(`unknown flag ${flag}${close ? `, did you mean --${close}?` : ""}`);
    this.flag = flag;
  }
}

export interface Parsed<S extends FlagSpecs> {
  flags: Flags<S>;
  positionals: string[];
  /** The earlier names on the command line, and how each is written now. */
  renamed: { word: string; now: string }[];
}

/** For each result of {@link parseFlags}, the values of its list flags in the order of the command line. */
const listValues = new WeakMap<object, { name: string; value: string }[]>();

/**
 * Returns the values of several list flags in the order of the command line. For flags that {@link parseFlags} did not
 * parse, the values are in the order of `names`.
 */
export function listValuesInOrder(
  flags: Readonly<Record<string, unknown>>,
  names: readonly string[],
): { name: string; value: string }[] {
  const all =
    listValues.get(flags) ??
    names.flatMap((name) => ((flags[name] ?? []) as string[]).map((value) => ({ name, value })));
  return all.filter(({ name }) => names.includes(name));
}

/**
 * Parses a command line strictly. Throws a {@link UsageError} on an unknown flag, on a missing or unknown value, and on
 * a value for a switch. A value is the next argument or follows `=`; `--no-NAME` and `--NAME=false` turn a switch off;
 * `-` and everything after `--` are positional.
 */
export function parseFlags<const S extends FlagSpecs>(argv: readonly string[], specs: S): Parsed<S> {
  const flags: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries<FlagSpec>(specs)) flags[name] = spec.kind === "list" ? [] : undefined;
  listValues.set(flags, []);
  const positionals: string[] = [];
  const renamed: Parsed<S>["renamed"] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") {
      positionals.push(...argv.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-" || /^-\d+$/.test(word)) {
      positionals.push(word);
      continue;
    }
    const flag = findFlag(word, specs);
    const next = argv[at + 1];
    if (next !== undefined && takesNext(flag, next)) {
      flag.value = next;
      at++;
    }
    if (flag.spec.now !== undefined) renamed.push({ word: flag.word, now: flag.spec.now });
    setFlag(flags, flag.spec.kinds === undefined ? flag : ofKind(flags, flag, flag.spec.kinds));
  }
  return { flags: flags as Flags<S>, positionals, renamed };
}

interface Found {
  word: string;
  name: string;
  spec: FlagSpec;
  negated: boolean;
  value: string | undefined;
}

function findFlag(word: string, specs: FlagSpecs): Found {
  const [, dashes = "", given = "", value] = /^(--?)([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
  if (dashes === "-") {
    const entry = Object.entries(specs).find(([, spec]) => spec.alias === given);
    if (entry) return { word: `-${given}`, name: entry[0], spec: entry[1], negated: false, value };
  } else {
    const negated = given.startsWith("no-") && specs[given] === undefined && specs[given.slice(3)]?.kind === "switch";
    const name = negated ? given.slice(3) : given;
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (spec) return { word: `--${given}`, name, spec, negated, value };
  }
  throw new UnknownFlagError(dashes + given, closestFlag(given, Object.keys(specs)));
}

/** `--hooks` is the beginning of `--hooks-file`, not a typo of `--hook`; `--hooks-file` of `install` is its `--file`. */
function closestFlag(given: string, names: readonly string[]): string | undefined {
  const longer = names.filter((name) => name.startsWith(`${given}-`));
  return longer.length === 1
    ? longer[0]
    : (nearestName(given, names) ?? names.find((name) => given.endsWith(`-${name}`)));
}

/** A word after an optional flag can be a positional one, unless it names a kind of the flag. */
function takesNext({ spec, value }: Found, next: string): boolean {
  if (value !== undefined || spec.kind === "switch") return false;
  return spec.kind !== "optional" || (spec.kinds !== undefined && kindOf(next, spec.kinds) !== undefined);
}

function kindOf(value: string, kinds: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(kinds).find((kind) => value.startsWith(`${kind}:`));
}

/** Returns the flag that a value goes to, according to its kind. Throws if it has one already. */
function ofKind(flags: Record<string, unknown>, flag: Found, kinds: Readonly<Record<string, string>>): Found {
  const { word, name, value } = flag;
  const kind = kindOf(value ?? "", kinds);
  if (kind === undefined && value !== undefined && !Object.values(kinds).includes(name))
    throw new UsageError(`${word} takes ${flag.spec.hint}, not ${JSON.stringify(value)}`);
  const target = (kind !== undefined && kinds[kind]) || name;
  if (flags[target] !== undefined) throw new UsageError(`what --${target} records is given twice`);
  if (kind === undefined || value === undefined) return flag;
  const rest = value.slice(kind.length + 1);
  return { ...flag, name: target, value: rest, spec: { ...flag.spec, kind: "value", hint: `${kind}:FILE` } };
}

function setFlag(flags: Record<string, unknown>, { word, name: own, spec, negated, value }: Found): void {
  const name = spec.sets ?? own;
  if (spec.kind === "switch") {
    if (value !== undefined && value !== "true" && value !== "false")
      throw new UsageError(`${word} is a switch: it takes true or false, not ${JSON.stringify(value)}`);
    flags[name] = negated ? value === "false" : value !== "false";
    return;
  }
  if (spec.kind === "optional") {
    flags[name] = value ?? "";
    return;
  }
  if (value === undefined || (value === "" && !spec.verbatim))
    throw new UsageError(`${word} needs a value: ${word} ${spec.hint ?? "VALUE"}`);
  if (value.startsWith("--") && !spec.verbatim)
    throw new UsageError(`${word} needs a value, and ${JSON.stringify(value)} looks like a flag`);
  if (spec.choices && !spec.choices.includes(value))
    throw new UsageError(`${word} takes ${spec.choices.join(", ")}, not ${JSON.stringify(value)}`);
  if (spec.kind === "list") {
    (flags[name] as string[]).push(value);
    listValues.get(flags)?.push({ name, value });
  } else flags[name] = value;
}
