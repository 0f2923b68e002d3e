/**
 * Takes the pictures of the terminal in docs/images: runs agents in tmux against a scripted model on loopback, and photographs the screen
 * in Chromium with a palette of 16 colours. Run it again when the terminal changes: `bun scripts/terminal-pictures.ts [NAME...]` after
 * `npm run build`. It needs tmux and Chromium.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { fakeOpenAI, type Step } from "../test/helpers/fake-openai.ts";
import { root } from "./compile.ts";
import { PALETTES, type Palette, screenAsHtml } from "./screen-html.ts";

const pictures = join(root, "docs/images");
const home = mkdtempSync(join(tmpdir(), "hooksh-pictures-"));
const project = join(home, "shop");
const socket = `hooksh-pictures-${process.pid}`;

const FILES: Readonly<Record<string, string>> = {
  "total.js": `export function total(order) {
  let sum = 0;
  for (const { price, count } of order.lines) sum += price * count;
  return sum - order.discount * sum;
}
`,
  "test.sh": "for n in $(seq 1 24); do echo \"ok $n - an order with $n lines\"; done; echo '24 passed'\n",
};

const ANSWER = `The discount is now rounded **once per order**, to whole cents:

| order | before | now |
| --- | ---: | ---: |
| 3 × 0.35, 5 % off | 0.9974999 | 1.00 |
| 7 × 1.99, 12 % off | 12.258400 | 12.26 |

The test that failed now reads:

\`\`\`js
// 3 items at 35 cents, 5 % off
assert.equal(total({ lines: [{ price: 35, count: 3 }], discount: 0.05 }), 100);
\`\`\`

All 24 tests pass. \`total\` expects prices in *cents*.`;

const usage = { prompt: 4180, completion: 212 };
const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }], usage });
const edit = {
  path: "total.js",
  edits: [
    {
      oldText: "  return sum - order.discount * sum;",
      newText: "  const discount = Math.round(order.discount * sum);\n  return sum - discount;",
    },
  ],
};

const FIX: readonly Step[] = [
  call("read_file", { path: "total.js" }),
  call("edit_file", edit),
  call("shell", { cmd: "sh test.sh" }),
  { text: ANSWER, usage },
];
const PUSH: readonly Step[] = [
  call("shell", { cmd: "git push --force origin main" }),
  { text: "Force pushes are not allowed here, so I leave `main` alone. Shall I push a branch?", usage },
];

const INSTALL: readonly Step[] = [
  {
    thought: "The tests need a package that is not installed. I plan first, then install it.",
    ...call("create_todos", {
      descriptions: ["Install the test runner", "Write a test of the discount", "Fix total.js"],
    }),
  },
  call("shell", { cmd: "npm install --save-dev uvu" }),
];

const AGENT = `agents:
  root:
    model: small
    instruction: Help with the shop.
    redact_secrets: false
    toolsets:
      - type: shell
      - type: filesystem
      - type: todo
    hooks:
      pre_tool_use:
        - matcher: shell
          hooks:
            - type: command
              name: no-force-push
              command: |
                grep -q 'push --force' && { echo 'no force push: push a branch and open a pull request' >&2; exit 2; }
                exit 0
            - type: command
              name: no-scripts
              command: jq -c 'if .tool_input.cmd | startswith("npm install") then {hook_specific_output:{updated_input:{cmd:(.tool_input.cmd + " --ignore-scripts")}}} else {} end'
`;

/** One picture: a conversation in a window, up to a text on the screen. */
interface Picture {
  steps: readonly Step[];
  message: string;
  args: readonly string[];
  /** The picture is taken when this is shown, and the prompt if \`isAtEnd\`. */
  until: string;
  columns: number;
  rows: number;
  palette: Palette;
}

const fix = { steps: FIX, message: "Orders with a discount are a cent off. Fix it.", until: "in cents" };
const dark = { columns: 88, rows: 44, palette: PALETTES.dark };
const PICTURES: Readonly<Record<string, Picture>> = {
  terminal: { ...fix, ...dark, args: ["--yolo"] },
  "terminal-light": { ...fix, ...dark, args: ["--yolo"], palette: PALETTES.light },
  "terminal-40-columns": { ...fix, ...dark, args: ["--yolo"], columns: 40, rows: 44 },
  "terminal-approval": { ...fix, ...dark, args: [], until: "[n]o:", rows: 26 },
  "terminal-rewritten": {
    steps: INSTALL,
    message: "Test the discount.",
    until: "[n]o:",
    ...dark,
    args: [],
    rows: 26,
  },
  "terminal-blocked": {
    steps: PUSH,
    message: "Push it.",
    until: "push a branch?",
    ...dark,
    args: ["--yolo"],
    rows: 16,
  },
};

/** Returns the part of the agent file about the model: with a price and a context size, which the status line shows. */
function modelAt(url: string): string {
  return `models:
  small:
    provider: local
    model: small
    cost: { input: 0.15, output: 0.60 }
    provider_opts: { context_size: 32768 }
providers:
  local:
    base_url: ${url}
`;
}

function tmux(...args: string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm-256color", LC_ALL: "C.UTF-8" };
  const { stdout, stderr, exitCode } = Bun.spawnSync(["tmux", "-L", socket, ...args], { env });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}

async function sees(text: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!tmux("capture-pane", "-p").includes(text)) {
    if (Date.now() > deadline) throw new Error(`never saw ${text} in\n${tmux("capture-pane", "-p")}`);
    await Bun.sleep(50);
  }
  await Bun.sleep(500);
}

/** Writes the project and the user's settings anew, so that each picture starts from the same state. */
function setUp(url: string, palette: Palette): void {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  const settings = join(home, ".config/hooksh");
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, "config.yaml"), `settings:\n  theme: ${palette.name}\n`);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text);
  writeFileSync(join(project, "agent.yaml"), `${AGENT}${modelAt(url)}`);
  Bun.spawnSync(["git", "init", "-q", "-b", "main"], { cwd: project });
}

/** Runs a conversation, and returns the screen with its sequences. */
async function screenOf({ steps, message, args, until, columns, rows, palette }: Picture): Promise<string> {
  const server = fakeOpenAI(steps);
  try {
    setUp(server.url, palette);
    const command = [join(root, "dist/hooksh"), "run", "agent.yaml", ...args].join(" ");
    tmux("-f", "/dev/null", "new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, "-c", project, `${command}; cat`);
    await sees("/help shows");
    tmux("send-keys", "-l", message);
    tmux("send-keys", "Enter");
    await sees(until);
    return tmux("capture-pane", "-p", "-e").trimEnd();
  } finally {
    server.stop();
    tmux("kill-server");
  }
}

async function photograph(browser: Browser, name: string, picture: Picture): Promise<void> {
  const page = await browser.newPage({ deviceScaleFactor: 1.25 });
  await page.setContent(screenAsHtml(await screenOf(picture), picture.columns, picture.palette));
  await page.locator("pre").screenshot({ path: join(pictures, `${name}.png`) });
  await page.close();
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  const chosen = process.argv.slice(2);
  for (const [name, picture] of Object.entries(PICTURES)) {
    if (chosen.length === 0 || chosen.includes(name)) await photograph(browser, name, picture);
  }
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}
