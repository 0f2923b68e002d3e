import { subCommands } from "./find-in-words.ts";
import { isKnownStarter } from "./launchers.ts";
import { ruleName, rulesFor } from "./rules/rules.ts";

/**
 * How a program treats its arguments. `shell`: it runs texts among them as shell code. `source`: it runs them as code
 * of another language. `perhaps`: an unknown program, whose arguments may be a command. `data`: it runs none of them.
 */
export type ArgumentKind = "shell" | "source" | "perhaps" | "data";

/** The first program of a command that may run its arguments. */
export interface Carrier {
  /** Its index among the words. */
  at: number;
  name: string;
  kind: Exclude<ArgumentKind, "data">;
}

const split = (names: string) => new Set(names.split(/\s+/));

/** Programs that never run their arguments. */
const DATA = split(`
  : true false test [ [[ echo printf print cd pushd popd dirs pwd export declare local typeset readonly unset set shift return exit break continue
  read let umask ulimit jobs fg bg wait disown type which whereis whatis apropos help info history hash alias unalias getopts shopt setopt unsetopt
  cat tac nl head tail wc sort uniq cut paste join comm tr fold fmt column expand unexpand split csplit look spell pr rev od xxd hexdump strings
  grep egrep fgrep zgrep rg ag ack ls ll la l dir exa eza lsd tree stat file du df mount basename dirname realpath readlink mkdir touch mktemp mkfifo
  diff diff3 sdiff cmp colordiff delta jq yq xq gron fx bat glow date cal sleep seq yes expr bc dc factor numfmt shuf md5sum sha1sum
  sha224sum sha256sum sha384sum sha512sum shasum b2sum cksum sum base64 base32 gunzip zcat gzip bzip2 bunzip2 bzcat xz unxz xzcat zstd unzstd zstdcat
  lz4 unzip zipinfo whoami id groups users who w last logname hostname uname arch nproc uptime free vmstat iostat mpstat ps pstree pgrep pidof top htop
  lsof netstat ss ping traceroute dig nslookup host whois ifstat route arp lscpu lsblk lspci lsusb lsmod blkid dmidecode locale tput stty tty
  clear reset dircolors printenv logger wall write say notify-send osd pbcopy xclip xsel wl-copy xdg-open open code subl cloc tokei scc wget curl
  ssh-keygen ssh-add ssh-agent gpg openssl tsc eslint prettier biome stylelint jest vitest mocha ava pytest tox nox ruff black isort mypy pyright
  pylint flake8 go gofmt gradle gradlew mvn mvnw dotnet swift rustc rustfmt gcc g++ cc clang clang-format javac java jshell protoc cmake ninja meson
  configure ctags commitlint semantic-release conventional-changelog codespell hugo jekyll mkdocs sphinx-build pandoc ffmpeg convert magick
  claude codex aider llm ollama hooksh slack mail mutt sendmail tldr cheat fortune cowsay figlet banner ledger task todo.sh jira linear
`);

/** Programs that pass arguments, or their standard input, to a shell. */
const RUNNERS = split(`
  su runuser script watch parallel sem ssh mosh flock screen tmux at batch crontab systemd-run cmd hyperfine entr watchexec nodemon make gmake
  nix-shell nix distrobox toolbox wsl adb sg newgrp xterm konsole gnome-terminal kitty alacritty foreman concurrently scp sftp ftp lftp osascript
`);

/** Interpreters of other languages. */
const LANGUAGES =
  /^(?:python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|bun|deno|php[\d.]*|lua[\d.]*|luajit|[gmn]?awk|g?sed|tclsh|wish|emacs|emacsclient|rscript|julia|groovy|scala|guile|racket|tsx|ts-node|elixir|ghci|irb|ipython[\d.]*)$/;

/** Subcommands that run a command given in their arguments, by program; a star means every subcommand. */
const CARRYING: Readonly<Record<string, string>> = {
  git: "rebase bisect submodule filter-branch difftool mergetool for-each-repo",
  docker: "exec run compose container",
  kubectl: "exec run debug rsh kubectl",
  npm: "exec x explore",
  pnpm: "exec dlx",
  yarn: "exec dlx",
  bun: "x",
  conda: "run",
  mamba: "run",
  micromamba: "run",
  uv: "run tool",
  pipx: "run",
  brew: "sh",
  heroku: "run",
  fly: "ssh machine",
  flyctl: "ssh machine",
  gcloud: "compute",
  railway: "run",
  doppler: "run",
  op: "run",
  vagrant: "ssh",
  multipass: "exec",
  lxc: "exec",
  incus: "exec",
  limactl: "shell",
  rails: "runner",
  ansible: "*",
  az: "vm",
  sqlite3: "*",
  psql: "*",
  mysql: "*",
  mariadb: "*",
  ip: "netns",
  pwsh: "*",
  powershell: "*",
  ed: "*",
  tar: "*",
  rsync: "*",
  zip: "*",
  ex: "*",
  vim: "*",
  vi: "*",
  nvim: "*",
  mise: "exec x",
  asdf: "exec",
  pyenv: "exec",
  rbenv: "exec",
  direnv: "exec",
  nsenter: "*",
  rustup: "run",
  pass: "git",
  tmux: "*",
  awk: "*",
  gawk: "*",
  perl: "*",
  ruby: "*",
  sed: "*",
  chroot: "*",
};

/** How the program at an index of the words treats the words after it. */
export function argumentKind(name: string, words: readonly string[], at: number): ArgumentKind {
  if (DATA.has(name) || isKnownStarter(name)) return "data";
  if (LANGUAGES.test(name)) return "source";
  const rule = ruleName(name);
  if (RUNNERS.has(rule)) return "shell";
  if (!rulesFor(name)) return "perhaps";
  const carrying = Object.hasOwn(CARRYING, rule) ? (CARRYING[rule] ?? "").split(" ") : [];
  const [first = "", second = ""] = subCommands(name, words, at + 1);
  const carries = carrying.includes("*") || carrying.includes(first);
  if (rule === "docker" && (first === "compose" || first === "container"))
    return /^(?:exec|run)$/.test(second) ? "shell" : "data";
  return !carries
    ? "data"
    : rule === "git" || rule === "docker" || rule === "kubectl" || rule === "tmux"
      ? "shell"
      : "perhaps";
}

/** True for an interpreter of a language other than a shell's. */
export function isLanguage(name: string): boolean {
  return LANGUAGES.test(name);
}
