import type { SyntaxTable } from "./syntax.ts";

/** The network, databases, the machine, agents, and programs that start others. */
export const SYSTEM_SYNTAX: SyntaxTable = {
  curl: {
    options:
      "-X/--request= -d/--data= --data-ascii= --data-binary= --data-raw= --data-urlencode= --json= -F/--form= --form-string= -T/--upload-file= -H/--header= -o/--output= --output-dir= -O/--remote-name --remote-name-all -u/--user= -U/--proxy-user= -A/--user-agent= -e/--referer= -b/--cookie= -c/--cookie-jar= -K/--config= -x/--proxy= --socks5= --socks5-hostname= --socks4= --socks4a= --preproxy= -E/--cert= --cert-type= --key= --key-type= --pass= --cacert= --capath= -m/--max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time= --limit-rate= -r/--range= -w/--write-out= -D/--dump-header= -z/--time-cond= -C/--continue-at= -Q/--quote= -y/--speed-time= -Y/--speed-limit= -t/--telnet-option= -P/--ftp-port= --url= --url-query= --resolve= --connect-to= --interface= --unix-socket= --abstract-unix-socket= --dns-servers= --doh-url= --ciphers= --tls-max= --max-redirs= --max-filesize= --proto= --proto-default= --noproxy= --oauth2-bearer= --aws-sigv4= --netrc-file= --mail-from= --mail-rcpt= --etag-save= --etag-compare= --rate= --trace= --trace-ascii= --stderr= --variable= --expand-url= -s/--silent -S/--show-error -f/--fail --fail-with-body -L/--location --location-trusted -k/--insecure -i/--include/--show-headers -I/--head -v/--verbose -G/--get -g/--globoff -J/--remote-header-name -n/--netrc -N/--no-buffer -p/--proxytunnel -q/--disable -R/--remote-time -Z/--parallel -a/--append -B/--use-ascii -0/--http1.0 -1/--tlsv1 -2/--sslv2 -3/--sslv3 -4/--ipv4 -6/--ipv6 -l/--list-only -M/--manual -V/--version -#/--progress-bar -h/--help? --compressed --create-dirs --http1.1 --http2 --http3 --no-progress-meter --path-as-is --post301 --post302 --raw --ssl --tlsv1.2 --tlsv1.3 --retry-all-errors --retry-connrefused",
  },
  "wget wget2": {
    options:
      "-O/--output-document= -o/--output-file= -a/--append-output= -P/--directory-prefix= -i/--input-file= -B/--base= -e/--execute= -t/--tries= -T/--timeout= -w/--wait= -Q/--quota= -U/--user-agent= -l/--level= -A/--accept= -R/--reject= -D/--domains= -I/--include-directories= -X/--exclude-directories= --post-data= --post-file= --body-data= --body-file= --method= --header= --user= --password= --http-user= --http-password= --referer= --load-cookies= --save-cookies= --certificate= --private-key= --ca-certificate= --config= --use-askpass= --bind-address= --limit-rate= --cut-dirs= --proxy= -q/--quiet -v/--verbose -d/--debug -c/--continue -N/--timestamping -S/--server-response --spider -r/--recursive -p/--page-requisites -k/--convert-links -m/--mirror -b/--background -F/--force-html -H/--span-hosts -L/--relative -K/--backup-converted -E/--adjust-extension -x/--force-directories --content-disposition --no-check-certificate --no-clobber --no-parent --no-verbose --https-only -4/--inet4-only -6/--inet6-only -V/--version -h/--help",
  },
  "http https xh xhs": {
    style: "whole",
    options:
      "-j/--json -f/--form --multipart -o/--output= -d/--download -a/--auth= -A/--auth-type= -p/--print= -h/--headers -b/--body -v/--verbose --session= --proxy= --verify= --timeout= --raw= -F/--follow -c/--continue --check-status --ignore-stdin --version --help",
  },
  ssh: {
    options:
      "-b= -c= -D= -E= -e= -F= -I= -i= -J= -L= -l= -m= -O= -o= -p= -Q= -R= -S= -W= -w= -B= -4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y",
    passes: "*",
  },
  "scp sftp": {
    options: "-c= -D= -F= -i= -J= -l= -o= -P= -S= -X= -b= -B -3 -4 -6 -A -C -O -p -q -R -r -s -T -v -a -f -N",
  },
  "nc ncat netcat": {
    options:
      "-e/--exec= -c/--sh-exec= -l/--listen -p/--source-port= -w/--wait= -s/--source= -q= -i= -x/--proxy= -X= -I= -O= -T= -g= -G= -u/--udp -v/--verbose -z -n/--nodns -k/--keep-open -C -4 -6 -U/--unixsock -d -h/--help",
  },
  "socat telnet ftp lftp": { options: "-d -u -U -v -x -l -e= -a -n -p -4 -6" },
  "dig nslookup host drill": { options: "-t= -p= -x= -f= -k= -y= -b= -c= -q= -4 -6" },
  "mail mailx sendmail mutt": { options: "-s= -a= -b= -c= -r= -f= -F= -A= -S= -u= -q= -t -i -n -v -E" },
  "openssl x509": {
    style: "long",
    levels: 1,
    options:
      "-in= -out= -inform= -outform= -inkey= -key= -keyout= -pass= -passin= -passout= -k= -kfile= -config= -subj= -days= -connect= -servername= -CAfile= -CA= -CAkey= -cert= -signkey= -newkey= -e -d -a -base64 -salt -nodes -noout -text -pbkdf2",
  },
  "gpg gpg2": {
    style: "whole",
    options:
      "-o/--output= -r/--recipient= -u/--local-user= --homedir= --passphrase= --passphrase-file= --passphrase-fd= --keyserver= --default-key= -a/--armor -e/--encrypt -d/--decrypt -s/--sign -b/--detach-sign -c/--symmetric -k/--list-keys -K/--list-secret-keys -v/--verbose -q/--quiet --batch --yes --export --export-secret-keys --import --delete-keys --delete-secret-keys --recv-keys= --gen-key",
  },
  psql: {
    options:
      "-h/--host= -p/--port= -U/--username= -d/--dbname= -c/--command= -f/--file= -o/--output= -L/--log-file= -v/--set= -P/--pset= -F/--field-separator= -R/--record-separator= -T/--table-attr= -W/--password -w/--no-password -A/--no-align -t/--tuples-only -x/--expanded -X/--no-psqlrc -q/--quiet -e/--echo-queries -E/--echo-hidden -a/--echo-all -b/--echo-errors -l/--list -1/--single-transaction -n/--no-readline -s/--single-step -S/--single-line -z -0 --csv -H/--html -V/--version --help",
  },
  mysql: {
    options:
      "-h/--host= -P/--port= -u/--user= -p?/--password? -D/--database= -e/--execute= -S/--socket= --defaults-file= --defaults-extra-file= --protocol= --default-character-set= --ssl-ca= --ssl-cert= --ssl-key= --ssl-mode= -B/--batch -N/--skip-column-names -s/--silent -v/--verbose -f/--force -t/--table -H/--html -r/--raw -A/--no-auto-rehash -V/--version -?/--help",
  },
  "mysqladmin mysqldump": {
    options:
      "-h/--host= -P/--port= -u/--user= -p?/--password? -S/--socket= --defaults-file= -f/--force -v/--verbose -A/--all-databases -B/--databases -r/--result-file= -w/--where=",
    levels: 0,
  },
  "sqlite3 sqlite duckdb litecli": {
    style: "long",
    options:
      "-cmd= -init= -separator= -nullvalue= -newline= -vfs= -mmap= -c= -s= -f= -batch -bail -csv -json -header -noheader -column -line -list -html -readonly -echo -stats -version -help",
  },
  "mongosh mongo": {
    style: "whole",
    options:
      "--eval= --host= --port= -u/--username= -p/--password= --authenticationDatabase= -f/--file= --tlsCAFile= --quiet --norc --nodb --shell -h/--help --version",
  },
  "redis-cli valkey-cli keydb-cli": {
    levels: 1,
    style: "long",
    options:
      "-h= -p= -s= -a= -u= -n= -r= -i= -t= -x -X= --user= --pass= --cacert= --cert= --key= --sni= --eval= --pattern= -c -d= -2 -3 --tls --raw --no-raw --csv --json --stat --latency --bigkeys --scan --pipe --no-auth-warning --version --help",
  },
  "dropdb createdb pg_dump pg_restore dropuser createuser pg_dumpall": {
    options:
      "-h/--host= -p/--port= -U/--username= -d/--dbname= -f/--file= -F/--format= -j/--jobs= -t/--table= -n/--schema= -T= -N= -w -W/--password -i/--interactive -e/--echo -f -v/--verbose -c/--clean -C/--create -O/--no-owner -a/--data-only -s/--schema-only --if-exists --force --maintenance-db= -V/--version --help",
  },
  "hdfs hadoop": { style: "long", levels: 1 },
  influx: {
    style: "long",
    options: "-execute= -database= -host= -port= -username= -password= --org= --bucket=",
    levels: 2,
  },
  "sqlcmd sqlplus cqlsh clickhouse-client clickhouse cockroach snowsql trino presto beeline": {
    style: "whole",
    options:
      "-q/--query= -Q= -e/--execute= -f/--file= -i= -S= -U= -P= -d/--database= -h/--host= -p/--port= -u/--user= --password= --url=",
  },
  "prisma sequelize sequelize-cli typeorm knex alembic liquibase drizzle-kit": {
    style: "whole",
    levels: 2,
    groups: "migrate db",
    options:
      "-c/--config= --schema= --name= -n= --env= -d/--dataSource= -x= -f/--force --skip-seed --skip-generate --create-only --force-reset --accept-data-loss -h/--help -v/--version",
  },
  "rails artisan manage.py flyway dbmate goose-migrate": {
    style: "whole",
    levels: 1,
    options:
      "-e/--environment= -f/--force -c= -h/--help --settings= --database= --env= --noinput -url= -user= -password=",
  },
  sudo: {
    options:
      "-a/--auth-type= -c/--login-class= -C/--close-from= -D/--chdir= -g/--group= -h/--host= -p/--prompt= -r/--role= -R/--chroot= -t/--type= -T/--command-timeout= -U/--other-user= -u/--user= -A/--askpass -B/--bell -b/--background -E --preserve-env? -e/--edit -H/--set-home -i/--login -K/--remove-timestamp -k/--reset-timestamp -l/--list -N/--no-update -n/--non-interactive -P/--preserve-groups -S/--stdin -s/--shell -V/--version -v/--validate --help",
    passes: "*",
  },
  doas: { options: "-a= -C= -u= -L -n -s", passes: "*" },
  "su runuser": {
    options:
      "-c/--command= -g/--group= -G/--supp-group= -s/--shell= -w= -u/--user= -l/--login -m/-p/--preserve-environment -f -P/--pty -h/--help -V/--version",
  },
  "pkexec run0 gosu runas": {
    style: "whole",
    options: "-u/--user= -g/--group= -D/--chdir= --setenv= --unit= --disable-internal-agent --version --help",
    passes: "*",
  },
  env: {
    options:
      "-u/--unset= -C/--chdir= -S/--split-string= -a= -i/--ignore-environment -0/--null -v/--debug --help --version",
    passes: "*",
  },
  printenv: { options: "-0/--null --help --version" },
  "nohup nice time timeout stdbuf setsid ionice chrt taskset exec command builtin busybox chroot nsenter unshare strace ltrace watch flock parallel":
    {
      options:
        "-n/--adjustment= -k/--kill-after= -s/--signal= -o= -f= -i= -e= -c= -p= -v/--verbose --preserve-status --foreground --help --version",
      passes: "*",
    },
  xargs: {
    options:
      "-a/--arg-file= -d/--delimiter= -E= -I= -J= -L/--max-lines= -n/--max-args= -P/--max-procs= -s/--max-chars= -R= -S= -0/--null -e? -i? --replace? -l? -o/--open-tty -p/--interactive -r/--no-run-if-empty -t/--verbose -x/--exit --process-slot-var= --show-limits --help --version",
    passes: "*",
  },
  systemctl: {
    levels: 1,
    options:
      "-H/--host= -M/--machine= -t/--type= -n/--lines= -o/--output= -p/--property= -s/--signal= -P= --state= --root= --job-mode= --kill-whom= -a/--all -f/--force -l/--full -q/--quiet -r/--recursive -T/--show-transaction --now --user --system --global --runtime --no-block --no-pager --no-ask-password --no-reload --dry-run -h/--help --version",
  },
  "systemd-run": {
    options:
      "-p/--property= -u/--unit= -H/--host= -M/--machine= -E/--setenv= --on-active= --on-boot= --on-startup= --on-unit-active= --on-unit-inactive= --on-calendar= --timer-property= --description= --slice= --uid= --gid= --nice= --working-directory= -t/--pty -P/--pipe -q/--quiet -G/--collect -S/--shell -d/--same-dir --user --system --scope --no-block --wait -h/--help --version",
    passes: "*",
  },
  "launchctl loginctl supervisorctl service rc-service nmcli ip ufw nft hostnamectl timedatectl localectl resolvectl networksetup pm2 tmux":
    { levels: 1, style: "whole", options: "-w -H/--host= -n/--name= -t= -s= -f= -c= -h/--help --version" },
  schtasks: { style: "long" },
  crontab: { options: "-u= -l -r -e -i -s -n -V" },
  "at batch": { options: "-f= -q= -t= -m -M -v -l -d -r -c -V -b" },
  "iptables ip6tables": {
    style: "whole",
    options:
      "-t/--table= -A/--append= -D/--delete= -I/--insert= -R/--replace= -L/--list -S/--list-rules -F/--flush -Z/--zero -N/--new-chain= -X/--delete-chain -P/--policy= -E/--rename-chain= -p/--protocol= -s/--source= -d/--destination= -j/--jump= -i/--in-interface= -o/--out-interface= -m/--match= --dport= --sport= -n/--numeric -v/--verbose --line-numbers",
  },
  sysctl: {
    options:
      "-w/--write -a/--all -p/--load? -n/--values -N/--names -e/--ignore -q/--quiet -b/--binary -r/--pattern= -f= -h/--help -V/--version",
  },
  "mount umount swapon swapoff": {
    options:
      "-t/--types= -o/--options= -L/--label= -U/--uuid= -O= -a/--all -f/--fake/--force -l/--lazy -n -r/--read-only -w/--read-write -v/--verbose -B/--bind -M/--move -R/--rbind -h/--help -V/--version -s/--summary --show?",
  },
  "useradd userdel usermod groupadd groupdel groupmod adduser deluser": {
    options:
      "-u/--uid= -g/--gid= -G/--groups= -d/--home= -s/--shell= -c/--comment= -e/--expiredate= -f/--inactive= -k/--skel= -K/--key= -p/--password= -l/--login= -R/--root= -a/--append -m/--create-home -M -r/--system/--remove -o/--non-unique -L/--lock -U/--unlock",
  },
  passwd: {
    options: "-d/--delete -l/--lock -u/--unlock -e/--expire -S/--status -a/--all -n= -x= -w= -i= -q/--quiet -h/--help",
  },
  kill: { style: "long", options: "-s/--signal= -n= -l/--list? -L/--table -q/--queue= -p/--pid -a/--all" },
  "pkill pgrep killall": {
    options:
      "-s/--signal= -u/--euid/--user= -U/--uid= -g/--pgroup= -G/--group= -t/--terminal= -P/--parent= -F/--pidfile= -f/--full -x/--exact -n/--newest -o/--oldest -v/--inverse -i/--ignore-case -e/--echo -c/--count -l/--list -a/--list-full -w/--wait -q/--quiet -r/--regexp -I -V/--version -h/--help",
  },
  fuser: {
    options:
      "-k/--kill -i/--interactive -n/--namespace= -m/--mount -u/--user -v/--verbose -a/--all -s/--silent -l/--list-signals -M -w -4/--ipv4 -6/--ipv6",
  },
  shutdown: { options: "-h/--halt -r/--reboot -P/--poweroff -H -c -k --no-wall --show" },
  "echo printf print true false :": { style: "long" },
  "export declare typeset local readonly set unset alias shopt": { style: "whole", options: "" },
  "claude codex gemini copilot opencode cursor-agent aider goose qwen droid amp": {
    style: "whole",
    levels: 2,
    first:
      "mcp plugin config session exec e run resume update upgrade doctor install login logout completion auth models apply review chat",
    groups: "mcp plugin config session",
    options:
      "-p? --print -m/--model= -c? -r? --resume? --continue -C/--cd= -s/--sandbox= -a/--ask-for-approval= -i= -y/--yolo --yolo -e= -h/--help -v/--version --output-format= --permission-mode= --allowedTools= --disallowedTools= --add-dir= --session-id= --settings= --mcp-config= --append-system-prompt= --system-prompt= --approval-mode= --message= --dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox --full-auto",
    verbs: { "codex exec": "-p/--profile=" },
  },
  hooksh: {
    style: "whole",
    levels: 2,
    groups: "rules hooks",
    options: "--hooks-file= --agent= --model= --cwd= --yolo --trust-all --json --strict -h/--help -v/--version",
  },
  vault: {
    style: "long",
    levels: 2,
    groups: "kv secrets auth policy token lease operator audit namespace plugin",
    options: "-address= -namespace= -ns= -format= -field= -mount= -version= -ca-cert= -force",
  },
  "pass gopass op bw security": {
    style: "whole",
    levels: 2,
    groups: "item document vault user",
    options:
      "-c/--clip? -s/--service= -a/--account= -l= -w -g --vault= --fields= --format= --reveal --session= -f/--force -r/--recursive -h/--help --version -n/--no-newline",
  },
  "consul-template nsupdate": { style: "whole", options: "-k= -y= -g -d -v" },
};
