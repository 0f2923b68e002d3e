import { expect, test } from "bun:test";
import { placeOf } from "../../src/facts/place.ts";
import { shellSteps } from "../../src/facts/shell-steps.ts";
import { HOLE } from "../../src/shell/steps/invocation.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const cwd = tempDir({ "node_modules/.bin/tsc": "", "sub/x": "" });
const place = placeOf({ cwd, env: { HOME: "/home/u" } });

/** Effects and hosts of the last step of a line. */
function found(line: string): string {
  const step = shellSteps(line, { place, directory: "", posix: true }).steps.at(-1);
  const hosts = step?.hosts.map(({ host, port }) => (port ? `${host}:${port}` : host).replaceAll(HOLE, "$")) ?? [];
  return [...(step?.effect.values.map(({ text, sure }) => (sure ? text : `${text}?`)) ?? []), ...hosts].join(" ");
}

const ADDED = "packages fetches";
const REMOTE = "remote-code fetches";

test.each([
  ...["npx", "bunx", "bun x", "pnpm dlx", "npm exec", "npm x"].flatMap((runner) => [
    [`${runner} cowsay`, ADDED],
    [`${runner} tsc`, ""],
    [`cd sub && ${runner} tsc`, ""],
    [`cd / && ${runner} tsc`, ADDED],
  ]),
  ...["yarn dlx", "uvx", "pipx run"].map((runner) => [`${runner} tsc`, ADDED]),
  ["npx --no-install cowsay", ""],
  ["npx --no cowsay", ""],
  ["pnpm exec cowsay", ""],
  ["sudo npx cowsay", ADDED],
  ["npx tsc@5", ""],
  ["npx -p tsc x", ""],
  ["npx -p x tsc", ADDED],
  ["npx @o/r", ADDED],
  ["npx ./o/r", ADDED],
  ['npx "$X"', ADDED],
  ['cd "$D" && npx tsc', ADDED],
  ["cd nowhere; npx tsc", ""],
  ...["o/r", "o/r#x", "github:o/r", "gitlab:o/r", "bitbucket:o/r", "file:x", "x.tgz", "X.git#a"].map((source) => [
    `npx ${source}`,
    REMOTE,
  ]),
  ["npx o/r/x", ADDED],
  ["npx https://u:p@G.example:8443/x", `${REMOTE} g.example:8443`],
  ["npx http://g.example/x", `${REMOTE} g.example`],
  ["npx git+ssh://git@g.example/o/r", `${REMOTE} g.example`],
  ["npx git@g.example:o/r", `${REMOTE} g.example`],
  ["npx https://$H/x", `${REMOTE} $`],
  ["npx GIT+https://g.example/x", `${REMOTE} g.example`],
  ["uvx --from git+https://g.example/r x", `${REMOTE} g.example`],
  ["pipx run --spec ./x y", ADDED],
  ["nix run github:o/r", REMOTE],
  ["nix run nixpkgs#x", ""],
  ["nix run .#x", ""],
] as [string, string][])("%s: %s", (line, expected) => {
  expect(found(line)).toBe(expected);
});
