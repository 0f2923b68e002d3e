import { printsToFile, readSedScript } from "../../other-languages.ts";
import { isDisk, isSink } from "../../rules/rules.ts";
import { HOLE } from "../invocation.ts";
import { changesData, changesDocuments, changesKeys } from "./changes-data.ts";
import type { CommandView } from "./command-view.ts";

/** Code from elsewhere than a registry: an address, a repository. */
const SOURCE =
  /^(?:[\w.-]+@)?(?:https?:\/\/|git\+|git:\/\/|git@|ssh:\/\/|(?:github|gitlab|bitbucket|gist):)|^git\+|@\s*(?:https?:|git\+)/i;
const SHORT_REPOSITORY = /^[A-Za-z\d][\w.-]*\/[\w.-]+(?:#.+)?$/;
const NODE = /^(?:npm|pnpm|yarn|bun|npx|bunx)$/;
/** A file on another machine, or in a remote store. */
const REMOTE = /^(?:[\w.@-]+|\[[\da-f:]+\]|[^/\0]*\0[^/\0]*):(?!\\)|^(?:s3|gs|rsync|scp|sftp|https?|azblob|r2):\/\//i;
const SECRET_NAME = /\$\{?[!#]?\w*(?:TOKEN|SECRET|PASSW|API_KEY|PRIVATE_KEY|CREDENTIAL)\w*/i;
const UPLOADS = /^(?:POST|PUT|PATCH)$/i;
const REMOVES =
  /^(?:delete|rm|remove|rb|del|purge|destroy|clear|clean|wipe|reset|prune|forget|recreate|archive|kill|disable|unregister|undeploy|rollback)$|^(?:delete|remove)-|-(?:remove|delete)$/;
/** The commands of parted that change a disk, which may be shortened. */
const PARTED_CHANGE = /^(?:mk[lpt]|rm$|resi|resc|set$|name$|tog|disk_)/;
const DELETING_PATH = /\/_delete_by_query\b|\/doDelete\b|\/_close\b|\/delete(?:[-_A-Z/?#]|$)/;
/** Subcommands of agents that start none. */
const NO_AGENT =
  /^(?:mcp|config|update|upgrade|doctor|install|uninstall|plugin|plugins|login|logout|completion|debug|features|auth|models|help|extensions|extension|skills|hooks|setup-token|usage|stats|status|about|whoami|ls|--version)$/;

/** What rows ask of a command beyond its words. */
export const MARKS: Readonly<Record<string, (view: CommandView) => boolean>> = {
  "@to-sink": ({ operands }) => operands.length > 1 && isSink(operands.at(-1) ?? ""),
  "@to-disk": ({ operands }) => operands.some(isDisk),
  "@onto-disk": (view) => isDisk(view.valuesOf("-t")[0] ?? view.operands.at(-1) ?? ""),
  "@changes-partitions": ({ operands }) => operands.slice(1).some((text) => PARTED_CHANGE.test(text)),
  "@to-file": (view) => {
    const { parsed, operands } = view;
    const needed = parsed.open || view.has("-t") ? 1 : 2;
    return parsed.operands.length >= needed && !isSink(operands.at(-1) ?? "");
  },
  "@of-file": ({ operands }) =>
    operands.some((text) => text.startsWith("of=") && !isSink(text.slice(3)) && !isDisk(text.slice(3))),
  "@saves": (view) =>
    view.program === "curl"
      ? view.valuesOf("-o").some((file) => !isSink(file))
      : view.path.length > 0 && !view.has("--spider") && !view.valuesOf("-O").some(isSink),
  "@prints-to-file": ({ operands }) => printsToFile(operands[0] ?? ""),
  "@writes-a-file": (view) =>
    [...view.valuesOf("-e"), ...view.operands.slice(0, 1)].some((script) => readSedScript(script).writes),
  "@forced-ref": ({ operands }) => operands.some((text) => /^\+[\w/$@\0]/.test(text)),
  "@deleted-ref": ({ operands }) => operands.some((text) => /^:[\w/.\0-]/.test(text)),
  // No branch begins with a dot or a colon.
  "@path": ({ operands }) => /^(?:\.|:[/(!^])/.test(operands[0] ?? ""),
  "@tag-ref": ({ operands }) =>
    operands.some((text, at) => /(?:^\+?|:)refs\/tags\//.test(text) || (text === "tag" && at > 0)),
  "@source": (view) =>
    [
      ...view.path.slice(0, 1),
      ...view.operands,
      ...["-e", "--from", "--package", "-p", "--spec", "--with"].flatMap((name) => view.valuesOf(name)),
    ].some((text) => SOURCE.test(text) || (NODE.test(view.program) && SHORT_REPOSITORY.test(text))),
  "@versioned": ({ operands }) => /^[\w.-]+\.\w+\/.*@|^[\w./-]+@[\w.-]+$/.test(operands[0] ?? ""),
  "@names": ({ program, operands }) =>
    operands.some(
      (text) =>
        !(program === "go" && /^\.{1,2}\//.test(text)) && !/^(?:\.{1,2}\/?|\.{1,2}\/?\.\.\.)?(?:\[.*\])?$/.test(text),
    ),
  "@sql": (view) => [...view.texts, ...view.invocation.given].some(changesData),
  "@mongo": (view) => [...view.texts, ...view.invocation.given].some(changesDocuments),
  "@redis": (view) =>
    [
      view.path[0] ?? "",
      ...view.invocation.given.flatMap((text) => text.split("\n").map((line) => line.trim().split(/\s/, 1)[0] ?? "")),
    ].some(changesKeys) &&
    !/^config (?:get|help)/.test(view.path.join(" ")) &&
    !/^script (?:exists|load)/.test(view.path.join(" ")),
  "@deletes-by-request": (view) => {
    const methods = requestMethods(view);
    if (methods.some((method) => /^DELETE$/i.test(method))) return true;
    return (
      (methods.some((method) => UPLOADS.test(method)) || sendsData(view)) &&
      addresses(view).some((text) => DELETING_PATH.test(text))
    );
  },
  "@removes": ({ path, parsed: { verb } }) =>
    path.slice(0, Math.max(3, verb?.split(" ").length ?? 0)).some((word) => REMOVES.test(word)),
  "@short-dry-run": ({ words }) => words.some(({ text }) => text === "-n"),
  "@uploads": (view) =>
    requestMethods(view).some((method) => UPLOADS.test(method)) ||
    (!/^(?:curl|wget)/.test(view.program) && sendsData(view)),
  "@substitution": (view) =>
    view.parsed.operands.some(({ text, source }) => text.includes(HOLE) && /\$\(|`/.test(source)),
  "@to-remote": ({ operands }) => operands.length > 1 && REMOTE.test(operands.at(-1) ?? ""),
  "@from-remote": ({ operands }) => operands.slice(0, -1).some((text) => REMOTE.test(text)),
  "@deploys": ({ operands, path }) =>
    [...path, ...operands].some((goal) => /^(?:[\w.-]+:)?deploy(?:-file)?$|^release:perform$/.test(goal)),
  "@publishes": ({ path }) => path.some((task) => /(?:^|:)publish(?!.*tomavenlocal)|(?:^|:)uploadarchives$/.test(task)),
  "@root-mount": (view) =>
    view.valuesOf("-v").some((value) => value.startsWith("/:")) ||
    view.valuesOf("--mount").some((value) => /(?:^|,)(?:source|src)=\/(?:,|$)/.test(value)),
  "@setuid": (view) => {
    const mode = (view.program === "install" ? view.valuesOf("-m") : view.operands)[0] ?? "";
    return /^0?[2-7]\d{3}$/.test(mode) || mode.split(",").some((part) => /^[ugoa]*[+=][rwxXt]*s/.test(part));
  },
  "@admin-group": ({ texts }) =>
    texts.some((text) => text.split(",").some((group) => /^(?:sudo|wheel|admin|root|docker|lxd)$/.test(group))),
  "@assigns": ({ operands }) => operands.some((text) => text.includes("=")),
  "@encoded": (view) => view.parsed.options.some(({ name }) => /^--?e(?:c|n(?:c\w*)?)?$/i.test(name)),
  "@kills": (view) =>
    // A process group is named by a negative number.
    (view.parsed.operands.length > 0 || view.words.slice(1).some(({ text }) => /^-\d+$/.test(text))) &&
    !["-s", "-n", "--signal"].some((name) => view.valuesOf(name).includes("0")),
  "@prints-all": ({ operands }) => operands.every((text) => /^\w+=/.test(text)),
  "@alone": ({ words }) => words.length === 0,
  "@lists-variables": ({ operands, words }) =>
    operands.length === 0 && words.every(({ text }) => /^-[a-zA-Z]*[pxg][a-zA-Z]*$/.test(text)),
  "@secret-variable": ({ words }) => words.some(({ text, source }) => text.includes(HOLE) && SECRET_NAME.test(source)),
  "@secret-object": (view) =>
    view.operands.some((text) => text.split(",").some((kind) => /^secrets?(?:$|\/)/i.test(kind))) &&
    view.valuesOf("-o").some((format) => !/^(?:name|wide)$/.test(format)),
  "@no-hooks": (view) => {
    const settings = view.valuesOf("-c").map((text) => text.toLowerCase());
    if (settings.some((text) => /^core\.hookspath(?:=|$)|^(?:commit|tag|push)\.gpgsign=(?:false|no|off|0)$/.test(text)))
      return true;
    if (view.path[0] !== "config") return false;
    const [key = "", value] = view.path.slice(1).filter((word) => !/^(?:set|unset|add)$/.test(word));
    const isRead =
      view.path[1] === "get" || ["--get", "--get-all", "--get-regexp", "-l"].some((name) => view.has(name));
    if (isRead) return false;
    if (key === "core.hookspath")
      return value !== undefined || view.path[1] === "unset" || view.has("--unset") || view.has("--unset-all");
    return /^(?:commit|tag)\.gpgsign$/.test(key) && /^(?:false|no|off|0)$/.test(value ?? "");
  },
  "@sets-code": (view) => {
    if (view.path[0] !== "config" || READS_SETTINGS.some((name) => view.has(name))) return false;
    const words = view.operands.filter((word) => !/^(?:config|set|add)$/.test(word));
    return words.slice(0, -1).some((key, at) => runsCode(key, words[at + 1] ?? ""));
  },
  "@nothing-more": ({ path }) => path.length === 1,
  "@auth-key": ({ operands }) => operands.some((text) => /_auth(?:token)?$|_password$/i.test(text)),
  "@dangerous": (view) => view.parsed.options.some(({ name }) => name.startsWith("--dangerously-bypass")),
  "@no-history": ({ words }) => words.some(({ text }, at) => /^\+o$/.test(text) && words[at + 1]?.text === "history"),
  "@scripts-run": ({ path }) => path.includes("ignore-scripts=false"),
  "@on-disk": ({ program, operands }) =>
    (/^(?:cp|mv|install)$/.test(program) ? operands.slice(1).slice(-1) : operands).some(isDisk),
  "@to-registry": ({ operands }) => /^(?:docker|oci|atomic):\/\//.test(operands.at(-1) ?? ""),
  "@probes": (view) => ["-s", "--signal"].some((name) => view.valuesOf(name).includes("0")),
  "@agent": ({ path }) => !NO_AGENT.test(path[0] ?? ""),
};

/** Options of `git config` with which it changes nothing. */
const READS_SETTINGS = ["--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--unset", "--unset-all"];

/** True if git runs the value of a setting. */
function runsCode(key: string, value: string): boolean {
  if (/^alias\.|^credential(?:\.[^\0]*)?\.helper$/i.test(key)) return value.startsWith("!");
  if (/^core\.fsmonitor$/i.test(key)) return !/^(?:true|false|yes|no|on|off|[01])?$/i.test(value);
  return /^(?:core\.sshcommand|core\.gitproxy|gpg(?:\.\w+)?\.program|(?:filter|diff|merge|difftool|mergetool)\.[^\0]*\.(?:clean|smudge|process|command|textconv|driver|cmd))$/i.test(
    key,
  );
}

/** The methods that options or words name. */
function requestMethods(view: CommandView): string[] {
  if (view.program === "curl") return view.valuesOf("-X");
  if (view.program.startsWith("wget")) return view.valuesOf("--method");
  return view.operands.slice(0, 1);
}

/** True if options or words give the request a body. */
function sendsData(view: CommandView): boolean {
  if (view.program === "curl")
    return ["-d", "--data-binary", "--data-raw", "--data-urlencode", "--json", "-F", "-T"].some((name) =>
      view.has(name),
    );
  if (view.program.startsWith("wget"))
    return ["--post-data", "--post-file", "--body-data", "--body-file"].some((name) => view.has(name));
  return view.operands.slice(1).some((text) => /^[\w.[\]-]+(?::?=(?!=)|@)/.test(text));
}

/** The words that may be an address. */
function addresses(view: CommandView): string[] {
  return [...view.operands, ...view.valuesOf("--url")];
}
