import * as v from "valibot";
import { ConfigError } from "../../lib/errors.ts";

/** A skill in an index. Its name and files are safe to use in a path. */
export interface ListedSkill {
  name: string;
  description: string;
  /** Paths relative to the skill's folder, separated by `/`. */
  files: readonly string[];
}

const MAX_SKILLS = 50;
const MAX_FILES = 50;
const MAX_DEPTH = 5;
const MAX_DESCRIPTION = 1024;

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Excludes hidden files, `..` and characters with a meaning in URLs. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

const name = v.pipe(v.string(), v.regex(NAME, "a name consists of lower-case letters, digits, - and _"));
const path = v.pipe(
  v.string(),
  v.check((text) => {
    const segments = text.split("/");
    return segments.length <= MAX_DEPTH && segments.every((segment) => SEGMENT.test(segment));
  }, "a file must be a plain path inside its skill"),
);
const description = v.pipe(
  v.string(),
  v.transform((text) => text.replace(/\s+/g, " ").trim().slice(0, MAX_DESCRIPTION)),
  v.nonEmpty("a skill needs a description"),
);

const Index = v.object({
  skills: v.pipe(
    v.array(v.object({ name, description, files: v.optional(v.pipe(v.array(path), v.maxLength(MAX_FILES)), []) })),
    v.maxLength(MAX_SKILLS),
  ),
});

/**
 * Parses an `index.json`. Throws a {@link ConfigError} if it is invalid, for example for a name that leads elsewhere.
 */
export function readIndex(text: string): readonly ListedSkill[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError("index.json: not JSON", { cause: error });
  }
  const parsed = v.safeParse(Index, value);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new ConfigError(`index.json: ${v.getDotPath(issue) ?? "it"}: ${issue.message}`);
  }
  const byName = new Map(parsed.output.skills.map((skill) => [skill.name, skill]));
  return [...byName.values()];
}
