import type { Env } from "../lib/env.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { CERTAIN_MARKS, isGeminiShared, WEAK_MARKS } from "./marks.ts";
import { type DialectName, dialectRow } from "./names.ts";

export interface Recognized {
  /** `hooksh` is hooksh's own protocol. */
  dialect: DialectName | "hooksh";
  /** True if no other host sends such a payload; false if the host is only the likeliest of several that copy each other. */
  certain: boolean;
  /** Another host that could have sent it. The answer may then use only what both take. */
  also?: DialectName;
}

/**
 * Hosts that copy Claude Code closely enough for their variables to outweigh a weak rule. The others leave a mark in
 * each payload, so there their variables only say that one agent's shell started another.
 */
const OVERRULING: readonly DialectName[] = ["droid", "qwen", "gemini", "codex"];

/**
 * Recognises the host that sent a payload; undefined if nothing in it tells. Variables of the environment decide between
 * hosts that copy Claude Code closely. Pure, and looks at no more than names and short values. See
 * docs/agents/README.md#how-the-agent-is-recognised.
 */
export function recognize(payload: Payload, env: Env): Recognized | undefined {
  const certain = CERTAIN_MARKS.find(({ fits }) => fits(payload));
  if (certain) return { dialect: certain.dialect, certain: true };
  const weak = WEAK_MARKS.find(({ fits }) => fits(payload));
  if (weak === undefined) return undefined;
  const named = hostsOfEnvironment(env).find(
    (dialect) => OVERRULING.includes(dialect) && (dialect !== "gemini" || isGeminiShared(payload)),
  );
  if (named !== undefined && named !== weak.dialect) return { dialect: named, certain: false, also: weak.dialect };
  const { dialect, also } = weak;
  return also === undefined ? { dialect, certain: false } : { dialect, certain: false, also };
}

/**
 * Returns another host than `dialect` that could have sent the payload, the likeliest first: agents read each other's
 * configuration, their variables reach each other's hooks, and a project may have a name that looks like a mark.
 */
export function lookalike(payload: Payload, dialect: DialectName, env: Env): DialectName | undefined {
  const marked = recognize(payload, env);
  const weak = () => WEAK_MARKS.find(({ dialect: name, fits }) => name !== dialect && fits(payload))?.dialect;
  const like = marked?.dialect === dialect ? (marked.also ?? (marked.certain ? undefined : weak())) : marked?.dialect;
  return like === "hooksh" ? undefined : like;
}

/** Returns the host that environment variables name, for a payload that is unreadable or has no marks. */
export function hostOfEnvironment(env: Env): DialectName | undefined {
  return hostsOfEnvironment(env)[0];
}

/** The most specific variables first, because several hosts also export those of Claude Code. */
const VARIABLE_ORDER: readonly DialectName[] = [
  "cursor",
  "agy",
  "droid",
  "qwen",
  "gemini",
  "grok",
  "crush",
  "openhands",
  "codex",
  "claude",
];

function hostsOfEnvironment(env: Env): DialectName[] {
  return VARIABLE_ORDER.filter((dialect) =>
    dialectRow(dialect).variables?.some((together) =>
      together.every((variable) => {
        const [name = "", value] = variable.split("=");
        return value === undefined ? env[name] : env[name] === value;
      }),
    ),
  );
}
