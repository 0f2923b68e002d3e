import { expect, test } from "bun:test";
import { processEnv } from "../../../src/lib/env.ts";
import { textOf } from "../../../src/model/messages/message.ts";
import { endSession, startSession, submitMessage } from "../../../src/runtime/conversation/session-lifecycle.ts";
import { createSession, messagesOf } from "../../../src/runtime/session/session.ts";
import { createRuntime } from "../../../src/runtime/stream/runtime.ts";
import { fakeOpenAI, type Step } from "../../helpers/fake-openai.ts";
import { assembled } from "../team/assembled.ts";

/** An answer that starts and then falls silent. */
const silent: Step = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        const delta = { choices: [{ index: 0, delta: { content: "half an " } }] };
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(delta)}\n\n`));
      },
    }),
    { headers: { "content-type": "text/event-stream" } },
  );

/** One message to an agent whose model may be silent for 200 ms. */
async function say(script: Step[]) {
  const server = fakeOpenAI(script);
  const { team, directory } = await assembled(
    {},
    {
      idleTimeoutMs: 200,
      file: { providers: { fake: { base_url: server.url } } },
    },
  );
  const runtime = createRuntime({ team: team.team, frontEnd: { report: () => {} }, env: processEnv() });
  const session = createSession(directory);
  const { signal } = new AbortController();
  await startSession(runtime, session, "startup", signal);
  const ended = await submitMessage(runtime, session, "hi", signal);
  await endSession(runtime, session, "other");
  server.stop();
  return { ended, left: server.left(), texts: messagesOf(session).map(({ message }) => textOf(message)) };
}

test("a model that falls silent is called again, and nothing of the silent answer is kept", async () => {
  const { ended, left, texts } = await say([silent, { text: "whole" }]);
  expect([ended, left, texts]).toEqual([{ reason: "normal" }, 0, ["hi", "whole"]]);
});

test("a model that stays silent ends the run with an error", async () => {
  const { ended, left, texts } = await say([silent, silent, silent]);
  expect(ended).toMatchObject({ reason: "error", error: { code: "model_error" } });
  expect([left, texts]).toEqual([0, ["hi"]]);
});
