import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addressedPages } from "../../scripts/docs.ts";
import { ADDRESSED, releasesPage, repositoryAddress, withAddress, withReleases } from "../../scripts/repository.ts";

const root = join(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const ADDRESS = "https://github.com/octo/agent-hooks";
const GLOBS = ["*.md", "action.yml", "Dockerfile", "docs/**/*.md", "scripts/*.sh", "examples/**/*.{md,yaml,ts,sh}"];
const files = GLOBS.flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)]);

test("no page and no script has a placeholder for the repository's address", () => {
  expect(files.length).toBeGreaterThan(60);
  expect(files.filter((path) => /OWNER\/REPOSITORY/.test(read(path)))).toEqual([]);
});

test("every page with a place for the address is filled in by scripts/docs.ts", () => {
  const marked = files.filter((path) => path.endsWith(".md") && read(path).includes("<!-- address: "));
  expect(marked.sort()).toEqual([...ADDRESSED].sort());
});

test("one value in package.json completes the install lines, the action and the installer", () => {
  const filled = addressedPages(ADDRESS);
  for (const path of ["README.md", "docs/tour.md", "docs/install.md", "docs/ci.md"])
    expect([path, filled[path]]).toEqual([
      path,
      expect.stringContaining(`curl -fsSLO ${ADDRESS}/releases/latest/download/install.sh\n`),
    ]);
  for (const path of ADDRESSED) expect(filled[path]).not.toContain("There is no release yet");
  expect(filled["CONTRIBUTING.md"]).toContain(`git clone ${ADDRESS} hooksh`);
  expect(filled["docs/install.md"]).toContain("uses: octo/agent-hooks@v");
  expect(filled["scripts/install.sh"]).toContain(`\ndefault_base_url=${ADDRESS}/releases\n`);
});

test("until it is set, the pages say how to build, and the address can be taken back", () => {
  for (const path of ADDRESSED) {
    const without = withAddress(read(path), undefined);
    expect(without).not.toMatch(/latest\/download|github\.com\/octo/);
    expect(withAddress(withAddress(without, ADDRESS), undefined)).toBe(without);
  }
  for (const path of ["README.md", "docs/tour.md", "docs/install.md", "docs/ci.md"])
    expect(withAddress(read(path), undefined)).toContain("npm run build");
  const installer = withReleases(read("scripts/install.sh"), releasesPage(ADDRESS));
  expect(withReleases(installer, undefined)).toContain("\ndefault_base_url=\n");
});

test("the value is github:owner/name, and anything else an error", () => {
  expect(repositoryAddress({})).toBeUndefined();
  expect(repositoryAddress({ repository: "github:octo/agent-hooks" })).toBe(ADDRESS);
  for (const repository of ["octo/agent-hooks", "", ADDRESS, { url: ADDRESS }])
    expect(() => repositoryAddress({ repository })).toThrow("repository must be github:OWNER/NAME");
  expect(() => withAddress("<!-- address: nowhere -->\n<!-- end -->", undefined)).toThrow("no such place");
});

test("the README is short, and names the commands that show hooksh and that test it", () => {
  for (const address of [undefined, ADDRESS]) {
    const words = withAddress(read("README.md"), address).split(/\s+/).filter(Boolean);
    expect(words.length).toBeLessThan(900);
  }
  for (const script of ["demo", "check"]) expect(read("README.md")).toContain(`npm run ${script}`);
  const [, picture = ""] = /!\[[^\]]*\]\(([^)]+)\)/.exec(read("README.md")) ?? [];
  expect([picture, existsSync(join(root, picture))]).toEqual(["docs/images/terminal-blocked.png", true]);
});
