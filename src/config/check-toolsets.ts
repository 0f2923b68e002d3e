import { isObject } from "../lib/json.ts";
import type { Path } from "./document.ts";
import { checkModelName, type ModelNames } from "./check-models.ts";
import type { Report } from "./report.ts";
import type { ToolsetConfig } from "./toolset-schema.ts";

/** What a toolset entry may refer to. */
export interface ToolsetNames extends ModelNames {
  mcps: readonly string[];
  sources: readonly string[];
}

/** Checks what a schema cannot say of a toolset entry. Source: config-and-cli 2.5, 4.9. */
export function checkToolset(toolset: ToolsetConfig, path: Path, names: ToolsetNames, report: Report): void {
  const { type, ref, model } = toolset;
  if (typeof model === "string") checkModelName(model, [...path, "model"], names, report);
  if (type === "mcp") checkMcp(toolset, path, names, report);
  if (type === "fetch") checkDomains(toolset, path, report);
  if (type === "rag") {
    if (typeof ref === "string") report.defined([...path, "ref"], "rag source", ref, names.sources);
    else if (toolset["rag_config"] === undefined) report.problem([...path, "ref"], "is required");
  }
  checkRemote(toolset["remote"], [...path, "remote"], report);
}

/** Checks an entry of `mcps`, or an `mcp` toolset. */
export function checkMcp(entry: Record<string, unknown>, path: Path, names: ToolsetNames, report: Report): void {
  const ways = ["command", "remote", "ref"].filter((key) => entry[key] !== undefined);
  if (ways.length !== 1) {
    report.problem(
      path,
      `expected exactly one of command, remote and ref but got ${ways.length === 0 ? "none" : ways.join(" and ")}`,
    );
  }
  const { ref } = entry;
  if (typeof ref === "string" && !ref.startsWith("docker:"))
    report.defined([...path, "ref"], "mcps entry", ref, names.mcps);
  if (entry["config"] !== undefined && ref === undefined)
    report.problem([...path, "config"], "is only valid with ref", "key");
  if (entry["allow_private_ips"] !== undefined && entry["remote"] === undefined && entry["command"] !== undefined) {
    report.problem([...path, "allow_private_ips"], "is only valid with remote", "key");
  }
}

function checkRemote(remote: unknown, path: Path, report: Report): void {
  const oauth = isObject(remote) ? remote["oauth"] : undefined;
  if (!isObject(oauth)) return;
  const at = [...path, "oauth"];
  if (oauth["clientSecret"] !== undefined && !oauth["clientId"])
    report.problem([...at, "clientSecret"], "needs a clientId", "key");
  const redirect = oauth["callbackRedirectURL"];
  if (typeof redirect === "string" && !isRedirectUrl(redirect.replaceAll("${callbackPort}", "1"))) {
    report.problem([...at, "callbackRedirectURL"], "expected an absolute https URL (http only on this machine)");
  }
}

function isRedirectUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname));
}

function checkDomains(toolset: ToolsetConfig, path: Path, report: Report): void {
  const lists = ["allowed_domains", "blocked_domains"] as const;
  if (lists.every((key) => toolset[key] !== undefined)) {
    report.problem([...path, "blocked_domains"], "cannot stand beside allowed_domains", "key");
  }
  for (const key of lists) {
    const entries = toolset[key];
    if (!Array.isArray(entries)) continue;
    entries.forEach((entry: unknown, index) => {
      const rest = String(entry).startsWith("*.") ? String(entry).slice(2) : String(entry);
      if (rest.includes("*"))
        report.problem([...path, key, index], "expected a domain: * may only stand in front, as in *.example.com");
    });
  }
}
