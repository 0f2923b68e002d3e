import type { BuildDetails } from "../../cli/build-details.ts";
import type { HostState } from "../../hosts/registration/host-status.ts";
import type { LocalServer } from "../../model/local/find-local-models.ts";

/** The state of one of hooksh's directories. */
export interface DirectoryState {
  path: string;
  exists: boolean;
  /** True if it can be written to, or created. */
  writable: boolean;
  /** True if it is in the system's temporary directory, because there is no home directory. */
  temporary: boolean;
}

/** A variable that is set, and where. The report contains no value but that of an address, without credentials. */
export interface VariableState {
  name: string;
  source: string;
  empty: boolean;
  /** The base URL of a provider that it sets. */
  url?: string;
}

/** The output of the trial run of the shell, which has no version to print. */
export const WORKS = "works";

/** A program that hooks and tools use. */
export interface ProgramState {
  /** The name of its executable. */
  command: string;
  found: boolean;
  /** Its first line of output, or why it does not work. */
  detail: string;
}

export interface DoctorReport {
  /** False if there is an issue. */
  ok: boolean;
  version: BuildDetails;
  directories: Record<"config" | "data" | "cache", DirectoryState>;
  variables: readonly VariableState[];
  programs: Record<"shell" | "git" | "docker", ProgramState>;
  /** Docker Model Runner; absent if neither it nor Docker is configured. */
  model_runner?: { url: string; answers: boolean };
  /** The model servers on this machine that answer. */
  local_models: readonly LocalServer[];
  /** The number of the user's hooks, and of all hooks that apply to the agent. */
  hooks: { user: number; agent?: number };
  /** The agents in which hooksh is registered; `hooksh status` says more. */
  hosts: readonly { host: string; state: HostState }[];
  issues: readonly string[];
  warnings: readonly string[];
  notes: readonly string[];
}

/** Collects the findings of all checks. */
export class Findings {
  readonly issues: string[] = [];
  readonly warnings: string[] = [];
  readonly notes: string[] = [];
}
