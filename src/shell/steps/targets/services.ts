import type { StepWord } from "../invocation.ts";
import { imageHost, readAuthority, readLooseUrl, readUrl } from "./addresses.ts";
import { type Call, type Row, UNKNOWN_ADDRESS, wordOf } from "./call.ts";
import { copiesToContainer } from "./copies.ts";
import { fileIn } from "./downloads.ts";

/** Connects to the registry of an image. Without one it is the engine's own. */
function connectToImage(call: Call, word: StepWord, sends: boolean, sure = true): void {
  const address = imageHost(word.text.replace(/^(?:docker|oci):\/{0,2}/, ""));
  const known = sure && word.count !== "any";
  if (address) call.connect(address, { sends, sure: known });
  else if (word.text.startsWith("\0")) call.connect(UNKNOWN_ADDRESS, { sends, sure: false });
  else if (sure)
    call.connect(call.name === "docker" ? { host: "docker.io", path: "" } : UNKNOWN_ADDRESS, { sends, sure: known });
}

function docker(call: Call): void {
  const verb = call.verb.replace(/^(?:image|container) (?=pull|push|run|create|cp)/, "");
  for (const { text } of [...call.values("-H", "--host"), ...call.assigned("DOCKER_HOST")]) call.connect(readUrl(text));
  const [image] = call.operands;
  switch (verb) {
    case "pull":
    case "push":
      if (image) connectToImage(call, image, verb === "push");
      return;
    case "run":
    case "create":
      // It is fetched unless it is there.
      if (image && imageHost(image.text)) connectToImage(call, image, false, false);
      return;
    case "login":
    case "logout":
    case "search":
      if (image && verb !== "search") call.connect(readLooseUrl(image.text));
      return;
    case "cp":
    case "compose cp":
      return copiesToContainer(call);
    case "build":
    case "buildx build":
      call.read(call.values("-f", "--file"));
      if (call.has("--push")) for (const tag of call.values("-t", "--tag")) connectToImage(call, tag, true);
      for (const word of call.operands) call.connect(readUrl(word.text));
      return;
    case "save":
    case "export":
      return call.write([...call.values("--output"), ...call.behind(/^-o$/)]);
    case "load":
    case "import":
      return call.read([...call.values("-i", "--input"), ...call.operands.filter(({ text }) => /^[./~]/.test(text))]);
  }
  if (verb.startsWith("compose")) call.read(call.values("-f", "--file"));
}

/** `skopeo copy docker://a docker://b`, `crane push FILE IMAGE`. */
function imageTool(call: Call): void {
  const images = call.operands.filter(({ text }) => /^[^/.][^/]*[.:][^/]*\/|^\w+:\/\//.test(text));
  const pushes = /^(?:push|copy|cp|sync|append|tag|attach)/.test(call.verb || (call.operands[0]?.text ?? ""));
  images.forEach((word, at) => {
    connectToImage(call, word, pushes && at === images.length - 1);
  });
}

function kubectl(call: Call): void {
  const contexts = [...call.values("--context", "--kube-context", "--cluster"), ...call.assigned("HELM_KUBECONTEXT")];
  const files = [...call.values("--kubeconfig"), ...call.assigned("KUBECONFIG")];
  call.aim([...contexts, ...call.values("-n", "--namespace"), ...call.assigned("HELM_NAMESPACE")]);
  if (/^config (?:use-context|use|delete-context|set-context)$/.test(call.verb)) call.aim(call.operands.slice(0, 1));
  // Another file has another current context; the name of the file is all that the line shows.
  if (contexts.length === 0 && files.length > 0) call.aim(files);
  if (contexts.length === 0 && files.length === 0) call.currentTargetOf = "kubectl";
  for (const { text } of call.values("-s", "--server", "--kube-apiserver")) {
    call.connect(readLooseUrl(text));
    call.aim([wordOf(text)]);
  }
  if (call.verb === "cp") copiesToContainer(call);
  call.read(
    call.values("--from-file", "--from-env-file").map((word) => wordOf(word.text.replace(/^[^=]*=/s, ""), word)),
  );
  for (const { text } of call.values("-f", "--filename")) call.connect(readUrl(text));
}

function helm(call: Call): void {
  kubectl(call);
  const sends = call.verb === "push";
  for (const { text } of [...call.operands, ...call.values("--repo")]) call.connect(readUrl(text), { sends });
  if (/^registry log(?:in|out)$/.test(call.verb))
    for (const { text } of call.operands.slice(0, 1)) call.connect(readLooseUrl(text));
  call.read(
    [
      ...call.values("-f", "--values"),
      ...call.values("--set-file").map(({ text }) => wordOf(text.replace(/^[^=]*=/s, ""))),
    ].filter(({ text }) => !readUrl(text)),
  );
}

/** `kubectx NAME`, `kubens NAME`. */
function namesTarget(call: Call): void {
  call.aim(call.operands.slice(0, 1));
}

/** Connects to a provider whose services all have names below one domain. */
function connectToProvider(call: Call, host: string, sends: boolean): void {
  if (call.verb !== "" && !/^(?:configure|help|config)\b/.test(call.verb)) call.connect({ host, path: "" }, { sends });
}

const isStored = ({ text }: StepWord) => /^(?:s3|gs|az):\/\//.test(text);

/** Copies between this machine and a store. Returns true if content goes to the store. */
function copiesToStore(call: Call): boolean {
  const [from, to] = call.operands;
  const moves = call.verb.endsWith("mv") || call.verb.endsWith("move");
  const deep = call.has("--recursive", "-r", "-R") || /(?:sync|rsync)$/.test(call.verb);
  if (from && !isStored(from)) {
    call.read([from], deep ? "tree" : "itself");
    if (moves) call.write([from], deep ? "tree" : "itself");
  }
  if (to && !isStored(to)) call.write([to], deep ? "below" : "itself");
  return from !== undefined && !isStored(from) && to !== undefined && isStored(to);
}

function aws(call: Call): void {
  const endpoints = call.values("--endpoint-url");
  const profiles = [...call.values("--profile"), ...call.assigned("AWS_PROFILE", "AWS_DEFAULT_PROFILE")];
  call.aim([
    ...profiles,
    ...call.values("--region"),
    ...call.assigned("AWS_REGION", "AWS_DEFAULT_REGION"),
    ...endpoints,
  ]);
  if (profiles.length === 0) call.currentTargetOf = "aws";
  const sends = /^s3 (?:cp|mv|sync)$/.test(call.verb) && copiesToStore(call);
  for (const { text } of endpoints) call.connect(readLooseUrl(text), { sends });
  if (endpoints.length === 0) connectToProvider(call, "\0.amazonaws.com", sends);
}

function gcloud(call: Call): void {
  call.aim([
    ...call.values("--project", "--project_id", "--account", "--configuration"),
    ...call.assigned("CLOUDSDK_CORE_PROJECT", "GOOGLE_CLOUD_PROJECT", "CLOUDSDK_ACTIVE_CONFIG_NAME"),
  ]);
  if (/^config set$/.test(call.verb)) call.aim(call.operands.slice(1, 2));
  const sends = /^storage (?:cp|mv|rsync)$/.test(call.verb) && copiesToStore(call);
  connectToProvider(call, "\0.googleapis.com", sends);
}

function gsutil(call: Call): void {
  const sends = /^(?:cp|mv|rsync)$/.test(call.verb) && copiesToStore(call);
  connectToProvider(call, "storage.googleapis.com", sends);
}

function az(call: Call): void {
  call.aim([...call.values("--subscription"), ...call.assigned("AZURE_SUBSCRIPTION_ID")]);
  if (/^account set$/.test(call.verb)) call.aim(call.values("-s", "--name", "-n"));
}

/** Providers that an option names an application or an organisation of. */
function provider(call: Call): void {
  call.aim(
    call.values(
      "-a",
      "--app",
      "--org",
      "-o",
      "--project",
      "--profile",
      "--context",
      "-s",
      "--stack",
      "--stage",
      "-e",
      "--env",
    ),
  );
}

function terraform(call: Call): void {
  const [directory] = call.values("-chdir", "--chdir", "--terragrunt-working-dir");
  if (directory) call.base = call.join(directory.text);
  const files = call.values("-var-file", "--var-file");
  const workspaces = call.assigned("TF_WORKSPACE");
  call.aim(files);
  call.aim(workspaces);
  if (/^workspace (?:select|new|delete)$/.test(call.verb)) call.aim(call.operands.slice(0, 1));
  else if (workspaces.length === 0) call.currentTargetOf = "terraform";
  call.read(files);
  call.write(call.values("-out", "--out", "-state-out"));
}

/** `rclone copy FROM remote:TO`: the host of a remote stands in its configuration. */
function rclone(call: Call): void {
  const isRemote = ({ text }: StepWord) => /^[^/.][^/]*:/.test(text);
  const [from, to] = call.operands;
  const copies = /^(?:copy|sync|move|copyto|moveto|bisync)$/.test(call.verb);
  if (from && !isRemote(from)) {
    if (copies) call.read([from], "tree");
    if (/^(?:move|moveto|delete|purge|rmdirs?)/.test(call.verb)) call.write([from], "tree");
  }
  if (to && !isRemote(to)) call.write([to], call.verb === "sync" ? "tree" : "below");
  if (call.operands.some(isRemote))
    call.connect(UNKNOWN_ADDRESS, { sends: copies && to !== undefined && isRemote(to) });
}

/** Forges: their own host, unless an option, a variable or a repository names another. */
function forge(host: string, variable: string): Row {
  return (call) => {
    if (
      call.verb === "" ||
      /^(?:config|alias|completion|extension list|auth (?:status|token|logout)|version|help)\b/.test(call.verb)
    )
      return;
    const [named] = [...call.values("--hostname"), ...call.assigned(variable)];
    const repository = call.values("-R", "--repo")[0]?.text.split("/") ?? [];
    const inRepository = repository.length === 3 ? repository[0] : undefined;
    const sends =
      /^(?:gist|snippet) (?:create|edit)$|^(?:pr|mr|issue) (?:create|new|comment|edit|review|note)$|^release (?:create|upload)$|^(?:secret|variable) set$/.test(
        call.verb,
      ) ||
      (call.verb === "api" &&
        (call.has("-f", "-F", "--raw-field", "--field", "--input") ||
          call.values("-X", "--method").some(({ text }) => /^(?:POST|PUT|PATCH)$/i.test(text))));
    const url = call.operands.map(({ text }) => readUrl(text)).find((address) => address !== undefined);
    call.connect(named ? readAuthority(named.text) : (url ?? readAuthority(inRepository ?? host)), { sends });
    call.read(call.values("--body-file", "--notes-file", "--input"));
    const fields = call.values("-F", "--field");
    if (call.verb === "api") call.read(fields.flatMap((word) => fileIn(word, /^[^=]*=@(.*)$/s)));
    else call.read(fields);
    if (/^(?:gist|snippet) create$/.test(call.verb)) call.read(call.operands);
    if (/^release (?:create|upload)$/.test(call.verb)) call.read(call.operands.slice(1));
  };
}

/** The rows of containers, clusters, clouds and services. */
export const SERVICES: readonly (readonly [names: string, row: Row])[] = [
  ["docker podman nerdctl finch", docker],
  ["skopeo crane oras regctl buildah", imageTool],
  ["kubectl oc k kubecolor k9s stern", kubectl],
  ["helm helmfile", helm],
  ["argocd flux istioctl velero", kubectl],
  ["kubectx kubens", namesTarget],
  ["aws", aws],
  ["gcloud bq", gcloud],
  ["gsutil", gsutil],
  ["az", az],
  ["heroku fly flyctl vercel netlify wrangler doctl pulumi cdk serverless sls", provider],
  ["terraform tofu opentofu terragrunt", terraform],
  ["rclone", rclone],
  ["gh", forge("github.com", "GH_HOST")],
  ["glab", forge("gitlab.com", "GITLAB_HOST")],
];
