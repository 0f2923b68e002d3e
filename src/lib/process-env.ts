/** Environment variables by name. */
export type Env = Readonly<Record<string, string>>;

let snapshot: Env | undefined;

/** Returns the environment that this process was started with. Only {@link setOwnVariable} uses `process.env` too. */
export function processEnv(): Env {
  // A variable that is there has a value. Copying it otherwise takes three times as long (cold start).
  snapshot ??= { ...process.env } as Env;
  return snapshot;
}

/** Sets a variable that the processes started by this thread get, for code that starts them by itself. */
export function setOwnVariable(name: string, value: (outer: string | undefined) => string): void {
  process.env[name] = value(process.env[name]);
}

/**
 * Returns the spelling of a variable's name in the environment. Windows ignores case in names: `PATH` is usually `Path`
 * there.
 */
export function variableName(env: Env, name: string, platform: string = process.platform): string {
  if (platform !== "win32" || Object.hasOwn(env, name)) return name;
  return Object.keys(env).find((key) => key.toUpperCase() === name.toUpperCase()) ?? name;
}
