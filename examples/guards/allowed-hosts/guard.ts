// Lets `fetch`, and curl in its plainest form, reach the hosts of `args`. Every other program of the network is refused.
import { BLOCK, type Builtin, mayRun, runsOnly } from "hooksh/hook";

const PROGRAMS = [
  "curl",
  "wget",
  "http",
  "https",
  "xh",
  "aria2c",
  "nc",
  "ncat",
  "netcat",
  "socat",
  "telnet",
  "ftp",
  "sftp",
  "scp",
  "ssh",
  "rsync",
];
const MORE = [
  "ping",
  "dig",
  "host",
  "nslookup",
  "drill",
  "openssl s_client",
  "mail",
  "sendmail",
  "rclone",
  "ngrok",
  "cloudflared",
  "iwr",
  "certutil",
  "lynx",
  "w3m",
  "links",
  "elinks",
  "whois",
  "finger",
  "getent",
  "nmap",
  "tftp",
  "mosh",
  "traceroute",
  "tracepath",
  "telnet*",
  "smbclient",
  "ldapsearch",
  "swaks",
  "rdate",
  "gh api",
];
const NETWORK = [...PROGRAMS, ...MORE].flatMap((program) => [program, `${program} *`]);
/** Programs that reach hosts of their own choice, and addresses anywhere in a line. */
const HIDDEN = [
  "*://*",
  "git *clone *",
  "git *ls-remote *",
  "git *fetch *:*",
  "git *pull *:*",
  "git *push *:*",
  "svn *",
  "hg *",
  "pip* *--index*",
  "pip* -i *",
  "npm *--registry*",
  // Code on the command line that opens a connection.
  "*socket*",
  "*urllib*",
  "*fsockopen*",
  "*/inet/*",
  "node *net*",
  "*/dev/$*",
  "*/dev/tcp/*",
  "*/dev/udp/*",
  "gh gist*",
  "gh repo*",
  "git remote* add*",
  "git remote* set-url*",
  "npm publish*",
  "docker push*",
  "aws s3*",
  "* http.server*",
];

const guard: Builtin = ({ tool_name, tool_input = {} }, hosts) => {
  const reason = `only these hosts are reached from here, with fetch or a line curl -fsS https://HOST/PATH: ${hosts.join(", ")}`;
  if (isAllowed(tool_name, tool_input, hosts)) return undefined;
  return { decision: BLOCK, reason };
};

function isAllowed(tool: string | undefined, { cmd, url, urls }: Record<string, unknown>, hosts: readonly string[]) {
  if (tool === "fetch") {
    const addresses = [url, urls].flat().filter((one) => one !== undefined);
    return addresses.length > 0 && addresses.every((address) => hosts.includes(hostOf(String(address))));
  }
  if (typeof cmd !== "string") throw new Error("no command line to judge");
  if (!mayRun(cmd, [...NETWORK, ...HIDDEN])) return true;
  const plain = hosts.flatMap((host) => ["", "-s ", "-fsS "].map((flags) => `curl ${flags}https://${host}/*`));
  return runsOnly(cmd, plain) && !mayRun(cmd, ["curl https://* *", "curl -* https://* *"]);
}

/** The host of an address that names no user and no port. */
function hostOf(address: string): string {
  const { protocol, hostname, host, username } = URL.parse(address) ?? new URL("none:");
  return protocol === "https:" && host === hostname && username === "" ? hostname : "";
}

export default guard;
