import { describe, expect, test } from "bun:test";
import { HOLE, type Invocation } from "../../../src/shell/steps/invocation.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";

const read = (line: string) => readLine(line, { env: { HOME: "/home/u" }, posix: true });

/** The invocations of a line as texts: `rm x`, with `$` for what expands, `@` in front if nested. */
function shown(line: string): string[] {
  return read(line).invocations.map(textOf);
}

function textOf({ programs, words, nested }: Invocation): string {
  const texts = words.map(({ text, count }) => `${text.replaceAll(HOLE, "$")}${count === "one" ? "" : `#${count}`}`);
  return `${nested ? "@" : ""}${[programs.join("|").replaceAll(HOLE, "$"), ...texts].join(" ")}`;
}

describe("the commands of a line", () => {
  test.each<[line: string, commands: string[]]>([
    ["rm x", ["rm x"]],
    ["/bin/rm x", ["rm x"]],
    ["'r'\"m\" x", ["rm x"]],
    ["\\rm x", ["rm x"]],
    ["RM.EXE x", ["rm x"]],
    ["a && b || c; d | e & f", ["a", "b", "c", "d", "e", "f"]],
    ["(rm x)", ["rm x"]],
    ["{ rm x; }", ["rm x"]],
    ["if true; then rm x; fi", ["true", "rm x"]],
    ["! rm x", ["rm x"]],
    ["f() { rm x; }; f", ["rm x", "f"]],
    ["echo $(rm x)", ["rm x", "echo $#any"]],
    ["echo `rm x`", ["rm x", "echo $#any"]],
    ["# rm x", []],
    ["ls # rm x", ["ls"]],
    ["echo 'rm x'", ["echo rm x"]],
    ["cat <<'E' > notes.md\nrm x\nE", ["cat"]],
    ["(( a > b ))", []],
    ["A=1", [""]],
    ["> f", [""]],
    ["exec > f", [""]],
    ["cat {a,b}", ["cat a b"]],
    ["cat '{a,b}'", ["cat {a,b}"]],
    ["for f in -v -f; do git push $f; done", ["git push -v -f"]],
  ])("%j", (line, commands) => {
    expect(shown(line)).toEqual(commands);
  });
});

describe("what a line defines is read where it is called", () => {
  test.each<[line: string, commands: string[]]>([
    ['f() { "$@"; }; f rm -r x', ["$", "f rm -r x", "@rm -r x"]],
    ["f() { $1 -r x; }; f rm", ["$ -r x", "f rm", "@rm -r x"]],
    ["function f { sudo $*; }; f rm x", ["sudo", "@$", "f rm x", "@sudo", "@rm x"]],
    ['f() ( "$@" ); f rm x', ["$", "f rm x", "@rm x"]],
    ['f() { g "$@"; }; g() { "$@"; }; f rm x', ["g $#any", "@$", "$", "f rm x", "@g rm x", "@rm x"]],
    // A function that calls itself ends.
    ['f() { f "$@"; }; f rm', ["f $#any", "@f $#any", "f rm", "@f rm"]],
    ["git config alias.z '!rm -r'; git z x", ["git config alias.z !rm -r", "@rm -r", "git z x", "@rm -r x"]],
    [
      "git config --global alias.up 'push -f' && git -C d up o m",
      ["git config --global alias.up push -f", "git -C d up o m", "@git -C d push -f o m"],
    ],
    ["echo '* * * * * rm x' | crontab -", ["echo * * * * * rm x", "crontab -", "@rm x"]],
    ["crontab <<E\n# a\nM=x\n0 1-5 * jan mon rm x\n@daily ls\nE", ["crontab", "@rm x", "@ls"]],
    ["echo '@daily rm x' > f; crontab -u u f", ["echo @daily rm x", "crontab -u u f", "@rm x"]],
  ])("%j", (line, commands) => {
    expect(shown(line)).toEqual(commands);
  });

  test("a call for which no room is left is opaque, and the line stays readable", () => {
    const body = `"$@"; ${`echo ${"a".repeat(100)}; `.repeat(6)}`;
    const { invocations, complete } = read(`f() { ${body} }; ${"f rm x; ".repeat(300)}`);
    expect(complete).toBe(true);
    expect(invocations.findLast(({ programs }) => programs[0] === "f")?.runsHidden).toBe(true);
  });
});

describe("launchers and shells do not hide a command", () => {
  test.each<[line: string, commands: string[]]>([
    ["env A=1 rm x", ["@rm x"]],
    ["env -u B -C d rm x", ["@rm x"]],
    ["sudo -u u rm x", ["sudo -u u", "@rm x"]],
    ["sudo -l", ["sudo -l"]],
    ["doas rm x", ["doas", "@rm x"]],
    ["nohup rm x &", ["@rm x"]],
    ["timeout -s KILL 5 rm x", ["@rm x"]],
    ["nice -n 5 rm x", ["@rm x"]],
    ["nice -n5 rm x", ["@rm x"]],
    ["time rm x", ["@rm x"]],
    ["command rm x", ["@rm x"]],
    ["command -v rm", ["command -v rm"]],
    ["exec rm x", ["@rm x"]],
    ["busybox rm x", ["@rm x"]],
    ["env -S 'rm x'", ["@rm x"]],
    ["npx -y rimraf d", ["@rimraf d"]],
    ["npx -p a -c 'rm x'", ["@rm x"]],
    ["pnpm dlx rimraf d", ["@rimraf d"]],
    ["pnpm add x", ["pnpm add x"]],
    ["yarn dlx rimraf d", ["@rimraf d"]],
    ["npm exec -- rimraf d", ["@rimraf d"]],
    ["bundle exec rails db:drop", ["@rails db:drop"]],
    ["poetry run rm x", ["@rm x"]],
    ["uv run rm x", ["@rm x"]],
    ["uv add x", ["uv add x"]],
    ["mise exec node@20 -- rm x", ["@rm x"]],
    ["python3 -m pip install x", ["@pip install x"]],
    ["python -mpip install x", ["@pip install x"]],
    ["python3 -Impip install x", ["@pip install x"]],
    ["java -jar d/jenkins-cli.jar delete-job x", ["@jenkins-cli delete-job x"]],
    ["java -jar d/bfg-1.14.0.jar -D x", ["@bfg -D x"]],
    ["sh -c 'rm x'", ["@rm x"]],
    ['bash -lc "cd d && rm x"', ["@cd d", "@rm x"]],
    ["sh -c 'rm \"$1\"' _ x", ["@rm x"]],
    ["eval rm x", ["@rm x"]],
    ["bash <<'E'\nrm x\nE", ["bash", "@rm x"]],
    ["bash <<< 'rm x'", ["bash", "@rm x"]],
    ["echo rm x | sh", ["echo rm x", "sh", "@rm x"]],
    ["sh <(echo rm x)", ["echo rm x", "sh $", "@rm x"]],
    ["trap 'rm x' EXIT", ["trap rm x EXIT", "@rm x"]],
    ["alias z='rm x'; z", ["alias z=rm x", "z", "@rm x"]],
    ["PAGER='rm x' git log", ["git log", "@rm x"]],
    ["git -c alias.z='!rm x' z", ["git -c alias.z=!rm x z", "@rm x"]],
    ["git rebase -x 'rm x' main", ["git rebase -x rm x main", "@rm x"]],
    ["ssh -p 22 h rm x", ["ssh -p 22 h rm x", "@rm x"]],
    ["docker exec -it -w /d c rm x", ["docker exec -it -w /d c rm x", "@rm x"]],
    ["docker run --rm -v a:b img rm x", ["docker run --rm -v a:b img rm x", "@rm x"]],
    ["docker compose -f a.yml exec web rm x", ["docker compose -f a.yml exec web rm x", "@rm x"]],
    ["kubectl exec p -- rm x", ["kubectl exec p -- rm x", "@rm x"]],
    ["su -c 'rm x' u", ["su -c rm x u", "@rm x"]],
    ["perl -e 'system(\"rm x\")'", ['perl -e system("rm x")', "@rm x"]],
    ["echo 'rm x' > s.sh; sh s.sh", ["echo rm x", "sh s.sh", "@rm x"]],
    ["echo 'rm x' > s.sh; chmod +x s.sh; ./s.sh", ["echo rm x", "chmod +x s.sh", "s.sh", "@rm x"]],
    ["watch -n 1 'rm x'", ["watch -n 1 rm x", "@rm x"]],
    ["source <(echo rm x)", ["echo rm x", "source $", "@rm x"]],
    [". /dev/stdin <<< 'rm x'", [". /dev/stdin", "@rm x"]],
    ["source /dev/stdin <<'E'\nrm x\nE", ["source /dev/stdin", "@rm x"]],
    ["cat > s.sh <<'E'\nrm x\nE\nsh s.sh", ["cat", "sh s.sh", "@rm x"]],
    ["ssh h <<'E'\nrm x\nE", ["ssh h", "@rm x"]],
    ["echo rm x | ssh h sudo bash -s", ["echo rm x", "ssh h sudo bash -s", "@rm x", "@sudo", "@bash -s"]],
    ["echo x | ssh h cat", ["echo x", "ssh h cat", "@cat"]],
    ["ssh -o ProxyCommand='rm x' h", ["ssh -o ProxyCommand=rm x h", "@rm x"]],
    ["at now <<< 'rm x'", ["at now", "@rm x"]],
    ["docker run --entrypoint=rm img x", ["docker run --entrypoint=rm img x", "@rm x"]],
    ["kubectl exec -it p -c web rm x", ["kubectl exec -it p -c web rm x", "@rm x"]],
    ["lxc exec c -- rm x", ["lxc exec c -- rm x", "@rm x"]],
    ["vagrant ssh -c 'rm x'", ["vagrant ssh -c rm x", "@rm x"]],
    ["pwsh -NoProfile -Command 'rm x'", ["pwsh -NoProfile -Command rm x", "@rm x"]],
    ["cmd /c rm x", ["cmd /c rm x", "@rm x"]],
    ["runuser -u u -- rm x", ["runuser -u u -- rm x", "@rm x"]],
    ["env - rm x", ["@rm x"]],
    ["pnpm --filter a exec rm x", ["@rm x"]],
    ["yarn workspace a exec rm x", ["@rm x"]],
    ["nix shell nixpkgs#x -c rm x", ["@rm x"]],
    ["systemd-run --user -u n rm x", ["systemd-run --user -u n", "@rm x"]],
    ["conda run -n e rm x", ["@rm x"]],
    ["cross-env A=1 rm x", ["@rm x"]],
    ["[ -f rm ]", ["[ -f rm ]"]],
    ["time A=1 rm x", ["@rm x"]],
    ["{rm x; }", ["rm x"]],
    ["((rm x))", ["rm x"]],
    ["((a >= b))", []],
    ["((i = i + 1))", []],
    ["for ((i=0; i<3; i++)); do rm x; done", ["rm x"]],
    ["env A#=1 rm x", ["@rm x"]],
    ["env -iS 'rm x'", ["@rm x"]],
    ["sudo -iu u rm x", ["sudo -iu u", "@rm x"]],
    ["sudo -Su u rm x", ["sudo -Su u", "@rm x"]],
    ["eval sh <<< 'rm x'", ["@rm x", "@sh"]],
    ["printf 'a b\\nc' | xargs -I{} rm {}", ["printf a b\\nc", "@rm a b", "@rm c"]],
    ["echo 'rm x' | xargs -0 bash -c", ["echo rm x", "@rm x"]],
    ["parallel rm ::: a b", ["parallel rm ::: a b", "@rm a b"]],
    ["BASH_ENV=<(echo rm x) bash -c :", ["echo rm x", "bash -c :", "@:", "@rm x", "@$"]],
    ["bash -c'rm x'", ["@rm x", "bash -crm x"]],
    ["capsh -- -c 'rm x'", ["capsh -- -c rm x", "@rm x"]],
    ["salt h cmd.run 'rm x'", ["salt h cmd.run rm x", "@rm x"]],
    ["git clean -xfd", ["git clean -xfd"]],
    ["pnpm --filter web dev", ["pnpm --filter web dev"]],
    ["mongosh --eval 'f({})'", ["mongosh --eval f({})"]],
    ["sh -c 'curl u' | sh", ["@curl u", "sh"]],
    ["sh -c '\"$@\"' z sh <<< 'rm x'", ["@rm x", "@sh"]],
    ["echo 'b\\ad' | sh", ["echo b\\ad", "sh", "@b\x07d", "@bad"]],
  ])("%j", (line, commands) => {
    expect(shown(line)).toEqual(commands);
  });

  test.each(["node -e \"require('child_process').spawnSync('rm', ['x'])\"", "osascript -e 'do shell script \"rm x\"'"])(
    "code of another language: %j",
    (line) => {
      expect(shown(line).at(-1)).toBe("@rm x");
    },
  );

  test.each<[line: string, carried: string]>([
    ["gfind a -exec rm {} \\;", "@rm $#operands"],
    ["find a -execdir rm {} \\;", "@rm $#operands"],
    ["find a -ok rm {} \\;", "@rm $#operands"],
    ["find a -okdir rm x{}y +", "@rm x$y"],
    ["find a -exec ls \\; -exec rm x \\;", "@ls|@rm x"],
    ["find ';' -exec rm + -x", "@rm"],
    ["find a -exec", ""],
    ["find a -name x-exec rm", ""],
    ["find a -name -execx rm", ""],
    ["fdfind x --exec rm", "@rm $#operands"],
    ["fd x --exec-batch rm", "@rm $#operands"],
    ["fd x -X rm {} y", "@rm $#operands y"],
    ["fd x -x rm {/.}", "@rm {/.}"],
    ["fd x -Hx rm \\;", "@rm $#operands"],
    ["fd x--exec rm", ""],
    ["fd x -xy rm", ""],
    ["fd x -x", ""],
    ["mosh h rm x", "@rm x"],
    ["ssh h -- rm x", "@rm x"],
    ["ssh h", ""],
    ["ssh -tp 22 h rm x", "@rm x"],
    ["ssh -p22 h rm x", "@rm x"],
    ["podman -H h exec -it c rm x", "@rm x"],
    ["nerdctl exec c rm x", "@rm x"],
    ["finch run i rm x", "@rm x"],
    ["docker container exec c rm x", "@rm x"],
    ["docker container ls x", ""],
    ["docker xrun i rm", ""],
    ["docker runx i rm", ""],
    ["docker run -- i rm x", "@rm x"],
    ["docker run --entrypoint rm i x", "@rm x"],
    ["docker exec --entrypoint rm i x", "@x"],
    ["podman-compose exec w rm x", "@rm x"],
    ["docker-compose -f a run -e A=1 w rm x", "@rm x"],
    ["docker compose ps w rm", ""],
    ["docker compose runx w rm", ""],
    ["docker compose xrun w rm", ""],
    ["oc rsh p rm x", "@rm x"],
    ["k exec p -- rm x", "@rm x"],
    ["kubecolor exec p -- rm x", "@rm x"],
    ["k3s kubectl exec p -- rm x", "@rm x"],
    ["microk8s kubectl -n a exec p -- rm x", "@rm x"],
    ["k3s server exec", ""],
    ["kubectl run x --image i -- rm x", "@rm x"],
    ["kubectl debug p -- rm x", "@rm x"],
    ["kubectl apply -- rm x", ""],
    ["kubectl execx p -- rm", ""],
    ["kubectl xexec p -- rm", ""],
    ["kubectl execx p rm", ""],
    ["kubectl xrsh p rm", ""],
    ["kubectl exec p -c", ""],
    ["su u --command='rm x'", "@rm x"],
    ["su --session-command 'rm x'", "@rm x"],
    ["su --session-command='rm x'", "@rm x"],
    ["su -lc 'rm x'", "@rm x"],
    ["su --command 'rm x' u", "@rm x"],
    ["su u", ""],
    ["runuser --user u -g g rm x", "@rm x"],
    ["runuser u rm", ""],
    ["su -u u rm", ""],
    ["pwsh -c rm x", "@rm x"],
    ["powershell /com rm x", "@rm x"],
    ["powershell -File x", ""],
    ["pwsh x-c rm", ""],
    ["cmd /K rm x", "@rm x"],
    ["cmd x/c rm", ""],
    ["cmd /cx rm", ""],
    ["incus exec c -- rm x", "@rm x"],
    ["multipass exec c -- rm x", "@rm x"],
    ["limactl shell c -- rm x", "@rm x"],
    ["colima ssh -- rm x", "@rm x"],
    ["distrobox enter c -- rm x", "@rm x"],
    ["gcloud compute ssh h --command='rm x'", "@rm x"],
    ["fly ssh console -C 'rm x'", "@rm x"],
    ["flyctl console -c 'rm x'", "@rm x"],
    ["fly console --command 'rm x'", "@rm x"],
    ["lxc list -- rm x", ""],
    ["lxc a b c exec -- rm x", ""],
    ["lxc xexec -- rm", ""],
    ["lxc execx -- rm", ""],
    ["lxc exec c", ""],
    ["capsh == -c 'rm x'", "@rm x"],
    ["capsh x", ""],
    ["salt h cmd.shell 'rm x'", "@rm x"],
    ["salt h test.ping rm", ""],
    ["salt h xcmd.run rm", ""],
    ["watch rm x", "@rm x"],
    ["script -qc 'rm x' f", "@rm x"],
    ["script f", ""],
    ["flock -w 1 f rm x", "@rm x"],
    ["flock f -c 'rm x'", "@rm x"],
    ["parallel -j 2 rm {} x ::: a", "@rm a x"],
    ["parallel rm :::+ a", "@rm a"],
    ["parallel rm :::: a", "@rm a"],
    ["parallel rm", "@rm $#any"],
    ["parallel", ""],
    ["watch ls ::: rm", "@ls ::: rm"],
    ["nix-shell -p a --run 'rm x'", "@rm x"],
    ["nix-shell --command 'rm x'", "@rm x"],
    ["nix-shell --run='rm x'", "@rm x"],
    ["nix-shell --command='rm x'", "@rm x"],
    ["nix-shell -p a", ""],
    ["git submodule foreach --recursive 'rm x'", "@rm x"],
    ["git foreach rm", ""],
    ["git submodule x", ""],
    ["git bisect run rm x", "@rm x"],
    ["git bisect start", ""],
    ["git run rm", ""],
    ["git rebase m", ""],
    ["git x -x rm", ""],
    ["batch <<< 'rm x'", "@rm x"],
    ["ssh h zsh -x <<< 'rm x'", "@rm x|@zsh -x"],
    ["ssh h sudo /bin/dash <<< 'rm x'", "@rm x|@sudo|@dash"],
    ["ssh h xsh <<< 'rm x'", "@xsh"],
    ["ssh h bash f <<< 'rm x'", "@bash f"],
    ["docker exec c ls <<< 'rm x'", "@ls"],
  ])("the commands that a program runs: %j: %j", (line, carried) => {
    expect(
      shown(line)
        .filter((text) => text.startsWith("@"))
        .join("|"),
    ).toBe(carried);
  });

  /** By launcher, with what stands before the program: the options that take the next word, each with one. */
  const LAUNCHED: Record<string, string> = {
    "builtin busybox toybox nocorrect noglob nohup linux32 linux64 ifne torsocks eatmydata rlwrap dbus-run-session firejail setsid":
      "",
    "unbuffer entr valgrind catchsegv tini dumb-init dbus-launch flatpak-spawn chronic bundle+exec poetry+run pipenv+run hatch+run":
      "",
    "rye+run pipx+run asdf+exec rbenv+exec pyenv+exec npm+x bun+x yarn+exec pnpm+exec": "",
    "setarch gosu repeat faketime taskset su-exec setuidgid s6-setuidgid envchain direnv+exec rustup+run aws-vault+exec chrt":
      "1",
    "mise+exec mise+x nix+run nix+shell nix+develop dotenvx+run op+run doppler+run chamber+exec teller+run": "a b --",
    "nix+develop nix+shell": "a --command",
    caffeinate: "-t 1 -w 1",
    chrt: "-T 1 -P 1 -D 1 --sched-runtime 1 --sched-period 1 --sched-deadline 1 1",
    chroot: "--userspec a --groups a /r",
    exec: "-a n",
    env: "-u A --unset A --chdir d --default-signal S B=1 -",
    doas: "-u u -C c",
    ionice: "-c 1 -n 1 --class 1 --classdata 1",
    ltrace: "-e a -o a -p 1 -s 1 -u u -n 1 -l l -x x -a 1",
    nice: "--adjustment 1",
    pkexec: "--user u",
    run0: "-u u -g g -D d --user u --group g --chdir d --unit u --property p --setenv A",
    "ld.so ld-linux-x86-64.so.2 ld-linux-aarch64.so.1": "--library-path d --preload p --audit a --argv0 n",
    choom: "-n 1 --adjust 1",
    fakeroot: "-l l -i f -s f -b f",
    "proxychains proxychains4": "-f f",
    "xvfb-run": "-n 1 -s a -e f -f f -p p -w 1 --server-num 1 --server-args a --error-file f --auth-file f",
    "ssh-agent": "-a a -E h -t 1 -P p -O o",
    numactl: "-N 0 -m 0 -C 0 -i 0 -p 0",
    bwrap: "--ro-bind / / --chdir d --uid 1 --",
    setpriv: "--reuid 1 --regid 1 --groups g --inh-caps c --bounding-set c",
    stdbuf: "-i 0 -o 0 -e 0 --input 0 --output 0 --error 0",
    strace: "-e a -o a -p 1 -s 1 -u u -P p -a 1 -b b -E A -I 1 -O 1 -S s -X x",
    sudo: "-u u -g g -h h -p p -C 1 -D d -R d -r r -t t -T 1 -U u --user u --group g --host h --prompt p --close-from 1 --chdir d --chroot d --role r --type t --command-timeout 1 --other-user u A=1",
    time: "-f f -o f --format f --output f A=1",
    "timeout gtimeout": "-s K -k 1 --signal K --kill-after 1 5",
    unshare: "-S 1 -G 1 -R d -w d --setuid 1 --setgid 1 --root d --wd d",
    nsenter: "-t 1 -S 1 -G 1 --target 1 --setuid 1 --setgid 1",
    "npx bunx": "-p a --package a -w w --workspace w --cache c --registry r",
    uvx: "--from a --with a --python p -p p --index-url u --index u -i u --extra-index-url u",
    pnpm: "-p a --package a -w a -F a --filter a -C d --dir d --registry r dlx",
    npm: "-p a --package a -w w --workspace w --prefix d --registry r --cache c exec",
    yarn: "workspace w dlx",
    uv: "run --with a --python p -p p --project d --directory d --group g --extra e --env-file f",
    pipx: "run --spec a --python p --index-url u",
    volta: "run --node 1 --npm 1 --yarn 1 --pnpm 1",
    wsl: "-d d -u u --distribution d --user u --cd d",
    dotenv: "-e f -f f --file f a --",
    "systemd-run":
      "-p p --property p -u u --unit u -H h --host h -M m --machine m -E A --setenv A --on-active 1 --on-boot 1 --on-startup 1 --on-unit-active 1 --on-unit-inactive 1 --on-calendar c --timer-property p --description d --slice s --uid 1 --gid 1 --nice 1 --working-directory d",
    "conda mamba micromamba": "run -n e -p d --name e --prefix d --cwd d",
    "pixi+run pixi+exec": "-e e --environment e --manifest-path m",
    pdm: "run -p d --project d",
    infisical: "run --env e --path p --projectId i --domain d",
    watchexec:
      "-w d -e e -f f -i i -s s -d 1 -o o --watch d --exts e --filter f --ignore i --signal s --debounce 1 --on-busy-update o",
    "perf+stat perf+record perf+trace": "-e e -o f -p 1 -F 1 --event e --output f",
    chpst: "-u u -U u -e d -/ d -C d -n 1 -l f -L f -m 1 -d 1 -o 1 -p 1 -f 1 -c 1 -t 1",
    daemonize: "-c d -E A -e f -o f -p f -u u -l f",
    xargs:
      "-a f -d d -E e -L 1 -n 1 -P 1 -s 1 --arg-file f --delimiter d --max-lines 1 --max-args 1 --max-procs 1 --max-chars 1",
  };

  test.each(
    Object.entries(LAUNCHED).flatMap(([names, before]) =>
      names.split(" ").map((name) => `${name.replace("+", " ")} ${before} rm x`.replace("  ", " ")),
    ),
  )("%j runs rm", (line) => {
    expect(shown(line).at(-1)).toMatch(/^@rm x( \$#operands)?$/);
  });

  test("a launcher that asks, or gets no program, runs none", () => {
    const lines = [
      ..."-l -v -k -K -V -e --list --validate --reset-timestamp --remove-timestamp --version --edit --help"
        .split(" ")
        .map((option) => `sudo ${option} rm`),
      ..."-m -p --max --pid".split(" ").map((option) => `chrt ${option} 1 rm`),
      ...[
        "command -v rm",
        "command -V rm",
        "doas -L rm",
        "prlimit -p rm",
        "prlimit --pid rm",
        "taskset -p 1 rm",
        "taskset --pid 1 rm",
      ],
      ...[
        "npm rm x",
        "yarn rm x",
        "bun rm x",
        "nix eval x -c",
        "poetry rm x",
        "yarn workspace w rm x",
        "env",
        "timeout 5",
        "pnpm exec",
        "nix shell -c",
        "sudo --",
      ],
    ];
    expect(lines.filter((line) => shown(line).some((text) => text.startsWith("@")))).toEqual([]);
  });

  test("the directory to which a launcher changes", () => {
    const lines = [
      "sudo -D d rm x",
      "sudo --chdir=d rm x",
      "env -C d rm x",
      "env --chdir d rm x",
      "run0 -D d rm x",
      "run0 --chdir d rm x",
      "uv run --directory d rm x",
      "systemd-run --working-directory d rm x",
      "conda run --cwd d rm x",
      "env -Cd rm x",
    ];
    expect(lines.filter((line) => read(line).invocations.at(-1)?.directories.join() !== "d")).toEqual([]);
  });

  test("the package that has the program, and whether it is fetched", () => {
    const via = (line: string) => read(line).invocations.at(-1)?.via.join();
    expect(
      [
        "npx -p a x",
        "npx --package=a x",
        "uvx --from a x",
        "pipx run --spec a x",
        "npx --no x",
        "npx --no-install x",
        "pnpm dlx x",
        "npx --now x",
        "python3 -m x",
        "python3 -Imx",
      ].map(via),
    ).toEqual([
      "npx from a",
      "npx from a",
      "uvx from a",
      "pipx run from a",
      "npx --no-install",
      "npx --no-install",
      "pnpm dlx",
      "npx",
      "python3 -m",
      "python3 -Im",
    ]);
    const hidden = (line: string) => read(line).invocations.at(-1)?.runsHidden;
    expect(
      ["npx x", "uvx x", "pipx run x", "nix run x", "python3 -m x", "java -jar jenkins-cli.jar x"].map(hidden),
    ).not.toContain(false);
    expect(["env x", "sudo x", "poetry run x"].map(hidden)).not.toContain(true);
  });

  test.each([
    ["python3 -W error -X dev -m pip x", "@pip x"],
    ["pypy3 -Bm pip x", "@pip x"],
    ["python3 -c x -m pip", ""],
    ["python3 f -m pip", ""],
    ["python3 -m", ""],
    ["java -cp a --class-path b -classpath c -jar jenkins-cli.jar x", "@jenkins-cli x"],
    ["java -jar x.jar y", ""],
    ["java -m jenkins-cli.jar", ""],
    ["ruby -m pip", ""],
    ["npx -c 'rm x'", "@rm x"],
    ["npx --call='rm x'", "@rm x"],
    ["env --split-string='rm x' y", "@rm x y"],
    ["env -vS 'rm x'", "@rm x"],
    ["env '-Srm x' y", "@rm x y"],
    ["time A=1 B+=1 rm", "@b+=1 rm"],
    ["sudo A.b=1 rm x", "@rm x"],
    ["sudo $X rm x", "@rm x|@$ rm x|@rm x"],
    ["echo a | xargs -J % rm % b", "@rm a b"],
    ["echo a | xargs -i rm {} b", "@rm a b"],
    ["echo a | xargs --replace=% rm % b", "@rm a b"],
    ["printf 'a b' | xargs -0 rm", "@rm a b"],
  ])("%j: %j", (line, launched) => {
    expect(
      shown(line)
        .filter((text) => text.startsWith("@"))
        .join("|"),
    ).toBe(launched);
  });

  test("the command of a container or another machine runs elsewhere", () => {
    for (const line of [
      "mosh h rm x",
      "k exec p rm x",
      "fly ssh console -C 'rm x'",
      "salt h cmd.run 'rm x'",
      "docker run --entrypoint rm i x",
      "docker compose exec w rm x",
      "lxc exec c -- rm x",
    ])
      expect(read(line).invocations.at(-1)).toMatchObject({ programs: ["rm"], elsewhere: true, runsHidden: false });
    for (const line of [
      "su -c 'rm x'",
      "runuser -u u rm x",
      "pwsh -c 'rm x'",
      "capsh -- -c 'rm x'",
      "watch rm x",
      "flock f -c 'rm x'",
      "git bisect run rm x",
      "git submodule foreach rm x",
      "find a -exec rm {} +",
      "fd x -x rm",
    ])
      expect(read(line).invocations.at(-1)).toMatchObject({ programs: ["rm"], elsewhere: false, runsHidden: false });
    for (const line of ["ssh h rm x", "docker exec c rm x", "ssh h \"sh -c 'rm x'\""])
      expect(read(line).invocations.at(-1)).toMatchObject({ programs: ["rm"], elsewhere: true });
    expect(read("sudo rm x").invocations.at(-1)).toMatchObject({ elsewhere: false, via: ["sudo"] });
  });
});

describe("what find and xargs append", () => {
  test.each<[line: string, below: string[] | undefined]>([
    ["find a b -name x -exec rm {} +", ["a", "b"]],
    ["find -name x | xargs rm", ["."]],
    ["find a -print0 | xargs -0 rm", ["a"]],
    ["fd x a -x rm", ["a"]],
    ["git ls-files | grep x | sort | xargs rm", ["."]],
    ["git diff --name-only | xargs rm", ["."]],
    ["rg -l x a | xargs rm", ["a"]],
    ["ls d | xargs rm", ["d"]],
    ["ls d | xargs -I% rm %", ["d"]],
    ["cat list | xargs rm", undefined],
    ["find $D | xargs rm", undefined],
    ["find a | sed s/a/b/ | xargs rm", undefined],
    ["xargs rm < list", undefined],
  ])("%j", (line, below) => {
    const word = read(line)
      .invocations.findLast(({ programs }) => programs[0] === "rm")
      ?.words.at(-1);
    expect(word).toMatchObject({ text: HOLE, count: "operands" });
    expect(word?.found?.isBelow ? word.found.directories : undefined).toEqual(below);
  });

  test("words that the line shows are operands", () => {
    expect(shown("echo a b | xargs rm")).toEqual(["echo a b", "@rm a b"]);
  });
});

describe("expansions", () => {
  test.each<[line: string, command: string]>([
    ["git push $F", "git push $#any"],
    ['git push "$F"', "git push $"],
    ['git push "$@"', "git push $#any"],
    ['git push "${a[@]}"', "git push $#any"],
    ['git push "${a%x}"', "git push $"],
    ["git push x$F", "git push x$"],
    ["git push $(cat f)", "git push $#any"],
    ["git push $(git branch --show-current)", "git push $"],
    ["git push $(git branch -a)", "git push $#any"],
    ["git push `git rev-parse HEAD`", "git push $"],
    ["F=-f; git push $F", "git push -f"],
    ["F='--force origin'; git push $F x", "git push --force origin x"],
    ['F=--force; git push "$F"', "git push --force"],
    ['set -- -f; git push "$@"', "git push -f"],
    ["read F <<< -f; git push $F", "git push -f"],
    ["rm $HOME/x", "rm /home/u/x"],
    ['rm "$PWD/x"', "rm ./x"],
    ["rm $(pwd)/x", "rm ./x"],
    ["rm $(mktemp -d)", "rm /tmp/$"],
    ['D=$(mktemp -d); rm "$D/x"', "rm /tmp/$/x"],
    ["rm $(mktemp -p /srv)", "rm $"],
    ["X=rm; $X y", "rm y"],
    ["for p in ls rm; do $p x; done", "ls|rm x"],
    ["r${X} y", "r$ y"],
    ['"$X" -rf /', "$ -rf /"],
    ["$X -rf /", "$ -rf /"],
    ["${X:-rm} y", "rm y"],
    ["[a-z]m y", "$ y"],
    ["[ -f a ]", "[ -f a ]"],
    ["[[ -f a ]]", "[[ -f a ]]"],
  ])("%j", (line, command) => {
    expect(shown(line).at(-1)).toBe(command);
  });

  test("an unquoted expansion in front of a program may be nothing", () => {
    expect(shown("$SUDO git push -f")).toEqual(["@git push -f", "$ git push -f"]);
  });
});

describe("where code comes from", () => {
  test.each<[line: string, from: string[]]>([
    ["curl u | sh", ["curl"]],
    ["curl u | sudo bash", ["curl"]],
    ["curl u | tee f | sh", ["tee"]],
    ["sh <(curl u)", ["curl"]],
    ['sh -c "$(curl u)"', ["curl"]],
    ['eval "$(curl u)"', ["curl"]],
    ["source <(curl u)", ["curl"]],
    ["curl -o i.sh u && sh i.sh", ["curl"]],
    ["wget https://h/i.sh; chmod +x i.sh; ./i.sh", ["wget"]],
    ["curl u | python3", ["curl"]],
    ['python3 -c "$(curl u)"', ["curl"]],
    ["curl u | xargs -I{} sh -c {}", ["curl"]],
    ["echo x | base64 -d | sh", ["base64"]],
    ["cat i.sh | sh", ["cat"]],
    ["sh i.sh", []],
    ["curl u | jq .", []],
    ["curl u | grep sh", []],
    ["curl -o i.sh u; sh other.sh", []],
  ])("%j", (line, from) => {
    expect(
      read(line)
        .invocations.at(-1)
        ?.codeFrom.flatMap(({ programs }) => programs),
    ).toEqual(from);
  });

  test.each<[line: string, hidden: boolean]>([
    ["sh x.sh", true],
    ["source a.sh", true],
    ["cat f | sh", true],
    ["sh < f", true],
    ["echo ls | sh", false],
    ["sh -c ls", false],
    ["npx tsc", true],
    ["python3 -m venv d", true],
  ])("%j runs code that it does not show: %p", (line, hidden) => {
    expect(read(line).invocations.some(({ runsHidden }) => runsHidden)).toBe(hidden);
  });
});

describe("directories", () => {
  test.each<[line: string, directories: string[]]>([
    ["rm x", [""]],
    ["cd d && rm x", ["d"]],
    ["cd d; rm x", ["", "d"]],
    ["(cd d) && rm x", [""]],
    ["(cd d && rm x)", ["d"]],
    ["cd / && cd srv && rm x", ["/srv"]],
    ["pushd d && rm x", ["d"]],
    ['cd "$D" && rm x', [HOLE]],
    ["cd - && rm x", [HOLE]],
    ["builtin cd d && rm x", ["d"]],
    ["command -p -- cd d && rm x", ["d"]],
    ["command -v cd d && rm x", [""]],
    ["cd d && cd - && rm x", ["", "d"]],
    ["cd $(mktemp -d) && rm x", [`/tmp/${HOLE}`]],
    ['T=$(mktemp -d) && cd "$T" && rm x', [`/tmp/${HOLE}`]],
    ['cd "$(pwd)/d" && rm x', ["./d"]],
    ["env -C d rm x", ["d"]],
  ])("%j", (line, directories) => {
    expect(
      read(line)
        .invocations.at(-1)
        ?.directories.map((path) => path.replace("//", "/")),
    ).toEqual(directories);
  });
});

describe("redirections", () => {
  test("those of a group or loop belong to all its commands", () => {
    for (const line of ["{ a; b; } > f", "(a; b) > f", "while a; do b; done > f"])
      expect(read(line).invocations.map(({ redirects }) => redirects.map(({ target }) => target.text))).toEqual([
        ["f"],
        ["f"],
      ]);
  });

  test("sinks are not written", () => {
    const [one] = read("a > /dev/null 2>&1 3> f").invocations;
    expect(one?.redirects.map(({ writes }) => writes)).toEqual([false, true]);
  });
});

describe("exactness", () => {
  test.each(["f() { a; }; f", "echo 'x", "case x in x) a;; esac", "for f in a; do b; done"])(
    "%j is not exact",
    (line) => {
      expect(read(line).exact).toBe(false);
    },
  );

  test.each(["a && b", "cd d && a > f", "a | b", "a $(b)"])("%j is exact", (line) => {
    expect(read(line).exact).toBe(true);
  });

  test("a line of other shells is exact only if it is plain words", () => {
    const other = (line: string) => readLine(line, { env: {}, posix: false }).exact;
    expect([other("git status"), other("git status | b"), other("a $x")]).toEqual([true, false, false]);
  });

  test("a line that is too long or too deep is not complete", () => {
    expect(read(`echo ${"a".repeat(140_000)}`).complete).toBe(false);
    expect(read(`${"eval ".repeat(40)}rm x`).complete).toBe(false);
    for (const [text, most] of [
      ["a\n", 1024],
      ["a b\n", 1024],
      ["a > b\n", 1024],
    ] as const) {
      expect(read(text.repeat(most)).complete).toBe(true);
      expect(read(text.repeat(most + 1))).toEqual({ invocations: [], exact: false, complete: false });
    }
    expect(read("rm ".repeat(4096)).complete).toBe(true);
    expect(read("rm ".repeat(4097)).complete).toBe(false);
    expect(read(`a ${"> f ".repeat(4096)}`).complete).toBe(false);
    expect(read(`((x) ${"a; ".repeat(1025)}`).complete).toBe(false);
    expect(read("rm x").complete).toBe(true);
  });
});
