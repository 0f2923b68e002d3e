/** Writes docs/messages.md from the entries in scripts/messages. */
import { type MessageArea, messageAreas } from "./messages/message-entries.ts";

/** Returns the page of all messages, with cause and cure. */
export async function messagesPage(): Promise<string> {
  return [...INTRO, ...(await messageAreas()).flatMap(areaLines)].join("\n");
}

const INTRO = [
  "# Messages",
  "",
  "Every error, warning, notice and refusal of hooksh, with what causes it and what to do. Search this page for words that",
  "you saw. Words in capitals stand for what differs each time: `unknown command VERB` is printed as",
  '`unknown command "rnu"`. A message may have a place before it, `agent.yaml:6:18: agents.root.model:`, and several may be',
  "joined by `: `, the general one first.",
  "",
];

function areaLines({ title, intro, families }: MessageArea): string[] {
  return [`## ${title}`, "", ...(intro ? [intro, ""] : []), ...families.flatMap(familyLines)];
}

function familyLines({ title, cause, cure, messages }: MessageArea["families"][number]): string[] {
  return [
    `### ${title}`,
    "",
    `**Cause**: ${cause}`,
    "",
    `**Cure**: ${cure}`,
    "",
    ...messages.map((entry) => {
      if (typeof entry === "string") return `- ${code(entry)}`;
      const own = [entry.cause, entry.cure].filter((part) => part !== undefined).join(" ");
      return `- ${code(entry.message)}: ${own}`;
    }),
    "",
  ];
}

function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}
