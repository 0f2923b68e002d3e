import { describe, expect, test } from "bun:test";
import {
  Executor,
  type HandlerFactory,
  hookEntry,
  newRegistry,
  PatternError,
  parseHooks,
  type Registry,
  ShapeRegistry,
} from "hooksh";
import { BLOCK, contextOutput } from "hooksh/hook";
import { modelHandler } from "../../src/engine/handlers/model-handler.ts";
import { settled } from "../helpers/settled.ts";

const CALL = { tool_name: "shell", tool_input: { cmd: "ls" } };

function builtin(command: string) {
  const registry = { lookup: () => undefined, lookupBuiltin: () => true };
  return hookEntry("turn_start", { type: "builtin", command }, { registry });
}

describe("registries", () => {
  test("a builtin of a private registry is invisible to every other executor", async () => {
    const registry = newRegistry().registerBuiltin("greet", (input) => contextOutput(input.hook_event_name, "hello"));
    const knows = async (executor: Executor) => (await executor.dispatch("turn_start", {})).additional_context;
    expect(await knows(new Executor([builtin("greet")], { registry }))).toBe("hello");
    const others = [new Executor([builtin("greet")]), new Executor([builtin("greet")], { registry: newRegistry() })];
    for (const executor of others) {
      const result = await executor.dispatch("turn_start", {});
      expect(result).toEqual({
        allowed: true,
        system_message: 'turn_start hook failed to execute: hook "greet": no builtin hook registered as "greet"',
      });
    }
  });

  test("a type registered in one is invisible to every other", () => {
    const factory: HandlerFactory = () => ({ run: async () => ({ kind: "returned", output: undefined }) });
    expect(newRegistry().register("mine", factory).lookup("mine")).toBe(factory);
    expect(newRegistry().lookup("mine")).toBeUndefined();
  });

  test("names and functions that are missing are refused", () => {
    const registry = newRegistry();
    expect(() => registry.registerBuiltin("", () => undefined)).toThrow("builtin hook name must not be empty");
    expect(() => registry.registerBuiltin("x", undefined as never)).toThrow("builtin hook function is required");
    const shapes = new ShapeRegistry();
    expect(() => shapes.register("", () => undefined)).toThrow("response shape name must not be empty");
    expect(() => shapes.register("x", undefined as never)).toThrow("response shape is required");
  });

  test("registering again replaces, a builtin that hooksh ships too", async () => {
    const registry = newRegistry()
      .registerBuiltin("add_date", (input) => contextOutput(input.hook_event_name, "first"))
      .registerBuiltin("add_date", (input) => contextOutput(input.hook_event_name, "second"));
    expect(await new Executor([builtin("add_date")], { registry }).dispatch("turn_start", {})).toEqual({
      allowed: true,
      additional_context: "second",
    });
  });

  test("a builtin that throws fails only its own hook", async () => {
    const registry = newRegistry()
      .registerBuiltin("throws", () => {
        throw new Error("on purpose");
      })
      .registerBuiltin("rejects", async () => {
        throw new Error("later");
      })
      .registerBuiltin("speaks", (input) => contextOutput(input.hook_event_name, "still here"));
    const result = await new Executor([builtin("throws"), builtin("rejects"), builtin("speaks")], {
      registry,
    }).dispatch("turn_start", {});
    expect(result).toEqual({
      allowed: true,
      additional_context: "still here",
      system_message:
        'turn_start hook failed to execute: hook "throws": on purpose\nturn_start hook failed to execute: hook "rejects": later',
    });
  });

  test("a builtin gets a copy of the input, its args and its surroundings", async () => {
    const payload = structuredClone(CALL);
    const registry = newRegistry().registerBuiltin("spoils", (input, args, { env, signal }) => {
      if (input.tool_input) input.tool_input["cmd"] = "rm";
      return { system_message: [args.join(), env["MODE"], signal.aborted].join(" ") };
    });
    const hook = { type: "builtin", command: "spoils", args: ["a", "b"], env: { MODE: "ci" } };
    const executor = new Executor([hookEntry("pre_tool_use", hook, { registry })], { registry, env: {} });
    expect(await executor.dispatch("pre_tool_use", payload)).toEqual({ allowed: true, system_message: "a,b ci false" });
    expect(payload).toEqual(CALL);
  });
});

describe("a hook type of the embedding program", () => {
  function withType(factory: HandlerFactory): Registry {
    return newRegistry().register("remote", factory);
  }

  test("goes through the same reading and folding as any other", async () => {
    const registry = withType((hook, { workingDir }) => ({
      run: async (input) => ({
        kind: "exited",
        exitCode: 2,
        stdout: "",
        stderr: `${hook.command} ${workingDir} ${JSON.parse(input.json()).tool_name}\n`,
      }),
    }));
    const executor = new Executor([hookEntry("pre_tool_use", { type: "remote", command: "there" }, { registry })], {
      registry,
      workingDir: "/",
    });
    expect(await executor.dispatch("pre_tool_use", CALL)).toMatchObject({
      allowed: false,
      message: "there / shell",
      exit_code: 2,
    });
  });

  test("is abandoned at its deadline, and its signal is aborted", async () => {
    const stopped = Promise.withResolvers<void>();
    const registry = withType(() => ({
      run: (_input, signal) => {
        signal.addEventListener("abort", () => stopped.resolve());
        return new Promise(() => {});
      },
    }));
    const executor = new Executor([hookEntry("pre_tool_use", { type: "remote", timeout: 1 }, { registry })], {
      registry,
    });
    const result = await executor.dispatch("pre_tool_use", CALL);
    expect(result.allowed).toBe(false);
    expect(result.message).toContain("timed out after 1s");
    await stopped.promise;
  });

  test("that cannot be built is a failure of its hook", async () => {
    const registry = withType(() => {
      throw new Error("no address given");
    });
    const result = await new Executor([hookEntry("pre_tool_use", { type: "remote" }, { registry })], {
      registry,
    }).dispatch("pre_tool_use", CALL);
    expect(result).toMatchObject({
      allowed: false,
      message: 'pre_tool_use hook failed to execute: hook "remote": no address given',
    });
  });

  test("can be configured when its registry is named, and not otherwise", async () => {
    const block = {
      turn_start: [
        { type: "remote", command: "x" },
        { type: "builtin", command: "greet" },
      ],
    };
    const registry = withType(() => {
      throw new Error("not run here");
    }).registerBuiltin("greet", () => undefined);
    expect((await parseHooks(block, { registry })).length).toBe(2);
    expect(await settled(parseHooks(block))).toThrow("unsupported hook type 'remote'");
  });
});

describe("model hooks", () => {
  const shapes = new ShapeRegistry().register("mine", (reply) =>
    reply === "no" ? { decision: BLOCK, reason: "the model objects" } : undefined,
  );
  const hook = { type: "model", model: "any/thing", prompt: "Is {{ .ToolName }} fine?", schema: "mine" };
  const entry = hookEntry("pre_tool_use", hook, { shapes });

  test("ask the embedder's client, and are read by a shape of its own registry only", async () => {
    const asked: string[] = [];
    const client = { ask: async (spec: string, _system: string, user: string) => (asked.push(spec, user), "no") };
    const registry = newRegistry().register("model", modelHandler(client, shapes));
    expect(await new Executor([entry], { registry }).dispatch("pre_tool_use", CALL)).toEqual({
      allowed: false,
      message: "the model objects",
    });
    expect(asked).toEqual(["any/thing", "Is shell fine?"]);
    const other = await new Executor([entry], { registry: newRegistry(client) }).dispatch("pre_tool_use", CALL);
    expect(other.message).toContain('unknown schema "mine"');
  });

  test("fail without a client", async () => {
    const free = hookEntry("pre_tool_use", { type: "model", model: "any/thing", prompt: "Fine?" });
    const result = await new Executor([free]).dispatch("pre_tool_use", CALL);
    expect(result).toMatchObject({ allowed: false });
    expect(result.message).toContain("no ModelClient configured");
  });
});

describe("an executor", () => {
  test("has an event only when a hook is configured for it, whatever tool it matches", () => {
    const executor = new Executor([
      hookEntry("pre_tool_use", { type: "command", command: "true" }, { matcher: "shell", lane: "preempt" }),
    ]);
    expect(executor.has("pre_tool_use")).toBe(true);
    expect(executor.has("pre_tool_use", "preempt")).toBe(true);
    expect(executor.has("pre_tool_use", "default")).toBe(false);
    expect(executor.has("post_tool_use")).toBe(false);
  });

  test("throws on an invalid matcher that nothing has checked before", () => {
    const entry = hookEntry("pre_tool_use", { type: "command", command: "true" });
    expect(() => new Executor([{ ...entry, matcher: "shell(" }])).toThrow(PatternError);
  });

  test("blocks on a hook of an unknown type", async () => {
    const registry = { lookup: () => true, lookupBuiltin: () => undefined };
    const entry = hookEntry("pre_tool_use", { type: "webhook" }, { registry });
    const result = await new Executor([entry]).dispatch("pre_tool_use", CALL);
    expect(result).toMatchObject({
      allowed: false,
      message: 'pre_tool_use hook failed to execute: hook "webhook": unsupported hook type: webhook',
    });
  });

  test("two with the same registry and different hooks never mix", async () => {
    const registry = newRegistry().registerBuiltin("name", (_input, [name = ""]) => ({ system_message: name }));
    const named = (name: string) =>
      new Executor([hookEntry("turn_end", { type: "builtin", command: "name", args: [name] }, { registry })], {
        registry,
      });
    const [a, b] = [named("a"), named("b")];
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? a : b).dispatch("turn_end", {})));
    expect(results.map(({ system_message }) => system_message)).toEqual(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? "a" : "b")),
    );
  });
});
