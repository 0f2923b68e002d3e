import { memoize } from "../../lib/once.ts";
import { CREDENTIALS } from "../../shell/paths/credentials.ts";
import { EVERY_HOME, type PathGroup } from "../../shell/paths/path-pattern.ts";
import type { Place } from "../place.ts";
import { guardKinds } from "./guard-patterns.ts";
import { keptPlace } from "./kept-place.ts";
import { PathPatterns } from "./path-patterns.ts";

const split = (patterns: string) => patterns.trim().split(/\s+/);

/** The built-in sets that are lists of patterns. */
export type ListedSet =
  | "system"
  | "generated"
  | "lockfiles"
  | "ci"
  | "instructions"
  | "startup"
  | "credentials"
  | "guards";

const LISTED: Readonly<Record<ListedSet, (place: Place) => readonly PathGroup[]>> = {
  system: () => [
    {
      covers: [
        ...split(`
          /etc /usr /bin /sbin /lib /lib64 /boot /sys /proc /dev /opt /var/lib /System /Library /Applications /Windows
        `),
        "/Program Files",
      ],
      not: split("/dev/null /dev/std* /dev/tty /dev/fd /dev/fd/**"),
    },
  ],
  generated: () => [
    {
      covers: split(`
        node_modules dist build out target coverage .next .nuxt .turbo .cache __pycache__ .pytest_cache .mypy_cache .venv venv vendor
        *.min.js *.min.css *.pb.go *_pb2.py *.generated.* *.g.dart
      `),
    },
  ],
  lockfiles: () => [
    {
      covers: split(`
        package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock poetry.lock uv.lock Pipfile.lock
        pdm.lock Cargo.lock go.sum Gemfile.lock composer.lock mix.lock pubspec.lock packages.lock.json flake.lock gradle.lockfile
        Podfile.lock .terraform.lock.hcl conda-lock.yml
      `),
    },
  ],
  ci: () => [
    {
      covers: split(`
        .github/workflows .github/actions .gitlab-ci.yml .circleci .travis.yml azure-pipelines.yml Jenkinsfile .buildkite .drone.yml
        bitbucket-pipelines.yml .woodpecker.yml .woodpecker appveyor.yml cloudbuild.yaml .github/CODEOWNERS CODEOWNERS
        .github/dependabot.yml renovate.json
      `),
    },
  ],
  instructions: () => [
    {
      covers: split(`
        CLAUDE.md AGENTS.md GEMINI.md .cursorrules .cursor/rules .windsurfrules .github/copilot-instructions.md .clinerules
        .claude/skills .claude/commands .claude/agents .agents/skills .kiro/steering
      `),
    },
  ],
  startup: () => [
    {
      covers: split(`
        ~/.bashrc ~/.bash_profile ~/.profile ~/.zshrc ~/.zshenv ~/.zprofile ~/.config/fish/config.fish ~/.ssh/authorized_keys ~/.ssh/rc
        ~/.config/autostart ~/.config/systemd /etc/systemd/system /etc/cron* /var/spool/cron /etc/profile /etc/profile.d /etc/rc.local
        /etc/init.d ~/Library/LaunchAgents /Library/LaunchAgents /Library/LaunchDaemons /etc/sudoers /etc/sudoers.d /etc/ld.so.preload
        ~/.gitconfig ~/.config/git/config .git/hooks .git/config
      `),
    },
  ],
  credentials: () => CREDENTIALS,
  guards: (place) => [
    {
      covers: guardKinds(place)
        .flatMap(({ covers }) => covers)
        .flatMap((pattern) => (/^[~/]/.test(pattern) ? [pattern] : [pattern, `<project>/${pattern}`])),
    },
  ],
};

/** The patterns of a built-in set that is a list, as it is in a place; undefined for another set. */
export function listedPatterns(name: string, place: Place): readonly PathGroup[] | undefined {
  return Object.hasOwn(LISTED, name) ? LISTED[name as ListedSet](place) : undefined;
}

/** The names are of folders in a project, and say nothing above it: `/build/app/src` is not generated. */
const IN_PROJECT = new Set<ListedSet>(["generated"]);

const known = memoize((_place: Place) => new Map<ListedSet, PathPatterns>());

/** Returns a built-in set as it is in a place. */
export function listedSet(name: ListedSet, place: Place): PathPatterns {
  const sets = known(keptPlace(place));
  let set = sets.get(name);
  if (!set) {
    set = new PathPatterns(LISTED[name](place), place, {
      homes: EVERY_HOME,
      ignoreCase: true,
      inProject: IN_PROJECT.has(name),
      elsewhere: name === "credentials" || name === "guards" || name === "system" ? "all" : "none",
    });
    sets.set(name, set);
  }
  return set;
}
