/** What a command leads to. */
export const EFFECTS = [
  "fs-delete",
  "fs-overwrite",
  "fs-modify",
  "fs-permissions",
  "block-device",
  "git-discard",
  "git-history",
  "remote-code",
  "hidden-code",
  "containers",
  "kubernetes",
  "cloud",
  "infrastructure",
  "database",
  "remote-delete",
  "packages",
  "publish",
  "privilege",
  "system",
  "process",
  "persistence",
  "reveals",
  "sends",
  "fetches",
  "bypass",
  "delegates",
] as const;

export type Effect = (typeof EFFECTS)[number];

/** The categories of labels that have another name than their effect. */
const BY_CATEGORY: Readonly<Record<string, Effect>> = {
  "fs-secure-delete": "fs-delete",
  docker: "containers",
  "virtual-machine": "containers",
  "encoded-code": "hidden-code",
  package: "packages",
};

/** The effect of a category of labels; undefined for one without. */
export function effectOfCategory(category: string): Effect | undefined {
  return BY_CATEGORY[category] ?? EFFECTS.find((effect) => effect === category);
}
