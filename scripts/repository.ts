/**
 * The address of the repository, on pages and in the installer. `repository` in package.json is the only place to set
 * it (`github:owner/name`); `scripts/docs.ts` writes it wherever `<!-- address: NAME -->` stands. As long as it is not
 * set there is no release, and the pages say how to build hooksh.
 */
import manifest from "../package.json" with { type: "json" };

/** The pages with a place for the address. */
export const ADDRESSED = ["README.md", "CONTRIBUTING.md", "docs/tour.md", "docs/install.md", "docs/ci.md"] as const;

/** Returns `https://github.com/owner/name`; undefined while it is not set. Throws for any other form. */
export function repositoryAddress(from: Readonly<Record<string, unknown>> = manifest): string | undefined {
  const { repository } = from;
  if (repository === undefined) return undefined;
  const [, name] = (typeof repository === "string" && /^github:([\w-]+\/[\w.-]+)$/.exec(repository)) || [];
  if (name === undefined) throw new Error(`package.json: repository must be github:OWNER/NAME, not ${repository}`);
  return `https://github.com/${name}`;
}

/** Returns the page that holds the releases of a repository. */
export function releasesPage(address: string): string {
  return `${address}/releases`;
}

/** Returns a page with what stands at each place for the address. Throws for a place that it does not know. */
export function withAddress(page: string, address: string | undefined): string {
  return page.replace(PLACE, (_all, begin: string, name: string, end: string) => {
    const place = PLACES[name];
    if (!place) throw new Error(`no such place for the address: ${name}`);
    return begin + (address === undefined ? place.unpublished : place.published(address)) + end;
  });
}

/** Returns the installer with the releases page that it takes by default; undefined leaves it to the user. */
export function withReleases(installer: string, releases: string | undefined): string {
  return installer.replace(/^default_base_url=.*$/m, () => `default_base_url=${releases ?? ""}`);
}

const PLACE = /(<!-- address: (\w+) -->\n)[^]*?(<!-- end -->)/g;

const SKIP_INSTALL =
  "<!-- test: skip because it installs from the network; test/release tests the installer against a server on this machine -->";
const SKIP_BUILD = "<!-- test: skip because it builds for a minute -->";

interface Place {
  published: (address: string) => string;
  /** What works without a release. */
  unpublished: string;
}

const installer = (address: string) => `curl -fsSLO ${releasesPage(address)}/latest/download/install.sh`;

const PLACES: Readonly<Record<string, Place>> = {
  install: {
    published: (address) => `${SKIP_INSTALL}
\`\`\`sh
${installer(address)}
sh install.sh                                # into ~/.local/bin
\`\`\`
`,
    unpublished: `There is no release yet: build it, in a clone.

${SKIP_BUILD}
\`\`\`sh
npm run build                                # or: bun run build
mkdir -p ~/.local/bin && cp dist/hooksh ~/.local/bin
\`\`\`
`,
  },
  clone: {
    published: (address) => `\`\`\`console
$ git clone ${address} hooksh && cd hooksh
$ npm run check         # or: bun run check
\`\`\`
`,
    unpublished: `\`\`\`console
$ git clone <this repository> hooksh && cd hooksh
$ npm run check         # or: bun run check
\`\`\`
`,
  },
  pipeline: {
    published: (address) => `\`\`\`sh
# ci/install-hooksh.sh
set -eu
${installer(address)}
HOOKSH_INSTALL_DIR=$1 sh install.sh
\`\`\`
`,
    unpublished: `There is no release yet, so it builds hooksh, and needs git and Node.js with npm. \`HOOKSH_REPOSITORY\`, a variable of your pipeline, is
the address from which you cloned hooksh:

\`\`\`sh
# ci/install-hooksh.sh
set -eu
source=$(mktemp -d)
git clone --depth 1 "$HOOKSH_REPOSITORY" "$source"
(cd "$source" && npm run build)
mkdir -p "$1" && cp "$source/dist/hooksh" "$1"
\`\`\`
`,
  },
  action: {
    published: (address) => `\`\`\`yaml
# .github/workflows/review.yml
name: review
on: pull_request
permissions:
  contents: read
  pull-requests: write
jobs:
  review:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 2   # the merge commit and its parents, for git diff
          persist-credentials: false
      - uses: ${address.replace("https://github.com/", "")}@v${manifest.version}
        with:
          agent: .github/reviewer.yaml
          message: Review the changes that git diff HEAD^1 shows.
          args: |
            --safety
            balanced
        env:
          OPENAI_API_KEY: \${{ secrets.OPENAI_API_KEY }}
          GITHUB_TOKEN: \${{ github.token }}
\`\`\`
`,
    unpublished: `The action installs a release. Until there is one, use [a workflow that builds hooksh](ci.md#github-actions).
`,
  },
};
