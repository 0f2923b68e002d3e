import { describe, expect, test } from "bun:test";
import { HOLE, type Invocation } from "../../../src/shell/steps/invocation.ts";
import { normalFlag, parseWords } from "../../../src/shell/steps/parse-words.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";

/** Verb, flags and arguments of a line, in one text: `push: --force; origin x`. */
function read(line: string): string {
  const { programs, words } = readLine(line, { env: {}, posix: true }).invocations[0] as Invocation;
  const { verb, options, args, open } = parseWords(programs[0] ?? "", words);
  const text = `${verb ?? "-"}: ${options.map(({ name }) => name).join(" ")}; ${args.map((word) => word.text).join(" ")}`;
  return `${text}${open ? " ..." : ""}`.replaceAll(HOLE, "?").replace(": ;", ":;").trim();
}

describe("verbs, flags and arguments", () => {
  test.each([
    ["git push", "push:;"],
    ["git -C d push -f", "push: -C --force; d"],
    ["git --git-dir .git push", "push: --git-dir; .git"],
    ["git -p push", "push: --paginate;"],
    ["git log -p", "log: --patch;"],
    ["git push -uf origin x", "push: --set-upstream --force; origin x"],
    ["git push -- -f", "push:; -f"],
    ["git push origin -f", "push: --force; origin"],
    ["git commit -nm text", "commit: --no-verify --message; text"],
    ["git commit --no-veri -m x", "commit: --no-verify --message; x"],
    ["git commit -am n", "commit: --all --message; n"],
    ["git log -n 3", "log: --max-count; 3"],
    ["git push -n", "push: --dry-run;"],
    ["git status -sb", "status: --short --branch;"],
    ["git status --porcelain=v2", "status: --porcelain; v2"],
    ["git stash drop", "stash drop:;"],
    ["git stash push -m x", "stash push: --message; x"],
    ["git remote -v", "remote: --verbose;"],
    ["git worktree remove w --force", "worktree remove: --force; w"],
    ["git push --force-with-lease=x:y origin", "push: --force-with-lease; x:y origin"],
    ["git -c alias.z=push z -f", "push: -c --force; alias.z=push"],
    ["git -c 'alias.z=push --force' z origin", "push: -c --force; alias.z=push --force origin"],
    ["git -c 'alias.z=!rm x' z origin", "z: -c; alias.z=!rm x origin"],
    ["git help push", "help:; push"],
    ["rm -vR x --recurs", "-: --verbose --recursive --recursive; x"],
    ["rm -- -r", "-:; -r"],
    ["docker compose -f a.yml down -v", "compose down: --file --volumes; a.yml"],
    ["docker-compose -p x down", "compose down: --project-name; x"],
    ["docker-compose logs -f down", "compose logs: --follow; down"],
    [
      "docker run -it --rm -v /:/h img sh -c x --force",
      "run: --interactive --tty --rm --volume; /:/h img sh -c x --force",
    ],
    ["aws --profile p s3 --region x rm s3://b", "s3 rm: --profile --region; p x s3://b"],
    ["gh repo delete o/r --yes", "repo delete: --yes; o/r"],
    ["gh api -X DELETE /x", "api: --method; DELETE /x"],
    ["kubectl -n prod rollout restart deploy/x", "rollout restart: --namespace; prod deploy/x"],
    ["kubectl --namespace=prod get pods", "get: --namespace; prod pods"],
    ["gcloud compute instances delete x --zone z", "compute instances delete: --zone; x z"],
    ["gcloud run deploy x", "run deploy:; x"],
    ["az group delete -n x", "group delete: --name; x"],
    ["terraform -chdir=d apply -auto-approve", "apply: -chdir -auto-approve; d"],
    ["terraform apply --auto-approve", "apply: -auto-approve;"],
    ["terraform state rm x.y", "state rm:; x.y"],
    ["npm run deploy:prod", "run deploy:prod:;"],
    ["npm --prefix d i x", "i: --prefix; d x"],
    ["go mod tidy", "mod tidy:;"],
    ["find . -type f -exec rm -rf {} \\; -delete", "-: -type -exec -delete; . f"],
    ["tar xzf a.tgz -C d", "-: --extract --gzip --file --directory; a.tgz d"],
    ["sed -i.bak s/a/b/ f", "-: --in-place; .bak s/a/b/ f"],
    ["curl -XDELETE -sS u", "-: --request --silent --show-error; DELETE u"],
    ["ffmpeg -an -i f", "-: -an -i; f"],
    ["convert -negate a b", "-: -negate; a b"],
    ["java -jar x.jar -f", "-: -jar; x.jar -f"],
    ["ssh -p 22 h ls -l", "-: -p; 22 h ls -l"],
    ["sudo -u x ls -l", "-: --user; x"],
    ["frob -abc --d=e f", "-: -a -b -c --d; e f"],
    ["git push $F", "push:; ? ..."],
    ['git push "$F"', "push:; ?"],
    ["git $X origin", "?:; origin ..."],
    ['git "$X" -f', "?: -f;"],
    ["pip3.12 install -r f", "install: --requirement; f"],
  ])("%s", (line, expected) => {
    expect(read(line)).toBe(expected);
  });
});

describe("normalFlag", () => {
  test.each([
    [["git"], "--force", ["--force"]],
    [["rm"], "-R", ["--recursive", "-R"]],
    [["terraform"], "--auto-approve", ["-auto-approve", "--auto-approve"]],
    [["frob"], "-x", ["-x"]],
  ])("%p %s", (programs, flag, names) => {
    expect(normalFlag(programs, flag)).toEqual(names);
  });

  test("a short flag stands for each of its long names", () => {
    expect(normalFlag(["git"], "-n")).toEqual(
      expect.arrayContaining(["--dry-run", "--no-verify", "--max-count", "-n"]),
    );
  });
});
