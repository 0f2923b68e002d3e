// Asks about commands of package managers, except those that install nothing, or only what a lock file pins (`npm ci`).
import { ask, type Builtin, mayRun, runsOnly } from "hooksh/hook";

const split = (names: string) => names.trim().split(/\s+/);

/** Programs that install packages, whatever else they do. */
const MANAGERS = split(`
  npm pnpm yarn bun npx bunx deno pip* pipx easy_install uv uvx poetry pdm hatch conda mamba micromamba gem bundle cargo cpan cpanm
  luarocks opam cabal stack composer nuget dart flutter pod mix brew port choco winget scoop apt* aptitude dpkg rpm dnf yum zypper
  apk pacman emerge snap flatpak nix* asdf mise volta nvm fnm sdk pyenv rustup* corepack ansible-galaxy
`).flatMap((name) => [name, `${name} *`]);
/** Commands that install, of programs that mostly do something else. */
const INSTALLS = [
  "python* *-m*pip*",
  "python* *pip*",
  "go *get*",
  "go *install*",
  "go *run *@*",
  "go *mod *download*",
  "dotnet *add*",
  "dotnet *install*",
  "helm *install*",
  "helm *repo*",
  "terraform *init*",
  "docker *run*",
  "docker *pull*",
  "docker *build*",
  "docker *up*",
  "podman *",
  "git *clone*",
  "git *submodule*add*",
  "gh *clone*",
  "gh *extension*",
  "code *--install*",
  "vagrant *box*",
  "swift package*",
  "rscript *install*",
  "julia *pkg*",
  "make *install*",
];
/** Commands that need no question, also of other programs on the same line. */
const HARMLESS = [
  ...["npm", "pnpm", "yarn", "bun"].flatMap((name) =>
    ["test*", "run *", "ls*", "outdated*"].map((one) => `${name} ${one}`),
  ),
  ...[
    "npm ci*",
    "npm t",
    "npm view *",
    "npm version*",
    "pnpm install --frozen-lockfile",
    "yarn install --frozen-lockfile",
  ],
  ...[
    "uv sync",
    "uv sync --frozen",
    "uv lock --check",
    "poetry check",
    "pip list*",
    "pip show *",
    "pip freeze",
    "bundle check",
  ],
  ...["build", "test", "check", "clippy", "fmt", "run", "doc"].flatMap((one) => [`cargo ${one}`, `cargo ${one} *`]),
  ...[
    "cd *",
    "ls*",
    "cat *",
    "echo *",
    "head *",
    "tail *",
    "grep *",
    "git status*",
    "git diff*",
    "git add *",
    "git commit *",
  ],
];

const guard: Builtin = (input) => {
  const line = input.tool_input?.["cmd"];
  if (typeof line !== "string") throw new Error("no command line to judge");
  if (!mayRun(line, [...MANAGERS, ...INSTALLS]) || runsOnly(line, HARMLESS)) return undefined;
  return ask(input, "This installs code from the network");
};

export default guard;
