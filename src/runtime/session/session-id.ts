/** A valid session id. It becomes part of file names and messages. */
const ID = /^(?![-.\s])[^\p{Cc}/\\]{1,200}$/u;

/** True if a run can name a session with this id. */
export function isSessionId(text: string): boolean {
  return ID.test(text);
}
