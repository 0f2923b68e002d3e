import { afterEach, expect } from "bun:test";
import { type FakeOpenAI, fakeOpenAI, type Step } from "./fake-openai.ts";

/**
 * Starts scripted model servers that end with each test of the file that calls this; a test fails when a step of its
 * script was not asked for.
 */
export function modelServers(): (...script: Step[]) => FakeOpenAI {
  const servers: FakeOpenAI[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.stop();
      expect(server.left()).toBe(0);
    }
  });
  return (...script) => {
    const server = fakeOpenAI(script);
    servers.push(server);
    return server;
  };
}
