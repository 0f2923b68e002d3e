import type { Redactor } from "./redact.ts";

/**
 * Returns a copy of a JSON value in which every string is redacted, at any depth, except keys; the value itself if
 * nothing was found. Redacts each string once. Never throws, however deep the value is.
 */
export function redactDeep(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (!isContainer(value)) return value;
  const changes = changesIn(value, redactor);
  return changes.size === 0 ? value : copyWith(value, changes);
}

type Container = Record<string, unknown> | unknown[];

/** The redacted strings, by the object or list that holds them and their key there. */
type Changes = Map<Container, Map<string, string>>;

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function changesIn(root: Container, redactor: Redactor): Changes {
  const changes: Changes = new Map();
  const open: Container[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, value] of Object.entries(next)) {
      if (isContainer(value)) open.push(value);
      else if (typeof value === "string") {
        const redacted = redactor.redact(value);
        if (redacted !== value) changes.set(next, (changes.get(next) ?? new Map<string, string>()).set(key, redacted));
      }
    }
  }
  return changes;
}

/** Copies level by level from a work list, so that depth uses no stack. */
function copyWith(root: Container, changes: Changes): Container {
  const copy = emptyLike(root);
  const open: [Container, Container][] = [[root, copy]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, target] = next;
    const changed = changes.get(source);
    for (const [key, value] of Object.entries(source)) {
      const twin = isContainer(value) ? emptyLike(value) : (changed?.get(key) ?? value);
      Object.defineProperty(target, key, { value: twin, writable: true, enumerable: true, configurable: true });
      if (isContainer(value) && isContainer(twin)) open.push([value, twin]);
    }
  }
  return copy;
}

function emptyLike(container: Container): Container {
  return Array.isArray(container) ? [] : {};
}
