import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { createSession } from "../../../src/runtime/session/session.ts";
import { expectLinear } from "../../helpers/growth.ts";
import { begin, say } from "./begin-store.ts";

describe("a stored session", () => {
  test("loads in time proportional to its messages, and the next message alone is written", async () => {
    await expectLinear(4000, (count) => {
      const { path, append } = begin();
      const session = createSession("/work");
      append(session, ...Array.from({ length: count }, (_, n) => say(`${n} ${"x".repeat(2000)}`)));
      const next = begin({ path });
      const written = () => statSync(`${path}-wal`).size;
      const before = written();
      next.append(next.store.load("-1") ?? session, say("next"));
      expect(written() - before).toBeLessThan(100_000);
      return () => expect(next.store.load("-1")?.items).toHaveLength(count + 1);
    });
  });
});
