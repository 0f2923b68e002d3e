import { isDigest } from "../content.ts";
import { isLoopbackHost } from "../send-request.ts";

export interface ImageReference {
  /** The name of the registry: `index.docker.io`, `localhost:5000`. */
  registry: string;
  /** The repository's name in the registry: `library/x` for the name `x` on Docker Hub. */
  repository: string;
  tag: string;
  digest?: string;
}

const DOCKER_HUB = "index.docker.io";
const COMPONENT = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[::1\])(?::\d{1,5})?$/;
const TAG = /^\w[\w.-]{0,127}$/;

/** The maximum length of a reference. Names in a registry have at most half of it. */
const MAX_LENGTH = 512;

/** Parses `[registry[:port]/]repository[:tag][@sha256:...]`. Returns undefined for any other text. */
export function parseImageReference(text: string): ImageReference | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [named = "", digest, ...more] = text.split("@");
  if (more.length > 0 || (digest !== undefined && !isDigest(digest))) return undefined;
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  const tag = colon < 0 ? "latest" : named.slice(colon + 1);
  const parts = (colon < 0 ? named : named.slice(0, colon)).split("/");
  const [first = ""] = parts;
  const hasHost = parts.length > 1 && (/[.:]/.test(first) || first === "localhost") && HOST.test(first);
  const path = hasHost ? parts.slice(1) : parts;
  if (!TAG.test(tag) || path.length === 0 || !path.every((part) => COMPONENT.test(part))) return undefined;
  const registry = hasHost && first !== "docker.io" && first !== "registry-1.docker.io" ? first : DOCKER_HUB;
  const repository = registry === DOCKER_HUB && path.length === 1 ? `library/${path[0]}` : path.join("/");
  return { registry, repository, tag, ...(digest === undefined ? {} : { digest }) };
}

/** Returns the key of a reference in the store. It contains the registry, so that registries never share a key. */
export function storeKey({ registry, repository, tag }: ImageReference): string {
  return `${registry}/${repository}:${tag}`;
}

/** Returns the address of the registry's API: https, except for a registry on this machine. */
export function apiAddress({ registry }: ImageReference): URL {
  if (registry === DOCKER_HUB) return new URL("https://registry-1.docker.io");
  const scheme = isLoopbackHost(registry.replace(/:\d+$/, "")) ? "http" : "https";
  return new URL(`${scheme}://${registry}`);
}

/** Returns the names under which Docker stores credentials for the registry. */
export function credentialNames({ registry }: ImageReference): string[] {
  return registry === DOCKER_HUB
    ? ["https://index.docker.io/v1/", DOCKER_HUB, "docker.io"]
    : [registry, `https://${registry}`];
}
