import type { LanguageFn } from "highlight.js";

export interface Language {
  /** highlight.js's name, in lower case. */
  name: string;
  /** Further names that code blocks use, in lower case. */
  aliases: readonly string[];
  load: () => Promise<{ default: LanguageFn }>;
}

/** The languages of highlight.js that programs, configuration and documentation mostly use; each is loaded on demand. */
export const LANGUAGES: readonly Language[] = [
  { name: "bash", aliases: ["sh", "zsh", "shell-script"], load: () => import("highlight.js/lib/languages/bash") },
  { name: "c", aliases: ["h"], load: () => import("highlight.js/lib/languages/c") },
  {
    name: "cpp",
    aliases: ["cc", "c++", "h++", "hpp", "hh", "hxx", "cxx"],
    load: () => import("highlight.js/lib/languages/cpp"),
  },
  { name: "csharp", aliases: ["cs", "c#"], load: () => import("highlight.js/lib/languages/csharp") },
  { name: "css", aliases: [], load: () => import("highlight.js/lib/languages/css") },
  { name: "dart", aliases: [], load: () => import("highlight.js/lib/languages/dart") },
  { name: "diff", aliases: ["patch"], load: () => import("highlight.js/lib/languages/diff") },
  { name: "dockerfile", aliases: ["docker"], load: () => import("highlight.js/lib/languages/dockerfile") },
  { name: "elixir", aliases: ["ex", "exs"], load: () => import("highlight.js/lib/languages/elixir") },
  { name: "go", aliases: ["golang"], load: () => import("highlight.js/lib/languages/go") },
  { name: "graphql", aliases: ["gql"], load: () => import("highlight.js/lib/languages/graphql") },
  { name: "haskell", aliases: ["hs"], load: () => import("highlight.js/lib/languages/haskell") },
  { name: "ini", aliases: ["toml"], load: () => import("highlight.js/lib/languages/ini") },
  { name: "java", aliases: [], load: () => import("highlight.js/lib/languages/java") },
  {
    name: "javascript",
    aliases: ["js", "jsx", "mjs", "cjs"],
    load: () => import("highlight.js/lib/languages/javascript"),
  },
  {
    name: "json",
    aliases: ["jsonc", "json5", "jsonl", "ndjson"],
    load: () => import("highlight.js/lib/languages/json"),
  },
  { name: "kotlin", aliases: ["kt", "kts"], load: () => import("highlight.js/lib/languages/kotlin") },
  { name: "lua", aliases: [], load: () => import("highlight.js/lib/languages/lua") },
  { name: "makefile", aliases: ["mk", "make"], load: () => import("highlight.js/lib/languages/makefile") },
  { name: "markdown", aliases: ["md"], load: () => import("highlight.js/lib/languages/markdown") },
  { name: "nginx", aliases: [], load: () => import("highlight.js/lib/languages/nginx") },
  { name: "nix", aliases: [], load: () => import("highlight.js/lib/languages/nix") },
  { name: "perl", aliases: ["pl"], load: () => import("highlight.js/lib/languages/perl") },
  { name: "php", aliases: [], load: () => import("highlight.js/lib/languages/php") },
  { name: "powershell", aliases: ["pwsh", "ps1"], load: () => import("highlight.js/lib/languages/powershell") },
  { name: "properties", aliases: ["env", "dotenv"], load: () => import("highlight.js/lib/languages/properties") },
  { name: "protobuf", aliases: ["proto"], load: () => import("highlight.js/lib/languages/protobuf") },
  { name: "python", aliases: ["py", "python3"], load: () => import("highlight.js/lib/languages/python") },
  { name: "r", aliases: [], load: () => import("highlight.js/lib/languages/r") },
  { name: "ruby", aliases: ["rb"], load: () => import("highlight.js/lib/languages/ruby") },
  { name: "rust", aliases: ["rs"], load: () => import("highlight.js/lib/languages/rust") },
  { name: "scala", aliases: [], load: () => import("highlight.js/lib/languages/scala") },
  { name: "scss", aliases: ["sass"], load: () => import("highlight.js/lib/languages/scss") },
  { name: "shell", aliases: ["console", "shellsession"], load: () => import("highlight.js/lib/languages/shell") },
  { name: "sql", aliases: ["postgresql", "mysql", "sqlite"], load: () => import("highlight.js/lib/languages/sql") },
  { name: "swift", aliases: [], load: () => import("highlight.js/lib/languages/swift") },
  {
    name: "typescript",
    aliases: ["ts", "tsx", "mts", "cts"],
    load: () => import("highlight.js/lib/languages/typescript"),
  },
  { name: "xml", aliases: ["html", "svg", "plist", "vue"], load: () => import("highlight.js/lib/languages/xml") },
  { name: "yaml", aliases: ["yml"], load: () => import("highlight.js/lib/languages/yaml") },
];
