import { isObject } from "../../lib/json.ts";
import { STRICT_LIMITS } from "./dialects.ts";
import type { SchemaNode, SchemaTree } from "./schema-node.ts";

/** How strict mode treats optional properties of the root. */
export type OptionalProperties = "nullable" | "refused";

/**
 * Returns why OpenAI's strict mode would refuse a schema or change its meaning, naming the place; undefined if it may
 * be strict. If `optional` is `"nullable"`, optional properties of the root are no obstacle.
 */
export function strictObstacle(tree: SchemaTree, optional: OptionalProperties): string | undefined {
  const obstacle =
    nodeObstacle(tree.root, "", optional) ??
    [...tree.definitions].map(([name, node]) => nodeObstacle(node, `$defs.${name}`, "refused")).find(Boolean);
  return obstacle ?? sizeObstacle(tree);
}

function nodeObstacle(node: SchemaNode, path: string, optional: OptionalProperties): string | undefined {
  const at = path === "" ? "the root" : path;
  const inside = (name: string) => (path === "" ? name : `${path}.${name}`);
  if (node.conditions.length > 0) return `${at} has conditions`;
  if (node.ref !== undefined) return undefined;
  if (node.anyOf) {
    if (sharesFirstKey(node.anyOf)) return `${at} is a choice between objects that begin with the same key`;
    return firstObstacle(node.anyOf.map((branch, index) => [branch, inside(`anyOf[${index}]`)]));
  }
  if (!node.types) return `${at} has no type`;
  if (node.values?.some((value) => Array.isArray(value) || isObject(value)))
    return `${at} has values that are lists or objects`;
  if (node.tuple) return `${at} has a schema for each of its first items`;
  if (node.types.includes("array")) {
    const obstacle = node.items
      ? nodeObstacle(node.items, inside("items"), "refused")
      : `${at} does not say what its items are`;
    if (obstacle) return obstacle;
  }
  if (!node.types.includes("object")) return undefined;
  if (node.additional) return `${at} takes other properties than those it names`;
  if (!node.properties && node.additional === undefined && path !== "") return `${at} does not name its properties`;
  const properties = [...(node.properties ?? [])];
  const unknown = (node.required ?? []).find((name) => !node.properties?.has(name));
  if (unknown !== undefined) return `${at} requires ${JSON.stringify(unknown)}, which it does not describe`;
  const open = properties.find(([name]) => !(node.required ?? []).includes(name));
  if (open && optional !== "nullable") return `${at} does not require ${JSON.stringify(open[0])}`;
  return firstObstacle(properties.map(([name, property]) => [property, inside(`properties.${name}`)]));
}

function firstObstacle(nodes: readonly (readonly [SchemaNode, string])[]): string | undefined {
  for (const [node, path] of nodes) {
    const obstacle = nodeObstacle(node, path, "refused");
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

/** True if two branches of a choice start with the same key, by which strict mode selects a branch. */
function sharesFirstKey(branches: readonly SchemaNode[]): boolean {
  const firsts = branches.flatMap(({ properties }) => [...(properties ?? [])].slice(0, 1));
  return firsts.some(([name, { values }], index) =>
    firsts
      .slice(index + 1)
      .some(
        ([other, { values: others }]) =>
          name === other && !(values && others && !values.some((value) => others.includes(value))),
      ),
  );
}

function sizeObstacle({ root, definitions }: SchemaTree): string | undefined {
  const size = { properties: 0, values: 0, characters: [...definitions.keys()].join("").length, levels: 0 };
  const measure = (node: SchemaNode, level: number) => {
    const isObject = node.types?.includes("object") ?? false;
    const inner = isObject ? level + 1 : level;
    size.levels = Math.max(size.levels, inner);
    size.values += node.values?.length ?? 0;
    size.characters += (node.values ?? []).reduce<number>((sum, value) => sum + String(value).length, 0);
    for (const [name, property] of node.properties ?? []) {
      size.properties++;
      size.characters += name.length;
      measure(property, inner);
    }
    if (node.items) measure(node.items, inner);
    for (const branch of node.anyOf ?? []) measure(branch, inner);
  };
  for (const node of [root, ...definitions.values()]) measure(node, 0);
  if (size.levels > STRICT_LIMITS.levels) return `its objects nest ${size.levels} levels deep`;
  if (size.properties > STRICT_LIMITS.properties) return `it has ${size.properties} properties`;
  if (size.values > STRICT_LIMITS.enumValues) return `it has ${size.values} enum values`;
  return size.characters > STRICT_LIMITS.nameCharacters ? "its names and values are too long" : undefined;
}
