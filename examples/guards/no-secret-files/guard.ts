// Refuses every call that names a file with secrets, and commands that print secrets.
import { BLOCK, type Builtin, mayRun } from "hooksh/hook";

/** Names of files, as in .gitignore. .env.example and .env.sample may be read. */
const FILES = [
  ".env",
  ".env.[!es]*",
  ".env.staging*",
  ".envrc",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".git-credentials",
  ".vault-token",
  ".*_history",
  "id_rsa*",
  "id_dsa*",
  "id_ecdsa*",
  "id_ed25519*",
  "*.pem",
  "*.p12",
  "*.pfx",
  "*.kdbx",
  "*.tfstate*",
  "master.key",
  "credentials*",
  "*credentials.json",
  "cookies*",
  "shadow",
  "environ",
];
/** Names of folders, whose files are all secret, and of hosts that tell secrets. */
const FOLDERS = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".docker",
  ".azure",
  ".config/gh",
  ".config/gcloud",
  ".codex",
  "secrets",
  "169.254.169.254",
  "metadata.google.internal",
];
const NAMED = [...FILES, ...FOLDERS, ...FOLDERS.map((name) => `${name}/*`)].flatMap((name) => [
  // After a space, a slash, a quote ...: at the end of an argument, or before the end of a path in code.
  `*[ /=@:"'<>(]${name}`,
  `*[ /=@:"'<>(]${name}[ "'),;:]*`,
]);
/** Commands that print secrets without the name of a file. */
const PRINTERS = [
  "env",
  "printenv*",
  "set",
  "export",
  "export -p",
  "declare -*",
  "history*",
  "git credential*",
  "git log* -[sg]*",
  "git * credential*",
  "gh auth token*",
  "aws configure*",
  "aws secretsmanager*",
  "aws ssm get*",
  "gcloud auth print*",
  "gcloud secrets*",
  "az account get*",
  "az keyvault*",
  "kubectl * secret*",
  "vault *",
  "op *",
  "pass *",
  "security *",
  "cmdkey *",
  "reg save*",
  "npm config*token*",
  "docker inspect*env*",
  "heroku config*",
  "trufflehog *",
  "gcore *",
];
/** Arguments that hold text to write, not the name of a file to read. */
const TEXTS = new Set(["content", "edits", "old_string", "new_string", "patch"]);

const guard: Builtin = ({ tool_input = {} }) => {
  const { cmd, ...others } = tool_input;
  // A path is judged as if a command named it, so that quotes and spaces mean the same.
  const paths = textsOf(others).map((text) => `read '${text.replaceAll("\\", "/").replaceAll("'", "'\\''")}'`);
  const lines = typeof cmd === "string" ? [...paths, cmd] : paths;
  if (
    lines.some((line) => mayRun(line, NAMED) || hidesName(line)) ||
    (typeof cmd === "string" && mayRun(cmd, PRINTERS))
  )
    return {
      decision: BLOCK,
      reason: "this may hold secrets: work without it, or ask the user",
    };
  return undefined;
};

/** True for a wildcard that may match a hidden file (`.e*`, `.[a-z]nv`), and for the home directory as a whole. */
function hidesName(line: string): boolean {
  return /(^|[\s/'"=<])\.[\w-]*[*?[{]/.test(line) || /(^|[\s'"])(~|\$HOME)\/?(['"\s]|$)/.test(line);
}

/** The texts of an argument, at any depth, that may name a file. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (TEXTS.has(key) ? [] : textsOf(inner)));
}

export default guard;
