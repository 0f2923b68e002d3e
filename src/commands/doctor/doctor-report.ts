import type { BuildDetails } from "../version.ts";

/** A directory as it is found. */
export interface DirectoryState {
  path: string;
  exists: boolean;
  /** It can be written, or made. */
  writable: boolean;
  /** It stands in the system's temporary directory, for want of a home directory. */
  temporary: boolean;
}

/** A variable that is set, and where. Its value is nowhere in the report. */
export interface VariableState {
  name: string;
  source: string;
  empty: boolean;
}

/** What a program that has no version to tell says of itself. */
export const WORKS = "works";

/** A program that hooks and tools use. */
export interface ProgramState {
  /** The name it is started by. */
  command: string;
  found: boolean;
  /** What it says of itself, or why it does not work. */
  detail: string;
}

/** What `hooksh doctor` has found out. */
export interface DoctorReport {
  /** False when there is an issue. */
  ok: boolean;
  version: BuildDetails;
  directories: Record<"config" | "data" | "cache", DirectoryState>;
  variables: readonly VariableState[];
  programs: Record<"shell" | "git" | "docker", ProgramState>;
  /** Docker Model Runner; absent where neither it nor Docker is configured. */
  model_runner?: { url: string; answers: boolean };
  /** How many hooks apply, and of them how many are the user's own. */
  hooks: { user: number; agent?: number };
  issues: readonly string[];
  warnings: readonly string[];
  notes: readonly string[];
}

/** Collects what there is to say. */
export class Findings {
  readonly issues: string[] = [];
  readonly warnings: string[] = [];
  readonly notes: string[] = [];
}
