import { expect, test } from "bun:test";
import { join } from "node:path";
import { registryHosts } from "../../../src/facts/sets/registries.ts";
import { expectLinear } from "../../helpers/growth.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { placeIn } from "./fits-in.ts";

/** The registries under `.example` that a project with these files has. Those of the machine are not among them. */
function hostsOf(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): string[] {
  return registryHosts(placeIn(tempDir(files), { env }))
    .filter((host) => host.endsWith(".example"))
    .sort();
}

const TARBALL = "https://a.example/x.tgz";

test.each([
  [
    "package-lock.json",
    JSON.stringify({
      packages: {
        "node_modules/x": { resolved: TARBALL, funding: { url: "https://no.example/" } },
        "node_modules/y": { resolved: "git+ssh://git@b.example/o/r.git#1" },
      },
    }),
    ["a.example", "b.example"],
  ],
  ["yarn.lock", 'x@^1:\n  version "1"\n  resolved "https://a.example/x.tgz#1"\n', ["a.example"]],
  [
    "pnpm-lock.yaml",
    "packages:\n  x:\n    resolution: {integrity: a, tarball: https://a.example/x.tgz}\n",
    ["a.example"],
  ],
  ["bun.lock", '{"packages":{"x":["x@1","https://a.example/x.tgz",{},"sha"]}}', ["a.example"]],
  [
    ".npmrc",
    "registry=https://a.example/\n@o:registry = https://b.example/npm/\n//c.example/:_authToken=x\n",
    ["a.example", "b.example"],
  ],
  [".home/.npmrc", "registry=https://a.example/\n", ["a.example"]],
  [".yarnrc.yml", 'npmScopes:\n  o:\n    npmRegistryServer: "https://a.example"\n', ["a.example"]],
  [".yarnrc", 'registry "https://a.example/"\n', ["a.example"]],
  [
    "bunfig.toml",
    '[install]\nregistry = "https://a.example/"\n[install.scopes]\nb = { url = "https://b.example/" }\n',
    ["a.example", "b.example"],
  ],
  ["poetry.lock", '[package.source]\ntype = "legacy"\nurl = "https://a.example/simple"\n', ["a.example"]],
  [
    "uv.lock",
    'source = { registry = "https://a.example/simple" }\nwheels = [{ url = "https://b.example/x.whl" }]\n',
    ["a.example", "b.example"],
  ],
  ["Pipfile.lock", '{"_meta":{"sources":[{"name":"p","url":"https://a.example/simple"}]}}', ["a.example"]],
  [
    ".home/.config/pip/pip.conf",
    "[global]\nindex-url = https://a.example/simple\nextra-index-url =\n  https://b.example/s\n  https://c.example/s\n",
    ["a.example", "b.example", "c.example"],
  ],
  [
    "pyproject.toml",
    '[project]\nurls = { Home = "https://no.example" }\n[[tool.uv.index]]\nname = "x"\nurl = "https://a.example/s"\n',
    ["a.example"],
  ],
  [".home/.config/uv/uv.toml", '[[index]]\nurl = "https://a.example/s"\n', ["a.example"]],
  ["Cargo.lock", '[[package]]\nsource = "registry+https://a.example/index"\n', ["a.example"]],
  [".cargo/config.toml", '[registries.x]\nindex = "sparse+https://a.example/index/"\n', ["a.example"]],
  [
    ".home/.config/go/env",
    "GOPROXY=https://a.example,https://b.example|direct\nGOSUMDB=sum.c.example\n",
    ["a.example", "b.example", "sum.c.example"],
  ],
  ["Gemfile.lock", "GEM\n  remote: https://a.example/\n  specs:\n", ["a.example"]],
  [".home/.gemrc", ":sources:\n- https://a.example/\n", ["a.example"]],
  [".bundle/config", 'BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: "https://a.example/"\n', ["a.example"]],
  [".home/.m2/settings.xml", "<mirror><url>https://a.example/m2</url></mirror>", ["a.example"]],
  ["build.gradle", 'repositories { maven { url "https://a.example/m2" } }', ["a.example"]],
  ["settings.gradle.kts", 'maven { url = uri("https://a.example/m2") }', ["a.example"]],
  ["gradle/wrapper/gradle-wrapper.properties", "distributionUrl=https\\://a.example/gradle.zip\n", ["a.example"]],
  [
    "composer.lock",
    '{"packages":[{"homepage":"https://no.example","source":{"type":"git","url":"https://a.example/r.git"},"dist":{"type":"zip","url":"https://b.example/r.zip"}}]}',
    ["a.example", "b.example"],
  ],
  [
    "composer.json",
    '{"homepage":"https://no.example","repositories":[{"type":"composer","url":"https:\\/\\/a.example"}]}',
    ["a.example"],
  ],
  ["pubspec.lock", '    url: "https://a.example"\n', ["a.example"]],
  [".terraform.lock.hcl", 'provider "registry.a.example/hashicorp/aws" {\n', ["registry.a.example"]],
  [
    ".home/.docker/config.json",
    '{"auths":{"a.example":{},"https://b.example/v1/":{"auth":"x"}}}',
    ["a.example", "b.example"],
  ],
  ["README.md", "https://no.example/", []],
])("%s", (file, text, hosts) => {
  expect(hostsOf({ [file]: text })).toEqual([...hosts]);
});

test.each([
  ["NPM_CONFIG_REGISTRY", "https://a.example/"],
  ["npm_config_registry", "https://a.example/"],
  ["PIP_INDEX_URL", "https://u:p@a.example/simple"],
  ["UV_INDEX", "x=https://a.example/simple"],
  ["GOPROXY", "https://a.example,direct"],
  ["CARGO_REGISTRIES_X_INDEX", "sparse+https://a.example/"],
])("the variable %s", (name, value) => {
  expect(hostsOf({}, { [name]: value })).toEqual(["a.example"]);
});

test("a variable that names the file", () => {
  const cwd = tempDir({ "pip.conf": "index-url=https://a.example/s" });
  const place = placeIn(cwd, { env: { PIP_CONFIG_FILE: join(cwd, "pip.conf") } });
  expect(registryHosts(place)).toContain("a.example");
});

test.each([
  ["yarn.lock", " "],
  ["bun.lock", "a"],
  ["pyproject.toml", "url "],
  ["build.gradle", "url "],
  [".terraform.lock.hcl", 'provider "a.'],
  ["composer.lock", '"dist":{'],
  ["poetry.lock", "url = "],
  [".npmrc", "\n"],
])("the time for %s of %j is linear", async (file, part) => {
  await expectLinear(20_000, (size) => {
    const place = placeIn(tempDir({ [file]: part.repeat(size) }));
    return () => registryHosts(place);
  });
});
