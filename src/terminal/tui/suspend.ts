import type { InlineScreen } from "./inline-screen.ts";

/** If this process is still running this many ticks after SIGTSTP, the signal had no effect. */
const IGNORED_AFTER_TICKS = 4;
const TICK_MS = 50;

/**
 * Stops this process until the shell continues it. Without a shell that can, the kernel ignores the signal: then
 * `onIgnored` is called.
 */
export function suspend(screen: InlineScreen, onIgnored: () => void): void {
  screen.stop();
  const resume = () => {
    clearInterval(waiting);
    process.off("SIGCONT", resume);
    screen.resume();
  };
  // Several ticks: after a stop, the timer may fire before SIGCONT is delivered.
  let ticks = 0;
  const waiting = setInterval(() => {
    if (++ticks < IGNORED_AFTER_TICKS) return;
    resume();
    onIgnored();
  }, TICK_MS);
  process.on("SIGCONT", resume);
  process.kill(process.pid, "SIGTSTP");
}
