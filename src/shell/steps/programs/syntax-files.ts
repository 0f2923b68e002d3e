import type { SyntaxTable } from "./syntax.ts";

const BACKUP = "--backup? -b -S/--suffix=";
const COMMON = "--help --version";
const OWNER =
  "-R/--recursive -v/--verbose -c/--changes -f/--silent/--quiet --reference= -h/--no-dereference --dereference --from= -H -L -P --preserve-root --no-preserve-root";

/** Programs that work on files. */
export const FILE_SYNTAX: SyntaxTable = {
  "rm grm": {
    options: `-r/-R/--recursive -f/--force -i -I --interactive? -d/--dir -v/--verbose --one-file-system --preserve-root? --no-preserve-root ${COMMON}`,
  },
  "cp gcp": {
    options: `-r/-R/--recursive -f/--force -i/--interactive -a/--archive -n/--no-clobber -p --preserve? --no-preserve= --parents --remove-destination --sparse= --strip-trailing-slashes -s/--symbolic-link -l/--link -t/--target-directory= -T/--no-target-directory -u --update? -v/--verbose -x/--one-file-system -L/--dereference -P/--no-dereference -H -d --reflink? --attributes-only --copy-contents -Z --context? ${BACKUP} ${COMMON}`,
  },
  "mv gmv": {
    options: `-f/--force -i/--interactive -n/--no-clobber -t/--target-directory= -T/--no-target-directory -u --update? -v/--verbose --strip-trailing-slashes --exchange --no-copy -Z/--context ${BACKUP} ${COMMON}`,
  },
  "ln gln": {
    options: `-s/--symbolic -f/--force -i/--interactive -n/--no-dereference -r/--relative -t/--target-directory= -T/--no-target-directory -v/--verbose -L/--logical -P/--physical -d/-F/--directory ${BACKUP} ${COMMON}`,
  },
  "install ginstall": {
    options: `-m/--mode= -o/--owner= -g/--group= -d/--directory -D -t/--target-directory= -T/--no-target-directory -s/--strip --strip-program= -p/--preserve-timestamps -v/--verbose -C/--compare -c ${BACKUP} ${COMMON}`,
  },
  mkdir: { options: `-p/--parents -m/--mode= -v/--verbose -Z --context? ${COMMON}` },
  rmdir: { options: `-p/--parents -v/--verbose --ignore-fail-on-non-empty ${COMMON}` },
  unlink: { options: COMMON },
  touch: { options: `-a -m -c/--no-create -d/--date= -r/--reference= -t= -h/--no-dereference --time= ${COMMON}` },
  chmod: {
    options: `-R/--recursive -v/--verbose -c/--changes -f/--silent/--quiet --reference= --preserve-root --no-preserve-root -h/--no-dereference --dereference ${COMMON}`,
  },
  "chown chgrp": { options: `${OWNER} ${COMMON}` },
  setfacl: {
    options:
      "-m/--modify= -x/--remove= -b/--remove-all -k/--remove-default -R/--recursive -d/--default -M= -X= --set= --test",
  },
  chattr: { options: "-R -V -f -v= -p=" },
  shred: {
    options: `-u --remove? -f/--force -n/--iterations= -s/--size= -v/--verbose -x/--exact -z/--zero --random-source= ${COMMON}`,
  },
  truncate: { options: `-s/--size= -c/--no-create -o/--io-blocks -r/--reference= ${COMMON}` },
  tee: { options: `-a/--append -i/--ignore-interrupts -p --output-error? ${COMMON}` },
  "sed gsed": {
    options: `-i?/--in-place? -n/--quiet/--silent -e/--expression= -f/--file= -E/-r/--regexp-extended -s/--separate -z/--null-data -u/--unbuffered -l/--line-length= --posix --debug --sandbox --follow-symlinks ${COMMON}`,
  },
  "sort gsort": {
    options: `-o/--output= -k/--key= -t/--field-separator= -S/--buffer-size= -T/--temporary-directory= -u/--unique -r/--reverse -n/--numeric-sort -g/--general-numeric-sort -h/--human-numeric-sort -V/--version-sort -R/--random-sort -f/--ignore-case -b/--ignore-leading-blanks -d/--dictionary-order -i/--ignore-nonprinting -M/--month-sort -c -C --check? -m/--merge -s/--stable -z/--zero-terminated --parallel= --files0-from= --compress-program= --batch-size= --random-source= --sort= --debug ${COMMON}`,
  },
  "head tail ghead gtail": {
    options: `-n/--lines= -c/--bytes= -q/--quiet/--silent -v/--verbose -z/--zero-terminated -f --follow? -F --retry -s/--sleep-interval= --pid= --max-unchanged-stats= ${COMMON}`,
  },
  "cat tac nl": {
    options: `-A/--show-all -b/--number-nonblank -E/--show-ends -n/--number -s/--squeeze-blank -T/--show-tabs -v/--show-nonprinting -e -t -u ${COMMON}`,
  },
  ls: {
    options: `-a/--all -A/--almost-all -l -h/--human-readable -r/--reverse -R/--recursive -t -S -d/--directory -F -1 -i/--inode -s/--size -n/--numeric-uid-gid -g -G/--no-group -o -p -Q/--quote-name -L/--dereference -I/--ignore= --hide= --color? --sort= --time= --time-style= --format= --full-time --group-directories-first --block-size= --classify? --file-type --indicator-style= -w/--width= -T/--tabsize= ${COMMON}`,
  },
  "grep egrep fgrep ggrep zgrep": {
    options: `-e/--regexp= -f/--file= -i/-y/--ignore-case --no-ignore-case -v/--invert-match -w/--word-regexp -x/--line-regexp -c/--count -l/--files-with-matches -L/--files-without-match -m/--max-count= -o/--only-matching -q/--quiet/--silent -s/--no-messages -b/--byte-offset -H/--with-filename -h/--no-filename --label= -n/--line-number -T/--initial-tab -Z/--null -A/--after-context= -B/--before-context= -C/--context= -a/--text --binary-files= -D/--devices= -d/--directories= --exclude= --exclude-from= --exclude-dir= --include= -r/--recursive -R/--dereference-recursive -E/--extended-regexp -F/--fixed-strings -G/--basic-regexp -P/--perl-regexp --color? --colour? --line-buffered -U/--binary -z/--null-data -V/--version --help`,
  },
  rg: {
    style: "whole",
    options:
      "-e/--regexp= -f/--file= -g/--glob= --iglob= -t/--type= -T/--type-not= -A/--after-context= -B/--before-context= -C/--context= -m/--max-count= -M/--max-columns= -j/--threads= -r/--replace= -d/--max-depth= -i/--ignore-case -S/--smart-case -s/--case-sensitive -F/--fixed-strings -w/--word-regexp -x/--line-regexp -v/--invert-match -c/--count -l/--files-with-matches --files-without-match --files -n/--line-number -N/--no-line-number -o/--only-matching -q/--quiet -u/--unrestricted -U/--multiline -P/--pcre2 -z/--search-zip -a/--text -L/--follow -H/--with-filename -I/--no-filename -0/--null -p/--pretty -V/--version -h/--help --hidden --no-ignore --json --sort= --color= --pre= --ignore-file=",
  },
  "diff gdiff": {
    options: `-u -U/--unified= -c -C/--context= -r/--recursive -N/--new-file -q/--brief -s/--report-identical-files -y/--side-by-side -w/--ignore-all-space -b/--ignore-space-change -B/--ignore-blank-lines -i/--ignore-case -x/--exclude= -X/--exclude-from= -I/--ignore-matching-lines= -W/--width= --color? --label= -L= -a/--text -p/--show-c-function -e/--ed -n/--rcs --from-file= --to-file= ${COMMON}`,
  },
  cut: {
    options: `-b/--bytes= -c/--characters= -d/--delimiter= -f/--fields= -s/--only-delimited --complement --output-delimiter= -z/--zero-terminated -n ${COMMON}`,
  },
  uniq: {
    options: `-c/--count -d/--repeated -D -f/--skip-fields= -i/--ignore-case -s/--skip-chars= -u/--unique -w/--check-chars= -z/--zero-terminated ${COMMON}`,
  },
  wc: { options: `-c/--bytes -m/--chars -l/--lines -w/--words -L/--max-line-length --files0-from= --total= ${COMMON}` },
  du: {
    options: `-s/--summarize -h/--human-readable -d/--max-depth= -a/--all -c/--total -x/--one-file-system --exclude= -b/--bytes -k -m -L/--dereference --apparent-size -t/--threshold= ${COMMON}`,
  },
  mktemp: { options: `-d/--directory -u/--dry-run -q/--quiet -p --tmpdir? -t --suffix= ${COMMON}` },
  base64: { options: `-d/-D/--decode -i/--ignore-garbage -w/--wrap= -b= ${COMMON}` },
  "base32 basenc": { options: `-d/--decode -i/--ignore-garbage -w/--wrap= --base64 --base32 --base16 --z85 ${COMMON}` },
  xxd: { style: "long", options: "-r/-revert -p/-ps/-plain/-postscript -s= -l= -c= -g= -i -b -u -E -e" },
  patch: {
    options: `-p/--strip= -i/--input= -o/--output= -d/--directory= -R/--reverse -N/--forward -E/--remove-empty-files -f/--force -t/--batch -s/--quiet/--silent -b/--backup -u/--unified -c/--context -l/--ignore-whitespace -F/--fuzz= -r/--reject-file= -B/--prefix= -z/--suffix= -V/--version-control= -D/--ifdef= --dry-run --binary --verbose --merge? ${COMMON}`,
  },
  "tar gtar bsdtar": {
    bundled: true,
    options: `-c/--create -x/--extract/--get -t/--list -r/--append -u/--update -A/--catenate/--concatenate -d/--diff/--compare --delete -f/--file= -C/--directory= -z/--gzip/--gunzip/--ungzip -j/--bzip2 -J/--xz --zstd -a/--auto-compress -v/--verbose -p/--preserve-permissions/--same-permissions -k/--keep-old-files --keep-newer-files --skip-old-files --overwrite --overwrite-dir -U/--unlink-first --recursive-unlink --remove-files -T/--files-from= -X/--exclude-from= --exclude= --strip-components= --transform= --xform= -I/--use-compress-program= -O/--to-stdout --to-command= -W/--verify -h/--dereference -P/--absolute-names -m/--touch -N/--newer= -b/--blocking-factor= -L/--tape-length= -F/--info-script= --checkpoint? --checkpoint-action= -g/--listed-incremental= -K/--starting-file= -V/--label= --owner= --group= --mode= --mtime= --sort= --wildcards --no-same-owner --one-top-level? --rsh-command= ${COMMON}`,
  },
  rsync: {
    style: "whole",
    options:
      "-a/--archive -v/--verbose -q/--quiet -n/--dry-run -r/--recursive -R/--relative -b/--backup -u/--update -l/--links -L/--copy-links -H/--hard-links -p/--perms -A/--acls -X/--xattrs -o/--owner -g/--group -D -t/--times -O/--omit-dir-times -S/--sparse -W/--whole-file -x/--one-file-system -c/--checksum -e/--rsh= -z/--compress -h/--human-readable -P --partial --progress -i/--itemize-changes -C/--cvs-exclude -f/--filter= -F -I/--ignore-times -k/--copy-dirlinks -K/--keep-dirlinks -d/--dirs -y/--fuzzy -s/--protect-args -B/--block-size= -T/--temp-dir= -M/--remote-option= -4 -6 --exclude= --exclude-from= --include= --include-from= --files-from= --rsync-path= --delete --del --delete-before --delete-during --delete-delay --delete-after --delete-excluded --delete-missing-args --remove-source-files --max-delete= --max-size= --min-size= --bwlimit= --backup-dir= --suffix= --compare-dest= --copy-dest= --link-dest= --chmod= --chown= --port= --password-file= --log-file= --timeout= --inplace --append --stats --info= --numeric-ids",
  },
  zip: {
    style: "whole",
    options:
      "-r/--recurse-paths -m/--move -d/--delete -q/--quiet -u/--update -f/--freshen -j/--junk-paths -x= -i= -9 -e/--encrypt -P/--password= -T/--test -b/--temp-path= -n= -t= -@",
  },
  unzip: { options: "-o -n -l -t -p -q -d= -x= -j -a -v -Z -u -f -P=" },
  "7z 7za 7zr rar": { levels: 1 },
  "gio trash-put": { levels: 1 },
  "find gfind": {
    style: "long",
    options:
      "-name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -type= -xtype= -size= -mtime= -atime= -ctime= -mmin= -amin= -cmin= -newer= -newermt= -anewer= -cnewer= -user= -group= -uid= -gid= -perm= -maxdepth= -mindepth= -fstype= -inum= -links= -lname= -ilname= -samefile= -used= -regextype= -printf= -fprint= -fprint0= -fls= -D= -files0-from= -exec; -execdir; -ok; -okdir; -empty -delete -print -print0 -ls -prune -quit -depth -xdev -mount -follow -o -or -a -and -not -H -L -P -readable -writable -executable -true -false -daystart -noleaf -help -version",
  },
  "fd fdfind": {
    style: "whole",
    options:
      "-H/--hidden -I/--no-ignore -u/--unrestricted -s/--case-sensitive -i/--ignore-case -g/--glob -F/--fixed-strings -a/--absolute-path -l/--list-details -L/--follow -p/--full-path -0/--print0 -d/--max-depth= --min-depth= -E/--exclude= -t/--type= -e/--extension= -S/--size= --changed-within= --changed-before= -o/--owner= -x;/--exec; -X;/--exec-batch; -c/--color= -j/--threads= -C/--base-directory= --search-path= -1 -q/--quiet",
  },
  dd: { style: "long" },
  mkfs: { options: "-t/--type= -L= -V/--verbose -b= -m= -i= -N= -O= -E= -F -q -n -c" },
  "fdisk cfdisk sfdisk gdisk": {
    options: "-l/--list -d/--dump -b/--sector-size= -t/--type= -x/--list-details -u --delete? -s/--getsz --wipe= -w=",
  },
  wipefs: {
    options:
      "-a/--all -f/--force -n/--no-act -o/--offset= -t/--types= -b/--backup -q/--quiet -p/--parsable -i/--noheadings",
  },
  parted: { options: "-s/--script -l/--list -m/--machine -a/--align= -f/--fix" },
  cryptsetup: {
    levels: 1,
    options:
      "-c/--cipher= -s/--key-size= -h/--hash= -d/--key-file= -q/--batch-mode -y/--verify-passphrase --type= -v/--verbose -S/--key-slot=",
  },
  "zfs zpool btrfs diskutil nvme lvremove vgremove": { levels: 1 },
  "trash rimraf del-cli srm": { options: "-f/--force -r/-R/--recursive -v/--verbose -i -d" },
  awk: { options: "-F/--field-separator= -v/--assign= -f/--file= -i/--include= -e/--source= --posix", passes: "*" },
  jq: {
    style: "whole",
    options:
      "-r/--raw-output -c/--compact-output -n/--null-input -s/--slurp -e/--exit-status -S/--sort-keys -C/--color-output -M/--monochrome-output -j/--join-output -a/--ascii-output -R/--raw-input -f/--from-file= -L= --arg= --argjson= --slurpfile= --rawfile= --args --jsonargs --tab --indent=",
  },
};
