type Native = (...args: unknown[]) => number;
type Signature = { args: readonly string[]; returns: string };
type Dlopen = (library: string, functions: Record<string, Signature>) => { symbols: Record<string, Native> };

/** The system's C library. musl answers to the name of glibc's. */
export const C_LIBRARY = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";

/**
 * A function of a system library. `Bun.FFI`, on which the documented `bun:ffi` is built, loads in a third of its time;
 * every cold dispatch pays for it. Throws if there is no such library or function.
 */
export function nativeFunction(library: string, name: string, signature: Signature): Native {
  const { dlopen } = (Bun as { FFI?: { dlopen: Dlopen } }).FFI ?? (require("bun:ffi") as { dlopen: Dlopen });
  const found = dlopen(library, { [name]: signature }).symbols[name];
  if (!found) throw new Error(`${library} has no function ${name}`);
  return found;
}
