import { UserError } from "./errors.ts";

/**
 * Loads a package that is large and that few programs need: it is part of the executable, but not installed with the
 * library. Throws a {@link UserError} that says what to install.
 */
export async function optionalPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new UserError(`the package ${JSON.stringify(name)} is not installed: npm install ${name}`, { cause: error });
  }
}
