import type { Redactor } from "./redact.ts";

/**
 * A copy of a JSON value with every string in it redacted, at any depth; keys are left. The same value when nothing was
 * found. Never throws, however deep the value is.
 */
export function redactDeep(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.redact(value);
  return isContainer(value) && holdsSecret(value, redactor) ? copyRedacted(value, redactor) : value;
}

type Container = Record<string, unknown> | unknown[];

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function holdsSecret(root: Container, redactor: Redactor): boolean {
  const open: Container[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const value of Object.values(next)) {
      if (typeof value === "string" && redactor.redact(value) !== value) return true;
      if (isContainer(value)) open.push(value);
    }
  }
  return false;
}

/** Copies level by level with a list of what is still to be copied, so that depth costs no stack. */
function copyRedacted(root: Container, redactor: Redactor): Container {
  const copy = emptyLike(root);
  const open: [Container, Container][] = [[root, copy]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, target] = next;
    for (const [key, value] of Object.entries(source)) {
      const twin = isContainer(value) ? emptyLike(value) : redactString(value, redactor);
      Object.defineProperty(target, key, { value: twin, writable: true, enumerable: true, configurable: true });
      if (isContainer(value) && isContainer(twin)) open.push([value, twin]);
    }
  }
  return copy;
}

function emptyLike(container: Container): Container {
  return Array.isArray(container) ? [] : {};
}

function redactString(value: unknown, redactor: Redactor): unknown {
  return typeof value === "string" ? redactor.redact(value) : value;
}
