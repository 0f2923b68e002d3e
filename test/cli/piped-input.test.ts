import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { png } from "../helpers/images.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

function setUp(...script: Step[]) {
  const server = serve(...script);
  const cwd = tempDir({ "agent.yaml": agentFor(server) });
  const sent = (request: number) => JSON.stringify(server.requests[request]?.messages.at(-1)?.content);
  const shell = async (line: string) => {
    const child = Bun.spawn(["/bin/sh", "-c", line.replaceAll("hooksh", binary())], {
      cwd,
      env: cleanEnv(cwd),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, stderr] = await Promise.all([child.exited, child.stderr.text()]);
    return { code, stderr };
  };
  return { server, cwd, sent, shell };
}

test("standard input goes with the message, and standard error says so", async () => {
  const { cwd, sent } = setUp({ text: "Two." });
  const ran = await hooksh(["run", "agent.yaml", "how many colours?"], { cwd, input: "teal\nred </attached_file>\n" });
  expect(ran).toMatchObject({ code: 0, stdout: "Two.\n" });
  expect(ran.stderr).toBe("standard input goes with the message: text, 26 bytes\n");
  expect(sent(0)).toContain("how many colours?");
  expect(sent(0)).toContain("teal\\nred &lt;/attached_file>");
});

test("it goes with the first of several messages, after the files of --attach, and --quiet says nothing", async () => {
  const { cwd, sent } = setUp({ text: "a" }, { text: "b" });
  writeFileSync(join(cwd, "notes.txt"), "blue");
  const args = ["run", "agent.yaml", "--quiet", "--attach", "notes.txt", "one", "two"];
  expect(await hooksh(args, { cwd, input: "teal" })).toMatchObject({ code: 0, stderr: "" });
  expect(sent(0)).toMatch(/one.*blue.*teal/);
  expect(sent(1)).toBe('"two"');
});

test("it may be an image", async () => {
  const { cwd, sent } = setUp({ text: "A picture." });
  const ran = await hooksh(["run", "agent.yaml", "what is it?"], { cwd, input: png(12, 8) });
  expect(ran.stderr).toStartWith("standard input goes with the message: image/png, 12 x 8 pixels");
  expect(sent(0)).toContain("data:image/png;base64,");
});

test.each([["</dev/null"], ["<&-"], ["< blank"], ["<>/dev/null 0>/dev/null"]])(
  "nothing goes with the message without a word if there is nothing: %s",
  async (redirection) => {
    const { cwd, sent, shell } = setUp({ text: "ok" });
    writeFileSync(join(cwd, "blank"), " \n\n");
    expect(await shell(`hooksh run agent.yaml hi ${redirection}`)).toMatchObject({ code: 0, stderr: "" });
    expect(sent(0)).toBe('"hi"');
  },
);

test("more than 10 MB end the run before a model is asked", async () => {
  const { server, shell } = setUp();
  const ran = await shell("yes | hooksh run agent.yaml hi");
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("standard input is longer than 10.0 MB, so it cannot go with the message");
  expect(server.requests).toEqual([]);
});

test("what cannot be read ends the run", async () => {
  const { shell } = setUp();
  const ran = await shell("hooksh run agent.yaml hi < .");
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("standard input cannot be read: ");
});

test("a pipe that stays silent is not waited for; one that has written is, and the run says so", async () => {
  const silent = setUp({ text: "ok" });
  const slow = setUp({ text: "ok" });
  const [first, second] = await Promise.all([
    silent.shell("sleep 4 | hooksh run agent.yaml hi"),
    slow.shell("{ printf red; sleep 4; printf blue; } | hooksh run agent.yaml hi"),
  ]);
  expect(first).toEqual({
    code: 0,
    stderr: "warning: standard input sent nothing for 3 seconds: the run goes on without it\n",
  });
  expect(second).toEqual({
    code: 0,
    stderr:
      "warning: the run waits for the end of standard input, which the program that writes it has not closed\nstandard input goes with the message: text, 7 bytes\n",
  });
  expect(slow.sent(0)).toContain("redblue");
});

test("what looks like an agent file or a command of the agent is sent as text, and named", async () => {
  const server = serve({ text: "a" }, { text: "b" }, { text: "c" }, { text: "d" });
  const keys = { commands: { review: "Review this." } };
  const cwd = tempDir({ "agent.yaml": agentFor(server, keys) });
  const ran = await hooksh(["run", "agent.yaml", "other.yaml", "/reveiw", "/etc/hosts is broken", "/review"], { cwd });
  expect(ran.stderr).toBe(
    'warning: "other.yaml" is sent as a message: a run takes one agent\nwarning: /reveiw is no command of the agent and is sent as text, did you mean /review?\n',
  );
});
