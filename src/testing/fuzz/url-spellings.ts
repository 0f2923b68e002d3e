import { type Dice, pick } from "./dice.ts";
import { type Keeps, type Spelling, splice } from "./spelling.ts";

/** Other spellings of a URL, by the URL Standard (https://url.spec.whatwg.org/). */
export const URL_SPELLINGS: readonly Spelling[] = [
  part("case of the host", "url", /(?<=:\/\/)[^/?#]+/, (host) => host.toUpperCase()),
  part("case of the scheme", "url", /^[a-z]+(?=:)/, (scheme) => scheme.toUpperCase()),
  part(
    "default port",
    "url",
    /^https?:\/\/[^/?#:@[]+(?=[/?#]|$)/,
    (text) => `${text}:${text.startsWith("https") ? 443 : 80}`,
  ),
  part("dot segment", "url", /(?<=:\/\/[^/?#]+)\//, (_text, dice) => pick(dice, ["/./", "/x/../", "/%2e/"]) ?? "/"),
  part(
    "several slashes",
    "url",
    /(?<=^https?:)\/\//,
    (_text, dice) => pick(dice, ["///", "////", "\\\\", "/\\"]) ?? "//",
  ),
  part("percent encoding of the host", "url", /(?<=:\/\/)[a-z]/, (char) => `%${char.charCodeAt(0).toString(16)}`),
  part("full-width host", "url", /(?<=:\/\/)[a-z]/, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  part("line break inside", "url", /(?<=:\/\/[^/?#]{2})/, (_text, dice) => pick(dice, ["\t", "\n", "\r"]) ?? "\n"),
  part("blanks around", "url", /^[^]*$/, (text) => ` ${text} `),
  {
    name: "number of the address",
    keeps: "url",
    respell: (url, dice) => {
      const found = /(?<=:\/\/)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?=[:/?#]|$)/.exec(url);
      if (!found) return undefined;
      const bytes = found.slice(1).map(Number);
      const whole = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
      const octal = bytes.map((byte) => `0${byte.toString(8)}`).join(".");
      const short = `${bytes[0]}.${bytes[1]}.${(bytes[2] ?? 0) * 256 + (bytes[3] ?? 0)}`;
      const host = pick(dice, [String(whole), `0x${whole.toString(16)}`, octal, short]) ?? found[0];
      return splice(url, found.index, found.index + found[0].length, host);
    },
  },
  part(
    "user in front of the host",
    "machine",
    /(?<=:\/\/)(?=[^@]*$)/,
    (_text, dice) => pick(dice, ["x@", "github.com@", "a:b@"]) ?? "",
  ),
  part("dot behind the host", "machine", /(?<=:\/\/[^/?#:]+[a-z])(?=[/?#:]|$)/, () => "."),
  part("fragment", "machine", /(?<=^[^#]*)$/, (_text, dice) => pick(dice, ["#", "#x", "#/../"]) ?? "#"),
  part("query", "machine", /(?<=^[^#?]*)$/, (_text, dice) => pick(dice, ["?", "?x=1"]) ?? "?"),
];

function part(name: string, keeps: Keeps, where: RegExp, make: (text: string, dice: Dice) => string): Spelling {
  return {
    name,
    keeps,
    respell: (url, dice) => {
      const found = /^[a-z][a-z\d+.-]*:/i.test(url) ? where.exec(url) : null;
      if (!found) return undefined;
      const made = splice(url, found.index, found.index + found[0].length, make(found[0], dice));
      return made === url ? undefined : made;
    },
  };
}
