/**
 * The entry: a dispatch in which every hook is silent ends here; everything else is the program's. Only this file
 * and the program end the process.
 *
 * @packageDocumentation
 */
const words = process.argv.slice(2);
// Loaded only for its verb (cold start).
const done =
  words[0] === "dispatch" ? await (await import("./guard/quick/quick-dispatch.ts")).quickDispatch(words) : {};
done.exit?.();
if (done.unwritten) process.exit(await (await import("./guard/quick/answer-slowly.ts")).answerSlowly(done.unwritten));
await (await import("./program.ts")).runProgram(words, done.handedOver);

export {};
