import { singleQuoted } from "../../shell/quote-word.ts";
import { type Dice, pick } from "./dice.ts";
import { plainLine } from "./plain-words.ts";
import { type Keeps, type Spelling, splice } from "./spelling.ts";

/** Spellings that put something around a command, or start it in another way. */
export const WRAPPER_SPELLINGS: readonly Spelling[] = [
  launcher("env", "posix", ["env", "env A=1", "/usr/bin/env"]),
  launcher("env -S", "gnu", ['env -i PATH="$PATH"', "env -u A"]),
  launcher("command", "posix", ["command", "command --"]),
  launcher("nohup", "posix", ["nohup"]),
  launcher("nice", "posix", ["nice", "nice -n 5"]),
  launcher("time", "bash", ["time", "time -p"]),
  launcher("timeout", "gnu", ["timeout 60", "timeout -k 1 60"]),
  launcher("other launchers", "machine", ["setsid", "stdbuf -o0", "busybox env", "ionice"]),
  launcher("sudo", "machine", ["sudo", "sudo -n", "sudo -u root", "doas"]),
  launcher("assignment", "posix", ["A=1", "A=1 B=2", "A='b c'"]),
  launcher("redirection in front", "posix", ["2>&1", "2>/dev/null"]),
  {
    name: "exec",
    keeps: "posix",
    respell: (line) => {
      const { words, isSimple } = plainLine(line);
      return isSimple && words[0]?.isProgram ? `exec ${line}` : undefined;
    },
  },
  {
    name: "xargs",
    keeps: "posix",
    respell: (line, dice) => {
      const { words, isSimple } = plainLine(line);
      const [name, ...rest] = words;
      if (!isSimple || !name?.isProgram || rest.length === 0) return undefined;
      const operands = rest.map(({ text }) => text).join(" ");
      return `printf '%s\\n' '${operands}' | xargs ${pick(dice, ["", "-n 100 "])}${name.text}`;
    },
  },
  around("chain in front", "posix", (line, dice) =>
    pick(dice, [`true && ${line}`, `:; ${line}`, `false || ${line}`, `cd . && ${line}`, `:\n${line}`]),
  ),
  around("chain behind", "posix", (line, dice) =>
    pick(dice, [`${line}; :`, `${line} && true`, `${line} || :`, `${line}\n:`]),
  ),
  around("pipe", "posix", (line, dice) => pick(dice, [`{ ${line}\n} | cat`, `: | ${line}`])),
  around("subshell", "posix", (line) => `( ${line}\n)`),
  around("group", "posix", (line) => `{ ${line}\n}`),
  around("condition", "posix", (line, dice) =>
    pick(dice, [`if :; then ${line}\nfi`, `if ${line}\nthen :; fi`, `! { ${line}\n}`]),
  ),
  around("loop", "posix", (line) => `for _i in 1; do ${line}\ndone`),
  around("function", "posix", (line) => `_f() { ${line}\n}; _f`),
  around("substitution", "posix", (line, dice) =>
    pick(dice, [`: $( ${line}\n)`, `_x=$( ${line}\n)`, `echo "$( ${line}\n)"`]),
  ),
  around("background", "posix", (line) => `{ ${line}\n} & wait`),
  around("comment behind", "posix", (line) => `${line} # ok`),
  startsSh("sh -c", "posix", (line, dice) => `${pick(dice, ["sh", "/bin/sh", "env sh"])} -c ${singleQuoted(line)}`),
  around("bash -c", "bash", (line, dice) => `${pick(dice, ["bash -c", "bash --norc -c"])} ${singleQuoted(line)}`),
  around(
    "login shell",
    "machine",
    (line, dice) => `${pick(dice, ["bash -lc", "sh -lc", "zsh -ic"])} ${singleQuoted(line)}`,
  ),
  around("eval", "posix", (line) => `eval ${singleQuoted(line)}`),
  startsSh("standard input of a shell", "posix", (line, dice) =>
    pick(dice, [
      `printf '%s\\n' ${singleQuoted(line)} | sh`,
      `printf %s ${singleQuoted(line)} | sh -s`,
      `sh <<'_E'\n${line}\n_E`,
    ]),
  ),
  around("here-string", "bash", (line) => `bash <<< ${singleQuoted(line)}`),
  startsSh("base64", "posix", (line, dice) => {
    const code = Buffer.from(line).toString("base64");
    return pick(dice, [`echo ${code} | base64 -d | sh`, `eval "$(echo ${code} | base64 -d)"`]);
  }),
  startsSh("octal escapes of the line", "posix", (line) => {
    const code = [...Buffer.from(line)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
    return `printf '${code}' | sh`;
  }),
  around("trap", "posix", (line) => (line.includes("EXIT") ? undefined : `trap ${singleQuoted(line)} EXIT`)),
  startsSh("find -exec", "gnu", (line) => `find . -maxdepth 0 -exec sh -c ${singleQuoted(line)} \\;`),
];

/** Starts a program of the line with another one. */
function launcher(name: string, keeps: Keeps, prefixes: readonly string[]): Spelling {
  return {
    name,
    keeps,
    respell: (line, dice) => {
      const found = pick(
        dice,
        plainLine(line).words.filter(({ isProgram }) => isProgram),
      );
      return found && splice(line, found.from, found.from, `${pick(dice, prefixes)} `);
    },
  };
}

/** Puts text around a whole line. */
function around(name: string, keeps: Keeps, make: (line: string, dice: Dice) => string | undefined): Spelling {
  return { name, keeps, respell: (line, dice) => (plainLine(line).isWhole ? make(line, dice) : undefined) };
}

/** Text that only bash and zsh understand. */
const NOT_POSIX = /\$'|<<<|\{[^{}\s]*,[^{}\s]*\}|(?:^|[\s;&|(])time\s/;

/** Like {@link around}, for a wrapper that passes the line to `sh`. */
function startsSh(name: string, keeps: Keeps, make: (line: string, dice: Dice) => string | undefined): Spelling {
  const { respell } = around(name, keeps, make);
  return { name, keeps, respell: (line, dice) => (NOT_POSIX.test(line) ? undefined : respell(line, dice)) };
}
