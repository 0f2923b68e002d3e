import { describe, expect, test } from "bun:test";
import { EFFECTS, type Effect } from "../../../src/shell/steps/effects/effect.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";
import { readProgram } from "../../../src/shell/steps/read-program.ts";

/** The effects of all commands of a line; those that are only possible have a question mark. */
function effectsOf(line: string): string[] {
  const { invocations } = readLine(line, { env: {}, posix: true });
  const values = invocations.flatMap((one) => readProgram(one).effects.values);
  return values.map(({ text, sure }) => (sure ? text : `${text}?`));
}

/** The lines of a text. `{a,b}` stands for each of its words in turn, so that every word is in one line at least. */
function linesOf(text = ""): string[] {
  return text.split(/[;\n]/).flatMap((item) => {
    const lists = [...item.matchAll(/\{([^{}]+,[^{}]+)\}/g)].map(([, words = ""]) => words.split(","));
    return Array.from({ length: Math.max(1, ...lists.map(({ length }) => length)) }, (_, at) => {
      let list = 0;
      return item.trim().replace(/\{[^{}]+,[^{}]+\}/g, () => {
        const words = lists[list++] ?? [];
        return words[at % words.length] ?? "";
      });
    }).filter((line) => line !== "");
  });
}

/** For each word of the rows of effects a line that has the effect for certain. */
const HAVE: Partial<Record<Effect, string>> = {
  "fs-delete": `
    rsync {--del,--delete-before,--delete-during,--delete-delay,--delete-excluded,--delete-missing-args};
    {fd,fdfind} {-x,-X} rm; rm -r x; rclone {delete,deletefile,purge,sync,rmdir,rmdirs} x`,
  "fs-overwrite": `
    {copy,copy-item,move-item,xcopy,robocopy} x y; truncate x; curl --remote-name-all; wget2 https://h/x; wget2 -i;
    aria2c x; {gawk,mawk,nawk} '{print > "x"}'; {sed,gsed} 'w x' y`,
  "fs-modify": `
    add-content x; dasel {--inplace,--in-place}; gsed -i; git checkout .; git checkout w w`,
  "fs-permissions": `
    chcon x`,
  "block-device": `
    wipefs -o; dmsetup {wipe_table,clear};
    parted /dev/sda {rm,resizepart,rescue,set,name,toggle,disk_set,mklabel} 1;
    {cp,mv,install} a /dev/sda;
    tee /dev/sda`,
  "git-history": `
    git push origin {+x,:x} --porcelain`,
  "remote-code": `
    uv tool install https://h/x; uv add https://h/x; pipx https://h/x; {poetry,pdm} add https://h/x;
    npm add https://h/x; {pnpm,bun} {i,install} https://h/x; cargo install --git;
    npm i {Github:o/r,gitlab:o/r,bitbucket:o/r,gist:x,git://h/r,git@h:o/r,ssh://h/r,http://h/r};
    {npm i,pnpm add,yarn add,bun add} o/r;
    pip install {'x @ git+https://h/r','x @ http://h/r',GIT+https://h/r,x@git+ssh}`,
  "hidden-code": `
    {pwsh,powershell} -Enc x; powershell -nop -w hidden -Enc x; powershell -ep bypass -e x;
    pwsh -WindowStyle hidden -ec x`,
  containers: `
    docker machine stop; {multipass,colima,orb,lxc,incus} rm; limactl w stop; virsh shutdown; vboxmanage controlvm;
    docker pause`,
  kubernetes: `
    kubectl {cordon,uncordon,taint,delete,drain,new-app,new-project,start-build};
    kubectl rollout {restart,undo,pause,resume}; kubectl certificate {approve,deny}; kubectl auth reconcile;
    helm {rollback,uninstall}; helmfile {apply,sync}; argocd app {set,create,rollback,patch};
    flux {suspend,resume,create,bootstrap}; istioctl install; skaffold {run,deploy,delete};
    eksctl {create,upgrade,scale,drain}; kubectl {cordon,taint,delete,drain} x --dry-run=none;
    kubectl rollout undo x --dry-run=none; helm {rollback,uninstall} x --dry-run=false`,
  infrastructure: `
    terraform workspace new; terraform {run,run-all,stack} {apply,destroy,import,taint}; terraform run apply;
    terraform run destroy; pulumi {update,import,refresh,cancel}; cdktf {import,bootstrap}; {sls,sst} deploy;
    sam deploy; eb {deploy,create}; amplify {push,publish}; nomad job {revert,dispatch}; nomad run; consul kv import;
    vault write; vault kv {put,patch}; atmos {tf,tofu,opentofu} {apply,destroy,import,taint,untaint,force-unlock};
    atmos {terraform,tf,opentofu} state {mv,push,replace-provider}; atmos {tf,tofu,opentofu} workspace new;
    atmos {tf,tofu,opentofu} plan -destroy; atmos hf {apply,sync,deploy}; puppet apply; chef-client;
    terragrunt run -- apply; terragrunt run --all -- destroy; terragrunt run --queue-include-dir d -- {apply,destroy};
    terragrunt run-all apply; terraform stack {apply,destroy}`,
  database: `
    {pgcli,cockroach,usql,mycli,tidb} -c 'drop table x';
    {sqlite,litecli,duckdb,turso,d1,libsql,wrangler,supabase} -c 'drop table x'; bq query 'drop table x';
    {sqlcmd,sqlplus,isql,tsql,cqlsh,clickhouse-client,clickhouse,hive,beeline,spark-sql,presto,trino,snowsql,snow,impala-shell,db2,cypher-shell} -c 'drop table x';
    influx -execute 'drop table x'; mongo --eval 'db.x.drop()'; {valkey-cli,keydb-cli} del x;
    {createdb,createuser} x; {pg_restore,mongoimport,mysqlimport} x; supabase db push; prisma migrate dev;
    prisma db {push,execute,seed}; drizzle-kit {push,migrate,drop};
    {rails,rake} {db:migrate,db:migrate:up,db:migrate:down,db:migrate:redo,db:setup,db:seed,db:prepare,db:create};
    artisan {migrate,db:seed}; manage.py {migrate,loaddata}; alembic {upgrade,stamp};
    flyway {migrate,repair,undo,baseline}; liquibase {update,update-count};
    knex {migrate:latest,migrate:up,seed:run}; {sequelize,sequelize-cli} {db:migrate,db:seed:all};
    typeorm {migration:run,schema:sync}; dbmate {up,down,drop,rollback,migrate}; etcdctl put; kafka-acls --add;
    nats {consumer,kv,object,bucket,account} {add,create,edit,put,rm,delete,del,restore};
    rabbitmqadmin {declare,purge,publish,import}; rpk topic {create,trim-prefix,alter-config};
    rpk group {delete,offset-delete}; pg_rewind x`,
  "remote-delete": `
    {https,xh,xhs} -X DELETE h; wget --method=DELETE h;
    gh {release,issue,gist,label,secret,variable,run,cache,codespace,ssh-key,gpg-key} remove; glab label remove;
    deck gateway reset; mc admin policy detach; rclone {move,moveto,deletefile,rmdir,rmdirs};
    borg {break-lock,rdelete}; newrelic {workload,synthetics,alerts} delete;
    {circleci,glab,ldcli,split,unleash,flipt,datadog-ci,pd} delete x;
    kong {rm,destroy,wipe,recreate,archive,kill,disable,undeploy,rollback,delete-x,x-delete,remove-x,x-remove} x;
    curl -d x h/{delete,deleteX,delete-y};
    curl -d x --url h/_close;
    curl {-d,--data-raw,--data-binary,--data-urlencode,--json,-F,-T} x h/_close;
    wget --method={DELETE,PUT} h/_close;
    wget {--post-data,--post-file,--body-data,--body-file} x h/_close;
    http h/_close a=b`,
  packages: `
    npm {in,ins,inst,insta,instal,isnt,isnta,isntal,isntall,add,link,ln,create,init,innit} x;
    npm {up,upgrade,udpate}; pnpm {i,install,link,create} x; pnpm {update,up,upgrade}; pnpm audit --fix;
    yarn {create,link} x; yarn {up,upgrade,upgrade-interactive}; yarn global {add,remove,upgrade};
    yarn workspace w {remove,up,upgrade}; bun {a,i,install,create,link} x; bun update; uv tool {install,upgrade,run};
    uv {lock,sync} {-U,-P}; pipx {upgrade,upgrade-all,inject,run,reinstall}; poetry add x; poetry update;
    poetry self {add,remove,update}; {pdm,rye,pixi} {add,remove} x; {pdm,rye,pixi,pipenv} update;
    pipenv {install,uninstall} x; cargo {rm,binstall} x; cargo install --git; cargo update; go get -u; gem update;
    bundler add x; bundler update; composer {require,create-project} x; composer global {require,remove,update};
    composer upgrade; {aptitude,nala} {remove,purge,reinstall,build-dep} x;
    {apt,apt-get,aptitude,nala} {upgrade,full-upgrade,dist-upgrade,safe-upgrade,autoremove};
    {yum,microdnf} {reinstall,localinstall,groupinstall,swap} x; {dnf,yum,microdnf} {update,upgrade,distro-sync};
    zypper {install,in} x; zypper {update,up,dup,dist-upgrade,patch}; {xbps-install,xbps-remove,eopkg} x; apk fix x;
    apk upgrade; port {reinstall,tap} x; {brew,port} upgrade; {yay,paru} -S x; {pacman,yay,paru} -u;
    {pacman,yay,paru} -U x; snap {install,refresh}; flatpak {install,update};
    {choco,winget,scoop} {install,upgrade,update} x; nix-env {-i,-e,-u,--install};
    nix profile {install,add,remove,upgrade}; {mamba,micromamba} create x; {conda,mamba,micromamba} {update,upgrade};
    dotnet remove package; dotnet package {add,remove,update}; dotnet tool {install,update,uninstall}; dpkg -i;
    rpm {-i,-U,-F}; rustup update; rustup {toolchain,component,target} {add,install};
    {pyenv,rbenv,nvm,fnm,volta,sdk,asdf,mise,nodenv,goenv} install x; mise use x; deno {add,remove,install} x;
    {dart,flutter} pub {add,remove,upgrade}; mix deps.update; {luarocks,opam,cpanm,cpan} install x; pod update;
    gh extension {install,upgrade,remove}; helm plugin {install,update}; {apt,nala} {remove,purge} x --dry-run=false;
    {apt,aptitude} autoremove --dry-run=false`,
  publish: `
    npm dist-tags {rm,set}; yarn npm tag add; {lerna,jsr,deno} publish; {semantic-release,release-it,np};
    {pdm,hatch,flit} publish; maturin {publish,upload}; docker {image,compose,manifest} push; docker build --push;
    docker image build --push; docker buildx bake --push; crane {copy,append}; oras push; ovsx publish;
    {dart,flutter} pub publish; pod trunk push; mix hex.publish; luarocks upload;
    skopeo copy a {docker,oci,atomic}://h/i`,
  privilege: `
    runuser; docker {create,exec} --privileged; docker container {run,create,exec} --privileged;
    docker compose exec --privileged; docker create -v /:/x x; docker container {run,create} -v /:/x x;
    {gpasswd,adduser} -aG sudo x`,
  system: `
    systemctl {reenable,reload,try-restart,reload-or-restart,daemon-reload,daemon-reexec,set-default,edit,unmask,link,preset};
    {service,rc-service} {start,restart,reload}; service w start; init.d-script {start,restart};
    launchctl {load,bootstrap,kickstart,enable,start};
    {adduser,groupadd,addgroup,usermod,groupmod,gpasswd,chsh,chfn} x; sysctl --system; hostnamectl hostname;
    localectl set-locale x; date {-s,--set}; hwclock {-w,-s,--set,--systohc}; ip {add,replace,change,set}; ip w add;
    ifconfig up; ifconfig w up; route {add,del}; iptables {-A,-I,-N,-R}; nft {add,insert,replace};
    ufw {enable,allow,deny,limit}; firewall-cmd {--add-service,--add-port,--add-rich-rule,--reload};
    {modprobe,insmod} x; {grub-install,update-grub,update-initramfs}; net {user,localgroup} /add;
    sc {create,config,start,stop,delete}`,
  process: `
    {pkill,killall} {-u,-U,-G,-g,-P,-t};
    kill -9 -5;
    fuser -k f`,
  persistence: `
    systemctl reenable; systemd-run {--on-boot,--on-startup,--on-unit-active,--on-unit-inactive,--on-calendar};
    launchctl submit; schtasks /Create; schtasks /CREATE; pm2 {startup,save};
    git config {credential.helper,credential.https://h.helper,Alias.x} '!y';
    git config {core.fsmonitor,CORE.FSMONITOR,core.sshCommand,core.gitProxy,gpg.program,gpg.ssh.program,filter.x.clean,filter.x.smudge,filter.x.process,diff.x.textconv,diff.x.command,merge.x.driver,difftool.x.cmd,mergetool.x.cmd} y;
    git config {set,--add} core.sshCommand y`,
  reveals: `
    typeset -p; print $MY_TOKEN; gh auth status {-t,--show-token};
    gcloud auth application-default print-access-token; gcloud secrets versions access;
    aws secretsmanager batch-get-secret-value; aws ssm {get-parameters,get-parameters-by-path} --with-decryption;
    az keyvault secret show; gopass show; {pnpm,yarn} config get _authToken; security find-internet-password -g;
    git credential-store get; gpg2 --export-secret-subkeys; doppler secrets {get,download};
    sops {-d,--decrypt,decrypt}; ansible-vault {view,decrypt};
    echo {$my_secret,$PRIVATE_KEY,$CREDENTIALS,$db_passw};
    npm config get {//h/:_authToken,_auth,_password}`,
  sends: `
    curl {--data-ascii,--data-raw,--data-urlencode,--form-string}; {https,xh,xhs} -X POST h;
    {wget,wget2} --method=POST h; {wget,wget2,http,https,nslookup,host,ping,drill} $(cat x).h;
    wget2 {--post-file,--body-data,--body-file}; netcat x; {mailx,mutt}; git send-pack; git send-email; gh gist edit;
    gh pr {edit,review}; hg ci; ngrok {http,tls,start}; cloudflared tunnel run; gh {secret,variable} set;
    gh api {-F,--input}; glab {mr,issue,snippet} {create,note,update}; glab api {-f,-F,--input}; aws s3 mv x h:y;
    gsutil {mv,rsync} x h:y; gcloud storage {cp,mv,rsync} x gs://b; rclone {copyto,sync,move,moveto} x h:y;
    azcopy {copy,cp,sync} x h:y; {ftp,lftp} x;
    scp a {[::1]:b,"$H":b};
    rsync a {rsync,scp,sftp,HTTPS}://h/m;
    aws s3 cp a s3://b;
    gsutil cp a gs://b;
    rclone copy a r2:b;
    curl -X {post,Put,patch} u;
    http put u;
    http u {a=b,a:=b,a@b};
    http u x a=b`,
  fetches: `
    {wget2,aria2c,http,https,xh,xhs,lynx,w3m,links,ftp,lftp} x; curl {--url,-K}; {wget,wget2} -i; git ls-remote;
    git remote update; git submodule update; {hg,svn} {clone,pull,checkout,update,co}; gh repo clone;
    gh release download; mosh x; docker {image,compose} pull; {crane,oras,helm} pull; aws s3 {cp,sync,mv} h:x y;
    gsutil {cp,mv,rsync} h:x y; rclone {copy,copyto,sync,move} h:x y; {nslookup,host,drill,whois} x;
    {iwr,irm,invoke-webrequest,invoke-restmethod} x`,
  bypass: `
    git {am,cherry-pick,pull} --no-verify; {claude,claude-code} --permission-mode=bypassPermissions;
    {gemini-cli,qwen,qwen-code} --yolo; {gemini,gemini-cli,qwen,qwen-code} --approval-mode=yolo;
    copilot {--yolo,--allow-all-tools,--allow-all}; cursor-agent {-f,--force,--yolo};
    droid --skip-permissions-unsafe; amp --dangerously-allow-all; {pnpm,yarn} c set ignore-scripts false;
    {pnpm,yarn} c set ignore-scripts=false; {husky,pre-commit,lefthook} uninstall;
    set +o history`,
  delegates: `
    {claude-code,qwen,qwen-code} -p x; {droid,amp,crush,kimi,cline,auggie,grok,vibe} -p x; {openhands,agy} -p x;
    goose session; {q,kiro-cli} chat;
    claude {xmcp,mcpx}`,
};

/** Lines that a row would take in with a word less. */
const LACK: Partial<Record<Effect, string>> = {
  "fs-delete": `
    mv; git list -f; git clean; rsync; fd rm; fd -x;
    mv /dev/null`,
  "fs-overwrite": `
    cp; install; install x y -d; ln; tee; dd; truncate; aria2c; tar -x --to-stdout; sed`,
  "fs-modify": `
    tee -a; add-content; yq; gsed; git list; git apply --stat; git apply --numstat; git apply --summary; git list --;
    git checkout; git list .; git checkout w; git checkout w w -b; git checkout w w -B; git checkout w w -t;
    git checkout w w -d; git checkout w w --orphan; ed`,
  "fs-permissions": `
    chmod`,
  "block-device": `
    shred;
    parted /dev/sda {xrm,rmx,setx,namex,print};
    cp /dev/sda a;
    mv /dev/sda a`,
  "git-history": `
    git list -M; bfg; jj git list --deleted; jj git push`,
  "remote-code": `
    pip list https://h/x; uv pip list https://h/x; uv pip install; uv list https://h/x; uv add; pipx;
    poetry list https://h/x; poetry add; npm list https://h/x; pnpm list https://h/x; pnpm i; go list h/x@v1; deno;
    cargo list --git; cargo install;
    pip install o/r;
    npm i {o/r/x,./o/r}`,
  "hidden-code": `
    powershell -ep bypass -File x.ps1 -e y; pwsh -c x -e y`,
  containers: `
    docker machine list; limactl list; virsh list; vboxmanage list`,
  kubernetes: `
    kubectl restart; kubectl approve; kubectl certificate list; kubectl reconcile; kubectl auth list; helmfile list;
    argocd app list; flux list; istioctl list; skaffold list; eksctl list`,
  infrastructure: `
    terraform new; terraform workspace list; terraform run list; terraform list apply; terraform run;
    terraform list destroy; serverless list; sam list; eb list; amplify list; ansible-playbook;
    ansible-playbook x --syntax-check; ansible-playbook x --list-hosts; ansible-playbook x --list-tasks;
    ansible-playbook x --list-tags; ansible; ansible x --check; ansible x --list-hosts; packer list; nomad job list;
    nomad list; consul kv list; vault list; vault put; vault kv list; atmos terraform state list;
    atmos terraform workspace list; atmos terraform list -destroy; atmos helmfile list; puppet list`,
  database: `
    sqlcmd; mongo; createdb; pg_restore; pg_restore x -l; supabase db list; prisma migrate list; prisma push;
    prisma db list; drizzle-kit list; artisan list; manage.py list; alembic list; flyway list; liquibase list;
    knex list; sequelize list; typeorm list; dbmate list; etcdctl list; rabbitmqadmin list; rpk group list;
    pg_resetwal; gitlab-rake list`,
  "remote-delete": `
    gh remove; deck list; mc list --remove; mc mirror; azcopy list --delete-destination; azcopy sync;
    deck gateway list; mc admin policy list; rclone list; restic list --remove-all; restic unlock;
    restic list --cleanup; gh workflow list; newrelic entity list; newrelic apm application list;
    kong {xrm,rmx,x-removed,xdelete-x} x;
    kong a b c rm;
    curl -d x h/deleted`,
  packages: `
    npm audit list; pnpm list --fix; pnpm audit; yarn add; yarn global list; yarn workspace w list; bun list x;
    bun add; bun list; pip list x; uv pip list x; uv add; uv install; uv tool list; uv list -U; pipx list;
    poetry add; poetry self list; pdm list x; pdm add; pdm list; pipenv list x; pipenv install; cargo add;
    cargo list --git; cargo install; go list x; go get; go list -u; gem list x; gem install; gem list; bundle add;
    composer require; composer global list; apt list x; apt install; apt list; dnf list x; dnf install; dnf list;
    zypper list x; zypper install; zypper list; xbps-install; apk list x; apk add; apk list; brew list x;
    brew install; brew list; pacman x; pacman -S -i x; pacman -S -l x; pacman -S; pacman -U; snap list; flatpak list;
    choco list x; choco install; nix-env; nix install; nix profile list; conda list x; conda install; conda list;
    dotnet list package; dotnet add list; dotnet add; dotnet package list; dotnet install; dotnet tool list; dpkg;
    rpm; rustup list; rustup add; rustup toolchain list; pyenv install; mise list x; mise use; deno list x; deno add;
    dart add; dart pub list; mix list; luarocks list x; luarocks install; pod list; gh install; gh extension list;
    helm install; helm plugin list`,
  publish: `
    pnpm list; yarn npm list; yarn tag add; yarn npm add; yarn npm tag list; lerna list; cargo list; gem list;
    twine list; uv list; maturin list; docker list; docker image list; docker list --push; docker build;
    docker buildx list --push; docker buildx build; docker bake --push; docker buildx bake; crane list; oras list;
    helm list; nuget list; skopeo list x docker://y; skopeo copy; goreleaser list; gradle; dotnet nuget list;
    vsce list; git list --tags; git push; git list origin refs/tags/x; dart publish; dart pub list; pod push;
    pod trunk list; mix list; luarocks list;
    skopeo copy docker://h/i a;
    skopeo copy a xdocker://h`,
  privilege: `
    sudo -K; docker list --privileged; docker container list --privileged; docker container run;
    docker compose list --privileged; docker compose run; setcap; usermod; passwd --status; sudo -V`,
  system: `
    service list; init.d-script list; launchctl list; useradd; swapon; hostnamectl list; timedatectl list;
    localectl list; date; hwclock; ip list; ifconfig list; route list; nft list; ufw list; firewall-cmd; modprobe;
    net list /add; net user; sc list`,
  process: `
    kill -l 1; kill -L 1; pkill; pkill x -l; pkill -0 -u; pkill -l -u; kill --list 1;
    kill {-s,--signal,-n} 0 1;
    kill -0 1;
    kill`,
  persistence: `
    at -c; at -V; systemctl list; systemd-run; schtasks; pm2 list; loginctl list;
    git config xcredential.helper '!y';
    git config core.fsmonitor {true,false,yes,no,on,off,0,1,TRUE};
    git config {xcore.sshCommand,core.sshCommandx,core.fsmonitorx,xcore.fsmonitor} y;
    git config {--get,--get-all,--get-regexp,--get-urlmatch,--unset,--unset-all} core.sshCommand y;
    git config user.name core.sshCommand`,
  reveals: `
    env -i; gh auth list; gh status status -t; gh auth list -t; gh auth status; gcloud auth list;
    gcloud application-default print-access-token; gcloud auth application-default list; gcloud versions access;
    gcloud secrets access; gcloud secrets versions list; aws configure list; aws secretsmanager list;
    aws ssm list --with-decryption; aws ssm get-parameter; az account list; az secret show; az keyvault show show;
    az keyvault secret list; vault kv list; pass list; op list; op item list; infisical list;
    npm config list _authToken; bw list; security list -w; security find-generic-password;
    kubectl list secret x -o yaml; git credential list; git get; git credential-x list; gpg; doppler get;
    doppler secrets list; sops; ansible-vault list;
    npm config get {x_authx,x_passwordx}`,
  sends: `
    wget; sftp; nc; socat; openssl list; git list; gh gist list; jj git list; ngrok list; cloudflared list --url;
    cloudflared tunnel; cloudflared run; cloudflared tunnel list; gh set; gh secret list; gh list -f; gh api;
    glab create; glab mr list; glab list -f; glab api; aws s3 list x h:y; gsutil list x h:y; gsutil cp;
    gcloud cp x h:y; gcloud storage list x h:y; gcloud storage cp; rclone list x h:y; rclone copy; azcopy list x h:y;
    azcopy copy; ftp;
    scp a {./x:b,d/x:b};
    curl -X {POSTX,xput} u;
    http u a==b;
    aws s3 cp s3://b a`,
  fetches: `
    curl; wget; git update; git remote list; git submodule list; hg list; gh clone; gh repo list; gh download;
    gh release list; ssh; docker list; docker image list; crane list; scp; aws s3 list h:x y; aws s3 cp;
    gsutil list h:x y; gsutil cp; rclone list h:x y; rclone copy; dig; iwr`,
  bypass: `
    git list --no-verify; hooksh list; hooksh; claude; codex; gemini; copilot; cursor-agent; droid; amp; unset;
    npm config set ignore-scripts list; npm config list ignore-scripts=false; npm config set; husky list;
    set +o vi;
    set x+o history;
    set +ox history`,
  delegates: `
    goose list; q list;
    claude {mcp,config,update,upgrade,doctor,install,uninstall,plugin,plugins,login,logout,completion,debug,features,auth,models,help,extensions,extension,skills,hooks,setup-token,usage,stats,status,about,whoami,ls}`,
};

describe("every word of the rows of effects", () => {
  test.each([...EFFECTS])("%s", (effect) => {
    expect(linesOf(HAVE[effect]).filter((line) => !effectsOf(line).includes(effect))).toEqual([]);
    const found = (line: string) => effectsOf(line).some((one) => one.replace("?", "") === effect);
    expect(linesOf(LACK[effect]).filter(found)).toEqual([]);
  });
});

test("a step that runs another program has the effect itself", () => {
  for (const line of ["fd x -x rm", "fdfind x -X rm"]) {
    const [step] = readLine(line, { env: {}, posix: true }).invocations;
    expect(step && readProgram(step).effects.values.map(({ text }) => text)).toEqual(["fs-delete"]);
  }
});
