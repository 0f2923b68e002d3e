import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { hooksh } from "../helpers/binary.ts";
import { type BrowserOptions, hasChromium, openPage } from "../helpers/browser.ts";
import {
  agentSpan,
  dispatchSpan,
  exampleRun,
  hookSpan,
  modelSpan,
  otlpLines,
  type SpanSpec,
  toolSpan,
} from "../helpers/otlp.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Writes the page of a trace with the compiled program. */
async function writePage(roots: readonly SpanSpec[] = [exampleRun()], lines = otlpLines(roots)): Promise<string> {
  const cwd = tempDir({ "run.jsonl": lines });
  const { code, stdout } = await hooksh(["trace", "run.jsonl", "--html=page.html"], { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  return join(cwd, "page.html");
}

async function open(roots?: readonly SpanSpec[], options?: BrowserOptions) {
  return openPage(await writePage(roots), options);
}

const rowNames = (page: Page) => page.locator("[data-row] .label").allTextContents();
const row = (page: Page, name: string) => page.getByRole("row", { name }).first();
const details = (page: Page) => page.getByRole("complementary", { name: "Details" });
/** Waits until the count beside the filter says this. */
const seesCount = (page: Page, text: string) => page.getByRole("status").getByText(text, { exact: true }).waitFor();

/** A text or bar of the page with its contrast to what is behind it. */
interface Contrast {
  what: string;
  ratio: number;
  least: number;
}

/**
 * Measures the contrast of every visible text and bar, as WCAG 2.2 defines it
 * (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio): 4.5 for text, 3 for other things.
 */
const MEASURE_CONTRAST = `(() => {
  const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const isClear = (color) => color === "transparent" || channels(color)[3] === 0;
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (!isClear(backgroundColor)) return backgroundColor;
    }
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const element = text.parentElement;
    if (text.data.trim() === "" || !element.checkVisibility() || element.matches("script, .kind, option")) continue;
    found.push({ what: text.data, ratio: contrast(getComputedStyle(element).color, behind(element)), least: 4.5 });
  }
  for (const bar of document.querySelectorAll(".bar, .swatch, .range")) {
    if (!bar.checkVisibility() || bar.closest(".context")) continue;
    const { backgroundColor } = getComputedStyle(bar);
    found.push({ what: bar.className, ratio: contrast(backgroundColor, behind(bar.parentElement)), least: 3 });
  }
  return found;
})()`;

describe.skipIf(!hasChromium)("the page of a trace, in Chromium", () => {
  test("shows the waterfall, and of a denied call the hook, its input, output, decision and why it ran", async () => {
    const { page, requests, messages } = await open();
    expect(await rowNames(page)).toEqual(
      "root session_start add_environment_info gpt-5-mini shell pre_tool_use guard.sh lint gpt-5-mini read_file pre_tool_use guard.sh post_tool_use format stop".split(
        " ",
      ),
    );
    expect(await row(page, "tool shell").innerText()).toContain("git push --force");
    expect(await row(page, "model gpt-5-mini").innerText()).toContain("1.2k → 80 tokens");
    await row(page, "guard.sh deny 180 ms").click();
    // The page draws what is selected with the next frame.
    await details(page).getByText("no force push: push a new branch").first().waitFor();
    const text = await details(page).innerText();
    expect(text).toMatch(
      /Why it ran\s+Event\s+pre_tool_use\s+Tool\s+shell\s+Matcher\s+shell\s+Stage\s+guard\s+Configured in\s+agent.yaml:12/,
    );
    expect(text).toMatch(/Decision\s+deny\s+Outcome\s+answered\s+Exit code\s+0/);
    expect(text).toContain("Its decision is the verdict of the event.");
    expect(text).toMatch(/Input\s+\{\s+"hook_event_name": "pre_tool_use"/);
    expect(text).toMatch(/Output\s+\{\s+"hook_specific_output"/);
    expect({ requests: requests.length, messages }).toEqual({ requests: 1, messages: [] });
  });

  test("a filter keeps what matches and the spans above it, and says how many match", async () => {
    const { page } = await open();
    await page.getByRole("searchbox").fill("force push");
    await seesCount(page, "3 of 15");
    expect(await rowNames(page)).toEqual(["root", "shell", "pre_tool_use", "guard.sh"]);
    expect(await page.locator(".context .label").allTextContents()).toEqual(["root"]);
    await page.getByRole("searchbox").press("Escape");
    await seesCount(page, "15 spans");
    await page.getByRole("button", { name: "model 2" }).click();
    await seesCount(page, "2 of 15");
    expect(await rowNames(page)).toEqual(["root", "gpt-5-mini", "gpt-5-mini"]);
    await page.getByRole("button", { name: "model 2" }).click();
    await page.getByRole("button", { name: "timed out 1" }).click();
    await seesCount(page, "1 of 15");
    await page.getByRole("searchbox").fill("nothing like this");
    await seesCount(page, "0 of 15");
    await page.getByRole("button", { name: "Remove the filters" }).click();
    await seesCount(page, "15 spans");
  });

  test("the keyboard moves, folds, opens the details and reaches the filter", async () => {
    const { page } = await open();
    const grid = page.getByRole("treegrid");
    await grid.focus();
    await page.keyboard.press("ArrowDown");
    expect(await page.locator('[aria-selected="true"] .label').textContent()).toBe("session_start");
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator('[role=row][aria-selected="true"]').getAttribute("aria-expanded")).toBe("false");
    expect(await rowNames(page)).not.toContain("add_environment_info");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await page.locator('[aria-selected="true"] .label').textContent()).toBe("add_environment_info");
    await page.keyboard.press("End");
    expect(await grid.getAttribute("aria-activedescendant")).toBe("row-14");
    await page.keyboard.press("Home");
    await page.keyboard.press("Space");
    expect(await rowNames(page)).toEqual(["root"]);
    await page.keyboard.press("Enter");
    expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Details");
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowRight");
    for (const name of ["shell", "pre_tool_use", "guard.sh", "format", "shell"]) {
      await page.keyboard.press("n");
      expect(await page.locator('[role=row][aria-selected="true"] .label').textContent()).toBe(name);
    }
    await page.keyboard.press("/");
    expect(await page.locator(":focus").getAttribute("id")).toBe("search");
  });

  test("zooms to a span, to a range that is dragged over the axis, and back", async () => {
    const { page } = await open();
    const widthOf = async (name: string) => (await row(page, name).locator(".bar").boundingBox())?.width ?? 0;
    const before = await widthOf("guard.sh deny");
    await row(page, "guard.sh deny").dblclick();
    expect(await widthOf("guard.sh deny")).toBeGreaterThan(10 * before);
    await page.getByRole("button", { name: "Fit" }).click();
    expect(await widthOf("guard.sh deny")).toBeCloseTo(before, 0);
    const axis = await page.getByRole("columnheader", { name: "Timeline" }).boundingBox();
    const { x = 0, y = 0, width = 0 } = axis ?? {};
    await page.mouse.move(x + width * 0.3, y + 8);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + 8, { steps: 4 });
    await page.mouse.up();
    expect(await widthOf("guard.sh deny")).toBeGreaterThan(4 * before);
    await page.getByRole("treegrid").press("0");
    expect(await widthOf("guard.sh deny")).toBeCloseTo(before, 0);
  });

  test("the plot shows each hook's durations, sorts them, and leads to its runs", async () => {
    const { page } = await open();
    await page.getByRole("tab", { name: "Hooks" }).click();
    const firstCells = async () => {
      const rows = await page.locator("tbody tr").allInnerTexts();
      return rows.map((text) => text.split("\t").slice(0, 7));
    };
    expect(await firstCells()).toEqual([
      ["format", "post_tool_use", "1", "1", "1 s", "1 s", "1 s"],
      ["guard.sh", "pre_tool_use", "2", "0", "90 ms", "180 ms", "180 ms"],
      ["lint", "pre_tool_use", "1", "0", "40 ms", "40 ms", "40 ms"],
      ["add_environment_info", "session_start", "1", "0", "2 ms", "2 ms", "2 ms"],
    ]);
    expect(await page.getByRole("img", { name: "p50 90 ms, p95 180 ms, max 180 ms" }).count()).toBe(1);
    await page.getByRole("button", { name: "Runs" }).click();
    expect((await firstCells())[0]?.[0]).toBe("guard.sh");
    await page.getByRole("button", { name: "guard.sh" }).click();
    await seesCount(page, "2 of 15");
  });

  test("a theme follows the system, or is chosen", async () => {
    const { page } = await open(undefined, { theme: "dark" });
    const back = () => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
    expect(await back()).toBe("rgb(18, 22, 28)");
    await page.getByRole("combobox", { name: "Theme" }).selectOption("light");
    expect(await back()).toBe("rgb(255, 255, 255)");
    await page.reload();
    expect(await back()).toBe("rgb(255, 255, 255)");
    await page.getByRole("combobox", { name: "Theme" }).selectOption("auto");
    expect(await back()).toBe("rgb(18, 22, 28)");
  });

  test.each(["light", "dark"] as const)(
    "every text and bar of the %s theme has the contrast that WCAG 2.2 AA asks for",
    async (theme) => {
      const { page } = await open(undefined, { theme });
      await row(page, "guard.sh deny 180 ms").click();
      const waterfall = await page.evaluate<Contrast[]>(MEASURE_CONTRAST);
      await page.getByRole("button", { name: "hook 5" }).click();
      const filtered = await page.evaluate<Contrast[]>(MEASURE_CONTRAST);
      await page.getByRole("tab", { name: "Hooks" }).click();
      const plot = await page.evaluate<Contrast[]>(MEASURE_CONTRAST);
      expect(waterfall.length).toBeGreaterThan(80);
      expect(plot.length).toBeGreaterThan(40);
      expect([...waterfall, ...filtered, ...plot].filter(({ ratio, least }) => ratio < least)).toEqual([]);
    },
  );

  test("text of a trace never becomes part of the page, whatever it holds", async () => {
    const evil = [
      "</script><script>alert(1)</script>",
      "<img src=x onerror=alert(2)>",
      "\u2028alert(3)\u2029",
      "javascript:alert(4)",
      '"><svg onload=alert(5)>',
      "<!--<script>",
      "\u202egpj.exe",
      "__proto__",
      "{{constructor.constructor('alert(6)')()}}",
    ];
    const spans = evil.map((text, at) =>
      hookSpan(text, {
        at,
        attributes: {
          [text]: text,
          "hooksh.decision": "deny",
          "hooksh.event": text,
          "hooksh.hook.name": text,
          "hooksh.hook.message": text,
          "hooksh.hook.input": JSON.stringify({ [text]: text }),
          "hooksh.hook.output": text,
          "hooksh.hook.outcome": text,
        },
        events: [{ name: text, at: 1 }],
      }),
    );
    const { page, requests, messages } = await open([agentSpan(evil[0] ?? "", spans)]);
    for (const at of spans.keys()) {
      await page.locator(`[data-row="${at + 1}"] .label`).click();
      await details(page).getByText("All ").click();
      expect(await details(page).getByRole("heading", { level: 2 }).textContent()).toContain(
        (evil[at] ?? "").replace(/[\u2028\u2029\u202e]/g, "").slice(0, 8),
      );
    }
    await page.getByRole("searchbox").fill("<img");
    await seesCount(page, "1 of 10");
    await page.getByRole("tab", { name: "Hooks" }).click();
    await page.locator("tbody button").first().click();
    expect({ requests: requests.length, messages }).toEqual({ requests: 1, messages: [] });
    expect(await page.locator("script").count()).toBe(2);
    expect(await page.locator("img, svg, iframe, a").count()).toBe(0);
  });

  test("the policy stops scripts, styles and requests that the page does not have", async () => {
    const hits: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => (hits.push(request.url), new Response("")),
    });
    const { page, messages } = await open();
    const outcomes = await page.evaluate<string[]>(`(async () => {
      const url = "http://127.0.0.1:${server.port}/";
      const add = (tag, keys) => document.body.append(Object.assign(document.createElement(tag), keys));
      const attempt = async (act) => { try { await act(); return "done"; } catch (error) { return error.name; } };
      add("img", { src: url });
      add("style", { textContent: "body { display: none }" });
      add("iframe", { src: url });
      return [
        await attempt(() => fetch(url)),
        await attempt(() => add("script", { textContent: "document.title = 'taken'" })),
        await attempt(() => { document.body.innerHTML = "<b>gone</b>"; }),
      ];
    })()`);
    await page.waitForTimeout(300);
    await server.stop(true);
    expect(hits).toEqual([]);
    expect(outcomes).toEqual(["TypeError", "TypeError", "TypeError"]);
    expect(messages.filter((message) => message.includes("Content Security Policy")).length).toBeGreaterThan(3);
    expect(await page.title()).toBe("run.jsonl");
    expect(await row(page, "root").isVisible()).toBe(true);
  });

  test("10,000 spans: few rows exist at a time, and scrolling, the end and a filter find all of them", async () => {
    const tools = Array.from({ length: 3333 }, (_none, index) =>
      toolSpan(`tool-${index}`, [dispatchSpan("pre_tool_use", [hookSpan("guard.sh")])], { at: index * 100 }),
    );
    const { page } = await open([agentSpan("root", tools, { takes: 333_300 })]);
    await seesCount(page, "10,000 spans");
    expect((await rowNames(page)).length).toBeLessThan(80);
    await page.getByRole("treegrid").press("End");
    expect((await rowNames(page)).at(-1)).toBe("guard.sh");
    expect((await rowNames(page)).length).toBeLessThan(80);
    expect(await page.locator('[role=row][aria-selected="true"]').getAttribute("aria-rowindex")).toBe("10001");
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, -100_000);
    await page.getByText("tool-", { exact: false }).first().waitFor();
    await page.getByRole("searchbox").fill("tool-1234");
    await seesCount(page, "1 of 10,000");
    expect(await rowNames(page)).toEqual(["root", "tool-1234"]);
  });

  test("several trees are drawn from their own starts, or on one clock", async () => {
    const { page } = await open([0, 60_000].map((at) => dispatchSpan("pre_tool_use", [], { at, takes: 20 })));
    const lefts = async () =>
      Promise.all((await page.locator(".bar").all()).map(async (bar) => (await bar.boundingBox())?.x ?? 0));
    const [one, other] = await lefts();
    expect(one).toBe(other);
    await page.getByRole("button", { name: "One clock" }).click();
    const [first = 0, last = 0] = await lefts();
    expect(last - first).toBeGreaterThan(200);
  });

  test("says what of the trace could not be read", async () => {
    const { page } = await openPage(await writePage([], `${otlpLines([exampleRun()])}{"resourceSpans": oops}\n`));
    await page.getByText("1 note about this trace").click();
    expect(await page.getByText("run.jsonl:16:19: is not JSON").isVisible()).toBe(true);
  });

  test("a trace without content says how to record it, and one without hooks has no plot", async () => {
    const { page } = await open([modelSpan("opus")]);
    expect(await details(page).innerText()).toContain("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY");
    await page.getByRole("tab", { name: "Hooks" }).click();
    expect(await page.getByText("No hook ran in this trace.").isVisible()).toBe(true);
  });

  test("on a narrow screen the details are below the waterfall", async () => {
    const { page } = await open(undefined, { width: 480, height: 800 });
    const [grid, pane] = await Promise.all([page.getByRole("treegrid").boundingBox(), details(page).boundingBox()]);
    expect(pane?.y ?? 0).toBeGreaterThanOrEqual((grid?.y ?? 0) + (grid?.height ?? 0) - 1);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(480);
  });
});
