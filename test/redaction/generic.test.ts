import { describe, expect, test } from "bun:test";
import { createRedactor, SECRET_KINDS } from "../../src/redaction/redact.ts";
import { ALNUM, base64, HEX, LICENSE, PASS, T, USER, UUID } from "./generic-secrets.ts";
import { randomFrom, textOf } from "./samples.ts";

const random = randomFrom(32);

const labelled = createRedactor({ label: true });
const on = createRedactor();
const strict = createRedactor({ generic: "strict" });
const off = createRedactor({ generic: "off" });

/** Expects exactly the text in double angle brackets to be redacted. */
function check(kind: string, pattern: string, redactor = labelled): void {
  const text = pattern.replaceAll(/<<|>>/g, "");
  const expected = pattern.replaceAll(/<<.*?>>/gs, redactor === labelled ? `[REDACTED:${kind}]` : "[REDACTED]");
  expect(redactor.redact(text)).toBe(expected);
  expect(redactor.redact(expected)).toBe(expected);
  if (redactor !== strict) expect(off.redact(text)).toBe(text);
}

const left = (text: string, redactor = on) => expect(redactor.redact(text)).toBe(text);

describe("headers", () => {
  test.each([
    ["basic-auth-header", `Authorization: Basic <<${USER}>>`],
    ["basic-auth-header", `{"Authorization": "Basic <<${USER}>>"}`],
    ["basic-auth-header", `headers={'proxy-authorization': 'basic <<${USER}>>'}`],
    ["basic-auth-header", `Authorization: Basic <<${base64("user:password")}>>`],
    ["bearer-token", `Authorization: Bearer <<${T}>>`],
    ["bearer-token", `{"authorization":"Bearer <<${HEX}>>","a":1}`],
    ["bearer-token", `h.Set("Authorization", "Bearer <<${T}>>")`],
    ["bearer-token", `-H Authorization:Bearer%20<<${T}>>`],
    ["bearer-token", `"Bearer <<${UUID}>>"`],
    ["authorization-header", `Authorization: token <<${HEX}>>`],
    ["authorization-header", `authorization: ApiKey <<${T}>>\r\n`],
    ["authorization-header", `Authorization: <<${T}>>`],
    ["authorization-header", `{"Authorization": "SSWS <<${T}>>"}`],
    ["generic-api-key", `X-Api-Key: <<${T}>>`],
    ["generic-api-key", `{"x-api-key": "<<${T}>>"}`],
    ["generic-api-key", `api-key: <<${HEX}>>`],
    ["generic-api-key", `X-Auth-Token: <<${T}>>`],
    ["generic-api-key", `X-Amz-Security-Token: <<${T}${T}>>`],
    ["session-cookie", `Cookie: theme=dark; sessionid=<<${T}>>; lang=en`],
    ["session-cookie", `Set-Cookie: connect.sid=<<s%3A${T}.${T}>>; Path=/; HttpOnly`],
    ["session-cookie", `{"cookie": "JSESSIONID=<<${HEX.toUpperCase()}>>; a=b"}`],
  ])("%s in %s", (kind, pattern) => check(kind, pattern));

  test.each([
    "Authorization: Bearer test-token",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer YOUR_ACCESS_TOKEN_123456",
    "Authorization: Bearer xxxxxxxxxxxxxxxxxxxxxxxx",
    "the bearer authentication scheme of RFC 6750",
    '"Bearer " + accessToken',
    "Bearer {{ .Values.token }}",
    "Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789",
    "Basic authentication",
    "## Basic Operations",
    "Authorization: Basic <base64>",
    "Authorization: Basic $CREDENTIALS",
    "Basic usage: see below",
    `basic ${base64("no colon in this text")}`,
    'Authorization: Digest username="a", response="b"',
    "Authorization: token",
    "Authorization: ${auth}",
    `Cookie: theme=${T}; csrftoken=${T}`,
    "X-Api-Key: your-api-key-goes-here-1",
    `X-Request-Id: ${UUID}`,
    `ETag: "${HEX}"`,
    `If-None-Match: "${HEX}"`,
    `x-amz-id-2: ${T}`,
  ])("nothing in %s", (text) => left(text));
});

describe("command lines", () => {
  test.each([
    ["curl-auth-user", `curl -u alice:<<${PASS}>> https://example.com`],
    ["curl-auth-user", `curl -s --user 'alice:<<${PASS}>>' https://example.com`],
    ["curl-auth-user", `curl -sSu "alice:<<${PASS}>>" -X POST https://example.com`],
    ["curl-auth-user", `/usr/bin/curl https://e.example \\\n  --proxy-user alice:<<${PASS}>> \\\n  -d x=y`],
    ["curl-auth-user", `curl --user alice:'<<${PASS}>>' https://e.example`],
    ["curl-auth-user", `curl -u ":<<${PASS}>>" https://e.example`],
    ["curl-auth-user", `curl -u "<<d2LkV78zLx!t>>:" https://e.example`],
    ["curl-auth-user", `["curl", "-u", "alice:<<${PASS}>>", "https://e.example"]`],
    ["curl-auth-user", `{"cmd": "curl -u alice:<<${PASS}>>", "timeout": 3}`],
    ["curl-auth-user", `sh -c 'curl -u alice:<<${PASS}>>' && ls`],
    ["curl-auth-header", `curl -H "Api-Token: <<Sk94HG7f6KB>>" https://e.example`],
    ["curl-auth-header", `curl --header 'Authorization: Token <<${HEX}>>'`],
    ["curl-auth-header", `curl -H "Token: <<3fea6af1349166ea>>" -d a=b`],
    ["curl-auth-header", `curl -H "Authorization: Basic <<${USER}>>" -d a=b`],
    ["wget-password", `wget --user=alice --password=<<${PASS}>> https://e.example`],
    ["httpie-password", `http -a alice:<<${PASS}>> GET e.example`],
    ["mysql-command-password", `mysqldump -h db -uroot -p<<${PASS}>> app > dump.sql`],
    ["mysql-command-password", `mysql --password='<<${PASS}>>' -e "select 1"`],
    ["sshpass-password", `sshpass -p '<<${PASS}>>' ssh root@host`],
    ["sshpass-password", `sshpass -p<<${PASS}>> ssh root@host`],
    ["redis-command-password", `redis-cli -h cache -a <<${PASS}>> ping`],
    ["docker-login-password", `docker login -u alice -p <<${PASS}>> registry.example.com`],
    ["docker-login-password", `helm registry login e.example --username a --password <<${PASS}>>`],
    [
      "kubernetes-literal",
      `kubectl create secret generic db --from-literal=password=<<${PASS}>> --from-literal=key=<<abc4defg>>`,
    ],
    ["openssl-password", `openssl rsa -in k.pem -passin pass:<<${PASS}>>`],
    ["command-line-password", `tool login --password <<${PASS}>> --verbose`],
    ["command-line-password", `tool --db-password=<<${PASS}>>`],
    ["connection-string-password", `psql "host=db user=alice password=<<${PASS}>> dbname=app"`],
    ["generic-password", `PGPASSWORD=<<${PASS}>> psql -h db`],
  ])("%s in %s", (kind, pattern) => check(kind, pattern));

  test.each([
    "curl -u alice https://e.example",
    "curl -u alice:$PASSWORD https://e.example",
    'curl -u "$1:$2" x',
    "curl -u user:password x",
    "curl -u <user:password> x",
    "curl -u test:test x",
    'curl --user "${{ secrets.USER }}:${{ secrets.PASS }}" x',
    "curl -u ':' x",
    "nc -u -l 41234",
    "curl x; grep -u a:b2c3d4e5",
    "mysql -u root -p app",
    "mysql -p$PASS",
    "mysql -P3306 -h db",
    "docker run -p 8080:80 nginx",
    "docker run -p 8080:80 login",
    "redis-cli -h cache ping",
    "tool --password",
    "tool --password-stdin",
    "tool --master-password --s3-bucket-name b",
    "  --password string   the password",
    "--password PASSWORD",
    "--password <pw>",
    "tool --password=$PW",
    'curl -H "Content-Type: application/json" -d @f1.json',
    'curl -H "Authorization: Bearer <Openverse API token>"',
    'curl -H "apikey: $API_KEY"',
    'curl -H "X-Request-Id: 3fea6af1349166ea"',
    "libcurl -u a:b2c3d4e5",
    "kubectl get secret -o yaml",
    "mkdir -p a1b2/c3d4; login -p",
  ])("nothing in %s", (text) => left(text));
});

describe("connection strings", () => {
  test.each([
    ["jdbc-password", `jdbc:sqlserver://db:1433;databaseName=app;user=sa;password=<<${PASS}>>;encrypt=true`],
    ["jdbc-password", `url: "jdbc:mysql://db/app?user=alice&password=<<${PASS}>>&useSSL=false"`],
    ["connection-string-password", `"Server=db;Database=app;User Id=alice;Password=<<${PASS}>>;"`],
    ["connection-string-password", `Driver={ODBC Driver 18};Server=db;Uid=alice;Pwd=<<${PASS}>>;Encrypt=yes`],
    [
      "connection-string-password",
      `<add name="x" connectionString="Data Source=db;User ID=alice;Password=<<${PASS}>>" />`,
    ],
    ["connection-string-password", `dsn = "host=db port=5432 user=alice password=<<${PASS}>> sslmode=require"`],
    ["connection-string-password", `"cache.example.com:6380,password=<<${PASS}>>,ssl=True"`],
  ])("%s in %s", (kind, pattern) => check(kind, pattern));

  test.each([
    "Server=db;Password=${DB_PASSWORD};",
    "Server=myServerAddress;User Id=myUsername;Password=myPassword;",
    "host=db user=a password=<password>",
    "connect(user=baduser, password=badpw2, usenetrc=False)",
    "jdbc:mysql://db/app?user=u&password=%PASSWORD%",
    "user=a&password=***",
  ])("nothing in %s", (text) => left(text));
});

test.each(["=", ":", "=:"])("a command that ends in %j ends with the string that it is in", (sign) => {
  const redacted = on.redact(JSON.stringify({ a: `curl -u a:${HEX}${sign}`, b: [`curl -u a:${T}`], c: "d" }));
  expect(JSON.parse(redacted)).toMatchObject({ b: ["curl -u a:[REDACTED]"], c: "d" });
  expect(redacted).not.toContain(HEX);
  expect(on.redact(redacted)).toBe(redacted);
});

describe("places that mark their content as a credential", () => {
  test.each([
    ["sql-password", `CREATE USER 'app'@'%' IDENTIFIED BY '<<${PASS}>>';`],
    ["sql-password", `{"q":"create user a identified by '<<${PASS}>>'"}`],
    ["sql-password", `CREATE USER a IDENTIFIED WITH mysql_native_password BY "<<${PASS}>>";`],
    ["sql-password", `alter role app with login password '<<${PASS}>>';`],
    ["powershell-password", `$p = ConvertTo-SecureString '<<${PASS}>>' -AsPlainText -Force`],
    ["powershell-password", `ConvertTo-SecureString -String "<<${PASS}>>" -AsPlainText`],
    ["wordpress-key", `define( 'AUTH_KEY',         '<<k*3G~l#p9Qz|x@1 mN5v&bT7 hR2sY8wE4u>>' );`],
    ["wordpress-key", `define("LOGGED_IN_SALT", "<<${T}>>");`],
    ["pgpass-password", `# local\ndb.example.com:5432:app:svc:<<${T}>>\n`],
    ["pgpass-password", `*:*:*:postgres:<<${T}>>`],
  ])("%s in %s", (kind, pattern) => check(kind, pattern));

  test.each([
    "IDENTIFIED BY 'password'",
    "IDENTIFIED BY '${DB_PASSWORD}'",
    "identified by their id",
    "IDENTIFIED BY '",
    "ALTER USER a PASSWORD 'changeme'",
    "the password 'x y z1'",
    "define('AUTH_KEY', 'put your unique phrase here');",
    "define('AUTH_KEY', getenv('AUTH_KEY_1'));",
    "ConvertTo-SecureString $password -AsPlainText",
    "db:5432:app:svc:password",
    `["define('AUTH_KEY', '${T}", "define('AUTH_KEY', '"]`,
    `["IDENTIFIED BY '${T}", "'"]`,
    `a${"]"}api:\n  key: ${T}`,
    "tcp 0 0 127.0.0.1:5432:a:b:c12345",
    "IDENTIFIED BY 'it\\'s1",
  ])("nothing in %s", (text) => left(text));
});

describe("names that say that their value is a credential", () => {
  test.each([
    ["generic-api-key", `API_KEY=<<${T}>>`],
    ["generic-api-key", `export SECRET_KEY="<<${T}>>"`],
    ["generic-api-key", `{"client_secret": "<<${HEX}>>"}`],
    ["generic-api-key", `token: <<${T}>>\n`],
    ["generic-api-key", `const accessToken = '<<${T}>>';`],
    ["generic-api-key", `apiToken := \`<<${T}>>\``],
    ["generic-api-key", `private-key: <<${T}.${T}>>`],
    ["generic-api-key", `"credentials" : "<<${HEX}>>"`],
    ["generic-api-key", `mySecretString=<<${T}>>`],
    ["generic-api-key", `todo_secret_do_not_commit = <<${T}>>`],
    ["generic-api-key", `<apiKey>\n    <<${T}>>\n</apiKey>`],
    ["generic-api-key", `{"config": "API_TOKEN=<<${T}>>\\nX=1"}`],
    ["generic-api-key", `api_token: <<${UUID}>>`],
    ["generic-api-key", `?access_token=<<${T}>>&page=2`],
    ["generic-api-key", `System.setProperty("API_TOKEN", "<<${T}>>")`],
    ["generic-api-key", `var apiToken string = "<<${T}>>"`],
    ["generic-api-key", `- name: API_KEY\n  value: <<${T}>>\n`],
    ["generic-api-key", `$apiToken .= "<<${T}>>"`],
    ["generic-api-key", `ENV API_TOKEN <<${T}>>`],
    ["generic-api-key", `os.environ["API_TOKEN"] = "<<${T}>>"`],
    ["generic-api-key", `tool --api-key <<${T}>>`],
    ["generic-api-key", `A=1\0SESSION_SECRET=<<${T}>>\0B=2`],
    ["generic-api-key", `here is the API key: <<${HEX}>>, keep it`],
    ["generic-api-key", `- **Api Key**: \`<<${HEX}>>\``],
    ["generic-api-key", `api:\n  key: <<${HEX}>>\n`],
    ["generic-api-key", `{"api": {"key": "<<${HEX}>>"}}`],
    ["generic-api-key", `- name: api_token\n  type: secret\n  required: true\n  value: <<${T}>>\n`],
    ["generic-api-key", `{"value": "<<${T}>>", "name": "API_TOKEN"}`],
    ["generic-api-key", `buildConfigField("String", "API_KEY", "\\"<<${T}>>\\"")`],
    ["generic-api-key", `gh secret set API_KEY --body "<<${T}>>"`],
    ["generic-api-key", `aws ssm put-parameter --name /prod/API_KEY --type SecureString --value '<<${T}>>'`],
    ["generic-api-key", `az keyvault secret set --vault-name v --name ApiKey --value <<${T}>>`],
    ["generic-api-key", `PresharedKey = <<${T}=>>\n`],
    ["generic-api-key", `<machineKey validationKey="<<${HEX}>>" />`],
    ["generic-password", `requirepass <<${T}>>\n`],
    ["generic-password", `DB_PASSWORD=<<${T}>>`],
    ["generic-password", `passwd = <<${T}>>`],
    ["generic-password", `password: "<<x8#kL2$mN9@pQ4!zW7%>>"`],
    ["license-key", `LICENSE_KEY=<<${LICENSE}>>`],
    ["license-key", `"licenceKey": "<<${LICENSE}>>"`],
  ])("%s in %s", (kind, pattern) => check(kind, pattern));

  test.each([
    `csrf_token=${T}`,
    `nextPageToken: ${T}`,
    `public_key = "${T}"`,
    `primaryKey=${T}`,
    `cache_key: ${T}`,
    `token_id: ${T}`,
    `secret_name: ${T}`,
    `passwordHash: ${T}`,
    `key_fingerprint=${T}`,
    `commit_token_sha: ${HEX}`,
    `"ClientToken": "${UUID}"`,
    `sortKey = "${T}"`,
    `key: ${T}`,
    `"AWS::IAM::AccessKey": "${HEX}"`,
    `author=${T}`,
    `api_version=${T}`,
    `monkey = ${T}`,
    `keyboard: ${T}`,
    `tokenizer=${T}`,
    "password = getPassword()",
    "token = parser.nextToken",
    "apiKey: process.env.API_KEY_1234567890",
    "secret: ${{ secrets.SUPER_SECRET_123 }}",
    "API_KEY=your_api_key_here_1234567890",
    "API_KEY=<your-key>",
    "SECRET_KEY=changeme",
    "TOKEN=xxxxxxxxxxxxxxxxxxxxxxxx",
    "PASSWORD=hunter2",
    "API_KEY=0123456789abcdef0123456789abcdef",
    'api_key = "abcdabcdabcdabcdabcdabcdabcdabcd"',
    "token = 'kubernetes.io/service-account-token'",
    "secretKeyRef: my-application-secret-key-1",
    "LICENSE_KEY=XXXXX-XXXXX-XXXXX-XXXXX",
    "license: Apache-2.0",
    "token: sha256:deadbeef",
    `sha1-${HEX}`,
    "arn:aws:secretsmanager:us-west-2:123456789012:secret:MySecret1-a1b2c3",
    "type_key: TR31_E0_EMV_MKEY_APP_CRYPTOGRAMS",
    "_Auth: TypeAlias = tuple",
    `examples/get-token.rst,sha256=${T},12`,
    `github.com/acme/auth v0.13.0 h1:${T}=`,
    'secretKey = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")',
    `"token": "0x${HEX}"`,
    `"storageKey":"user/${UUID}/avatar.png"`,
    `password: AgB${T.repeat(12)}`,
    `sort key: ${T}`,
    `cache:\n  key: ${T}`,
    `public key: ${T}`,
    `steps:\n  key: ${T}`,
    'const identity_token = require("./identity-token.js")',
    `change-token: ${T}`,
  ])("nothing in %s", (text) => left(text));

  test.each([
    `CLIENT_SECRET=\nBUILD_NAME=${T}\n`,
    `-CLIENT_SECRET=\n+BUILD_NAME=${T}\n`,
    `client_secret =\nbuild.name=${T}\n`,
  ])("the assignment below an empty one in %j is not its value", (text) => left(text));

  test.each([
    "kubectl create configmap a --from-literal=key1=config1 -o json",
    `computeSignature('', 'test_secret') => '${HEX}'`,
    `map((api_key) => "${T}")`,
    `sign(\\"datadog_api_key\\") => \\"${HEX.slice(8)}\\"`,
    `kind: Secret\ndata:\n  tls.crt: ${base64(`${"-".repeat(5)}BEGIN CERTIFICATE${"-".repeat(5)}\nMIIB`)}\n`,
  ])("nothing in %j", (text) => left(text));

  test("the secret below an empty one is redacted without its name", () => {
    expect(on.redact(`-CLIENT_SECRET=\n+CLIENT_SECRET=${T}\n`)).toBe("-CLIENT_SECRET=\n+CLIENT_SECRET=[REDACTED]\n");
  });

  test("a second pass leaves what the first one left", () => {
    const text = `API_KEY=${T} TOKEN=${T} PASSWORD=${PASS}`;
    expect(on.redact(on.redact(text))).toBe(on.redact(text));
  });
});

describe("strict", () => {
  test.each([
    ["generic-password", `password: <<${PASS}>>`],
    ["generic-password", `"db_password": "<<correct-horse-battery>>"`],
    ["generic-api-key", `secret = "<<s3cret-value>>"`],
    ["bearer-token", "Authorization: Bearer <<internal-token-1>>"],
    ["generic-api-key", `SESSION_TOKEN=<<abc-123-def>>`],
  ])("%s in %s", (kind, pattern) => {
    check(kind, pattern, strict);
    left(pattern.replaceAll(/<<|>>/g, ""));
  });

  test.each([
    "password: ${DB_PASSWORD}",
    "password = process.env.DB_PASSWORD",
    "password: changeme",
    "secret: <your-secret>",
    "token = parser.nextToken()",
    "password = getPassword",
    "password: {{ .Values.password }}",
    "password = os.environ['DB_PASSWORD']",
    "token: vault:secret/data/app#token",
    "passwordHash: 5f4dcc3b5aa765d61d8327deb882cf99",
    "token_url: https://e.example/oauth2/token",
    'password: "********"',
  ])("nothing in %s", (text) => left(text, strict));
});

const MAIL = `glimt-${textOf(ALNUM, 25, random)}`;
const HASH = `rootly_${textOf("0123456789abcdef", 64, random)}`;
const END_FRAME = `----END ${"PRIVATE"} KEY----`;

test.each([
  [
    "a value before a token that belongs to the same name",
    `secret_${T.slice(0, 26)} ${T.slice(2, 31)}= =mzp_${HASH.slice(7)}${"abc="}`,
  ],
  ["the program of a command", `${MAIL}mysql -pe,rv9`],
  ["the program before a login", `${MAIL}docker login -pYDc7`],
  [
    "the second line of a key without an end",
    `----BEGIN ${"PRIVATE"} KEY----n7ks3kJKiLYzjken"on_voFAEWCxKibREXSrfwBH5dqnCE89Eey8R66FtCG9`,
  ],
  ["the second line of a PuTTY key", `Private-Lines:2yC.dp.ct.${T}abc.ct.${T}ef`],
  ["the second line of a key without a beginning", `os_v2_org_${HASH.slice(7, 50)}\\ue}${T}${END_FRAME}`],
  ["the name of a checksum", `cfut_${T}Osha256:${HASH}`],
  ["a command in an argument", "curl -u:'ue': 'curl -u:YMan'"],
  ["the value of a cookie", `Cookie:sess=Ikqh9w0gres://u:signkey-test-${HEX.slice(0, 34)}ke`],
])("a second pass finds no more where a mark shows %s", (_name, text) => {
  for (const redactor of [on, labelled, strict]) {
    const once = redactor.redact(text);
    expect(redactor.redact(once)).toBe(once);
  }
});

test("half a key after a mark is found by its lines", () => {
  const lines = Array.from({ length: 3 }, () => textOf(ALNUM, 64, random)).join("\n");
  expect(on.redact(`token: [REDACTED]\n${lines}\n${END_FRAME}`)).toBe(`token: [REDACTED]\n[REDACTED]\n${END_FRAME}`);
});

test("every kind that is found is in the list of kinds", () => {
  const text = `Authorization: Basic ${USER}\nAPI_KEY=${T}\ncurl -u a:${PASS}\n`;
  for (const { kind } of on.find(text)) expect(SECRET_KINDS).toContain(kind);
});
