import { setDefaultTimeout } from "bun:test";

// Instead of Bun's five seconds, so that no test fails because the machine is slow or busy.
setDefaultTimeout(300_000);
