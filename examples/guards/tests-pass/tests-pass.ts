// Runs the tests, whose command is in `args`, and refuses a commit or the end of the work until they pass.
import { execFile } from "node:child_process";
import { BLOCK, type Builtin, mayRun } from "hooksh/hook";

const guard: Builtin = async ({ hook_event_name, tool_input, cwd }, [program = "./run-tests", ...args], { signal }) => {
  if (hook_event_name === "pre_tool_use") {
    const line = tool_input?.["cmd"];
    if (typeof line !== "string") throw new Error("no command line to judge");
    if (!mayRun(line, ["git *commit*"])) return undefined;
  }
  const { code, output } = await run(program, args, cwd, signal);
  if (code === 0) return undefined;
  return { decision: BLOCK, reason: `the tests fail, repair them first:\n${output.slice(-2000)}` };
};

/** The exit code of a program, and what it printed. A program that cannot start is an error, so the guard fails. */
function run(program: string, args: readonly string[], cwd: string, signal: AbortSignal) {
  return new Promise<{ code: number; output: string }>((resolve, reject) => {
    const options = { cwd, signal, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") reject(error);
      else resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` });
    });
  });
}

export default guard;
