import type { Env } from "../../lib/env.ts";
import { memoize } from "../../lib/once.ts";
import { realPathOf } from "../files/real-path.ts";
import type { Place } from "../place.ts";

/** Places of which the sets are kept. */
const MAX_KEPT = 50;

const keptPlaces = memoize((_env: Env) => new Map<string, Place>());

/**
 * An earlier place in which the same paths are in the sets of patterns, if there is one, so that these are not compiled
 * for each call. The work tree and links are looked up for every place: a call may have changed them.
 */
export const keptPlace = memoize((place: Place): Place => {
  const { env, home, project, temporary, policy, guarded, platform, directories } = place;
  const links = [home, project, ...policy].map(realPathOf);
  const key = JSON.stringify([
    home,
    project,
    temporary,
    policy,
    guarded,
    links,
    platform,
    directories?.config,
    directories?.data,
  ]);
  const known = keptPlaces(env);
  const kept = known.get(key);
  if (kept) return kept;
  if (known.size >= MAX_KEPT) known.clear();
  known.set(key, place);
  return place;
});
