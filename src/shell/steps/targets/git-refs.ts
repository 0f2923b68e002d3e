import { UNKNOWN } from "../../paths/path-text.ts";
import type { StepWord } from "../invocation.ts";
import { type Call, CURRENT } from "./call.ts";

/** The name of a branch without `refs/heads/`; CURRENT for HEAD. */
function branchName(text: string): string {
  const name = text.replace(/^\+/, "").replace(/^(?:refs\/)?heads\//, "");
  return name === "HEAD" || name === "@" ? CURRENT : name;
}

/** The branch of the remote that a refspec changes. */
function pushedRef(refspec: string): string {
  const plain = refspec.replace(/^\+/, "");
  const colon = plain.indexOf(":");
  return branchName(colon < 0 ? plain : plain.slice(colon + 1));
}

/** A command in a substitution that prints the branch in force. */
const PRINTS_BRANCH =
  /^"?(?:HEAD:)?(?:\$\(|`)\s*git\s+(?:branch\s+--show-current|rev-parse\s+--abbrev-ref\s+HEAD|symbolic-ref\s+(?:-q\s+)?--short\s+HEAD)\s*(?:\)|`)"?$/;

function addRef(call: Call, word: StepWord, name: string): void {
  if (word.count === "any") call.refsOpen = true;
  call.ref(name, word.count !== "any");
}

function push(call: Call): void {
  if (call.has("-n", "--dry-run")) return;
  if (call.has("--all", "--branches", "--mirror")) call.refsOpen = true;
  const refspecs = call.operands.slice(1);
  if (call.operands.some(({ count }) => count === "any")) call.refsOpen = true;
  const isTag = refspecs.findIndex((word) => word.text === "tag");
  for (const [at, word] of refspecs.entries()) {
    if (at === isTag) continue;
    // All branches that both have.
    if (/^\+?:$/.test(word.text) || word.text.includes("*")) call.refsOpen = true;
    else
      addRef(
        call,
        word,
        isTag >= 0 && at === isTag + 1
          ? `refs/tags/${word.text}`
          : PRINTS_BRANCH.test(word.source)
            ? CURRENT
            : pushedRef(word.text),
      );
  }
  if (call.has("--tags")) call.ref(`refs/tags/${UNKNOWN}`);
  // Words that may be none leave the default.
  const certain = refspecs.filter((word) => word.count !== "any");
  if (certain.length > 0 || call.has("--tags", "--all", "--branches", "--mirror")) return;
  call.ref(CURRENT, refspecs.length === 0 && call.operands.every(({ count }) => count !== "any"));
}

/** The refs that a git command names and changes. */
export function namedRefs(call: Call, verb: string): void {
  const { operands } = call;
  const addAll = (words: readonly StepWord[]) => {
    for (const word of words) addRef(call, word, branchName(word.text));
  };
  const created = (...options: string[]) => {
    const values = call.values(...options);
    addAll(values.length > 0 ? values : operands.slice(0, 1));
  };
  switch (verb) {
    case "push":
    case "send-pack":
      return push(call);
    case "branch":
      if (call.has("-d", "-D", "--delete")) return addAll(operands);
      if (call.has("-m", "-M", "--move")) {
        if (operands.length === 1) call.ref(CURRENT);
        return addAll(operands);
      }
      if (call.has("-f", "--force")) return addAll(operands.slice(0, 1));
      return;
    case "checkout":
      return call.has("-B") ? created("-B") : undefined;
    case "switch":
      return call.has("-C", "--force-create") ? created("-C", "--force-create") : undefined;
    case "update-ref":
      return addAll(operands.slice(0, 1));
    case "tag":
      return call.has("-d", "--delete") ? addAll(operands) : undefined;
  }
}
