/** Programs that change nothing, whatever their words are. */
const READS =
  /^(?:ls|ll|pwd|cat|head|tail|wc|nl|grep|egrep|fgrep|stat|du|df|whoami|uname|which|type|basename|dirname|realpath|readlink|md5sum|sha256sum|diff|cmp|jq|echo|true|cd)(?: |$)/;
/** Verbs of git that change nothing outside of `.git`, with options that name no file and no program. */
const GIT =
  /^git (?:status|diff|log|show|blame|branch|rev-parse|add|commit|fetch|push)(?: (?:--(?:short|porcelain|stat|oneline|graph|cached|staged|name-only|all|amend|no-edit|quiet|show-current|)(?= |$)|-[abmnpqsuv\d]{1,3}|[\w./~§][\w./~^§-]*))*$/;
/** Programs that run what the line does not show, with words that name no file. */
const RUNS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:test|ci|install|run [\w:-]+)|make(?: (?:all|build|check|clean|lint|test))?|cargo (?:build|test|check|clippy)|go (?:build|test|vet) \.\/\.\.\.|(?:npx )?tsc)(?: --?(?:[a-zA-Z]+(?:-[a-z]+)*)?)*$/;

/** Redirections to nothing, and of one stream to the other. */
const HARMLESS = / ?(?:2>&1|[12&]?> ?\/dev\/null)(?= |$)/g;
/** A text in quotes in which nothing expands; `§` stands for it. */
const QUOTED = /'[^'\n]*'|"[^"$`\\\n]*"/g;

/**
 * True if a scan of the text proves that a command line changes no file that it could name, and holds no code. False says
 * nothing. For those that would load the reader of command lines, which is large, for no more than that.
 */
export function changesNothing(line: string): boolean {
  if (line.length > 4096) return false;
  const plain = line.replace(QUOTED, "§").replace(HARMLESS, "");
  if (!/^[\w ./:=@%+,~^*?|&;§-]*$/.test(plain) || /(?<!&)&(?!&)/.test(plain)) return false;
  const commands = plain.split(/&&|\|\|?|;/).map((command) => command.trim().replace(/ +/g, " "));
  return commands.every((command) => READS.test(command) || GIT.test(command) || RUNS.test(command));
}
