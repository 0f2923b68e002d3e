/**
 * Takes the pictures of docs/trace.md: runs an agent with hooks against a scripted model on loopback, traces the run, and
 * photographs the page in Chromium. Run it again when the page changes: `bun scripts/trace-pictures.ts` after
 * `npm run build`.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { agentFor, fakeOpenAI, type Step } from "../test/helpers/fake-openai.ts";
import { root } from "./compile.ts";

const pictures = join(root, "docs/images");
const workspace = mkdtempSync(join(tmpdir(), "hooksh-pictures-"));
/** Pixels in the width and height of the window. */
const WINDOW = { width: 1280, height: 720 };

const usage = (prompt: number, completion: number) => ({ usage: { prompt, completion } });
const shell = (cmd: string) => ({ name: "shell", arguments: { cmd } });

const SCRIPT: readonly Step[] = [
  { text: "I run the tests first.", calls: [shell("sh run-tests.sh")], ...usage(1840, 46) },
  { text: "They pass, so I push.", calls: [shell("git push --force origin main")], ...usage(2105, 38) },
  {
    text: "Force pushes are not allowed here. I make a branch.",
    calls: [shell("git switch -c fix-parser")],
    ...usage(2280, 52),
  },
  { text: "The fix is on the branch fix-parser.", ...usage(2402, 21) },
];

const HOOKS = {
  session_start: [{ type: "builtin", command: "add_environment_info" }],
  pre_tool_use: [
    {
      matcher: "shell",
      hooks: [
        { type: "command", name: "guard.sh", command: "./guard.sh", timeout: 5 },
        {
          type: "command",
          name: "only-branches",
          command: "sleep 0.04; ./only-branches.sh",
          mode: "observe",
          timeout: 5,
        },
      ],
    },
  ],
  post_tool_use: [
    { matcher: "shell", hooks: [{ type: "command", name: "log-calls", command: "sleep 0.06; cat > last-call.json" }] },
  ],
  stop: [{ type: "command", name: "summary", command: "sleep 0.02" }],
};

const FILES: Readonly<Record<string, string>> = {
  "guard.sh": `#!/bin/sh
sleep 0.12
grep -q 'push --force' && { echo 'no force push: push a new branch and open a pull request' >&2; exit 2; }
exit 0
`,
  "only-branches.sh": `#!/bin/sh
grep -q 'origin main' && echo '{"decision":"block","reason":"pushes to main"}'
exit 0
`,
  "run-tests.sh": "sleep 0.5; echo 42 passed\n",
};

/** Answers as late as a small model does. */
async function slowServer(): Promise<{ url: string; stop: () => void }> {
  const scripted = fakeOpenAI(SCRIPT);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = await request.text();
      await Bun.sleep(500 + body.length / 30);
      return fetch(`${scripted.url}/chat/completions`, { method: "POST", body });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, stop: () => [scripted.stop(), void server.stop(true)] };
}

/** Runs hooksh in the workspace. Throws if it fails. */
async function hooksh(...args: string[]): Promise<void> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(workspace, ".home"),
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "SPAN_ONLY",
  };
  const child = Bun.spawn([join(root, "dist/hooksh"), ...args], {
    cwd: workspace,
    env,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, output] = await Promise.all([child.exited, child.stderr.text(), child.stdout.text()]);
  if (code !== 0) throw new Error(`hooksh ${args.join(" ")}: ${output}`);
}

async function photograph(theme: "light" | "dark"): Promise<void> {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const page = await browser.newPage({ viewport: WINDOW, colorScheme: theme });
  await page.goto(`file://${join(workspace, "trace.html")}`);
  if (theme === "light") {
    await page.keyboard.press("Tab");
    await page.getByRole("row", { name: "guard.sh deny" }).click();
    await page.screenshot({ path: join(pictures, "trace-light.png") });
    await page.getByRole("tab", { name: "Hooks" }).click();
    await page.screenshot({ path: join(pictures, "trace-hooks.png"), clip: { x: 0, y: 0, width: 1280, height: 330 } });
  } else {
    await page.getByRole("row", { name: "event pre_tool_use deny" }).click();
    await page.screenshot({ path: join(pictures, "trace-dark.png") });
  }
  await browser.close();
}

const server = await slowServer();
try {
  mkdirSync(pictures, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(workspace, name), text);
  for (const name of Object.keys(FILES)) chmodSync(join(workspace, name), 0o755);
  Bun.spawnSync(["git", "init", "-q"], { cwd: workspace });
  writeFileSync(
    join(workspace, "agent.yaml"),
    agentFor(server, { hooks: HOOKS }).replaceAll("fake/model", "fake/small"),
  );
  await hooksh("run", "agent.yaml", "--yolo", "--record", "trace:run.jsonl", "Push the fix of the parser.");
  await hooksh("trace", "run.jsonl", "--html=trace.html");
  await photograph("light");
  await photograph("dark");
} finally {
  server.stop();
  if (process.argv.includes("--keep")) console.log(workspace);
  else rmSync(workspace, { recursive: true, force: true });
}
