import type { SyntaxTable } from "./syntax.ts";

/** Package managers, build tools and interpreters. */
export const PACKAGE_SYNTAX: SyntaxTable = {
  npm: {
    style: "whole",
    levels: 2,
    groups:
      "run run-script rum urn audit dist-tag dist-tags config c cache access owner team token org profile pkg exec x=",
    options:
      "-C/--prefix= --registry= --cache= --userconfig= --globalconfig= --tag= --access= --otp= -w/--workspace= --loglevel= --omit= --include= --script-shell= --depth= --fund? --scope= --provenance-file= --before= -D/--save-dev -S/--save -P/--save-prod -O/--save-optional -E/--save-exact -B/--save-bundle -g/--global -f/--force -s/--silent -q/--quiet -d -y/--yes -l/--long -n/--no-yes --ignore-scripts --no-ignore-scripts --dry-run --production --workspaces --no-save --legacy-peer-deps --no-audit --no-fund --json -v/--version -h/--help -c/--call= -p/--package=",
  },
  pnpm: {
    style: "whole",
    levels: 2,
    groups: "run run-script audit config c store env cache server",
    options:
      "-C/--dir= -F/--filter= --registry= -w/--workspace-root -r/--recursive -D/--save-dev -P/--save-prod -O/--save-optional -E/--save-exact -g/--global -f/--force --ignore-scripts --frozen-lockfile --no-frozen-lockfile --store-dir= --tag= --access= --otp= --dry-run --reporter= -s/--silent -v/--version -h/--help --package=",
  },
  yarn: {
    style: "whole",
    levels: 2,
    groups: "run npm workspaces global config cache plugin set dlx= policies version=",
    options:
      "--cwd= --registry= -D/--dev -P/--peer -O/--optional -E/--exact -T/--tilde -W/--ignore-workspace-root-check -s/--silent --frozen-lockfile --immutable --tag= --access= --otp= --new-version= --ignore-scripts --modules-folder= --cache-folder= -v/--version -h/--help",
  },
  bun: {
    style: "whole",
    levels: 2,
    groups: "run pm",
    options:
      "--cwd= -c/--config= --registry= -d/-D/--dev -E/--exact -g/--global -f/--force -p/--production -y/--yarn --frozen-lockfile --ignore-scripts --dry-run --no-save --tag= --access= --otp= --filter= --env-file= -r/--preload= -e/--eval= -v/--version -h/--help --watch --hot --silent",
    passes: "run x",
  },
  "npx bunx": {
    style: "whole",
    options:
      "-p/--package= -c/--call= -y/--yes --no-install --no -q/--quiet --registry= --prefix= --bun -w/--workspace= -v/--version -h/--help",
    passes: "*",
  },
  "uvx pipx": {
    style: "whole",
    levels: 0,
    options:
      "--from= --with= -p/--python= --index-url= --extra-index-url= -i= --spec= -v/--verbose -q/--quiet -h/--help --version",
    passes: "*",
  },
  pip: {
    levels: 2,
    groups: "cache config index",
    options:
      "-r/--requirement= -c/--constraint= -e/--editable= -t/--target= -d/--dest= -i/--index-url= --extra-index-url= -f/--find-links= --no-index --trusted-host= --proxy= --cert= --client-cert= --cache-dir= --log= --prefix= --root= --src= --python= --platform= --python-version= --implementation= --abi= --no-binary= --only-binary= --progress-bar= --report= --timeout= --retries= --group= --config-settings= -C= -U/--upgrade --upgrade-strategy= --user --force-reinstall -I/--ignore-installed --no-deps --pre -y/--yes -q/--quiet -v/--verbose -V/--version -h/--help --dry-run --require-hashes --break-system-packages --no-cache-dir --no-build-isolation -o/--outdated -u/--uptodate -l/--local",
  },
  uv: {
    style: "whole",
    levels: 2,
    groups: "pip tool python cache self auth",
    options:
      "--directory= --project= -p/--python= --index= --index-url= -i= --default-index= --extra-index-url= -f/--find-links= --cache-dir= --config-file= -r/--requirements= -c/--constraints= -e/--editable= --group= --extra= --with= --from= --token= -t --publish-url= --package= -m/--module= --dev --optional= --frozen --locked --no-sync -U/--upgrade -P/--upgrade-package= -q/--quiet -v/--verbose --dry-run -h/--help -V/--version --env-file=",
    passes: "run|tool run|x",
  },
  poetry: {
    style: "whole",
    levels: 2,
    groups: "env cache source self config=",
    options:
      "-C/--directory= -P/--project= -G/--group= -E/--extras= -D/--dev -r/--repository= -u/--username= -p/--password= -n/--no-interaction -q/--quiet -v/--verbose -V/--version -h/--help --build --dry-run --python= --source= --without= --with= --only=",
    passes: "run",
  },
  "pdm hatch pixi rye pipenv": {
    style: "whole",
    levels: 1,
    options: "-p/--project= -G/--group= -d/--dev -q/--quiet -v/--verbose -h/--help -V/--version --dry-run",
    passes: "run",
  },
  cargo: {
    style: "whole",
    levels: 1,
    options:
      "-C= --config= -Z= --color= -p/--package= -F/--features= --manifest-path= --target= --target-dir= --profile= -j/--jobs= --bin= --example= --test= --bench= --registry= --index= --token= --git= --path= --branch= --tag= --rev= --version= --vers= --root= --message-format= -q/--quiet -v/--verbose -r/--release --all-features --no-default-features --locked --frozen --offline --all --workspace --dev --build --optional -f/--force -n/--dry-run --no-verify --allow-dirty -V -h/--help",
    before: "-V/--version --list",
    verbs: { yank: "--version= --undo" },
    passes: "run r",
  },
  go: {
    style: "long",
    levels: 2,
    groups: "mod work tool= env=",
    options:
      "-C= -o= -p= -run= -bench= -count= -timeout= -tags= -ldflags= -gcflags= -mod= -modfile= -covermode= -coverprofile= -coverpkg= -exec= -toolexec= -parallel= -cpu= -buildmode= -v -x -n -u -t -d -race -json -short -cover -i -a -m -w -modcache -cache -testcache",
    passes: "run",
  },
  "gem bundle bundler composer": {
    style: "whole",
    levels: 1,
    options:
      "-v/--version= -i/--install-dir= -n/--bindir= -s/--source= --clear-sources -d/--working-dir= --dev -g/--group= --path= --gemfile= -k/--key= --host= -q/--quiet --no-dev --no-scripts --dry-run -h/--help --conservative -W/--with-all-dependencies -a/--all -x --force",
    passes: "exec",
  },
  "apt apt-get aptitude nala apt-cache": {
    levels: 1,
    options:
      "-o/--option= -c/--config-file= -t/--target-release= -a/--host-architecture= -y/--yes/--assume-yes -q/--quiet -s/--simulate/--dry-run/--just-print/--no-act/--recon -d/--download-only -f/--fix-broken -m/--ignore-missing -V/--verbose-versions --purge --reinstall --no-install-recommends --install-suggests --allow-downgrades --allow-unauthenticated --auto-remove -u/--show-upgraded --only-upgrade -v/--version -h/--help",
  },
  "dnf yum microdnf zypper apk brew port snap flatpak choco winget scoop xbps-install xbps-remove eopkg": {
    style: "whole",
    levels: 1,
    options:
      "-y/--yes/--assumeyes -q/--quiet -v/--verbose -n --repo= --enablerepo= --disablerepo= --setopt= --installroot= -p/--root= -X/--repository= -t/--virtual= -U -u -h/--help --version --force --cask --formula --no-cache --dry-run --prune? -e --id= --channel= --classic",
    verbs: { "apk add": "-U/--update-cache" },
  },
  "pacman yay paru": {
    options:
      "-S/--sync -R/--remove -Q/--query -U/--upgrade -D/--database -F/--files -T/--deptest -s/--search -y/--refresh -u/--sysupgrade -c/--clean -n/--nosave -i/--info -l/--list -q/--quiet -w/--downloadonly -p/--print -r/--root= -b/--dbpath= --noconfirm --needed --config= --overwrite= -h/--help -V/--version",
  },
  "conda mamba micromamba": {
    style: "whole",
    levels: 2,
    groups: "env config=",
    options:
      "-n/--name= -p/--prefix= -c/--channel= -f/--file= -y/--yes -q/--quiet -v/--verbose --all --dry-run -d --update-deps --no-deps --force-reinstall --solver= -h/--help",
    passes: "run",
  },
  dotnet: {
    style: "whole",
    levels: 2,
    groups: "add remove list nuget tool workload new=",
    options:
      "-c/--configuration= -f/--framework= -r/--runtime= -o/--output= -p/--project= -v/--verbosity= -s/--source= -k/--api-key= --version= --prerelease -n/--no-restore",
  },
  "dpkg rpm": {
    options:
      "-i/--install -r/--remove -P/--purge -l/--list -L/--listfiles -S/--search -s/--status -e/--erase -U/--upgrade -F/--freshen -q/--query -a/--all -V/--verify -v/--verbose -h/--hash --force --nodeps --test --root=",
  },
  "twine goreleaser vsce ovsx pre-commit husky lefthook": {
    style: "whole",
    levels: 1,
    options:
      "-r/--repository= --repository-url= -u/--username= -p/--password= -f/--config= --snapshot --dry-run --skip-existing --clean --skip= -s/--sign -h/--help --version",
  },
  "mvn mvnw": {
    style: "whole",
    levels: 1,
    options:
      "-f/--file= -P/--activate-profiles= -pl/--projects= -s/--settings= -T/--threads= -l/--log-file= -D= -q/--quiet -o/--offline -U/--update-snapshots -B/--batch-mode -v/--version -h/--help -e/--errors -X/--debug",
  },
  "gradle gradlew": {
    style: "whole",
    levels: 1,
    options:
      "-p/--project-dir= -b/--build-file= -c/--settings-file= -g/--gradle-user-home= -x/--exclude-task= -I/--init-script= -D= -P= -q/--quiet -i/--info -m/--dry-run --offline -v/--version -h/--help",
  },
  "make gmake": {
    options:
      "-C/--directory= -f/--file=/--makefile= -j?/--jobs? -k/--keep-going -n/--dry-run/--just-print/--recon -s/--silent/--quiet -B/--always-make -i/--ignore-errors -I/--include-dir= -l?/--load-average? -o/--old-file= -W/--what-if= -p/--print-data-base -q/--question -r/--no-builtin-rules -R/--no-builtin-variables -t/--touch -w/--print-directory -e/--environment-overrides -O?/--output-sync? --eval= -v/--version -h/--help",
  },
  "just task rake": {
    style: "whole",
    levels: 1,
    options:
      "-f/--justfile/--taskfile= -d/--working-directory= -l/--list -n/--dry-run -q/--quiet -v/--verbose --set= --summary --show= --dump -h/--help -V/--version",
  },
  cmake: {
    style: "long",
    options:
      "--build= --install= -S= -B= -G= -E= -P= -T= -A= -j= --target= --config= --preset= -t= --parallel --version --help -N -L",
  },
  "python pypy ipython": {
    last: "-c -m",
    options: "-c= -m= -W= -X= -B -E -I -O -P -R -S -i -q -s -u -v -x -V/--version -h/--help",
    passes: "*",
  },
  "node nodejs tsx ts-node": {
    style: "whole",
    options:
      "-e/--eval= -p/--print= -r/--require= --import= --loader= --env-file= --experimental-loader= -c/--check -i/--interactive -C/--conditions= --max-old-space-size= --inspect? --inspect-brk? --test --watch -v/--version -h/--help",
    passes: "*",
  },
  deno: {
    style: "whole",
    levels: 1,
    options:
      "-A/--allow-all -R/--allow-read? -W/--allow-write? -N/--allow-net? -E/--allow-env? --allow-run? -c/--config= --import-map= -r/--reload? -q/--quiet -L/--log-level= --watch? --unstable -h/--help -V/--version",
    passes: "run",
  },
  "perl ruby php lua": {
    options:
      "-e= -E= -r= -I= -M= -m= -i? -p -n -l? -a -w -W -c -d -s -u -x -0 -F= -f= -S= -t -T -v/--version -h/--help",
    passes: "*",
  },
  "sh bash dash zsh ksh fish": {
    options:
      "-c= -o= -O= -l/--login -i -x -e -u -s -v -n -r --norc --noprofile --posix --rcfile= --init-file= --version --help",
    passes: "*",
  },
  "pwsh powershell": {
    style: "long",
    last: "-File -f -Command -c",
    passes: "*",
    options:
      "-Command= -c= -File= -f= -enc= -e= -ec= -encodedcommand= -EncodedCommand= -ExecutionPolicy= -executionpolicy= -exec= -ex= -ep= -WindowStyle= -windowstyle= -w= -Version= -version= -v= -InputFormat= -OutputFormat= -WorkingDirectory= -wd= -ConfigurationName= -SettingsFile= -NoProfile -nop -NonInteractive",
  },
  "pytest jest vitest mocha tox nox": {
    style: "whole",
    options: "-k= -m= -c= -n= -p= -o= -t= -x -v -q -s -h/--help --version",
  },
  "java javac": { style: "long", options: "-jar -cp= -classpath= --class-path= -d= -version -help", passes: "*" },
  "ffmpeg ffprobe convert magick mogrify identify": { style: "long" },
  "gcc g++ cc c++ clang clang++": {
    style: "long",
    options: "-o= -I= -L= -x= -include= -isystem= -MF= -MT= -MQ= -D= -U= -l= -c -S -E -g -v",
  },
};
