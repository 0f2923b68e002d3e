// Lets commands run that only read or plan. Asks about every other use of a program that changes infrastructure.
import { ask, type Builtin, mayRun, runsOnly } from "hooksh/hook";

const PROGRAMS = [
  "kubectl",
  "oc",
  "k9s",
  "helm",
  "helmfile",
  "kustomize",
  "terraform",
  "tofu",
  "terragrunt",
  "pulumi",
  "cdk",
  "ansible*",
  "aws",
  "gcloud",
  "az",
  "eksctl",
  "flux",
  "argocd",
  "nomad",
  "flyctl",
  "heroku",
];
const INFRASTRUCTURE = PROGRAMS.flatMap((program) => [program, `${program} *`]);
const LOOKS = [
  "kubectl get *",
  "kubectl describe *",
  "kubectl logs *",
  "kubectl top *",
  "kubectl diff *",
  "kubectl config current-context",
  "helm list*",
  "helm status *",
  "helm template *",
  "helm diff *",
  "terraform plan",
  "terraform plan *",
  "terraform validate",
  "terraform fmt*",
  "terraform show*",
  "terraform state list*",
  "tofu plan*",
  "tofu validate",
  "pulumi preview*",
  "cdk diff*",
  "cdk synth*",
  // Programs that filter their output.
  "head *",
  "tail *",
  "grep *",
  "jq *",
  "wc *",
];
/** Options of these that write, run a program, or read secrets. */
const NOT_LOOKS = ["kubectl * secret*", "* -out*", "* --post-renderer*", "* --output-dir*"];

const guard: Builtin = (input) => {
  const line = input.tool_input?.["cmd"];
  if (typeof line !== "string") throw new Error("no command line to judge");
  if (!mayRun(line, INFRASTRUCTURE) || (runsOnly(line, LOOKS) && !mayRun(line, NOT_LOOKS))) return undefined;
  return ask(input, "This may change infrastructure");
};

export default guard;
