import { HOLE, type StepAssignment, type StepWord } from "./invocation.ts";

/** How a launcher reads the words before its program. */
interface LauncherRow {
  /** Options that take the next word. */
  valued?: string;
  /** Operands before the program. */
  operands?: number;
  /** Options with which it starts no program. */
  asks?: string;
  /** True if variables may stand before the program. */
  assigns?: true;
  /** Subcommands that start a program; without them any word does. */
  verbs?: string;
  /** Options whose value is code for a shell. */
  code?: string;
  /** True if the launcher is a step of its own. */
  isStep?: true;
  /** True if what it runs comes from a package, so that the line does not show it. */
  hides?: true;
  /** True if words without a dash before the program are operands up to `--`. */
  untilDashes?: true;
  /** True if it appends operands from its input. */
  appends?: true;
  /** Options whose value is the package that has the program. */
  from?: string;
  /** Options behind which the program stands. */
  rest?: string;
  /** A subcommand with a name behind it, which may stand before the others: `yarn workspace NAME exec`. */
  of?: string;
  /** Options whose value is a directory that it changes to. */
  chdir?: string;
}

const SUDO: LauncherRow = {
  valued:
    "-u -g -h -p -C -D -R -r -t -T -U --user --group --host --prompt --close-from --chdir --chroot --role --type --command-timeout --other-user",
  asks: "-l -v -k -K -V -e --list --validate --reset-timestamp --remove-timestamp --version --edit --help",
  assigns: true,
  isStep: true,
  chdir: "-D --chdir",
};
const PACKAGE: LauncherRow = {
  valued: "-p --package -w --workspace --cache --registry",
  code: "-c --call --shell-mode",
  from: "-p --package",
  hides: true,
};

const CONDA: LauncherRow = { verbs: "run", valued: "-n -p --name --prefix --cwd", chdir: "--cwd" };

/** Programs whose operands are another command. */
const LAUNCHERS: Readonly<Record<string, LauncherRow>> = {
  builtin: {},
  busybox: {},
  toybox: {},
  caffeinate: { valued: "-t -w" },
  chroot: { operands: 1, valued: "--userspec --groups" },
  chrt: { operands: 1, valued: "-T -P -D --sched-runtime --sched-period --sched-deadline", asks: "-m -p --max --pid" },
  command: { asks: "-v -V" },
  doas: { valued: "-u -C", asks: "-L", isStep: true },
  env: { valued: "-u -C --unset --chdir --default-signal", assigns: true, chdir: "-C --chdir" },
  exec: { valued: "-a" },
  ionice: { valued: "-c -n -p -P -u --class --classdata --pid --pgid --uid" },
  ltrace: { valued: "-e -o -p -s -u -n -l -x -a" },
  nice: { valued: "-n --adjustment" },
  nocorrect: {},
  noglob: {},
  nohup: {},
  gosu: { operands: 1, isStep: true },
  pkexec: { valued: "--user", isStep: true },
  run0: { valued: "-u -g -D --user --group --chdir --unit --property --setenv", isStep: true, chdir: "-D --chdir" },
  prlimit: { valued: "-p --pid", asks: "-p --pid" },
  setarch: { operands: 1 },
  linux32: {},
  linux64: {},
  "ld.so": { valued: "--library-path --preload --audit --argv0" },
  "ld-linux-x86-64.so.2": { valued: "--library-path --preload --audit --argv0" },
  "ld-linux-aarch64.so.1": { valued: "--library-path --preload --audit --argv0" },
  choom: { valued: "-n -p --adjust --pid" },
  ifne: {},
  repeat: { operands: 1 },
  fakeroot: { valued: "-l -i -s -b" },
  faketime: { operands: 1 },
  torsocks: {},
  proxychains: { valued: "-f" },
  proxychains4: { valued: "-f" },
  eatmydata: {},
  rlwrap: {},
  "xvfb-run": { valued: "-n -s -e -f -p -w --server-num --server-args --error-file --auth-file" },
  "dbus-run-session": {},
  "ssh-agent": { valued: "-a -E -t -P -O" },
  numactl: { valued: "-N -m -C -i -p" },
  firejail: {},
  bwrap: { valued: "--chdir --uid --gid --hostname --unsetenv", untilDashes: true },
  setsid: {},
  setpriv: { valued: "--reuid --regid --groups --inh-caps --bounding-set" },
  stdbuf: { valued: "-i -o -e --input --output --error" },
  strace: { valued: "-e -o -p -s -u -P -a -b -E -I -O -S -X" },
  sudo: SUDO,
  taskset: { operands: 1, asks: "-p --pid" },
  time: { valued: "-f -o --format --output", assigns: true },
  timeout: { operands: 1, valued: "-s -k --signal --kill-after" },
  gtimeout: { operands: 1, valued: "-s -k --signal --kill-after" },
  unbuffer: {},
  unshare: { valued: "-S -G -R -w --setuid --setgid --root --wd" },
  nsenter: { valued: "-t -S -G --target --setuid --setgid" },
  xargs: {
    valued: "-a -d -E -I -J -L -n -P -R -S -s --arg-file --delimiter --max-lines --max-args --max-procs --max-chars",
    appends: true,
  },
  npx: PACKAGE,
  bunx: PACKAGE,
  uvx: { from: "--from", valued: "--from --with --python -p --index-url --index -i --extra-index-url", hides: true },
  pnpm: { ...PACKAGE, valued: "-p --package -w -F --filter -C --dir --registry", verbs: "dlx exec" },
  yarn: { ...PACKAGE, verbs: "dlx exec", of: "workspace" },
  npm: { ...PACKAGE, valued: "-p --package -w --workspace --prefix --registry --cache", verbs: "exec x" },
  bun: { ...PACKAGE, verbs: "x" },
  bundle: { verbs: "exec" },
  poetry: { verbs: "run" },
  pipenv: { verbs: "run" },
  hatch: { verbs: "run" },
  rye: { verbs: "run" },
  uv: {
    verbs: "run",
    valued: "--with --python -p --project --directory --group --extra --env-file",
    chdir: "--directory",
  },
  pipx: { verbs: "run", from: "--spec", valued: "--spec --python --index-url", hides: true },
  mise: { verbs: "exec x", untilDashes: true },
  direnv: { verbs: "exec", operands: 1 },
  nix: { verbs: "run shell develop", untilDashes: true, hides: true, rest: "-c --command" },
  rustup: { verbs: "run", operands: 1 },
  asdf: { verbs: "exec" },
  volta: { verbs: "run", valued: "--node --npm --yarn --pnpm" },
  wsl: { valued: "-d -u --distribution --user --cd" },
  rbenv: { verbs: "exec" },
  pyenv: { verbs: "exec" },
  dotenv: { valued: "-e -f --file", untilDashes: true },
  dotenvx: { verbs: "run", untilDashes: true },
  op: { verbs: "run", untilDashes: true },
  doppler: { verbs: "run", untilDashes: true },
  chronic: {},
  "systemd-run": {
    valued:
      "-p --property -u --unit -H --host -M --machine -E --setenv --on-active --on-boot --on-startup --on-unit-active --on-unit-inactive --on-calendar --timer-property --description --slice --uid --gid --nice --working-directory",
    isStep: true,
    chdir: "--working-directory",
  },
  conda: CONDA,
  mamba: CONDA,
  micromamba: CONDA,
  pixi: { verbs: "run exec", valued: "-e --environment --manifest-path" },
  pdm: { verbs: "run", valued: "-p --project" },
  infisical: { verbs: "run", valued: "--env --path --projectId --domain" },
  chamber: { verbs: "exec", untilDashes: true },
  "aws-vault": { verbs: "exec", operands: 1 },
  teller: { verbs: "run", untilDashes: true },
  envchain: { operands: 1 },
  "cross-env": { assigns: true },
  watchexec: { valued: "-w -e -f -i -s -d -o --watch --exts --filter --ignore --signal --debounce --on-busy-update" },
  entr: {},
  valgrind: {},
  perf: { verbs: "stat record trace", valued: "-e -o -p -F --event --output" },
  catchsegv: {},
  tini: {},
  "dumb-init": {},
  "su-exec": { operands: 1 },
  setuidgid: { operands: 1 },
  "s6-setuidgid": { operands: 1 },
  chpst: { valued: "-u -U -e -/ -C -n -l -L -m -d -o -p -f -c -t" },
  "dbus-launch": {},
  daemonize: { valued: "-c -E -e -o -p -u -l" },
  "flatpak-spawn": {},
  // zsh reads keywords behind redirections.
  "!": {},
  "{": {},
  coproc: {},
  do: {},
  elif: {},
  else: {},
  if: {},
  then: {},
  until: {},
  while: {},
};

/** A command behind a launcher. */
export interface Launched {
  /** The words of the program and behind it. */
  words: readonly StepWord[];
  assigns: readonly StepAssignment[];
  /** The launcher: `sudo`, `npx`, `pnpm dlx`, `uvx from PACKAGE`. */
  via: string;
  /** The directory that it changes to. */
  directory: string | undefined;
  appends: boolean;
  /** What `xargs -I` replaces. */
  replaces: string | undefined;
  /** True if `xargs` takes its input line by line, or by another separator than blanks. */
  byLine: boolean;
  hides: boolean;
  isStep: boolean;
}

/** What a launcher starts. `code`: texts that it passes to a shell. Undefined if the words are no launcher with a program. */
export interface Unwrapped {
  launched: readonly Launched[];
  code: readonly StepWord[];
}

/** Splits a launcher from what it starts. */
export function unwrap(name: string, words: readonly StepWord[]): Unwrapped | undefined {
  const row = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  if (!row) return module(name, words);
  const valued = new Set(row.valued?.split(" "));
  const coded = new Set(row.code?.split(" "));
  const asks = new Set(row.asks?.split(" "));
  const directories = new Set(row.chdir?.split(" "));
  const before = new Set(row.rest?.split(" "));
  const assigns: StepAssignment[] = [];
  const code: StepWord[] = [];
  const launched: Launched[] = [];
  let { operands = 0 } = row;
  let verb: string | undefined;
  let directory: string | undefined;
  let replaces: string | undefined;
  const sources = new Set(row.from?.split(" "));
  let byLine = false;
  let installs = true;
  let source: string | undefined;
  const start = (at: number): Launched => ({
    words: words.slice(at),
    assigns,
    via: [name, verb, installs ? source && `from ${source}` : "--no-install"].filter(Boolean).join(" "),
    directory,
    appends: row.appends === true,
    replaces,
    byLine,
    hides: row.hides === true,
    isStep: row.isStep === true,
  });
  const dashes = row.untilDashes ? words.findIndex(({ text }) => text === "--" || before.has(text)) : -1;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as StepWord;
    const { text } = word;
    if (text === "--") {
      if (at + 1 < words.length && (row.verbs === undefined || verb !== undefined)) launched.push(start(at + 1));
      return { launched, code };
    }
    if (/^-./.test(text)) {
      const { option, value, next } = readOption(name, word, words[at + 1], valued, coded);
      if (asks.has(option)) return undefined;
      if (before.has(option)) {
        if (verb !== undefined && at + 1 < words.length) launched.push(start(at + 1));
        return { launched, code };
      }
      if (/^--no(?:-install)?$/.test(option)) installs = false;
      if (name === "env" && (option === "-S" || option === "--split-string")) {
        const split = value ?? words[at + 1];
        if (split) code.push(joined([split, ...words.slice(value ? at + 1 : at + 2)]));
        return { launched, code };
      }
      if (name === "xargs" && /^-[iIJ]$|^--replace$/.test(option)) replaces = value?.text || "{}";
      if (name === "xargs" && /^-[oprtx]*[0d]|^--(?:null|delim)/.test(text)) byLine = true;
      if (value && coded.has(option)) code.push(value);
      if (sources.has(option)) source = value?.text;
      if (value && directories.has(option)) directory = value.text;
      if (next) at++;
      continue;
    }
    if (text === "-" && name === "env") continue;
    if (row.verbs !== undefined && verb === undefined) {
      if (text === row.of) {
        at++;
        continue;
      }
      if (!row.verbs.split(" ").includes(text)) return undefined;
      verb = text;
      continue;
    }
    // env and sudo take any name.
    const equals = (name === "time" ? /^[A-Za-z_]\w*=/ : /^[^=]{1,256}=/).exec(text)?.[0];
    if (row.assigns && equals !== undefined && word.count === "one") {
      assigns.push({ name: equals.slice(0, -1), value: { ...word, text: text.slice(equals.length) } });
      continue;
    }
    if (dashes > at) continue;
    if (operands > 0) {
      operands--;
      continue;
    }
    launched.push(start(at));
    // An expansion here may be options of the launcher, or nothing.
    if (word.count !== "any") return { launched, code };
  }
  return launched.length > 0 || code.length > 0 ? { launched, code } : undefined;
}

/** `python -m M` is M, and `java -jar jenkins-cli.jar` is `jenkins-cli`, `bfg-1.14.0.jar` is `bfg`. */
function module(name: string, words: readonly StepWord[]): Unwrapped | undefined {
  const isPython = /^(?:python|pypy)[\d.]*$/.test(name);
  if (!isPython && name !== "java") return undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as StepWord;
    const { text } = word;
    if (!text.startsWith("-") || (isPython && /^-[A-Za-z]*c/.test(text))) return undefined;
    const program = words[at + 1];
    const jar =
      text === "-jar" ? /(?:^|\/)(jenkins-cli|bfg)(?:-[\d.]+)?\.jar$/.exec(program?.text ?? "")?.[1] : undefined;
    const attached = isPython ? /^-[bBdEiIOPqsSuvx]*m(.+)$/s.exec(text)?.[1] : undefined;
    const first = attached === undefined ? program : { ...word, text: attached };
    if (first && (attached !== undefined || (isPython ? /^-[A-Za-z]*m$/.test(text) : jar !== undefined))) {
      const called = jar === undefined ? first : { ...first, text: jar };
      const behind = words.slice(attached === undefined ? at + 2 : at + 1);
      const rest = {
        assigns: [],
        directory: undefined,
        appends: false,
        replaces: undefined,
        byLine: false,
        isStep: false,
      };
      const via = `${name} ${attached === undefined ? text : text.slice(0, -attached.length)}`;
      return { launched: [{ ...rest, words: [called, ...behind], via, hides: true }], code: [] };
    }
    if (isPython ? /^-[WX]$/.test(text) : /^-(?:cp|classpath|-class-path)$/.test(text)) at++;
  }
  return undefined;
}

/** An option of a launcher, its value, and whether the value is the next word. */
function readOption(
  name: string,
  word: StepWord,
  behind: StepWord | undefined,
  valued: ReadonlySet<string>,
  coded: ReadonlySet<string>,
): { option: string; value?: StepWord; next: boolean } {
  const { text } = word;
  const takes = (option: string) => valued.has(option) || coded.has(option);
  const equals = text.startsWith("--") ? text.indexOf("=") : -1;
  if (equals > 0)
    return { option: text.slice(0, equals), value: { ...word, text: text.slice(equals + 1) }, next: false };
  if (text.startsWith("--"))
    return takes(text) && behind ? { option: text, value: behind, next: true } : { option: text, next: false };
  for (let at = 1; at < text.length; at++) {
    const option = `-${text[at]}`;
    const rest = text.slice(at + 1);
    if (takes(option) || (name === "env" && option === "-S")) {
      if (rest !== "") return { option, value: { ...word, text: rest }, next: false };
      return takes(option) && behind ? { option, value: behind, next: true } : { option, next: false };
    }
    if (name === "xargs" && /^-[iJ]$/.test(option) && rest !== "")
      return { option, value: { ...word, text: rest }, next: false };
    if (at === text.length - 1) return { option, next: false };
  }
  return { option: text, next: false };
}

/** Words as one text of code. */
export function joined(words: readonly StepWord[]): StepWord {
  const text = words.map((word) => word.text).join(" ");
  const source = words.map((word) => word.source).join(" ");
  return { text, source, count: "one", glob: false };
}

/** True for a launcher that runs what an expansion decides. */
export function isDynamic({ text }: StepWord): boolean {
  return text.includes(HOLE);
}
