import { once } from "../../lib/once.ts";
import type { RuleSet } from "./rule-set.ts";

/** Verbs, at any level, with which clients remove something. */
const REMOVING = [
  "delete",
  "destroy",
  "remove",
  "rm",
  "purge",
  "drop",
  "uninstall",
  "terminate",
  "detach",
  "unsubscribe",
].flatMap((verb) => [`${verb}*`, `* ${verb}*`, `* * ${verb}*`]);

const SERVICES = ["kubernetes", "cloud", "infrastructure", "database"];

/** Programs without a label of their own whose every removal has an effect. */
const DESCRIBED = ["atmos", "nats", "rabbitmqadmin", "rpk", "databricks", "infisical"];

/** Irreversible changes, whoever owns the resource. Ordinary work on the files of a project passes. */
export const DESTRUCTION = once(
  (): RuleSet => ({
    summary:
      "Irreversible changes to databases, clusters, clouds, stores, machines, disks and services, and the loss of uncommitted work.",
    parameters: {
      data: { fact: "writes", default: ["*.sqlite", "*.sqlite3", "*.sqlite3-*", "*.db", "*.rdb", "*.dump", "*.bak"] },
      also: { fact: "command", default: [] },
    },
    rules: [
      {
        name: "databases",
        deny: "Data in a database would be lost ({command})",
        when: { safety: "destructive", effect: "database" },
      },
      {
        name: "data-files",
        deny: "{path} holds data; copy it first, and let a person remove it",
        when: { effect: ["fs-delete", "fs-overwrite"], writes: "$data", not: { writes: "tmp" } },
      },
      {
        name: "clusters",
        deny: "Takes something out of a cluster ({command})",
        when: { safety: "destructive", effect: "kubernetes" },
      },
      {
        name: "clouds",
        deny: "Removes or stops what a provider runs ({command})",
        when: { safety: "destructive", effect: "cloud" },
      },
      {
        name: "infrastructure",
        deny: "Destroys infrastructure, or changes it without a reviewed plan ({command})",
        when: { safety: "destructive", effect: "infrastructure" },
      },
      {
        name: "removals",
        deny: "Removes what runs elsewhere ({command})",
        when: {
          any: [
            { effect: SERVICES, verb: REMOVING },
            { effect: "kubernetes", flags: ["--force", "--prune"] },
            { effect: SERVICES, flags: ["-destroy", "--destroy", "--delete", "--remove", "--purge"] },
            // `apply` asks before it changes anything.
            { program: "atmos", effect: "infrastructure", not: { verb: ["* apply", "* sync"] } },
            { program: "atmos", effect: "infrastructure", flags: "-auto-approve" },
            { program: ["kafka-*", "nats", "rabbitmqadmin", "rpk", "gitlab-rake"], effect: "database" },
          ],
        },
      },
      {
        name: "unknown-programs",
        deny: "A program that hooksh does not know removes something ({command})",
        when: {
          safety: "destructive",
          effect: false,
          not: { program: DESCRIBED },
          args: ["delete", "del", "rm", "remove", "destroy", "purge", "drop", "wipe"],
        },
      },
      {
        name: "secrets",
        deny: "The old value of the secret would be lost ({command})",
        when: { effect: "cloud", verb: ["secretsmanager update-*", "secretsmanager put-*", "keyvault secret set*"] },
      },
      {
        name: "containers",
        deny: "Stops or removes containers, images or volumes ({command})",
        when: {
          safety: "destructive",
          effect: "containers",
          // Without force nothing is removed that runs or is in use.
          any: [{ not: { verb: ["rm", "rmi", "container rm", "image rm"] } }, { flags: ["-f", "-v"] }],
        },
      },
      {
        name: "remote",
        deny: "Deletes something on a service, in a remote store or in a backup ({command})",
        when: { any: [{ effect: "remote-delete" }, { program: "rclone", effect: "fs-delete" }] },
      },
      { name: "disks", deny: "Writes to a disk, not to a file ({command})", when: { effect: "block-device" } },
      {
        name: "work",
        deny: "Work that no commit holds would be lost ({command})",
        when: { any: [{ effect: "git-discard" }, { program: "git", verb: "rm", flags: "-f", effect: "fs-delete" }] },
      },
      {
        name: "branches",
        deny: "Another branch would be overwritten ({command})",
        when: { program: "git", verb: "branch", command: { matches: " branch (.* )?-[a-z]*C" } },
      },
      {
        name: "history",
        deny: "What is committed would be rewritten or removed ({command})",
        when: { effect: "git-history" },
      },
      {
        name: "machine",
        deny: "Stops or removes a part of this machine ({command})",
        when: { safety: "destructive", effect: ["system", "process"] },
      },
      {
        name: "packages",
        deny: "Removes installed programs ({command})",
        when: { safety: "destructive", effect: "packages" },
      },
      {
        name: "system-files",
        deny: "{path} belongs to the system",
        when: {
          effect: ["fs-overwrite", "fs-modify", "fs-permissions", "sends"],
          writes: ["system", "roots"],
          not: { writes: "tmp" },
        },
      },
      {
        name: "startup",
        deny: "{path} decides what runs at every start, and its old content would be lost",
        when: { effect: ["fs-overwrite", "fs-modify"], writes: "startup" },
      },
      {
        name: "open-to-all",
        deny: "Everybody on this machine could change {path}",
        when: {
          program: "chmod",
          effect: "fs-permissions",
          args: ["777", "0777", "a+rwx", "ugo+rwx", "a=rwx", "o+w", "a+w", "666", "0666"],
        },
      },
      {
        name: "moved-away",
        deny: "Moves what is not in the project ({path})",
        when: { program: "mv", writes: { not_in: ["project", "tmp"] }, all: [{ writes: "home" }] },
      },
      { name: "also", deny: "Not to be run ({command})", when: { command: "$also" } },
    ],
  }),
);
