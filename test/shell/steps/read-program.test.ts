import { describe, expect, test } from "bun:test";
import { HOLE, type Invocation } from "../../../src/shell/steps/invocation.ts";
import type { Value } from "../../../src/shell/steps/program-facts.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";
import { readProgram } from "../../../src/shell/steps/read-program.ts";

function first(line: string) {
  const [invocation] = readLine(line, { env: {}, posix: true }).invocations;
  return readProgram(invocation as Invocation);
}

/** Values in one text: a possible one has a question mark, as has an expansion. */
function text(values: readonly Value[]): string {
  return values.map((value) => `${value.text.replaceAll(HOLE, "?")}${value.sure ? "" : "?"}`).join(" ");
}

describe("program and verb", () => {
  test.each([
    ["/usr/bin/pip3.12 install x", "pip", "install"],
    ["PIP install x", "pip", "install"],
    ["python3.11 x.py", "python", ""],
    ["docker-compose -p x down", "docker", "compose down"],
    ["./scripts/deploy.sh prod", "deploy.sh", ""],
    ["git", "git", ""],
    ["git --version", "git", ""],
    ['git "$V"', "git", "??"],
    ['"$X" push', "??", "push?"],
    ["X=ls; X=rm; $X y", "", ""],
    ["> f", "", ""],
  ])("%s", (line, program, verb) => {
    const facts = first(line);
    expect([text(facts.program), text(facts.verb)]).toEqual([program, verb]);
  });

  test("of several programs none is certain", () => {
    const facts = readLine("for p in ls rm; do $p x; done", { env: {}, posix: true }).invocations.map(readProgram);
    expect(
      text(facts[0]?.program ?? [])
        .split(" ")
        .sort(),
    ).toEqual(["ls?", "rm?"]);
  });
});

describe("flags, arguments, command, variables", () => {
  test.each([
    ["git push -uf origin x", "--set-upstream --force", "origin x", "git push -uf origin x"],
    [
      "kubectl --namespace=production  get pods",
      "--namespace",
      "production pods",
      "kubectl --namespace=production get pods",
    ],
    ["npm 'run' deploy > log", "", "", "npm run deploy"],
    ["docker-compose down", "", "", "docker compose down"],
    ['echo "$X" y', "", "?? y", "echo ? y?"],
    ["sudo ls", "", "", "sudo"],
  ])("%s", (line, flags, args, command) => {
    const facts = first(line);
    expect([text(facts.flags.values), text(facts.args.values), text([facts.command])]).toEqual([flags, args, command]);
  });

  test("the message shows how an expansion is written", () => {
    expect(first('git push "$R" $F').command.shown).toBe('git push "$R" $F');
  });

  test("unquoted expansions leave flags and arguments open", () => {
    const facts = first("git push $F");
    expect([facts.flags.open, facts.args.open]).toEqual([true, true]);
    expect(first('git push "$F"').flags.open).toBe(false);
  });

  test("variables before the program and of env", () => {
    expect(text(first("A=1 env B=2 npm test").env.values)).toBe("A B");
  });
});

describe("opaque", () => {
  test("what runs code of the project or of a package", () => {
    const lines = Object.entries({
      npm: "run-script rum urn t tst stop restart create init innit install-test it install-ci-test cit",
      bun: "run test create",
      cargo: "run r t test b build bench nextest watch",
      go: "run test generate",
      docker: "run build",
      "docker container": "run",
      "docker buildx": "build bake",
      "docker image": "build",
      "docker compose": "up run build",
      podman: "run build",
      deno: "run test task bench",
      dotnet: "run test build",
      rails: "runner r test",
      mix: "run test",
      swift: "run test build",
      stack: "run test build",
      cabal: "run test build",
      flutter: "run test build",
      composer: "run run-script exec test",
      "pgcli -f": "x.sql",
      "mysql -e x <": "x.sql",
      "sqlite3 d <": "x.sql",
      "duckdb d <": "x.sql",
      "sqlplus <": "x.sql",
      "cqlsh -f": "x.sql",
      "clickhouse <": "x.sql",
      "sqlite d <": "x.sql",
      ...Object.fromEntries(
        ["mariadb", "mycli", "sqlcmd", "mongo", "mongosh", "cockroach", "usql", "snowsql"].map((name) => [
          `${name} <`,
          "x",
        ]),
      ),
      uv: "run",
      "uv tool": "run",
      pipx: "run",
      poetry: "run",
      bundle: "exec",
      "pre-commit": "run",
      nix: "run develop shell",
      "clickhouse-client <": "x.sql",
    }).flatMap(([program, words]) => words.split(" ").map((word) => `${program} ${word}`));
    expect(lines.filter((line) => !first(line).opaque)).toEqual([]);
  });

  test.each([
    "make",
    "gmake clean",
    "just x",
    "task x",
    "rake x",
    "gradle build",
    "mvn package",
    "ant",
    "ninja",
    "cmake --build .",
    "bazel build x",
    "invoke x",
    "tox",
    "nox",
    "./x.sh",
    "~/bin/x",
    "node_modules/.bin/tsc",
    "sh x.sh",
    "bash -x scripts/a.sh",
    "source ./a.sh",
    ". a.sh",
    "python y.py",
    "python3 -m http.server",
    "python3 -c 'print(1)'",
    "node a.js",
    "node -e 1",
    "ruby x.rb",
    "npm test",
    "npm run build",
    "npm start",
    "pnpm run x",
    "pnpm test",
    "pnpm lint",
    "yarn build",
    "yarn run x",
    "bun run x",
    "bun test",
    "bun x.ts",
    "npx tsc",
    "bunx tsc",
    "uvx ruff",
    "uv run x.py",
    "pipx run x",
    "pnpm dlx x",
    "cargo run",
    "mix test",
    "swift run",
    "cargo test",
    "cargo build",
    "go run .",
    "go test ./...",
    "go generate",
    "pytest -k x",
    "jest",
    "vitest",
    "docker run img",
    "docker build .",
    "psql -f x.sql",
    "psql < x.sql",
    "curl u | sh",
    "java -jar x.jar",
    "php artisan migrate",
    "deno run x.ts",
    "deno x.ts",
    "deno https://h.example/x",
    "deno eval 1",
    "npm exec x",
    "npm x y",
    "cmake -P x",
    "bun --eval 1",
    "make --help=x",
    "emacs --eval 1",
    "emacsclient -e 1",
    "emacs --script x",
    "emacs -l x",
    "emacs --load x",
    "emacs -f x",
    "emacs --funcall x",
    "java Main",
    "pwsh -File x",
    "pwsh x",
    "powershell -enc x",
    "awk -f x",
    "gawk -f x",
    "sed -f x",
    "gsed -f x",
    "env bash x.sh",
    "find . -exec sh x.sh \\;",
    "/usr/bin/d/x",
    "/srv/usr/bin/x",
    "/opt/x/bin/y",
  ])("%s", (line) => {
    const facts = readLine(line, { env: {}, posix: true }).invocations.map(readProgram);
    expect(facts.some(({ opaque }) => opaque)).toBe(true);
  });

  test.each([
    "ls",
    "git push",
    "rm -rf x",
    "npm ls",
    "npm view x",
    "npm ci",
    "npm --version",
    "yarn",
    "yarn add x",
    "pnpm install",
    "bun install",
    "cargo --version",
    "cargo fetch",
    "go version",
    "go mod tidy",
    "make --version",
    "python3 --version",
    "node -v",
    "sh -c 'ls'",
    "echo make",
    "kubectl get pods",
    "docker ps",
    "/usr/bin/ls",
    "/bin/rm x",
    "/usr/local/bin/git status",
    "frobnicate x",
    "psql -c 'select 1'",
    "awk '{print}' f",
    "uv sync",
    ...["/sbin", "/usr/sbin", "/opt/homebrew/bin", "/opt/local/sbin", "/snap/bin", "/run/current-system/sw/bin"].map(
      (folder) => `${folder}/x`,
    ),
    "/nix/store/abc/bin/x",
    "/USR/bin/x",
    "'C:\\Windows\\System32\\x.exe'",
    "make -help",
    "make --help",
    "bash",
    "bash --version",
    "yarn workspace",
    "deno fmt",
    "cmake .",
    "emacs -nw",
    "java -version",
    "pwsh",
    "sed s/a/b/ f",
    "mysql x > f",
    "xmysql < f",
    "mysqlx < f",
    "npm view run",
    "cargo xrun",
    ...[
      "cargo",
      "go",
      "uv",
      "pipx",
      "poetry",
      "docker",
      "podman",
      "deno",
      "dotnet",
      "rails",
      "mix",
      "swift",
      "stack",
    ].flatMap((program) => [`${program} xrun`, `${program} testx`, `${program} runx`, `${program} xtest`]),
    ...["cabal", "flutter", "composer", "bundle", "pre-commit", "nix"].flatMap((program) => [
      `${program} xrun`,
      `${program} runx`,
      `${program} xexec`,
      `${program} execx`,
    ]),
  ])("not: %s", (line) => {
    const facts = readLine(line, { env: {}, posix: true }).invocations.map(readProgram);
    expect(facts.map(({ opaque }) => opaque)).not.toContain(true);
  });
});
