// Asks about commands that install code. Packages pinned by a lock file (`npm ci`) need no question.
import { ask, type Builtin, mayRun } from "hooksh/hook";

const INSTALLS = [
  "npm i *",
  "npm i",
  "npm install*",
  "npm add*",
  "npm exec*",
  "npm update*",
  "npm audit fix*",
  "npm pkg set*",
  "pnpm add*",
  "pnpm i*",
  "pnpm dlx*",
  "pnpm up*",
  "yarn add*",
  "yarn dlx*",
  "bun add*",
  "bun i*",
  "bun x *",
  "npx *",
  "bunx *",
  "deno install*",
  "pip* install*",
  "pip* download*",
  "python* -m pip*",
  "pipx *",
  "poetry add*",
  "uv add*",
  "uv pip*",
  "uv tool*",
  "uvx *",
  "conda install*",
  "gem install*",
  "bundle add*",
  "cargo add*",
  "cargo install*",
  "go get*",
  "go install*",
  "go run *@*",
  "composer require*",
  "dotnet add*",
  "brew *install*",
  "apt* *install*",
  "dnf *install*",
  "yum *install*",
  "apk *add*",
  "pacman *-s*",
  "snap install*",
  "helm *install*",
  "docker run*",
  "docker pull*",
  "docker build*",
  "git clone*",
  "git submodule*add*",
  "make *install*",
];

const guard: Builtin = (input) => {
  const line = input.tool_input?.["cmd"];
  if (typeof line !== "string") throw new Error("no command line to judge");
  return mayRun(line, INSTALLS) ? ask(input, "This installs code from the network") : undefined;
};

export default guard;
