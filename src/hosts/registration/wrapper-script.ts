import { type DispatchCall, readDispatchCall, registeredLine } from "./own-command.ts";

/** Returns the text of an executable that calls hooksh for one event, for hosts that run a file named after it. */
export function wrapperScript(call: DispatchCall, platform: string): string {
  const line = registeredLine(call, platform);
  const note = `# Written by hooksh install ${call.dialect}; hooksh uninstall ${call.dialect} removes it.`;
  if (platform === "win32") return `${note}\n$input | & ${line}\nexit $LASTEXITCODE\n`;
  return `#!/bin/sh\n${note}\nexec ${line}\n`;
}

/**
 * Reads the call from a text that {@link wrapperScript} returned, also that of an earlier version. Undefined if the text is
 * another program.
 */
export function readWrapperScript(text: string, dialect: string): DispatchCall | undefined {
  const line = /^(?:exec |\$input \| & |answer=\$\()(.*?)(?:\) \|\| answer='[^']*')?$/m.exec(text)?.[1];
  return text.includes("# Written by hooksh install ") ? readDispatchCall(line, dialect) : undefined;
}
