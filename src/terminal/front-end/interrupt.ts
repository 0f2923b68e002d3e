/** Sends SIGINT to this process, as Ctrl+C does in a terminal that is not in raw mode. */
export function interrupt(): void {
  process.kill(process.pid, "SIGINT");
}
