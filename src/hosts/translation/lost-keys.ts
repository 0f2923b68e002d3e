/** Describes what is lost with a key of a host's hook; undefined if nothing is. */
type Loss = (value: unknown) => string | undefined;

const always =
  (text: string): Loss =>
  (value) =>
    value === false || value === null || value === "" ? undefined : text;
const nothing: Loss = () => undefined;

/** Keys of hosts' hooks that have no counterpart in hooksh. */
const LOST_KEYS: Readonly<Record<string, Loss>> = {
  if: (value) => `if ${JSON.stringify(value)} is not kept: the hook runs for every call that the matcher names`,
  commandRegex: (value) => `commandRegex ${JSON.stringify(value)} is not kept: the hook runs for every command`,
  patterns: (value) => `patterns ${JSON.stringify(value)} is not kept: the hook runs for every file`,
  once: always("once is not kept: the hook runs every time"),
  async: always("async is not kept: hooksh waits for the hook, and its answer counts"),
  asyncRewake: always("asyncRewake is not kept: hooksh waits for the hook"),
  statusMessage: always("statusMessage is not kept: hooksh shows none"),
  description: always("description is not kept: hooksh has only a name"),
  show_output: always("show_output is not kept: hooksh does not show what hooks print"),
  loop_limit: () => "loop_limit is not kept: hooksh ends a row of continuations itself",
  cache_ttl_seconds: (value) =>
    value === 0 ? undefined : "cache_ttl_seconds is not kept: hooksh runs the hook every time",
  only_when_turn_complete: always("only_when_turn_complete is not kept: the hook runs after each tool"),
  additionalContextLimit: () => "additionalContextLimit is not kept: hooksh has its own limit",
  confirm: always("confirm is not kept: hooksh does not ask before it runs a hook"),
  continueOnBlock: always("continueOnBlock is not kept"),
  max_output_size: () => "max_output_size is not kept: hooksh has its own limit",
  version: nothing,
  id: nothing,
};

/** Describes what is lost with a key that hooksh does not read. */
export function lossOf(key: string, value: unknown): string | undefined {
  const loss = Object.hasOwn(LOST_KEYS, key) ? LOST_KEYS[key] : undefined;
  return loss ? loss(value) : `${key} is not kept: hooksh does not know it`;
}
