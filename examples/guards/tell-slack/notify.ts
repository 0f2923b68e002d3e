// Posts every denied call to a webhook. The arguments of the call stay here: they may hold secrets.
import type { Builtin } from "hooksh/hook";

const notify: Builtin = async (input, _args, { env, signal, log }) => {
  if (input.approval_decision !== "deny") return undefined;
  // Set while recorded events are judged again.
  if (env["HOOKSH_REPLAY"] === "1") return undefined;
  const url = env["SLACK_WEBHOOK_URL"];
  if (!url) throw new Error("cannot report denied calls: set SLACK_WEBHOOK_URL");
  const hooks = input.approval_hooks?.map(({ name }) => name).join(", ");
  const by = hooks || input.approval_source || "a rule";
  const text = `${input.agent_name ?? "An agent"} was denied ${input.tool_name} by ${by}: ${input.approval_reason ?? "no reason"}`;
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ text: escaped(text) }), signal });
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
  log("debug", "reported a denied call");
  return undefined;
};

/** Slack reads `<!channel>` and links in angle brackets. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export default notify;
