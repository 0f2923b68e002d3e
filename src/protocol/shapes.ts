/** The problem of a model hook's schema or template, or nothing. */
export function checkModelHook(_hook: { prompt: string; schema: string }): string | undefined {
  return undefined;
}
