import { hostStatus } from "../../hosts/registration/host-status.ts";
import { currentPlace, HOST_IDS } from "../../hosts/registration/named-host.ts";
import type { Directories } from "../../lib/env.ts";
import type { DoctorReport, Findings } from "./doctor-report.ts";

/**
 * Checks the agents in which hooksh is registered. A registration that does not work is an issue: the user relies on a
 * guard that does not run.
 */
export async function checkHosts(directories: Directories, findings: Findings): Promise<DoctorReport["hosts"]> {
  const all = [];
  for (const host of HOST_IDS) all.push(await hostStatus(host, currentPlace(), directories));
  const registered = all.filter(({ state }) => state !== "absent");
  for (const { host, problems, muted, warnings } of registered) {
    findings.issues.push(...[...problems, ...muted].map((text) => `${host}: ${text}`));
    findings.warnings.push(...warnings.map((text) => `${host}: ${text}`));
  }
  return registered.map(({ host, state }) => ({ host, state }));
}
