import { valueStart } from "../assignment/start.ts";
import type { Scan } from "../scan.ts";
import { COMMAND_FINDERS, COMMAND_KINDS } from "./commands.ts";
import { findAuthorization, findBasic, findBearer, findCookies, HEADER_KINDS } from "./headers.ts";
import { findKubernetesSecret, KUBERNETES_KIND } from "./kubernetes.ts";
import { NAME_ANCHORS, NAMED_KINDS, findNamed } from "./named.ts";

/** Where a keyword of a generic credential stands, and what to do there. */
export interface GenericFinder {
  text: string;
  find: (scan: Scan, start: number, end: number) => void;
}

const atValue = (find: (scan: Scan, start: number) => void) => (scan: Scan, _start: number, end: number): void => {
  const start = valueStart(scan.text, end);
  if (start !== undefined) find(scan, start);
};

/** The kinds of credential that no vendor has marked. */
export const GENERIC_KINDS: readonly string[] = [...HEADER_KINDS, ...COMMAND_KINDS, ...NAMED_KINDS, KUBERNETES_KIND];

/** What is searched for, in any case, to find them. */
export const GENERIC_FINDERS: readonly GenericFinder[] = [
  { text: "basic", find: findBasic },
  { text: "bearer", find: findBearer },
  { text: "authorization", find: atValue(findAuthorization) },
  { text: "cookie", find: atValue(findCookies) },
  { text: "secret", find: findKubernetesSecret },
  ...COMMAND_FINDERS,
  ...NAME_ANCHORS.map((text) => ({ text, find: findNamed })),
];
