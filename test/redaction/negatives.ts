import { createHash } from "node:crypto";
import { ASSIGNED_RULES } from "../../src/redaction/kinds/assigned.ts";
import { SECRET_RULES } from "../../src/redaction/kinds/kinds.ts";
import { isExact, parseSecretPattern } from "../../src/redaction/secret-pattern.ts";
import { randomFrom, textOf } from "./samples.ts";

/** Text that holds no secret and looks as if it did. */
export interface Negative {
  /** The kind of text. */
  family: string;
  text: string;
}

type Random = () => number;

const WORDS =
  `abort accept account action active address after allow api app apply archive array async attempt attribute audit auth
  await backup balance base batch before billing binding block body bool bucket buffer build bundle button byte cache call camera
  cancel card channel characteristic check child chunk class clear client clone close cluster code collection column command commit
  common compare compile complete component config connect console consumer content context control convert cookie copy core count
  create credential current cursor custom data database date debug default delete delivery deploy description design detail device
  dialog digest direct disable display document domain download draft driver drop duration dynamic edit element email enable encode
  encrypt endpoint engine entity entry error event exchange execute export exposure extension external failure feature field file
  filter final find finish fixed flag folder font force form format found frame function gateway generate global graph group guard
  handle hash header health history hook host icon identity image import include index info inner input insert instance integer
  interface internal invoice issue item job json key label language layer layout length level library limit line link list listen load
  local location lock logger login lookup manage manual mapping mark match member memory merge message metadata method metric
  middleware migrate mirror missing mobile mode model module monitor monitoring name native network node notification number object observer
  offset open operation option order organization origin output owner package page panel parameter parent parse partner password path
  pattern payment peer pending permission phase picker pipeline platform plugin point policy pool popup port position preview primary
  print priority private process product profile progress project promise property protocol provider proxy public publish query queue
  quick quota random range rate raw reader record redirect reference refresh region register registry release reload remote remove render
  repeat replace report repository request required reset resource response restore result retry return review role rollback root route
  router rule runner runtime sample scale schedule schema scope screen script search secret section security select sequence serial
  server service session setting setup shared signal signature simple single sink size slot snapshot socket source space spec stack stage
  start state static status step storage store stream strict string struct style subject submit subscription summary support switch sync
  system table target task team template tenant terminal test text theme thread threshold time timeout title token tool topic total trace
  track transaction transfer transform transport tree trigger type unique update upload usage user utility valid value variable vendor
  verify version video view virtual visible visitor volume wait warning watch webhook widget width window worker workflow workspace wrapper
  write zone`.split(/\s+/);

const HEX = "0123456789abcdef";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const pick = (from: readonly string[], random: Random) => from[Math.floor(random() * from.length)] ?? "";
const cap = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
const hex = (length: number, random: Random) => textOf(HEX, length, random);
const bytes = (length: number, random: Random) => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
const uuid = (random: Random) => [8, 4, 4, 4, 12].map((length) => hex(length, random)).join("-");
const sha = (kind: string, random: Random) => createHash(kind).update(bytes(8, random));

/** The styles in which words are joined to names. */
const STYLES: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.map((word, at) => (at === 0 ? word : cap(word))).join(""),
  (words) => words.map(cap).join(""),
  (words) => words.join("_"),
  (words) => words.join("-"),
  (words) => words.join("_").toUpperCase(),
  (words) => words.join(""),
];

/** A name made of words in one style, of at least `least` characters; cut to `most` characters, as names of exactly that length exist. */
function identifier(random: Random, style: number, least: number, most = Infinity): string {
  const words = [pick(WORDS, random)];
  const join = STYLES[style % STYLES.length] ?? STYLES[0];
  for (;;) {
    const name = join?.(words) ?? "";
    if (name.length >= least) return name.slice(0, most);
    words.push(pick(WORDS, random));
  }
}

/** Names that begin as tokens do: the mark of every kind with words behind it, and behind words. */
function marked(random: Random): Negative[] {
  return SECRET_RULES.flatMap((rule) => {
    const parts = parseSecretPattern(rule.pattern);
    const [first, second] = parts;
    if (first?.kind !== "text" || second?.kind !== "slot") return [];
    const mark = first.options[0] ?? "";
    if (!/^[a-z][a-z0-9_-]{1,16}$/i.test(mark) || /^[A-Z0-9]{4}$/.test(mark)) return [];
    // A pattern that is enough alone makes a name of exactly its length a token: those that exist are longer.
    const length = (second.max === Infinity ? second.min + 8 : second.max) + (isExact(rule, parts) ? 15 : 0);
    return STYLES.flatMap((_, style) => {
      const name = mark + identifier(random, style, length, length);
      return [
        { family: `names that begin like ${rule.id}`, text: `const x = c.${name};\n` },
        {
          family: `names that begin like ${rule.id}`,
          text: `call(${pick(WORDS, random)}${name}${cap(pick(WORDS, random))});\n`,
        },
      ];
    });
  });
}

/** Names assigned to names that hold a vendor's word, of the length that the vendor's secret has. */
function assigned(random: Random): Negative[] {
  return ASSIGNED_RULES.flatMap((rule) => {
    const slot = parseSecretPattern(rule.value).find((part) => part.kind === "slot");
    const length = slot?.kind === "slot" ? (slot.max === Infinity ? slot.min + 4 : slot.max) : 20;
    const word = rule.word.toLowerCase().replaceAll(/[ .-]/g, "_");
    return STYLES.map((_, style) => {
      const value = identifier(random, style, length, length);
      const left = pick(
        [`exports.${word}`, `${word}Provider`, `"${word}_api_key"`, word.toUpperCase(), `${word}_token`],
        random,
      );
      return {
        family: `names assigned like ${rule.id}`,
        text: `${left}${pick([" = ", ": ", "="], random)}${value};\n`,
      };
    });
  });
}

/** The vendors' words, less those that are names of credentials themselves. */
const VENDORS = [...new Set(ASSIGNED_RULES.map(({ word }) => word.toLowerCase().replaceAll(/[ .-]/g, "_")))].filter(
  (word) => !/key|secret|token|pass|credential/.test(word),
);

/** A family of harmless texts: its description, and a function that makes one. */
const FAMILIES: readonly [string, (random: Random) => string][] = [
  ["git log", (random) => `commit ${hex(40, random)}\nMerge: ${hex(7, random)} ${hex(7, random)}\n`],
  ["git diff", (random) => `diff --git a/x b/x\nindex ${hex(7, random)}..${hex(7, random)} 100644\n--- a/x\n+++ b/x\n`],
  [
    "digests",
    (random) => `md5 ${hex(32, random)} sha1:${hex(40, random)} sha256:${hex(64, random)} sha512=${hex(128, random)}\n`,
  ],
  [
    "prose about names",
    (random) =>
      `// Waits that are identified as "in a system call", and services that are identified by 'app-${identifier(random, 2, 4)}-7'.\n`,
  ],
  ["digest file", (random) => `${hex(64, random)}  ${identifier(random, 3, 10)}-1.2.3.tar.gz\n`],
  [
    "package-lock.json",
    (random) =>
      `"node_modules/${pick(VENDORS, random)}": {\n  "version": "1.2.3",\n  "resolved": "file:../${pick(VENDORS, random)}-1.2.3.tgz",\n  "integrity": "sha512-${sha("sha512", random).digest("base64")}"\n}\n`,
  ],
  [
    "yarn.lock",
    (random) =>
      `"${pick(VENDORS, random)}@^1.0.0":\n  version "1.2.3"\n  resolved "file:../a.tgz#${hex(40, random)}"\n  integrity sha1-${sha("sha1", random).digest("base64")}\n`,
  ],
  [
    "go.sum",
    (random) =>
      `github.com/${pick(VENDORS, random)}/${identifier(random, 3, 8)} v1.2.3 h1:${sha("sha256", random).digest("base64")}\n`,
  ],
  [
    "go.mod pseudo-version",
    (random) => `require github.com/${pick(VENDORS, random)}/x v0.0.0-20240101000000-${hex(12, random)}\n`,
  ],
  ["Cargo.lock", (random) => `name = "${pick(VENDORS, random)}"\nversion = "1.2.3"\nchecksum = "${hex(64, random)}"\n`],
  [
    "poetry.lock",
    (random) =>
      `name = "${pick(VENDORS, random)}"\nfiles = [\n    {file = "a-1.0-py3-none-any.whl", hash = "sha256:${hex(64, random)}"},\n]\n`,
  ],
  [
    "Podfile.lock",
    (random) =>
      `SPEC CHECKSUMS:\n  ReactNativeCameraKit: ${hex(40, random)}\n  ${cap(pick(VENDORS, random))}: ${hex(40, random)}\n`,
  ],
  ["Gemfile.lock", (random) => `CHECKSUMS\n  ${pick(VENDORS, random)} (1.2.3) sha256=${hex(64, random)}\n`],
  ["pip hashes", (random) => `${pick(VENDORS, random)}==1.2.3 \\\n    --hash=sha256:${hex(64, random)}\n`],
  [
    "image of a container",
    (random) => `image: ${pick(VENDORS, random)}/agent@sha256:${hex(64, random)}\ncontainer: ${hex(12, random)}\n`,
  ],
  [
    "ids",
    (random) =>
      `asana_task_id: ${textOf("123456789", 16, random)}\ndiscord_guild_id = ${textOf("123456789", 18, random)}\n${pick(VENDORS, random)}_user_id: ${textOf("123456789", 10, random)}\n`,
  ],
  [
    "UUIDs",
    (random) =>
      `request ${uuid(random)} trace_id=${hex(32, random)} span=${hex(16, random)} {"id": "${uuid(random)}"}\n`,
  ],
  [
    "ids of databases",
    (random) =>
      `{"_id": {"$oid": "${hex(24, random)}"}, "ulid": "01H${textOf("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23, random)}"}\n`,
  ],
  [
    "names of pods",
    (random) =>
      `pod/${identifier(random, 3, 8)}-${hex(9, random)}-${textOf("bcdfghjklmnpqrstvwxz2456789", 5, random)} 1/1 Running\n`,
  ],
  ["ARN", (random) => `arn:aws:iam::${textOf("123456789", 12, random)}:role/${identifier(random, 1, 20)}\n`],
  ["ETags", (random) => `ETag: "${hex(32, random)}"\nIf-None-Match: W/"${hex(27, random)}"\n`],
  [
    "fingerprints",
    (random) =>
      `SHA256:${sha("sha256", random).digest("base64").slice(0, 43)} ${bytes(20, random)
        .toString("hex")
        .toUpperCase()
        .replaceAll(/..(?=.)/g, "$&:")}\n`,
  ],
  [
    "public keys",
    (random) =>
      `ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB${bytes(270, random).toString("base64")} a@b\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${bytes(32, random).toString("base64").slice(0, 43)} a@b\n`,
  ],
  [
    "certificates",
    (random) =>
      `-----BEGIN CERTIFICATE-----\n${bytes(600, random).toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  ],
  [
    "image as base64",
    (random) => `<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${bytes(900, random).toString("base64")}">\n`,
  ],
  [
    "font as base64",
    (random) =>
      `src:url(data:font/woff2;base64,d09GMgABAAAAA${bytes(900, random).toString("base64")}) format("woff2")\n`,
  ],
  ["base64 in lines", (random) => `${bytes(800, random).toString("base64").replaceAll(/.{76}/g, "$&\n")}\n`],
  ["base64 without padding", (random) => `payload ${bytes(600, random).toString("base64url")}\n`],
  [
    "source map",
    (random) => `{"version":3,"mappings":"${textOf("ABCDEGIKMOQSUWYcegikmoqsuwy,;AAAAAA", 600, random)}"}\n`,
  ],
  [
    "minified code",
    (random) =>
      Array.from(
        { length: 30 },
        () =>
          `${textOf("abcdefghijklmnopqrstuvwxyz", 1, random)}.${identifier(random, 0, 8)}=function(${textOf("etnrio", 1, random)}){return ${textOf("etnrio", 1, random)}.${identifier(random, 0, 12)}}`,
      ).join(","),
  ],
  ["colours", (random) => `color:#${hex(6, random)};background:#${hex(8, random)};fill:#${hex(3, random)}\n`],
  [
    "vector graphics",
    (random) => `<path d="M${Array.from({ length: 60 }, () => (random() * 100).toFixed(3)).join(" ")}z"/>\n`,
  ],
  [
    "names of files",
    (random) =>
      `main.${hex(20, random)}.js chunk-${textOf(`${UPPER}234567`, 8, random)}.mjs /nix/store/${textOf("0123456789abcdfghijklmnpqrsvwxyz", 32, random)}-${identifier(random, 3, 8)}\n`,
  ],
  [
    "paths",
    (random) =>
      `/home/user/src/${Array.from({ length: 6 }, () => identifier(random, 3, 6)).join("/")}/${identifier(random, 2, 12)}.ts:12:3\n`,
  ],
  [
    "addresses of the web",
    (random) =>
      `https://example.com/${Array.from({ length: 4 }, () => identifier(random, 3, 6)).join("/")}?page=2&sort=${identifier(random, 2, 6)}#${identifier(random, 3, 8)}\n`,
  ],
  [
    "numbers",
    (random) =>
      `${textOf("0123456789", 40, random)} 0x${hex(16, random)} ${random() * 1e9} ${textOf("01", 64, random)}\n`,
  ],
  [
    "times",
    (random) =>
      `2024-05-01T10:00:${textOf("012345", 2, random)}.${textOf("0123456789", 9, random)}Z ${textOf("0123456789", 13, random)}\n`,
  ],
  [
    "classes of style sheets",
    (random) =>
      `<div class="css-${textOf("0123456789abcdefghijklmnopqrstuvwxyz", 6, random)} sc-${textOf(UPPER.toLowerCase(), 6, random)} ${identifier(random, 3, 20)}">\n`,
  ],
  [
    "variables",
    (random) =>
      `${pick(VENDORS, random).toUpperCase()}_API_KEY=$${identifier(random, 4, 10)}\n${pick(VENDORS, random)}_token: \${{ secrets.${identifier(random, 4, 10)} }}\n`,
  ],
  [
    "placeholders",
    (random) =>
      `${pick(VENDORS, random).toUpperCase()}_API_KEY=<your-api-key>\n${pick(VENDORS, random)}_secret = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"\n`,
  ],
  [
    "calls for a credential",
    (random) =>
      `const ${pick(VENDORS, random)}Token = await ${identifier(random, 0, 20)}(${identifier(random, 0, 8)});\nself.${pick(VENDORS, random)}_key = config.${identifier(random, 2, 24)}\n`,
  ],
  [
    "declarations",
    (random) =>
      `export type ${cap(pick(VENDORS, random))}Key = ${identifier(random, 1, 32)};\nfunction ${pick(VENDORS, random)}Secret(key: ${identifier(random, 1, 24)}): ${identifier(random, 1, 40)} {}\n`,
  ],
  [
    "tests",
    (random) =>
      `test("${pick(VENDORS, random)} ${identifier(random, 0, 30)}", () => expect(${identifier(random, 0, 20)}).toBe("${identifier(random, 3, 24)}"));\n`,
  ],
  [
    "prose",
    (random) =>
      `The ${pick(VENDORS, random)} ${Array.from({ length: 20 }, () => pick(WORDS, random)).join(" ")}. A token of thanks: secret, key and password.\n`,
  ],
  [
    "translations",
    (random) =>
      `"${pick(VENDORS, random)}.secret.label": "${Array.from({ length: 5 }, () => cap(pick(WORDS, random))).join(" ")}",\n`,
  ],
  [
    "constants",
    (random) => {
      const name = `${pick(VENDORS, random).toUpperCase()}_${identifier(random, 4, 24)}`;
      return `exports.${name}=${name},[${name}]?: ${name}_TYPE;\n`;
    },
  ],
  [
    "vendors inside words",
    (random) =>
      `sumOfExposures=${hex(64, random)} monkey_${pick(["island", "bars", "wrench"], random)}: ${hex(40, random)} trellis: ${hex(32, random)}\n`,
  ],
];

/** Harmless texts of every family: `count` of each, and the names that begin or are assigned like each kind's tokens. */
export function negatives(count: number, seed: number): Negative[] {
  const random = randomFrom(seed);
  return [
    ...FAMILIES.flatMap(([family, write]) => Array.from({ length: count }, () => ({ family, text: write(random) }))),
    ...marked(random),
    ...assigned(random),
  ];
}
