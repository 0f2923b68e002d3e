import type { Destructive } from "./rules/rules.ts";

type SourceRule = readonly [found: Destructive, expression: RegExp];

/** Calls that delete or overwrite files, in the usual languages. */
const CALLS: readonly SourceRule[] = [
  [
    { radius: "high", category: "fs-delete", pattern: "rmtree(<path>)" },
    /\b(?:rmtree|rm_rf|rm_r|remove_tree|removedirs|remove_dir_all|remove_entry|remove_entry_secure|rimraf|delete-directory|RemoveAll|rmSync|rmdirSync|removeSync|emptyDirSync|remove_dir)\b|\b(?:fs|fsp|promises|fsPromises)["')\s]{0,4}\.(?:rm|rmdir)\b|\b(?:Deno|fse)\.remove(?:Sync)?\b/,
  ],
  [
    { radius: "low", category: "fs-delete", pattern: "unlink(<file>)" },
    /\bunlink(?:Sync)?\b|\bos\.(?:remove|rmdir|unlink)\b|\b(?:File|Dir)\.(?:delete|unlink|rmdir)\b|\bdelete-file\b|\bfile\s+delete\b|\bFileUtils\.(?:rm|remove)|\brmdir\s{0,8}["'($]|\bsend2trash\b/,
  ],
  [
    { radius: "medium", category: "fs-overwrite", pattern: "write(<file>)" },
    /\b(?:writeFile|writeFileSync|file_put_contents|write_text|write_bytes|createWriteStream|truncateSync|ftruncate|writeTextFile|writeTextFileSync)\b|\b(?:Bun|File|IO)\.write\b|\bopen\s*\([^()\n]{0,200},\s*(?:mode\s*=\s*)?["'](?:[wx]|>)|\bos\.(?:rename|replace|truncate)\b|\bshutil\.move\b|\brenameSync\b/,
  ],
  [
    { radius: "unknown", category: "remote-code", pattern: "connect(<host>) ... spawn(<shell>)" },
    /\b(?:fsockopen|TCPSocket|socket)\b[^]{0,400}\b(?:dup2|pty|spawn|exec|system|\/bin\/(?:ba)?sh)\b/,
  ],
  [
    { radius: "unknown", category: "encoded-code", pattern: "exec(decode(<text>))" },
    /\b(?:exec|eval|system|popen|run|call)\s?\([^]{0,80}(?:b64decode|fromhex|unhexlify|atob|base64|decompress|decode)/,
  ],
  [{ radius: "low", category: "process", pattern: "kill(<pid>)" }, /\b(?:os|process|Process)\.kill(?:pg)?\b/],
];

/** Calls that send data to another machine. */
export const SENDING_CALLS =
  /\b(?:requests|httpx|axios)\.(?:post|put|patch)\b|\bmethod["']?\s*[:=]\s*["'](?:POST|PUT|PATCH)["']|\burlopen\s?\([^()\n]{0,200},\s*data\b/;

/** Calls that ask another machine. */
export const FETCHING_CALLS =
  /\burlopen\b|\burlretrieve\b|\b(?:requests|httpx|axios|https?)\.get\b|\bNet::HTTP\b|\bURI\.open\b|(?<![.\w])fetch\s?\(\s?["'`]https?:/;

/** Calls, and operators of awk, that pass a text to a shell or start a program. */
const STARTS =
  /\b(?:system|popen\w*|subprocess|exec\w*|spawn\w*|child_process|shell_exec|passthru|proc_open|getoutput|getstatusoutput|check_call|check_output|Popen|execute|qx|shell-command|call-process|start-process)\b|shell script|\bBun\.\$|[`|]/;

/** Finds destructive calls in source code of a language other than a shell's. */
export function findCalls(source: string): Destructive[] {
  return CALLS.filter(([, expression]) => expression.test(source)).map(([found]) => found);
}

/** The parts of an awk program that start a shell. */
const AWK_STARTS = /\bsystem\s*\(|\|\s*["\w]|"\s*\|/;

/** The source as words if it may start a program, without the separators of lists. */
export function startedText(language: string, source: string): string | undefined {
  return (language.endsWith("awk") ? AWK_STARTS : STARTS).test(source) ? source.replace(/[,[\]{}]+/g, " ") : undefined;
}

/** True if an awk program prints into a file. */
export function printsToFile(source: string): boolean {
  return source.split(/[;{}()\n]/).some((statement) => {
    const print = statement.search(/\bprintf?\b/);
    return print >= 0 && /[^=>-]>{1,2}\s*["\w]/.test(statement.slice(print)) && !/>\s*"\/dev\/std/.test(statement);
  });
}

/** Returns the commands that a sed script runs, and whether it writes a file. */
export function readSedScript(script: string): { code: string[]; writes: boolean } {
  const code: string[] = [];
  let writes = false;
  for (const command of script.split("\n")) {
    const [, kind, operand] = /^[\d$,~+! ]*(?:\/[^/]*\/)?[! ]*([ewW])\s+(\S.*)$/s.exec(command) ?? [];
    if (kind === "e" && operand !== undefined) code.push(operand);
    if (kind === "w" || kind === "W") writes ||= !/^\/dev\/std/.test(operand ?? "");
    const from = /^[\d$,~+ ]*(?:\/[^/]*\/)?\s*s([^\w\s])/.exec(command);
    if (!from) continue;
    const [, , replacement = "", flags = ""] = command.slice(from[0].length - 2).split(from[1] ?? "/");
    if (/^[gpiImM\d]*e/.test(flags)) code.push(replacement);
    if (/^[gpiImM\d]*w\s+\S/.test(flags)) writes ||= !/^\w*w\s+\/dev\/std/.test(flags);
  }
  return { code, writes };
}
