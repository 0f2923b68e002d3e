// Refuses releases on the days of a freeze and outside the hours of the calendar, the file in `args`. RELEASE_CALENDAR
// names another one.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { BLOCK, type Builtin, mayRun } from "hooksh/hook";

const RELEASES = [
  "git push *main*",
  "git -* push *main*",
  "git push *--tags*",
  "git push *refs/tags/*",
  "gh release*",
  "gh pr merge*",
  "gh workflow run*",
  "npm publish*",
  "cargo publish*",
  "docker push*",
  "kubectl *apply*",
  "kubectl *rollout*",
  "kubectl *set image*",
  "helm *upgrade*",
  "helm *install*",
  "terraform *apply*",
  "*deploy*",
];
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

const guard: Builtin = ({ tool_input = {}, cwd }, [calendar = ""], { env }) => {
  const { cmd } = tool_input;
  if (typeof cmd !== "string") throw new Error("no command line to judge");
  if (!mayRun(cmd, RELEASES)) return undefined;
  const file = resolve(cwd, env["RELEASE_CALENDAR"] ?? calendar);
  const lines = readFileSync(file, "utf8").split("\n");
  const now = new Date();
  const reason = lines
    .filter((line) => /^[^#\s]/.test(line))
    .map((line) => closedBy(line, now))
    .find((one) => one !== undefined);
  return reason === undefined ? undefined : { decision: BLOCK, reason };
};

/** Why a line of the calendar forbids a release now. A line that cannot be read is an error, so the guard fails. */
function closedBy(line: string, now: Date): string | undefined {
  const clock = now.toTimeString().slice(0, 5);
  // sv: year-month-day, in the local time zone.
  const today = now.toLocaleDateString("sv");
  const [, first, last, why] = /^(\d{4}-\d\d-\d\d) (\d{4}-\d\d-\d\d) (.+)$/.exec(line) ?? [];
  if (first && last) return first <= today && today <= last ? `no release until the end of ${last}: ${why}` : undefined;
  const [, from, to, opens, closes] = /^hours (\w{3})-(\w{3}) (\d\d:\d\d)-(\d\d:\d\d)$/.exec(line) ?? [];
  const [start, end] = [DAYS.indexOf(from ?? ""), DAYS.indexOf(to ?? "")];
  if (!opens || !closes || start < 0 || end < 0) throw new Error(`cannot read this line of the calendar: ${line}`);
  const isDay =
    start <= end ? start <= now.getDay() && now.getDay() <= end : start <= now.getDay() || now.getDay() <= end;
  return isDay && opens <= clock && clock < closes
    ? undefined
    : `releases run ${line.slice("hours ".length)}, and it is ${clock}`;
}

export default guard;
