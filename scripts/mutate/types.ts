import { join } from "node:path";
import { API } from "typescript/unstable/async";

/** Checks whether a changed file still has correct types. */
export interface TypeChecker {
  accepts(file: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Messages about unused names: a mutant that leaves a name unused is not wrong for that reason. */
const UNUSED: ReadonlySet<number> = new Set([6133, 6192, 6196, 6198, 6199]);

/** Loads the project in a directory, which takes some seconds; each check afterwards takes a tenth of one. */
export async function openTypeChecker(root: string): Promise<TypeChecker> {
  const config = join(root, "tsconfig.json");
  const api = new API({ cwd: root });
  let snapshot = await api.updateSnapshot({ openProjects: [config] });
  return {
    accepts: async (file) => {
      const path = join(root, file);
      const previous = snapshot;
      snapshot = await api.updateSnapshot({ fileChanges: { changed: [path] } });
      await previous.dispose();
      const program = snapshot.getProject(config)?.program;
      const problems = (await program?.getSemanticDiagnostics(path)) ?? [];
      return problems.every(({ code }) => UNUSED.has(code));
    },
    close: () => api.close(),
  };
}
