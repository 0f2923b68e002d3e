import { memoize } from "../../lib/once.ts";
import { HOLE } from "../../shell/steps/invocation.ts";
import type { Fit } from "../facts.ts";
import { expandGlob } from "../files/expand-glob.ts";
import { isStreamDevice } from "../files/real-path.ts";
import type { Place } from "../place.ts";
import { bestFit } from "./fits.ts";
import { formsOf, isWithin, type Need, openAt, type PathForm } from "./path-form.ts";

/** The directories of a place as given and with their links resolved, looked up once. */
const areasOf = memoize(({ project, home, temporary }: Place) => ({
  project: formsOf(project),
  home: home === "" ? [] : formsOf(home),
  temporary: temporary.flatMap(formsOf),
}));

/** Whether a path lies in the project, or below it. */
export function fitsProject(form: PathForm, need: Need, place: Place): Fit {
  return fitsArea(form, need, areasOf(place).project, place);
}

export function fitsHome(form: PathForm, need: Need, place: Place): Fit {
  return fitsArea(form, need, areasOf(place).home, place);
}

/** Whether a path lies below a directory for temporary files. That itself does not. */
export function fitsTemporary(form: PathForm, place: Place): Fit {
  const folders = areasOf(place).temporary;
  const fit = inArea(form, folders, place);
  const isItself = form.extent !== "below" && form.extent !== "contents" && folders.includes(form.path);
  return fit === "all" && isItself ? "none" : fit;
}

/** Whether a path lies neither in the project nor in a directory for temporary files. */
export function fitsOutside(form: PathForm, place: Place): Fit {
  if (!form.elsewhere && isStreamDevice(form.path)) return "none";
  const inside = bestFit([inArea(form, areasOf(place).project, place), fitsTemporary(form, place)]);
  return inside === "all" ? "none" : inside === "none" ? "all" : "some";
}

/** A directory that is removed or changed with all below is also one above an area, for conditions that restrict. */
function fitsArea(form: PathForm, need: Need, folders: readonly string[], place: Place): Fit {
  const fit = inArea(form, folders, place);
  const isTree = form.extent === "tree" || form.extent === "contents";
  if (fit === "all" || need === "both" || !isTree || form.elsewhere || openAt(form) >= 0) return fit;
  return folders.some((folder) => isWithin(folder, form.path)) ? "all" : fit;
}

function inArea(form: PathForm, areas: readonly string[], { platform }: Place): Fit {
  if (form.elsewhere) return "none";
  if (form.path.startsWith(HOLE)) return "unknown";
  const fold = (text: string) => (platform === "darwin" || platform === "win32" ? text.toLowerCase() : text);
  const path = fold(form.path);
  const folders = areas.map(fold);
  const open = openAt(form);
  if (open < 0) {
    if (folders.some((folder) => isWithin(path, folder))) return "all";
    const mayBeBelow = form.extent === "below" && folders.some((folder) => isWithin(folder, path));
    return mayBeBelow ? "some" : "none";
  }
  // An expansion behind a literal beginning stays below it.
  const above = path.slice(0, path.lastIndexOf("/", open)) || "/";
  if (folders.some((folder) => isWithin(above, folder))) return "all";
  const start = path.slice(0, open);
  if (!folders.some((folder) => `${folder}/`.startsWith(start))) return "none";
  if (path.includes(HOLE)) return "some";
  const { paths, complete } = expandGlob(form.path);
  const isInside = (file: string) => folders.some((folder) => isWithin(fold(file), folder));
  return !complete || paths.some(isInside) ? "some" : "none";
}
