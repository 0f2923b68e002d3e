import * as v from "valibot";
import { ConfigError } from "../../lib/errors.ts";

/** A skill as an index lists it: every part is a name that can stand in a path. */
export interface ListedSkill {
  name: string;
  description: string;
  /** Paths below the skill's folder, with `/`. */
  files: readonly string[];
}

const MAX_SKILLS = 50;
const MAX_FILES = 50;
const MAX_DEPTH = 5;
const MAX_DESCRIPTION = 1024;

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** No hidden file, no `..`, and nothing that means something in a URL. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

const name = v.pipe(v.string(), v.regex(NAME, "a name is made of lower-case letters, digits, - and _"));
const path = v.pipe(
  v.string(),
  v.check((text) => {
    const segments = text.split("/");
    return segments.length <= MAX_DEPTH && segments.every((segment) => SEGMENT.test(segment));
  }, "a file is a plain path below its skill"),
);
const description = v.pipe(
  v.string(),
  v.transform((text) => text.replace(/\s+/g, " ").trim().slice(0, MAX_DESCRIPTION)),
  v.nonEmpty("a skill has a description"),
);

const Index = v.object({
  skills: v.pipe(
    v.array(v.object({ name, description, files: v.optional(v.pipe(v.array(path), v.maxLength(MAX_FILES)), []) })),
    v.maxLength(MAX_SKILLS),
  ),
});

/** Reads an `index.json`. Throws a {@link ConfigError} for what is not one, a name that leads elsewhere included. */
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
