import { type Address, readRemotePath, readUrl } from "./addresses.ts";
import { type Call, type Row, UNKNOWN_ADDRESS } from "./call.ts";

/** Commands that bring a package to a registry. */
const PUBLISHES =
  /^(?:publish|npm publish|unpublish|deprecate|yank|push|upload|dist-tag(?: \w+)?|nuget push|owner \w+)$/;

/** Options whose values are files with what to install. */
const FILES = ["-r", "--requirement", "--requirements", "-c", "--constraint"];

/** Connects to the URLs among the options and operands of a package manager; publishing without one goes to its own registry. */
function manages(call: Call): void {
  const directories = call.values("--prefix", "-C", "--dir", "--cwd", "--directory");
  for (const directory of directories.slice(0, 1)) {
    if (call.name === "pip") continue;
    call.list([directory]);
    call.base = call.join(directory.text);
  }
  const sends = PUBLISHES.test(call.verb || (call.operands[0]?.text ?? ""));
  for (const { name, value } of call.parsed.options) {
    if (!value || /^--(?:message|user-agent|otp|token)$/.test(name)) continue;
    call.connect(readUrl(value.text), { sends, sure: value.count !== "any" });
  }
  for (const word of call.operands) call.connect(packageHost(word.text), { sends, sure: word.count !== "any" });
  if (/^pip3?$/.test(call.name)) call.read(call.values(...FILES));
  for (const { value } of call.environment.filter(({ name }) =>
    /^(?:npm_config_registry|PIP_(?:EXTRA_)?INDEX_URL|UV_(?:DEFAULT_)?INDEX(?:_URL)?|GOPROXY|YARN_NPM_REGISTRY_SERVER)$/i.test(
      name,
    ),
  ))
    call.connect(readUrl(value.text), { sends });
  if (sends && call.sends.length === 0) call.connect(UNKNOWN_ADDRESS, { sends });
}

/** The host of a package that is named by where it is: a URL, `git@host:o/r`, `github:o/r`, `name @ URL`. */
function packageHost(text: string): Address | undefined {
  const place = text.replace(/^[\w.[\],-]+\s*@\s*(?=[\w+.-]+:\/\/)/, "");
  if (/^(?:git\+)?[\w.-]+@[\w.-]+:/.test(place)) return readRemotePath(place);
  return readUrl(place) ?? forgeOf(place);
}

/** `github:o/r`, `gitlab:o/r`. */
function forgeOf(text: string): Address | undefined {
  const [, forge] = /^(github|gitlab|bitbucket):[\w.-]+\//.exec(text) ?? [];
  return forge === undefined ? undefined : { host: `${forge}.${forge === "bitbucket" ? "org" : "com"}`, path: "" };
}

/** Modules of Go are named by where they come from; a proxy may have them. */
function go(call: Call): void {
  if (!/^(?:get|install|run)$/.test(call.verb || (call.operands[0]?.text ?? ""))) return;
  for (const { text } of call.operands) {
    const [, host] = /^([a-z\d-]+(?:\.[a-z\d-]+)+)\//i.exec(text) ?? [];
    if (host !== undefined && (call.verb !== "run" || text.includes("@")))
      call.connect({ host: host.toLowerCase(), path: "" });
  }
}

/** `brew tap NAME URL`, `add-apt-repository URL`: any URL among the words. */
function takesUrls(call: Call): void {
  for (const { text } of call.operands) call.connect(readUrl(text));
}

/** Sends a file to a store of packages. */
function uploads(call: Call): void {
  const given = call.values("--repository-url", "--publish-url", "-s", "--source", "--registry", "--host");
  for (const { text } of given) call.connect(readUrl(text), { sends: true });
  if (call.sends.length === 0) call.connect(UNKNOWN_ADDRESS, { sends: true });
  call.read(call.operands.filter(({ text }) => /[./*]/.test(text)));
}

/** The rows of package managers. */
export const PACKAGES: readonly (readonly [names: string, row: Row])[] = [
  ["npm pnpm yarn bun npx bunx cnpm", manages],
  ["pip uv uvx pipx poetry pdm pipenv conda mamba", manages],
  ["cargo gem bundle composer dotnet nuget mix hex pub dart flutter cpan cpanm luarocks helm-push deno", manages],
  ["go", go],
  [
    "brew add-apt-repository apt apt-get apk dnf yum rpm zypper pacman snap flatpak nix nix-env code-install",
    takesUrls,
  ],
  ["twine", (call) => (call.verb === "upload" || call.operands[0]?.text === "upload" ? uploads(call) : undefined)],
];
