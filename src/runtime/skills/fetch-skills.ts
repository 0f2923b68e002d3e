import { join } from "node:path";
import { digestOf, textOf } from "../../config/sources/content.ts";
import { displayUrl } from "../../config/sources/fetch-url.ts";
import { tryReadFile, writePrivateFile } from "../../config/sources/private-file.ts";
import { isLoopbackHost, requestAgent, UnreachableError } from "../../config/sources/send-request.ts";
import type { SourceContext } from "../../config/sources/source-context.ts";
import { ConfigError, errorText, type Help } from "../../lib/errors.ts";
import type { Skill } from "../agent/skill.ts";
import { parseFrontMatter, parseList } from "./front-matter.ts";
import { SKILL_FILE } from "./skill-files.ts";
import { type ListedSkill, readIndex } from "./skill-index.ts";

const SKILLS_NOT_FETCHED: Help = {
  cause: "The server of the skills does not answer, or its index is not valid.",
  cure: "Check the URL; the run goes on without them, or with the copies fetched before.",
};

export interface RemoteSkillOptions extends Pick<SourceContext, "env" | "warn" | "signal"> {
  /** Fetched files are cached in its folder `skills`. */
  cacheDir: string;
  /** True if the agent file is the user's own, so its URLs may point at this machine. */
  isOwn: boolean;
}

const MAX_FILE_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;
const AT_ONCE = 8;

/**
 * Returns the skills published under a URL: `<base>/.well-known/skills/index.json` and the files it lists. Uses the
 * cached copy of files that cannot be fetched, with one warning, and leaves out skills that are not cached. Never
 * throws.
 *
 * The texts are untrusted: their commands do not run, and they choose neither a model nor toolsets.
 */
export async function fetchSkills(base: string, options: RemoteSkillOptions): Promise<Skill[]> {
  const shown = URL.canParse(base) ? displayUrl(new URL(base)) : base;
  try {
    return await new RemoteFolder(base, options).skills();
  } catch (error) {
    options.warn(`skills from ${shown} are left out: ${errorText(error)}`);
    return [];
  }
}

fetchSkills.help = SKILLS_NOT_FETCHED;

function readFrontMatter(text: string): ReadonlyMap<string, string> {
  const { fields } = parseFrontMatter(text);
  if (fields.size === 0) throw new ConfigError(`its ${SKILL_FILE} has no front matter`);
  return fields;
}

/** A published folder and its cached copy. */
class RemoteFolder {
  readonly #url: URL;
  readonly #options: RemoteSkillOptions;
  readonly #cacheFolder: string;
  readonly #signal: AbortSignal;
  /** Why no more files are requested. */
  #failure: string | undefined;
  #usesCache = false;

  constructor(base: string, options: RemoteSkillOptions) {
    if (!URL.canParse(base)) throw new ConfigError("not a URL");
    this.#url = new URL(base);
    this.#url.search = "";
    this.#url.hash = "";
    this.#options = options;
    this.#cacheFolder = join(options.cacheDir, "skills", digestOf(this.#url.href).slice("sha256:".length));
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    this.#signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  }

  async skills(): Promise<Skill[]> {
    const queue = [...(await this.#read("index.json", readIndex))];
    const order = queue.map(({ name }) => name);
    const found = new Map<string, Skill>();
    const missing = new Map<string, string>();
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        try {
          found.set(next.name, await this.#skill(next));
        } catch (error) {
          missing.set(next.name, errorText(error));
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (this.#usesCache) this.#warn(`${this.#failure}; the cached copies are used`);
    const [reason] = missing.values();
    if (reason !== undefined) this.#warn(`left out: ${[...missing.keys()].join(", ")} (${reason})`);
    return order.map((name) => found.get(name)).filter((skill) => skill !== undefined);
  }

  #warn(message: string): void {
    this.#options.warn(`skills from ${displayUrl(this.#url)}: ${message}`);
  }

  async #skill({ name, description, files }: ListedSkill): Promise<Skill> {
    const fields = await this.#read(`${name}/${SKILL_FILE}`, readFrontMatter);
    const others = files.filter((path) => path !== SKILL_FILE);
    for (const path of others) await this.#read(`${name}/${path}`, (text) => text);
    const allowed = (fields.get("allowed-tools") ?? "").trim();
    const fork = { toolsets: [], ...(allowed ? { allowedTools: parseList(allowed) } : {}) };
    return {
      name,
      description,
      text: { kind: "remote", folder: join(this.#cacheFolder, name), source: displayUrl(this.#url) },
      ...(fields.get("context")?.trim() === "fork" ? { fork } : {}),
      files: others.sort(),
    };
  }

  /** Returns a file as published, or else as cached. Throws if there is neither. */
  async #read<T>(path: string, parse: (text: string) => T): Promise<T> {
    const place = join(this.#cacheFolder, path);
    try {
      if (this.#failure !== undefined) throw new UnreachableError(this.#failure);
      const bytes = await this.#download(path);
      const value = parse(textOf(bytes, path)); // before it is cached: an error page must not replace a skill
      writePrivateFile(place, bytes);
      return value;
    } catch (error) {
      const cached = tryReadFile(place);
      if (cached || error instanceof UnreachableError) this.#failure ??= errorText(error);
      if (!cached) throw error;
      this.#usesCache = true;
      return parse(textOf(cached, path));
    }
  }

  async #download(path: string): Promise<Uint8Array> {
    const url = new URL(this.#url);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/.well-known/skills/${path}`;
    const { status, bytes } = await requestAgent(url, {
      headers: { accept: "*/*", "user-agent": "hooksh" },
      limit: MAX_FILE_BYTES,
      what: path,
      allowedHosts: isLoopbackHost(url.hostname) && this.#options.isOwn ? "named" : "public",
      redirects: "anywhere",
      context: {
        env: this.#options.env,
        lookup: () => undefined,
        directories: { data: this.#cacheFolder },
        warn: this.#options.warn,
        signal: this.#signal,
      },
    });
    if (status !== 200) throw new ConfigError(`${url.host}: ${path}: the server answered ${status}`);
    return bytes;
  }
}
