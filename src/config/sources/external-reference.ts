import { parseImageReference } from "./registry/image-reference.ts";

/** A reference to an agent of another file, from `sub_agents`, `handoffs` or `force_handoff`. */
export interface ExternalReference {
  /** The name of the agent in this file. */
  name: string;
  /** A URL or an image reference. */
  reference: string;
  /** True if the reference has a digest, so that its content cannot change. */
  pinned: boolean;
}

const PREFIX = /^([A-Za-z0-9_][A-Za-z0-9_.-]*):(?=[^/\d])/;

/** Parses `[name:]REFERENCE`. Returns undefined if the text can only name an agent of the same file. */
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
  const image = text.includes("/") ? parseImageReference(text) : undefined;
  const name = image?.repository.split("/").at(-1);
  return name === undefined ? undefined : { name, reference: text, pinned: image?.digest !== undefined };
}
