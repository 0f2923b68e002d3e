/**
 * Creates examples/guarded-cleanup/recording.yaml: runs the example against a scripted server on loopback and records
 * the traffic. Run it again when hooksh's requests change: `bun scripts/record-demo.ts` after `npm run build`.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const example = join(root, "examples/guarded-cleanup");

interface Turn {
  text: string;
  cmd?: string;
}

const SCRIPT: readonly Turn[] = [
  { text: "I delete the build folder.", cmd: "rm -rf build" },
  {
    text: "Deleting is not allowed here, so I move the folder to .trash.",
    cmd: "mkdir -p .trash && mv -n build .trash/",
  },
  { text: "The build folder is in .trash now. Empty .trash yourself when you no longer need it." },
];

let turn = 0;
const server = Bun.serve({
  port: 8089,
  hostname: "127.0.0.1",
  fetch: () => new Response(reply(SCRIPT[turn], turn++), { headers: { "content-type": "text/event-stream" } }),
});

function reply(step: Turn | undefined, index: number): string {
  if (!step) return "";
  const call =
    step.cmd === undefined
      ? []
      : [
          {
            tool_calls: [
              {
                index: 0,
                id: `call_${index + 1}`,
                type: "function",
                function: { name: "shell", arguments: JSON.stringify({ cmd: step.cmd }) },
              },
            ],
          },
        ];
  const words = step.text.split(/(?<= )/).map((content) => ({ content }));
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${index + 1}`, object: "chat.completion.chunk", created: 1, model: "small", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const usage = {
    id: `chatcmpl-${index + 1}`,
    object: "chat.completion.chunk",
    created: 1,
    model: "small",
    choices: [],
    usage: { prompt_tokens: 90 + 40 * index, completion_tokens: 20, total_tokens: 110 + 40 * index },
  };
  return [
    ...[{ role: "assistant", content: "" }, ...words, ...call].map((delta) => chunk(delta, null)),
    chunk({}, step.cmd === undefined ? "stop" : "tool_calls"),
    `data: ${JSON.stringify(usage)}\n\n`,
    "data: [DONE]\n\n",
  ].join("");
}

const workspace = await mkdtemp(join(tmpdir(), "hooksh-record-"));
await cp(example, workspace, { recursive: true });
await rm(join(workspace, "recording.yaml"), { force: true });
await Bun.write(join(workspace, "build/objects"), "main.o\n");
const run = Bun.spawn(
  [
    join(root, "dist/hooksh"),
    "run",
    "agent.yaml",
    "--yolo",
    "--record=recording.yaml",
    "Free some disk space: get rid of the build folder.",
  ],
  { cwd: workspace, stdout: "inherit", stderr: "inherit" },
);
const code = await run.exited;
server.stop(true);
if (code !== 0 || turn !== SCRIPT.length)
  throw new Error(`the run ended with ${code} after ${turn} of ${SCRIPT.length} turns`);
await cp(join(workspace, "recording.yaml"), join(example, "recording.yaml"));
await rm(workspace, { recursive: true, force: true });
