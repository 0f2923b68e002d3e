/** The event that brought a request, for the hooks of agents that the request reaches later. */
export type Submission =
  | { event: "user_prompt_submit" | "user_followup_submit"; payload: { prompt: string } }
  | { event: "user_steering_messages_submit"; payload: { steering_messages: string[] } };

/** A text that the user typed or an agent answered. */
export interface SpokenText {
  role: "user" | "assistant";
  content: string;
}

/**
 * One request of the user in a routed conversation, from the entry agent to the last agent that works on it. See
 * docs/design/turn.md#a-routed-conversation.
 */
export interface Invocation {
  readonly id: string;
  /** The index of the request's first item in the session. */
  readonly firstItem: number;
  /** The text of the request. */
  readonly input: string;
  readonly submission: Submission;
  /** What was said before the request, oldest first. */
  readonly conversation: readonly SpokenText[];
  /** The names of the agents whose hooks have seen the request. */
  readonly seenBy: Set<string>;
  /** The name of the agent that works. */
  agent: string;
  /** True once that agent has been set to work; false from each change of the agent to that point. */
  isActive: boolean;
  /** How many agents have been set to work. */
  activations: number;
  /** Routes and forced handoffs so far. */
  transitions: number;
  /** The answer of the last agent that completed its work. */
  previousOutput: string;
}

/** The agents whose `session_start` hooks have run in a session, in order, and how the session started. */
export interface StartedAgents {
  source: string;
  names: Set<string>;
}
