import { contractOf, EVENT_NAMES } from "../../src/protocol/events.ts";

/** The events on which a hook that says nothing changes nothing: the others need an approval, or a key `routing`. */
export const ORDINARY_EVENTS = EVENT_NAMES.filter((event) => contractOf(event).reading === undefined);
