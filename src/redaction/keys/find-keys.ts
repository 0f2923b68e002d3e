import type { Scan } from "../scan.ts";
import { FORMAT_IDS, findEncodedKey, findJwk, findPutty, findXmlKey } from "./formats.ts";
import { FRAME_ANCHORS, findFramedKey, KEY_IDS } from "./frames.ts";

/** The kinds of private keys. */
export const KEY_KINDS: readonly string[] = [...Object.values(KEY_IDS), ...Object.values(FORMAT_IDS)];

/** The texts that announce a private key, each with its finder. */
export const KEY_FINDERS: readonly { text: string; find: (scan: Scan, start: number, end: number) => void }[] = [
  ...FRAME_ANCHORS.map((text) => ({ text, find: findFramedKey })),
  { text: "Private-Lines:", find: findPutty },
  { text: "LS0tLS1CRUdJTi", find: findEncodedKey },
  { text: "LS0tLSBCRUdJTi", find: findEncodedKey },
  { text: "kty", find: findJwk },
  { text: "RSAKeyValue", find: findXmlKey },
  { text: "DSAKeyValue", find: findXmlKey },
  { text: "RSAParameters", find: findXmlKey },
];
