/** An agent of another file, as `sub_agents` and its like name it. Source: config-and-cli 7.2. */
export interface ExternalReference {
  /** The name it goes by here. */
  name: string;
  /** A URL or an image reference. */
  reference: string;
  /** True when the reference can never come to mean another content. */
  pinned: boolean;
}

const PREFIX = /^([A-Za-z0-9_][A-Za-z0-9_.-]*):(?=[^/\d])/;
const COMPONENT = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/;
const HOST = /^[A-Za-z0-9.-]+(?::\d{1,5})?$/;

/** The reference in a text, or undefined when the text can only name an agent of the same file. */
export function parseExternalReference(text: string): ExternalReference | undefined {
  const whole = parsePlain(text);
  if (whole) return whole;
  const [, name] = PREFIX.exec(text) ?? [];
  const rest = name === undefined ? undefined : parsePlain(text.slice(name.length + 1));
  return rest && name !== undefined ? { ...rest, name } : undefined;
}

function parsePlain(text: string): ExternalReference | undefined {
  if (/^https?:\/\//.test(text)) {
    const file = URL.canParse(text) ? new URL(text).pathname.split("/").at(-1) : undefined;
    return file === undefined ? undefined : { name: file.replace(/\.[^.]*$/, ""), reference: text, pinned: false };
  }
  return text.includes("/") ? parseImage(text) : undefined;
}

/** `[host[:port]/]path[/path][:tag][@digest]` */
function parseImage(text: string): ExternalReference | undefined {
  const [named = "", digest, ...more] = text.split("@");
  if (more.length > 0 || (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest))) return undefined;
  const slash = named.lastIndexOf("/");
  const colon = named.indexOf(":", slash);
  const repository = colon < 0 ? named : named.slice(0, colon);
  if (colon >= 0 && !/^\w[\w.-]{0,127}$/.test(named.slice(colon + 1))) return undefined;
  const parts = repository.split("/");
  const [first = ""] = parts;
  const host = parts.length > 1 && (/[.:]/.test(first) || first === "localhost") && HOST.test(first);
  const path = host ? parts.slice(1) : parts;
  if (path.length === 0 || !path.every((part) => COMPONENT.test(part))) return undefined;
  return { name: path.at(-1) ?? "", reference: text, pinned: digest !== undefined };
}
