import { lines } from "./shell-corpus.ts";

/** Lines by the program that they need besides the shells. A shell's name means that only it runs them so. */
export type ByProgram = Readonly<Record<string, readonly string[]>>;

/**
 * Lines that run the program `bad`, in a folder with the files `in` and `tools/bad` and a git repository: each must be
 * denied by rules on `bad`, and really runs it where the program is installed.
 */
export const RUNS_BAD: ByProgram = {
  "": lines(String.raw`
    split --filter='bad x' in
    split --filter 'bad x' in
    split --filt='bad x' in
    split -n 1 --f='bad x' in
    split --filter=bad in
    seq 9 | split --filter='bad $FILE'
    cat in | split -l 1 --filter='cat > /dev/null; bad x'
    o=--filter; split $o 'bad x' in
    o=--filter=bad; split $o in
    sort -S 1k --compress-program=bad big
    sort -S1k --compress-prog bad big
    sort -T . -S 1k --comp=tools/bad big > /dev/null
    diff3 --diff-program=bad in in in
    diff3 --diff-prog bad in in in
    sdiff --diff-program=bad in in
    sdiff --diff-p=./tools/bad in in
    install -s --strip-program=bad in out
    install -s --strip-prog bad in out
    PATH=tools:$PATH install --strip --strip-program=./tools/bad in out
    git -c alias.q='!bad x' q
    git -c diff.external='bad x' diff HEAD~1
    git -c core.fsmonitor='bad x' status
    git -c core.editor='bad x' commit --amend
    git -c sequence.editor='bad x' rebase -i HEAD~1
    git config alias.q '!bad x'; git q
    git config alias.q '!f() { bad x; }; f' && git q
    git grep -O'bad x' hello
    git grep --open-files-in-pager='bad x' hello
    git grep --open-files='bad x' hello
    git ls-remote --upload-pack='bad x; git-upload-pack' .
    git ls-remote --upload-pack 'bad x; git-upload-pack' .
    git fetch --upload-p='bad x;' ./.git
    git clone -u 'bad x;' ./.git c
    git clone --upload-pack='bad x;' ./.git c
    git push --receive-pack='bad x;' ./.git HEAD
    git push --exec='bad x;' ./.git HEAD
    git push --receive-p 'bad x;' ./.git HEAD
    git archive --remote=. --exec='bad x;' HEAD
    git rebase -x 'bad x' HEAD~1
    git rebase --exec='bad x' HEAD~1
    git bisect start HEAD HEAD~1; git bisect run bad x
    git submodule foreach 'bad x'; git -c alias.z='!bad x' z
    git filter-branch --msg-filter 'bad x' HEAD
    git -c protocol.ext.allow=always ls-remote 'ext::bad x'
    git difftool -y -x 'bad x' HEAD~1
    git difftool --extcmd='bad x' -y HEAD~1
    git -c difftool.q.cmd='bad x' difftool -y -t q HEAD~1
    git -c credential.helper='!bad x' credential fill < credential
    git -c core.askPass='bad' -c credential.helper= credential fill < credential
    git -c trailer.q.command='bad x' interpret-trailers --trailer q=1 in
    git -c trailer.q.cmd='bad x' interpret-trailers --trailer q=1 in
    git -c gpg.program=bad commit -S --allow-empty -m x
    git -c tar.q.command='bad x' archive --format=q HEAD
    GIT_EDITOR='bad x' git commit --amend
    GIT_EXTERNAL_DIFF='bad x' git diff HEAD~1
    GIT_SSH_COMMAND='bad x' git ls-remote ssh://h/x
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.q GIT_CONFIG_VALUE_0='!bad x' git q
    find in -exec bad x \;
    find . -name in -execdir bad x {} +
    find in -ok bad x \; < yes
    xargs -a in bad
    echo x | xargs -n1 -P2 bad
    echo 'bad x' | xargs -I{} sh -c {}
    echo bad | xargs -I{} env {} x
    env -S 'bad x'
    env --split-string='bad x'
    env -vS 'bad x'
    nice -n5 bad x
    timeout --signal=KILL 9 bad x
    timeout -k1 9 bad x
    stdbuf -o0 bad x
    setsid --wait bad x
    ionice -c3 bad x
    taskset 1 bad x
    chrt -o 0 bad x
    setarch x86_64 bad x
    linux64 bad x
    setpriv --no-new-privs bad x
    prlimit --nofile=99 bad x
    choom -n 0 -- bad x
    flock in bad x
    flock in -c 'bad x'
    script -qc 'bad x' /dev/null
    script -c 'bad x' -q out
    unshare -r bad x
    nohup bad x
    time -p bad x
    tar cf a.tar in --checkpoint=1 --checkpoint-action=exec='bad x'
    tar cf a.tar -I 'bad x' in
    tar --use-compress-program='bad x' -cf a.tar in
    tar cf a.tar in; tar xf a.tar --to-command='bad x'
    awk 'BEGIN { system("bad x") }'
    awk 'BEGIN { "bad x" | getline }'
    awk 'BEGIN { print "x" | "bad x" }'
    sed -n '1e bad x' in
    sed 's/.*/bad x/e' in
    perl -e 'system("bad x")'
    perl -e 'exec qw(bad x)'
    perl -we 'print ${"`"}bad x${"`"}'
    python3 -c 'import os; os.system("bad x")'
    python3 -c 'import subprocess as s; s.run(["bad", "x"])'
    x='$(bad x)'; eval "echo $x"
    trap 'bad x' EXIT
    trap -- 'bad x' 0
    printf 'bad x\n' | sh
    sh < <(echo bad x); echo 'bad x' | sh -s
    sh ./script; bad x
    ENV=./script sh -i -c : ; bad x
    PS4='$(bad x)' sh -xc 'echo x'; bad x
    alias q=bad; eval 'q x'
    q() { bad "$@"; }; q x
    command -p env PATH="$PATH" bad x
    exec bad x
    busybox env bad x
  `),
  bash: lines(String.raw`
    hash -p ./tools/bad q; q x
    hash -p "$PWD/tools/bad" q && q x
    hash -p $PWD/tools/bad -- q; q x
    BASH_CMDS[q]=$PWD/tools/bad; q x
    shopt -s expand_aliases; BASH_ALIASES[q]='bad x'; eval q
    shopt -s expand_aliases; alias q='bad x'; eval 'q'
    jobs -x bad x
    test -v 'a[$(bad x)]'
    [ -v 'a[$(bad x)]' ]
    [[ -v 'a[$(bad x)]' ]]
    [[ 'a[$(bad x)]' -eq 0 ]]
    printf -v 'a[$(bad x)]' y
    read 'a[$(bad x)]' < in
    read -r -a b 'a[$(bad x)]' < in; let 'a[$(bad x)]'
    declare 'a[$(bad x)]=1'
    declare -i n='a[$(bad x)]'
    typeset -i n='a[$(bad x)]'
    export 'a[$(bad x)]=1'; let 'n=a[$(bad x)]'
    let 'a[$(bad x)]=1'
    let n='a[$(bad x)]'
    n='a[$(bad x)]'; echo $((n))
    n='a[$(bad x)]'; [[ n -eq 0 ]]
    declare -a a='($(bad x))'
    mapfile -C 'bad x' -c 1 a < in
    readarray -c1 -C 'bad x' a < in
    compgen -C 'bad x' y
    compgen -W '$(bad x)'
    PROMPT_COMMAND='bad x' bash --norc -i -c : ; bad x
    coproc bad x; wait
    exec -a q bad x
    command_not_found_handle() { bad x; }; nosuchprogram
    enable -n echo; bad x
    wait -n -p 'a[$(bad x)]'; test -v 'b[$(bad x)]'
    a=(bad x); "${"$"}{a[@]}"
    bash -c "$(echo bad x)"
    bash --rcfile script -i -c : ; bad x
    x='bad x'; $x
    f=ad; b$f x
    : ${"$"}{x:=bad}; $x y
    echo ${"$"}{x@P} ${"$"}(bad x)
  `),
  zsh: lines(String.raw`
    alias q='bad x'; eval q
    alias -g Q='; bad x'; eval 'echo Q'
    alias -s bad=bad; eval 'x.bad'
    hash q=$PWD/tools/bad; q x
    functions[q]='bad x'; q
    aliases[q]='bad x'; eval q
    commands[q]=$PWD/tools/bad; q x
    emulate sh -c 'bad x'
    test -v 'path[$(bad x)]'
    test -t 'path[$(bad x)]'
    break 'path[$(bad x)]'
    getopts x 'path[$(bad x)]' -x
    print -v 'path[$(bad x)]' y
    printf -v 'path[$(bad x)]' y
    read -t 'path[$(bad x)]' b
    typeset -i n='path[$(bad x)]'
    [[ 'path[$(bad x)]' -eq 0 ]]
    printf '%d' 'path[$(bad x)]'
    let 'path[$(bad x)]'
    read 'path[$(bad x)]' < in; let 'path[$(bad x)]'
    unset 'path[$(bad x)]'; let 'path[$(bad x)]'
    integer n='path[$(bad x)]'
    float n='path[$(bad x)]'
    export SECONDS='path[$(bad x)]'
    SECONDS='path[$(bad x)]'
    return 'path[$(bad x)]'
    exit 'path[$(bad x)]'
    shift 'path[$(bad x)]'
    n='path[$(bad x)]'; echo $((n))
    noglob bad x
    nocorrect bad x
    repeat 1 bad x
    =bad x
    x='$(bad x)'; echo ${"$"}{(e)x}
    TRAPEXIT() { bad x }
    precmd() { bad x }; precmd
    autoload -Uz zargs; zargs -- x -- bad
    autoload -Uz zmv; zmv -p bad '(i*)' 'o$1'
    print -P '%(?.$(bad x).)'; bad x
    bad() { command bad x }; bad
  `),
  mksh: lines(String.raw`
    test -v 'a[$(bad x)]'
    [ 'a[$(bad x)]' -eq 0 ]
    [[ 'a[$(bad x)]' -eq 0 ]]
    let 'a[$(bad x)]'
    unset 'a[$(bad x)]'
    read 'a[$(bad x)]' < in
    export 'a[$(bad x)]=1'
    typeset 'a[$(bad x)]=1'
    typeset -i n='a[$(bad x)]'
    integer n='a[$(bad x)]'
    shift 'a[$(bad x)]'
    SECONDS='a[$(bad x)]'
    export OPTIND='a[$(bad x)]'
    n='a[$(bad x)]'; echo $((n))
    ulimit -n 'a[$(bad x)]'
    getopts x 'a[$(bad x)]' -x
    nameref r='a[$(bad x)]'; echo $r
    alias q='bad x'; eval q
  `),
  ksh93: lines(String.raw`
    alias q='bad x'; eval q
    command -x bad x
    hist -s bad x; bad x
  `),
  "ssh-agent": lines(String.raw`
    ssh-agent bad x
    ssh-agent sh -c 'bad x'
    ssh-agent -a ./socket bad x
    ssh-agent -t 9 -- bad x
  `),
  rg: lines(String.raw`
    rg --pre bad x in
    rg --pre=bad x in
    rg --pre ./tools/bad x in
    rg --pre-glob '*' --pre=bad x in
    o=--pre=bad; rg $o x in
    o=--pre; rg $o bad x in
  `),
  ag: lines(String.raw`
    ag --pager 'bad x' x in
    ag --pager=bad x in
  `),
  batcat: lines(String.raw`
    batcat --pager='bad x' --paging=always in
    batcat --paging always --pager 'bad x' in
    BAT_PAGER='bad x' batcat --paging=always in
  `),
  fdfind: lines(String.raw`
    fdfind in -x bad
    fdfind in -Hx bad x
    fdfind --exec bad x ';' in
    fdfind in --exec=bad
    fdfind in -X bad x
  `),
  gcc: lines(String.raw`
    gcc -wrapper bad,x -c in.c
    gcc -wrapper ./tools/bad in.c
    gcc -B./tools/ -c in.c; bad x
  `),
  go: lines(String.raw`
    go build -toolexec 'bad x' ./gomod/main.go
    go build -toolexec=bad ./gomod/main.go
    go vet -vettool=bad ./gomod/main.go; bad x
    go run -exec 'bad x' ./gomod/main.go
    go run -exec=bad ./gomod/main.go
  `),
  gpg: lines(String.raw`
    gpg --homedir . --agent-program bad -K x; bad x
    gpg --batch --homedir . --dirmngr-program=$PWD/tools/bad --recv-keys 0123456789abcdef; bad x
  `),
  wget: lines(String.raw`
    wget --use-askpass=bad http://127.0.0.1:9/
    wget --use-askp=bad http://127.0.0.1:9/
    wget -e use_askpass=bad http://127.0.0.1:9/
  `),
  strace: lines(String.raw`
    strace -o '|bad x' true; bad x
    strace -f bad x
  `),
  cmake: lines(String.raw`
    cmake -E env bad x
    cmake -E time bad x
    cmake -E chdir . bad x
    cmake -E env A=1 -- bad x
    cmake -E env --unset=A bad x
  `),
  ninja: lines(String.raw`
    printf 'rule q\n command = bad x\nbuild y: q\n' | ninja -f /dev/stdin
    printf 'rule q\n command = bad x\nbuild y: q\n' | ninja -C . -f /dev/stdin y
  `),
  meson: lines(String.raw`
    meson runpython -c 'import os; os.system("bad x")'
  `),
  cloc: lines(String.raw`
    cloc --vcs='bad x' .
    cloc --vcs 'bad x' .
  `),
  hg: lines(String.raw`
    hg --config alias.q='!bad x' q
    hg --config 'alias.q=!bad x' q
    hg init h; hg -R h --config hooks.pre-log='bad x' log
    hg clone --ssh 'bad x' ssh://h/x
    hg id -e 'bad x' ssh://h/x
  `),
  svn: lines(String.raw`
    svn --config-option config:tunnels:q='bad x' info svn+q://h/x
  `),
  rpm: lines(String.raw`
    rpm --eval '%(bad x)'
    rpm -E '%(bad x)'
    rpm --pipe 'bad x' -q y
  `),
  dc: lines(String.raw`
    dc -e '!bad x'
    echo '!bad x' | dc
    dc <<< '!bad x'
  `),
  ed: lines(String.raw`
    printf '!bad x\nq\n' | ed -s in
    ed -s in <<< '!bad x'
  `),
  sqlite3: lines(String.raw`
    sqlite3 :memory: '.shell bad x'
    sqlite3 :memory: '.system bad x'
    echo '.shell bad x' | sqlite3
    sqlite3 -cmd '.shell bad x' :memory: ''
  `),
  socat: lines(String.raw`
    socat - EXEC:'bad x' < in
    socat -u EXEC:bad -
    socat - SYSTEM:'bad x' < in
  `),
  tmux: lines(String.raw`
    tmux -L q new -d 'bad x; sleep 1'; sleep 0.3
    tmux -L q -f /dev/null start-server \; run-shell 'bad x'
  `),
  task: lines(String.raw`
    task rc:./taskrc execute bad x
  `),
  parallel: lines(String.raw`
    parallel bad -- x
    parallel -j 1 bad -- x y
  `),
  gdb: lines(String.raw`
    gdb -batch -ex 'shell bad x'
    gdb -batch -ex '!bad x'
  `),
  expect: lines(String.raw`
    expect -c 'spawn bad x; expect eof'
    expect -c 'exec bad x'
  `),
  chronic: lines(String.raw`
    chronic bad x
    ifne bad x < in
    ts < in; bad x
  `),
  make: lines(String.raw`
    make -f - <<< 'q:;bad x'
    printf 'q:;bad x' | make -f -
    make --eval='q:;bad x' q
    make --eval 'q:;bad x' q
    make -E 'q:;bad x' q
    make --eval='$(shell bad x)'
  `),
  rsync: lines(String.raw`
    rsync -e 'bad x' h:x .
    rsync --rsh='bad x' h:x .
    rsync -e bad h:x .
  `),
  zip: lines(String.raw`
    zip -q a.zip in -TT 'bad x' -T
    zip -q a.zip in -T --unzip-command 'bad x'
  `),
  "vim.tiny": lines(String.raw`
    vim.tiny -es -c '!bad x' -c 'q!'
    vim.tiny -es '+!bad x' '+q!'
  `),
  less: lines(String.raw`
    LESSOPEN='|bad %s' less in
  `),
  man: lines(String.raw`
    man -P 'bad x' ls; bad x
  `),
};

/** Lines that only mention the commands of `MENTIONED`, in words that no program runs: rules on them must not deny these. */
export const MENTIONS: readonly string[] = lines(String.raw`
  grep 'git push' docs
  grep -rn "git push" .
  grep -e 'git push' -- README.md
  rg 'git push' docs
  rg -n --type md "rm -rf" .
  rg --files-with-matches 'sudo apt'
  ag 'git push' src
  echo git push
  echo "run git push now"
  printf '%s\n' 'git push'
  printf 'rm -rf x\n'
  cat git push
  cat "git push.md"
  ls git push
  ls 'rm me'
  head -n 5 git push
  sort git push
  sort -k 2 -t, rm
  sort --compress-program=gzip big
  split -l 10 git push
  split -b 1k --numeric-suffixes big rm
  uniq git push
  wc -l git push
  diff git push
  diff3 git rm push
  jq '.scripts["git push"]' package.json
  test -f 'git push'
  [ "$x" = 'git push' ]
  cd 'git push'
  mkdir -p git push
  touch rm me
  which git push
  type rm
  man git push
  git commit -m "git push later"
  git commit -m 'rm -rf the cache'
  git log --grep='git push'
  git log -S 'rm -rf' --oneline
  git grep 'git push'
  git grep -n "sudo rm"
  git tag -a v1 -m 'git push'
  git stash push -m 'rm x'
  git rm old.txt
  git branch rm
  docker rm web
  docker rm $(docker ps -aq)
  npm rm left-pad
  npm run push
  npm install git push
  npm run build -- --base=/docs
  kubectl get pods -n push
  curl -d 'git push' https://example.com
  curl -H 'X: rm x' https://example.com
  wget -O git https://example.com/push
  wget --user-agent='git push' https://example.com
  gh pr create --title "git push fails" --body "After rm x it works"
  gh issue list --search 'git push'
  gh pr comment 7 --body 'rm x'
  gcc -o git push.c
  gcc -Wall -O2 -o rm rm.c
  g++ -DNAME='"git push"' -c a.cc
  go test ./... -run 'rm x'
  go build -o git ./push
  go build -ldflags '-X main.v=git push' .
  go vet ./rm/...
  cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
  cmake --build build -j $(nproc)
  cmake --build build --target rm
  make -j8 all
  tsc --noEmit -p git
  ruff check rm x
  black --line-length 100 rm.py
  cargo test push
  cargo build --features 'git push'
  cargo fmt -- --check
  dotnet build -c Release
  gpg --verify git push.sig
  gpg --list-keys 'rm me'
  ssh-keygen -t ed25519 -C 'git push' -f key
  ssh-add ~/.ssh/id_rsa
  date '+git push %s'
  basename git push
  stat rm
  du -sh rm
  tree -L 2 git
  find . -name 'git push'
  find . -name rm -type f
  read -r line < 'git push'
  export MESSAGE='rm x'
  MESSAGE='git push' printenv MESSAGE
  unset git push
  unzip -l rm.zip x
  openssl dgst -sha256 'git push'
  base64 'rm x'
  md5sum git push
  tail -f git push
  nl rm
  cut -d' ' -f1 git push
  tr 'git push' 'rm x____'
  seq 1 3
  kill 123
  sleep 1
  hash -r
  history 5
  jobs -l
  strace -o out.txt ls
  install -m 755 git push
`);

/** Commands that the lines of {@link MENTIONS} mention. */
export const MENTIONED: readonly string[] = ["git push*", "git -* push*", "rm *", "sudo *", "me", "me *", "push*"];

/**
 * Lines that run `bad` or write the file `out`, though each names one command only, which the rules `ALLOWED` allow: the
 * rules must not cover these.
 */
export const ALLOWED_RUNS_MORE: ByProgram = {
  bash: lines(String.raw`
    printf -v 'a[$(bad x)]' y
    printf -va'[$(bad x)]' y
    printf -v "a[\$(bad x)]" y
    printf -v 'a['"${"`"}bad x${"`"}"']' y
    test -v 'a[$(bad x)]'
    test -v 'a[${"`"}bad x${"`"}]'
    test 1 -a -v 'a[$(bad x)]'
    test ! -v 'a[$(bad x)]'
    [ -v 'a[$(bad x)]' ]
    [ -v "a[\$(bad x)]" ]
    [ x -o -v 'a[$(bad x)]' ]
    [ -R 'a[$(bad x)]' -o -v 'a[$(bad x)]' ]
    read 'a[$(bad x)]' < in
    read -r x 'a[$(bad x)]' < in
    let 'a[$(bad x)]'
    let 'x=a[$(bad x)]'
    let x='a[$(bad x)]'
    let "1 ? a[\$(bad x)] : 2"
    declare 'a[$(bad x)]=1'
    declare -i n='a[$(bad x)]'
    declare -a 'a=([$(bad x)]=1)'
    typeset -i n='a[$(bad x)]'
    declare -i n; export n='a[$(bad x)]'
    builtin test -v 'a[$(bad x)]'
    command test -v 'a[$(bad x)]'
    builtin printf -v 'a[$(bad x)]' y
    echo 'a[$(bad x)]' | read 'b[$(bad x)]'
  `),
  zsh: lines(String.raw`
    test -v 'path[$(bad x)]'
    [ -v 'path[$(bad x)]' ]
    test -t 'path[$(bad x)]'
    printf '%d' 'path[$(bad x)]'
    printf '%5.2f\n' 'path[$(bad x)]'
    printf '%*s' 'path[$(bad x)]' y
    printf -v 'path[$(bad x)]' y
    let 'path[$(bad x)]'
    read 'path[$(bad x)]' < in
    read -t 'path[$(bad x)]' b
    unset 'path[$(bad x)]'
    export 'path[$(bad x)]=1'
    export SECONDS='path[$(bad x)]'
    export OPTIND='path[$(bad x)]'
    declare 'path[$(bad x)]=1'
    typeset -i n='path[$(bad x)]'
    integer n='path[$(bad x)]'
    float n='path[$(bad x)]'
    exit 'path[$(bad x)]'
    shift 'path[$(bad x)]'
    return 'path[$(bad x)]'
    break 'path[$(bad x)]'
    getopts x 'path[$(bad x)]' -x
  `),
  mksh: lines(String.raw`
    test -v 'a[$(bad x)]'
    [ 'a[$(bad x)]' -eq 0 ]
    [ 0 -lt 'a[$(bad x)]' ]
    test 1 -ne 'a[$(bad x)]'
    let 'a[$(bad x)]'
    unset 'a[$(bad x)]'
    read 'a[$(bad x)]' < in
    export 'a[$(bad x)]=1'
    export OPTIND='a[$(bad x)]'
    typeset -i n='a[$(bad x)]'
    shift 'a[$(bad x)]'
    ulimit -n 'a[$(bad x)]'
    getopts x 'a[$(bad x)]' -x
    read -u 'a[$(bad x)]' b
  `),
  "": lines(String.raw`
    git diff --output=out HEAD~1
    git diff --output out HEAD~1
    git diff HEAD~1 --output=out
    git log --output=out
    git log -p --output=out
    git log --output out -1
    git show --output=out
    git show HEAD --output=out
    git show "--output=out"
    git show --out''put=out
    git diff --out\put=out HEAD~1
    git -C . diff --output=out HEAD~1
    git -c color.ui=never show --output=out
    git grep -O'bad x' hello
    git grep --open-files-in-pager=bad hello
    git -c core.fsmonitor='bad x' status
    git -c diff.external=bad diff HEAD~1
    git -c alias.q='!bad x' q
    git ls-remote --upload-pack=bad .
    git --config-env=core.fsmonitor=PAGER status || git -c core.fsmonitor=bad status
    sort --compress-program=bad -S 1k big
    sort -S 1k --comp bad big
    split --filter=bad in
    diff3 --diff-program=bad in in in
    sdiff --diff-program bad in in
  `),
  rg: lines(String.raw`
    rg --pre=bad x in
    rg --pre ./tools/bad x in
  `),
  ag: lines(String.raw`
    ag --pager=bad x in
  `),
};

/** The rules that {@link ALLOWED_RUNS_MORE} and {@link ALLOWED_LINES} are judged by: these programs, with any arguments. */
export const ALLOWED: readonly string[] = lines(`
  printf test [ read let declare typeset export unset integer float exit shift return break getopts ulimit builtin command echo cat
  git sort split diff3 sdiff rg ag ls grep true cd
`)
  .flatMap((line) => line.split(" "))
  .flatMap((name) => [name.replace("[", "\\["), `${name.replace("[", "\\[")} *`]);

/** Lines that the rules of {@link ALLOWED} must cover. */
export const ALLOWED_LINES: readonly string[] = lines(String.raw`
  printf '%s\n' x
  printf '%s\n' "$HOME"
  printf '%d items\n' 3
  printf '%-10s|%5.2f\n' name 2.50
  printf "done\n"
  printf -v name '%s' x
  printf -v 'a[0]' x
  printf '[%s]\n' x
  printf 'cost: $5\n'
  test -f in
  test -d "$HOME/.config"
  test -n "$x" -a -z "$y"
  test 3 -gt 2
  test -v HOME
  test "$x" = 'a[b]'
  [ -f package.json ]
  [ -e "$dir/file" ] && echo yes
  [ "$a" != "$b" ]
  [ 1 -eq 1 ]
  [ -v name ]
  read -r line < in
  read -p 'name? ' name < in
  read -ra parts < in
  let 1
  declare name=value
  declare -a list
  declare -x PATH_EXTRA="$HOME/bin"
  export NODE_ENV=test
  export PATH="$HOME/bin:$PATH"
  typeset -i count=3
  unset name
  exit 0
  exit 1
  shift 2
  ulimit -n 1024
  ulimit -a
  getopts ab: opt
  cd src && git status
  git diff
  git diff HEAD~1 -- src/a.ts
  git diff --stat --output-indicator-new=+
  git log --oneline -n 5
  git log --diff-filter=D --summary
  git log --grep='--output=x'
  git checkout --ours a.txt
  git show HEAD:in
  git grep -n 'hello'
  git -C sub status
  git commit -m 'output=x'
  sort -u in
  sort -k 2,2 -t , in
  split -l 5 in part
  rg --files
  rg -n 'a[b]' src
  grep -c 'a[$(x)]' in
  echo 'a[$(x)]'
`);

/** Lines that print the secret of a file, of the environment or of the repository: none may be labelled safe. */
export const PRINTS_SECRET: ByProgram = {
  "": lines(String.raw`
    cat .e*
    cat .en?
    cat .[e]nv
    cat .[!x]nv
    cat .env*
    cat .??v
    cat .*nv
    cat {.env,in}
    cat {.env,}
    cat {in,.env}
    cat .{env,x}
    cat .e{nv,}
    cat .en{u..w}
    cat *.pem
    cat *.key
    cat s*.pem
    cat ser?er.p[e]m
    cat */.env
    cat */*.key
    cat */.e*
    cat web/.??v
    cat ../*/.env
    cat ~/.ssh/*
    cat ~/.ssh/id_*
    cat ~/.ssh/id_[re]*
    cat ~/.s*/id_rsa
    cat ~/.*/id_rsa
    cat ~/.?sh/id_rsa
    cat ~/.config/g*/hosts.yml
    cat ~/.conf*/gh/*.yml
    cat ~/.n*rc
    cat $HOME/.npmrc
    cat "$HOME/.npmrc"
    cat ${"$"}{HOME}/.netrc
    cat $HOME/.[s]sh/id_rsa
    cat "$HOME"/.docker/config.json
    cat ~/.docker/config.json
    cat ~/.docker/./config.json
    cat ~//.docker//config.json
    cat ~/.ssh/../.docker/config.json
    cat ~/x/../.npmrc ~/.npmrc
    cat $PWD/.env
    cat "$PWD"/web/.env
    cat $OLDPWD.env
    cat ./.env
    cat .//.env
    cat ./web/../.env
    cat web/../web/.env
    cat '.env'
    cat ".env"
    cat .e''nv
    cat .e"n"v
    cat .en\v
    cat $'.env'
    cat ~/'.npmrc'
    cat ~/."ssh"/id_rsa
    cat -- .env
    cat -n .env
    cat -A .env
    cat in .env
    cat .env in
    cat < .env
    cat < .e*
    cat - < .env
    cat .env | head
    cat .env 2>/dev/null
    cat .env # the settings
    (cat .env)
    true; cat .env
    cd web; cat .env
    cd web && cat .env
    cd ~/.ssh && cat work
    f=.env; cat $f
    f=env; cat .$f
    ln -s .env link; cat link
    cp .env copy; cat copy
    head .env
    head -n 5 .env
    head -n 5 .env*
    head -n 1 ~/.ssh/id_*
    head -5 .env
    head -c 100 .env
    head {.env,}
    head ~/.bash_history
    tail .env
    tail -n 1 .e*
    tail -n +1 .env
    tail -f .env & sleep 0.2; kill $!
    grep TOKEN .env
    grep '' .env*
    grep . .e*
    grep -h TOKEN .[e]nv
    grep TOKEN {.env,in}
    grep -e TOKEN .env
    grep TOKEN -- .env
    grep -- TOKEN .env
    grep -n -- TOKEN .env
    grep -e TOKEN -- .env
    grep -f in .env; cat .env
    grep --regexp=TOKEN .env
    grep --reg TOKEN .env
    grep -ne TOKEN .env
    grep -n TOKEN ~/.ssh/*
    grep -r TOKEN .
    grep -R TOKEN .
    grep -rn TOKEN
    grep -rh TOKEN web
    grep -nri token .
    grep -Rn TOKEN ~/.ssh
    grep -rn TOKEN ~
    grep -r TOKEN ~/.config
    grep -r TOKEN --include='.env' .
    grep -r TOKEN --include='*.json' .
    grep -r TOKEN --include='.e*' .
    grep -r TOKEN --include=*.yml .
    grep -r TOKEN --include='*.y*ml' .
    grep -r TOKEN --include='*.ts' --include='*.pem' .
    grep -r TOKEN --include '*' .
    grep -r TOKEN --incl='*.pem' .
    grep -r TOKEN --exclude='*.pem' .
    grep -r TOKEN --exclude-dir=node_modules .
    grep --recursive TOKEN .
    grep --recurs TOKEN .
    grep --dereference-recursive TOKEN .
    grep -d recurse TOKEN .
    grep -drecurse TOKEN .
    grep --directories=recurse TOKEN .
    grep --directories recurse TOKEN .
    grep --direct=recurse TOKEN .
    grep -ird recurse token .
    grep -c x in; grep TOKEN .env
    egrep -r TOKEN .
    fgrep TOKEN .env
    sort .env
    sort .e*
    sort ~/.npmrc
    sort $HOME/.npmrc
    uniq .env
    uniq ~/.ssh/id_rsa
    comm .env in
    diff .env in
    diff in .env
    cut -c1- .env
    paste .env
    nl .env
    tac .env
    rev .env | rev
    od -c -w99 .env; strings .env
    xxd -p .env; strings .env
    fold -w 80 .env
    awk 1 .env
    sed -n p .env
    sed '' .e*
    dd if=.env status=none
    tee < .env
    base64 -w0 .env | base64 -d
    tar cf - .env | tar xOf -
    xargs -a .env
    xargs < .env
    while read l; do echo $l; done < .env
    read l < .env; echo "$l"
    . ./.env; echo $TOKEN
    echo "$(cat .env)"
    echo $(<.env) $(cat .env)
    printf '%s\n' "$(cat .env)"
    find . -name .env -exec cat {} \;
    find . -type f -exec cat {} +
    ls -A | xargs cat
    cat $(ls -A)
    cat ${"`"}ls -d .e*${"`"}
    env
    printenv
    printenv MY_TOKEN
    export -p
    set
    echo $MY_TOKEN
    echo "$MY_TOKEN"
    printf '%s' $MY_TOKEN
    cat /proc/self/environ
    cat /proc/self/envi*
    cat /proc/self/env?ron
    cat /proc/*/environ
    cat /proc/$$/environ
    cat /proc/self/task/*/environ
    head -n 1 /proc/self/environ
    grep -a TOKEN /proc/self/environ
    cat /proc/self/cwd/.env
    cat /proc/self/cwd/in /proc/self/cwd/config/master.key
    strings /proc/self/environ
    git show HEAD:.env
    git show HEAD:web/.env
    git show HEAD~1
    git show --stat -p HEAD~1
    git log -p
    git log -p -1 HEAD~1
    git log -u
    git log --patch
    git log -U1
    git log --unified=1
    git log --patch-with-stat
    git log -L1,1:.env
    git log -c -p
    git log --cc -m -p
    git log --full-diff -p
    git log --root -p
    git log -n 2 -p
    git log --follow -p .env
    git log --binary
    git diff --no-index in .env
    git diff --no-index /dev/null .env
    git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD -- .env
    git diff HEAD:in HEAD:.env
    git blame .env
    git blame HEAD -- .env
    git grep TOKEN -- .env
    git grep -e TOKEN -- .env
    git grep -n -e TOKEN .env
    git grep --no-index TOKEN
    git grep --no-ind TOKEN .
    git grep --untracked TOKEN -- .env
    git cat-file -p HEAD:.env
    git cat-file blob HEAD:.env
    git archive HEAD .env | tar xO
    git config --list
    git config -l
    git config --get remote.origin.url
    git config --get http.https://h.example/.extraheader
    git config --get-regexp url
    git config remote.origin.url
    git remote -v | cat
    cat .git/config
    cat .git/c*fig
  `),
  bash: lines(String.raw`
    cat ~+/.env
    cat .env{,}
    cat {.,web}/.env
    cat ${"$"}{HOME:0}/.npmrc
    mapfile -t a < .env; echo "${"$"}{a[@]}"
    echo "$(< .env)"
    compgen -f .e | xargs cat
  `),
  zsh: lines(String.raw`
    cat .e*(.)
    cat .env(N)
    cat .en[[:alpha:]]
    cat *(D.)
    < .env
  `),
  rg: lines(String.raw`
    rg TOKEN .env
    rg -e TOKEN .env
    rg -n -- TOKEN .env
    rg --regexp TOKEN .env
    rg --hidden TOKEN .
    rg -. TOKEN
    rg -uu TOKEN
    rg -uuu TOKEN .
    rg --unrestricted --unrestricted TOKEN
    rg -g '.env' TOKEN
    rg -g '.e*' TOKEN
    rg --glob '*.pem' TOKEN .
    rg --glob='.en?' TOKEN
    rg --iglob '.ENV' TOKEN
    rg -n -g.env TOKEN
    rg TOKEN ~/.ssh/id_rsa
    rg -e TOKEN .e*
    rg '' {.env,in}
    rg --no-ignore --hidden TOKEN
  `),
};

/** Lines that only read what they may: each must be labelled safe. */
export const READS: readonly string[] = lines(String.raw`
  ls
  ls -la
  ls ~/.ssh
  ls -la .env
  ls *.pem
  ls src/*.ts
  ls $HOME
  cat README.md
  cat src/main.ts
  cat ./package.json
  cat ../README.md
  cat ~/notes.txt
  cat /etc/hosts
  cat /etc/passwd
  cat /proc/cpuinfo
  cat .gitignore
  cat .env.example
  cat web/.env.sample
  cat .env.template
  cat Dockerfile
  cat config/settings.yaml
  cat id_rsa.pub
  cat ~/.ssh/id_ed25519.pub
  cat ~/.ssh/known_hosts
  cat ~/.ssh/config
  cat server.crt
  cat tsconfig.json
  cat 'my file.txt'
  cat environment.ts
  cat src/env.ts
  cat docs/secrets.md
  cat src/credentials.ts
  cat key.ts
  cat keys.md
  cat .github/workflows/ci.yml
  cat go.mod
  cat Cargo.toml
  cat .eslintrc.json
  cat tests/fixtures/data.json
  head README.md
  head -n 20 src/index.ts
  tail build.log
  tail -n 100 server.log
  stat .env
  file image.png
  wc -l .env
  wc README.md
  du -sh node_modules
  df -h
  tree src
  pwd
  whoami
  hostname
  date
  uname -a
  ps aux
  which node
  type git
  type python3
  echo done
  echo $HOME
  echo "in $PWD"
  printf '%s\n' done
  basename src/a.ts
  dirname src/a.ts
  grep TODO src/a.ts
  grep -n 'foo' src/a.ts src/b.ts
  grep -n process.env src/a.ts
  grep -- process.env src/a.ts
  rg process.env
  rg -n 'import.meta.env' src
  git grep process.env
  grep -rn TODO --include='*.ts' src
  grep -rn TODO --include='*.ts' --include='*.tsx' .
  grep -rn TODO --include=*.go .
  grep -rn TODO --include='*.py' --exclude-dir=venv .
  grep -rl foo --include '*.md' docs
  grep -c x README.md
  grep -i 'error' build.log
  rg TODO
  rg -n TODO src
  rg -l 'foo' -g '*.ts'
  rg foo -g '!*.lock'
  rg --type py 'import os'
  rg -C 3 'main' src/main.rs
  rg --files src
  sort names.txt
  uniq names.txt
  git status
  git status -s
  git status --short --branch
  git diff
  git diff HEAD~1
  git diff --stat
  git diff --cached src/a.ts
  git diff main...feature
  git diff main..feature -- src
  git log
  git log --oneline
  git log --oneline -n 10
  git log -5
  git log --graph --all --decorate
  git log --stat
  git log --format='%h %s' --since=1.week
  git log --author=me --grep='fix'
  git log -S 'needle' --oneline
  git log main..HEAD
  git log --follow -- src/a.ts
  git log -1 --pretty=%B
  git branch
  git remote
  git remote -v
  git rev-parse HEAD
  git rev-parse --show-toplevel
  git blame src/a.ts
  git grep TODO
  git grep -n 'foo' -- src
  git grep -il 'foo' '*.ts'
  git config --get user.name
  git config --get user.email
  git config --get core.autocrlf
  git config --get init.defaultBranch
  docker ps
  docker ps -a
  docker images
  docker logs web
  docker version
  docker inspect web
  kubectl get pods
  kubectl get pods -n web
  kubectl describe pod web
  kubectl logs web
  kubectl config view
  kubectl version
`);
