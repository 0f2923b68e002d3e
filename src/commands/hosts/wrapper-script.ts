import type { HostFiles } from "../../dialects/host-file.ts";
import { type DispatchCall, dispatchWords, NO_ANSWER, readDispatchCall, shellLine } from "./own-command.ts";

/**
 * Returns the text of an executable that calls hooksh for one event, for hosts that run a file named after it. Such a
 * host reads only the JSON object that is printed.
 */
export function wrapperScript(call: DispatchCall, { failsOpen }: HostFiles, platform: string): string {
  const line = shellLine(dispatchWords(call), platform);
  const note = `# Written by hooksh install ${call.dialect}; hooksh uninstall ${call.dialect} removes it.`;
  if (platform === "win32") return `${note}\n$input | & ${line}\nexit $LASTEXITCODE\n`;
  if (!failsOpen?.includes(call.event)) return `#!/bin/sh\n${note}\nexec ${line}\n`;
  const refusal = JSON.stringify({ cancel: true, errorMessage: NO_ANSWER });
  return `#!/bin/sh\n${note}\nanswer=$(${line}) || answer='${refusal}'\nprintf %s "$answer"\n`;
}

/** Reads the call from a text that {@link wrapperScript} returned. Undefined if the text is another program. */
export function readWrapperScript(text: string, dialect: string): DispatchCall | undefined {
  const line = /^(?:exec |\$input \| & |answer=\$\()(.*?)(?:\) \|\| answer='[^']*')?$/m.exec(text)?.[1];
  return text.includes("# Written by hooksh install ") ? readDispatchCall(line, dialect) : undefined;
}
