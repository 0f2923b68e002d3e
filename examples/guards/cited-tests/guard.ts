// Sends the agent back if its answer claims a change and names no test file that exists.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { BLOCK, type Builtin } from "hooksh/hook";

const CLAIM = /\b(fixed|fixes|implemented|added|changed|repaired|refactored|works now|is done)\b/i;
const TEST_FILE = /[\w./-]*(?:tests?\/[\w./-]+|(?:^|[._-])(?:test|spec)[._-][\w.-]*|_test\.\w+|\.(?:test|spec)\.\w+)/g;

const guard: Builtin = ({ stop_response = "", cwd, parent_session_id }) => {
  // A sub-agent answers another agent, not the user.
  if (parent_session_id !== undefined || !CLAIM.test(stop_response)) return undefined;
  const named = stop_response.match(TEST_FILE) ?? [];
  if (named.some((file) => existsSync(resolve(cwd, file.replace(/[.:]+$/, ""))))) return undefined;
  return {
    decision: BLOCK,
    reason: "name the test file that shows the change, such as test/price.test.ts; if no test shows it, write one",
  };
};

export default guard;
