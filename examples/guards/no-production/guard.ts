// Refuses a command that names production, and commands of clusters and clouds while production is selected: in the
// current context of kubectl, the workspace of Terraform, or a variable. `args` are parts of the names of production.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { BLOCK, type Builtin, mayRun } from "hooksh/hook";

const PROGRAMS = [
  "kubectl",
  "helm",
  "helmfile",
  "terraform",
  "tofu",
  "aws",
  "gcloud",
  "az",
  "psql",
  "mysql",
  "ssh",
  "heroku",
  "flyctl",
  "ansible*",
];
const USES = PROGRAMS.flatMap((program) => [program, `${program} *`]);
const VARIABLES = [
  "AWS_PROFILE",
  "CLOUDSDK_ACTIVE_CONFIG_NAME",
  "TF_WORKSPACE",
  "DATABASE_URL",
  "PGHOST",
  "PGDATABASE",
  "HELM_KUBECONTEXT",
];

const guard: Builtin = ({ tool_input = {}, cwd }, names, { env }) => {
  const { cmd } = tool_input;
  if (typeof cmd !== "string") throw new Error("no command line to judge");
  if (!mayRun(cmd, USES)) return undefined;
  const selected = [
    kubernetesContext(env, cwd),
    textOf(join(cwd, ".terraform/environment")),
    ...VARIABLES.map((name) => env[name] ?? ""),
  ];
  const isNamed = names.some(
    (name) =>
      mayRun(cmd, [`*${name}*`, ...PROGRAMS.map((program) => `${program} *${name}*`)]) ||
      selected.some((one) => one.toLowerCase().includes(name)),
  );
  return isNamed
    ? { decision: BLOCK, reason: "this reaches production: use staging, or ask the user to do it" }
    : undefined;
};

function kubernetesContext(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const config = env["KUBECONFIG"] ?? join(env["HOME"] ?? "/", ".kube/config");
  return config
    .split(":")
    .flatMap((file) => /^current-context:(.*)$/m.exec(textOf(resolve(cwd, file)))?.[1] ?? [])
    .join();
}

/** Returns the text of a file, or an empty text if it does not exist. Throws on any other error: a failed guard blocks the call. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

export default guard;
