import type { Host } from "../host.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { droid } from "./droid.ts";
import { gemini } from "./gemini.ts";
import { kimi } from "./kimi.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";

/** The programs that can be driven, in the order of the table. */
export const HOSTS: readonly Host[] = [claude, codex, gemini, copilot, opencode, qwen, kimi, droid, cline];
