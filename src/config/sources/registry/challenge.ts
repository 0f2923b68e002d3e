/** The kind of authorization that a registry requires. */
export type Challenge =
  | { kind: "basic" }
  | { kind: "bearer"; realm: string; service: string | undefined; scope: string | undefined };

/** Returns the first supported challenge of a `WWW-Authenticate` header; undefined if there is none. */
export function parseChallenge(header: string | null): Challenge | undefined {
  const text = header ?? "";
  const bearer = /(?:^|,)\s*bearer\s/i.exec(text);
  if (bearer) {
    const parameters = text.slice(bearer.index + bearer[0].length);
    const realm = parameter(parameters, "realm");
    return realm === undefined
      ? undefined
      : { kind: "bearer", realm, service: parameter(parameters, "service"), scope: parameter(parameters, "scope") };
  }
  return /(?:^|,)\s*basic\b/i.test(text) ? { kind: "basic" } : undefined;
}

function parameter(parameters: string, name: string): string | undefined {
  return new RegExp(`(?:^|[\\s,])${name}="([^"]*)"`, "i").exec(parameters)?.[1];
}
