import { statSync } from "node:fs";
import { dirname } from "node:path";
import { memoize } from "../../lib/once.ts";
import { HOLE } from "../../shell/steps/invocation.ts";
import type { Fit } from "../facts.ts";
import { expandGlob } from "../files/expand-glob.ts";
import type { Place } from "../place.ts";
import { formsOf, isWithin, type Need, openAt, type PathForm } from "./path-form.ts";

/** A word that stands for all that a directory holds, with or without hidden files: `*`, `.*`, `.[!.]*`, `?*`. */
const EVERYTHING = /^(?=.*\*)\.?(?:\*|\?|\[[!^]\.\])+$/;

/** The directories in which every entry is a root. */
const OF_ROOTS = new Set(["/", "/home", "/Users"]);

/**
 * Whether a path is one of the directories whose removal ruins a machine, an account or a project, or all that one of them
 * holds at once.
 */
export function fitsRoots(form: PathForm, need: Need, place: Place): Fit {
  const { path, extent } = form;
  if (form.elsewhere || extent === "below") return "none";
  const open = openAt(form);
  if (open < 0) {
    const isAbove = need === "either" && extent !== "itself" && ownRoots(place).some((root) => isWithin(root, path));
    return isRoot(path, place) || isAbove ? "all" : "none";
  }
  const cut = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, cut) || "/", path.slice(cut + 1)];
  if (!path.includes(HOLE)) return fitsGlob(form, folder, name, need, place);
  if (open === 0) return "unknown";
  if (openAt({ path: folder, glob: form.glob }) >= 0) {
    const fit = EVERYTHING.test(name) ? fitsRoots({ ...form, path: folder }, need, place) : "none";
    return fit === "all" ? "some" : fit;
  }
  if (EVERYTHING.test(name) && isRoot(folder, place)) return "all";
  if (OF_ROOTS.has(folder)) return "some";
  const start = name.slice(0, name.indexOf(HOLE));
  const near = ownRoots(place).filter((root) => dirname(root) === folder && root.startsWith(`${folder}/${start}`));
  return near.length === 0 ? "none" : start === "" ? "unknown" : "some";
}

function fitsGlob(form: PathForm, folder: string, name: string, need: Need, place: Place): Fit {
  if (EVERYTHING.test(name)) {
    // `/*/*` is all of what the directories directly below `/` hold.
    const isAll = EVERYTHING.test(folder.slice(folder.lastIndexOf("/") + 1));
    const holders = isAll ? OF_ROOTS.has(dirname(folder)) : isRoot(folder, place);
    if (holders) return "all";
  }
  const { paths, complete } = expandGlob(form.path);
  if (paths.some((path) => formsOf(path).some((one) => isRoot(one, place)))) return need === "either" ? "all" : "some";
  return complete ? "none" : "some";
}

/** The home directory, the top of the project and its `.git`. */
const ownRoots = memoize(({ home, project }: Place): string[] => [
  ...(home === "" ? [] : formsOf(home)),
  ...formsOf(project).flatMap((top) => [top, `${top}/.git`]),
]);

function isRoot(path: string, place: Place): boolean {
  if (path === "/" || path === "~" || /^[A-Za-z]:[\\/]*$/.test(path) || ownRoots(place).includes(path)) return true;
  if (!OF_ROOTS.has(dirname(path))) return false;
  return dirname(path) !== "/" || isFolderOrMissing(path);
}

function isFolderOrMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
  } catch {
    return true; // it cannot be looked at
  }
}
