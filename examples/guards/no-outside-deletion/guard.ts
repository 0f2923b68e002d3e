// Refuses to delete by a path that leaves, or may leave, the project: an absolute path, ~, .., a variable or a wildcard.
import { BLOCK, type Builtin, mayRun } from "hooksh/hook";

/** Programs that delete what their arguments name. */
const PROGRAMS = [
  "rm",
  "rmdir",
  "unlink",
  "shred",
  "truncate",
  "del",
  "rd",
  "remove-item",
  "trash",
  "trash-put",
  "gio trash",
  "rimraf",
  "srm",
  "wipe",
  "mv",
];
/** Arguments that lead out of the project, or to all of it. */
const OUTSIDE = ["/*", "~*", "..*", "./.*", "*/..*", "*[a-z]:*", ".", "./", ".git*", "*/.git*"];
const DELETES_OUTSIDE = PROGRAMS.flatMap((program) =>
  OUTSIDE.flatMap((path) => [
    `${program} ${path}`,
    `${program} * ${path}`,
    `${program} ${path} *`,
    `${program} * ${path} *`,
  ]),
);
const DELETES = PROGRAMS.flatMap((program) => [program, `${program} *`]);
/** They move elsewhere, so that a relative path means something else. */
const MOVES = ["cd", "cd *", "pushd *", "popd*", "chdir *", "set-location *", "env *-c*", "sudo *-d*", "git *-c *"];
/** They choose by themselves what they delete. */
const WHOLESALE = [
  "find * -delete*",
  "find * -exec* rm*",
  "find * -exec* unlink*",
  "git *rm *",
  "git *worktree*remove*",
  "svn *delete*",
  "tar *--remove-files*",
  "zip *-m*",
  "npx *rimraf*",
  "npx *del-cli*",
  "docker *prune*",
  "docker volume *rm*",
  "aws s3 rm*",
  "git *clean *",
  "git *reset *--hard*",
  "rsync * --del*",
  "dd *of=*",
  "mkfs*",
  "wipefs *",
  "mv * /dev/null",
  "docker run* /:*",
  "*rmtree*",
  "*rmsync*",
  "*rm_rf*",
  "*unlink*(*",
  "*os.remove*",
  "*file.delete*",
  "*unlink glob*",
];
const REASON = "delete by a relative path inside the project, without .., ~, variables, wildcards and cd";

const guard: Builtin = ({ tool_name, tool_input = {} }) => {
  const { cmd, paths, path = paths, cwd } = tool_input;
  // Paths are judged as if a command named them.
  const line = tool_name === "remove_directory" ? `rm ${[path].flat().map(quoted).join(" ")}` : cmd;
  if (typeof line !== "string" || line === "rm ") throw new Error("nothing to judge");
  const leaves = mayRun(line, [...DELETES_OUTSIDE, ...MOVES]) || (typeof cwd === "string" && /^[~/]|\.\./.test(cwd));
  if ((mayRun(line, DELETES) && leaves) || mayRun(line, WHOLESALE)) return { decision: BLOCK, reason: REASON };
  return undefined;
};

function quoted(path: unknown): string {
  if (typeof path !== "string") throw new Error("the path is not a string");
  return `'${path.replaceAll("\\", "/").replaceAll("'", "'\\''")}'`;
}

export default guard;
