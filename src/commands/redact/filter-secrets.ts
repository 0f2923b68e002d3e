import { isBrokenPipe, isTerminalOutput, outputErrorText, outputFile, printError } from "../../cli/print.ts";
import { redactorFor } from "../../cli/redactor.ts";
import { EXIT_CODES, UserError } from "../../lib/errors.ts";
import { UnreadableFileError } from "../../lib/files/read-file.ts";
import { optimizeForLongRun, write as writeTo } from "../../lib/platform.ts";
import { escapeControlsInJson } from "../../lib/text/escape-controls.ts";
import { LosslessCodec } from "../../lib/text/lossless-text.ts";
import type { RedactionOptions } from "../../redaction/redact.ts";
import { RedactingStream } from "../../redaction/redacting-stream.ts";
import { chunksOf, isFolder } from "./redact-input.ts";

export interface FilterOptions extends RedactionOptions {
  signal: AbortSignal;
}

/**
 * Copies files to standard output, one after the other, with every secret replaced. Reports a file that cannot be read
 * and continues with the next. Returns the exit code.
 */
export async function filterSecrets(names: readonly string[], options: FilterOptions): Promise<number> {
  optimizeForLongRun();
  const redactor = redactorFor(options);
  let exitCode: number = EXIT_CODES.ok;
  for (const name of names) {
    const codec = new LosslessCodec();
    const stream = new RedactingStream(redactor, options.label);
    const put = (text = "") => write(codec.encode(text));
    try {
      if (isFolder(name)) throw new UnreadableFileError(name, "is a directory, which only --report and --check search");
      for await (const chunk of chunksOf(name, options.signal)) {
        if (!(await put(chunk === "pause" ? stream.pause() : stream.push(codec.decode(chunk)))))
          return EXIT_CODES.outputClosed;
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      printError(error.message);
      exitCode = EXIT_CODES.failed;
    }
    stream.push(codec.finish());
    if (!(await put(stream.end())) || !(await write(codec.tail))) return EXIT_CODES.outputClosed;
    if (options.signal.aborted) return EXIT_CODES.interrupted;
  }
  return exitCode;
}

/**
 * Writes bytes to standard output. Returns false if its reader has closed it; throws a {@link UserError} on other
 * errors.
 */
async function write(bytes: Uint8Array): Promise<boolean> {
  if (bytes.length === 0) return true;
  try {
    await writeTo(outputFile(), isTerminalOutput() ? escapeControlsInJson(new TextDecoder().decode(bytes)) : bytes);
    return true;
  } catch (error) {
    if (isBrokenPipe(error)) return false;
    throw new UserError(outputErrorText(error), { cause: error });
  }
}
