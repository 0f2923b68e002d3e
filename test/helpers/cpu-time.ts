/** The processor time in milliseconds that `work` takes in this process: other programs on the machine do not count. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
