import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "../helpers/temp-dir.ts";

const SHELLS = ["bash", "dash", "zsh", "ksh93", "mksh", "busybox", "fish"].filter((name) => Bun.which(name));

/** The text that every secret file holds. */
export const SECRET = "s3cr3t-4f9a";

/** Well-known files that hold secrets, in the folder of the lines and in the home directory. */
export const SECRET_FILES = `
  .env .env.local .env.production web/.env .envrc prod.env id_rsa server.pem tls.key cert.p12 key.ppk store.jks vault.kdbx client.ovpn .htpasswd
  .npmrc .netrc .pgpass .git-credentials .dockercfg .boto .s3cfg .vault-token config/master.key config/credentials/production.key
  terraform.tfstate terraform.tfstate.backup old.tfstate.backup prod.auto.tfvars secrets.yaml secrets.yml secrets.json credentials.json
  service-account-1.json client_secret_2.json wp-config.php .aws/credentials .ssh/deploy
  ~/.env ~/.npmrc ~/.pypirc ~/.netrc ~/_netrc ~/.pgpass ~/.my.cnf ~/.git-credentials ~/.vault-token ~/.ssh/id_rsa ~/.ssh/id_ed25519 ~/.ssh/id_ecdsa_sk
  ~/.ssh/work ~/.aws/credentials ~/.aws/config ~/.aws/sso/cache/a.json ~/.azure/msal_token_cache.json ~/.config/gcloud/credentials.db ~/.kube/config
  ~/.docker/config.json ~/.config/containers/auth.json ~/.config/gh/hosts.yml ~/.config/glab-cli/config.yml ~/.config/hub ~/.gnupg/secring.gpg
  ~/.gem/credentials ~/.cargo/credentials ~/.cargo/credentials.toml ~/.m2/settings.xml ~/.terraform.d/credentials.tfrc.json ~/.terraformrc
  ~/.config/rclone/rclone.conf ~/.config/doctl/config.yaml ~/.fly/config.yml ~/.netlify/config.json ~/.config/op/config ~/.password-store/a.gpg
  ~/.claude/.credentials.json ~/.claude.json ~/.codex/auth.json ~/.gemini/oauth_creds.json ~/.qwen/oauth_creds.json ~/.copilot/config.json
  ~/.cursor/auth.json ~/.local/share/opencode/auth.json ~/.kimi/credentials/a.json ~/.factory/auth.json ~/.hooksh/serve.token ~/.config/hooksh/.env
  ~/.bash_history ~/.zsh_history ~/.psql_history ~/.python_history ~/.mysql_history ~/.node_repl_history ~/.local/share/fish/fish_history
`
  .trim()
  .split(/\s+/);

/** What a shell did with a line. */
export interface Seen {
  /** True if it ran the program `bad`. */
  ranBad: boolean;
  output: string;
  /** Whether the file exists in the folder afterwards. */
  has: (name: string) => boolean;
}

/**
 * A folder in which real shells run lines. Each line finds it as at first, unless `kept`: lines that only read need no new
 * one.
 */
export function sandbox({ kept = false } = {}) {
  const root = tempDir();
  const [template, cwd] = [join(root, "template"), join(root, "work")];
  const marks = join(root, "marks");
  mkdirSync(join(template, "tools"), { recursive: true });
  mkdirSync(join(template, "gomod"));
  const home = join(root, "home");
  for (const name of kept ? SECRET_FILES : []) {
    const path = name.startsWith("~/") ? join(home, name.slice(2)) : join(template, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `TOKEN=${SECRET}\n`);
  }
  const files: Readonly<Record<string, string>> = {
    "tools/bad": `#!/bin/sh\necho bad >>'${marks}'\n`,
    in: "x hello\n",
    "in.c": "int x;\n",
    big: "9 some words to sort\n".repeat(20_000),
    script: "bad x\n",
    yes: "y\n",
    taskrc: `data.location=${root}/task\nconfirmation=no\n`,
    credential: "protocol=https\nhost=h.example\n\n",
    "gomod/main.go": "package main\n\nfunc main() {}\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(template, name), text);
  chmodSync(join(template, "tools", "bad"), 0o755);
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: template });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  git("config", "http.https://h.example/.extraheader", `Authorization: ${SECRET}`);
  git("config", "remote.origin.url", `https://me:${SECRET}@h.example/x`);
  writeFileSync(join(template, "in"), "x hello again\n");
  git("commit", "-qam", "two");

  const run = async (shell: string, line: string): Promise<Seen> => {
    rmSync(marks, { force: true });
    if (!kept || !existsSync(cwd)) {
      rmSync(cwd, { recursive: true, force: true });
      cpSync(template, cwd, { recursive: true });
    }
    const child = Bun.spawn(shell === "busybox" ? [shell, "sh", "-c", line] : [shell, "-c", line], {
      cwd,
      env: {
        PATH: `${cwd}/tools:${Bun.env["PATH"]}`,
        HOME: home,
        MY_TOKEN: SECRET,
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b.c",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b.c",
        GIT_TERMINAL_PROMPT: "0",
        GOCACHE: join(root, "go"),
        TERM: "dumb",
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    const output = await new Response(child.stdout).text();
    await child.exited;
    return { ranBad: existsSync(marks), output, has: (name) => existsSync(join(cwd, name)) };
  };

  return {
    shells: SHELLS,
    run,
    /** The first shell that does something with a line. A line that needs a shell is tried in that one only. */
    async shellThat(line: string, program: string, does: (seen: Seen) => boolean): Promise<string | undefined> {
      for (const shell of SHELLS.includes(program) ? [program] : SHELLS) if (does(await run(shell, line))) return shell;
      return undefined;
    },
  };
}
