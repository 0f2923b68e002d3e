import { isObject } from "../../lib/json.ts";
import { type DispatchCall, dispatchWords, readDispatchWords } from "./own-command.ts";

/**
 * The program that opencode loads, without its table of commands. opencode drops a module that exports anything but
 * plugin functions or throws while loading, so there is one export, and nothing runs before it is called. It knows no
 * names of tools or fields; hooksh answers in those of opencode. A rewrite changes `output.args` in place, because
 * opencode ignores a new object (https://opencode.ai/docs/plugins).
 */
const PROGRAM = `
/** Events that hooksh decides about; they fail without its answer. */
const GATES = ["tool.execute.before", "permission.ask", "chat.message"];

/** Returns the answer of hooksh. That to a gate ends with proof: three lines, the last one with the exit code. */
function read(answer, isProven) {
  if (!isProven) return JSON.parse(answer);
  const [output = "", , proof] = answer.split("\\n");
  if (proof !== "hooksh:0") throw new Error("no proof");
  return JSON.parse(output.replace(/\\\\(.)/g, (_, char) => (char === "n" ? "\\n" : char)));
}

function call(event, payload) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(\`hooksh did not judge \${event}: \${why}\`));
    const [program, ...args] = COMMANDS[event];
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    let answer = "";
    let problem = "";
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      child.stdout.destroy(); // a child of hooksh may keep them open
      child.stderr.destroy();
      fail(\`no answer within \${SECONDS} s\`);
    }, SECONDS * 1000);
    child.on("error", (error) => fail(error.message));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8");
    child.stderr.setEncoding("utf8");
    child.stdout.on("data", (chunk) => (answer += chunk));
    child.stderr.on("data", (chunk) => (problem += chunk));
    child.on("close", (code) => {
      clearTimeout(timer);
      try {
        if (code === 0) return resolve(read(answer, args.includes("--proof")));
      } catch {}
      fail(problem.trim() || (code === 0 ? "no proof of an answer" : \`exit code \${code}\`));
    });
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }));
  });
}

/** Asks hooksh. Throws if hooksh blocks a gate or fails to answer it; on other events, a failure is ignored. */
async function ask(event, payload) {
  const isGate = GATES.includes(event);
  try {
    const given = (await call(event, payload)) ?? {};
    const answer = { ...given, ...given.hook_specific_output };
    if (isGate && answer.decision === "block") throw new Error(answer.reason || "blocked by a hook");
    // A plugin cannot make opencode ask before a call.
    if (event === "tool.execute.before" && answer.permission_decision === "ask")
      throw new Error(\`needs your approval: \${answer.permission_decision_reason || "a hook asks for it"}\`);
    return answer;
  } catch (error) {
    if (isGate) throw error;
    return {};
  }
}

/** opencode shows a refused prompt as an unexpected error, so the reason goes to its screen, or to standard error. */
async function tell(client, reason) {
  const message = \`the prompt was refused: \${reason}\`;
  const isDrawn = process.stderr.isTTY && !process.argv.some((word) => ["run", "serve", "web", "acp"].includes(word));
  if (!isDrawn) process.stderr.write(\`hooksh: \${message}\\n\`);
  try {
    await client?.tui?.showToast({ body: { title: "hooksh", message, variant: "error" } });
  } catch {}
}

const bridge = async ({ client, directory } = {}) => {
  const common = (input) => ({ session_id: input?.sessionID, cwd: directory });
  const handlers = {
    "tool.execute.before": async (input, output) => {
      const { updated_input: changed } = await ask("tool.execute.before", {
        ...common(input),
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: output.args,
      });
      if (!changed) return;
      for (const key of Object.keys(output.args)) delete output.args[key];
      Object.assign(output.args, changed);
    },
    "tool.execute.after": async (input, output) => {
      const answer = await ask("tool.execute.after", {
        ...common(input),
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: input.args,
        tool_response: output?.output,
      });
      if (!output) return;
      if (answer.updated_tool_response !== undefined) output.output = answer.updated_tool_response;
      const added = [answer.decision === "block" ? answer.reason : undefined, answer.additional_context];
      for (const text of added) if (text) output.output = \`\${output.output}\\n\${text}\`;
    },
    "permission.ask": async (input, output) => {
      try {
        const answer = await ask("permission.ask", {
          ...common(input),
          tool_name: input.type,
          tool_use_id: input.callID,
          tool_input: input.metadata ?? {},
        });
        if (answer.permission_decision) output.status = answer.permission_decision;
      } catch (error) {
        output.status = "deny";
        throw error;
      }
    },
    "chat.message": async (input, output) => {
      const texts = (output?.parts ?? []).filter((part) => part.type === "text");
      const prompt = texts.map((part) => part.text).join("\\n");
      const { additional_context: context } = await ask("chat.message", { ...common(input), prompt }).catch(async (error) => {
        await tell(client, error.message);
        throw error;
      });
      const last = texts.at(-1);
      if (context && last) last.text = \`\${last.text}\\n\\n\${context}\`;
    },
  };
  const used = Object.entries(handlers).filter(([event]) => event in COMMANDS);
  const event = async ({ event } = {}) => {
    if (!(event?.type in COMMANDS) || event.type in handlers) return;
    const { info, sessionID, ...rest } = event.properties ?? {};
    await ask(event.type, { session_id: sessionID ?? info?.id, cwd: directory, ...rest });
  };
  return { ...Object.fromEntries(used), event };
};

export { bridge as default };
`;

const HEAD = `// Written by hooksh install opencode; hooksh uninstall opencode removes it. Calls hooksh for each of these events.
import { spawn } from "node:child_process";

const COMMANDS = `;

/** How long the plugin waits for hooksh, if no call says it. */
const USUAL_SECONDS = 60;

/** Returns the text of the plugin that calls hooksh for these events. */
export function bridgePlugin(calls: readonly DispatchCall[]): string {
  const commands = Object.fromEntries(calls.map((call) => [call.event, dispatchWords(call)]));
  const seconds = calls.find(({ refusal }) => refusal)?.refusal?.seconds ?? USUAL_SECONDS;
  return `${HEAD}${JSON.stringify(commands, undefined, 2)};\nconst SECONDS = ${seconds};\n${PROGRAM}`;
}

/** Reads the calls from a text that {@link bridgePlugin} returned. Undefined if the text is another program. */
export function readBridgePlugin(text: string, dialect: string): DispatchCall[] | undefined {
  const table = /^const COMMANDS = (\{[\s\S]*?\n\}|\{\});$/m.exec(text)?.[1];
  if (!text.startsWith("// Written by hooksh install ") || table === undefined) return undefined;
  try {
    const commands: unknown = JSON.parse(table);
    const lines = isObject(commands) ? Object.values(commands) : [];
    const seconds = Number(/^const SECONDS = (\d+);$/m.exec(text)?.[1]);
    return lines.flatMap((words) => {
      const call = Array.isArray(words) ? readDispatchWords(words.map(String), dialect) : undefined;
      const isGate = call?.switches?.includes("proof");
      return call ? [isGate ? { ...call, refusal: { stdout: "", exitCode: 0, seconds } } : call] : [];
    });
  } catch {
    return undefined; // edited by hand
  }
}
