/** Programs that are the same one under another name, with the words that the name stands for. */
const ALIASES: Readonly<Record<string, string>> = {
  "docker-compose": "docker compose",
  "podman-compose": "podman compose",
  "git-push": "git push",
  "git-send-pack": "git send-pack",
  "git-filter-repo": "git filter-repo",
  "git-filter-branch": "git filter-branch",
};

/** Programs that exist in several versions, each under a name of its own: `pip3.12`. */
const VERSIONED =
  /^(pip|python|pypy|ipython|perl|php|ruby|gem|lua|tclsh|gcc|g\+\+|clang|clang\+\+|node|nodejs|helm)-?\d[\d.]*$/;

/**
 * The name that rules know a program by: without directory, ending and version, in lower case. `verb` holds words that the
 * name stands for: `docker-compose` is `docker` with `compose`.
 */
export function programNamed(name: string): { name: string; verb: readonly string[] } {
  const base = name
    .slice(name.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");
  const plain = VERSIONED.exec(base)?.[1] ?? base;
  if (!Object.hasOwn(ALIASES, plain)) return { name: plain, verb: [] };
  const [program = plain, ...verb] = (ALIASES[plain] ?? "").split(" ");
  return { name: program, verb };
}
