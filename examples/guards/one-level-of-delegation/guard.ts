// Refuses to delegate unless the calling agent is in `args`. The main agent of another product has no name.
import { BLOCK, type Builtin } from "hooksh/hook";

const guard: Builtin = ({ agent_name = "" }, leaders) => {
  if (agent_name === "" || leaders.includes(agent_name)) return undefined;
  return { decision: BLOCK, reason: `${agent_name} does its work itself: only ${leaders.join(", ")} may delegate` };
};

export default guard;
