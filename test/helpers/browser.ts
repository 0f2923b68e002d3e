import { afterAll } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

/** Where Debian installs Chromium; HOOKSH_TEST_CHROMIUM names another. */
const CHROMIUM = process.env["HOOKSH_TEST_CHROMIUM"] ?? "/usr/bin/chromium";

/** True if the machine has a Chromium to test with. */
export const hasChromium: boolean = existsSync(CHROMIUM);
if (!hasChromium) console.warn(`${CHROMIUM} is missing: the tests of pages are skipped (apt-get install chromium)`);

const opened: { context: BrowserContext; profile: string }[] = [];

afterAll(async () => {
  for (const { context, profile } of opened.splice(0)) {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
});

/** A page in a browser, and what it did. */
export interface OpenedPage {
  page: Page;
  /** The addresses that it requested, its own file included. */
  requests: string[];
  /** Everything it wrote to the console, uncaught errors and violations of its policy included. */
  messages: string[];
}

/** Options of {@link openPage}. */
export interface BrowserOptions {
  theme?: "light" | "dark";
  width?: number;
  height?: number;
}

/** Opens a file in a headless Chromium with an empty profile. */
export async function openPage(file: string, options: BrowserOptions = {}): Promise<OpenedPage> {
  const { theme = "light", width = 1360, height = 760 } = options;
  const profile = mkdtempSync(join(tmpdir(), "hooksh-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    timeout: 0,
    colorScheme: theme,
    viewport: { width, height },
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  context.setDefaultTimeout(280_000); // 30 s by default: shortly before the limit of a test instead
  opened.push({ context, profile });
  const page = context.pages()[0] ?? (await context.newPage());
  const requests: string[] = [];
  const messages: string[] = [];
  context.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("dialog", (dialog) => {
    messages.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(`file://${file}`);
  return { page, requests, messages };
}
