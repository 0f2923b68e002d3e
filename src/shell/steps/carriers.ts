import type { Found } from "./found.ts";
import { readFd, readFind } from "./found-files.ts";
import { HOLE, type StepWord } from "./invocation.ts";
import { madeWord } from "./step-word.ts";

/** A command among the words of a program that runs it. */
export interface Carried {
  /** The command's words; empty if `code` is a text for a shell. */
  words: readonly StepWord[];
  code?: string;
  /** True on another machine or in a container. */
  elsewhere: boolean;
  /** True if it runs code that the line does not show. */
  hides: boolean;
  via: string;
}

const DOCKER_GLOBAL = "-c -H -l --context --config --host --log-level";
const DOCKER_RUN =
  "-a -c -e -h -l -m -p -u -v -w --add-host --annotation --attach --cap-add --cap-drop --cgroup-parent --cidfile --cpus --cpu-shares --device --dns --entrypoint --env --env-file --expose --gpus --group-add --health-cmd --hostname --ip --label --label-file --link --log-driver --log-opt --mac-address --memory --memory-swap --mount --name --net --network --network-alias --pid --platform --publish --pull --restart --runtime --security-opt --shm-size --stop-signal --stop-timeout --tmpfs --ulimit --user --userns --uts --volume --volume-driver --volumes-from --workdir";
const COMPOSE_GLOBAL =
  "-f -p --file --project-name --project-directory --profile --env-file --ansi --progress --parallel";
const COMPOSE_RUN =
  "-e -l -p -u -v -w --env --index --label --name --publish --user --volume --workdir --entrypoint --cap-add --cap-drop";
const KUBECTL =
  "-n -s -c -f -l --namespace --context --cluster --user --kubeconfig --server --token --as --container --image --request-timeout";
const SSH = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w";

/** Returns the commands that a program runs among its words. */
export function carriedBy(name: string, words: readonly StepWord[]): Carried[] {
  const at = (from: number, via: string, elsewhere = true): Carried[] =>
    from < words.length ? [{ words: words.slice(from), elsewhere, hides: false, via }] : [];
  switch (name) {
    case "find":
    case "gfind":
      return found(words);
    case "fd":
    case "fdfind":
      return foundByFd(words);
    case "ssh":
    case "mosh": {
      const host = skip(words, 0, SSH);
      const from = words[host + 1]?.text === "--" ? host + 2 : host + 1;
      if (from >= words.length) return [];
      return [{ words: [], code: textOf(words.slice(from)), elsewhere: true, hides: false, via: name }];
    }
    case "docker":
    case "podman":
    case "nerdctl":
    case "finch":
      return container(words, skip(words, 0, DOCKER_GLOBAL), at);
    case "docker-compose":
    case "podman-compose":
      return compose(words, 0, at);
    case "k3s":
    case "microk8s":
      return words[0]?.text === "kubectl" ? carriedBy("kubectl", words.slice(1)) : [];
    case "kubectl":
    case "oc":
    case "k":
    case "kubecolor": {
      const dashes = words.findIndex(({ text }) => text === "--");
      const verb = words[skip(words, 0, KUBECTL)]?.text ?? "";
      if (dashes >= 0) return /^(?:exec|run|debug|rsh)$/.test(verb) ? at(dashes + 1, `${name} ${verb}`) : [];
      if (!/^(?:exec|rsh)$/.test(verb)) return [];
      const pod = skip(words, skip(words, 0, KUBECTL) + 1, KUBECTL);
      return at(skip(words, pod + 1, KUBECTL), `${name} ${verb}`);
    }
    case "su":
    case "runuser": {
      const code = valueOf(words, /^-\w*c$|^--command$|^--session-command$/, /^--(?:session-)?command=/);
      if (code !== undefined) return [{ words: [], code, elsewhere: false, hides: false, via: name }];
      const isDirect = name === "runuser" && words.some(({ text }) => /^(?:-u|--user)/.test(text));
      return isDirect ? at(skip(words, 0, "-u --user -g --group -G --supp-group"), name, false) : [];
    }
    case "powershell":
    case "pwsh": {
      const option = words.findIndex(({ text }) => /^[-/]c(?:o(?:m(?:m(?:a(?:nd?)?)?)?)?)?$/i.test(text));
      return option < 0 ? [] : [asCode(words.slice(option + 1), false, name)];
    }
    case "cmd": {
      const option = words.findIndex(({ text }) => /^\/[ck]$/i.test(text));
      return option < 0 ? [] : [asCode(words.slice(option + 1), false, name)];
    }
    case "lxc":
    case "incus":
    case "multipass":
    case "limactl":
    case "colima":
    case "distrobox":
    case "vagrant":
    case "gcloud":
    case "fly":
    case "flyctl": {
      if (!words.slice(0, 3).some(({ text }) => /^(?:exec|ssh|shell|enter|console)$/.test(text))) return [];
      const code = valueOf(words, /^-[cC]$|^--command$/, /^--command=/);
      if (code !== undefined) return [{ words: [], code, elsewhere: true, hides: false, via: name }];
      const dashes = words.findIndex(({ text }) => text === "--");
      return dashes < 0 ? [] : at(dashes + 1, name);
    }
    case "capsh": {
      const dashes = words.findIndex(({ text }) => /^(?:--|==)$/.test(text));
      return dashes < 0
        ? []
        : [{ words: [madeWord("bash"), ...words.slice(dashes + 1)], elsewhere: false, hides: false, via: name }];
    }
    case "salt": {
      const code = words.flatMap(({ text }, index) => (/^cmd\.\w+$/.test(words[index - 1]?.text ?? "") ? text : []));
      return code.map((text) => ({ words: [], code: text, elsewhere: true, hides: false, via: name }));
    }
    case "watch":
    case "script":
    case "flock":
    case "parallel":
    case "nix-shell":
      return shellTexts(name, words);
    case "git": {
      const foreach = words.findIndex(({ text }) => text === "foreach");
      if (words.some(({ text }) => text === "submodule") && foreach >= 0)
        return [
          {
            words: [],
            code: textOf(words.slice(foreach + 1).filter(({ text }) => text !== "--recursive")),
            elsewhere: false,
            hides: false,
            via: "git submodule",
          },
        ];
      const run = words.findIndex(({ text }) => text === "run");
      if (words.some(({ text }) => text === "bisect") && run >= 0) return at(run + 1, "git bisect", false);
      const code = words.some(({ text }) => text === "rebase")
        ? valueOf(words, /^-x$|^--exec$/, /^--exec=/)
        : undefined;
      return code === undefined ? [] : [{ words: [], code, elsewhere: false, hides: false, via: "git rebase" }];
    }
    default:
      return [];
  }
}

/** A shell that reads commands from its input. */
const SHELL = /^(?:sudo\s+)?(?:\S*\/)?(?:ba|da|a|z|k)?sh(?:\s+-[a-z]*)*$/;

/** True for a program that runs the text that it gets as commands: `ssh HOST <<EOF`, `at now <<EOF`. */
export function readsCommands(name: string, carried: readonly Carried[]): boolean {
  if (name === "at" || name === "batch") return true;
  return name === "ssh" && carried.every(({ code }) => code !== undefined && SHELL.test(code));
}

/** Words as one text for a shell. */
function asCode(words: readonly StepWord[], elsewhere: boolean, via: string): Carried {
  return { words: [], code: textOf(words), elsewhere, hides: false, via };
}

function container(words: readonly StepWord[], first: number, at: (from: number, via: string) => Carried[]): Carried[] {
  const verb = words[first]?.text;
  if (verb === "compose") return compose(words, first + 1, at);
  const from = verb === "container" ? first + 1 : first;
  const inner = words[from]?.text ?? "";
  if (!/^(?:exec|run)$/.test(inner)) return [];
  const operand = skip(words, from + 1, DOCKER_RUN);
  const entry = inner === "run" ? valueOf(words, /^--entrypoint$/, /^--entrypoint=/) : undefined;
  if (entry !== undefined) {
    const entered = [madeWord(entry), ...words.slice(operand + 1)];
    return [{ words: entered, elsewhere: true, hides: false, via: `docker ${inner}` }];
  }
  return at(operand + 1, `docker ${inner}`);
}

function compose(words: readonly StepWord[], from: number, at: (from: number, via: string) => Carried[]): Carried[] {
  const first = skip(words, from, COMPOSE_GLOBAL);
  const verb = words[first]?.text ?? "";
  return /^(?:exec|run)$/.test(verb) ? at(skip(words, first + 1, COMPOSE_RUN) + 1, `docker compose ${verb}`) : [];
}

/** The index of the first word that is neither an option nor the value of one. */
function skip(words: readonly StepWord[], from: number, valued: string): number {
  const takes = new Set(valued.split(" "));
  let at = from;
  for (; at < words.length; at++) {
    const { text } = words[at] as StepWord;
    if (text === "--") return at + 1;
    if (!/^-./.test(text)) return at;
    const isCluster = /^-\w+$/.test(text);
    if (
      takes.has(text) ||
      (isCluster && text.length > 2 && takes.has(`-${text.at(-1)}`) && !takes.has(text.slice(0, 2)))
    )
      at++;
  }
  return at;
}

function valueOf(words: readonly StepWord[], option: RegExp, attached: RegExp): string | undefined {
  for (const [at, { text }] of words.entries()) {
    if (option.test(text)) return words[at + 1]?.text;
    const head = attached.exec(text)?.[0];
    if (head !== undefined) return text.slice(head.length);
  }
  return undefined;
}

/** Programs that pass their words to a shell as one text. */
function shellTexts(name: string, words: readonly StepWord[]): Carried[] {
  const valued =
    {
      watch: "-n --interval",
      script: "-I -O -B -T -m -o -E",
      flock: "-w -E --timeout --conflict-exit-code",
      parallel: "-j -a -S -n -N -L --jobs --arg-file --sshlogin --max-args",
      "nix-shell": "-p -A -I --packages --attr --arg --argstr",
    }[name] ?? "";
  const code = valueOf(words, /^-\w*c$|^--command$|^--run$/, /^--(?:command|run)=/);
  if (code !== undefined) return [{ words: [], code, elsewhere: false, hides: false, via: name }];
  if (name === "script" || name === "nix-shell") return [];
  const first = skip(words, 0, valued) + (name === "flock" ? 1 : 0);
  const end = name === "parallel" ? words.findIndex(({ text }) => /^:{3,4}\+?$/.test(text)) : -1;
  const rest = words.slice(first, end < 0 ? undefined : end);
  if (rest.length === 0) return [];
  const text = textOf(rest);
  const given = end < 0 ? HOLE : textOf(words.slice(end + 1));
  const filled = text.includes("{}") ? text.replaceAll("{}", () => given) : `${text} ${given}`;
  return [{ words: [], code: name === "parallel" ? filled : text, elsewhere: false, hides: false, via: name }];
}

/** Words as a remote shell reads them. */
function textOf(words: readonly StepWord[]): string {
  return words.map(({ text }) => text).join(" ");
}

function found(words: readonly StepWord[]): Carried[] {
  const files: Found = { ...readFind(words.map(({ text }) => text)), isBelow: true };
  return words.flatMap(({ text }, index): Carried[] => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) return [];
    const end = words.findIndex((word, at) => at > index && (word.text === ";" || word.text === "+"));
    const inner = words.slice(index + 1, end < 0 ? undefined : end).map((word) => replaced(word, files));
    return inner.length === 0 ? [] : [{ words: inner, elsewhere: false, hides: false, via: "find" }];
  });
}

function foundByFd(words: readonly StepWord[]): Carried[] {
  const index = words.findIndex(({ text }) => /^-\w*[xX]$|^--exec(?:-batch)?$/.test(text));
  if (index < 0) return [];
  const files: Found = { ...readFd(words.slice(0, index).map(({ text }) => text)), isBelow: true };
  const behind = words.slice(index + 1).filter(({ text }) => text !== ";");
  const inner = behind.map((word) => replaced(word, files));
  const appended = behind.some(({ text }) => /\{[^}]?\/?\.?\}/.test(text)) ? [] : [madeWord(HOLE, "operands", files)];
  return inner.length === 0 ? [] : [{ words: [...inner, ...appended], elsewhere: false, hides: false, via: "fd" }];
}

/** A word in which the name of a file is inserted for `{}`. */
function replaced(word: StepWord, files: Found): StepWord {
  if (word.text === "{}") return madeWord(HOLE, "operands", files);
  return word.text.includes("{}") ? { ...word, text: word.text.replaceAll("{}", HOLE) } : word;
}
