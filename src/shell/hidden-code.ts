import { isAssignment } from "./launchers.ts";
import { ruleName } from "./rules/rules.ts";
import type { Word } from "./word.ts";

/** Variables whose values programs run. */
const RUN_VARIABLES =
  /^(?:export\s+)?(?:\w*(?:_COMMAND|EDITOR|PAGER|_ASKPASS|_DIFF|_SSH|_PROXY_CMD)|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|ENV|BASH_ENV|PS[0-4]|SHELL|FCEDIT|RSYNC_RSH|CVS_RSH|MAKEFLAGS|PROMPT|GIT_CONFIG_VALUE_\d+|GREP)\+?=/;

/** Code in the values of variables that a command sets for programs: `PAGER='...' git log`. */
export function codeInVariables(words: readonly Word[]): string[] {
  return words
    .filter((word) => isAssignment(word) && RUN_VARIABLES.test(word.text))
    .map(({ text }) => text.slice(text.indexOf("=") + 1).replace(/^[|!]/, ""));
}

/** Keys of git's configuration whose values git runs as commands. */
const RUN_KEYS =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|pager\.\w+|diff\.external|[\w.-]+\.(?:textconv|command|cmd|driver|clean|smudge|process|helper|program|uploadpack|receivepack))$/i;

/** Options of git whose values it runs as commands. */
const RUN_OPTIONS =
  /^--(?:upl[\w-]*|recei[\w-]*|exe|exec|extc\w*|open-[\w-]*|sendm[\w-]*|smtp-server|(?:to|cc|header)-cmd|(?!diff)[\w-]+-filter)(?==|$)/;

/** Code in the options and the configuration of git. */
export function codeInOptions(names: readonly (string | undefined)[], texts: readonly string[]): string[] {
  if (!names.some((name) => name !== undefined && ruleName(name) === "git")) return [];
  return texts.flatMap((text, at) => {
    if (text.startsWith("ext::")) return text.slice("ext::".length);
    if (texts[at - 1] === "-u" && texts.includes("clone")) return text;
    if (RUN_OPTIONS.test(text) && text.includes("=")) return text.slice(text.indexOf("=") + 1);
    if (RUN_OPTIONS.test(texts[at - 1] ?? "")) return text;
    if (/^-O./.test(text) && texts.includes("grep")) return text.slice(2);
    const equals = text.indexOf("=");
    const key = equals > 0 ? text.slice(0, Math.min(equals, 256)) : (texts[at - 1] ?? "").slice(0, 256);
    const value = equals > 0 && /^[\w.-]+$/.test(key) ? text.slice(equals + 1) : text;
    const isAlias = /(?:^|\.)alias\.[\w-]+$/i.test(key) && value.startsWith("!");
    return isAlias ? value.slice(1) : RUN_KEYS.test(key) ? value.replace(/^!/, "") : [];
  });
}
