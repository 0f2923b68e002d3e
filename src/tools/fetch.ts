import * as v from "valibot";
import type { Help } from "../lib/errors.ts";
import { checkedTool } from "./checked-tool.ts";
import { compileDomains } from "./fetch/domains.ts";
import { type FetchedPage, type FetchOptions, FORMATS, fetchPage } from "./fetch/page.ts";
import { choice, optional } from "./parameters.ts";
import { type Tool, type ToolResult, type Toolset, toolError } from "./tool.ts";

const DOMAIN_NOT_ALLOWED: Help = {
  cause: "The `allowed_domains` or `blocked_domains` of the fetch toolset exclude the host.",
  cure: "Change these lists if you trust the host; an internal address also needs `allow_private_ips: true`.",
};

const DEFAULT_TIMEOUT = 30;
/** Maximum bytes read from one page, and from all pages of a call. */
const PAGE_LIMIT = 1024 * 1024;
const CALL_LIMIT = 4 * PAGE_LIMIT;

type Configured = Pick<FetchOptions, "headers" | "allowPrivate" | "refuse">;

/** The keys of an entry; `timeout` in seconds, 0 for the default. */
interface Options {
  timeout?: number;
  allowed_domains?: readonly string[];
  blocked_domains?: readonly string[];
  headers?: Readonly<Record<string, string>>;
  allow_private_ips?: boolean;
}

/** `fetch`: reads web pages. */
export function create(options: Options): Toolset {
  const { timeout, headers = {}, allow_private_ips: allowPrivate = false } = options;
  const refuse = domainRule(options.allowed_domains, options.blocked_domains);
  return {
    tools: [fetchTool({ headers, allowPrivate, refuse }, timeout || DEFAULT_TIMEOUT)],
    instructions: "Fetch several URLs with one call. Use markdown unless you need the HTML itself.",
  };
}

type Domains = readonly string[] | undefined;

function domainRule(allowed: Domains, blocked: Domains): Configured["refuse"] {
  const isAllowed = allowed ? compileDomains("allowed_domains", allowed) : () => true;
  const isBlocked = blocked ? compileDomains("blocked_domains", blocked) : () => false;
  return ({ hostname }) => {
    if (!isAllowed(hostname)) return `${hostname} is not among the allowed domains`;
    return isBlocked(hostname) ? `${hostname} is a blocked domain` : undefined;
  };
}

domainRule.help = DOMAIN_NOT_ALLOWED;

function fetchTool(configured: Configured, defaultTimeout: number): Tool {
  return checkedTool({
    name: "fetch",
    title: "Fetch URLs",
    description: "Fetches pages over HTTP or HTTPS and returns their content.",
    category: "fetch",
    readOnly: false,
    parameters: {
      urls: v.pipe(v.array(v.string()), v.minLength(1), v.description("The URLs to fetch.")),
      format: choice(FORMATS, "How to return HTML pages: as plain text, as Markdown, or unchanged."),
      timeout: optional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(300),
          v.description(`Seconds for each URL. Default ${defaultTimeout}.`),
        ),
      ),
    },
    run: async ({ urls, format, timeout = defaultTimeout }, { env, signal }) => {
      const bodyLimit = Math.min(PAGE_LIMIT, Math.floor(CALL_LIMIT / urls.length));
      const get = (url: string) => {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(timeout * 1000)]);
        return fetchPage(url, { ...configured, format, bodyLimit, env, signal: limited });
      };
      return render(await Promise.all(urls.map(get)));
    },
  });
}

function render(fetched: readonly FetchedPage[]): ToolResult {
  const attachments = fetched.flatMap(({ attachment }) => attachment ?? []);
  const files = attachments.length > 0 ? { attachments } : {};
  const pages = fetched.map(({ page }) => page);
  const [only, ...others] = pages;
  if (!only || others.length > 0) {
    const failed = pages.every((page) => page.error !== undefined);
    return { text: JSON.stringify(pages), ...(failed ? { isError: true } : {}), ...files };
  }
  if (only.error !== undefined) return toolError(`Error fetching ${only.url}: ${only.error}`);
  const { url, statusCode, contentLength, body } = only;
  return {
    text: `Successfully fetched ${url} (Status: ${statusCode}, Length: ${contentLength} bytes):\n\n${body}`,
    ...files,
  };
}
