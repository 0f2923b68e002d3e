import type { CommandView } from "./command-view.ts";

export const CLOUDS = new Set(
  "aws gcloud az gsutil doctl heroku fly flyctl vercel vc now netlify ntl wrangler firebase railway render hcloud linode-cli oci ibmcloud openstack scw exo civo vultr-cli yc aliyun tccli cf databricks".split(
    " ",
  ),
);

/** What changes no resource. */
const READS =
  /^(?:list|ls|describe|get|show|view|status|logs?|help|tail|head|wait|filter|read|inspect|lookup|versions?|whoami|info|cat|du|stat|query|scan|search|dev|docs|diff|preview|login|logout|completion|print)(?:$|-)|^(?:list|describe|get)/;
/** Verbs of a cloud that list resources although they are nouns, and those that concern this machine only. */
const NOUNS =
  /^(?:apps|config|addons|ps|releases|domains|features|pipelines|regions|init|auth|configure|components|topic|feedback)$/;

/** True if a client of a provider changes its resources. */
export function changesCloud({ program, parsed }: CommandView): boolean {
  if (!CLOUDS.has(program)) return false;
  const levels = parsed.verb?.toLowerCase().split(" ");
  // Without a verb it deploys.
  if (!levels) return /^(?:vercel|vc|now)$/.test(program);
  const last = levels.at(-1)?.split(":").at(-1) ?? "";
  const isLocal = /^(?:configure|config|auth|init|components)$/.test(levels[0] ?? "") && levels.length < 3;
  return !READS.test(last) && !isLocal && !(levels.length === 1 && NOUNS.test(levels[0] ?? ""));
}
