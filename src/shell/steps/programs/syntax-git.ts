import type { SyntaxTable } from "./syntax.ts";

const DIFF =
  "-p/-u/--patch -s/--no-patch -U/--unified= --stat? --numstat --shortstat --summary --name-only --name-status --raw --color? --word-diff? -w/--ignore-all-space -b/--ignore-space-change -M? --find-renames? -C? --find-copies? -R -S= -G= -z -a/--text --cached --staged --exit-code --quiet --diff-filter= --no-index --output= --ext-diff --textconv --check --relative? --merge-base --no-ext-diff --no-color --no-renames";
const LOG = `${DIFF} -n/--max-count= --oneline --graph --all --decorate? --format= --pretty? --since= --after= --until= --before= --author= --committer= --grep= -i/--regexp-ignore-case -E/--extended-regexp -F/--fixed-strings --merges --no-merges --first-parent --follow -L= --reverse --date= --abbrev-commit --branches? --tags? --remotes? --skip= --show-signature -g/--walk-reflogs`;
const MESSAGE = "-m/--message= -F/--file= -e/--edit -S?/--gpg-sign? --no-edit --cleanup= -s/--signoff";
const REBASE =
  "-i/--interactive --onto= -x/--exec= --continue --abort --skip --quit -m/--merge -s/--strategy= -X/--strategy-option= --autosquash --autostash --no-autostash --root -f/--force-rebase --no-verify --verify -r/--rebase-merges? -q/--quiet -v/--verbose -S?/--gpg-sign? --keep-base --update-refs --signoff";

/** Version control. */
export const GIT_SYNTAX: SyntaxTable = {
  git: {
    before:
      "-C= -c= --git-dir= --work-tree= --namespace= --config-env= --exec-path? --super-prefix= --attr-source= -p/--paginate -P/--no-pager --bare --no-replace-objects --literal-pathspecs --no-optional-locks --list-cmds= -v/--version -h/--help",
    options: "--help --quiet --verbose",
    levels: 2,
    groups:
      "stash=push|pop|apply|list|show|drop|clear|branch|create|store|save remote=add|remove|rm|rename|set-url|get-url|show|prune|update|set-head|set-branches worktree=add|list|remove|prune|move|lock|unlock|repair submodule=add|init|update|deinit|status|sync|foreach|summary|set-url|set-branch|absorbgitdirs bisect=start|good|bad|new|old|reset|run|skip|log|replay|visualize|view|terms notes=add|append|copy|edit|show|list|merge|remove|prune|get-ref reflog=show|expire|delete|exists|list bundle=create|verify|list-heads|unbundle lfs=install|uninstall|track|untrack|fetch|pull|push|prune|migrate|ls-files|status|env|lock|unlock|checkout|clone sparse-checkout=init|set|add|list|disable|reapply maintenance=run|start|stop|register|unregister credential=fill|approve|reject flow=init|feature|release|hotfix|support",
    verbs: {
      add: "-A/--all -u/--update -p/--patch -i/--interactive -e/--edit -f/--force -n/--dry-run -N/--intent-to-add -v/--verbose --renormalize --refresh --ignore-errors --chmod= --pathspec-from-file= --no-all",
      am: "-3/--3way -s/--signoff -k/--keep --continue --abort --skip --quit -q/--quiet -n/--no-verify -S?/--gpg-sign? -p= -C=",
      apply:
        "--check --stat --numstat --summary --index --cached -3/--3way -R/--reverse -p= -C= --reject -z --unidiff-zero --exclude= --include= --directory= --whitespace= -v/--verbose -q/--quiet -N/--intent-to-add --build-fake-ancestor= --allow-empty",
      archive: "--format= -o/--output= --prefix= --remote= --exec= -l/--list -v/--verbose --add-file=",
      blame: "-L= -l -t -w -C -M -e/--show-email -s -p/--porcelain --since= --ignore-rev= --contents=",
      branch:
        "-d/--delete -D -f/--force -m/--move -M -c/--copy -C -a/--all -r/--remotes -l/--list -v/--verbose -q/--quiet -u/--set-upstream-to= --unset-upstream -t/--track? --no-track --contains? --no-contains? --merged? --no-merged? --sort= --points-at= --format= --show-current --edit-description --create-reflog -i/--ignore-case --color? --no-color --column?",
      checkout:
        "-b= -B= -f/--force -q/--quiet -t/--track? --no-track -d/--detach --orphan= -p/--patch -m/--merge --ours --theirs --conflict= -l --guess --no-guess --ignore-other-worktrees --recurse-submodules? --overlay --no-overlay --pathspec-from-file= --progress --ignore-skip-worktree-bits",
      "checkout-index": "-f/--force -a/--all -u/--index -q/--quiet -n/--no-create --prefix= --stage= --temp",
      "cherry-pick":
        "-n/--no-commit -e/--edit -x -m/--mainline= -s/--signoff --continue --abort --skip --quit --ff --strategy= -X/--strategy-option= -S?/--gpg-sign? --allow-empty --no-verify",
      clean: "-f/--force -d -x -X -n/--dry-run -i/--interactive -q/--quiet -e/--exclude=",
      clone:
        "-b/--branch= -o/--origin= -u/--upload-pack= -c/--config= --depth= --reference= --template= -j/--jobs= --shallow-since= --shallow-exclude= --separate-git-dir= --filter= --single-branch --no-single-branch --bare --mirror -l/--local -n/--no-checkout -q/--quiet -v/--verbose --recursive? --recurse-submodules? --no-tags -s/--shared --dissociate --sparse",
      commit: `${MESSAGE} -a/--all -p/--patch -n/--no-verify --verify -C/--reuse-message= -c/--reedit-message= --fixup= --squash= --reset-author --short --branch --porcelain --long -z/--null -t/--template= -o/--only -i/--include --author= --date= --amend --allow-empty --allow-empty-message --no-post-rewrite -u? --untracked-files? -v/--verbose -q/--quiet --dry-run --status --no-status --trailer= --pathspec-from-file= --no-gpg-sign --no-signoff`,
      config:
        "--global --system --local --worktree -f/--file= --blob= -l/--list --get --get-all --get-regexp --add --unset --unset-all --replace-all --rename-section --remove-section -e/--edit -t/--type= --bool --int --path -z/--null --name-only --show-origin --show-scope --default= --includes",
      describe:
        "--tags --all --always --dirty? --abbrev? --match= --exclude= --long --exact-match --contains --candidates= --first-parent",
      diff: DIFF,
      fetch:
        "-a/--append --all -f/--force -p/--prune -P/--prune-tags -t/--tags -n/--no-tags -k/--keep --depth= --deepen= --unshallow --shallow-since= -j/--jobs= --dry-run -q/--quiet -v/--verbose -u/--update-head-ok --upload-pack= -o/--server-option= --recurse-submodules? --refmap= --multiple --atomic --set-upstream -4/--ipv4 -6/--ipv6 --filter= --no-recurse-submodules",
      "for-each-ref": "--count= --sort= --format= --points-at= --contains? --merged? --no-merged?",
      "format-patch":
        "-o/--output-directory= -n/--numbered -N/--no-numbered -k -s/--signoff --stdout --cover-letter -v/--reroll-count= --start-number= -M --base= --to= --cc=",
      gc: "--prune? --no-prune --auto --aggressive -q/--quiet --force --keep-largest-pack --cruft --no-cruft",
      grep: "-e= -f= -A/--after-context= -B/--before-context= -C/--context= -i/--ignore-case -n/--line-number -l/--files-with-matches/--name-only -L/--files-without-match -w/--word-regexp -v/--invert-match -E/--extended-regexp -F/--fixed-strings -P/--perl-regexp -h -H -c/--count --cached --untracked --no-index -q/--quiet -r/--recursive -m/--max-count= -O? --open-files-in-pager? --and --or --not -a/--text -z/--null -o/--only-matching -p/--show-function",
      init: "-b/--initial-branch= -q/--quiet --bare --template= --separate-git-dir= --shared? --object-format=",
      log: LOG,
      "ls-files":
        "-c/--cached -d/--deleted -m/--modified -o/--others -i/--ignored -s/--stage -u/--unmerged -k/--killed -z -t -v -x/--exclude= -X/--exclude-from= --exclude-standard --directory --error-unmatch",
      "ls-remote":
        "--heads -b/--branches -t/--tags --refs -q/--quiet --upload-pack= --exit-code --get-url --sort= --symref -o/--server-option=",
      merge: `${MESSAGE} -n/--no-stat --stat --squash --no-squash --ff --no-ff --ff-only --commit --no-commit --abort --continue --quit --strategy= -X/--strategy-option= --no-verify --verify -q/--quiet -v/--verbose --log? --allow-unrelated-histories --autostash --into-name= --progress --rerere-autoupdate`,
      mv: "-f/--force -k -n/--dry-run -v/--verbose",
      prune: "-n/--dry-run -v/--verbose --expire= --progress",
      pull: "-r?/--rebase? --no-rebase --ff --ff-only --no-ff --squash --commit --no-commit -n/--no-stat --stat -s/--strategy= -X/--strategy-option= --autostash --no-autostash -q/--quiet -v/--verbose -a/--append --all -f/--force -p/--prune -t/--tags -k/--keep --depth= --unshallow -j/--jobs= --set-upstream --allow-unrelated-histories --no-verify --verify --dry-run --recurse-submodules? --edit --no-edit --signoff --upload-pack= -S?/--gpg-sign? --no-tags",
      push: "-f/--force -u/--set-upstream -d/--delete -n/--dry-run -q/--quiet -v/--verbose --all --branches --mirror --prune --tags --follow-tags --no-follow-tags --force-with-lease? --no-force-with-lease --force-if-includes --no-force-if-includes --no-verify --verify --porcelain --repo= -o/--push-option= --receive-pack= --exec= --atomic --no-atomic --signed? --no-signed --thin --no-thin --recurse-submodules= --progress -4/--ipv4 -6/--ipv6",
      "read-tree": "--reset -m -u -i -n/--dry-run -v --prefix= --index-output=",
      rebase: REBASE,
      reflog:
        "--expire= --expire-unreachable= --all --rewrite --updateref --stale-fix -n/--dry-run --verbose --single-worktree",
      remote:
        "-v/--verbose -t= -m= -f --tags --no-tags --mirror? --add --delete --push --all -n/--dry-run -p/--prune -a/--auto",
      repack: "-a -A -d -l -f -F -q/--quiet -n --window= --depth= -b -g/--geometric= --keep-pack= --cruft",
      replace: "-d/--delete -f/--force -l/--list -e/--edit --raw --graft --format=",
      reset:
        "--hard --soft --mixed --merge --keep -q/--quiet -p/--patch -N/--intent-to-add --pathspec-from-file= --no-refresh --recurse-submodules",
      restore:
        "-s/--source= -S/--staged -W/--worktree -p/--patch -q/--quiet --ours --theirs -m/--merge --conflict= --ignore-unmerged --overlay --no-overlay --pathspec-from-file= --recurse-submodules? --progress",
      revert:
        "-n/--no-commit -e/--edit --no-edit -m/--mainline= -s/--signoff --continue --abort --skip --quit -S?/--gpg-sign? --strategy= -X/--strategy-option=",
      rm: "-r -f/--force --cached -n/--dry-run -q/--quiet --ignore-unmatch --sparse --pathspec-from-file=",
      "send-pack":
        "-f/--force --all --mirror -n/--dry-run -v/--verbose --thin --atomic --stdin --receive-pack= --exec= --remote= --force-with-lease?",
      show: LOG,
      stash:
        "-p/--patch -u/--include-untracked -a/--all -k/--keep-index --no-keep-index -q/--quiet -m/--message= -S/--staged --index --pathspec-from-file=",
      status:
        "-s/--short -b/--branch -v/--verbose -z/--null -u? --untracked-files? --porcelain? --long --ignored? --show-stash --ignore-submodules? --column? --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?",
      submodule:
        "--init --recursive --remote -f/--force -q/--quiet --depth= -j/--jobs= -b/--branch= --name= --reference= --all --merge --rebase --checkout --cached --no-fetch",
      switch:
        "-c/--create= -C/--force-create= -f/--force --discard-changes -d/--detach -t/--track? --no-track -q/--quiet -m/--merge --orphan= --conflict= --guess --no-guess --ignore-other-worktrees --recurse-submodules? --progress",
      "symbolic-ref": "-d/--delete -q/--quiet --short -m= --no-recurse",
      tag: "-d/--delete -f/--force -a/--annotate -s/--sign -u/--local-user= -m/--message= -F/--file= -l/--list -n? -v/--verify --sort= --contains? --no-contains? --merged? --no-merged? --points-at= --format= --create-reflog --cleanup= -e/--edit -i/--ignore-case --column? --color? --trailer=",
      "update-index":
        "--add --remove --force-remove --refresh -q --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --cacheinfo --chmod= --index-info",
      "update-ref": "-d --no-deref --stdin -z -m= --create-reflog --no-create-reflog",
      worktree:
        "-f/--force -b= -B= -d/--detach -n/--dry-run -v/--verbose --porcelain -z --expire= --reason= --lock --checkout --no-checkout --orphan --track --guess-remote -q/--quiet",
      "filter-branch":
        "-f/--force --tree-filter= --index-filter= --env-filter= --msg-filter= --commit-filter= --tag-name-filter= --parent-filter= --subdirectory-filter= --prune-empty --original= -d= --setup=",
      "filter-repo":
        "--path= --path-glob= --path-rename= --invert-paths -f/--force --replace-text= --subdirectory-filter= --mailmap= --refs= -n/--dry-run",
    },
  },
  "hg sl": {
    levels: 1,
    before: "-R/--repository= --cwd= --config=",
    options: "-C/--clean -r/--rev= -f/--force -m/--message= -n/--dry-run -v/--verbose -q/--quiet -a/--all",
  },
  svn: {
    levels: 1,
    options: "-m/--message= -r/--revision= -q/--quiet --username= --password= --depth= --force -R/--recursive",
  },
  jj: {
    levels: 2,
    groups: "git bookmark branch operation op workspace config file tag",
    before: "-R/--repository= --at-op= --config=",
    options: "-r/--revision= -m/--message=",
  },
  gh: {
    style: "whole",
    levels: 2,
    groups:
      "repo pr issue release gist auth secret variable workflow run cache codespace cs extension ext alias config label org project ruleset rs search ssh-key gpg-key attestation",
    options:
      "-R/--repo= -t/--title= -b/--body= -F/--body-file= -B/--base= -H/--head= -l/--label= -a/--assignee= -r/--reviewer= -m/--milestone= -L/--limit= -q/--jq= -T/--template= --json= -s/--state= -A/--author= -S/--search= -w/--web -y/--yes --confirm --help",
    verbs: {
      api: "-X/--method= -f/--raw-field= -F/--field= -H/--header= -q/--jq= -t/--template= -p/--preview= -i/--include --input= --paginate --hostname= --silent --cache= --slurp",
      "pr merge":
        "-m/--merge -s/--squash -r/--rebase -d/--delete-branch --auto --admin -t/--subject= -b/--body= -A/--author-email= --match-head-commit=",
      "pr close": "-d/--delete-branch -c/--comment=",
      "pr create": "-d/--draft -f/--fill -e/--editor -p/--project= --fill-first --fill-verbose --dry-run",
      "pr review": "-a/--approve -c/--comment -r/--request-changes -b/--body=",
      "pr checkout": "-b/--branch= -f/--force --detach",
      "release create":
        "-t/--title= -n/--notes= -F/--notes-file= -d/--draft -p/--prerelease --target= --generate-notes --latest? --notes-start-tag= --discussion-category= --verify-tag",
      "release delete": "-y/--yes --cleanup-tag",
      "gist create": "-d/--desc= -f/--filename= -p/--public -w/--web",
      "repo create":
        "-d/--description= -t/--team= -p/--template= -s/--source= -r/--remote= --push --public --private --internal --clone",
      "secret set": "-b/--body= -f/--env-file= -e/--env= -o/--org= -a/--app= -v/--visibility= -r/--repos=",
      "run list": "-b/--branch= -w/--workflow= -e/--event= -u/--user= -c/--commit=",
      "workflow run": "-f/--raw-field= -F/--field= -r/--ref= --json",
    },
  },
  glab: {
    style: "whole",
    levels: 2,
    groups: "repo project mr issue release ci pipeline auth variable snippet label cluster schedule ssh-key token",
    options:
      "-R/--repo= -t/--title= -d/--description= -X/--method= -f/--raw-field= -F/--field= -H/--header= -y/--yes --help",
    verbs: { "mr merge": "-d/--remove-source-branch -s/--squash" },
  },
};
