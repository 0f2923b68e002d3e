/** The methods a configured call may have. */
export const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;

/** True for one of {@link METHODS}, in capitals. */
export function isHttpMethod(text: string): text is (typeof METHODS)[number] {
  return METHODS.some((method) => method === text);
}

/** True for a method that changes nothing. */
export function isReadMethod(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}
