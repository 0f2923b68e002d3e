import type { Env } from "../lib/env.ts";
import type { TraceContext } from "./context.ts";

/** Decides whether a trace is sent. `parent`: the context that another process passed on. */
export type Sampler = (traceId: string, parent: TraceContext | undefined) => boolean;

/** The samplers of `OTEL_TRACES_SAMPLER`; `parentbased_` before a name keeps the decision of whoever began the trace. */
const SAMPLERS: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => () => true,
  always_off: () => () => false,
  traceidratio: (ratio) => (traceId) => Number.parseInt(traceId.slice(-14), 16) < ratio * 2 ** 56,
};

const PARENT_BASED = "parentbased_";

/**
 * Returns the sampler that `OTEL_TRACES_SAMPLER` names (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/), `parentbased_always_on` by
 * default or if it names none that hooksh has.
 */
export function samplerOf(env: Env, warn: (message: string) => void): Sampler {
  const name = env["OTEL_TRACES_SAMPLER"] || "parentbased_always_on";
  const followsParent = name.startsWith(PARENT_BASED);
  const make = SAMPLERS[followsParent ? name.slice(PARENT_BASED.length) : name];
  if (!make) warn(`OTEL_TRACES_SAMPLER=${name} is not supported: every trace is kept; use ${samplerNames()}`);
  const own = (make ?? (() => () => true))(ratioOf(env["OTEL_TRACES_SAMPLER_ARG"], name, warn));
  if (make && !followsParent) return own;
  return (traceId, parent) => parent?.isSampled ?? own(traceId, parent);
}

function samplerNames(): string {
  return Object.keys(SAMPLERS)
    .flatMap((name) => [name, PARENT_BASED + name])
    .join(", ");
}

function ratioOf(text: string | undefined, sampler: string, warn: (message: string) => void): number {
  if (!text || !sampler.endsWith("traceidratio")) return 1;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  warn(`OTEL_TRACES_SAMPLER_ARG=${text} is not a number from 0 to 1: every trace is kept`);
  return 1;
}
