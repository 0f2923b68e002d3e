import { describe, expect, test } from "bun:test";
import {
  backoff,
  type ChainOptions,
  createModelChain,
  type FallbackNotice,
  type WaitNotice,
} from "../../../src/model/calls/chain.ts";
import type { Message } from "../../../src/model/messages/message.ts";
import { type Model, ModelError, type Reply } from "../../../src/model/model.ts";
import { ask, rejection } from "../loopback.ts";

const REPLY: Reply = { blocks: [{ type: "text", text: "ok" }], finishReason: "stop" };
const failure = (status: number, more: object = {}) =>
  new ModelError(`HTTP ${status}`, { status, retryable: status >= 500, ...more });
const limited = (more: object = {}) => failure(429, { code: "rate_limited", ...more });
/** A provider that limits the rate or is overloaded. */
const busy = (retryAfterMs?: number) => limited({ isBusy: true, retryAfterMs });
const overloaded = (status = 529) => failure(status, { isBusy: true });

/** Pauses in milliseconds. Timers end in the order of their times, however busy the machine is. */
const PAUSES = [35, 55, 70, 75, 175];

/** A model that plays its script and repeats the last entry. `calls` holds the longest of PAUSES before each call. */
function scripted(id: string, ...script: (Reply | Error)[]): Model & { calls: number[] } {
  const calls: number[] = [];
  let since = { pause: 0 };
  return {
    id,
    provider: "p",
    contextLimit: 0,
    calls,
    async stream(_request, onDelta) {
      const step = script[Math.min(calls.length, script.length - 1)];
      calls.push(since.pause);
      const current = { pause: 0 };
      for (const pause of PAUSES) setTimeout(() => (current.pause = pause), pause);
      since = current;
      onDelta({ kind: "text", text: "half" });
      if (step instanceof Error || step === undefined) throw step;
      return step;
    },
  };
}

const chain = (options: ChainOptions = {}) => createModelChain({ backoffMs: 1, ...options });
const listener = { onDelta: () => {} };

test("a server error is retried with growing pauses", async () => {
  const model = scripted("p/a", failure(500), failure(500), REPLY);
  expect(await chain({ backoffMs: 40 }).call(model, ask(), listener)).toEqual({ reply: REPLY, model });
  expect(model.calls[1]).toBeGreaterThanOrEqual(35);
  expect(model.calls[2]).toBeGreaterThanOrEqual(70);
});

test.each([
  [undefined, 3],
  [0, 3],
  [1, 2],
  [-1, 1],
])("with retries %p there are %i attempts", async (retries, attempts) => {
  const model = scripted("p/a", failure(503));
  const error = await rejection(chain({ retries }).call(model, ask(), listener));
  expect(error).toMatchObject({ message: "model failed: HTTP 503", status: 503 });
  expect(model.calls).toHaveLength(attempts);
});

test("a failure that would repeat is not retried", async () => {
  for (const error of [failure(401), limited()]) {
    const model = scripted("p/a", error);
    expect(await rejection(chain().call(model, ask(), listener))).toMatchObject({
      status: error.status,
      code: error.code,
    });
    expect(model.calls).toHaveLength(1);
  }
});

test("the pause is at least the delay that the provider asked for", async () => {
  const model = scripted("p/a", failure(503, { retryAfterMs: 80 }), REPLY);
  await chain().call(model, ask(), listener);
  expect(model.calls[1]).toBeGreaterThanOrEqual(75);
});

describe("after every model has failed, the chain waits for a busy one", () => {
  const patient = (options: ChainOptions = {}) => chain({ firstWaitMs: 4, ...options });
  const noting = () => {
    const waits: WaitNotice[] = [];
    return { waits, ...listener, onWait: (notice: WaitNotice) => waits.push(notice) };
  };

  test("for the delay that it asked for, and reports the wait", async () => {
    const model = scripted("p/a", busy(60), busy(60), REPLY);
    const heard = noting();
    expect(await patient().call(model, ask(), heard)).toEqual({ reply: REPLY, model });
    expect(model.calls[1]).toBeGreaterThanOrEqual(55);
    expect(heard.waits).toMatchObject([
      { model: "p/a", reason: "HTTP 429", status: 429, waited_ms: 0, max_wait_ms: 300_000 },
      { model: "p/a", waited_ms: heard.waits[0]?.wait_ms },
    ]);
    for (const { wait_ms } of heard.waits) expect(wait_ms).toBeGreaterThanOrEqual(60);
  });

  test("longer each time if it gives no delay", async () => {
    const model = scripted("p/a", busy(), busy(), busy(), REPLY);
    const heard = noting();
    await patient({ firstWaitMs: 20 }).call(model, ask(), heard);
    const [first = 0, second = 0, third = 0] = heard.waits.map(({ wait_ms }) => wait_ms);
    expect([first >= 18, second >= 36, third >= 72]).toEqual([true, true, true]);
  });

  test("longer each time even if the delay it gives is too short", async () => {
    const model = scripted("p/a", busy(0), busy(0), busy(0), busy(0), REPLY);
    const heard = noting();
    await patient({ firstWaitMs: 40 }).call(model, ask(), heard);
    expect(heard.waits[3]?.wait_ms).toBeGreaterThanOrEqual(80);
  });

  test("if it is overloaded, after its retries, which happen only once", async () => {
    const model = scripted("p/a", overloaded(), overloaded(), overloaded(), overloaded(503), REPLY);
    const heard = noting();
    await patient().call(model, ask(), heard);
    expect([model.calls.length, heard.waits.length]).toEqual([5, 2]);
  });

  test("but only after trying the fallbacks", async () => {
    const primary = scripted("p/a", busy(5), REPLY);
    const fallback = scripted("p/b", REPLY);
    const heard = noting();
    expect((await patient({ fallbacks: [fallback] }).call(primary, ask(), heard)).model).toBe(fallback);
    expect([primary.calls.length, heard.waits.length]).toEqual([1, 0]);
  });

  test("that is ready first, and calls only busy ones again", async () => {
    const primary = scripted("p/a", busy(5000));
    const broken = scripted("p/b", failure(401));
    const other = scripted("p/c", busy(5), REPLY);
    const heard = noting();
    const notices: FallbackNotice[] = [];
    const subject = patient({ fallbacks: [broken, other] });
    const answer = await subject.call(primary, ask(), { ...heard, onFallback: (notice) => notices.push(notice) });
    expect(answer.model).toBe(other);
    expect(heard.waits).toMatchObject([{ model: "p/c" }]);
    expect([primary, broken, other].map(({ calls }) => calls.length)).toEqual([2, 1, 2]);
    expect(notices.map(({ failed_model, fallback_model }) => [failed_model, fallback_model])).toEqual([
      ["p/a", "p/b"],
      ["p/b", "p/c"],
      ["p/c", "p/a"],
      ["p/a", "p/c"],
    ]);
    for (const { attempt, max_attempts } of notices) expect(attempt).toBeLessThanOrEqual(max_attempts);
  });

  test("that failed with a long delay, without retrying it before", async () => {
    const primary = scripted("p/a", failure(500, { isBusy: true, retryAfterMs: 3000 }));
    const fallback = scripted("p/b", REPLY);
    expect((await patient({ fallbacks: [fallback] }).call(primary, ask(), listener)).model).toBe(fallback);
    expect(primary.calls).toHaveLength(1);
  });

  test("but not if its delay exceeds the limit, and the error names the delay", async () => {
    const model = scripted("p/a", busy(3_600_000));
    expect(await rejection(patient().call(model, ask(), listener))).toMatchObject({
      code: "rate_limited",
      message:
        "model failed: HTTP 429 (the provider asks to wait 60 min, and hooksh waits at most 2 min; " +
        "try again later, raise fallback.max_wait, or name other models in fallback.models)",
    });
    expect(model.calls).toHaveLength(1);
  });

  test("but not longer than the limit of the call in total", async () => {
    const model = scripted("p/a", busy(30));
    const error = await rejection(patient({ maxWaitMs: 100 }).call(model, ask(), listener));
    expect(Object(error).message).toMatch(
      /^model failed: HTTP 429 \(hooksh has waited 1 s for it and waits at most 1 s; /,
    );
    expect(model.calls.length).toBeGreaterThanOrEqual(2);
    expect(model.calls.length).toBeLessThanOrEqual(4);
  });

  test("but not longer than the limit if it gives no delay", async () => {
    const model = scripted("p/a", busy(), REPLY);
    const heard = noting();
    await patient({ maxWaitMs: 10, firstWaitMs: 1000 }).call(model, ask(), heard);
    expect(heard.waits).toMatchObject([{ wait_ms: 10 }]);
  });

  test("even if the delay it gives is exactly the limit, or the limit is a millisecond", async () => {
    const options = { firstWaitMs: 0, skipsWaits: true };
    const hinted = scripted("p/a", busy(5000), REPLY);
    await patient({ ...options, maxWaitMs: 5000 }).call(hinted, ask(), listener);
    expect(hinted.calls).toHaveLength(2);
    const unhinted = scripted("p/a", busy(), REPLY);
    await patient({ ...options, maxWaitMs: 1, retries: -1 }).call(unhinted, ask(), listener);
    expect(unhinted.calls).toHaveLength(2);
  });

  test("but not with a limit of 0", async () => {
    const model = scripted("p/a", busy(5), REPLY);
    expect(await rejection(patient({ maxWaitMs: 0 }).call(model, ask(), listener))).toMatchObject({
      message: "model failed: HTTP 429",
    });
    expect(model.calls).toHaveLength(1);
  });

  test("but not if its quota is used up, and the error says so", async () => {
    const model = scripted("p/a", limited(), REPLY);
    expect(await rejection(patient().call(model, ask(), listener))).toMatchObject({
      message: expect.stringMatching(/^model failed: HTTP 429 \(waiting does not help: .*quota/),
    });
  });

  test("until an abort, which rejects with its reason", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const model = scripted("p/a", busy(60_000));
    const onWait = () => controller.abort(reason);
    expect(await rejection(patient().call(model, ask({ signal: controller.signal }), { ...listener, onWait }))).toBe(
      reason,
    );
    expect(model.calls).toHaveLength(1);
  });
});

test("the next model takes over, and the switch is reported", async () => {
  const primary = scripted("p/a", failure(500));
  const second = scripted("p/b", limited());
  const third = scripted("p/c", REPLY);
  const notices: FallbackNotice[] = [];
  const restarts: string[] = [];
  const answer = await chain({ retries: 1, fallbacks: [second, third] }).call(primary, ask(), {
    ...listener,
    onFallback: (notice) => notices.push(notice),
    onRestart: (model) => restarts.push(model.id),
  });
  expect(answer.model).toBe(third);
  expect(notices).toEqual([
    { failed_model: "p/a", fallback_model: "p/b", reason: "HTTP 500", attempt: 3, max_attempts: 6 },
    { failed_model: "p/b", fallback_model: "p/c", reason: "HTTP 429", attempt: 4, max_attempts: 6 },
  ]);
  expect(restarts).toEqual(["p/a", "p/b", "p/c"]);
});

test("if no model answers, the error names every model", async () => {
  const fallback = scripted("p/b", limited());
  expect(
    await rejection(chain({ fallbacks: [fallback] }).call(scripted("p/a", failure(404)), ask(), listener)),
  ).toMatchObject({
    message: expect.stringMatching(/^all models failed: p\/a: HTTP 404; p\/b: HTTP 429 \(waiting does not help/),
    code: "rate_limited",
  });
});

test("a conversation that is too long is not sent to other models, and the error says what to do", async () => {
  const fallback = scripted("p/b", REPLY);
  const error = await rejection(
    chain({ fallbacks: [fallback] }).call(scripted("p/a", failure(400, { code: "context_exceeded" })), ask(), listener),
  );
  expect(error).toMatchObject({
    code: "context_exceeded",
    message: expect.stringMatching(/^model failed: HTTP 400 \(.*\/compact/),
  });
  expect(fallback.calls).toEqual([]);
});

test("the fallback for a model with a failed key stays first until the cooldown ends", async () => {
  const callsAfter = async (cooldownMs: number) => {
    const primary = scripted("p/a", failure(401));
    const fallback = scripted("p/b", REPLY);
    const subject = chain({ fallbacks: [fallback], cooldownMs });
    await subject.call(primary, ask(), listener);
    await Bun.sleep(5);
    await subject.call(primary, ask(), listener);
    return [primary.calls.length, fallback.calls.length];
  };
  expect(await callsAfter(3_600_000)).toEqual([1, 2]);
  expect(await callsAfter(1)).toEqual([2, 2]);
});

test("during the cooldown the primary is tried if its fallback fails", async () => {
  const primary = scripted("p/a", failure(401), REPLY);
  const fallback = scripted("p/b", REPLY, failure(401));
  const subject = chain({ fallbacks: [fallback] });
  await subject.call(primary, ask(), listener);
  expect((await subject.call(primary, ask(), listener)).model).toBe(primary);
});

test("after a retryable failure the primary is tried first again", async () => {
  const primary = scripted("p/a", failure(500));
  const subject = chain({ retries: -1, fallbacks: [scripted("p/b", REPLY)] });
  await subject.call(primary, ask(), listener);
  await subject.call(primary, ask(), listener);
  expect(primary.calls).toHaveLength(2);
});

test("an abort ends a pause between retries at once, with its reason", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const model = scripted("p/a", failure(500));
  const call = chain({ backoffMs: 2000 }).call(model, ask({ signal: controller.signal }), listener);
  await Bun.sleep(20); // by now the pause has started
  controller.abort(reason);
  expect(await rejection(call)).toBe(reason);
  expect(model.calls).toHaveLength(1);
});

test("an error that is not a ModelError is not retried and is thrown unchanged", async () => {
  const bug = new TypeError("x is not a function");
  const model = scripted("p/a", bug);
  expect(await rejection(chain({ fallbacks: [scripted("p/b", REPLY)] }).call(model, ask(), listener))).toBe(bug);
});

test("a refused file is reported to the caller at once, if the request holds one", async () => {
  const image: Message = {
    role: "user",
    blocks: [{ type: "image", source: { kind: "url", url: "https://example.com/a.png" } }],
  };
  const refused = () => failure(500, { blamesMedia: true });
  const [first, fallback] = [scripted("p/a", refused()), scripted("p/b", REPLY)];
  const error = await rejection(
    chain({ fallbacks: [fallback] }).call(first, { ...ask(), messages: [image] }, listener),
  );
  expect(error).toMatchObject({ blamesMedia: true, providerMessage: "HTTP 500" });
  expect([first.calls.length, fallback.calls.length]).toEqual([1, 0]);
  expect((await chain({ fallbacks: [fallback] }).call(scripted("p/a", refused()), ask(), listener)).model).toBe(
    fallback,
  );
});

test("a wait varies around its nominal length, never below nine tenths and never far above it", async () => {
  const waits = async (...script: Error[]) => {
    const seen: number[] = [];
    const onWait = ({ wait_ms }: WaitNotice) => void seen.push(wait_ms);
    const subject = chain({ retries: -1, firstWaitMs: 1000, skipsWaits: true, maxWaitMs: 3_600_000 });
    await subject.call(scripted("p/a", ...script, REPLY as never), ask(), { ...listener, onWait });
    return seen;
  };
  for (let n = 0; n < 20; n++) {
    const [first = 0, second = 0, third = 0] = await waits(busy(), busy(), busy());
    expect(first).toBeWithin(900, 1101);
    expect(second).toBeWithin(1800, 2201);
    expect(third).toBeWithin(3600, 4401);
    // What the provider asked for, and a quarter of the blind wait at least; a tenth of the first wait on top.
    const [asked = 0, tooShort = 0, still = 0] = await waits(busy(5000), busy(10), busy(10));
    expect(asked).toBeWithin(5000, 5102);
    expect(tooShort).toBeWithin(500, 602);
    expect(still).toBeWithin(1000, 1102);
  }
});

test("a replay reports waits and makes none", async () => {
  const waited: number[] = [];
  const subject = chain({ retries: -1, firstWaitMs: 3_600_000, maxWaitMs: 36_000_000, skipsWaits: true });
  await subject.call(scripted("p/a", busy(), REPLY as never), ask(), {
    ...listener,
    onWait: ({ wait_ms }) => void waited.push(wait_ms),
  });
  expect(waited).toHaveLength(1);
});

test("an abort before a call, or during it, is thrown in place of the model's error", async () => {
  const before = scripted("p/a", REPLY);
  const reason = new Error("enough");
  expect(await rejection(chain().call(before, ask({ signal: AbortSignal.abort(reason) }), listener))).toBe(reason);
  expect(before.calls).toEqual([]);

  const controller = new AbortController();
  const during: Model = {
    ...scripted("p/b"),
    stream: async () => {
      controller.abort(reason);
      throw failure(401);
    },
  };
  expect(await rejection(chain().call(during, ask({ signal: controller.signal }), listener))).toBe(reason);
});

test("a fallback that failed during its cooldown is not asked twice in one call", async () => {
  const fallback = scripted("p/b", REPLY, failure(401));
  const subject = chain({ retries: -1, fallbacks: [fallback], cooldownMs: 3_600_000 });
  const primary = scripted("p/a", failure(401));
  await subject.call(primary, ask(), listener);
  await rejection(subject.call(primary, ask(), listener));
  expect([primary.calls.length, fallback.calls.length]).toEqual([2, 2]);
});

test.each([
  ["request_too_large" as const, "compact the conversation or send less"],
  ["media_too_large" as const, "send a smaller one"],
])("%s says what to do", async (code, remedy) => {
  const error = await rejection(chain().call(scripted("p/a", failure(413, { code })), ask(), listener));
  expect(Object(error).message).toContain(remedy);
});

test.each([
  [0, 200, undefined, 180, 220],
  [1, 200, undefined, 360, 440],
  [2, 200, undefined, 720, 880],
  [9, 200, undefined, 1800, 2200],
  [0, 200, 900, 900, 900],
  [0, 0, undefined, 0, 0],
])("before retry %i, with a first pause of %i ms and a delay of %p ms, the pause is %i to %i ms", (...row) => {
  const [retry, first, retryAfterMs, least, most] = row;
  const pauses = Array.from({ length: 50 }, () => backoff(retry, first, retryAfterMs));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(least);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(most);
});

test("without a setting, the pause before a retry is a fifth of a second, give or take a tenth", async () => {
  const model = scripted("p/a", failure(500), REPLY);
  await createModelChain().call(model, ask(), listener);
  expect(model.calls[1]).toBeGreaterThanOrEqual(175);
});

test("a delay of up to two seconds is waited for before a retry, in place of a fallback", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const fallback = scripted("p/b", REPLY);
  const primary = scripted("p/a", failure(503, { retryAfterMs: 2000 }));
  const call = chain({ fallbacks: [fallback] }).call(primary, ask({ signal: controller.signal }), listener);
  await Bun.sleep(20); // a fallback would have answered by now
  controller.abort(reason);
  expect(await rejection(call)).toBe(reason);
  expect(fallback.calls).toEqual([]);
});

test("the final error has the details of the last failure", async () => {
  const details = { code: "rate_limited", retryable: true, isBusy: true, retryAfterMs: 3_600_000 } as const;
  const last = failure(529, details);
  const error = await rejection(chain({ retries: -1 }).call(scripted("p/a", last), ask(), listener));
  expect(error).toMatchObject({ ...details, status: 529, providerMessage: "HTTP 529", cause: last });
});
