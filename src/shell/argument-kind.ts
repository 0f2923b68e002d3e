import { subCommands } from "./find-in-words.ts";
import { isKnownStarter } from "./launchers.ts";
import { ruleName, rulesFor } from "./rules/rules.ts";

/**
 * How a program treats its arguments. `shell`: it runs texts among them as shell code. `source`: it runs them as code
 * of another language. `perhaps`: an unknown program, whose arguments may be a command. `named`: an option names a command.
 * `carried`: a subcommand runs a command. `prose`: an agent, which may run what its prompt says. `data`: it runs none of them.
 */
export type ArgumentKind = "shell" | "source" | "perhaps" | "named" | "carried" | "prose" | "data";

/** The first program of a command that may run its arguments. */
export interface Carrier {
  /** Its index among the words. */
  at: number;
  name: string;
  kind: Exclude<ArgumentKind, "data" | "prose">;
}

const split = (names: string) => new Set(names.split(/\s+/));

/**
 * Programs that run nothing that an argument names. A program belongs here only if every option in its manual was read;
 * one with an option that runs a program belongs to {@link RUNS}, and any other is unknown.
 */
const DATA = split(`
  : true false test [ [[ echo printf print cd pushd popd dirs pwd export declare local typeset readonly unset set shift return exit break continue
  read let umask ulimit fg bg wait disown type which whereis whatis apropos help history unalias getopts shopt setopt unsetopt
  cat tac nl head tail wc uniq cut paste join comm tr fold fmt column expand unexpand csplit look pr rev od xxd hexdump strings
  grep egrep fgrep zgrep ls ll la l dir exa eza lsd tree stat file du df basename dirname realpath readlink mkdir touch mktemp mkfifo
  diff cmp jq gron date cal sleep seq yes expr bc factor numfmt shuf md5sum sha1sum
  sha224sum sha256sum sha384sum sha512sum shasum b2sum cksum sum base64 base32 gunzip zcat gzip bzip2 bunzip2 bzcat xz unxz xzcat zstd unzstd zstdcat
  lz4 zipinfo whoami id groups users who w last logname hostname uname nproc uptime free vmstat iostat mpstat ps pstree pgrep pidof top htop
  lsof netstat ss ping traceroute dig nslookup host whois ifstat route arp lscpu lsblk lspci lsusb lsmod blkid dmidecode locale tput stty tty
  clear reset dircolors printenv logger wall write say notify-send pbcopy xclip xsel wl-copy tokei scc tsc gofmt rustfmt ruff black clang-format
  codespell figlet
`);

/** When a program runs what an argument names: with one of these subcommands, or with such an option. */
interface Runs {
  /** Subcommands; a star means every one. */
  verbs?: string;
  option?: RegExp;
  /** True if the subcommand passes the command to a shell, or runs it as given. */
  shell?: true;
}

/**
 * Programs that run what an argument names in some cases only. Options are given by the shortest text that the program
 * accepts for them. A program that has a destructive operation and is not here runs none of its arguments.
 */
const RUNS = new Map<string, Runs>(
  Object.entries<Runs>({
    ack: { option: /^--(?:pager|output|ackrc)/ },
    ag: { option: /^--pag/ },
    "ansible-playbook": { option: /^--(?:ssh-|s[cf]tp-|vault-p|vault-i)/ },
    apt: { option: /^-\w*o|^--option|^-c|^--config/ },
    aws: { verbs: "configure ssm ecs" },
    bat: { option: /^--(?:pager|lessopen)/ },
    brew: { verbs: "sh bundle" },
    cargo: { verbs: "run r watch xtask", option: /^--config/ },
    cdk: { option: /^-\w*a|^--app/ },
    cf: { verbs: "ssh push" },
    cloc: { option: /^--(?:ext|vcs|conf|diff-list|unp)/ },
    cmake: {
      option: /^(?:-E|-P|-D\w*(?:LAUNCHER|COMMAND|EXECUTABLE|PROGRAM|COMPILER|EMULATOR|TIDY|RULE)\w*(?:[:=].*)?)$/,
    },
    consul: { verbs: "exec lock watch" },
    crictl: { verbs: "exec" },
    ctr: { verbs: "run task tasks t container containers" },
    buildah: { verbs: "run" },
    diff3: { option: /^--d/ },
    delta: { option: /^--(?:pag|def|conf)/ },
    dpkg: { option: /^--(?:pre-|post-|hook)/ },
    dotnet: { verbs: "exec run tool watch" },
    etcdctl: { verbs: "watch exec-watch lock elect" },
    firebase: { verbs: "emulators:exec experimental:functions:shell" },
    flatpak: { verbs: "run enter build" },
    fnm: { verbs: "exec" },
    gem: { verbs: "exec" },
    gh: { verbs: "alias extension ext extensions codespace cs", option: /^--editor/ },
    gio: { verbs: "launch open" },
    glab: { verbs: "alias" },
    go: { verbs: "run generate tool", option: /^--?(?:exec|toolexec|vettool|gccgoflags)|-extld/ },
    goenv: { verbs: "exec" },
    gopass: { verbs: "git env" },
    gpg: { option: /^--?(?:ph|agent-p|dirmngr|exec|pinentry|keyboxd|gpgconf|opt)/ },
    helm: { verbs: "plugin", option: /^--post-r/ },
    hg: { option: /^--(?:config|ssh|remotecmd|editor|tool|extcmd|program)|^-e/, verbs: "extdiff debugshell" },
    install: { option: /^--strip-p/ },
    ip: { verbs: "netns vrf" },
    iptables: { option: /^--mod|^-M/ },
    jenv: { verbs: "exec" },
    jj: { option: /^--(?:config|tool)/, verbs: "util fix" },
    jobs: { option: /^-\w*x/ },
    logrotate: { option: /^-\w*m|^--mail/ },
    man: { option: /^-\w*[PHC]|^--(?:pag|html|conf)/ },
    mdadm: { option: /^-\w*p|^--(?:prog|alert)/ },
    meson: {
      verbs: "devenv runpython",
      option: /^--(?:wrap|gdb|exe|test-args|ninja-a|vs-a|xcode-a|c[a-z]*-file|native-file)/,
    },
    minikube: { verbs: "ssh kubectl" },
    colima: { verbs: "ssh kubectl" },
    n: { verbs: "exec run as use" },
    nc: { option: /^-\w*[ec]|^--(?:exec|sh-exec|lua-exec)/ },
    netlify: { verbs: "dev dev:exec", option: /^--(?:command|cwd)/ },
    nodenv: { verbs: "exec" },
    nomad: { verbs: "exec alloc" },
    nvm: { verbs: "exec run" },
    openssl: { option: /^--?(?:engine|provider)/ },
    orb: { verbs: "*" },
    pct: { verbs: "exec enter" },
    pip: { option: /^--(?:editor|python)/ },
    pm2: { verbs: "start exec deploy restart reload module" },
    pnpm: { verbs: "exec dlx create init", option: /^-\w*c|^--shell-m/ },
    npm: { verbs: "exec x explore create init innit pkg set-script config c set" },
    qm: { verbs: "guest monitor" },
    rclone: { option: /^--(?:password-c|sftp-ssh|metadata-m|webdav-bearer)/ },
    rg: { option: /^--(?:pre|hostname-bin)/ },
    rpm: { option: /^--(?:pipe|eval|define|load|macros|rcfile)|^-\w*[ED]/ },
    sam: { verbs: "local", option: /^--(?:debugger|docker)/ },
    schtasks: { option: /^\/(?:tr|create|change|run)/i },
    sdiff: { option: /^--d/ },
    snap: { verbs: "run try" },
    socat: { option: /(?:^|!!)(?:exec|system|shell|sctp-|openssl).*:/i },
    sort: { option: /^--comp/ },
    split: { option: /^--f/ },
    "ssh-add": { option: /^-\w*[sSe]/ },
    "ssh-keygen": { option: /^-\w*[Dw]/ },
    strace: { option: /^(?:-\w*o|--out\w*=)?[|!]/ },
    svn: { option: /^--(?:editor-c|diff-c|diff3-c|config-o|config-d)/ },
    terraform: { verbs: "run run-all exec", option: /^--(?:tf-path|terragrunt-|auth-provider)/ },
    volta: { verbs: "run" },
    wget: { option: /^--(?:use-a|conf|exec)|^-\w*e/ },
    yarn: { verbs: "exec dlx create" },
    yay: { option: /^--(?:editor|makepkg|pacman|git|gpg|sudo|mflags|config)/ },
    yq: { option: /^--security-en/ },
    zpool: { option: /^-\w*c/ },
    ...each("gcc g++ cc c++ clang clang++", {
      option: /^--?(?:wrapper|specs|fplugin|fuse-ld|ld-path|load|ccc-|fpass-plugin|config|plugin)|^@/,
    }),
    git: { verbs: "rebase bisect submodule filter-branch difftool mergetool for-each-repo", shell: true },
    docker: { verbs: "exec run compose container", shell: true },
    kubectl: { verbs: "exec run debug rsh kubectl", shell: true },
    conda: { verbs: "run" },
    mamba: { verbs: "run" },
    micromamba: { verbs: "run" },
    pipx: { verbs: "run" },
    heroku: { verbs: "run" },
    railway: { verbs: "run" },
    doppler: { verbs: "run" },
    op: { verbs: "run" },
    rustup: { verbs: "run" },
    uv: { verbs: "run tool" },
    fly: { verbs: "ssh machine" },
    flyctl: { verbs: "ssh machine" },
    gcloud: { verbs: "compute" },
    vagrant: { verbs: "ssh" },
    multipass: { verbs: "exec" },
    lxc: { verbs: "exec" },
    incus: { verbs: "exec" },
    asdf: { verbs: "exec" },
    pyenv: { verbs: "exec" },
    rbenv: { verbs: "exec" },
    direnv: { verbs: "exec" },
    limactl: { verbs: "shell" },
    rails: { verbs: "runner" },
    az: { verbs: "vm" },
    mise: { verbs: "exec x" },
    pass: { verbs: "git" },
    ...each(
      "ansible sqlite3 psql mysql mariadb pwsh powershell ed tar rsync zip ex vim vi nvim nsenter chroot mongosh mongo duckdb clickhouse",
      { verbs: "*" },
    ),
  }),
);

function each(names: string, runs: Runs): Record<string, Runs> {
  return Object.fromEntries(names.split(" ").map((name) => [name, runs]));
}

/** Programs with the options of another one. */
const SAME_OPTIONS: Readonly<Record<string, string>> = {
  "apt-get": "apt",
  aptitude: "apt",
  batcat: "bat",
  gpg2: "gpg",
  gsplit: "split",
  gsort: "sort",
  ginstall: "install",
  ncat: "nc",
  netcat: "nc",
  ntl: "netlify",
  paru: "yay",
  terragrunt: "terraform",
  wget2: "wget",
};

/** Programs that pass arguments, or their standard input, to a shell. */
const RUNNERS = split(`
  su runuser script watch parallel sem ssh mosh flock screen tmux at batch crontab systemd-run cmd ninja samu hyperfine entr watchexec nodemon make gmake
  nix-shell nix distrobox toolbox wsl adb sg newgrp xterm konsole gnome-terminal kitty alacritty foreman concurrently scp sftp ftp lftp osascript
`);

/** Agents, whose arguments are prose. */
const AGENTS = split(`
  claude codex aider llm gemini qwen opencode copilot droid goose cursor-agent amp kimi cline crush kiro q auggie vibe openhands agy grok
`);

/** Interpreters of other languages. */
const LANGUAGES =
  /^(?:python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|bun|deno|php[\d.]*|lua[\d.]*|luajit|[gmn]?awk|g?sed|tclsh|wish|emacs|emacsclient|rscript|julia|groovy|scala|guile|racket|tsx|ts-node|elixir|java|jshell|pylint|dc|fx|ghci|irb|ipython[\d.]*)$/;

/** The options with which a program runs what they name; undefined if it has none. */
export function runOption(name: string): RegExp | undefined {
  return RUNS.get(Object.hasOwn(SAME_OPTIONS, name) ? (SAME_OPTIONS[name] ?? "") : ruleName(name))?.option;
}

/** How the program at an index of the words treats the words after it. */
export function argumentKind(name: string, words: readonly string[], at: number): ArgumentKind {
  const rule = ruleName(name);
  const runs = RUNS.get(Object.hasOwn(SAME_OPTIONS, name) ? (SAME_OPTIONS[name] ?? "") : rule);
  if (runs?.option && words.some((word, index) => index > at && runs.option?.test(word.slice(0, 256)))) return "named";
  if (DATA.has(name) || isKnownStarter(name)) return "data";
  if (LANGUAGES.test(name)) return "source";
  if (RUNNERS.has(rule)) return "shell";
  if (AGENTS.has(rule)) return "prose";
  if (!runs) return rulesFor(name) ? "data" : "perhaps";
  const [verb = "", second = ""] = subCommands(name, words, at + 1);
  const verbs = runs.verbs?.split(" ") ?? [];
  if (rule === "docker" && (verb === "compose" || verb === "container"))
    return /^(?:exec|run)$/.test(second) ? "shell" : "data";
  if (!verbs.includes("*") && !verbs.includes(verb)) return "data";
  return runs.shell ? "shell" : "carried";
}

/** True for an interpreter of a language other than a shell's. */
export function isLanguage(name: string): boolean {
  return LANGUAGES.test(name);
}
