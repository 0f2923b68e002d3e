import { ConfigError } from "../../lib/errors.ts";

/** No agent can start, because its model has no key or no server. Other models may work: `run` proposes some. */
export class NoModelError extends ConfigError {}
