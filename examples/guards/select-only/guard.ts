// Lets a single SELECT pass: as the SQL of an MCP tool, or as `psql -c "SELECT ..."`, alone on the line.
import { BLOCK, type Builtin, mayRun } from "hooksh/hook";

/** Words of statements that change something. A column of that name is refused as well: rename it with a view. */
const CHANGES =
  /\b(insert|update|delete|merge|replace|truncate|drop|create|alter|rename|grant|revoke|copy|into|call|do|exec(ute)?|vacuum|analyze|reindex|cluster|set|reset|lock|attach|detach|pragma|load|import|begin|commit|rollback|prepare|listen|notify|refresh|comment|handler|shutdown|kill|flush|optimize|outfile|dumpfile)\b|\b(pg_|lo_|dblink|set_config|nextval|setval|load_file|sys_exec|xp_|sleep|benchmark)/i;
const CLIENTS = [
  "psql",
  "mysql",
  "mariadb",
  "sqlite3",
  "sqlcmd",
  "clickhouse-client",
  "duckdb",
  "usql",
  "pgcli",
  "mycli",
  "bq",
  "cqlsh",
];
const WRITERS = [
  "mysqladmin",
  "dropdb",
  "createdb",
  "pg_restore",
  "pg_dump",
  "mysqldump",
  "pg_resetwal",
  "redis-cli",
  "mongosh",
  "mongo",
  "mongorestore",
  "etcdctl",
  "supabase",
];
const MIGRATIONS = [
  "*prisma *",
  "*drizzle-kit*",
  "*db:*",
  "*migrate*",
  "*manage.py *",
  "*alembic *",
  "*sequelize*",
  "aws rds*",
  "aws dynamodb*",
  "gcloud sql*",
  "*:9200*",
];
const FILES = ["rm *.sqlite*", "rm *.db*", "docker compose down*"];
const DATABASE = [...[...CLIENTS, ...WRITERS].flatMap((name) => [name, `${name} *`]), ...MIGRATIONS, ...FILES];
/** The only form in which a client runs: one option with the statement, one word for the database. */
const STATEMENT =
  /^\s*(?:psql|mysql|mariadb|duckdb|clickhouse-client)(?:\s+[\w.-]+)?\s+(?:-c|-e|-q|--command|--execute|--query)[ =](["'])([^"'`$\\]*)\1\s*$|^\s*sqlite3\s+[\w./-]+\s+(["'])([^"'`$\\]*)\3\s*$/;
const REASON = "the database is only read here: one SELECT, without quotes in it, alone on the line";

const guard: Builtin = ({ tool_input = {} }) => {
  const { cmd, sql, query = sql } = tool_input;
  if (typeof cmd === "string") {
    if (!mayRun(cmd, DATABASE)) return undefined;
    const [, , quoted, , word] = STATEMENT.exec(cmd) ?? [];
    return isRead(quoted ?? word) ? undefined : { decision: BLOCK, reason: REASON };
  }
  if (typeof query !== "string") throw new Error("no SQL to judge");
  return isRead(query) ? undefined : { decision: BLOCK, reason: REASON };
};

/** True for one statement that starts as a read and has no word of a change. Comments may hide words, so they count. */
function isRead(sql = ""): boolean {
  const statement = sql.trim().replace(/;$/, "");
  return (
    /^(select|with|show|explain\s+select|values)\b/i.test(statement) &&
    !/;|\/\*!|\\/.test(statement) &&
    !CHANGES.test(statement)
  );
}

export default guard;
