import type { CommandView } from "./command-view.ts";
import { isInterpreter, runsSource } from "./source-effects.ts";

/** Where a system keeps its programs. */
const SYSTEM_PROGRAMS =
  /^(?:\/(?:usr\/(?:local\/)?)?s?bin|\/opt\/(?:homebrew|local)\/s?bin|\/snap\/bin|\/run\/current-system\/sw\/bin|\/nix\/store\/[^/]+\/bin|[A-Za-z]:[\\/]Windows[\\/]System32)[\\/][^\\/]+$/i;

/** Programs that run what a file of theirs says, whatever their words. */
const RUNNERS = new Set(
  "make gmake just task rake gradle gradlew mvn mvnw ant ninja samu bazel bazelisk buck buck2 invoke inv fab tox nox doit scons grunt gulp nx turbo lerna moon sbt lein mage earthly dagger meson waf pytest py.test jest vitest mocha ava jasmine karma cypress playwright phpunit pest rspec npx bunx uvx watchexec nodemon ts-node-dev concurrently foreman act tsx ts-node groovy expect".split(
    " ",
  ),
);

/** Verbs with which a program runs code of the project or of a package. */
const VERBS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:run|run-script|rum|urn|test|t|tst|start|stop|restart|exec|x|create|init|innit|install-test|it|install-ci-test|cit)\b/,
  cargo: /^(?:run|r|test|t|build|b|bench|nextest|watch)$/,
  go: /^(?:run|test|generate)$/,
  uv: /^(?:run|tool run)$/,
  pipx: /^run$/,
  poetry: /^run$/,
  docker: /^(?:(?:container )?run|build|buildx build|buildx bake|image build|compose (?:up|run|build))$/,
  podman: /^(?:run|build)$/,
  deno: /^(?:run|test|task|bench|eval)$/,
  dotnet: /^(?:run|test|build|exec)$/,
  rails: /^(?:runner|r|test)$/,
  mix: /^(?:test|run)$/,
  swift: /^(?:run|test|build)$/,
  stack: /^(?:run|test|build)$/,
  cabal: /^(?:run|test|build)$/,
  flutter: /^(?:run|test|build)$/,
  composer: /^(?:run|run-script|exec|test)$/,
  bundle: /^exec$/,
  "pre-commit": /^run$/,
  nix: /^(?:run|develop|shell)$/,
};

/** Commands of package managers; any other word names a script. */
const COMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  yarn: words(
    "add audit autoclean bin cache check clean-package config dedupe explain generate-lock-entry global help import info init install licenses link list login logout npm outdated owner pack patch patch-commit plugin policies publish rebuild remove search set stage tag team unlink unplug up upgrade upgrade-interactive version versions why workspace constraints sdks",
  ),
  pnpm: words(
    "add i install update up upgrade remove rm uninstall un link ln unlink import rebuild rb prune fetch install-test patch patch-commit patch-remove audit licenses list ls ll la outdated why publish pack server store cache config c get set root bin setup env init deploy doctor dedupe self-update help cat-file cat-index find-hash login logout view info show search recursive approve-builds ignored-builds owner access dist-tag whoami ping profile team token unpublish deprecate version",
  ),
  bun: words(
    "add a install i remove rm update outdated link unlink pm publish init build upgrade audit patch info why repl help",
  ),
};

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** True for `yarn SCRIPT` and `pnpm SCRIPT`, where the script may be a program of a package too. */
export function runsScript(program: string, verb: string | undefined): boolean {
  return /^(?:yarn|pnpm)$/.test(program) && verb !== undefined && !COMMANDS[program]?.has(verb.split(" ", 1)[0] ?? "");
}

/** Clients of databases that run a file of statements. */
const SQL_CLIENT =
  /^(?:psql|pgcli|mysql|mariadb|mycli|sqlite3?|duckdb|sqlcmd|sqlplus|cqlsh|clickhouse(?:-client)?|mongo|mongosh|cockroach|usql|snowsql)$/;

/** True if the command runs code that the line does not show. */
export function isOpaque(view: CommandView): boolean {
  const { program, parsed, invocation } = view;
  if (invocation.runsHidden) return true;
  if (/[\\/]/.test(invocation.spelled) && !SYSTEM_PROGRAMS.test(invocation.spelled)) return true;
  if (parsed.options.some(({ name, value }) => value === undefined && /^--?(?:help|version)$/.test(name))) return false;
  if (RUNNERS.has(program)) return true;
  if (program === "bun" && parsed.options.some(({ name }) => name === "--eval")) return true;
  // Of some programs no table knows the verbs.
  const verb = parsed.verb ?? (Object.hasOwn(COMMANDS, program) ? "" : (view.path[0] ?? ""));
  const [first = ""] = verb.split(" ");
  const commands = Object.hasOwn(COMMANDS, program) ? COMMANDS[program] : undefined;
  if (commands && verb !== "") return !commands.has(first);
  if (program === "cmake") return ["--build", "-P"].some((name) => view.has(name));
  if (isListed(program, verb)) return true;
  if (program === "deno") return /\.[cm]?[jt]sx?$|^https?:/.test(verb); // the file that it runs
  if (isInterpreter(program)) return runsSource(view);
  if (/^emacs(?:client)?$/.test(program))
    return parsed.options.some(({ name }) => /^--?(?:e|eval|execute|script|l|load|f|funcall)$/.test(name));
  if (program === "java") return view.has("-jar") || parsed.operands.length > 0;
  if (/^(?:pwsh|powershell)$/.test(program))
    return view.has("-File") || parsed.operands.length > 0 || parsed.options.some(({ name }) => /^--?e/i.test(name));
  if (/^(?:[gmn]?awk|g?sed)$/.test(program)) return view.has("-f");
  if (SQL_CLIENT.test(program)) return view.has("-f") || invocation.redirects.some(({ operator }) => operator === "<");
  return false;
}

function isListed(program: string, verb: string): boolean {
  return Object.hasOwn(VERBS, program) && verb !== "" && VERBS[program]?.test(verb) === true;
}
