import { isBareWord } from "../../facts/sets/set-names.ts";
import { either, glob, type Language, whole } from "./language.ts";
import { Undecidable } from "./undecidable.ts";

const OCTET = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const ADDRESS = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/;

/** The hosts that a pattern or set covers. Throws {@link Undecidable} for one that proofs do not know. */
export function hostLanguage(pattern: string, own: Readonly<Record<string, readonly string[]>>): Language {
  const listed = Object.hasOwn(own, pattern) ? own[pattern] : undefined;
  if (listed) return either(listed.map((one) => hostLanguage(one, {})));
  const network = ADDRESS.exec(pattern);
  if (network) return networkOf(network.slice(1, 5).map(Number), Number(network[5]));
  if (isBareWord(pattern) || /[:/]/.test(pattern)) throw new Undecidable();
  return glob(pattern, { fold: true });
}

function networkOf(octets: readonly number[], bits: number): Language {
  const parts = octets.map((octet, index) => {
    const open = 8 - Math.min(8, Math.max(0, bits - index * 8));
    if (open === 8) return OCTET;
    const first = (octet >> open) << open;
    const values = Array.from({ length: 2 ** open }, (_, step) => first + step);
    return values.length === 1 ? `${first}` : `(?:${values.join("|")})`;
  });
  return whole(parts.join("\\."));
}
