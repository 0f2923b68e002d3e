/** The HTTP methods that a configured call may use. */
export const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;

/** True if the text is one of {@link METHODS}, in capitals. */
export function isHttpMethod(text: string): text is (typeof METHODS)[number] {
  return METHODS.some((method) => method === text);
}

/** True for a method that changes nothing. */
export function isReadMethod(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}
