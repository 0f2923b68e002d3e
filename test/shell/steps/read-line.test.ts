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
    const body = `"$@"; ${"echo a; ".repeat(60)}`;
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

  test("the command of a container or another machine runs elsewhere", () => {
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
    expect(read("a\n".repeat(5000)).complete).toBe(false);
    expect(read("rm x").complete).toBe(true);
  });
});
