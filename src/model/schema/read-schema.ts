import { isObject, type JsonObject } from "../../lib/json.ts";
import {
  intersectTypes,
  intersectValues,
  mergeAnnotations,
  uniteNames,
  uniteValues,
  withoutReference,
} from "./merge-nodes.ts";
import {
  FURTHER_CONDITIONS,
  readAdditional,
  readConditions,
  readFacets,
  readItems,
  readRequired,
  readTypes,
  readValues,
} from "./read-keywords.ts";
import {
  ANY_VALUE,
  annotationsOf,
  boundingFacets,
  choiceOf,
  facetsForTypes,
  isShapeless,
  isText,
  isUnconstrained,
  normalizeNode,
  optionalField,
  type SchemaNode,
  type SchemaTree,
  withAnnotationsOf,
} from "./schema-node.ts";

type Draft = { -readonly [Key in keyof SchemaNode]: SchemaNode[Key] };

const MAX_DEPTH = 24;
const MAX_NODES = 10_000;
const MAX_CHOICES = 16;
const MAX_SHARED_PROPERTIES = 20;

/**
 * Reads an unchecked JSON Schema. Ignores keywords that are unknown or of a wrong type. Broken references, and nodes
 * deeper than 24 levels or after the 10,000th, allow any value. The root becomes an object without choices: those of
 * the given schema become optional properties and a condition. Never throws.
 */
export function readSchema(schema: unknown): SchemaTree {
  const reader = new Reader(isObject(schema) ? schema : {});
  const root = rootObject(reader.read(schema, 0), reader);
  reader.readReferences();
  return { root, definitions: reader.definitions };
}

/** Reads the nodes of one schema, each definition once. */
class Reader {
  readonly definitions = new Map<string, SchemaNode>();
  readonly #schema: Readonly<Record<string, unknown>>;
  /** The names of the definitions by their pointers, and the reverse. */
  readonly #names = new Map<string, string>();
  readonly #pointers = new Map<string, string>();
  readonly #waiting: string[] = [];
  readonly #open = new Set<string>();
  #nodes = 0;

  constructor(schema: Readonly<Record<string, unknown>>) {
    this.#schema = schema;
  }

  read(value: unknown, depth: number): SchemaNode {
    if (!isObject(value) || depth > MAX_DEPTH || this.#spend()) return ANY_VALUE;
    const own = this.#own(value, depth);
    const all = Array.isArray(value["allOf"]) ? value["allOf"].map((part) => this.read(part, depth + 1)) : [];
    const reference = this.#reference(value, depth);
    if (all.length === 0 && !reference) return own;
    const parts = [own, ...(reference ? [reference] : []), ...all];
    const substantial = parts.filter((part) => part !== reference && !isUnconstrained(part));
    // A reference stays one if only a description is next to it.
    if (reference?.ref !== undefined && substantial.every((part) => part === own && isShapeless(part)))
      return withAnnotationsOf(reference, own);
    return parts.slice(1).reduce((node, part) => this.merge(node, this.resolve(part, depth), depth), own);
  }

  /** Reads the definitions of all references so far. */
  readReferences(): void {
    for (let pointer = this.#waiting.pop(); pointer !== undefined; pointer = this.#waiting.pop())
      this.#define(pointer, 0);
  }

  /** Follows a chain of references to its node; a circular chain allows any value. */
  resolve(node: SchemaNode, depth: number): SchemaNode {
    const seen = new Set<string>();
    let current = node;
    while (current.ref !== undefined) {
      const name = current.ref;
      const pointer = this.#pointers.get(name);
      if (seen.has(name) || pointer === undefined || depth > MAX_DEPTH) return annotationsOf(current);
      seen.add(name);
      current = withAnnotationsOf(this.#define(pointer, depth + 1), current);
    }
    return current;
  }

  /** Returns the node for values that match both. If they contradict each other, the first counts. */
  merge(first: SchemaNode, second: SchemaNode, depth: number): SchemaNode {
    if (isUnconstrained(second)) return first;
    if (isUnconstrained(first)) return second;
    if (depth > MAX_DEPTH || this.#spend()) return first;
    const [left, right] = [this.resolve(first, depth), this.resolve(second, depth)];
    const merged: Draft = {
      ...withoutReference(left),
      ...mergeAnnotations(left, right),
      ...optionalField("types", intersectTypes(left.types, right.types)),
      ...optionalField("values", intersectValues(left.values, right.values)),
      ...optionalField("properties", this.#mergeMaps(left.properties, right.properties, depth + 1)),
      ...optionalField("required", uniteNames(left.required, right.required)),
      ...optionalField("additional", this.#mergeAdditional(left.additional, right.additional, depth + 1)),
      ...optionalField("items", this.#mergeOptional(left.items, right.items, depth + 1)),
      ...optionalField("tuple", left.tuple ?? right.tuple),
      ...optionalField("anyOf", left.anyOf ?? right.anyOf),
    };
    if (left.anyOf && right.anyOf) {
      const pairs = left.anyOf.length * right.anyOf.length <= MAX_CHOICES;
      if (!pairs) merged.conditions = [...merged.conditions, FURTHER_CONDITIONS];
      else {
        const others = right.anyOf;
        merged.anyOf = left.anyOf.flatMap((one) => others.map((other) => this.merge(one, other, depth + 1)));
      }
    }
    return this.#distribute(normalizeNode(merged), depth);
  }

  /** Moves the keywords next to a choice into its branches. */
  #distribute(node: SchemaNode, depth: number): SchemaNode {
    const { anyOf, description: _description, ...rest } = node;
    const base = normalizeNode({ ...rest, facets: boundingFacets(rest), conditions: [] });
    if (!anyOf || isUnconstrained(base)) return node;
    const onlyRequires = anyOf.every((branch) => isShapeless({ ...branch, required: [] }));
    const heavy = (node.properties?.size ?? 0) > MAX_SHARED_PROPERTIES || anyOf.length > MAX_CHOICES;
    if (onlyRequires || heavy) return flattenChoice(node, this, depth);
    return choiceOf(
      anyOf.map((branch) => this.merge(branch, base, depth + 1)),
      node,
    );
  }

  #spend(): boolean {
    return ++this.#nodes > MAX_NODES;
  }

  #own(value: Readonly<Record<string, unknown>>, depth: number): SchemaNode {
    const inner = (inside: unknown) => this.read(inside, depth + 1);
    const list = (name: string) => {
      const branches: unknown = value[name];
      return Array.isArray(branches) && branches.length > 0 ? branches.filter((branch) => branch !== false) : undefined;
    };
    const properties = isObject(value["properties"])
      ? new Map(Object.entries(value["properties"]).filter(([, schema]) => schema !== false))
      : undefined;
    const { additional, conditions } = readAdditional(value);
    const { items, tuple } = readItems(value);
    const choices = [list("anyOf"), list("oneOf")].filter((branches) => branches !== undefined);
    const [first, second] = choices.map((branches) => branches.map(inner));
    const node: SchemaNode = {
      ...(isText(value["description"]) ? { description: String(value["description"]) } : {}),
      facets: readFacets(value),
      conditions: [...conditions, ...readConditions(value)],
      ...optionalField("types", readTypes(value)),
      ...optionalField("values", readValues(value)),
      ...optionalField(
        "properties",
        properties && new Map([...properties].map(([name, schema]) => [name, inner(schema)])),
      ),
      ...optionalField("required", readRequired(value)),
      ...optionalField("additional", additional === undefined || additional === false ? additional : inner(additional)),
      ...optionalField("items", items === undefined ? undefined : inner(items)),
      ...optionalField("tuple", tuple?.map(inner)),
      ...optionalField("anyOf", first),
    };
    const whole = second ? this.merge(node, { ...ANY_VALUE, anyOf: second }, depth + 1) : node;
    return this.#distribute(normalizeNode(whole), depth);
  }

  /** Returns the reference of a node; any value for a broken one, undefined for a node without a reference. */
  #reference(value: Readonly<Record<string, unknown>>, depth: number): SchemaNode | undefined {
    const written = value["$ref"] ?? value["$recursiveRef"] ?? value["$dynamicRef"];
    if (typeof written !== "string" || depth > MAX_DEPTH) return undefined;
    const id: unknown = this.#schema["$id"] ?? this.#schema["id"];
    const pointer = typeof id === "string" && written.startsWith(`${id}#`) ? written.slice(id.length) : written;
    if (this.#find(pointer) === undefined) return { ...ANY_VALUE, conditions: [{ $ref: written }] };
    const known = this.#names.get(pointer);
    if (known !== undefined) return { ...ANY_VALUE, ref: known };
    const name = this.#freeName(pointer);
    this.#names.set(pointer, name);
    this.#pointers.set(name, pointer);
    this.#waiting.push(pointer);
    return { ...ANY_VALUE, ref: name };
  }

  #freeName(pointer: string): string {
    const last =
      pointer
        .split("/")
        .at(-1)
        ?.replace(/[^A-Za-z0-9_-]/g, "_")
        .slice(0, 40) ?? "";
    const base = pointer === "#" || last === "" ? "root" : last;
    for (let number = 1; ; number++) {
      const name = number === 1 ? base : `${base}_${number}`;
      if (!this.#pointers.has(name)) return name;
    }
  }

  #define(pointer: string, depth: number): SchemaNode {
    const name = this.#names.get(pointer) ?? "";
    const known = this.definitions.get(name);
    if (known) return known;
    if (this.#open.has(pointer)) return ANY_VALUE;
    this.#open.add(pointer);
    const read = this.read(this.#find(pointer), depth);
    const node = read.ref === undefined ? read : this.resolve(read, depth);
    this.definitions.set(name, node);
    this.#open.delete(pointer);
    return node;
  }

  /** Returns the target of a JSON pointer such as `#/$defs/a~1b`. */
  #find(pointer: string): unknown {
    if (pointer === "#") return this.#schema;
    if (!pointer.startsWith("#/")) return undefined;
    let current: unknown = this.#schema;
    for (const part of pointer.slice(2).split("/")) {
      const key = decode(part);
      if (Array.isArray(current)) current = (current as readonly unknown[])[Number(key)];
      else current = isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
    }
    return isObject(current) || typeof current === "boolean" ? current : undefined;
  }

  #mergeMaps(
    first: SchemaNode["properties"],
    second: SchemaNode["properties"],
    depth: number,
  ): SchemaNode["properties"] | undefined {
    if (!first || !second) return first ?? second;
    const merged = new Map(first);
    for (const [name, node] of second) merged.set(name, this.merge(first.get(name) ?? ANY_VALUE, node, depth));
    return merged;
  }

  #mergeOptional(first: SchemaNode | undefined, second: SchemaNode | undefined, depth: number): SchemaNode | undefined {
    return first && second ? this.merge(first, second, depth) : (first ?? second);
  }

  #mergeAdditional(
    first: SchemaNode["additional"],
    second: SchemaNode["additional"],
    depth: number,
  ): SchemaNode["additional"] {
    if (first === false || second === false) return false;
    return this.#mergeOptional(first, second, depth);
  }
}

/**
 * Converts a node to an object, as arguments must be. A choice becomes the properties of all branches and a condition.
 */
function rootObject(node: SchemaNode, reader: Reader): SchemaNode {
  const resolved = reader.resolve(node, 0);
  const single = resolved.anyOf ? flattenChoice(resolved, reader, 0) : resolved;
  const { ref: _ref, anyOf: _anyOf, values: _values, items: _items, tuple: _tuple, ...object } = single;
  return { ...object, facets: facetsForTypes(["object"], single.facets), types: ["object"] };
}

/**
 * Converts a choice between objects to one object with the properties of all branches. It requires those that every
 * branch requires; a condition lists the demands of each branch.
 */
function flattenChoice(node: SchemaNode, reader: Reader, depth: number): SchemaNode {
  const { anyOf = [], ...base } = node;
  const branches = anyOf
    .map((branch) => reader.resolve(branch, depth))
    .filter(({ anyOf: inner, types }) => inner !== undefined || (types ?? ["object"]).includes("object"));
  const properties = new Map(base.properties);
  for (const branch of branches.flatMap(branchesOf)) {
    for (const [name, schema] of branch.properties ?? []) {
      const known = properties.get(name);
      if (known && base.properties?.has(name)) continue;
      properties.set(name, known ? eitherOf(known, schema) : schema);
    }
  }
  const always = branches.map((branch) => new Set(branch.required));
  const shared = [...(always[0] ?? [])].filter((name) => always.every((names) => names.has(name)));
  const forms = branches.map((branch) => formOf(branch, base.required ?? []));
  const branchesDiffer = forms.length > 1 && forms.some((form) => Object.keys(form).length > 0);
  const closed =
    base.additional === false ||
    (base.additional === undefined && branches.length > 0 && branches.every((branch) => branch.additional === false));
  return {
    ...base,
    types: base.types ?? ["object"],
    ...(properties.size > 0 ? { properties } : {}),
    ...optionalField("required", uniteNames(base.required, shared)),
    ...(closed ? { additional: false } : {}),
    conditions: [...base.conditions, ...(branchesDiffer ? [{ anyOf: forms }] : [])],
  };
}

function branchesOf(node: SchemaNode): readonly SchemaNode[] {
  return node.anyOf ?? [node];
}

/** Summarizes a branch of a choice: the properties that it alone requires, and its fixed values. */
function formOf(branch: SchemaNode, required: readonly string[]): JsonObject {
  const own = (branch.required ?? []).filter((name) => !required.includes(name));
  const fixed = [...(branch.properties ?? [])].flatMap(([name, { values }]) =>
    values?.length === 1 ? [[name, { const: values[0] ?? null }] as const] : [],
  );
  return {
    ...(fixed.length > 0 ? { properties: Object.fromEntries(fixed) } : {}),
    ...(own.length > 0 ? { required: own } : {}),
  };
}

function eitherOf(first: SchemaNode, second: SchemaNode): SchemaNode {
  if (first === second) return first;
  const single = first.types?.length === 1 && second.types?.length === 1 && first.types[0] === second.types[0];
  if (single && first.values && second.values) return { ...first, values: uniteValues(first.values, second.values) };
  const branches = [...branchesOf(first), ...branchesOf(second)];
  return branches.length > MAX_CHOICES ? first : normalizeNode({ ...ANY_VALUE, anyOf: branches });
}

function decode(part: string): string {
  const unescaped = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped; // the percent sign is part of the name
  }
}
