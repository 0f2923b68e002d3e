import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathTest } from "../../../src/facts/sets/path-test.ts";
import { PATH_SETS } from "../../../src/facts/sets/set-names.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { fit, placeIn, unfit, valuesOf } from "./fits-in.ts";

const cwd = tempDir({
  "conf/secrets.yaml": "x",
  "conf/a.txt": "x",
  "plain/b.yaml": "",
  "hooks.yaml": "x",
  "kept/.aws/credentials": "x",
  "empty/.aws/x": "x",
});
const place = placeIn(cwd, { policy: [join(cwd, "hooks.yaml")] });
const split = (words: string) => words.trim().split(/\s+/);
const inTree = { extent: "tree" } as const;
const read = { read: true } as const;

describe("credentials", () => {
  test.each([
    [
      "all",
      `.env .env.production config/.env.local prod.env .envrc .ENV ./a/../.env ~/.ssh/id_rsa ~/.ssh/work .ssh/deploy ~/.aws/credentials
       ~/.aws/config ~/.npmrc .npmrc ~/.docker/config.json ~/.kube/config ~/.config/gh/hosts.yml ~/.config/gcloud/a.json ~/.azure/t.json
       ~/.gnupg/secring.gpg ~/.bash_history ~/.local/share/fish/fish_history ~/.m2/settings.xml server.pem tls/private.key id_rsa
       id_ed25519_sk service-account-prod.json terraform.tfstate x.tfstate.backup a.auto.tfvars master.key config/credentials/x.key
       ~/.hooksh/serve.token ~/.config/hooksh/.env /etc/shadow /run/secrets/db /proc/1/environ /root/.npmrc /home/x/.netrc
       /Users/x/.ssh/k ~/.mozilla/p/key4.db ~root/../etc/shadow`,
    ],
    [
      "all",
      `~/.mysql_history ~/.node_repl_history ~/.zsh_history ~/.psql_history ~/.python_history .netrc _netrc .pgpass .my.cnf .mylogin.cnf
       .git-credentials .htpasswd .pypirc .dockercfg .boto .s3cfg .vault-token id_dsa id_ecdsa id_ecdsa_sk id_ed25519 x.pfx x.p12 x.ppk
       x.kdbx x.jks x.keystore x.asc.key ~/.aws/sso/x ~/.config/containers/auth.json ~/.config/glab-cli/x ~/.config/hub
       ~/.gem/credentials ~/.cargo/credentials ~/.cargo/credentials.toml ~/.terraform.d/x ~/.terraformrc ~/.config/rclone/x
       ~/.config/doctl/x ~/.fly/x ~/.config/heroku/x ~/.netlify/x ~/.config/op/x ~/.password-store/x ~/.local/share/keyrings/x
       ~/Library/Keychains/x ~/.config/sops/x ~/.age/x ~/.config/solana/x ~/.ethereum/keystore/x`,
    ],
    [
      "all",
      `~/.claude/.credentials.json ~/.claude.json ~/.codex/auth.json ~/.gemini/oauth_creds.json ~/.qwen/oauth_creds.json
       ~/.config/github-copilot/x ~/.copilot/config.json ~/.cursor/auth.json ~/.local/share/opencode/auth.json ~/.kimi/credentials/x
       ~/.factory/auth.json ~/.mozilla/x/logins.json ~/.config/google-chrome/x/Cookies ~/.config/chromium/x/Cookies /etc/gshadow
       /etc/sudoers /etc/krb5.keytab /etc/ssl/private/x /var/run/secrets/x terraform.tfstate.backup x.tfstate secrets.yml secrets.json
       credentials.json client_secret_1.json wp-config.php x.ovpn`,
    ],
    // A literal end or beginning counts, whatever the expansion is.
    ["all", "$X/.env ~/.ssh/$X ~/.ssh/* *.pem $X.pem src/$X.pem /proc/$X/environ $X/.ssh/id .env{,.local}"],
    // A pattern of names is matched to the files that exist.
    ["all", "conf/* conf/*.yaml {a,.env}"],
    // A literal beginning of the last part counts as possible.
    ["some", ".e$X .e* ~/.aws/cred* $X/.kube/config ~/.k*/config ~/.aws/$X"],
    ["unknown", "$X $X/x src/$X src/$X/a.txt ~/$X ~/$X/package.json log-$X.txt src/app-$X.js"],
    [
      "none",
      `* plain/* *.yaml *.txt conf/*.txt src/**/*.ts {a,b} */package.json /proc/*/status a.txt .env.example .env.sample .env.template x.dist
       .env.dist .env.test.example x.pem.example x.key.sample x.pem.template x.pub x.cer x.csr
       ~/.ssh/id_rsa.pub ~/.ssh/known_hosts ~/.ssh/config server.crt environment.md src/env.ts .envoy.yaml credentials.md key.ts
       /etc/ssl/private/ca.crt /run/secrets/db.example ~/.mozilla/p/key4.db/x.pub`,
    ],
  ] as const)("%s: %s", (expected, words) => {
    expect(unfit(expected, "credentials", split(words), place, read)).toEqual([]);
  });

  test("a directory that is read with all below counts if the files are there, or if it is not there to look at", () => {
    const tree = { ...read, ...inTree };
    expect(unfit("all", "credentials", split("~/.ssh ~/.aws ~/.aws/ kept/.aws /etc"), place, tree)).toEqual([]);
    expect(unfit("none", "credentials", split(". kept empty empty/.aws plain src"), place, tree)).toEqual([]);
    expect(unfit("all", "credentials", ["empty/.aws"], place, inTree)).toEqual([]);
  });

  test("a link counts as what it leads to", () => {
    symlinkSync("/etc/shadow", join(cwd, "plain/link"));
    expect([fit(["credentials"], "plain/link", place), fit(["credentials"], "plain/l*", place)]).toEqual([
      "all",
      "all",
    ]);
    expect(fit(["credentials"], "plain/link", place, { need: "both" })).toBe("none");
  });
});

describe("guards", () => {
  test.each([
    [
      "all",
      {},
      `.claude/settings.json ~/.claude/settings.json .claude/settings.local.json .claude/hooks/x.sh /etc/claude-code/x .codex/hooks.json
       ~/.codex/config.toml /etc/codex/x .gemini/settings.json /etc/gemini-cli/x .qwen/settings.json .copilot/x .github/hooks/a.json
       .github/copilot/settings.json .cursor/hooks.json .windsurf/hooks.json ~/.codeium/x .factory/settings.json .factory/hooks.json
       .factory/hooks/x .kiro/agents/x.json .kiro/hooks/x.json .amazonq/cli-agents/x.json .clinerules/hooks/PreToolUse .cline/hooks/x
       .grok/hooks/x.json ~/.kimi/config.toml ~/.kimi-code/config.toml .agents/hooks.json .agents/plugins/x .opencode/plugins/hooksh.js
       opencode.json opencode.jsonc .openhands/hooks.json .vibe/hooks.toml crush.json .crush.json .mcp.json .cursor/mcp.json
       .vscode/mcp.json ~/.config/hooksh/config.yaml ~/.hooksh hooks.yaml .git/hooks/pre-commit .husky/x .pre-commit-config.yaml
       lefthook.yml .lefthook/x .githooks/x .CLAUDE/settings.json sub/.claude/settings.json $X/.claude/settings.json`,
    ],
    ["all", { extent: "tree" }, ".claude .codex .git . .. ~ / $X/.claude"],
    ["all", { extent: "contents" }, ".claude . /"],
    ["some", { extent: "tree" }, ".cl$X .cla*"],
    ["unknown", { extent: "tree" }, "$X $X/build"],
    ["unknown", { extent: "below" }, "."],
    ["none", { extent: "tree" }, "src plain build docs/hooks.yaml.md"],
    ["none", {}, "settings.json src/config.yaml src/hooks.ts .claude ."],
  ] as const)("%s, %j: %s", (expected, options, words) => {
    expect(unfit(expected, "guards", split(words), place, options)).toEqual([]);
  });

  test("the program, and where hooksh keeps its files", () => {
    const moved = placeIn(cwd, {
      env: { HOOKSH_DATA_DIR: "/srv/data" },
      directories: { config: "/srv/config", data: "/srv/data", cache: "/srv/cache" },
    });
    const words = [process.execPath, "/srv/data/x", "/srv/config/config.yaml"];
    expect(unfit("all", "guards", words, moved)).toEqual([]);
    expect(unfit("none", "guards", ["/srv/cache/x", "/srv/x"], moved)).toEqual([]);
    const first = join(tempDir({ hooksh: "" }), "hooksh");
    const found = { ...place, program: [first], env: { PATH: `a:/before:/also:${dirname(first)}:/behind` } };
    expect(unfit("all", "guards", [first, "/before/hooksh", "/also/hooksh"], found)).toEqual([]);
    expect(unfit("none", "guards", ["/behind/hooksh", "a/hooksh"], found)).toEqual([]);
    expect(unfit("none", "guards", ["/early/hooksh"], { ...found, env: { PATH: "/early:/late" } })).toEqual([]);
    symlinkSync(first, join(cwd, "linked.yaml"));
    const policy = placeIn(cwd, { policy: [join(cwd, "linked.yaml")], guarded: ["/srv/guarded/*"] });
    expect(unfit("all", "guards", [first, "linked.yaml", "/srv/guarded/x"], policy)).toEqual([]);
    expect(fit(["guards"], "linked.yaml", policy, { need: "both" })).toBe("all");
    const host = { ...place, env: { CLAUDE_CONFIG_DIR: "/srv/claude" } };
    expect(unfit("all", "guards", ["/srv/claude/settings.json", "/srv/claude/settings.local.json"], host)).toEqual([]);
    expect(unfit("none", "guards", ["/srv/claude/settings.json"], place)).toEqual([]);
    const named = placeIn(cwd, { env: { HOOKSH_CONFIG_DIR: "/srv/config", HOOKSH_DATA_DIR: "/srv/data" } });
    expect(unfit("all", "guards", ["/srv/config/x", "/srv/data/x"], named)).toEqual([]);
  });
});

describe("project, tmp, outside, home", () => {
  test.each([
    ["outside", "all", {}, "/srv/x /etc/motd ../../../../../../srv/x /home/other/x / /srv/$X /srv/* /tmp /var/tmp"],
    ["outside", "all", { extent: "tree" }, "/ /srv .."],
    ["outside", "none", {}, "x build ./a/b /tmp/y /var/tmp/y /dev/null /dev/stderr a/* a/$X /tmp/$X /tmp/* ~/x"],
    ["outside", "none", { extent: "below" }, ". build /tmp"],
    ["outside", "all", { extent: "below" }, "/srv"],
    ["outside", "some", {}, "$X $X/build /$X a/$X/../../x"],
    ["outside", "some", { extent: "below" }, "/"],
    ["outside", "all", { elsewhere: true }, "/tmp/x x . ~/x"],
    ["project", "all", {}, "x . ./a/b a/$X a/*"],
    ["project", "unknown", {}, "$X $X/build"],
    ["project", "some", {}, "/$X /tm$X"],
    ["project", "none", {}, "/srv/x /srv/$X /etc/*"],
    ["project", "all", { extent: "tree" }, ". build .. /"],
    ["project", "none", { elsewhere: true }, "x /tmp/x"],
    ["tmp", "all", {}, "/tmp/x /private/tmp/x /private/var/folders/x /dev/shm/x"],
    ["tmp", "none", {}, "/tmp /tmpx/y /var/tmp /srv/x"],
    ["home", "all", {}, "~ ~/x ~/$X"],
    ["home", "all", { extent: "tree" }, "~ . /"],
    ["home", "none", {}, "x . /home/other /"],
    ["tmp", "all", { extent: "contents" }, "/tmp /var/tmp"],
    ["tmp", "some", { extent: "below" }, "/ /var"],
    ["tmp", "all", { extent: "below" }, "/tmp"],
    ["outside", "none", { extent: "contents" }, "/tmp ."],
    ["outside", "all", { elsewhere: true }, "/dev/null"],
    ["project", "all", { extent: "contents" }, ". .. /"],
    ["project", "none", { extent: "tree" }, "/srv"],
    ["project", "none", { extent: "tree", elsewhere: true }, "/"],
    ["project", "all", {}, "conf/$X/a"],
  ] as const)("%s: %s, %j: %s", (set, expected, options, words) => {
    expect(unfit(expected, set, split(words), place, options)).toEqual([]);
  });

  test("a directory above the project is not in it for what lifts a restriction", () => {
    expect([fit(["project"], "/", place, { ...inTree, need: "both" })]).toEqual(["none"]);
    expect(fit(["./build"], ".", place, { ...inTree, need: "both" })).toBe("none");
  });

  test("what lifts a restriction needs the spelled path and the one behind links", () => {
    symlinkSync("/etc", join(cwd, "etc"));
    mkdirSync(join(cwd, "inner"));
    symlinkSync(join(cwd, "inner"), join(cwd, "own"));
    expect([fit(["project"], "etc/hosts", place, { need: "both" }), fit(["project"], "etc/hosts", place)]).toEqual([
      "none",
      "all",
    ]);
    expect(fit(["project"], "own/x", place, { need: "both" })).toBe("all");
    expect([fit(["outside"], "etc/hosts", place), fit(["/etc/**"], "etc/hosts", place)]).toEqual(["all", "all"]);
    expect(fit(["project"], "etc/*", place, { need: "both" })).toBe("none");
    // The system leaves the directory that a link leads to.
    expect(fit(["/passwd"], "etc/../passwd", place)).toBe("all");
  });

  test("a project that is reached through a link is the same project", () => {
    const real = tempDir({ "a/x": "" });
    symlinkSync(join(real, "a"), join(real, "link"));
    expect(
      unfit("all", "project", ["x", join(real, "a/x"), join(real, "link/x")], placeIn(join(real, "link"))),
    ).toEqual([]);
  });
});

describe("roots", () => {
  test.each([
    [
      "all",
      "tree",
      "/ /* ~ ~/ ~/* /etc /usr/ . ./* * .* .git /home /Users /home/x /Users/x /var ~/.* .[!.]* /*/* /home/x/* /e* ..",
    ],
    ["all", "contents", "/ ~ . /srv"],
    ["all", "tree", "C:\\ C:/ d:"],
    ["none", "below", "/ ~ ."],
    ["none", "tree", "/srv/www/x ~/notes/x x build/* /etc/x/y ./a* /etc/hosts* .git/x /home/x/y plain/*"],
    ["some", "tree", "/$X /home/$X /$X/* .gi$X"],
    ["unknown", "tree", "$X $X/* ./$X"],
    ["none", "tree", "build/$X ~/a/$X ~/$X* /srv/$X/* /$X/a /*/$X /srv/*/* /x* /[q]* /? ~/**x xC:/ C:/x home"],
    ["all", "tree", "/?* /etc/?* /** /home"],
    ["all", "itself", "/ . ~ .git"],
    ["none", "itself", "/srv/x plain"],
    ["some", "tree", "/home/$X/* /a$X ./.$X"],
    ["unknown", "tree", "./$X/* $X*"],
  ] as const)("%s, %s: %s", (expected, extent, words) => {
    expect(unfit(expected, "roots", split(words), place, { extent })).toEqual([]);
  });

  test("only a directory is one, and none on another machine", () => {
    const file = placeIn(cwd);
    expect(unfit("none", "roots", ["/", "/etc"], file, { elsewhere: true })).toEqual([]);
    expect(unfit("none", "roots", ["/"], file, { elsewhere: true, extent: "contents" })).toEqual([]);
    const inRoot = readdirSync("/", { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(
      unfit(
        "none",
        "roots",
        inRoot.map(({ name }) => `/${name}`),
        file,
      ),
    ).toEqual([]);
  });

  test("what lifts a restriction is one for certain", () => {
    const both = { ...inTree, need: "both" } as const;
    const deep = placeIn(join(tempDir({ "a/b/x": "" }), "a/b"));
    const fits = [fit(["roots"], "/h*", deep, both), fit(["roots"], "..", deep, both), fit(["roots"], ".", deep, both)];
    expect(fits).toEqual(["some", "none", "all"]);
    expect([fit(["roots"], "..", deep), fit(["roots"], "..", deep, inTree)]).toEqual(["none", "all"]);
    const homeless = { ...place, home: "" };
    expect([fit(["roots"], "plain", homeless), fit(["home"], "plain", homeless)]).toEqual(["none", "none"]);
  });
});

describe("lists of names", () => {
  test.each([
    [
      "system",
      "all",
      `/etc/x/y /usr/local/bin/b /bin/x /sbin/x /lib/x /lib64/x /boot/x /sys/x /proc/1 /dev/sda /opt/x /var/lib/x /System/x /Library/x
       /Applications/x C:\\Windows\\x`,
    ],
    ["system", "none", "/dev/null /dev/stdout /dev/fd/3 /dev/tty /srv/x ~/x /var/log/x usr/x"],
    [
      "generated",
      "all",
      `dist/a.js node_modules/x/i.js api/x.pb.go a_pb2.py x.min.css coverage .venv/bin/x x.g.dart $X/build out/x target/x .next/x
       .nuxt/x .turbo/x .cache/x __pycache__/x .pytest_cache/x .mypy_cache/x venv/x vendor/x x.min.js x.generated.ts`,
    ],
    ["generated", "none", "src/distance.ts README.md outer/x vendors/x"],
    [
      "lockfiles",
      "all",
      `package-lock.json sub/Cargo.lock go.sum .terraform.lock.hcl cargo.lock npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock
       bun.lockb deno.lock poetry.lock uv.lock Pipfile.lock pdm.lock Gemfile.lock composer.lock mix.lock pubspec.lock
       packages.lock.json flake.lock gradle.lockfile Podfile.lock conda-lock.yml`,
    ],
    ["lockfiles", "none", "package.json Cargo.toml x.lock"],
    [
      "ci",
      "all",
      `.github/workflows/ci.yml .gitlab-ci.yml Jenkinsfile CODEOWNERS .github/dependabot.yml renovate.json .github/actions/x/action.yml
       .circleci/config.yml .travis.yml azure-pipelines.yml .buildkite/x .drone.yml bitbucket-pipelines.yml .woodpecker.yml .woodpecker/x
       appveyor.yml cloudbuild.yaml .github/CODEOWNERS`,
    ],
    ["ci", "none", ".github/ISSUE_TEMPLATE/a.md jenkins/x"],
    [
      "instructions",
      "all",
      `CLAUDE.md AGENTS.md .cursor/rules/a.mdc .claude/skills/x/SKILL.md .kiro/steering/a.md GEMINI.md .cursorrules .windsurfrules
       .github/copilot-instructions.md .clinerules .claude/commands/x.md .claude/agents/x.md .agents/skills/x`,
    ],
    ["instructions", "none", "README.md .claude/settings.json"],
    [
      "startup",
      "all",
      `~/.bashrc ~/.ssh/authorized_keys /etc/cron.d/x /etc/crontab ~/.config/systemd/user/x .git/config .git/hooks/x /root/.profile
       ~/.bash_profile ~/.zshrc ~/.zshenv ~/.zprofile ~/.config/fish/config.fish ~/.ssh/rc ~/.config/autostart/x
       /etc/systemd/system/x /var/spool/cron/x /etc/profile /etc/profile.d/x /etc/rc.local /etc/init.d/x ~/Library/LaunchAgents/x
       /Library/LaunchAgents/x /Library/LaunchDaemons/x /etc/sudoers /etc/sudoers.d/x /etc/ld.so.preload ~/.gitconfig
       ~/.config/git/config`,
    ],
    ["startup", "none", "bashrc ~/bin/x .github/x"],
  ] as const)("%s: %s: %s", (set, expected, words) => {
    expect(unfit(expected, set, split(words), place)).toEqual([]);
  });

  test("names with a blank", () => {
    expect(fit(["credentials"], "~/.config/google-chrome/x/Login Data", place)).toBe("all");
    expect(fit(["credentials"], "~/Library/Application Support/x/Cookies", place)).toBe("all");
    expect(fit(["system"], "C:\\Program Files\\x", place)).toBe("all");
  });

  test("a tree above them counts", () => {
    expect(fit(["ci"], ".github", place, inTree)).toBe("all");
    expect(fit(["startup"], "~", place, inTree)).toBe("all");
  });

  test("names of generated directories say nothing above the project", () => {
    const built = tempDir({ "build/p/x": "", "build/p/dist/y": "" });
    const inside = placeIn(join(built, "build/p"));
    expect([fit(["generated"], "x", inside), fit(["generated"], "dist/*", inside)]).toEqual(["none", "all"]);
  });

  test("on another machine only credentials, guards and system match, by name", () => {
    const elsewhere = { elsewhere: true };
    expect(unfit("all", "credentials", [".env", "~/.aws/credentials", ".ssh/id"], place, elsewhere)).toEqual([]);
    expect(unfit("all", "guards", [".claude/settings.json"], place, elsewhere)).toEqual([]);
    expect(unfit("all", "system", ["/etc/passwd"], place, elsewhere)).toEqual([]);
    expect(unfit("none", "lockfiles", ["yarn.lock"], place, elsewhere)).toEqual([]);
    expect(unfit("all", "/srv/**", ["/srv/x"], place, elsewhere)).toEqual([]);
    expect(unfit("none", "/srv/**", ["/srv/x"], place, { ...elsewhere, need: "both" } as object)).toEqual([]);
  });
});

describe("patterns", () => {
  test.each([
    ["*.sql", "a.sql d/e/b.sql $X.sql", "a.sqlx a.SQL.bak"],
    ["migrations/*", "migrations/1 x/migrations/1 migrations/1/2", "migrations migrationsx/1"],
    ["./infra", "infra infra/a infra/a/b", "x/infra/a infrax"],
    ["<project>/infra", "infra/a", "x/infra/a"],
    ["/srv/data/**", "/srv/data/a /srv/data/a/b /srv/data/$X", "/srv/dat /srv/data"],
    ["~/keep", "~/keep ~/keep/x", "~/keepx /root/keep keep"],
    ["a?c.txt", "abc.txt d/abc.txt", "abbc.txt"],
    ["[xyz].cfg", "x.cfg", "w.cfg"],
    ["docs/**/x", "docs/x docs/a/b/x", "docs/a"],
    ["contracts", "contracts contracts/a x/contracts/b", "contract"],
  ])("%s", (pattern, inside, outside) => {
    expect(unfit("all", pattern, split(inside), place)).toEqual([]);
    expect(unfit("none", pattern, split(outside), place)).toEqual([]);
  });

  test("case counts in own patterns where the system's file names have it", () => {
    const folded = { ...place, platform: "darwin" };
    expect([fit(["*.sql"], "a.SQL", place), fit(["*.sql"], "a.SQL", folded)]).toEqual(["none", "all"]);
    expect(fit(["project"], cwd.toUpperCase(), folded)).toBe("all");
    expect(fit(["project"], cwd.toUpperCase(), { ...place, platform: "win32" })).toBe("all");
    expect(fit(["project"], cwd.toUpperCase(), place)).toBe("none");
    // A pattern of names above the project, which only files say.
    const above = cwd.replace(/[^/]$/, "?");
    expect([fit(["project"], above, place), fit(["project"], cwd.replace(/[^/]+$/, "q*"), place)]).toEqual([
      "some",
      "none",
    ]);
  });

  test("a tree fits a pattern below it, when it is only read if the file exists", () => {
    expect(unfit("all", "/srv/data/**", ["/srv", "/srv/data", "/"], place, inTree)).toEqual([]);
    expect(unfit("all", "./conf/a.txt", [".", "conf"], place, { ...inTree, ...read })).toEqual([]);
    expect(unfit("none", "./conf/b.txt", [".", "conf"], place, { ...inTree, ...read })).toEqual([]);
    expect(unfit("none", "*.txt", ["."], place, inTree)).toEqual([]);
  });

  test("an expansion at once below a directory above the pattern may name it", () => {
    expect(fit(["/srv/data/**"], "/srv/$X", place)).toBe("some");
    expect(fit(["/srv/data/**"], "/opt/$X", place)).toBe("none");
  });

  test("own sets, in which words are names, stand beside patterns and built-in sets", () => {
    const test = pathTest(["legal", "*.key", "ci"], { own: { paths: { legal: ["contracts", "*.docx"] } }, place });
    const results = ["contracts/a", "x.docx", "a.key", ".travis.yml", "a.txt"].map((word) =>
      valuesOf(word, place).map((value) => test(value, "either")),
    );
    expect(results).toEqual([["all"], ["all"], ["all"], ["all"], ["none"]]);
    expect(pathTest([], { own: { paths: {} }, place })(valuesOf("a", place)[0] as never, "either")).toBe("none");
  });

  test("too many directory entries make a pattern of names possible", () => {
    const many = tempDir();
    for (let at = 0; at < 4200; at++) writeFileSync(join(many, `f${at}.txt`), "");
    const crowded = placeIn(many);
    expect(fit(["*.pem"], "*", crowded)).toBe("some");
    expect(fit(["*.pem"], "*.txt", crowded)).toBe("none");
  });

  test("odd paths fit nothing and do not throw", () => {
    const odd = [
      "a".repeat(100_000),
      "[",
      "a[b",
      "\\",
      "/".repeat(5000),
      "..".repeat(3000),
      "*".repeat(3000),
      "~~",
      "~nobody",
    ];
    for (const set of Object.keys(PATH_SETS)) for (const word of odd) fit([set], word, place, inTree);
    expect(fit(["*.pem"], `${"*".repeat(2000)}x`, place)).toBe("none");
  });
});
