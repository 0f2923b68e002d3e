import { isAssignment, programName } from "./launchers.ts";
import type { Destructive } from "./rules/rules.ts";
import type { CommandRange, SimpleCommand } from "./word.ts";

const split = (names: string) => new Set(names.split(/\s+/));

/** Programs whose output comes from another machine. */
export const FETCHERS: ReadonlySet<string> = split(
  "curl wget wget2 fetch aria2c axel lynx links w3m http https xh httpie nc ncat netcat socat telnet ftp irm iwr invoke-webrequest invoke-restmethod",
);
/** Programs whose output hides its content. */
export const DECODERS: ReadonlySet<string> = split(
  "base64 base32 basenc openssl xxd gunzip zcat gzip bzcat bunzip2 bzip2 xzcat unxz xz zstdcat unzstd zstd uudecode rev tr iconv tac gpg age",
);

const REMOTE: Destructive = { radius: "unknown", category: "remote-code", pattern: "curl ... | sh" };
const ENCODED: Destructive = { radius: "unknown", category: "encoded-code", pattern: "base64 -d | sh" };

/** The number of commands that are examined to find where code comes from. */
const MAX_COMMANDS = 16;
/** The words of a command that are examined: the program is among the first, as is the input of `cat`. */
const MAX_WORDS = 8;

/** Says whether commands, or those that feed them, print code from another machine or encoded code. */
export function originOf(ranges: readonly (CommandRange | undefined)[]): Destructive | undefined {
  const queue = ranges.filter((range) => range !== undefined);
  let left = MAX_COMMANDS;
  let origin: Destructive | undefined;
  for (let range = queue.pop(); range && left > 0; range = queue.pop()) {
    for (let at = range.from; at < range.to && left-- > 0; at++) {
      const command = range.of[at] as SimpleCommand;
      const names = command.words.slice(0, MAX_WORDS).map(programName);
      if (names.some((name) => name !== undefined && FETCHERS.has(name))) return REMOTE;
      if (names.some((name) => name !== undefined && DECODERS.has(name))) origin = ENCODED;
      if (command.fed && at === range.from) queue.push(command.fed);
      for (const { inner } of command.words.slice(0, MAX_WORDS))
        if (inner && inner.from !== range.from) queue.push(inner);
    }
  }
  return origin;
}

/** Names of files that a command fetches; empty for every other command. */
export function fetchedFiles({ words, redirects }: SimpleCommand): string[] {
  const program = words
    .slice(0, MAX_WORDS)
    .findIndex((word) => !isAssignment(word) && FETCHERS.has(programName(word) ?? ""));
  if (program < 0) return [];
  return [...words.slice(program + 1, program + 24), ...redirects.map(({ target }) => target)].flatMap(
    ({ text }) => /((?<=\/)[\w+-]|[\w.+-]{2,64})["']?(?:\?.{0,64})?$/.exec(text.slice(-160))?.[1] ?? [],
  );
}

/** The finding for running a downloaded file. */
export const FETCHED: Destructive = { ...REMOTE, pattern: "curl -o <file> ...; sh <file>" };
