/** A line of robots.txt: may the paths that match be fetched? */
interface Rule {
  allow: boolean;
  /** The normalised pattern: `*` matches any characters, a final `$` the end of the path. */
  pattern: string;
}

/**
 * True if a robots.txt lets `agent` fetch a path (with its query), by RFC 9309. The groups that name the agent apply,
 * else the groups of `*`. The longest matching pattern decides; of two with the same length the one that allows.
 */
export function robotsAllow(robots: string, agent: string, path: string): boolean {
  // In a pattern, %2A and %24 stand for the characters that are wildcards otherwise.
  const target = normalise(path).replaceAll("*", "%2A").replaceAll("$", "%24");
  let longest = 0;
  let allowed = true;
  for (const { allow, pattern } of rulesFor(robots, agent.toLowerCase())) {
    if (pattern.length < longest || !matches(pattern, target)) continue;
    allowed = allow || (allowed && pattern.length === longest);
    longest = pattern.length;
  }
  return allowed;
}

function rulesFor(robots: string, agent: string): Rule[] {
  const groups = new Map<string, Rule[]>();
  let agents: string[] = [];
  let hasRules = false;
  for (const line of robots.split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^([^:#]+):([^#]*)/.exec(line) ?? [];
    const field = key.trim().toLowerCase();
    const text = value.trim();
    if (field === "user-agent") {
      if (hasRules) agents = [];
      hasRules = false;
      agents.push(productOf(text));
      continue;
    }
    if (field !== "allow" && field !== "disallow") continue;
    hasRules = true;
    for (const name of agents) {
      if (name !== agent && name !== "*") continue;
      const rules = groups.get(name) ?? [];
      groups.set(name, rules);
      // An empty rule matches nothing, but it makes a group, which takes precedence over the group of `*`.
      if (text !== "") rules.push({ allow: field === "allow", pattern: normalise(text) });
    }
  }
  return groups.get(agent) ?? groups.get("*") ?? [];
}

/** The product of `User-agent: product/1.0`, in lower case. */
function productOf(userAgent: string): string {
  return userAgent.toLowerCase().split(/[/\s]/, 1)[0] ?? "";
}

/**
 * A path with the percent-encoding in which RFC 9309 compares: unreserved characters decoded, non-ASCII ones encoded.
 */
function normalise(path: string): string {
  return path
    .replace(/[^\0-\x7f]+/g, (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"))
    .replace(/%([0-9a-f]{2})/gi, (encoded: string, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
    });
}

/** Searches for the pieces between the wildcards in order: the time is linear in the path for each piece. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$");
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split("*");
  const [first = "", ...rest] = pieces;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop();
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  if (last === undefined) return !anchored || at === path.length;
  return anchored ? path.length - last.length >= at && path.endsWith(last) : path.indexOf(last, at) >= 0;
}
