import { join } from "node:path";
import { UserError } from "../../lib/errors.ts";
import { EVENTS } from "../../protocol/events.ts";
import type { Skill } from "../agent/skill.ts";
import { dispatchInTurn, type Turn } from "../stream/stream-state.ts";
import { readSkillFile, SKILL_FILE } from "./skill-files.ts";

/** `skill_content_guard` did not approve a text of a skill. The message quotes neither the text nor a hook. */
export class RejectedSkillError extends UserError {
  override readonly name = "RejectedSkillError";
}

/**
 * Reads a text of a skill: its instructions, or the file at a path in its folder. Every use of a skill's text must get
 * it here, and use what is returned: the text that `skill_content_guard` approved. Throws a {@link RejectedSkillError}
 * if a guard did not approve it, and a `UserError` if it cannot be read.
 */
export async function readGuardedText(
  turn: Pick<Turn, "stream" | "agent">,
  { name, text }: Skill,
  path: string = SKILL_FILE,
): Promise<string> {
  const content = text.kind === "inline" ? text.instructions : readSkillFile(text.folder, path);
  const place = text.kind === "inline" ? {} : { path: join(text.folder, path) };
  const verdict = await dispatchInTurn(turn, "skill_content_guard", {
    skill: { name, source: text.kind, ...place, content },
  });
  // Without a verdict no hook was asked: there is none, or the run is cancelled.
  const isApproved = verdict ? verdict.allowed : !turn.agent.hooks.has("skill_content_guard");
  if (!isApproved) throw new RejectedSkillError(verdict?.message ?? EVENTS.skill_content_guard.rejection);
  return content;
}
