import { classifyCommand } from "../../src/shell/classify.ts";
import { DESTRUCTIVE, EVERYDAY, HIDDEN } from "../shell/corpus.ts";

// Prints how many commands of each kind get each label; with --list also those whose label is wrong.
const LABELS = ["destructive", "unknown", "safe"] as const;
const listed = process.argv.includes("--list");

const rows: [string, number, ...number[]][] = [];
const count = (name: string, commands: readonly string[], isWrong: (label: string) => boolean) => {
  const labels = commands.map((command) => classifyCommand(command).label);
  rows.push([name, commands.length, ...LABELS.map((label) => labels.filter((one) => one === label).length)]);
  commands.forEach((command, at) => {
    if (listed && isWrong(labels[at] ?? "")) console.log(`${labels[at]}: ${JSON.stringify(command)}`);
  });
};

for (const [name, commands] of Object.entries(DESTRUCTIVE)) count(name, commands, (label) => label !== "destructive");
count("all destructive commands", Object.values(DESTRUCTIVE).flat(), () => false);
count("hidden effects", HIDDEN, (label) => label === "safe");
for (const [name, commands] of Object.entries(EVERYDAY))
  count(`everyday: ${name}`, commands, (label) => label === "destructive");
count("all everyday commands", Object.values(EVERYDAY).flat(), () => false);

const header = ["commands", "number", ...LABELS];
for (const [name = "", ...cells] of [header, ...rows].map((row) => row.map(String))) {
  console.log(name.padEnd(34) + cells.map((cell) => cell.padStart(12)).join(""));
}
