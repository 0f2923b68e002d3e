import { parseImageReference } from "./registry/image-reference.ts";

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
  const image = text.includes("/") ? parseImageReference(text) : undefined;
  const name = image?.repository.split("/").at(-1);
  return name === undefined ? undefined : { name, reference: text, pinned: image?.digest !== undefined };
}
