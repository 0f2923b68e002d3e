/**
 * Sends a run to a real collector: start one, such as `otelcol` with the receiver `otlp` and the exporter `debug`, and name
 * its address: `HOOKSH_TEST_OTLP_ENDPOINT=http://127.0.0.1:4318 bun test test/trace/collector.test.ts`.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { spansIn } from "./otlp-receiver.ts";

const endpoint = process.env["HOOKSH_TEST_OTLP_ENDPOINT"] ?? "";
const serve = modelServers();

test.skipIf(endpoint === "").each(["http/protobuf", "http/json"])(
  "a collector accepts a run over %s",
  async (protocol) => {
    const denied = { name: "shell", arguments: { cmd: "rm x" } };
    const server = serve({ calls: [denied] }, { text: "ok" });
    const hooks = {
      pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }],
    };
    const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks }) });
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "SPAN_ONLY",
    };
    const { code, stderr } = await hooksh(["run", "agent.yaml", "--yolo", "--trace", "trace.jsonl", "go"], {
      cwd,
      env,
    });
    expect(code).toBe(0);
    expect(stderr).not.toContain("the trace is not sent");
    console.log(`${spansIn(join(cwd, "trace.jsonl")).length} spans sent over ${protocol}`);
  },
);
