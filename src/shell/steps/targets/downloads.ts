import { expandAlternatives, UNKNOWN } from "../../paths/path-text.ts";
import { joinPath } from "../../paths/working-directory.ts";
import type { StepWord } from "../invocation.ts";
import { readAuthority, readLooseUrl, readUrl } from "./addresses.ts";
import { type Call, hereAs, type Row, UNKNOWN_ADDRESS, wordOf } from "./call.ts";

/** Methods that bring content to a server. */
const UPLOADS = /^(?:POST|PUT|PATCH)$/i;

/** Connects to the hosts of URLs; a scheme may be missing. */
export function connectToUrls(call: Call, urls: readonly StepWord[], sends: boolean): void {
  for (const url of urls) {
    const carries = sends || call.holdsOutput(url);
    const sure = url.count !== "any";
    if (/^file:/i.test(url.text)) call.read([url]);
    // curl takes braces and ranges itself.
    for (const text of url.text.length < 2048 ? expandAlternatives(url.text) : [url.text])
      call.connect(readLooseUrl(text.replace(/\[\w+-\w+(?::\d+)?\]/g, UNKNOWN)), { sends: carries, sure });
  }
}

/** A proxy that a variable names is connected to as well. */
export function connectToProxies(call: Call): void {
  if (call.hosts.length === 0) return;
  for (const { name, value } of call.environment)
    if (/^(?:https?|all|ftp)_proxy$/i.test(name)) call.connect(readLooseUrl(value.text));
}

/** The file in `@FILE`, `name=@FILE;type=x`, `name@FILE`. */
export function fileIn(word: StepWord, form: RegExp): StepWord[] {
  const file = form.exec(word.text)?.[1];
  return file === undefined ? [] : [wordOf(file, word)];
}

function curl(call: Call): void {
  const data = call.values("-d", "--data", "--data-ascii", "--data-binary", "--json");
  const encoded = call.values("--data-urlencode", "--url-query");
  const forms = call.values("-F", "--form");
  const uploads = call.values("-T", "--upload-file");
  call.read(data.flatMap((word) => fileIn(word, /^@(.*)$/s)));
  call.read(encoded.flatMap((word) => fileIn(word, /^[^=@]*@(.*)$/s)));
  call.read(forms.flatMap((word) => fileIn(word, /^[^=]*=(?:[^@<]*,)?[@<]([^;]*)/s)));
  call.read(
    call.values("-H", "--header", "--proxy-header", "-w", "--write-out").flatMap((word) => fileIn(word, /^@(.*)$/s)),
  );
  call.read(call.values("-b", "--cookie").filter(({ text }) => !text.includes("=")));
  call.read([...uploads, ...call.values("-K", "--config")]);

  const [directory] = call.values("--output-dir");
  const outer = call.base;
  const urls = [...call.operands, ...call.values("--url")];
  if (directory) call.base = call.join(directory.text);
  call.write(call.values("-o", "--output"));
  if (call.has("-O", "--remote-name", "--remote-name-all")) call.write(namesOf(urls));
  call.base = outer;
  call.write(
    call.values(
      "-c",
      "--cookie-jar",
      "-D",
      "--dump-header",
      "--trace",
      "--trace-ascii",
      "--stderr",
      "--hsts",
      "--alt-svc",
      "--etag-save",
      "--libcurl",
    ),
  );

  const sends =
    [data, encoded, forms, uploads].some((values) => values.length > 0) ||
    call.has("--data-raw", "--form-string") ||
    call.values("-X", "--request").some(({ text }) => UPLOADS.test(text));
  connectToUrls(call, urls, sends);
  const proxies = call.values(
    "-x",
    "--proxy",
    "--preproxy",
    "--socks4",
    "--socks4a",
    "--socks5",
    "--socks5-hostname",
    "--proxy1.0",
  );
  for (const { text } of [...proxies, ...call.values("--doh-url")]) call.connect(readLooseUrl(text));
  // The address that a name gets by force is what it connects to.
  for (const { text } of call.values("--connect-to")) call.connect(readAuthority(text.split(":").slice(2).join(":")));
  for (const { text } of call.values("--resolve"))
    for (const address of text.split(":").slice(2).join(":").split(",")) call.connect(readAuthority(address));
  if (call.has("-K", "--config") && urls.length === 0) call.connect(UNKNOWN_ADDRESS);
}

/** The name under which a download is stored. */
function remoteName(url: string): string {
  return url.replace(/[?#].*$/s, "").replace(/^.*\//s, "");
}

function namesOf(urls: readonly StepWord[]): StepWord[] {
  return urls.map((url) => wordOf(hereAs(remoteName(url.text)), url));
}

function wget(call: Call): void {
  const posted = call.values("--post-file", "--body-file");
  call.read([...posted, ...call.values("-i", "--input-file")]);
  const [directory] = call.values("-P", "--directory-prefix");
  const documents = call.values("-O", "--output-document");
  const outer = call.base;
  if (documents.length > 0) call.write(documents);
  else if (!call.has("--spider")) {
    if (directory) call.base = call.join(directory.text);
    for (const [at, name] of namesOf(call.operands).entries())
      call.write([isBareSite(call.operands[at]?.text ?? "") ? wordOf("index.html") : name]);
    if (call.has("-r", "--recursive", "-m", "--mirror")) call.write([wordOf(".")], "below");
  }
  call.base = outer;
  call.write(call.values("-o", "-a", "--output-file", "--append-output", "--save-cookies"));
  const sends =
    posted.length > 0 ||
    call.has("--post-data", "--body-data") ||
    call.values("--method").some(({ text }) => UPLOADS.test(text));
  connectToUrls(call, call.operands, sends);
  if (call.has("-i", "--input-file")) call.connect(UNKNOWN_ADDRESS);
  for (const { text } of call.values("-e", "--execute")) {
    const proxy = /^\s*(?:https?|ftp)_proxy\s*=\s*(\S+)/i.exec(text)?.[1];
    if (proxy !== undefined) call.connect(readLooseUrl(proxy));
  }
}

/** True for a URL without a path. */
function isBareSite(url: string): boolean {
  return /^(?:[a-z]+:\/\/)?[^/?#\0]*\/?(?:[?#]|$)/is.test(url);
}

/** `http [METHOD] URL [ITEM...]`. */
function httpie(call: Call): void {
  const [first, ...rest] = call.operands;
  if (!first) return;
  const method =
    /^[A-Za-z]+$/.test(first.text) && rest.length > 0 && first.text !== "localhost" ? first.text : undefined;
  const [url, ...items] = method === undefined ? call.operands : rest;
  if (!url) return;
  call.read(items.flatMap((word) => fileIn(word, /^[^=@:]*(?:=|:=)?@(.*)$/s)));
  call.write(call.values("-o", "--output"));
  const hasBody = items.some(({ text }) => /^[^=:@]+(?::?=(?!=)|@)/.test(text)) || call.isFed;
  const sends = method === undefined ? hasBody : UPLOADS.test(method);
  const text = /^:(?:\d|\/|$)/.test(url.text) ? `localhost${url.text}` : url.text;
  connectToUrls(call, [{ ...url, text }], sends);
  for (const { text: proxy } of call.values("--proxy"))
    call.connect(readLooseUrl(proxy.replace(/^\w+:(?=\w+:\/\/)/, "")));
}

/** `iwr -Uri URL -OutFile F -Method POST -Body X`. */
function webRequest(call: Call): void {
  call.read(call.behind(/^-infile$/i));
  call.write(call.behind(/^-outfile$/i));
  const sends =
    call.behind(/^-method$/i).some(({ text }) => UPLOADS.test(text)) ||
    call.texts.some((text) => /^-(?:body|infile|form)$/i.test(text));
  const urls = [...call.behind(/^-uri$/i), ...call.invocation.words.filter(({ text }) => readUrl(text))];
  connectToUrls(call, [...new Set(urls)], sends);
}

/** Fetches the URLs among its operands into the directory in force. */
function fetchesFiles(call: Call): void {
  connectToUrls(
    call,
    call.operands.filter(({ text }) => /:\/\/|^[^/]+\.|^\0/.test(text)),
    false,
  );
  const outputs = call.values("-o", "--output", "--out");
  call.write(
    outputs.length > 0
      ? outputs.map((name) => wordOf(joinPath(call.values("-d", "--dir")[0]?.text ?? "", name.text), name))
      : namesOf(call.operands),
  );
}

/** Pages and feeds that a program shows. */
function shows(call: Call): void {
  connectToUrls(call, call.operands, false);
}

/** The rows of programs that fetch URLs. */
export const DOWNLOADS: readonly (readonly [names: string, row: Row])[] = [
  ["curl", curl],
  ["wget wget2", wget],
  ["http https xh xhs", httpie],
  ["iwr irm invoke-webrequest invoke-restmethod", webRequest],
  ["aria2c axel fetch youtube-dl yt-dlp", fetchesFiles],
  ["lynx links w3m elinks lwp-request get head-url", shows],
];
