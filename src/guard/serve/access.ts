import { timingSafeEqual } from "node:crypto";
import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";
import { readUserFileSync } from "../../lib/files/read-file.ts";
import { sha256 } from "../../lib/platform.ts";
import { rememberSecret } from "../../lib/secrets/known-secrets.ts";

/** A token: too long to guess, in the characters of RFC 6750, section 2.1. */
const TOKEN = /^[\w.~+/-]{20,}=*$/;

const TOKEN_LIMIT = 4096;

/**
 * Returns the token in a file, which is created with a random one if it is missing. Throws a {@link UserError} if others
 * could read the file, or if it holds no token.
 */
export function readToken(path: string): string {
  createToken(path);
  requirePrivate(path);
  const token = readUserFileSync(path, { limit: TOKEN_LIMIT }).toString("utf8").trim();
  if (!TOKEN.test(token))
    throw new UserError(
      `${path}: holds no token: expected at least 20 letters, digits or -._~+/; remove it for a new one`,
    );
  rememberSecret(token);
  return token;
}

function createToken(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw new UserError(`${path}: cannot be created for the token: ${errorText(error)}`, { cause: error });
  }
}

function requirePrivate(path: string): void {
  const { mode, uid } = lstatSync(path);
  if (process.platform === "win32") return;
  if (uid !== process.getuid?.()) throw new UserError(`${path}: belongs to another user, so its token is not secret`);
  if ((mode & 0o077) !== 0) throw new UserError(`${path}: others can read the token: run chmod 600 on it`);
}

/** How requests reach the server, and the token that they need. */
export type Access = { kind: "socket" } | { kind: "port"; port: number; token: string };

/**
 * Returns why a request is refused, or undefined. A web page can make a browser post to 127.0.0.1, under any name that
 * resolves to it; its requests have an Origin, another Host, or another type of content. Another user of the machine
 * lacks the token.
 */
export function refusalOf(headers: Headers, access: Access): string | undefined {
  if (headers.has("origin")) return "requests of a browser (with an Origin header) are refused";
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") return "the request must have the header Content-Type: application/json";
  if (access.kind === "socket") return undefined;
  const host = headers.get("host")?.toLowerCase() ?? "";
  if (!["127.0.0.1", "localhost"].some((name) => host === name || host === `${name}:${access.port}`))
    return `the Host header must be 127.0.0.1:${access.port} or localhost:${access.port}`;
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (given === "")
    return "the request has no token: send Authorization: Bearer TOKEN, and let the agent read the variable that holds it";
  return isEqual(given, access.token) ? undefined : "the token of the request is not that of this server";
}

/** Compares in a time that does not depend on where two texts differ. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)));
}
