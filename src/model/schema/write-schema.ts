import type { Json, JsonObject } from "../../lib/json.ts";
import { SCHEMA_DIALECTS, type SchemaDialect } from "./dialects.ts";
import {
  ANY_VALUE,
  annotationFacets,
  boundingFacets,
  FACETS,
  type FacetName,
  facetsForTypes,
  hasType,
  isUntyped,
  JSON_TYPES,
  type JsonType,
  type SchemaNode,
  type SchemaTree,
  withNull,
  withoutNull,
} from "./schema-node.ts";

/** Maximum number of nodes with details in a written schema; further ones have only type and description. */
const MAX_WRITTEN = 3000;
const MAX_LEVELS = 32;
const MAX_NOTE = 600;

/** Options for writing a schema, besides its dialect. */
export interface WriteOptions {
  /** True if every property is required, and no object allows additional ones. */
  readonly closed?: boolean;
  /** True for the schema of an answer: its nulls are kept, and its root needs no `properties`. */
  readonly isOutput?: boolean;
}

/** Writes a schema in a dialect; keywords that the dialect lacks go into descriptions. */
export function writeSchema(tree: SchemaTree, dialect: SchemaDialect, options: WriteOptions): JsonObject {
  return new Writer(tree, dialect, options).schema();
}

/** Writes one schema in one dialect. */
class Writer {
  readonly #tree: SchemaTree;
  readonly #dialect: SchemaDialect;
  readonly #closed: boolean;
  readonly #isTool: boolean;
  readonly #used = new Map<string, JsonObject>();
  readonly #waiting: string[] = [];
  #written = 0;

  constructor(tree: SchemaTree, dialect: SchemaDialect, { closed = false, isOutput = false }: WriteOptions) {
    this.#tree = tree;
    this.#dialect = dialect;
    this.#closed = closed;
    this.#isTool = !isOutput;
  }

  schema(): JsonObject {
    const root = this.#node(this.#tree.root, []);
    for (let name = this.#waiting.pop(); name !== undefined; name = this.#waiting.pop()) {
      this.#used.set(name, this.#node(this.#tree.definitions.get(name) ?? ANY_VALUE, [name]));
    }
    return this.#used.size > 0 ? { ...root, $defs: Object.fromEntries(this.#used) } : root;
  }

  /** `trail` has an entry for each level, outermost first: the name of a definition being written, or "". */
  #node(node: SchemaNode, trail: readonly string[]): JsonObject {
    if (++this.#written > MAX_WRITTEN || trail.length > MAX_LEVELS) return this.#cut(node);
    if (node.ref !== undefined) return this.#reference(node, node.ref, trail);
    if (node.anyOf)
      return described({ anyOf: node.anyOf.map((branch) => this.#node(branch, deeper(trail))) }, notes(node, []));
    if (isUntyped(node)) return this.#untyped(node, trail);
    const types = node.types ?? [];
    if (this.#mustSplit(node)) return this.#split(node, trail);
    return described(this.#shape(node, types, trail), [
      ...notes(node, this.#dialect.facets, this.#dialect.formats),
      ...this.#remarks(node),
    ]);
  }

  #reference(node: SchemaNode, name: string, trail: readonly string[]): JsonObject {
    if (this.#dialect.allowsReferences) {
      if (!this.#used.has(name)) {
        this.#used.set(name, {});
        this.#waiting.push(name);
      }
      const pointer = { $ref: `#/$defs/${name}` };
      const words = notes(node, []);
      return words.length === 0 ? pointer : described({ anyOf: [pointer] }, words);
    }
    const target = this.#tree.definitions.get(name) ?? ANY_VALUE;
    if (trail.includes(name))
      return this.#cut({ ...target, description: node.description ?? `built like the ${name} around it` });
    const inner = this.#node(target, [...trail, name]);
    const words = notes(node, []);
    return words.length === 0 ? inner : described(withoutDescription(inner), words, inner["description"]);
  }

  /** Writes only the type and description of a node. */
  #cut(node: SchemaNode): JsonObject {
    const [type] = node.types ?? [];
    const bare: SchemaNode = {
      ...ANY_VALUE,
      ...(node.description === undefined ? {} : { description: node.description }),
    };
    if (type === undefined) return described(this.#dialect.allowsUntyped ? {} : { type: "object" }, notes(bare, []));
    return described(type === "array" ? { type, items: {} } : { type }, notes(bare, []));
  }

  #untyped(node: SchemaNode, trail: readonly string[]): JsonObject {
    const words = notes(node, []);
    if (this.#dialect.allowsUntyped) return described({}, words);
    const branches = JSON_TYPES.filter((type) => type !== "integer").map((type) =>
      this.#shape({ ...ANY_VALUE, types: [type] }, [type], trail),
    );
    return described({ anyOf: branches }, words);
  }

  /** True if the dialect accepts the types or values of a node only in separate branches. */
  #mustSplit({ types = [], values }: SchemaNode): boolean {
    if (types.length > 1 && !this.#dialect.allowsTypeLists) return true;
    return types.length > 1 && values !== undefined && this.#dialect.enums === "scalars";
  }

  #split(node: SchemaNode, trail: readonly string[]): JsonObject {
    const branches = (node.types ?? []).flatMap((type): JsonObject[] => {
      const values = node.values?.filter((value) => hasType(value, type));
      if (values?.length === 0) return [];
      const part: SchemaNode = {
        ...only(node, type),
        types: [type],
        facets: facetsForTypes([type], boundingFacets(node)),
        conditions: [],
      };
      const { description: _said, ...undescribed } = values ? { ...part, values } : part;
      return [this.#node(undescribed, deeper(trail))];
    });
    const outer = { ...node, facets: annotationFacets(node.facets) };
    const [single] = branches;
    const words = notes(outer, []);
    return branches.length === 1 && single
      ? described(single, words, single["description"])
      : described({ anyOf: branches }, words);
  }

  #shape(node: SchemaNode, types: readonly JsonType[], trail: readonly string[]): JsonObject {
    const [type = "object"] = types;
    return {
      type: types.length > 1 ? types : type,
      ...this.#values(node, type),
      ...keptFacets(node, types, this.#dialect),
      ...(types.includes("array") ? this.#items(node, trail) : {}),
      ...(types.includes("object") ? this.#properties(node, trail) : {}),
    };
  }

  #values({ values }: SchemaNode, type: JsonType): JsonObject {
    if (!values) return {};
    const scalar = type === "string" || type === "integer" || type === "number";
    return this.#dialect.enums === "any" || scalar ? { enum: values } : {};
  }

  #items({ items, tuple }: SchemaNode, trail: readonly string[]): JsonObject {
    const below = deeper(trail);
    if (!tuple) return items ? { items: this.#node(items, below) } : this.#dialect.allowsUntyped ? { items: {} } : {};
    if (this.#dialect.allowsTuples) {
      const rest = items ? { items: this.#node(items, below) } : {};
      return { prefixItems: tuple.map((item) => this.#node(item, below)), ...rest };
    }
    const kinds = [...tuple, ...(items ? [items] : [])];
    const [first = ANY_VALUE] = kinds;
    return {
      items: kinds.length === 1 ? this.#node(first, below) : { anyOf: kinds.map((item) => this.#node(item, below)) },
    };
  }

  #properties(node: SchemaNode, trail: readonly string[]): JsonObject {
    const isRoot = node === this.#tree.root;
    const required = new Set(node.required);
    const { propertyNames } = this.#dialect;
    const named = [...(node.properties ?? [])].filter(([name]) => propertyNames?.test(name) ?? true);
    const closed = this.#closed && (isRoot || node.properties !== undefined);
    const properties = named.map(([name, property]) => {
      const fitted = isRoot && this.#isTool && !required.has(name) ? this.#optionalArgument(property) : property;
      return [name, this.#node(fitted, deeper(trail))] as const;
    });
    const listed = closed
      ? named.map(([name]) => name)
      : named.map(([name]) => name).filter((name) => required.has(name));
    const hidden = named.length < (node.properties?.size ?? 0);
    return {
      ...((node.properties ?? (isRoot && this.#isTool)) ? { properties: Object.fromEntries(properties) } : {}),
      ...(closed || listed.length > 0 ? { required: listed } : {}),
      ...(hidden ? { additionalProperties: true } : this.#additional(node, closed, trail)),
    };
  }

  #additional({ additional }: SchemaNode, closed: boolean, trail: readonly string[]): JsonObject {
    if (closed || additional === false) return { additionalProperties: false };
    if (additional === undefined) return {};
    return {
      additionalProperties:
        isUntyped(additional) && additional.conditions.length === 0 ? true : this.#node(additional, deeper(trail)),
    };
  }

  /** Returns the schema of an optional argument; the runtime drops its null before the tool sees it. */
  #optionalArgument(property: SchemaNode): SchemaNode {
    return this.#closed || this.#dialect.nullsForOptional ? withNull(property) : withoutNull(property);
  }

  /** Returns remarks for the keywords of a node that the dialect lacks. */
  #remarks(node: SchemaNode): string[] {
    const { types = [], values, tuple, properties } = node;
    const [type = "object"] = types;
    const unlisted = values && type !== "null" && this.#values(node, type)["enum"] === undefined;
    const unnamed = [...(properties ?? [])].filter(([name]) => !(this.#dialect.propertyNames?.test(name) ?? true));
    const required = unnamed.map(([name]) => name).filter((name) => node.required?.includes(name));
    const bare = (node.required ?? []).filter((name) => !properties?.has(name));
    return [
      ...bare.map((name) => `must have the key ${JSON.stringify(name)}`),
      ...(unlisted ? [`one of ${values.map((value) => JSON.stringify(value)).join(", ")}`] : []),
      ...(tuple && !this.#dialect.allowsTuples ? [`the first ${tuple.length} items differ from each other`] : []),
      ...unnamed.map(([name, property]) => {
        const schema = JSON.stringify(
          new Writer({ ...this.#tree, root: property }, SCHEMA_DIALECTS.common, { isOutput: true }).schema(),
        );
        return `takes the key ${JSON.stringify(name)} too${required.includes(name) ? ", which is required" : ""}: ${clipped(schema)}`;
      }),
    ];
  }
}

function deeper(trail: readonly string[]): readonly string[] {
  return [...trail, ""];
}

function only(node: SchemaNode, type: JsonType): SchemaNode {
  const { properties, required, additional, items, tuple, values: _values, ...rest } = node;
  if (type === "object") return { ...rest, ...defined({ properties, required, additional }) };
  return type === "array" ? { ...rest, ...defined({ items, tuple }) } : rest;
}

function defined<Part extends object>(part: Part): { [Key in keyof Part]: Exclude<Part[Key], undefined> } {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Part]: Exclude<Part[Key], undefined>;
  };
}

function keptFacets(
  { facets }: SchemaNode,
  types: readonly JsonType[],
  { facets: taken, formats }: SchemaDialect,
): JsonObject {
  return Object.fromEntries(
    [...facetsForTypes(types, facets)].filter(([name, value]) => isTaken(name, value, taken, formats)),
  );
}

function isTaken(name: FacetName, value: Json, taken: readonly FacetName[], formats?: readonly string[]): boolean {
  if (!taken.includes(name)) return false;
  if (name === "format") return formats?.includes(String(value)) ?? true;
  return name !== "pattern" || isPlainPattern(String(value));
}

/** Providers compile patterns into automata, which support neither lookaround nor backreferences. */
function isPlainPattern(pattern: string): boolean {
  return !/\(\?[=!<]|\\[1-9kpP]/.test(pattern);
}

/**
 * Returns the description of a node, and remarks for its conditions and for facets that are not written as keywords.
 */
function notes(node: SchemaNode, taken: readonly FacetName[], formats?: readonly string[]): string[] {
  if (node.facets.size === 0 && node.conditions.length === 0)
    return node.description === undefined ? [] : [node.description];
  const types = node.types ?? JSON_TYPES;
  const facets = [...facetsForTypes(types, node.facets)].filter(
    ([name, value]) => !isTaken(name, value, taken, formats),
  );
  const words = facets.map(([name, value]) => clipped(FACETS[name].inWords(value))).filter((text) => text !== "");
  const remarks = [...words, ...node.conditions.map(conditionInWords)];
  return node.description === undefined && remarks.length === 0 ? [] : [node.description ?? "", ...new Set(remarks)];
}

function conditionInWords(condition: JsonObject): string {
  if (typeof condition["$comment"] === "string") return "further conditions apply";
  const text = JSON.stringify(condition);
  return text.length > MAX_NOTE ? "further conditions apply" : `must satisfy the JSON Schema ${text}`;
}

function clipped(text: string): string {
  return text.length > MAX_NOTE ? `${text.slice(0, MAX_NOTE)}...` : text;
}

/** Returns the schema with a description that combines a text and remarks. */
function described(schema: JsonObject, words: readonly string[], inner?: Json): JsonObject {
  const [text = "", ...remarks] = words;
  const own = text === "" && typeof inner === "string" ? inner : text;
  const remark = remarks.join("; ");
  const whole = remark === "" ? own : own === "" ? remark : `${own} (${remark})`;
  return whole === "" ? schema : { ...schema, description: whole };
}

function withoutDescription({ description: _description, ...schema }: JsonObject): JsonObject {
  return schema;
}
