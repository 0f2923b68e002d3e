import { describe, expect, test } from "bun:test";
import Ajv from "ajv/dist/2020.js";
import { auditJsonSchema } from "../../src/audit/audit-json-schema.ts";
import { type AuditEntry, NO_LINE } from "../../src/audit/entry.ts";
import { parseEntry } from "../../src/audit/parse-entry.ts";
import { painter } from "../../src/cli/paint.ts";
import { renderEntry } from "../../src/records/audit/audit-text.ts";
import { CSV } from "../../src/records/audit/csv.ts";
import { OCSF } from "../../src/records/audit/ocsf.ts";

const ENTRY: AuditEntry = {
  v: 1,
  time: "2026-11-23T01:10:23.123Z",
  prev: NO_LINE,
  source: "dispatch",
  session: "s1",
  agent: "root",
  host: "claude",
  host_event: "PreToolUse",
  event: "pre_tool_use",
  tool: "shell",
  call: "c1",
  cwd: "/home/you/project",
  input: NO_LINE,
  enforced: NO_LINE,
  hooks: [
    {
      name: "guard.sh",
      source: "/home/you/hooks.yaml: hooks.pre_tool_use[0].hooks[0]",
      type: "command",
      stage: "concurrent",
      outcome: "blocked",
      ms: 12.3,
      timeout_s: 60,
      exit_code: 2,
      decision: "deny",
      message: "use a new branch",
    },
    { name: "slow", source: "x", type: "model", stage: "concurrent", outcome: "timed_out", ms: 1 },
    {
      name: "new",
      source: "x",
      type: "builtin",
      stage: "rewrite",
      outcome: "silent",
      ms: 1,
      mode: "observe",
      would: "ask",
    },
  ],
  decision: "deny",
  reason: "use a new branch",
  approval_source: "pre_tool_use_hook_deny",
  ms: 14,
  trace_id: "0".repeat(31).concat("1"),
  payload: { a: 1 },
  payload_cut: 70000,
};

const line = (entry: AuditEntry) => ({ entry, text: JSON.stringify(entry) });

describe("the JSON Schema of a line", () => {
  const validate = new Ajv({ strict: true, allErrors: true }).compile(auditJsonSchema());

  test("accepts an entry with every field, and the same fields without the optional ones", () => {
    expect(validate(ENTRY)).toBe(true);
    const { v, time, prev, source, session, event, decision, ms } = ENTRY;
    expect(validate({ v, time, prev, source, session, event, hooks: [], decision, ms })).toBe(true);
  });

  test.each(Object.keys(ENTRY))("agrees with the reader about a wrong %s", (field) => {
    const wrong = { ...ENTRY, [field]: field === "payload" ? [] : { x: 1 } };
    expect(validate(wrong)).toBe(false);
    expect(typeof parseEntry(JSON.stringify(wrong))).toBe("string");
  });

  test.each(Object.keys(ENTRY.hooks[0] ?? {}))("agrees with the reader about a wrong %s of a hook", (field) => {
    const wrong = { ...ENTRY, hooks: [{ ...ENTRY.hooks[0], [field]: [] }] };
    expect(validate(wrong)).toBe(false);
    expect(typeof parseEntry(JSON.stringify(wrong))).toBe("string");
  });
});

describe("OCSF", () => {
  /** Of the class API Activity 1.6.0 with the profile Security Control: what must be there, with its type. */
  const RULES = {
    type: "object",
    required: [
      "activity_id",
      "actor",
      "api",
      "category_uid",
      "class_uid",
      "metadata",
      "severity_id",
      "src_endpoint",
      "time",
      "type_uid",
    ],
    properties: {
      activity_id: { const: 99 },
      activity_name: { type: "string", minLength: 1 },
      category_uid: { const: 6 },
      class_uid: { const: 6003 },
      type_uid: { const: 600399 },
      severity_id: { enum: [0, 1, 2, 3, 4, 5, 6, 99] },
      time: { type: "integer", minimum: 1e12 },
      duration: { type: "integer" },
      action_id: { enum: [0, 1, 2] },
      disposition_id: { enum: [...Array.from({ length: 28 }, (_, id) => id), 99] },
      is_alert: { type: "boolean" },
      message: { type: "string" },
      actor: {
        type: "object",
        minProperties: 1,
        properties: { app_name: { type: "string" }, session: { type: "object", required: ["uid"] } },
      },
      api: { type: "object", required: ["operation"], properties: { operation: { type: "string" } } },
      src_endpoint: { type: "object", minProperties: 1 },
      policy: { type: "object", properties: { name: { type: "string" }, uid: { type: "string" } } },
      metadata: {
        type: "object",
        required: ["product", "version"],
        properties: {
          version: { const: "1.6.0" },
          profiles: { const: ["security_control"] },
          uid: { type: "string" },
          product: { type: "object", required: ["name"] },
        },
      },
      unmapped: { type: "object" },
    },
  };
  const validate = new Ajv({ strict: false, allErrors: true }).compile(RULES);

  test.each([
    ["none", 1, 16],
    ["allow", 1, 1],
    ["ask", 0, 99],
    ["deny", 2, 2],
    ["block", 2, 2],
  ] as const)("%s is a valid event with action %d and disposition %d", (decision, action, disposition) => {
    const event = JSON.parse(OCSF.line(line({ ...ENTRY, decision })));
    expect(validate(event) || validate.errors).toBe(true);
    expect(event).toMatchObject({ action_id: action, disposition_id: disposition, time: Date.parse(ENTRY.time) });
    expect(event.is_alert).toBe(action === 2 ? true : undefined);
  });

  test("an entry without optional fields is a valid event", () => {
    const { v, time, prev, source, session, event, decision, ms } = ENTRY;
    const bare = { v, time, prev, source, session, event, hooks: [], decision, ms };
    expect(validate(JSON.parse(OCSF.line(line(bare)))) || validate.errors).toBe(true);
  });

  test("names the hook that decided as the policy", () => {
    expect(JSON.parse(OCSF.line(line(ENTRY))).policy).toEqual({ name: "guard.sh", uid: ENTRY.hooks[0]?.source });
  });
});

describe("CSV", () => {
  const cells = (entry: Partial<AuditEntry>) => CSV.line({ entry: { ...ENTRY, ...entry } });

  test("has one cell for each column", () => {
    expect(CSV.line({ entry: ENTRY }).split(",")).toHaveLength(CSV.header.split(",").length);
    expect(CSV.header).toEndWith("\r");
  });

  test.each([
    ["a comma", "a,b", '"a,b"'],
    ["a quote", 'a"b', '"a""b"'],
    ["a line end", "a\nb", '"a\nb"'],
    ["a formula", "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
    ["a sign", "-1", "'-1"],
    ["an at", "@x", "'@x"],
    ["a tab", "\tx", "'\tx"],
  ])("%s is quoted or made text", (_name, reason, cell) => {
    expect(cells({ reason })).toContain(`,deny,${cell},pre_tool_use_hook_deny,`);
  });
});

test("each format names the file that a guard judged, and the digest of its text", () => {
  const judged = { ...ENTRY, path: "/home/you/AGENTS.md", content: NO_LINE };
  expect(JSON.parse(OCSF.line(line(judged))).unmapped).toMatchObject({ path: judged.path, content: NO_LINE });
  expect(CSV.line(line(judged))).toEndWith(`,${judged.path},${NO_LINE}\r`);
  expect(renderEntry(judged, painter(false), { details: false })).toContain(`; ${judged.path}; `);
});

describe("a line for people", () => {
  test("names who decided, why, what failed and what only observed", () => {
    expect(renderEntry(ENTRY, painter(false), { details: false })).toEndWith(
      "claude       pre_tool_use            shell        denied guard.sh: use a new branch; pre_tool_use_hook_deny; slow timed out; new would ask",
    );
  });

  test("is one line, whatever the entry holds", () => {
    const hostile = { ...ENTRY, tool: "a\nb\u001b[2J", reason: "x\r\u202ey", host: "h\u0007" };
    expect(renderEntry(hostile, painter(false), { details: false })).toMatch(/h\\x07 .*a\\nb\\x1b\[2J.*x\\r\\u202ey/);
  });
});
