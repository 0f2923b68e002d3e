import type { SyntaxTable } from "./syntax.ts";

/** The word that says what is done, at the end of the verbs of programs with many levels. */
const ACTION =
  /(?:^| )(?:list|ls|get|describe|show|view|info|status|create|add|delete|del|rm|remove|destroy|update|set|unset|edit|patch|deploy|start|stop|restart|reset|resize|ssh|scp|read|write|put|copy|cp|rsync|sync|upload|download|move|mv|import|export|exec|invoke|call|cancel|kill|purge|enable|disable|login|logout|print-access-token|print-identity-token|get-credentials|add-iam-policy-binding|remove-iam-policy-binding|submit|logs|tail|versions|access|abandon|rollback|promote|suspend|resume|undelete|restore|(?:delete|remove|set|add|get|list|create|update|print)-[^ ]*)$| run$/;

const KUBE =
  "-n/--namespace= --context= --cluster= --user= --kubeconfig= -s/--server= --token= --as= --as-group= --cache-dir= --request-timeout= --certificate-authority= --client-certificate= --client-key= -v/--v= -h/--help -l/--selector= -f/--filename= -o/--output= -k/--kustomize= -A/--all-namespaces --all --dry-run? --field-selector= --force --grace-period= --timeout= --cascade? --prune --replicas= --now --wait? -R/--recursive --insecure-skip-tls-verify --field-manager= --server-side --type= --image= --port= --overwrite -w/--watch";
const COMPOSE =
  "-f/--file= -p/--project-name= --project-directory= --profile= --env-file= --ansi= --progress= --parallel= --dry-run";
const RUN =
  "-v/--volume= -e/--env= -p/--publish= -w/--workdir= -u/--user= -m/--memory= -l/--label= -h/--hostname= -c/--cpu-shares= -a/--attach= --mount= --name= --network= --net= --entrypoint= --env-file= --cpus= --gpus= --platform= --restart= --add-host= --cap-add= --cap-drop= --device= --dns= --expose= --ip= --ipc= --link= --log-driver= --log-opt= --pid= --pull= --runtime= --security-opt= --shm-size= --stop-signal= --stop-timeout= --tmpfs= --ulimit= --userns= --volumes-from= --label-file= --cidfile= --health-cmd= -d/--detach -i/--interactive -t/--tty -P/--publish-all --rm --init --privileged --read-only -q/--quiet";

/** Containers, clusters, clouds and infrastructure. */
export const SERVICE_SYNTAX: SyntaxTable = {
  docker: {
    style: "whole",
    levels: 3,
    groups:
      "compose container image volume network system builder buildx context stack service swarm secret config node plugin manifest trust machine checkpoint pod scout generate kube play=kube buildx~imagetools",
    before:
      "-c/--context= -H/--host= -l/--log-level= --config= -D/--debug --tls --tlscacert= --tlscert= --tlskey= --tlsverify -v/--version",
    options: "-h/--help",
    verbs: {
      run: RUN,
      create: RUN,
      "container run": RUN,
      "container create": RUN,
      exec: "-e/--env= -u/--user= -w/--workdir= --env-file= --detach-keys= -d/--detach -i/--interactive -t/--tty --privileged",
      "container exec":
        "-e/--env= -u/--user= -w/--workdir= --env-file= --detach-keys= -d/--detach -i/--interactive -t/--tty --privileged",
      build:
        "-f/--file= -t/--tag= -o/--output= --build-arg= --build-context= --target= --platform= --label= --cache-from= --cache-to= --secret= --ssh= --network= --progress= --iidfile= --add-host= --builder= --allow= --pull --no-cache --push --load -q/--quiet --rm --force-rm --squash",
      "buildx build":
        "-f/--file= -t/--tag= -o/--output= --build-arg= --build-context= --target= --platform= --label= --cache-from= --cache-to= --secret= --ssh= --network= --progress= --iidfile= --add-host= --builder= --allow= --pull --no-cache --push --load -q/--quiet",
      buildx: "--builder= -a/--all -f/--force --filter=",
      rm: "-f/--force -v/--volumes -l/--link",
      "container rm": "-f/--force -v/--volumes -l/--link",
      rmi: "-f/--force --no-prune",
      ps: "-a/--all -f/--filter= --format= -n/--last= -l/--latest -q/--quiet -s/--size --no-trunc",
      images: "-a/--all -f/--filter= --format= -q/--quiet --digests --no-trunc",
      logs: "-f/--follow -n/--tail= --since= --until= -t/--timestamps --details",
      inspect: "-f/--format= -s/--size --type=",
      stop: "-t/--time= -s/--signal=",
      restart: "-t/--time= -s/--signal=",
      kill: "-s/--signal=",
      cp: "-a/--archive -L/--follow-link -q/--quiet",
      pull: "-a/--all-tags --platform= -q/--quiet --disable-content-trust",
      push: "-a/--all-tags --platform= -q/--quiet --disable-content-trust",
      login: "-u/--username= -p/--password= --password-stdin",
      system: "-a/--all -f/--force --volumes --filter= --format=",
      volume: "-a/--all -f/--force --filter= --format= -q/--quiet -d/--driver= -o/--opt= --label=",
      image: "-a/--all -f/--force --filter= --format= -q/--quiet",
      network: "-f/--force --filter= --format= -q/--quiet -d/--driver=",
      builder: "-a/--all -f/--force --filter=",
      compose: COMPOSE,
      "compose down": "-v/--volumes --rmi= -t/--timeout= --remove-orphans",
      "compose up":
        "-d/--detach -t/--timeout= --scale= --build --force-recreate --no-deps --remove-orphans -w/--wait --pull= -V/--renew-anon-volumes --abort-on-container-exit --exit-code-from=",
      "compose rm": "-f/--force -s/--stop -v/--volumes",
      "compose logs": "-f/--follow -n/--tail= --since= --until= -t/--timestamps --no-color --no-log-prefix",
      "compose exec": "-d/--detach -e/--env= -u/--user= -w/--workdir= -T/--no-TTY --index= --privileged",
      "compose run":
        "-d/--detach -e/--env= -u/--user= -w/--workdir= -T/--no-TTY -v/--volume= -p/--publish= --name= --entrypoint= --rm --no-deps --build -P/--service-ports",
      "compose stop": "-t/--timeout=",
      "compose build": "--build-arg= --no-cache --pull --push -q/--quiet --progress=",
      "compose ps": "-a/--all -q/--quiet --format= --filter= --services --status=",
    },
    passes: "run|exec|create|container run|container exec|container create|compose exec|compose run",
  },
  kubectl: {
    style: "whole",
    levels: 2,
    groups: "rollout config auth set certificate krew plugin adm policy",
    options: KUBE,
    verbs: {
      exec: "-c/--container= -i/--stdin -t/--tty -q/--quiet",
      logs: "-f/--follow -c/--container= -p/--previous --since= --since-time= --tail= --timestamps --all-containers",
      run: "-i/--stdin -t/--tty --rm --restart= --env= -l/--labels= --command",
      patch: "-p/--patch= --patch-file= --type= --subresource=",
      create:
        "--from-literal= --from-file= --from-env-file= --clusterrole= --role= --serviceaccount= --docker-server= --docker-username= --docker-password=",
      "port-forward": "--address= --pod-running-timeout=",
      "rollout undo": "--to-revision=",
      drain: "--ignore-daemonsets --delete-emptydir-data --disable-eviction --pod-selector=",
      cp: "-c/--container= --no-preserve --retries=",
      debug: "-c/--container= -i/--stdin -t/--tty --image= --target= --copy-to= --profile=",
    },
  },
  "helm helmfile": {
    style: "whole",
    levels: 2,
    groups: "repo plugin dependency dep registry get show search",
    options:
      "-n/--namespace= --kube-context= --kubeconfig= --kube-apiserver= --kube-token= --registry-config= --repository-config= --repository-cache= -f/--values= --set= --set-string= --set-file= --set-json= --version= --repo= --username= --password= --timeout= -e/--environment= -l/--selector= -i/--install --create-namespace --wait --atomic --dry-run? --force --debug -a/--all -A/--all-namespaces -g/--generate-name --devel --reuse-values --reset-values --keep-history --cleanup-on-fail --history-max= -o/--output= -q/--short -h/--help",
  },
  "argocd flux istioctl velero": {
    style: "whole",
    levels: 2,
    options:
      "-n/--namespace= --context= --kubeconfig= --server= --auth-token= --grpc-web --insecure --core -o/--output= --revision= --prune --force -l/--selector= --dry-run -h/--help",
  },
  "kind k3d minikube eksctl kops kubeadm talosctl": {
    style: "whole",
    levels: 2,
    options: "-p/--profile= --name= -f/--config-file= --region= -n --config= --context= --kubeconfig= -h/--help",
    groups: "delete create get export load update upgrade cluster addons node image config",
  },
  "crictl ctr buildah skopeo": {
    style: "whole",
    levels: 2,
    groups: "images image containers container tasks task snapshots",
    options: "-n/--namespace= -a/--address= -f/--file= -t/--tag= --dest-creds= --src-creds= --creds= --format=",
  },
  "crane oras": { style: "whole", levels: 1, options: "--platform= -v -u/--username= -p/--password= --insecure" },
  "vagrant virsh multipass lxc incus limactl colima qm pct vboxmanage": {
    style: "whole",
    levels: 1,
    options: "-f/--force -c/--connect= -p/--profile= -y/--yes --all -a -n --purge -h/--help",
  },
  aws: {
    style: "whole",
    levels: 2,
    options:
      "--profile= --region= --output= --endpoint-url= --query= --color= --ca-bundle= --cli-read-timeout= --cli-connect-timeout= --instance-ids= --secret-id= --name= --names= --function-name= --bucket= --key= --filters= --cluster= --service= --stack-name= --template-body= --template-file= --parameters= --user-name= --role-name= --policy-arn= --image-id= --instance-type= --count= --acl= --exclude= --include= --storage-class= --sse= --max-items= --page-size= --cli-input-json= --group-id= --db-instance-identifier= --table-name= --queue-url= --topic-arn= --log-group-name= --role-arn= --role-session-name= --zip-file= --payload= --item= --body= --dryrun --recursive --delete --quiet --no-cli-pager --no-paginate --no-verify-ssl --no-sign-request --debug --with-decryption --version",
  },
  gcloud: {
    style: "whole",
    levels: 5,
    ends: ACTION,
    options:
      "--project= --account= --configuration= --format= --region= --zone= --filter= --limit= --impersonate-service-account= --billing-project= --verbosity= --flags-file= --image= --source= --cluster= --member= --role= --machine-type= --location= --network= --service-account= --key-file= --secret= -q/--quiet --async --no-user-output-enabled --log-http --all -h/--help --version",
  },
  az: {
    style: "whole",
    levels: 5,
    ends: ACTION,
    options:
      "--subscription= -g/--resource-group= -n/--name= -o/--output= --query= -l/--location= --tenant= --ids= -s= -f/--file= -c= --account-name= --vault-name= -u/--username= -p/--password= -y/--yes --no-wait --debug --verbose --only-show-errors -h/--help --version",
  },
  "doctl hcloud linode-cli oci ibmcloud openstack scw exo civo vultr-cli yc aliyun tccli linode neonctl pscale turso": {
    style: "whole",
    levels: 4,
    ends: ACTION,
    options:
      "-t/--access-token= -o/--output= --context= -p/--profile= --region= --config= -c= --format= --force -f --yes -y -h/--help",
  },
  gsutil: { levels: 1, before: "-h= -o= -u= -m -q -D -i=", options: "-r -R -n -d -z= -c -a= -J -p -P -e -x= -f" },
  bq: {
    style: "whole",
    levels: 1,
    options:
      "--project_id= --dataset_id= --location= --format= --use_legacy_sql? -f -r -d -t --nouse_legacy_sql -q/--quiet",
  },
  "heroku netlify ntl firebase supabase railway render wrangler fly flyctl vercel vc now cf eb sam copilot amplify auth0 stripe ngrok atlas mongocli sentry-cli cloudflared":
    {
      style: "whole",
      levels: 3,
      groups:
        "apps app machine machines volumes volume vol secrets postgres pg mpg ips certs auth ssh wireguard tokens regions image env domains dns teams project projects alias aliases integration d1 r2 r2~bucket r2~object kv kv~namespace kv~key kv:namespace kv:key pages pages~project pages~deployment secret queues versions deployments workflows hyperdrive vectorize db functions migration branches storage service services tunnel access releases sourcemaps organizations",
      options:
        "-a/--app= -r/--remote= -c/--config= -t/--token= -e/--env= -s/--scope= -o/--org= -m/--message= --site= --auth= --dir= -d= --project= --project-ref= --name= --region= --image= --account-id= --prod -y/--yes -f/--force --confirm= -h/--help -v/--version --json",
    },
  "terraform packer terragrunt": {
    style: "long",
    levels: 2,
    groups: "state workspace providers metadata run-all run stack plugins cloud",
    options:
      "-chdir= -var= -var-file= -target= -replace= -state= -state-out= -backup= -out= -backend-config= -parallelism= -lock-timeout= -plugin-dir= -from-module= -generate-config-out= -only= -except= -auto-approve -destroy -refresh-only -force -json -no-color -help -version -upgrade -reconfigure -migrate-state --terragrunt-working-dir= --terragrunt-config= --working-dir= --config=",
  },
  "pulumi cdk cdktf serverless sls sst": {
    style: "whole",
    levels: 2,
    groups: "stack state config policy plugin org env deployment",
    options:
      "-s/--stack= -C/--cwd= -c/--config= -a/--app= -m/--message= -t/--target= -p/--parallel= -r/--region= --profile= --stage= --aws-profile= --context= --require-approval= -y/--yes -f/--force --skip-preview --all -h/--help",
  },
  "ansible ansible-playbook": {
    options:
      "-i/--inventory= -l/--limit= -e/--extra-vars= -t/--tags= --skip-tags= -u/--user= -m/--module-name= -a/--args= -f/--forks= -c/--connection= --private-key= --key-file= --vault-password-file= --vault-id= --become-user= --become-method= -M/--module-path= -T/--timeout= --start-at-task= --ssh-common-args= -b/--become -K/--ask-become-pass -k/--ask-pass -C/--check -D/--diff -v/--verbose --syntax-check --list-hosts --list-tasks --list-tags -o/--one-line -h/--help --version",
  },
  atmos: {
    levels: 2,
    style: "long",
    options: "-s/--stack= --base-path= --config= --config-path= --profile= --chdir= -auto-approve -destroy -h/--help",
  },
  databricks: {
    levels: 3,
    style: "whole",
    ends: ACTION,
    options: "-p/--profile= -t/--target= -o/--output= --json= --force --auto-approve -h/--help",
  },
  "consul nomad": {
    style: "long",
    levels: 3,
    groups:
      "kv acl acl~policy acl~token acl~role secrets auth policy token lease operator operator~raft audit namespace plugin identity pki job alloc node deployment system server volume namespace quota intention snapshot services config connect",
    options:
      "-address= -token= -namespace= -ns= -ca-cert= -client-cert= -client-key= -format= -field= -mount= -path= -http-addr= -datacenter= -region= -force -recurse -purge -detach -yes -json -help -version",
  },
  "s3cmd mc azcopy rclone restic borg kopia duplicity": {
    style: "whole",
    levels: 2,
    groups: "key repo snapshot snapshots admin admin~user ilm config policy",
    options:
      "-r/--repo= -p/--password-file= -c/--config= --config= -n/--dry-run -v/--verbose -q/--quiet -f/--force --include= --exclude= --filter= --transfers= --tag= --host= --keep-last= --keep-daily= --remove --recursive --delete-destination? -P/--progress -h/--help",
  },
  "jenkins-cli": {
    style: "long",
    levels: 1,
    options: "-s= -auth= -i= -user= -logger= -p= -http -ssh -webSocket -noCertificateCheck -noKeyAuth -strictHostKey",
  },
  // The client of a service, and the program of the same name that splits files.
  split: {
    levels: 3,
    ends: ACTION,
    options:
      "-a/--suffix-length= -b/--bytes= -C/--line-bytes= -l/--lines= -n/--number= -t/--separator= --additional-suffix= --filter= -d -x -e/--elide-empty-files -u/--unbuffered --verbose --help --version",
  },
  "deck kong apigeecli fastly circleci gitlab-runner ldcli unleash flipt algolia splunk doppler datadog-ci pd": {
    style: "whole",
    levels: 3,
    ends: ACTION,
    options:
      "-s= -e= -t/--token= -n/--name= -p/--project= -c/--config= -o/--output= --service-id= --kong-addr= --headers= --tls-skip-verify --dry-run -f/--force -y/--yes -h/--help --version",
  },
};
