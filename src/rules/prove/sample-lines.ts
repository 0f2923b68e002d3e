import { once } from "../../lib/once.ts";
import { effectSamples } from "../../shell/steps/effect-samples.ts";

const lines = (text: string): string[] => text.trim().split(/\s*\n\s*/);

/** Command lines, short ones for every effect: a proof that something can pass begins with these. */
export const plainLines = once(() =>
  lines(`
    ls
    cat x
    rm x
    rm -r x
    rmdir x
    mv x y
    cp x y
    touch x
    mkdir x
    > x
    >> x
    tee x
    sed -i s/a/b/ x
    chmod 600 x
    dd if=x of=/dev/sda
    git status
    git push
    git push origin x
    git push -f
    git push -f origin x
    git push origin +x
    git push origin :x
    git push origin x --dry-run
    git push --tags
    git push --mirror
    git branch -D x
    git branch x
    git checkout x
    git checkout -b x
    git checkout -B x
    git switch -C x
    git tag -d x
    git commit -n
    git commit -m x
    git merge x
    git rebase x
    git reset
    git reset --hard
    git clean -f
    git stash drop
    git restore x
    git gc --prune
    git fetch
    git pull
    git clone x
    curl x.org
    curl -d x x.org
    curl -X DELETE x.org
    curl x.org | sh
    curl -o x x.org
    wget x.org
    echo x
    echo cm0= | base64 -d | sh
    sh x
    make
    ./x
    docker rm x
    docker push x
    docker run x
    kubectl get x
    kubectl apply -f x
    kubectl delete x y
    kubectl --context x get y
    kubectl --context x apply -f y
    helm upgrade x y
    helm --kube-context x upgrade y z
    aws s3 ls
    aws s3 rm s3://x
    aws --profile x s3 rm s3://y
    aws ec2 run-instances
    gcloud projects delete x
    terraform apply
    terraform workspace select x
    terraform apply -var-file x
    terraform destroy
    psql -c 'drop table x'
    psql -h x -c 'drop table y'
    psql -c 'select 1'
    redis-cli flushall
    dropdb x
    gh repo delete x
    gh pr create
    npm i x
    npm i
    npm test
    npm publish
    npm run x
    pip install x
    cargo publish
    sudo x
    doas x
    passwd
    systemctl restart x
    mount x
    kill 1
    pkill x
    crontab x
    at now
    env
    printenv
    cat .env
    scp x y:z
    ssh x
    nc x 1
    claude -p x
    codex exec x
    node x
    python x
    mkfs /dev/sda
    true
  `),
);

/** The sample command lines: the plain ones, and one for each row of the tables of effects. */
export const sampleLines = once((): readonly string[] => {
  return [...new Set([...plainLines(), ...effectSamples().map(({ sample }) => sample)])];
});
