/** The calls that the reference run makes, in order, each with the guard that docs/tools.md shows for the tool. */

/** A call of a tool, and a guard that refuses it. */
export interface ExampleCall {
  tool: string;
  /** The arguments of the call whose payloads the page shows. The guard lets it through. */
  input: Record<string, unknown>;
  guard: {
    /** An extended regular expression; the guard refuses an event whose JSON matches it. */
    refuses: string;
    reason: string;
    /** Arguments of a call that the guard refuses. */
    denied: Record<string, unknown>;
    /** The agent that makes that call, if the guard is about the agent. */
    agent?: string;
  };
}

/** A tool without arguments, which the guard keeps from one agent. */
const noArguments = (tool: string, reason: string): ExampleCall => ({
  tool,
  input: {},
  guard: { refuses: '"agent_name":"reviewer"', reason, denied: {}, agent: "reviewer" },
});

const call = (
  tool: string,
  input: Record<string, unknown>,
  refuses: string,
  reason: string,
  denied: Record<string, unknown>,
): ExampleCall => ({ tool, input, guard: { refuses, reason, denied } });

/** One call of every built-in tool, and of a tool of each toolset whose tools have names of their own. */
export const EXAMPLE_CALLS: readonly ExampleCall[] = [
  call(
    "shell",
    { cmd: "wc -l prices.csv" },
    '"cmd":"[^"]*terraform +(apply|destroy)',
    "infrastructure changes go through the pipeline",
    { cmd: "cd infra && terraform apply -auto-approve" },
  ),
  call(
    "run_background_job",
    { cmd: "sleep 600" },
    '"cmd":"[^"]*(nohup|disown|setsid)',
    "a job must end with the session",
    { cmd: "nohup ./server &" },
  ),
  noArguments("list_background_jobs", "the reviewer starts no jobs and needs no list"),
  call("view_background_job", { job_id: "JOB" }, '"job_id":"[^"]*[^"a-z0-9_-]', "not the id of a job", {
    job_id: "../1",
  }),
  call("wait_background_job", { job_id: "JOB", timeout: 1 }, '"timeout":[0-9]{4,}', "wait at most 999 seconds", {
    job_id: "job_1",
    timeout: 36000,
  }),
  call("stop_background_job", { job_id: "JOB" }, '"job_id":"(all|\\*)"', "stop one job at a time", { job_id: "all" }),
  call("directory_tree", { path: "." }, '"path":"(/|~)"', "name a directory of the project", { path: "/" }),
  call("list_directory", { path: "." }, '"path":"[^"]*\\.ssh', "keys are not for the agent", { path: "~/.ssh" }),
  call("read_file", { path: "prices.csv", limit: 2 }, '"path":"[^"]*\\.env(\\.|")', "secrets are not for the agent", {
    path: "app/.env",
  }),
  call(
    "read_multiple_files",
    { paths: ["prices.csv"] },
    '"paths":\\[[^]]*\\.env(\\.|")',
    "secrets are not for the agent",
    {
      paths: ["README.md", ".env"],
    },
  ),
  call(
    "search_files_content",
    { path: ".", query: "apple" },
    '"query":"[^"]*(password|secret|token)',
    "do not search for secrets",
    {
      path: ".",
      query: "api_token=",
    },
  ),
  call(
    "write_file",
    { path: "notes.md", content: "# Notes\n" },
    '"path":"[^"]*\\.github/workflows/',
    "a person changes the pipeline",
    {
      path: ".github/workflows/ci.yaml",
      content: "on: push",
    },
  ),
  call(
    "edit_file",
    { path: "notes.md", edits: [{ oldText: "# Notes", newText: "# Prices" }] },
    '"path":"[^"]*_test\\.',
    "change the code, not its test",
    { path: "price_test.go", edits: [{ oldText: "1.19", newText: "1.2" }] },
  ),
  call("create_directory", { paths: ["reports"] }, '"paths":\\[[^]]*"(/|~|\\.\\.)', "only directories of the project", {
    paths: ["/opt/reports"],
  }),
  call("remove_directory", { paths: ["reports"] }, '"paths":\\[[^]]*migrations', "migrations are kept", {
    paths: ["db/migrations"],
  }),
  noArguments("get_environment_info", "the reviewer runs no commands"),
  call("think", { thought: "Prices are in euros." }, '"thought":"[^"]{4000}', "keep notes short", {
    thought: "x".repeat(5000),
  }),
  call(
    "create_todo",
    { description: "Round the prices" },
    '"description":"[^"]*(deploy|release)',
    "this agent does not release",
    {
      description: "deploy to production",
    },
  ),
  call(
    "create_todos",
    { descriptions: ["Add a test"] },
    '"descriptions":\\[[^]]*(deploy|release)',
    "this agent does not release",
    {
      descriptions: ["test", "release 2.0"],
    },
  ),
  call(
    "update_todos",
    { updates: [{ id: "todo_1", status: "completed" }] },
    '"status":"completed".*"status":"completed"',
    "complete one todo at a time",
    {
      updates: [
        { id: "todo_1", status: "completed" },
        { id: "todo_2", status: "completed" },
      ],
    },
  ),
  noArguments("list_todos", "the reviewer has no todos"),
  call(
    "add_memory",
    { memory: "Prices are in euros", category: "facts" },
    '"memory":"[^"]*[0-9]{13,19}',
    "no card numbers in memories",
    {
      memory: "the customer pays with 4111111111111111",
    },
  ),
  noArguments("get_memories", "the reviewer works without memories"),
  call("search_memories", { query: "euros" }, '"category":"private"', "private memories are not for this project", {
    query: "address",
    category: "private",
  }),
  call(
    "update_memory",
    { id: "MEMORY", memory: "Prices are in cents" },
    '"memory":"[^"]*[0-9]{13,19}',
    "no card numbers in memories",
    {
      id: "1",
      memory: "4111111111111111",
    },
  ),
  call("delete_memory", { id: "MEMORY" }, '"id":"\\*"', "delete one memory at a time", { id: "*" }),
  call(
    "fetch",
    { urls: ["URL/page"], format: "text" },
    '"urls":\\[[^]]*[?][^"]{100}',
    "a long query can carry data out",
    { urls: [`https://example.com/?note=${"c2VjcmV0".repeat(20)}`], format: "text" },
  ),
  call("user_prompt", { message: "Which currency?" }, '"message":"[^"]*(password|API key)', "never ask for secrets", {
    message: "What is your password?",
  }),
  call(
    "transfer_task",
    { agent: "reviewer", task: "Check notes.md", expected_output: "One line" },
    '"task":"[^"]*(push|deploy)',
    "the reviewer only reads",
    {
      agent: "reviewer",
      task: "push the branch",
      expected_output: "the commit",
    },
  ),
  call(
    "run_background_agent",
    { agent: "reviewer", task: "Check prices.csv" },
    '"task":"[^"]*(push|deploy)',
    "the reviewer only reads",
    {
      agent: "reviewer",
      task: "deploy it",
    },
  ),
  noArguments("list_background_agents", "the reviewer starts no agents"),
  call("view_background_agent", { task_id: "TASK" }, '"task_id":"[^"]*[^"a-z0-9_-]', "not the id of a task", {
    task_id: "../1",
  }),
  call(
    "wait_background_agents",
    { task_ids: ["TASK"], timeout: 60 },
    '"timeout":[0-9]{4,}',
    "wait at most 999 seconds",
    { task_ids: ["agent_task_1"], timeout: 3600 },
  ),
  call("stop_background_agent", { task_id: "TASK" }, '"task_id":"(all|\\*)"', "stop one task at a time", {
    task_id: "all",
  }),
  call("read_skill", { name: "prices" }, '"name":"internal-', "internal skills are for people", {
    name: "internal-salaries",
  }),
  call(
    "read_skill_file",
    { skill_name: "prices", path: "table.md" },
    '"path":"[^"]*\\.(key|pem)"',
    "keys are not for the agent",
    {
      skill_name: "prices",
      path: "server.key",
    },
  ),
  call("run_skill", { name: "audit", task: "Check prices.csv" }, '"task":"[^"]*production', "not on production data", {
    name: "audit",
    task: "audit the production database",
  }),
  call("count_lines", { file: "prices.csv" }, '"file":"[^"]*\\.\\./', "only files of the project", {
    file: "../../etc/passwd",
  }),
  call("exchange_rate", { currency: "usd" }, '"currency":"[^"]{4}', "a currency has three letters", {
    currency: "usd&all=1",
  }),
  call("getPrice", { id: "7" }, '"id":"[^"]*[^"0-9]', "an id is a number", { id: "7;drop" }),
  call("notes_echo", { text: "euros" }, '"text":"[^"]*(password|secret)', "do not search for secrets", {
    text: "password",
  }),
  call("handoff", { agent: "writer" }, '"agent":"admin"', "a person starts the admin agent", { agent: "admin" }),
];
