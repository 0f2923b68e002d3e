import { valueStart } from "../assignment/start.ts";
import type { Scan } from "../scan.ts";
import { COMMAND_FINDERS, COMMAND_KINDS } from "./commands.ts";
import { findAuthorization, findBasic, findBearer, findCookies, HEADER_KINDS } from "./headers.ts";
import { findKubernetesSecret, KUBERNETES_KIND } from "./kubernetes.ts";
import { findNamed, NAME_ANCHORS, NAMED_KINDS } from "./named.ts";
import { PLACE_FINDERS, PLACE_KINDS } from "./places.ts";

/** A text that announces a generic credential, and its finder. */
export interface GenericFinder {
  text: string;
  find: (scan: Scan, start: number, end: number) => void;
}

const atValue =
  (find: (scan: Scan, start: number) => void) =>
  (scan: Scan, _start: number, end: number): void => {
    const start = valueStart(scan.text, end);
    if (start !== undefined) find(scan, start);
  };

/** The kinds of credential without a vendor's mark. */
export const GENERIC_KINDS: readonly string[] = [
  ...HEADER_KINDS,
  ...COMMAND_KINDS,
  ...NAMED_KINDS,
  ...PLACE_KINDS,
  KUBERNETES_KIND,
];

/** The finders of generic credentials. Their texts match in any case. */
export const GENERIC_FINDERS: readonly GenericFinder[] = [
  { text: "basic", find: findBasic },
  { text: "bearer", find: findBearer },
  { text: "authorization", find: atValue(findAuthorization) },
  { text: "cookie", find: atValue(findCookies) },
  { text: "secret", find: findKubernetesSecret },
  ...COMMAND_FINDERS,
  ...PLACE_FINDERS,
  ...NAME_ANCHORS.map((text) => ({ text, find: findNamed })),
];
