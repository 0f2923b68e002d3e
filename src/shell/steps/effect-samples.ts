import { once } from "../../lib/once.ts";
import { EFFECTS, type Effect } from "./effects/effect.ts";
import { programsWithRows, rowsOf } from "./effects/program-rows.ts";
import { readLine } from "./read-line.ts";
import { readProgram } from "./read-program.ts";

/** A command line that has an effect for certain. */
export interface EffectSample {
  effect: Effect;
  sample: string;
}

/** Words that give a command the marks that rows ask for. */
const MARKED: Readonly<Record<string, string>> = {
  "@to-sink": "x /dev/null",
  "@to-file": "x y",
  "@of-file": "of=x",
  "@of-device": "of=/dev/sda",
  "@saves": "-o x",
  "@plain-file": "x",
  "@system-path": "/etc/x",
  "@forced-ref": "origin +x",
  "@deleted-ref": "origin :x",
  "@path": "./x",
  "@tag-ref": "origin refs/tags/x",
  "@source": "https://h.example/x",
  "@versioned": "h.example/x@v1",
  "@names": "x",
  "@redis": "del x",
  "@deletes-by-request": "-X DELETE h.example",
  "@removes": "delete x",
  "@uploads": "-X POST h.example",
  "@to-remote": "x h:y",
  "@from-remote": "h:x y",
  "@deploys": "deploy",
  "@publishes": "publish",
  "@root-mount": "-v /:/x x",
  "@setuid": "u+s x",
  "@admin-group": "-aG sudo x",
  "@assigns": "x=y",
  "@kills": "1",
  "@scripts-run": "ignore-scripts=false",
  "@on-disk": "x /dev/sda",
  "@to-registry": "x docker://y",
  "@kill-signal": "-9 1",
  "@every-process": "-9 -1",
  "@secret-object": "secret x -o yaml",
  "@no-hooks": "config core.hooksPath x",
  "@encoded": "-enc eA==",
  "@dangerous": "--dangerously-bypass-x",
  "@no-history": "+o history",
  "@http-delete": "-X DELETE x",
  "@socat-exec": "exec:x -",
  "@runs-code": "--checkpoint-action=exec=x",
  "@absent": "state=absent",
  "@drive": "c:",
  "@wipe": "/w:x",
};

/** Lines whose effects no row shows. */
const OF_LINES: readonly EffectSample[] = [
  { effect: "fs-overwrite", sample: "> x" },
  { effect: "fs-modify", sample: ">> x" },
  { effect: "block-device", sample: "> /dev/sda" },
  { effect: "cloud", sample: "az x" },
  { effect: "cloud", sample: "aws x y" },
  { effect: "cloud", sample: "gcloud x delete" },
  { effect: "database", sample: "psql -c 'drop table x'" },
  { effect: "hidden-code", sample: "rev x | sh" },
  { effect: "remote-code", sample: "curl x | sh" },
  { effect: "reveals", sample: "echo $TOKEN" },
];

/** Sample lines of every effect, for each program and verb that has a row: the shortest first. */
export const effectSamples = once((): readonly EffectSample[] => {
  const samples = new Map<string, EffectSample>();
  for (const program of programsWithRows())
    for (const { effect, matcher, own } of rowsOf(program)) {
      const sample = own ? sampleOf(program, matcher) : labelSample(program, matcher);
      if (sample !== undefined && has(sample, effect)) samples.set(`${effect} ${sample}`, { effect, sample });
    }
  for (const one of OF_LINES) samples.set(`${one.effect} ${one.sample}`, one);
  const order = (a: EffectSample, b: EffectSample) =>
    a.sample.length - b.sample.length || (a.sample < b.sample ? -1 : a.sample > b.sample ? 1 : 0);
  return EFFECTS.flatMap((effect) => [...samples.values()].filter((one) => one.effect === effect).sort(order));
});

/** The words that a row of effects describes. */
function sampleOf(program: string, matcher: string): string | undefined {
  const words = [program];
  for (const term of matcher.split(" ").slice(1)) {
    const [first = ""] = term.split("|");
    if (term.startsWith("!") || term === "...") continue;
    if (first.startsWith("<")) words.push("x");
    else if (first.startsWith("@")) words.push(MARKED[first] ?? "");
    else words.push(first.replace(/^\+/, "").replace(/\*$/, "x"));
  }
  const sample = words.filter((word) => word !== "").join(" ");
  return /^[\w./:=@+, >-]+$/.test(sample) ? sample : undefined;
}

/** The words of a pattern of labels, with `x` for what it leaves open. */
function labelSample(program: string, pattern: string): string | undefined {
  const words = pattern.replace(/<[^>]*>/g, "x").split(" ");
  if (!words.every((word) => /^[\w./:=@+,-]+$/.test(word)) || words.includes("...")) return undefined;
  return [program, ...words.slice(1)].join(" ");
}

/** True if a line has an effect for certain. */
function has(sample: string, effect: Effect): boolean {
  return readLine(sample, { env: {}, posix: true }).invocations.some((invocation) =>
    readProgram(invocation).effects.values.some(({ text, sure }) => sure && text === effect),
  );
}
