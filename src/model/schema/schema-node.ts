import { canonicalJson, isDeeperThan, isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** The types of JSON Schema. */
export const JSON_TYPES = ["string", "integer", "number", "boolean", "object", "array", "null"] as const;

export type JsonType = (typeof JSON_TYPES)[number];

/** A keyword that bounds or explains a single value, and its wording for descriptions. */
export interface Facet {
  /** The types that it bounds; empty if it applies to every type. */
  readonly types: readonly JsonType[];
  readonly accepts: (value: unknown) => boolean;
  readonly inWords: (value: Json) => string;
}

/** Maximum nesting of the values in a schema: those of `enum`, `default`, `examples` and conditions. */
export const VALUE_DEPTH = 8;

const NUMBERS: readonly JsonType[] = ["integer", "number"];
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value);
/** True for a non-empty string. */
export const isText = (value: unknown) => typeof value === "string" && value !== "";
const count = (types: readonly JsonType[], least: string, unit: string): Facet => ({
  types,
  accepts: isCount,
  inWords: (value) => `${least} ${String(value)} ${unit}${value === 1 ? "" : "s"}`,
});
const bound = (words: string): Facet => ({
  types: NUMBERS,
  accepts: isNumber,
  inWords: (value) => `${words} ${String(value)}`,
});

/** The single-value keywords of JSON Schema that help a model. */
export const FACETS = {
  minLength: count(["string"], "at least", "character"),
  maxLength: count(["string"], "at most", "character"),
  pattern: { types: ["string"], accepts: isRegExp, inWords: (value) => `must match ${String(value)}` },
  format: { types: ["string"], accepts: isText, inWords: (value) => `format: ${String(value)}` },
  minimum: bound("at least"),
  maximum: bound("at most"),
  exclusiveMinimum: bound("more than"),
  exclusiveMaximum: bound("less than"),
  multipleOf: {
    types: NUMBERS,
    accepts: (value) => isNumber(value) && Number(value) > 0,
    inWords: (value) => `a multiple of ${String(value)}`,
  },
  minItems: count(["array"], "at least", "item"),
  maxItems: count(["array"], "at most", "item"),
  uniqueItems: { types: ["array"], accepts: (value) => value === true, inWords: () => "no item twice" },
  minProperties: count(["object"], "at least", "key"),
  maxProperties: count(["object"], "at most", "key"),
  default: { types: [], accepts: isShallow, inWords: (value) => `default: ${JSON.stringify(value)}` },
  examples: {
    types: [],
    accepts: (value) => Array.isArray(value) && value.length > 0 && isShallow(value),
    inWords: (value) =>
      `for example ${[value]
        .flat()
        .map((item) => JSON.stringify(item))
        .join(", ")}`,
  },
  deprecated: { types: [], accepts: (value) => value === true, inWords: () => "deprecated" },
  title: { types: [], accepts: isText, inWords: () => "" },
} as const satisfies Record<string, Facet>;

export type FacetName = keyof typeof FACETS;

/**
 * A JSON Schema of any draft in one normal form: `allOf` is merged, `const` becomes an `enum` of one, `oneOf` becomes
 * `anyOf`, `nullable` becomes a type. A node is a reference, a choice, or a value. Keywords next to a choice are merged
 * into each of its branches.
 */
export interface SchemaNode {
  readonly description?: string;
  readonly facets: ReadonlyMap<FacetName, Json>;
  /** Keywords that only a validator can check, as JSON Schema: `not`, `if`, `propertyNames` ... */
  readonly conditions: readonly JsonObject[];
  /** A name in {@link SchemaTree.definitions}. */
  readonly ref?: string;
  readonly anyOf?: readonly SchemaNode[];
  /** Absent for a value of any type. */
  readonly types?: readonly JsonType[];
  /** The allowed values; any if absent. */
  readonly values?: readonly Json[];
  readonly properties?: ReadonlyMap<string, SchemaNode>;
  readonly required?: readonly string[];
  /** The schema of properties that `properties` does not name, or false if there are none; absent if unspecified. */
  readonly additional?: SchemaNode | false;
  readonly items?: SchemaNode;
  /** The schemas of the first items. */
  readonly tuple?: readonly SchemaNode[];
}

/** A schema and the definitions that it refers to. */
export interface SchemaTree {
  readonly root: SchemaNode;
  readonly definitions: ReadonlyMap<string, SchemaNode>;
}

/** A node that allows any value. */
export const ANY_VALUE: SchemaNode = { facets: new Map(), conditions: [] };

/** True if a node is neither a reference nor a choice, and has no types or values. */
export function isUntyped({ ref, anyOf, types, values }: SchemaNode): boolean {
  return ref === undefined && anyOf === undefined && types === undefined && values === undefined;
}

/** True if a node has no keywords at all. */
export function isUnconstrained(node: SchemaNode): boolean {
  return isShapeless(node) && node.facets.size === 0 && node.conditions.length === 0 && node.description === undefined;
}

/** True if a node sets no type, values, properties or items. */
export function isShapeless(node: SchemaNode): boolean {
  return (
    isUntyped(node) &&
    !node.properties &&
    !(node.required && node.required.length > 0) &&
    node.additional === undefined &&
    !node.items &&
    !node.tuple
  );
}

/** Returns the node with null as an additional value. */
export function withNull(node: SchemaNode): SchemaNode {
  if (isUntyped(node) || node.types?.includes("null")) return node;
  if (node.anyOf) {
    const takesNull = node.anyOf.some((branch) => branch.types?.includes("null"));
    return takesNull ? node : { ...node, anyOf: [...node.anyOf, NULL] };
  }
  if (node.ref !== undefined || !node.types) return choiceOf([withoutAnnotations(node), NULL], node);
  return {
    ...node,
    types: [...node.types, "null"],
    ...(node.values ? { values: [...node.values, null] } : {}),
  };
}

/** Returns the node without null among its values, unless null is the only one. */
export function withoutNull(node: SchemaNode): SchemaNode {
  if (node.anyOf) {
    const branches = node.anyOf.map(withoutNull).filter((branch) => !isNull(branch));
    const [first = ANY_VALUE] = branches;
    if (branches.length > 1) return { ...node, anyOf: branches };
    return branches.length === 0 ? node : withAnnotationsOf(first, node);
  }
  const types = node.types?.filter((type) => type !== "null");
  const values = node.values?.filter((value) => value !== null);
  if (!types || types.length === 0 || types.length === node.types?.length || values?.length === 0) return node;
  return { ...node, types, ...(values ? { values } : {}) };
}

const NULL: SchemaNode = { ...ANY_VALUE, types: ["null"] };

function isNull({ types }: SchemaNode): boolean {
  return types?.length === 1 && types[0] === "null";
}

function typesOf(values: readonly Json[]): readonly JsonType[] {
  const fraction = values.some((value) => typeof value === "number" && !Number.isInteger(value));
  const unused = fraction ? "integer" : "number";
  return JSON_TYPES.filter((type) => type !== unused && values.some((value) => hasType(value, type)));
}

/** True if a value has a type; every integer is also a number. */
export function hasType(value: Json, type: JsonType): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** Returns the facets that apply to values of these types. */
export function facetsForTypes(types: readonly JsonType[], facets: SchemaNode["facets"]): SchemaNode["facets"] {
  if (facets.size === 0) return facets;
  return new Map(
    [...facets].filter(([name]) => {
      const bounded: readonly JsonType[] = FACETS[name].types;
      return bounded.length === 0 || bounded.some((type) => types.includes(type));
    }),
  );
}

/** Returns the facets that bound a value. */
export function boundingFacets({ facets }: Pick<SchemaNode, "facets">): SchemaNode["facets"] {
  return new Map([...facets].filter(([name]) => FACETS[name].types.length > 0));
}

/** Returns the facets that do not bound a value: default, examples, deprecated and title. */
export function annotationFacets(facets: SchemaNode["facets"]): SchemaNode["facets"] {
  return new Map([...facets].filter(([name]) => FACETS[name].types.length === 0));
}

/** Returns a node with only the description, facets and conditions of another. */
export function annotationsOf({ description, facets, conditions }: SchemaNode): SchemaNode {
  return { facets, conditions, ...(description === undefined ? {} : { description }) };
}

function withoutAnnotations({ description: _description, ...node }: SchemaNode): SchemaNode {
  return { ...node, facets: boundingFacets(node), conditions: [] };
}

/** Adds the description, facets and conditions of `outer` to a node; those of `outer` take precedence. */
export function withAnnotationsOf(node: SchemaNode, outer: SchemaNode): SchemaNode {
  if (outer.description === undefined && outer.facets.size === 0 && outer.conditions.length === 0) return node;
  const description = outer.description ?? node.description;
  return {
    ...node,
    ...(description === undefined ? {} : { description }),
    facets: new Map([...node.facets, ...outer.facets]),
    conditions: uniteConditions(node.conditions, outer.conditions),
  };
}

/** Returns a choice with the annotations of another node. */
export function choiceOf(anyOf: readonly SchemaNode[], annotated: SchemaNode): SchemaNode {
  return normalizeNode({ ...annotationsOf(annotated), facets: annotationFacets(annotated.facets), anyOf });
}

/**
 * Normalizes a node: adds implied types, replaces a choice of one by its branch, and turns a null branch into a type.
 */
export function normalizeNode(node: SchemaNode): SchemaNode {
  if (node.ref !== undefined) return node;
  if (node.anyOf) return normalizeChoice(node, node.anyOf);
  const types = node.types ?? impliedTypes(node);
  const values = types && node.values?.filter((value) => types.some((type) => hasType(value, type)));
  const kept = values && values.length > 0 ? values : undefined;
  const { values: _values, ...rest } = node;
  return { ...rest, ...optionalField("types", types), ...optionalField("values", kept) };
}

function normalizeChoice(node: SchemaNode, anyOf: readonly SchemaNode[]): SchemaNode {
  const branches = anyOf.flatMap((branch) =>
    branch.anyOf && branch.description === undefined && branch.conditions.length === 0 ? branch.anyOf : [branch],
  );
  const others = branches.filter((branch) => !isNull(branch));
  const [only] = others;
  if (others.length === 1 && only) {
    const single = branches.length > 1 && only.ref === undefined && only.types ? withNull(only) : only;
    if (branches.length === 1 || single !== only) return withAnnotationsOf(single, node);
  }
  return listOfValues(branches, node) ?? { ...node, anyOf: branches };
}

/** Converts a choice between values of one type to a node with these values; undefined for other choices. */
function listOfValues(branches: readonly SchemaNode[], node: SchemaNode): SchemaNode | undefined {
  const [first] = branches;
  const [type] = first?.types ?? [];
  const isListed =
    type !== undefined &&
    branches.every(
      ({ types, values, description, facets, conditions }) =>
        types?.length === 1 &&
        types[0] === type &&
        values &&
        description === undefined &&
        facets.size === 0 &&
        conditions.length === 0,
    );
  if (!isListed) return undefined;
  const { anyOf: _anyOf, ...notes } = node;
  const values = branches.flatMap((branch) => branch.values ?? []);
  return {
    ...notes,
    types: [type],
    values: [...new Map(values.map((value) => [canonicalJson(value), value])).values()],
  };
}

function impliedTypes(node: SchemaNode): readonly JsonType[] | undefined {
  if (node.values) return typesOf(node.values);
  if (node.properties || node.required || node.additional !== undefined) return ["object"];
  if (node.items || node.tuple) return ["array"];
  const [first] = [...node.facets.keys()].map((name) => FACETS[name].types).filter((types) => types.length > 0);
  return first && [first.at(-1) ?? "string"];
}

/** Returns an object with the key, or an empty one if the value is undefined. */
export function optionalField<Key extends keyof SchemaNode>(
  key: Key,
  value: SchemaNode[Key] | undefined,
): Partial<SchemaNode> {
  return value === undefined ? {} : { [key]: value };
}

/** True if a value nests at most {@link VALUE_DEPTH} levels deep. */
export function isShallow(value: unknown): boolean {
  return !isDeeperThan(value, VALUE_DEPTH);
}

function isRegExp(value: unknown): boolean {
  if (typeof value !== "string" || value === "") return false;
  try {
    return Boolean(new RegExp(value, "u"));
  } catch {
    return false; // another dialect, or a mistake: no provider accepts it
  }
}

/** Returns the conditions of both lists. */
export function uniteConditions(first: readonly JsonObject[], second: readonly JsonObject[]): readonly JsonObject[] {
  return second.length === 0 ? first : [...first, ...second.filter((condition) => !first.includes(condition))];
}
