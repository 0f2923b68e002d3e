import { FORMAT_IDS } from "../../src/redaction/keys/formats.ts";
import { KEY_IDS } from "../../src/redaction/keys/frames.ts";
import { ASSIGNED_RULES } from "../../src/redaction/kinds/assigned.ts";
import { SECRET_RULES } from "../../src/redaction/kinds/kinds.ts";
import { LINK_KINDS, OTHER_LINK_ID } from "../../src/redaction/links.ts";
import { type Context, type Name, nameOf } from "./contexts.ts";
import { randomFrom, sampleOf, textOf } from "./samples.ts";

/** A secret of a kind, made at run time. */
export interface Positive {
  kind: string;
  /** The name it is assigned to: the vendor's for a kind that only its name tells. */
  name: Name;
  /** What is written: the secret and what its kind is known by, such as the address around a password. */
  value: string;
  secret: string;
  /** The kind is known by its name, so it is not found without one. */
  named?: true;
  /** The value is more than the secret, and no single word. */
  framed?: true;
}

type Random = () => number;
type Maker = (random: Random) => Positive;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ALNUM = `${LETTERS}0123456789`;
/** How much longer than it must be each part of a token is made, at most: few real ones are as short as they may be. */
const LONGER = 24;
/** A name that says nothing, so that only the pattern of the value tells the kind. */
const PLAIN_NAME = nameOf("service_value");

const base64 = (text: string) => Buffer.from(text).toString("base64");
const token = (random: Random, length = 40) =>
  textOf(LETTERS, 1, random) + textOf(ALNUM, length - 2, random) + textOf("0123456789", 1, random);
const password = (random: Random) => `${textOf(LETTERS, 6, random)}7${textOf(ALNUM, 5, random)}`;

function withPattern(): [string, Maker][] {
  return SECRET_RULES.map((rule): [string, Maker] => [
    rule.id,
    (random) => {
      const { text, start, end } = sampleOf(rule.pattern, random, undefined, LONGER);
      const secret = text.slice(start, end);
      return { kind: rule.id, name: PLAIN_NAME, value: text, secret, ...(secret === text ? {} : { framed: true }) };
    },
  ]);
}

function assigned(): [string, Maker][] {
  return ASSIGNED_RULES.map((rule): [string, Maker] => [
    rule.id,
    (random) => {
      const value = sampleOf(rule.value, random, undefined, LONGER).text;
      const name = nameOf(`${rule.word.toLowerCase().replaceAll(/[ .-]/g, "_")}_client_secret`);
      return { kind: rule.id, name, value, secret: value, named: true };
    },
  ]);
}

function links(): [string, Maker][] {
  const kinds = [...LINK_KINDS, { id: OTHER_LINK_ID, schemes: ["https", "http", "git+https"] }];
  return kinds.flatMap(({ id, schemes }) =>
    schemes.map((scheme): [string, Maker] => [
      id,
      (random) => {
        const secret = password(random);
        return { kind: id, name: PLAIN_NAME, value: `${scheme}://app:${secret}@db.example.com:5432/main`, secret };
      },
    ]),
  );
}

const FENCE = "-".repeat(5);
const frame = (label: string, body: string, end: string) =>
  `${FENCE}BEGIN ${label}${FENCE}${end}${body}${end}${FENCE}END ${label}${FENCE}`;

/** The private keys of files, in one line with written-out line ends, as they are in variables. */
function keys(): [string, Maker][] {
  const framed = (kind: string, write: (random: Random) => [value: string, secret: string]): [string, Maker] => [
    kind,
    (random) => {
      const [value, secret] = write(random);
      return { kind, name: PLAIN_NAME, value, secret, framed: true };
    },
  ];
  const lines = (random: Random, count = 6) => Array.from({ length: count }, () => textOf(`${ALNUM}+/`, 64, random));
  return [
    ...["RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY"].map((label) =>
      framed(KEY_IDS.pem, (random) => {
        const body = lines(random);
        return [frame(label, body.join("\\n"), "\\n"), body[1] ?? ""];
      }),
    ),
    // A key of Ed25519 is one short line.
    framed(KEY_IDS.pem, (random) => {
      const body = `MC4CAQAwBQYDK2VwBCIEI${textOf(ALNUM, 43, random)}`;
      return [frame("PRIVATE KEY", body, "\\n"), body];
    }),
    framed(KEY_IDS.pgp, (random) => {
      const body = lines(random);
      return [frame("PGP PRIVATE KEY BLOCK", body.join("\\n"), "\\n"), body[1] ?? ""];
    }),
    framed(KEY_IDS.cut, (random) => {
      const body = lines(random);
      return [`${FENCE}BEGIN PRIVATE KEY${FENCE}\\n${body.join("\\n")}`, body[1] ?? ""];
    }),
    framed(FORMAT_IDS.putty, (random) => {
      const body = lines(random);
      return [
        `Private-Lines: 6\\n${body.join("\\n")}\\nPrivate-MAC: ${textOf("0123456789abcdef", 64, random)}`,
        body[1] ?? "",
      ];
    }),
    framed(FORMAT_IDS.base64, (random) => {
      const body = base64(frame("PRIVATE KEY", lines(random).join("\n"), "\n"));
      return [body, body];
    }),
    framed(FORMAT_IDS.jwk, (random) => {
      const secret = textOf(`${ALNUM}_-`, 43, random);
      return [`{kty: OKP, crv: Ed25519, d: ${secret}}`, secret];
    }),
    framed(FORMAT_IDS.xml, (random) => {
      const secret = `${textOf(`${ALNUM}+/`, 171, random)}=`;
      return [`<RSAKeyValue><Exponent>AQAB</Exponent><D>${secret}</D></RSAKeyValue>`, secret];
    }),
  ];
}

/** Credentials without a vendor, each as it is written where it is used. */
function generic(): [string, Maker][] {
  const line = (
    kind: string,
    write: (secret: string, random: Random) => string,
    make: (random: Random) => string = password,
  ): [string, Maker] => [
    kind,
    (random) => {
      const secret = make(random);
      return { kind, name: PLAIN_NAME, value: write(secret, random), secret, framed: true };
    },
  ];
  const named = (kind: string, name: string, make: (random: Random) => string = token): [string, Maker] => [
    kind,
    (random) => {
      const secret = make(random);
      return { kind, name: nameOf(name), value: secret, secret, named: true };
    },
  ];
  const basic = (random: Random) => base64(`alice:${password(random)}`);
  const license = (random: Random) =>
    Array.from({ length: 5 }, () => textOf("ABCDEFGHJKLMNPQRSTUVWXYZ", 2, random) + textOf("23456789", 3, random)).join(
      "-",
    );
  return [
    line("basic-auth-header", (secret) => `Authorization: Basic ${secret}`, basic),
    line("bearer-token", (secret) => `Authorization: Bearer ${secret}`, token),
    line("authorization-header", (secret) => `Authorization: token ${secret}`, token),
    line("curl-auth-header", (secret) => `curl -H Api-Token:${secret} https://a.example`, token),
    line("session-cookie", (secret) => `Cookie: theme=dark; sessionid=${secret}`, token),
    line("curl-auth-user", (secret) => `curl -u alice:${secret} https://a.example`),
    line("wget-password", (secret) => `wget --user=alice --password=${secret} https://a.example`),
    line("httpie-password", (secret) => `http -a alice:${secret} GET a.example`),
    line("mysql-command-password", (secret) => `mysqldump -h db -uroot -p${secret} app`),
    line("sshpass-password", (secret) => `sshpass -p ${secret} ssh root@host`),
    line("redis-command-password", (secret) => `redis-cli -h cache -a ${secret} ping`),
    line("docker-login-password", (secret) => `docker login -u alice -p ${secret} registry.example.com`),
    line("sqlcmd-password", (secret) => `sqlcmd -S db -U sa -P ${secret}`),
    line("mongodb-command-password", (secret) => `mongosh -u alice -p ${secret} db.example.com`),
    line("ldap-command-password", (secret) => `ldapsearch -x -D cn=admin -w ${secret}`),
    line("smb-command-password", (secret) => `smbclient -U alice%${secret} -L host`),
    line("ftp-command-password", (secret) => `lftp -u alice,${secret} ftp.example.com`),
    line("cassandra-command-password", (secret) => `cqlsh -u alice -p ${secret} db`),
    line("twine-password", (secret) => `twine upload -u alice -p ${secret} dist/a.whl`),
    line("keystore-password", (secret) => `keytool -list -keystore a.jks -storepass ${secret}`),
    line("openssl-password", (secret) => `openssl rsa -in k.pem -passin pass:${secret}`),
    line("kubernetes-literal", (secret) => `kubectl create secret generic db --from-literal=password=${secret}`),
    line("command-line-password", (secret) => `tool login --password ${secret} --verbose`),
    line("connection-string-password", (secret) => `Server=db;Database=app;User Id=alice;Password=${secret};`),
    line("jdbc-password", (secret) => `jdbc:mysql://db/app?user=alice&password=${secret}&useSSL=false`),
    line("netrc-password", (secret) => `machine a.example login alice password ${secret}`),
    line("npm-auth", (secret) => `//registry.example.com/:_auth=${secret}`, basic),
    line("docker-auth", (secret) => `{"auths": {"registry.example.com": {"auth": "${secret}"}}}`, basic),
    line(
      "maven-password",
      (secret) => `<server><id>a</id><username>alice</username><password>${secret}</password></server>`,
    ),
    line("nuget-config-password", (secret) => `<add key="Password" value="${secret}" />`),
    line("http-basic-password", (secret) => `[http-basic.a] username = "alice" password = "${secret}"`),
    line(
      "kubernetes-secret-yaml",
      (secret) => `{"kind": "Secret", "data": {"password": "${secret}"}}`,
      (random) => base64(password(random)),
    ),
    line("sql-password", (secret) => `CREATE USER 'app' IDENTIFIED BY '${secret}';`),
    line("powershell-password", (secret) => `ConvertTo-SecureString '${secret}' -AsPlainText -Force`),
    line("wordpress-key", (secret) => `define('AUTH_KEY', '${secret}');`),
    line("pgpass-password", (secret) => `db.a.example:5432:app:alice:${secret}`, token),
    named("generic-api-key", "api_key"),
    named("generic-api-key", "client_secret"),
    named("generic-api-key", "access_token"),
    named("generic-password", "db_password"),
    named("license-key", "license_key", license),
  ];
}

const MAKERS: ReadonlyMap<string, readonly Maker[]> = new Map(
  [...Map.groupBy([...withPattern(), ...assigned(), ...links(), ...keys(), ...generic()], ([kind]) => kind)].map(
    ([kind, made]) => [kind, made.map(([, make]) => make)],
  ),
);

/** The kinds of which samples can be made. */
export const POSITIVE_KINDS: readonly string[] = [...MAKERS.keys()];

/** So many samples of a kind, all of its patterns in turn; the same ones for the same seed. */
export function positivesOf(kind: string, count: number, seed: number): Positive[] {
  const makers = MAKERS.get(kind) ?? [];
  const random = randomFrom(seed);
  return Array.from(
    { length: makers.length === 0 ? 0 : count },
    (_, n) => makers[n % makers.length]?.(random) ?? [],
  ).flat();
}

/** A positive in a context: the text, and how the secret is spelled in it. */
export function place({ name, value, secret }: Positive, { write, spell }: Context): { text: string; spelled: string } {
  return { text: write(name, value), spelled: spell ? spell(secret) : secret };
}

/** True if a context can hold a positive: it gives a name to a kind that needs one, and takes a value of several words. */
export function fits({ named, framed }: Positive, { nameless, word }: Context): boolean {
  return !(named && nameless) && !(framed && word);
}
