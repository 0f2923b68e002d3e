/** How much a command can destroy; `unknown` ranks between medium and high. */
export type BlastRadius = "low" | "medium" | "unknown" | "high";

/**
 * A destructive operation: its radius, its category, the pattern shown as the reason, and a matcher where the pattern
 * is not exact. A matcher starts with the program, alternatives separated by `|`; after it every term must hold:
 *
 * - `word`, `delete*`: the next subcommand; `...` skips subcommands.
 * - `-x`: a short option, alone or in a group; `--word` or `-word`: a long option, with or without a value.
 * - `+word`: a word anywhere; `@name`: a mark of a word, see `marksOf`.
 * - `!term`: the option, word or mark does not occur.
 * - `<x>`: at least one word follows the program.
 */
export type Row = readonly [radius: BlastRadius, category: string, pattern: string, matcher?: string];
