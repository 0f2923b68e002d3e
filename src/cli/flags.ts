import { UsageError } from "../lib/errors.ts";
import { nearest } from "../lib/text/nearest.ts";

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
  description: string;
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
    if (takesNext(flag) && argv[at + 1] !== undefined) flag.value = argv[++at];
    setFlag(flags, flag);
  }
  return { flags: flags as Flags<S>, positionals };
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
  throw new UnknownFlagError(dashes + given, nearest(given, Object.keys(specs)));
}

function takesNext({ spec, value }: Found): boolean {
  return value === undefined && (spec.kind === "value" || spec.kind === "list");
}

function setFlag(flags: Record<string, unknown>, { word, name, spec, negated, value }: Found): void {
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
