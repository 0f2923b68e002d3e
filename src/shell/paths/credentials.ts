import { homeDirectory } from "../../lib/env.ts";
import { once } from "../../lib/once.ts";
import { EVERY_HOME, type PathGroup, PathSet } from "./path-pattern.ts";

const split = (patterns: string) => patterns.trim().split(/\s+/);

/** Templates of such files, and public parts of keys. */
const HARMLESS = split("*.example *.sample *.template *.dist *.pub *.crt *.cer *.csr");

/** Files that hold credentials: the one list for labels, rules and guards. */
export const CREDENTIALS: readonly PathGroup[] = [
  {
    not: HARMLESS,
    covers: split(`
      .env .env.* *.env .envrc .netrc _netrc .pgpass .my.cnf .mylogin.cnf .git-credentials .htpasswd .npmrc .pypirc .dockercfg .boto .s3cfg
      .vault-token id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
      *.pem *.key *.pfx *.p12 *.ppk *.kdbx *.jks *.keystore *.asc.key
    `),
  },
  { not: [...HARMLESS, "known_hosts", "config"], covers: split("~/.ssh .ssh/*") },
  {
    not: HARMLESS,
    covers: split(`
      .aws/credentials ~/.aws/config ~/.aws/sso ~/.azure ~/.config/gcloud ~/.kube ~/.docker/config.json ~/.config/containers/auth.json
      ~/.config/gh/hosts.yml ~/.config/glab-cli ~/.config/hub ~/.gnupg ~/.gem/credentials ~/.cargo/credentials ~/.cargo/credentials.toml
      ~/.m2/settings.xml ~/.terraform.d ~/.terraformrc ~/.config/rclone ~/.config/doctl ~/.fly ~/.config/heroku ~/.netlify ~/.config/op
      ~/.password-store ~/.local/share/keyrings ~/Library/Keychains ~/.config/sops ~/.age ~/.config/solana ~/.ethereum/keystore
    `),
  },
  {
    // Agents' own.
    not: HARMLESS,
    covers: split(`
      ~/.claude/.credentials.json ~/.claude.json ~/.codex/auth.json ~/.gemini/oauth_creds.json ~/.qwen/oauth_creds.json
      ~/.config/github-copilot ~/.copilot/config.json ~/.cursor/auth.json ~/.local/share/opencode/auth.json ~/.kimi/credentials
      ~/.factory/auth.json ~/.hooksh/*.token ~/.config/hooksh/.env
    `),
  },
  {
    // Browsers'.
    not: HARMLESS,
    covers: [".mozilla", ".config/google-chrome", ".config/chromium", "Library/Application Support"].flatMap((folder) =>
      ["logins.json", "key4.db", "Cookies", "Login Data"].map((name) => `~/${folder}/**/${name}`),
    ),
  },
  {
    // Histories of what was typed, passwords among it.
    not: HARMLESS,
    covers: split(`
      ~/.bash_history ~/.zsh_history ~/.psql_history ~/.python_history ~/.mysql_history ~/.node_repl_history
      ~/.local/share/fish/fish_history
    `),
  },
  {
    not: HARMLESS,
    covers: split(`
      /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/krb5.keytab /etc/ssl/private /run/secrets /var/run/secrets
      /proc/**/environ
    `),
  },
  {
    not: HARMLESS,
    covers: split(`
      terraform.tfstate *.tfstate *.tfstate.backup *.auto.tfvars secrets.yaml secrets.yml secrets.json credentials.json
      service-account*.json client_secret*.json master.key config/credentials/*.key wp-config.php *.ovpn
    `),
  },
];

/** The files of {@link CREDENTIALS}, in every home directory and in any case. */
export const credentials = once(
  () => new PathSet(CREDENTIALS, { homes: EVERY_HOME, ownHome: homeDirectory(), ignoreCase: true }),
);
