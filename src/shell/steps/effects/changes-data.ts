/** Statements of SQL that change data or structure. */
const CHANGES =
  /^(?:drop|truncate|delete|update|alter|insert|grant|revoke|replace|merge|rename|create|load|import|upsert|detach|vacuum\s+full)\b/i;
const INSIDE =
  /\b(?:insert\s+into|update\s+[\w."`[\]]+\s+set|delete\s+from|merge\s+into|drop\s+table|detach\s+delete)\b/i;

const MAX_STATEMENTS = 256;

/** True if a text of SQL changes data or structure. A change in a text literal or a comment is none. */
export function changesData(sql: string): boolean {
  const plain = sql.replace(/'(?:[^'\\]|\\[^]|'')*'/g, "''").replace(/--[^\n]*|\/\*[^]*?(?:\*\/|$)/g, " ");
  return plain
    .split(/;|\\(?:gexec|g\b)/)
    .slice(0, MAX_STATEMENTS)
    .some((statement) => {
      const text = statement
        .trim()
        .replace(/^\(+\s*/, "")
        .replace(/^(?:begin|start\s+transaction)\s+/i, "");
      if (CHANGES.test(text)) return !/^create\s+(?:or\s+replace\s+)?temp/i.test(text);
      if (/^copy\b/i.test(text)) return /\bfrom\b/i.test(text);
      if (/^explain\b/i.test(text)) return /\banalyze\b/i.test(text) && INSIDE.test(text);
      return /^(?:with|do|call|exec|execute|match|use)\b/i.test(text) && INSIDE.test(text);
    });
}

/** Calls of a document database's shell that change data. */
const MONGO =
  /\bdropDatabase\b|\.(?:drop|delete(?:Many|One)|remove|insert(?:Many|One)?|update(?:Many|One)?|replaceOne|save|bulkWrite|drop(?:Index|Indexes|User)|create(?:Collection|Index|User)|renameCollection|findOneAnd(?:Delete|Update|Replace)|findAndModify)\s*\(/;

/** True if code for a document database's shell changes data. */
export function changesDocuments(code: string): boolean {
  return MONGO.test(code);
}

/** Commands of a key-value store that change data. */
const KEYS =
  /^(?:flushall|flushdb|swapdb|del|unlink|getdel|getset|set|setex|psetex|setnx|mset|msetnx|setrange|append|incr\w*|decr\w*|expire\w*|pexpire\w*|persist|rename\w*|move|copy|restore|migrate|hset\w*|hmset|hdel|hincr\w*|[lr]push\w*|[lr]pop|lset|lrem|ltrim|linsert|sadd|srem|spop|smove|zadd|zrem\w*|zincrby|zpop\w*|xadd|xdel|xtrim|geoadd|pfadd|pfmerge|setbit|shutdown|debug|script|eval|evalsha|fcall|sort|json\.(?:set|del)|config)$/i;

/** True for a command of a key-value store that changes data. */
export function changesKeys(command: string): boolean {
  return KEYS.test(command);
}
