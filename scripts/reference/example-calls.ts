/** The calls that the reference run makes, in order; some with a rule that docs/tools.md shows for the tool. */

/** A call of a tool, and for some tools a rule that denies another call. */
export interface ExampleCall {
  tool: string;
  /** The arguments of the call whose payloads the page shows. The rule lets it through. */
  input: Record<string, unknown>;
  guard?: {
    /** Conditions of a rule, in YAML's flow form. */
    refuses: string;
    reason: string;
    /** Arguments of a call that the rule denies. */
    denied: Record<string, unknown>;
  };
}

/** One call of every built-in tool, and of a tool of each toolset whose tools have names of their own. */
export const EXAMPLE_CALLS: readonly ExampleCall[] = [
  {
    tool: "shell",
    input: { cmd: "wc -l prices.csv" },
    guard: {
      refuses: "effect: infrastructure",
      reason: "infrastructure changes go through the pipeline",
      denied: { cmd: "cd infra && terraform apply -auto-approve" },
    },
  },
  { tool: "run_background_job", input: { cmd: "sleep 600" } },
  { tool: "list_background_jobs", input: {} },
  { tool: "view_background_job", input: { job_id: "JOB" } },
  { tool: "wait_background_job", input: { job_id: "JOB", timeout: 1 } },
  { tool: "stop_background_job", input: { job_id: "JOB" } },
  { tool: "directory_tree", input: { path: "." } },
  { tool: "list_directory", input: { path: "." } },
  {
    tool: "read_file",
    input: { path: "prices.csv", limit: 2 },
    guard: {
      refuses: "reads: credentials",
      reason: "secrets are not for the agent",
      denied: { path: "app/.env" },
    },
  },
  { tool: "read_multiple_files", input: { paths: ["prices.csv"] } },
  { tool: "search_files_content", input: { path: ".", query: "apple" } },
  {
    tool: "write_file",
    input: { path: "notes.md", content: "# Notes\n" },
    guard: {
      refuses: "writes: ci",
      reason: "a person changes the pipeline",
      denied: { path: ".github/workflows/ci.yaml", content: "on: push" },
    },
  },
  { tool: "edit_file", input: { path: "notes.md", edits: [{ oldText: "# Notes", newText: "# Prices" }] } },
  { tool: "create_directory", input: { paths: ["reports"] } },
  { tool: "remove_directory", input: { paths: ["reports"] } },
  { tool: "get_environment_info", input: {} },
  { tool: "think", input: { thought: "Prices are in euros." } },
  { tool: "create_todo", input: { description: "Round the prices" } },
  { tool: "create_todos", input: { descriptions: ["Add a test"] } },
  { tool: "update_todos", input: { updates: [{ id: "todo_1", status: "completed" }] } },
  { tool: "list_todos", input: {} },
  { tool: "add_memory", input: { memory: "Prices are in euros", category: "facts" } },
  { tool: "get_memories", input: {} },
  { tool: "search_memories", input: { query: "euros" } },
  { tool: "update_memory", input: { id: "MEMORY", memory: "Prices are in cents" } },
  { tool: "delete_memory", input: { id: "MEMORY" } },
  {
    tool: "fetch",
    input: { urls: ["URL/page"], format: "text" },
    guard: {
      refuses: 'input: { urls: { matches: "[?].{100}" } }',
      reason: "a long query can carry data out",
      denied: {
        urls: [
          "https://example.com/?note=c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0",
        ],
        format: "text",
      },
    },
  },
  { tool: "user_prompt", input: { message: "Which currency?" } },
  {
    tool: "transfer_task",
    input: { agent: "reviewer", task: "Check notes.md", expected_output: "One line" },
    guard: {
      refuses: "input: { task: { matches: push|deploy } }",
      reason: "the reviewer only reads",
      denied: { agent: "reviewer", task: "push the branch", expected_output: "the commit" },
    },
  },
  { tool: "run_background_agent", input: { agent: "reviewer", task: "Check prices.csv" } },
  { tool: "list_background_agents", input: {} },
  { tool: "view_background_agent", input: { task_id: "TASK" } },
  { tool: "wait_background_agents", input: { task_ids: ["TASK"], timeout: 60 } },
  { tool: "stop_background_agent", input: { task_id: "TASK" } },
  { tool: "read_skill", input: { name: "prices" } },
  { tool: "read_skill_file", input: { skill_name: "prices", path: "table.md" } },
  { tool: "run_skill", input: { name: "audit", task: "Check prices.csv" } },
  { tool: "count_lines", input: { file: "prices.csv" } },
  { tool: "exchange_rate", input: { currency: "usd" } },
  { tool: "getPrice", input: { id: "7" } },
  {
    tool: "notes_echo",
    input: { text: "euros" },
    guard: {
      refuses: "input: { text: { matches: password|secret } }",
      reason: "do not search for secrets",
      denied: { text: "password" },
    },
  },
  { tool: "handoff", input: { agent: "writer" } },
];
