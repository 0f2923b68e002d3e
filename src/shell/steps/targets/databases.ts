import { UNKNOWN } from "../../paths/path-text.ts";
import type { StepWord } from "../invocation.ts";
import { isUrl, readAuthority, readUrl } from "./addresses.ts";
import { type Call, type Row, UNKNOWN_ADDRESS, wordOf } from "./call.ts";

interface Client {
  host: readonly string[];
  port: readonly string[];
  database: readonly string[];
  /** Variables that name a host or a database. */
  variables: readonly string[];
  /** True if the first operand is a database. */
  operand: boolean;
}

/** Connects to the host of a URL and names the host and the database as targets. */
function connectToDatabase(call: Call, word: StepWord): boolean {
  const address = readUrl(word.text);
  if (!address) return false;
  call.connect(address, { sure: word.count !== "any" });
  const hosts = word.text.replace(/^[^/]*\/\/(?:[^@/]*@)?/s, "").replace(/[/?].*$/s, "");
  const database = address.path.replace(/[?#].*$/s, "");
  call.aim(hosts.split(",").map((host) => wordOf(host.replace(/:\d+$/, ""), word)));
  call.aim([wordOf(database, word)]);
  return true;
}

/** `host=x dbname=y` of PostgreSQL. */
function connectBySettings(call: Call, word: StepWord): boolean {
  const settings = [...word.text.matchAll(/\b(host|hostaddr|dbname|service)\s*=\s*('[^']*'|\S+)/g)];
  for (const [, name, quoted = ""] of settings) {
    const value = quoted.replace(/^'|'$/g, "");
    call.aim([wordOf(value, word)]);
    if (name?.startsWith("host")) call.connect(readAuthority(value));
  }
  return settings.length > 0;
}

function nameDatabase(call: Call, word: StepWord): void {
  // Whatever expands may be a URL.
  if (word.text.startsWith(UNKNOWN)) call.connect(UNKNOWN_ADDRESS, { sure: false });
  // Without a host it is a socket of this machine.
  const [, local] = /^[a-z]+:\/\/\/([^?]*)/i.exec(word.text) ?? [];
  if (local !== undefined) return call.aim([wordOf(local, word)]);
  // `host:port/name` of MongoDB.
  if (/^mongo/.test(call.name) && /^[^/]+[:/]/.test(word.text) && !isUrl(word.text))
    return nameDatabase(call, { ...word, text: `mongodb://${word.text}` });
  if (!connectToDatabase(call, word) && !connectBySettings(call, word)) call.aim([word]);
}

/** A client of databases: what it connects to, and the files of statements that it reads. */
function client({ host, port, database, variables, operand }: Client): Row {
  return (call) => {
    const number = Number.parseInt(call.values(...port)[0]?.text ?? "", 10);
    const connection = number > 0 ? { port: number } : {};
    for (const word of [...call.values(...host), ...call.assigned(...variables.filter((name) => /HOST/.test(name)))]) {
      // A path is a socket of this machine.
      if (word.text.startsWith("/")) continue;
      if (connectToDatabase(call, word)) continue;
      call.connect(readAuthority(word.text), { ...connection, sure: word.count !== "any" });
      call.aim([wordOf(word.text.replace(/(?<=^[^:]+):\d+$/, ""), word)]);
    }
    for (const word of call.values(...database)) nameDatabase(call, word);
    if (operand) for (const word of call.operands.slice(0, 1)) nameDatabase(call, word);
    for (const word of call.operands.slice(operand ? 1 : 0)) connectToDatabase(call, word);
    for (const word of call.assigned(...variables.filter((name) => !/HOST/.test(name)))) nameDatabase(call, word);
    call.write(call.values("-o", "--output", "-r", "--result-file", "-L", "--log-file"));
  };
}

const POSTGRES: Client = {
  host: ["-h", "--host"],
  port: ["-p", "--port"],
  database: ["-d", "--dbname", "--maintenance-db"],
  variables: ["PGHOST", "PGHOSTADDR", "PGDATABASE", "PGSERVICE"],
  operand: true,
};
const MYSQL: Client = {
  host: ["-h", "--host"],
  port: ["-P", "--port"],
  database: ["-D", "--database"],
  variables: ["MYSQL_HOST"],
  operand: true,
};
const postgres = client(POSTGRES);
const mysql = client(MYSQL);
const mongo = client({
  host: ["--host", "-h"],
  port: ["--port"],
  database: ["--db", "-d", "--uri"],
  variables: [],
  operand: true,
});
const redis = client({ host: ["-h"], port: ["-p"], database: ["-n", "-u", "--uri"], variables: [], operand: false });

/** Options that name files beside what a client connects to. */
function withFiles(row: Row, reads: readonly string[]): Row {
  return (call) => {
    row(call);
    call.read(call.values(...reads));
  };
}

/** Tools of migrations: a URL in an option or a variable. */
function migrates(call: Call): void {
  const variables = call.environment.filter(
    ({ name }) => name.length < 128 && /(?:^|_)(?:DATABASE|DB|MONGO|REDIS|POSTGRES|PG|MYSQL)\w*_?UR[LI]$/.test(name),
  );
  for (const { value } of variables) nameDatabase(call, value);
  for (const word of call.values("-url", "--url", "-u", "--database-url", "-database", "--database", "--db-url"))
    connectToDatabase(call, { ...word, text: word.text.replace(/^jdbc:/, "") });
  for (const text of call.texts) {
    const [, url] = /^--?[\w-]*url[= ](.+)$/.exec(text) ?? [];
    if (url !== undefined) connectToDatabase(call, wordOf(url.replace(/^jdbc:/, "")));
  }
}

/** Clients of other stores: `-h HOST`, `--host HOST` and URLs. */
const store = client({
  host: ["-h", "--host", "-H", "-S", "--server"],
  port: ["-p", "--port", "-P"],
  database: ["-d", "--database"],
  variables: [],
  operand: false,
});

/** The rows of databases. */
export const DATABASES: readonly (readonly [names: string, row: Row])[] = [
  ["psql pgcli", withFiles(postgres, ["-f", "--file"])],
  [
    "pg_dump pg_dumpall",
    (call) => {
      const outputs = new Set(call.behind(/^-f$/));
      call.write([...call.values("--file"), ...outputs]);
      client({ ...POSTGRES, operand: false })(call);
      for (const word of call.operands.filter((one) => !outputs.has(one)).slice(0, 1)) nameDatabase(call, word);
    },
  ],
  [
    "pg_restore",
    (call) => {
      call.read(call.operands);
      client({ ...POSTGRES, operand: false })(call);
    },
  ],
  ["createdb dropdb vacuumdb reindexdb pgbench", postgres],
  ["createuser dropuser pg_isready pg_basebackup", client({ ...POSTGRES, operand: false })],
  ["mysql mariadb mycli mysqldump mariadb-dump mysqlimport mysqlcheck", mysql],
  ["mysqladmin mariadb-admin mysqlshow", client({ ...MYSQL, operand: false })],
  ["mongosh mongo", withFiles(mongo, ["-f", "--file"])],
  [
    "mongodump mongorestore mongoexport mongoimport",
    client({
      host: ["--host", "-h"],
      port: ["--port"],
      database: ["--db", "-d", "--uri"],
      variables: [],
      operand: false,
    }),
  ],
  ["redis-cli valkey-cli keydb-cli", redis],
  ["cqlsh clickhouse-client clickhouse sqlcmd usql influx cypher-shell snowsql", store],
  [
    "prisma flyway liquibase alembic migrate dbmate goose knex sequelize typeorm drizzle-kit rails sqlx diesel",
    migrates,
  ],
];
