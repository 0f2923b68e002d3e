import { once } from "../../lib/once.ts";
import type { RuleSet } from "./rule-set.ts";

const INTERPRETERS = ["python", "python3", "node", "deno", "bun", "perl", "ruby", "php", "lua", "osascript"];
const SHELLS = ["sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd"];

/** Files whose content runs, or decides what runs, without anybody starting it by its name. */
const RUN_BY_THEMSELVES = [
  "package.json",
  "**/Makefile",
  "**/GNUmakefile",
  "*.mk",
  "**/justfile",
  "Taskfile.y*ml",
  "**/Rakefile",
  "build.gradle*",
  "pom.xml",
  "build.rs",
  "setup.py",
  "setup.cfg",
  "pyproject.toml",
  "tox.ini",
  "noxfile.py",
  "conftest.py",
  "sitecustomize.py",
  "usercustomize.py",
  "*.pth",
  "pip.conf",
  "pip.ini",
  ".yarnrc*",
  ".pnpmfile.cjs",
  "bunfig.toml",
  ".cargo/config.toml",
  "Dockerfile*",
  "*.dockerfile",
  "docker-compose*.y*ml",
  "compose*.y*ml",
  ".devcontainer",
  ".vscode",
  ".idea",
  ".zed",
  ".gitmodules",
  ".gitattributes",
  ".envrc",
  ".mise.toml",
  ".tool-versions",
  "**/hooks",
  "agent.yaml",
  "hooks.yaml",
  "**/migrations",
];

/** Files that decide what checks of the project find. */
const CHECKS = [
  ".eslintrc*",
  "eslint.config.*",
  "biome.json*",
  ".golangci.y*ml",
  "ruff.toml",
  "mypy.ini",
  ".semgrep*",
  "codecov.y*ml",
];

/** For unattended agents: calls that would otherwise need a person's approval or attention. It is strict. */
export const UNATTENDED = once(
  (): RuleSet => ({
    summary:
      "For unattended agents (CI, scheduled runs): calls that would otherwise need a person's approval or attention.",
    parameters: {
      hosts: { fact: "hosts", default: ["project", "registries", "forges", "loopback"] },
      send_to: { fact: "sends", default: ["project", "loopback"] },
      also_readable: { fact: "reads", default: [] },
      files: { fact: "writes", default: RUN_BY_THEMSELVES },
      checks: { fact: "writes", default: CHECKS },
    },
    rules: [
      {
        name: "privilege",
        deny: "Takes more rights than the agent was given ({command})",
        when: {
          any: [
            { effect: "privilege" },
            { program: ["nsenter", "unshare", "chroot", "capsh", "setpriv", "bwrap"] },
            { program: "osascript", args: { matches: "(?i)administrator privileges|do shell script" } },
            { program: ["curl", "nc", "socat"], flags: ["--unix-socket", "--abstract-unix-socket", "-U"] },
          ],
        },
      },
      {
        name: "metadata",
        deny: "{host} hands out the credentials of this machine",
        when: { hosts: "metadata" },
      },
      {
        name: "sends",
        deny: "Sends to a host that is not the project's ({host})",
        when: { effect: "sends", sends: { not_in: "$send_to" } },
      },
      {
        name: "sends-somewhere",
        deny: "Sends, and the line does not say where ({command})",
        when: { effect: "sends", sends: false },
      },
      {
        name: "hosts",
        deny: "{host} is not among the hosts that this agent may reach",
        when: { effect: "fetches", hosts: { not_in: "$hosts" } },
      },
      {
        name: "opens",
        deny: "Opens this machine to others ({command})",
        when: {
          any: [
            {
              program: [
                "ngrok",
                "cloudflared",
                "localtunnel",
                "lt",
                "frpc",
                "bore",
                "zrok",
                "chisel",
                "http.server",
                "tailscale",
              ],
            },
            { program: "ssh", flags: ["-R", "-L", "-D", "-w"] },
            { program: ["nc", "ncat", "socat"] },
            { program: INTERPRETERS, args: ["http.server", "SimpleHTTPServer"] },
          ],
        },
      },
      {
        name: "other-machines",
        deny: "Works on another machine ({command})",
        when: { program: ["ssh", "mosh", "telnet", "sftp", "winrs", "psexec"] },
      },
      {
        name: "services",
        deny: "Changes what runs elsewhere or on this machine ({command})",
        when: {
          effect: [
            "kubernetes",
            "cloud",
            "infrastructure",
            "database",
            "containers",
            "system",
            "process",
            "remote-delete",
          ],
        },
      },
      {
        name: "statements",
        deny: "Runs statements that the line does not show, or that reach outside the database ({command})",
        when: {
          any: [
            { program: ["psql", "mysql", "mariadb", "sqlite3", "mongosh", "sqlcmd"], opaque: true },
            {
              program: ["psql", "mysql", "mariadb", "sqlite3"],
              args: {
                matches: "(?i)\\binto\\s+(outfile|dumpfile)\\b|\\b(to|from)\\s+program\\b|^\\.(shell|system)\\b|^\\\\!",
              },
            },
            { program: ["pg_resetwal", "pg_rewind", "mysqlbinlog"] },
            { program: ["npm", "pnpm", "yarn", "bun"], command: ["* db:*", "* migrate*", "* *:migrate*"] },
            {
              tool: ["write_file", "edit_file"],
              input: { content: { matches: "(?i)\\b(drop|truncate)\\s+(table|database|schema)\\b" } },
            },
          ],
        },
      },
      { name: "packages", deny: "A new or changed dependency ({command})", when: { effect: "packages" } },
      {
        name: "sources",
        deny: "Brings in unreviewed code ({command})",
        when: {
          any: [
            { program: "git", verb: ["clone", "submodule add", "remote add", "remote set-url", "subtree add"] },
            {
              program: ["docker", "podman", "nerdctl"],
              verb: ["run", "create", "pull", "container run", "image pull", "buildx build"],
            },
            { program: ["docker", "podman", "nerdctl"], args: ["http*://*", "git@*", "git://*"] },
            { program: ["npm", "pnpm", "yarn"], verb: ["pkg", "config", "set"] },
            { program: ["code", "cursor", "codium", "windsurf"], flags: "--install-extension" },
            { program: "terraform", flags: ["-plugin-dir", "-upgrade"] },
            { program: ["mshta", "certutil", "bitsadmin", "regsvr32", "rundll32", "installutil", "msiexec", "wmic"] },
          ],
        },
      },
      {
        name: "network-code",
        deny: "Code in the line reaches the network or removes files, and no rule can read it",
        when: {
          program: [...INTERPRETERS, "pwsh", "powershell"],
          args: {
            matches:
              "(?i)https?://|urlopen|requests\\.|fetch\\(|socket|net\\.connect|iwr|invoke-webrequest|unlink|rmtree|rmsync|rmdir|homedir|expanduser|ENV\\{?HOME|remove-item",
          },
        },
      },
      { name: "publish", deny: "Others could get this ({command})", when: { effect: "publish" } },
      {
        name: "forge",
        deny: "Merging, and who may see or change a repository, is for people ({command})",
        when: {
          program: ["gh", "glab"],
          any: [
            { verb: "api", flags: ["-X", "-f", "-F", "--input"] },
            {
              verb: [
                "pr merge",
                "mr merge",
                "repo create",
                "repo edit",
                "repo rename",
                "repo archive",
                "repo delete",
                "repo deploy-key",
                "ssh-key add",
                "ssh-key delete",
                "gpg-key add",
                "gpg-key delete",
                "secret set",
                "secret delete",
                "variable set",
                "variable delete",
                "auth token",
                "auth refresh",
                "workflow enable",
                "workflow disable",
                "release create",
                "release delete",
                "release edit",
                "extension install",
              ],
            },
          ],
        },
      },
      {
        name: "history",
        deny: "Pushes what it should not, or by another tool than git ({command})",
        when: {
          any: [
            { program: ["hg", "jj", "sl", "svn"], verb: ["push", "git push", "commit", "ci"] },
            { effect: ["git-history", "git-discard"] },
          ],
        },
      },
      {
        name: "searches-history",
        deny: "Searches old commits for secrets ({command})",
        when: { program: "git", verb: "log", flags: ["-S", "-G"] },
      },
      {
        name: "git-settings",
        deny: "Settings of git decide what it runs and where it pushes ({command})",
        when: {
          any: [
            {
              program: "git",
              verb: "config",
              args: {
                matches:
                  "(?i)^(alias|remote|core|url|credential|filter|diff|include|includeif|http|protocol|push|merge|gpg|pager)\\.",
              },
            },
            { env: ["GIT_CONFIG*", "GIT_SSH*", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS"] },
          ],
        },
      },
      {
        name: "persistence",
        deny: "This would run again without anybody asking ({command})",
        when: { effect: "persistence" },
      },
      {
        name: "outlives",
        deny: "Goes on after the agent has ended ({command})",
        when: {
          any: [
            { program: "tmux", verb: ["new*", "send*", "respawn*", "run*"] },
            { program: "screen", flags: ["-d", "-m", "-X"] },
            { program: ["daemonize", "at", "batch"] },
            { program: "loginctl", verb: "enable-linger" },
            { program: "reg", verb: ["add", "import", "save", "copy"] },
          ],
        },
      },
      { name: "delegates", deny: "Starts another agent ({command})", when: { effect: "delegates" } },
      {
        name: "agents",
        deny: "What agents remember, and the tools that they have, are for people to change",
        when: {
          any: [
            { tool: ["add_memory", "update_memory", "save_memory", "delete_memory"] },
            {
              program: ["claude", "codex", "gemini", "qwen", "copilot", "cursor", "code"],
              verb: ["mcp", "mcp *", "config", "plugin", "plugins", "extensions"],
            },
            { env: ["HOOKSH_*", "CLAUDE_*", "CODEX_*", "ANTHROPIC_*", "OPENAI_*"] },
          ],
        },
      },
      {
        name: "runs-by-itself",
        deny: "What {path} says runs without anybody starting it",
        when: { effect: ["fs-overwrite", "fs-modify", "fs-permissions"], writes: "$files" },
      },
      { name: "checks", deny: "{path} decides what the checks find", when: { writes: "$checks" } },
      {
        name: "settings",
        deny: "{path} is for people to change",
        when: { writes: ["guards", "instructions", "ci", "startup", "credentials", "system", "lockfiles"] },
      },
      {
        name: "home",
        deny: "Writes to the home directory ({path})",
        when: { all: [{ writes: "home" }, { writes: { not_in: ["project", "tmp"] } }] },
      },
      {
        name: "reads-home",
        deny: "Reads what is not in the project ({path})",
        when: {
          any: [
            { all: [{ reads: "home" }, { reads: { not_in: ["project", "tmp", "$also_readable"] } }] },
            { reads: "roots", not: { reads: "project" } },
            {
              program: ["find", "fd", "tree", "grep", "rg", "du"],
              paths: "home",
              all: [{ paths: { not_in: ["project", "tmp"] } }],
            },
          ],
        },
      },
      {
        name: "secrets",
        deny: "Looks for secrets, or reads them from where they are kept ({command})",
        when: {
          any: [
            { effect: "reveals" },
            {
              program: [
                "bw",
                "pass",
                "gopass",
                "lpass",
                "infisical",
                "chamber",
                "secret-tool",
                "keyring",
                "cmdkey",
                "vaultcmd",
                "security",
                "kwallet-query",
                "trufflehog",
                "gitleaks",
                "noseyparker",
                "mimikatz",
              ],
            },
            { program: "vault", verb: ["read", "kv get", "unwrap", "token create"] },
            { program: "op", verb: ["read", "item", "document get", "run", "inject"] },
            { program: "doppler", verb: ["secrets", "run"] },
            { program: "git", verb: ["credential", "credential-*"] },
            { program: "git", verb: "config", args: "credential.*" },
            { program: ["npm", "pnpm", "yarn"], verb: ["config", "token"] },
            { program: "heroku", verb: ["config", "config:*"] },
            { program: ["docker", "podman"], verb: ["inspect", "container inspect", "config"] },
            { program: "reg", verb: ["save", "query", "export"] },
          ],
        },
      },
      {
        name: "processes",
        deny: "Looks into other processes ({command})",
        when: {
          any: [
            {
              program: [
                "gdb",
                "lldb",
                "gcore",
                "strace",
                "ltrace",
                "dtrace",
                "perf",
                "bpftrace",
                "procdump",
                "py-spy",
                "rbspy",
                "frida",
              ],
            },
            { reads: "/proc/*/mem" },
          ],
        },
      },
      {
        name: "weaker",
        deny: "Takes away a protection ({command})",
        when: {
          any: [
            { effect: "bypass" },
            {
              env: [
                "NODE_TLS_REJECT_UNAUTHORIZED",
                "GIT_SSL_NO_VERIFY",
                "PYTHONHTTPSVERIFY",
                "LD_PRELOAD",
                "LD_LIBRARY_PATH",
                "DYLD_*",
                "NODE_OPTIONS",
                "PYTHONSTARTUP",
                "BASH_ENV",
                "PERL5OPT",
                "RUBYOPT",
              ],
            },
            {
              program: ["export", "declare", "setx"],
              args: [
                "NODE_TLS_REJECT_UNAUTHORIZED*",
                "GIT_SSL_NO_VERIFY*",
                "LD_PRELOAD*",
                "NODE_OPTIONS*",
                "BASH_ENV*",
              ],
            },
            { program: ["spctl", "csrutil", "set-mppreference", "setenforce", "tccutil", "bcdedit", "netsh"] },
            { program: ["curl", "wget"], flags: ["-k", "--insecure", "--no-check-certificate"] },
          ],
        },
      },
      {
        name: "started-by-options",
        deny: "An option starts another program ({command})",
        when: {
          any: [
            { program: "man", flags: ["--html", "-P", "--pager", "-H"] },
            { program: "sort", flags: "--compress-program" },
            { program: ["rg", "ripgrep"], flags: ["--pre", "--hostname-bin"] },
            { program: "git", verb: "grep", flags: ["--open-files-in-pager", "-O"] },
            {
              program: ["ssh", "scp", "sftp", "rsync"],
              args: { matches: "(?i)(proxycommand|localcommand|knownhostscommand)" },
            },
            { program: "tar", flags: ["--checkpoint-action", "--to-command", "--use-compress-program", "-I"] },
            { program: ["vim", "vi", "nvim", "ex", "view", "emacs", "ed"], args: { matches: "^:?!|system\\(|shell" } },
            { program: ["awk", "gawk", "mawk", "nawk"], args: { matches: 'system\\s*\\(|\\|\\s*"|"\\s*\\|' } },
            { program: ["sed", "gsed"], args: { matches: "^\\d*e\\b|[/|,#]\\w*e\\w*$" } },
          ],
        },
      },
      {
        name: "shells",
        deny: "Starts a shell whose commands no rule sees ({command})",
        when: { program: SHELLS, args: false },
      },
      {
        name: "empties",
        deny: "Leaves nothing of {path}",
        when: {
          any: [
            { tool: "write_file", input: { content: { matches: "^\\s*$" } } },
            { program: ["truncate", "clear-content"] },
            { program: ":", effect: "fs-overwrite" },
          ],
        },
      },
      {
        name: "deletes",
        deny: "Deletes what the project does not generate ({path})",
        when: {
          effect: "fs-delete",
          writes: { not_in: ["generated", "tmp"] },
          all: [{ class: "runs-commands", flags: "-r" }],
        },
      },
    ],
  }),
);
