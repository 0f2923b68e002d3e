import type { Dialect } from "../../dialects/dialect.ts";
import type { HostFiles } from "../../dialects/host-file.ts";
import type { HostPlace } from "../../dialects/host-paths.ts";
import type { HostRules } from "../../dialects/translate/host-rules.ts";

/** A host whose hooks are imported. */
export interface ImportedHost {
  files: HostFiles;
  rules: HostRules;
  dialect: Dialect;
  place: HostPlace;
}

/** A hook of hooksh, as its YAML has it. */
export interface HookYaml {
  type: "command";
  name?: string;
  command: string;
  args?: string[];
  dialect: string;
  timeout?: number;
  env?: Record<string, string>;
  working_dir?: string;
  if?: string;
  on_error?: "block";
  other_exit_codes?: "allow";
  rewrite?: true;
}
