import { UNKNOWN } from "../../paths/path-text.ts";
import type { StepWord } from "../invocation.ts";
import { readRemotePath, readUrl } from "./addresses.ts";
import { type Call, UNKNOWN_ADDRESS } from "./call.ts";

/** Marks the name of a remote, whose host the repository's configuration knows. */
const REMOTE = "remote:";
/** In place of the name: the remote that git takes if none is named. */
const DEFAULT_OF = { push: "(push)", pull: "(pull)" } as const;

/** Connects to a URL, to `user@host:path`, or to a remote by its name. Local paths have no host. */
function connectToRemote(call: Call, word: StepWord, sends: boolean, named = true): void {
  const { text } = word;
  const sure = word.count !== "any";
  if (/^(?:\.{1,2}(?:\/|$)|\/|~)/.test(text) || /^file:/i.test(text)) return;
  const address = readRemotePath(text);
  if (address) call.connect(address, { sends, sure });
  else if (text.startsWith(UNKNOWN)) call.connect(UNKNOWN_ADDRESS, { sends, sure });
  else if (named) call.connect({ host: `${REMOTE}${text}`, path: "" }, { sends, sure });
}

/** The remote among the operands, else the one that the configuration of the repository chooses. */
function connectToNamed(call: Call, sends: boolean): void {
  const [given] = [...call.operands, ...call.values("--repo")];
  if (given) connectToRemote(call, given, sends);
  if (given && given.count !== "any") return;
  const host = `${REMOTE}${DEFAULT_OF[sends ? "push" : "pull"]}`;
  call.connect({ host, path: "" }, { sends, sure: !given });
}

/** Connects as a git command does. */
export function connectToGit(call: Call, verb: string): void {
  const { operands } = call;
  switch (verb) {
    case "push":
    case "send-pack":
      return connectToNamed(call, true);
    case "pull":
      return connectToNamed(call, false);
    case "fetch":
      if (!call.has("--all", "--multiple")) return connectToNamed(call, false);
      call.connect({ host: `${REMOTE}${UNKNOWN}`, path: "" });
      return;
    case "ls-remote":
    case "fetch-pack":
      return connectToNamed(call, false);
    case "clone":
      for (const word of operands.slice(0, 1)) connectToRemote(call, word, false, false);
      return;
    case "archive":
      for (const word of call.values("--remote")) connectToRemote(call, word, false);
      return;
    case "remote": {
      if (call.verb === "remote update") call.connect({ host: `${REMOTE}${UNKNOWN}`, path: "" });
      if (/^remote (?:show|prune)$/.test(call.verb) && !call.has("-n"))
        for (const word of operands) connectToRemote(call, word, false);
      if (call.verb === "remote add" && call.has("-f", "--fetch"))
        for (const word of operands.slice(1)) connectToRemote(call, word, false, false);
      return;
    }
    case "submodule":
      if (call.verb === "submodule add")
        for (const word of operands.slice(0, 1)) connectToRemote(call, word, false, false);
      return;
    case "lfs":
      if (/^lfs (?:push|pull|fetch|clone)$/.test(call.verb)) connectToNamed(call, call.verb === "lfs push");
      return;
    case "bundle":
    case "cat":
    case "checkout":
    case "co":
    case "export":
    case "import":
    case "incoming":
    case "outgoing":
    case "list":
    case "subtree":
      // Other programs take URLs there; of git they are names of branches and files.
      for (const word of operands) if (readUrl(word.text)) connectToRemote(call, word, verb === "import");
  }
}
