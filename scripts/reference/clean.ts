/** Replaces what differs from one run to the next in captured values: directories, ids, times, ports. */

/**
 * Returns a function that returns values without what belongs to one run. `places` maps directories and addresses to what
 * stands for them. The same id always becomes the same text.
 */
export function cleaner(places: Readonly<Record<string, string>>): <T>(value: T) => T {
  const ids = new Map<string, string>();
  const shownId = (id: string) => {
    const shown = ids.get(id) ?? `5f0c1a7e-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`;
    ids.set(id, shown);
    return shown;
  };
  return <T>(value: T) => {
    let text = JSON.stringify(value);
    for (const [real, shown] of Object.entries(places)) text = text.replaceAll(real, shown);
    return JSON.parse(
      text
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, shownId)
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, "2026-11-22T09:30:00Z")
        .replace(/\bjob_\d+_(\d+)/g, "job_1795339800_$1")
        .replace(/\b1\d{18}\b/g, "1795339800000000000"),
    ) as T;
  };
}
