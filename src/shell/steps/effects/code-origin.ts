import { DECODERS, FETCHERS } from "../../origin.ts";
import type { Invocation } from "../invocation.ts";
import type { Effect } from "./effect.ts";

/** Commands that are examined to find where code comes from. */
const MAX_COMMANDS = 64;

/** A character that a text spells by its number: `\x72`, `\162`. */
const SPELLED = /\\(?:x[\da-f]{1,2}|0?[0-7]{2,3}|u[\da-f]{2,4})/i;

/** Words with which a program prints or copies what another machine has. */
const FROM_ELSEWHERE: Readonly<Record<string, RegExp>> = {
  ssh: /./,
  scp: /(?:^| )[^\s/-][^\s/]*:/,
  rsync: /(?:^| )[^\s/-][^\s/]*:/,
  sftp: /./,
  gh: /^(?:api|gist view|release download)\b/,
  aws: /\bs3 cp s3:/,
  gsutil: /^(?:-\S+ )*(?:cat|cp gs:)/,
  git: /^clone\b/,
};

function prints(program: string, { words }: Invocation): boolean {
  const expression = Object.hasOwn(FROM_ELSEWHERE, program) ? FROM_ELSEWHERE[program] : undefined;
  const texts = words.slice(0, 16).map(({ text }) => text.slice(0, 256));
  return expression?.test(texts.join(" ")) === true;
}

/** What it leads to that a command runs code from these commands, or from those that feed them. */
export function originEffects(codeFrom: readonly Invocation[]): Effect[] {
  const effects = new Set<Effect>();
  const queue = [...codeFrom];
  for (let left = MAX_COMMANDS; left > 0; left--) {
    const from = queue.pop();
    if (!from) break;
    for (const program of from.programs) {
      if (FETCHERS.has(program) || prints(program, from)) effects.add("remote-code");
      else if (DECODERS.has(program)) effects.add("hidden-code");
      else if (/^(?:printf|echo|print)$/.test(program) && from.words.some(({ text }) => SPELLED.test(text)))
        effects.add("hidden-code");
    }
    queue.push(...from.fedBy, ...from.inner);
  }
  return [...effects];
}
