/** A name in the spellings that languages and tools use. */
export interface Name {
  upper: string;
  snake: string;
  kebab: string;
  dotted: string;
  camel: string;
  pascal: string;
}

/** The spellings of a name whose words `_` separates. */
export function nameOf(snake: string): Name {
  const words = snake.toLowerCase().split("_");
  const pascal = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  return {
    upper: snake.toUpperCase(),
    snake: words.join("_"),
    kebab: words.join("-"),
    dotted: words.join("."),
    camel: pascal.slice(0, 1).toLowerCase() + pascal.slice(1),
    pascal,
  };
}

/** A way to write a value, under a name or without one, as files, programs and logs do. */
export interface Context {
  id: string;
  write: (name: Name, value: string) => string;
  /** How the context spells the value, when it spells characters of it otherwise. */
  spell?: (value: string) => string;
  /** The value is alone: a kind that is known only by its name is not found here. */
  nameless?: true;
  /** The value is one word: no blank, quote or bracket may be in it. */
  word?: true;
}

const json = (value: string) => JSON.stringify(value).slice(1, -1);
const xml = (value: string) =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const slashes = (value: string) => json(value).replaceAll("/", "\\/");
const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");
const unicode = (value: string) => json(value).replace(/[-_+=/]/g, (character) => `\\u00${hexOf(character)}`);
const decimal = (value: string) => xml(value).replace(/[-_+=/.:]/g, (character) => `&#${character.charCodeAt(0)};`);
const hexadecimal = (value: string) =>
  xml(value).replace(/[-_+=/.:]/g, (character) => `&#x${hexOf(character).toUpperCase()};`);

/** Configuration files. */
const FILES: readonly Context[] = [
  { id: ".env", write: (name, value) => `A=1\n${name.upper}=${value}\nB=2\n`, word: true },
  { id: ".env, quoted", write: (name, value) => `${name.upper}="${value}"\n` },
  { id: "properties", write: (name, value) => `app.${name.dotted}=${value}\n` },
  { id: "properties with a colon", write: (name, value) => `${name.dotted}: ${value}\n` },
  { id: "INI", write: (name, value) => `[default]\n${name.snake} = ${value}\n` },
  { id: "TOML", write: (name, value) => `[service]\n${name.snake} = "${value}"\n` },
  { id: "YAML", write: (name, value) => `service:\n  ${name.snake}: ${value}\n  retries: 1\n` },
  { id: "YAML, quoted", write: (name, value) => `service:\n  ${name.camel}: "${value}"\n` },
  { id: "YAML block", write: (name, value) => `service:\n  ${name.snake}: |\n    ${value}\n  retries: 1\n` },
  { id: "YAML folded", write: (name, value) => `service:\n  ${name.snake}: >-\n    ${value}\n  retries: 1\n` },
  {
    id: "YAML pair",
    write: (name, value) => `env:\n  - name: ${name.upper}\n    value: ${value}\n  - name: X\n    value: 1\n`,
  },
  { id: "YAML pair, quoted", write: (name, value) => `env:\n- name: "${name.upper}"\n  value: "${value}"\n` },
  { id: "Compose", write: (name, value) => `environment:\n  - ${name.upper}=${value}\n`, word: true },
  { id: "GitHub Actions", write: (name, value) => `    env:\n      ${name.upper}: ${value}\n    steps: []\n` },
  { id: "Ansible", write: (name, value) => `- set_fact:\n    ${name.snake}: '${value}'\n` },
  { id: "Kubernetes stringData", write: (name, value) => `kind: Secret\nstringData:\n  ${name.upper}: ${value}\n` },
  { id: "Terraform", write: (name, value) => `resource "a" "b" {\n  ${name.snake} = "${value}"\n}\n` },
  {
    id: "Terraform variable",
    write: (name, value) => `variable "${name.snake}" {\n  type    = string\n  default = "${value}"\n}\n`,
  },
  { id: "Dockerfile", write: (name, value) => `FROM a\nENV ${name.upper}=${value}\nRUN b\n`, word: true },
  { id: "Dockerfile, old", write: (name, value) => `FROM a\nENV ${name.upper} ${value}\nRUN b\n`, word: true },
  { id: "Makefile", write: (name, value) => `${name.upper} := ${value}\nall:\n\techo\n` },
  { id: "Makefile default", write: (name, value) => `${name.upper} ?= ${value}\n` },
  { id: "CSV", write: (name, value) => `name,value\n${name.snake},${value}\nb,2\n`, word: true },
];

/** Formats that spell some characters otherwise. */
const FORMATS: readonly Context[] = [
  { id: "JSON", write: (name, value) => `{"a":1,"${name.snake}":"${json(value)}","b":[]}`, spell: json },
  { id: "JSON, indented", write: (name, value) => `{\n  "${name.camel}": "${json(value)}"\n}`, spell: json },
  { id: "JSON pair", write: (name, value) => `[{"name":"${name.upper}","value":"${json(value)}"}]`, spell: json },
  {
    id: "escaped JSON",
    write: (name, value) => `level=info msg="{\\"${name.snake}\\":\\"${json(json(value))}\\",\\"n\\":1}"`,
    spell: (value) => json(json(value)),
  },
  {
    id: "JSON in JSON",
    write: (name, value) => JSON.stringify({ body: JSON.stringify({ [name.snake]: value }), ok: true }),
    spell: (value) => json(json(value)),
  },
  { id: "JSON by PHP", write: (name, value) => `{"${name.snake}":"${slashes(value)}"}`, spell: slashes },
  {
    id: "JSON by PHP in a log",
    write: (name, value) => `2024-01-01 DEBUG response {"${name.snake}":"${slashes(value)}"} took 3 ms`,
    spell: slashes,
  },
  { id: "JSON with \\u", write: (name, value) => `{"${name.snake}":"${unicode(value)}"}`, spell: unicode },
  { id: "XML element", write: (name, value) => `<a><${name.camel}>${xml(value)}</${name.camel}></a>`, spell: xml },
  { id: "XML attribute", write: (name, value) => `<service ${name.camel}="${xml(value)}" id="1"/>`, spell: xml },
  { id: "XML pair", write: (name, value) => `<add key="${name.pascal}" value="${xml(value)}" />`, spell: xml },
  {
    id: "property list",
    write: (name, value) => `<key>${name.camel}</key>\n<string>${xml(value)}</string>`,
    spell: xml,
  },
  {
    id: "HTML field",
    write: (name, value) => `<input type="hidden" name="${name.snake}" value="${xml(value)}">`,
    spell: xml,
  },
  { id: "HTML entities", write: (name, value) => `<code>${name.snake}=${decimal(value)}</code>`, spell: decimal },
  {
    id: "HTML entities, hex",
    write: (name, value) => `<code>${name.snake}=${hexadecimal(value)}</code>`,
    spell: hexadecimal,
  },
  {
    id: "URL query",
    write: (name, value) => `GET https://api.example.com/v1?${name.snake}=${encodeURIComponent(value)}&page=2`,
    spell: encodeURIComponent,
  },
  {
    id: "percent-encoded",
    write: (name, value) => `${encodeURIComponent(`${name.snake}=${value}`)}%26page%3D2`,
    spell: encodeURIComponent,
  },
];

/** Command lines. */
const COMMANDS: readonly Context[] = [
  { id: "export", write: (name, value) => `export ${name.upper}=${value}\n`, word: true },
  { id: "export, quoted", write: (name, value) => `export ${name.upper}='${value}'; run` },
  { id: "fish", write: (name, value) => `set -gx ${name.upper} ${value}\n`, word: true },
  { id: "PowerShell", write: (name, value) => `$env:${name.upper} = "${value}"` },
  { id: "Windows set", write: (name, value) => `set ${name.upper}=${value}\r\n` },
  { id: "Windows setx", write: (name, value) => `setx ${name.upper} "${value}"` },
  { id: "docker -e", write: (name, value) => `docker run -e ${name.upper}=${value} -p 80:80 image`, word: true },
  {
    id: "helm --set",
    write: (name, value) => `helm install app ./chart --set env.${name.camel}=${value} --wait`,
    word: true,
  },
  { id: "flag", write: (name, value) => `tool login --${name.kebab} ${value} --verbose`, word: true },
  { id: "flag, quoted", write: (name, value) => `tool login --${name.kebab} "${value}"` },
  { id: "flag with =", write: (name, value) => `tool login --${name.kebab}=${value}`, word: true },
  { id: "header of curl", write: (name, value) => `curl -H "X-${name.kebab}: ${value}" https://example.com/` },
  { id: "header", write: (name, value) => `POST / HTTP/1.1\r\nHost: a.example\r\n${name.kebab}: ${value}\r\n\r\n` },
];

/** Source code. */
const SOURCES: readonly Context[] = [
  { id: "C", write: (name, value) => `#define ${name.upper} "${value}"` },
  { id: "C#", write: (name, value) => `public const string ${name.pascal} = @"${value}";` },
  { id: "Java", write: (name, value) => `private static final String ${name.upper} = "${value}";` },
  { id: "Java property", write: (name, value) => `System.setProperty("${name.upper}", "${value}");` },
  { id: "Go", write: (name, value) => `\t${name.camel} := "${value}"` },
  { id: "Go field", write: (name, value) => `c := Config{${name.pascal}: "${value}", Debug: true}` },
  { id: "Go test", write: (name, value) => `\tt.Setenv("${name.upper}", "${value}")` },
  { id: "Go environment", write: (name, value) => `_ = os.Setenv("${name.upper}", \`${value}\`)` },
  { id: "Python environment", write: (name, value) => `os.environ["${name.upper}"] = "${value}"` },
  { id: "Python setdefault", write: (name, value) => `os.environ.setdefault('${name.upper}', '${value}')` },
  { id: "Python default", write: (name, value) => `key = os.getenv("${name.upper}", "${value}")` },
  { id: "Python argument", write: (name, value) => `client = Client(${name.snake}="${value}", timeout=3)` },
  { id: "Python dictionary", write: (name, value) => `{'${name.snake}': '${value}', 'n': 1}` },
  { id: "JavaScript environment", write: (name, value) => `process.env["${name.upper}"] = "${value}";` },
  { id: "JavaScript default", write: (name, value) => `const key = process.env.${name.upper} || "${value}";` },
  { id: "JavaScript object", write: (name, value) => `const c = { ${name.camel}: "${value}" };` },
  { id: "TypeScript", write: (name, value) => `const ${name.camel}: string = "${value}";` },
  { id: "Kotlin", write: (name, value) => `val ${name.camel}: String = "${value}"` },
  { id: "Swift", write: (name, value) => `let ${name.camel} = "${value}"` },
  { id: "Rust", write: (name, value) => `let ${name.snake}: &str = "${value}";` },
  { id: "Rust environment", write: (name, value) => `std::env::set_var("${name.upper}", "${value}");` },
  { id: "Ruby environment", write: (name, value) => `ENV['${name.upper}'] = '${value}'` },
  { id: "Ruby symbol", write: (name, value) => `{ :${name.snake} => '${value}' }` },
  { id: "PHP array", write: (name, value) => `['${name.snake}' => '${value}'],` },
  { id: "PHP constant", write: (name, value) => `define('${name.upper}', '${value}');` },
  { id: "SQL insert", write: (name, value) => `INSERT INTO settings (k, v) VALUES ('${name.snake}', '${value}');` },
  { id: "SQL update", write: (name, value) => `UPDATE s SET ${name.snake} = '${value}' WHERE id = 1;` },
];

/** What people and programs write for people. */
const PROSE: readonly Context[] = [
  { id: "log", write: (name, value) => `2024-05-01T10:00:00Z INFO start ${name.snake}=${value} user=7`, word: true },
  { id: "log with a colon", write: (name, value) => `[info] ${name.snake}: ${value}, retries: 3`, word: true },
  {
    id: "terminal colours",
    write: (name, value) => `\u001b[1m${name.upper}\u001b[0m=\u001b[32m${value}\u001b[0m\n`,
    word: true,
  },
  { id: "comment #", write: (name, value) => `# ${name.upper}=${value}\n`, word: true },
  { id: "comment //", write: (name, value) => `// ${name.camel}: ${value}\n` },
  { id: "diff", write: (name, value) => `@@ -1 +1 @@\n-${name.upper}=\n+${name.upper}=${value}\n`, word: true },
  { id: "line number", write: (name, value) => `    12\t${name.upper}=${value}\n`, word: true },
  { id: "grep", write: (name, value) => `src/app.env:12:${name.upper}=${value}\n`, word: true },
  { id: "Markdown table", write: (name, value) => `| name | value |\n|---|---|\n| ${name.upper} | ${value} |\n` },
  { id: "Markdown table of code", write: (name, value) => `| \`${name.upper}\` | \`${value}\` |\n` },
  { id: "Markdown code", write: (name, value) => `Set \`${name.upper}=${value}\` first.`, word: true },
  { id: "alone", write: (_name, value) => `${value}\n`, nameless: true },
  { id: "sentence", write: (_name, value) => `the value ${value} was used`, nameless: true },
  { id: "parentheses", write: (_name, value) => `f(${value})`, nameless: true, word: true },
  { id: "JSON list", write: (_name, value) => JSON.stringify(["a", value]), spell: json, nameless: true },
];

/** Every context. */
export const CONTEXTS: readonly Context[] = [...FILES, ...FORMATS, ...COMMANDS, ...SOURCES, ...PROSE];
