import type { StepWord } from "../invocation.ts";
import { readAuthority, readRemotePath, readUrl } from "./addresses.ts";
import { type Call, type Row, UNKNOWN_ADDRESS } from "./call.ts";

const portIn = (words: readonly StepWord[]) => {
  const port = Number.parseInt(words[0]?.text ?? "", 10);
  return port > 0 && port < 65_536 ? { port } : {};
};

/** Connects to `user@host`, `user@host:port` or a URL. */
function connectToHost(call: Call, word: StepWord | undefined, options: { sends?: boolean; port?: number } = {}): void {
  if (!word) return;
  const address = readUrl(word.text) ?? readAuthority(word.text);
  call.connect(address, { ...options, sure: word.count !== "any" });
}

function ssh(call: Call): void {
  connectToHost(call, call.operands[0], { sends: call.isFed, ...portIn(call.values("-p")) });
  const jumps = call.values("-J").flatMap(({ text }) => text.split(","));
  for (const { text } of call.values("-o", "-W")) {
    const [, name, value = ""] = /^\s*(ProxyJump|HostName)[ =]+(.*)$/is.exec(text) ?? [];
    if (name !== undefined) jumps.push(...value.split(","));
  }
  for (const jump of jumps) call.connect(readUrl(jump) ?? readAuthority(jump));
}

/** Copies a file, or whatever is typed, to the host: `ssh-copy-id`, `sftp`. */
function sendsToHost(call: Call): void {
  const [host] = call.operands;
  const port = portIn(call.values("-p", "-P"));
  const address = host && (readRemotePath(host.text) ?? readAuthority(host.text));
  call.connect(address, { sends: true, ...port, sure: host?.count !== "any" });
  call.read(call.values("-b"));
}

/** `nc HOST PORT`; with `-l` it waits for others. */
function netcat(call: Call): void {
  if (call.has("-l", "--listen")) return;
  const operands = call.operands.filter(({ text }) => !text.startsWith("-"));
  const [host, port] = operands;
  // With -z it only looks whether the port is open.
  connectToHost(call, host, { sends: !call.has("-z"), ...portIn(port ? [port] : []) });
  for (const { text } of call.values("-x", "--proxy")) call.connect(readAuthority(text));
}

/** `socat - TCP:host:port`. */
function socat(call: Call): void {
  for (const { text } of call.operands) {
    const [, kind = "", rest = ""] = /^([a-z\d-]+):([^,]*)/i.exec(text) ?? [];
    if (
      /^(?:tcp|udp|openssl|ssl|sctp|dccp|proxy|socks)\w*(?:-connect|-sendto|-datagram)?$/i.test(kind) &&
      !/listen|-l$/i.test(kind)
    )
      call.connect(readAuthority(rest), { sends: true });
    if (/^(?:open|file|gopen)$/i.test(kind)) call.read([{ text: rest, source: text, count: "one", glob: false }]);
    if (/^(?:create)$/i.test(kind)) call.write([{ text: rest, source: text, count: "one", glob: false }]);
  }
}

function telnet(call: Call): void {
  const [host, port] = call.operands;
  connectToHost(call, host, { sends: true, ...portIn(port ? [port] : []) });
}

/** `openssl s_client -connect host:port`. */
export function opensslClient(call: Call): void {
  if (call.texts[0] !== "s_client") return;
  call.texts.forEach((text, at) => {
    if (/^--?(?:connect|host|proxy)$/.test(text))
      call.connect(readAuthority(call.texts[at + 1] ?? ""), { sends: true });
  });
}

/** Names that stand beside a host in a query of names. */
const RECORD = /^(?:a(?:aaa|ny)?|mx|txt|ns|soa|cname|ptr|srv|caa|axfr|in|ch)$/i;

/** Asks for a name, at a server if one is given: `dig @SERVER NAME`. A name with output in it carries that away. */
function asksForNames(call: Call): void {
  for (const word of call.operands) {
    if (/^\+|^$/.test(word.text) || RECORD.test(word.text)) continue;
    const sends = call.holdsOutput(word);
    const sure = word.count !== "any";
    call.connect(readAuthority(word.text.replace(/^@/, "")), { sends, sure });
  }
}

/** Probes a host. */
function probes(call: Call): void {
  // A number behind an option is its value.
  const values = new Set(call.behind(/^-\w+$/).filter(({ text }) => /^\d+(?:[,.-]\d+)*$/.test(text)));
  const operands = call.operands.filter((word) => !values.has(word));
  const hosts = /^(?:nmap|mtr|fping)$/.test(call.name) ? operands : operands.slice(0, 1);
  for (const word of hosts) {
    const sends = call.holdsOutput(word);
    call.connect(readUrl(word.text) ?? readAuthority(word.text.replace(/\/\d+$/, "")), {
      sends,
      sure: word.count !== "any",
    });
  }
}

/** Mails go to the hosts of their addresses. */
function mails(call: Call): void {
  const addresses = [...call.operands, ...call.values("-t", "--to", "-c", "-b", "-r")].filter(({ text }) =>
    text.includes("@"),
  );
  for (const { text } of addresses)
    for (const one of text.split(",")) call.connect(readAuthority(one.replace(/[<>\s]/g, "")), { sends: true });
  for (const { text } of call.values("--server", "-S", "-smtp"))
    if (!text.includes("=")) call.connect(readAuthority(text), { sends: true });
  if (call.hosts.length === 0) call.connect(UNKNOWN_ADDRESS, { sends: true });
  call.read(call.values("-a", "-A", "--attach"));
}

/** A redirection to `/dev/tcp/HOST/PORT`. */
export function connectToDevice(call: Call, path: string, sends: boolean): boolean {
  const [, host, port = ""] = /^\/dev\/(?:tcp|udp)\/([^/]+)(?:\/(.*))?$/s.exec(path) ?? [];
  if (host === undefined) return false;
  const number = Number.parseInt(port, 10);
  call.connect({ host: host.toLowerCase(), path: "" }, { sends, ...(number > 0 ? { port: number } : {}) });
  return true;
}

/** Host and URL of a client that is told them by options. */
function clientOf(...names: string[]): Row {
  return (call) => {
    for (const word of call.values(...names)) connectToHost(call, word);
    for (const word of call.operands) if (readUrl(word.text)) connectToHost(call, word);
  };
}

/** The rows of programs that connect to hosts. */
export const CONNECTIONS: readonly (readonly [names: string, row: Row])[] = [
  ["ssh autossh mosh", ssh],
  ["ssh-copy-id sftp", sendsToHost],
  ["nc ncat netcat", netcat],
  ["socat", socat],
  ["telnet ftp lftp tftp", telnet],
  ["dig host nslookup drill kdig dog doggo", asksForNames],
  ["ping ping6 traceroute traceroute6 tracepath mtr nmap whois fping arping ssh-keyscan nping hping3", probes],
  ["mail mailx mutt neomutt sendmail swaks msmtp s-nail", mails],
  [
    "grpcurl websocat wscat mosquitto_pub mosquitto_sub kcat kafkacat ldapsearch ldapmodify nats amqp-publish",
    clientOf("-h", "--host", "-H", "-b", "--server", "-s"),
  ],
];
