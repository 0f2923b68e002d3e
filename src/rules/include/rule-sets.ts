import { once } from "../../lib/once.ts";
import { DESTRUCTION } from "./destruction.ts";
import type { RuleSet } from "./rule-set.ts";
import { UNATTENDED } from "./unattended.ts";

/** The ready-made sets by name. */
export const RULE_SETS = once((): Readonly<Record<string, RuleSet>> => {
  const change = ["kubernetes", "cloud", "infrastructure", "database"];
  return {
    "git-safety": {
      summary:
        "History that others may have pulled, uncommitted work, protected branches and the checks of a repository.",
      parameters: { protected: { fact: "ref", default: ["main", "master", "release/*", "production"] } },
      rules: [
        {
          name: "history",
          deny: "Others may have pulled this history ({command})",
          when: { effect: "git-history" },
        },
        {
          name: "discard",
          deny: "Uncommitted work would be lost; commit or stash it first",
          when: { effect: "git-discard", dirty: true },
        },
        {
          name: "protected",
          deny: "Push a branch and open a pull request instead of pushing to {ref}",
          when: { program: "git", verb: "push", ref: "$protected" },
        },
        {
          name: "no-verify",
          deny: "The checks of this repository stay on",
          when: { program: "git", effect: "bypass" },
        },
      ],
    },
    credentials: {
      summary: "Files that hold credentials, and commands that print or send secrets.",
      parameters: { also: { fact: "reads", default: [] }, except_paths: { fact: "reads", default: [] } },
      rules: [
        {
          name: "read",
          deny: "Credentials are not the agent's to read ({path})",
          when: {
            any: [{ reads: "credentials" }, { reads: "$also" }],
            not: { reads: { only: "$except_paths" } },
          },
        },
        {
          name: "write",
          ask: "Writes to a file that holds credentials ({path})",
          when: { writes: "credentials" },
        },
        {
          name: "print",
          deny: "This prints secrets into the conversation",
          when: { effect: "reveals", reads: false },
        },
        {
          name: "sent",
          deny: "The call holds a secret and sends it ({host})",
          when: { secrets: true, effect: "sends" },
        },
      ],
    },
    "guards-stay": {
      summary: "Hooks, rules, settings and instructions of agents, and what would run again by itself.",
      parameters: { also: { fact: "writes", default: [] } },
      rules: [
        {
          name: "files",
          deny: "Guards, hooks and agent settings are not the agent's to change ({path})",
          when: { any: [{ writes: "guards" }, { writes: "$also" }] },
        },
        { name: "bypass", deny: "This switches a guard off", when: { effect: "bypass" } },
        { name: "instructions", ask: "Changes what agents are told ({path})", when: { writes: "instructions" } },
        {
          name: "persistence",
          ask: "This would run again without anybody asking",
          when: { effect: "persistence" },
        },
      ],
    },
    "remote-code": {
      summary: "Code from the network that would run unread, and lines that hide what they run.",
      parameters: { hosts: { fact: "hosts", default: [] } },
      rules: [
        {
          name: "pipe",
          deny: "Code from the network would run unread; download it, read it, then run it",
          when: { effect: "remote-code", hosts: { not_in: "$hosts" } },
        },
        {
          name: "unknown-host",
          deny: "Code from the network would run unread",
          when: { effect: "remote-code", hosts: false },
        },
        { name: "hidden", deny: "The line hides what it runs", when: { effect: "hidden-code" } },
      ],
    },
    "outside-deletion": {
      summary: "Deletions outside the project, of whole roots, and writes to disks.",
      parameters: { also_inside: { fact: "writes", default: [] } },
      rules: [
        {
          name: "roots",
          deny: "{path} is never to be deleted",
          when: { effect: "fs-delete", paths: "roots" },
        },
        {
          name: "outside",
          deny: "Deletes outside the project ({path})",
          when: { effect: "fs-delete", writes: { not_in: ["project", "tmp", "$also_inside"] } },
        },
        { name: "disks", deny: "Writes to a disk, not to a file", when: { effect: "block-device" } },
      ],
    },
    packages: {
      summary: "New dependencies, publishing, and lock files that are edited by hand.",
      parameters: {},
      rules: [
        { name: "new", ask: "A new or changed dependency ({command})", when: { effect: "packages" } },
        { name: "publish", ask: "This publishes", when: { effect: "publish" } },
        {
          name: "lockfiles",
          deny: "Lock files are written by the package manager",
          when: { class: "writes-files", writes: "lockfiles" },
        },
      ],
    },
    production: {
      summary: "Changes to what is named production.",
      parameters: { names: { fact: "target", default: "(?i)(^|[^a-z])(prod|production|live)([^a-z]|$)" } },
      rules: [
        {
          name: "change",
          ask: "Changes production ({target})",
          when: { effect: change, target: { matches: "$names" } },
        },
        {
          name: "destroy",
          deny: "Takes production down ({target})",
          when: { safety: "destructive", effect: change, target: { matches: "$names" } },
        },
      ],
    },
    ci: {
      summary: "What runs in CI, and releases.",
      parameters: {},
      rules: [
        {
          name: "pipelines",
          deny: "What runs in CI is reviewed by people ({path})",
          when: { writes: "ci" },
        },
        { name: "release", deny: "Releases are made by CI", when: { effect: "publish" } },
      ],
    },
    destruction: DESTRUCTION(),
    unattended: UNATTENDED(),
  };
});
