import { expect, test } from "bun:test";
import { join } from "node:path";
import { currentTarget } from "../../src/facts/current-target.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const context = (name: string) => `apiVersion: v1\nkind: Config\ncurrent-context: ${name}\ncontexts: []\n`;

test("the context of kubectl and helm", () => {
  const home = tempDir({ ".kube/config": context("prod-eu"), empty: 'current-context: ""\n', other: context('"dev"') });
  const place = { cwd: home, home, env: {} };
  expect(["kubectl", "helm"].map((program) => currentTarget(program, place))).toEqual(["prod-eu", "prod-eu"]);
  const env = { KUBECONFIG: `missing:empty:${join(home, "other")}` };
  expect(currentTarget("kubectl", { ...place, env })).toBe("dev");
});

test.each([[""], ["current-context: [a]\n"], ["current-context: 'a\n"], ["# current-context: a\n"]])(
  "no context in %j",
  (text) => {
    const home = tempDir({ ".kube/config": text });
    expect(currentTarget("kubectl", { cwd: home, home, env: {} })).toBeUndefined();
  },
);

test("the profile of aws", () => {
  const place = { cwd: "/", home: "/nowhere" };
  expect(currentTarget("aws", { ...place, env: { AWS_PROFILE: "prod", AWS_DEFAULT_PROFILE: "dev" } })).toBe("prod");
  expect(currentTarget("aws", { ...place, env: { AWS_DEFAULT_PROFILE: "dev" } })).toBe("dev");
  expect(currentTarget("aws", { ...place, env: {} })).toBeUndefined();
});

test("the workspace of terraform", () => {
  const cwd = tempDir({ ".terraform/environment": "prod\n", "data/environment": "test" });
  const place = { cwd, home: "/nowhere" };
  expect(currentTarget("terraform", { ...place, env: {} })).toBe("prod");
  expect(currentTarget("tofu", { ...place, env: { TF_DATA_DIR: "data" } })).toBe("test");
  expect(currentTarget("terraform", { ...place, env: { TF_WORKSPACE: "dev" } })).toBe("dev");
  expect(currentTarget("terraform", { ...place, cwd: tempDir(), env: {} })).toBeUndefined();
});

test("a program without such settings has none", () => {
  expect(currentTarget("toString", { cwd: "/", home: "/nowhere", env: {} })).toBeUndefined();
  expect(currentTarget("git", { cwd: "/", home: "/nowhere", env: {} })).toBeUndefined();
});
