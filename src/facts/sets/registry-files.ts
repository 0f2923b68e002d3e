import { once } from "../../lib/once.ts";

/** Where a package manager says which hosts it takes packages from. */
export interface RegistrySource {
  /** Paths in the project and the working directory. The last part may be a pattern. */
  inProject?: readonly string[];
  /** Paths in the home directory. */
  inHome?: readonly string[];
  /** Absolute paths. The last part may be a pattern. */
  system?: readonly string[];
  /** Variables that hold the path of such a file. */
  fileVariables?: readonly string[];
  /** The first group of each match is a URL or a host. */
  finds: RegExp;
}

/** Schemes are short, so that a long text without a URL is read once. */
const URL = String.raw`["']?((?:[a-z]{1,12}\+)?[a-z]{1,12}:\/\/[^\s"'<>,;)\]}]+)`;
/** `KEY = "URL"`, `KEY: URL`, `"KEY": "URL"`. */
const keyed = (keys: string) =>
  new RegExp(String.raw`(?:^|[\s{,[])["']?(?:${keys})["']?\s*[:=]\s*(?:[[(]\s*)?${URL}`, "gm");

/** Lock files and configuration files. Of lock files only what says where a package came from, not its home page. */
export const registrySources = once((): readonly RegistrySource[] => [
  // npm, pnpm, yarn, bun, deno
  { inProject: ["package-lock.json", "npm-shrinkwrap.json"], finds: keyed("resolved") },
  {
    inProject: ["yarn.lock"],
    finds: new RegExp(String.raw`^[ \t]+resolved\s+${URL}|(?<=__archiveUrl=)(https?%3A%2F%2F[^"&\s]+)`, "gm"),
  },
  { inProject: ["pnpm-lock.yaml"], finds: keyed("tarball|registry|repo") },
  { inProject: ["bun.lock", "bun.lockb", "deno.lock"], finds: new RegExp(URL, "g") },
  {
    inProject: [".npmrc"],
    inHome: [".npmrc", ".config/pnpm/rc", "Library/Preferences/pnpm/rc"],
    system: ["/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"],
    fileVariables: [
      "NPM_CONFIG_USERCONFIG",
      "npm_config_userconfig",
      "NPM_CONFIG_GLOBALCONFIG",
      "npm_config_globalconfig",
    ],
    finds: new RegExp(String.raw`^[ \t]*(?:@[^:\s]+:)?registry\s*=\s*${URL}`, "gm"),
  },
  {
    inProject: [".yarnrc"],
    inHome: [".yarnrc"],
    finds: new RegExp(String.raw`^[ \t]*"?(?:@[^:\s]+:)?registry"?\s+${URL}`, "gm"),
  },
  { inProject: [".yarnrc.yml"], inHome: [".yarnrc.yml"], finds: keyed("npmRegistryServer|npmPublishRegistry") },
  {
    inProject: ["bunfig.toml"],
    inHome: [".bunfig.toml", ".config/.bunfig.toml"],
    finds: keyed(String.raw`registry|url|@?[\w-]{1,64}`),
  },
  // pip, uv, poetry, pdm, pipenv, conda
  {
    inProject: ["poetry.lock", "Pipfile.lock", "pdm.lock", "uv.lock", "conda-lock.yml"],
    finds: keyed("url|registry|git"),
  },
  {
    inHome: [".pip/pip.conf", ".config/pip/pip.conf", "Library/Application Support/pip/pip.conf", "pip/pip.ini"],
    system: ["/etc/pip.conf", "/etc/xdg/pip/pip.conf"],
    fileVariables: ["PIP_CONFIG_FILE"],
    finds: new RegExp(`${keyed("(?:extra-)?index-url|find-links|index").source}|^[ \\t]+${URL}`, "gm"),
  },
  {
    inProject: ["uv.toml"],
    inHome: [".config/uv/uv.toml"],
    system: ["/etc/uv/uv.toml", "/etc/xdg/uv/uv.toml"],
    fileVariables: ["UV_CONFIG_FILE"],
    finds: keyed("url|index-url|default-index|extra-index-url|find-links"),
  },
  {
    inProject: ["pyproject.toml"],
    finds: new RegExp(
      String.raw`(?<=\[\[tool\.(?:uv\.index|poetry\.source|pdm\.source)\]\][^[]{0,2000}?\burl\s*=\s*)${URL}|\b(?:index-url|extra-index-url|default-index)\s*=\s*\[?\s*${URL}`,
      "g",
    ),
  },
  // cargo
  { inProject: ["Cargo.lock"], finds: keyed("source") },
  {
    inProject: [".cargo/config.toml", ".cargo/config"],
    inHome: [".cargo/config.toml", ".cargo/config"],
    finds: keyed("registry|index|replace-with|git"),
  },
  // go
  {
    inHome: [".config/go/env", "Library/Application Support/go/env"],
    system: [
      "/usr/local/go/go.env",
      "/usr/lib/go/go.env",
      "/usr/lib/go-*/go.env",
      "/usr/share/go*/go.env",
      "/opt/homebrew/opt/go/libexec/go.env",
    ],
    fileVariables: ["GOENV"],
    finds: /^[ \t]*(?:GOPROXY|GOSUMDB)\s*=\s*(.+)$/gm,
  },
  // gem, bundler
  { inProject: ["Gemfile.lock", "gems.locked"], finds: keyed("remote") },
  {
    inHome: [".gemrc", ".config/gem/gemrc"],
    system: ["/etc/gemrc"],
    fileVariables: ["GEMRC"],
    finds: new RegExp(String.raw`^[ \t]*-\s*${URL}|--(?:source|clear-sources\s+--source)[\s=]+${URL}`, "gm"),
  },
  {
    inProject: [".bundle/config"],
    inHome: [".bundle/config"],
    fileVariables: ["BUNDLE_USER_CONFIG"],
    finds: new RegExp(
      String.raw`^[ \t]*BUNDLE_[A-Z]*MIRROR\S*:\s+${URL}|^[ \t]*BUNDLE_MIRROR__((?:HTTPS?:\/\/)?[\w./-]+?)\/?:`,
      "gm",
    ),
  },
  // maven, gradle
  {
    inProject: [".mvn/settings.xml"],
    inHome: [".m2/settings.xml"],
    system: ["/etc/maven/settings.xml", "/usr/share/maven/conf/settings.xml"],
    finds: /<url>\s*([^<\s]+)\s*<\/url>/g,
  },
  {
    inProject: [
      "build.gradle",
      "build.gradle.kts",
      "settings.gradle",
      "settings.gradle.kts",
      "gradle/wrapper/gradle-wrapper.properties",
    ],
    inHome: [".gradle/init.gradle", ".gradle/init.gradle.kts", ".gradle/init.d/*.gradle", ".gradle/init.d/*.kts"],
    finds:
      /(?:\burl\b[ \t]{0,8}=?[ \t]{0,8}(?:uri\(|URI\()?|\bsetUrl\(|\bmaven\(|\bdistributionUrl=)\s*["']?(https?\\?:\/\/[^\s"')]+)/g,
  },
  // composer
  {
    inProject: ["composer.lock"],
    finds: /"(?:dist|source)"\s*:\s*\{[^{}]{0,1000}?"url"\s*:\s*"([^"]+)"/g,
  },
  {
    inProject: ["composer.json"],
    inHome: [".config/composer/config.json", ".composer/config.json", ".composer/auth.json"],
    finds:
      /"type"\s*:\s*"(?:composer|vcs|git|github|gitlab|package|artifact)"\s*,\s*"url"\s*:\s*"([^"]+)"|"url"\s*:\s*"([^"]+)"\s*,\s*"type"/g,
  },
  // pub, terraform, nix, docker
  { inProject: ["pubspec.lock"], finds: keyed("url") },
  { inProject: [".terraform.lock.hcl"], finds: /^[ \t]*provider\s+"([\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?::\d+)?)\//gm },
  { inHome: [".docker/config.json"], finds: /"((?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/v\d\/?)?)"\s*:\s*\{/g },
  {
    system: ["/etc/docker/daemon.json"],
    inHome: [".config/docker/daemon.json", ".docker/daemon.json"],
    finds: /"((?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+(?::\d+)?\/?)"\s*[,\]]/g,
  },
  // apt, apk
  {
    system: ["/etc/apt/sources.list", "/etc/apt/sources.list.d/*.list", "/etc/apt/sources.list.d/*.sources"],
    finds: new RegExp(String.raw`^[ \t]*(?:deb(?:-src)?\s+(?:\[[^\]\n]*\]\s+)?|URIs:\s*)${URL}`, "gm"),
  },
  { system: ["/etc/apk/repositories"], finds: new RegExp(String.raw`^[ \t]*(?:@\S+\s+)?${URL}`, "gm") },
]);

/** Variables with URLs of registries; some hold several. Names are compared in upper case, with `_` for other characters. */
export const REGISTRY_VARIABLES =
  /^(?:NPM_CONFIG_(?:.*_)?REGISTRY|YARN_(?:NPM_)?REGISTRY(?:_SERVER)?|PNPM_REGISTRY|BUN_CONFIG_REGISTRY|PIP_(?:EXTRA_)?INDEX_URL|PIP_FIND_LINKS|PIP_INDEX|PIPENV_PYPI_MIRROR|UV_(?:DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS)|CARGO_REGISTRIES_.*_INDEX|CARGO_SOURCE_.*_REGISTRY|GOPROXY|GOSUMDB|BUNDLE_.*MIRROR.*|RUBYGEMS_HOST|GEM_SOURCE|COMPOSER_REPO_PACKAGIST)$/;
