import { resolve } from "node:path";
import type { CommandInput } from "../../cli/define-command.ts";
import type { FlagSpecs } from "../../cli/flags.ts";
import { directoriesOf } from "../../cli/global-flags.ts";
import { print, printBytes, printError } from "../../cli/print.ts";
import { sourceContext } from "../../cli/source-context.ts";
import { addPulledFile } from "../../config/sources/pulled-files.ts";
import { parseImageReference } from "../../config/sources/registry/image-reference.ts";
import { EXIT_CODES, UsageError } from "../../lib/errors.ts";
import { write } from "../../lib/platform.ts";

export const PULL_FLAGS = {
  force: { kind: "switch", description: "Download again even if a copy is stored" },
  output: {
    kind: "value",
    hint: "FILE",
    description: "File to write, - for standard output (default: the reference with _ for / : and @, plus .yaml)",
  },
} as const satisfies FlagSpecs;

type PullInput = Pick<CommandInput<typeof PULL_FLAGS>, "flags" | "positionals" | "signal">;

/** Fetches the agent and writes the file. Throws a `ConfigError` or a {@link UsageError}. */
export async function runPull({ flags, positionals, signal }: PullInput): Promise<number> {
  const [reference, ...more] = positionals;
  if (reference === undefined || more.length > 0)
    throw new UsageError("agent pull takes one image reference: hooksh agent pull IMAGE");
  const image = parseImageReference(reference);
  if (!image)
    throw new UsageError(
      `agent pull takes an image reference, [REGISTRY/]NAME[:TAG], not ${JSON.stringify(reference)}`,
    );
  const { pullArtifact } = await import("../../config/sources/registry/pull-artifact.ts");
  const directories = directoriesOf(flags);
  const context = sourceContext({ directories, cwd: process.cwd(), signal });
  const { content, digest } = await pullArtifact(image, {
    displayName: reference,
    context,
    force: flags.force ?? false,
  });
  if (flags.output === "-") {
    await printBytes(content);
    printError(`${reference}: ${digest}`);
    return EXIT_CODES.ok;
  }
  const file = flags.output ?? `${reference.replace(/[/:@]/g, "_")}.yaml`;
  addPulledFile(resolve(file), directories);
  await write(resolve(file), content);
  await print(`${file}: ${digest}`);
  return EXIT_CODES.ok;
}
