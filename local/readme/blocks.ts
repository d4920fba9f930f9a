/**
 * A Markdown document as far as a test reads it: which fenced block and which table row stands in which section.
 *
 * @module
 */

/** One fenced block. */
export interface Block {
  /** The text of the `##` heading above it; empty before the first. */
  readonly section: string;
  /** The word behind the opening fence. */
  readonly language: string;
  readonly text: string;
  /** The line of its opening fence, counted from 1. */
  readonly line: number;
  /** Whether nothing but blank lines stands between it and the block before. */
  readonly followsBlock: boolean;
}

/** One row of a table, head and rule included. */
export interface Row {
  readonly section: string;
  readonly cells: readonly string[];
}

/** What a document holds, in its order. */
export interface MarkdownParts {
  readonly blocks: readonly Block[];
  readonly rows: readonly Row[];
}

/** A command and the answer that is shown right below it. */
export interface Step {
  readonly command: Block;
  readonly answer: Block;
}

const FENCE = /^```(\S*)\s*$/;
const HEADING = /^## +(.+?)\s*$/;
const COMMAND_LANGUAGE = "sh";

/** Reads a document. Throws when a fence is never closed. */
export function readMarkdown(markdown: string): MarkdownParts {
  const blocks: Block[] = [];
  const rows: Row[] = [];
  let section = "";
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | undefined;
  let isBlankSinceBlock = false;

  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    const fence = FENCE.exec(line);
    if (open !== undefined) {
      if (fence === null) {
        open.lines.push(line);
        continue;
      }
      const { language, line: start, lines } = open;
      blocks.push({ section, language, text: lines.join("\n"), line: start, followsBlock: isBlankSinceBlock });
      open = undefined;
      isBlankSinceBlock = true;
    } else if (fence !== null) {
      open = { language: fence[1] ?? "", line: index + 1, lines: [] };
    } else {
      section = HEADING.exec(line)?.[1] ?? section;
      if (line.startsWith("|")) rows.push({ section, cells: cellsOf(line) });
      if (line.trim() !== "") isBlankSinceBlock = false;
    }
  }
  if (open !== undefined) throw new Error(`The fence in line ${open.line} is never closed.`);
  return { blocks, rows };
}

/** The commands of a section, each with its answer. Throws for a command that no answer follows directly. */
export function stepsOf(blocks: readonly Block[], section: string): Step[] {
  const inside = blocks.filter((block) => block.section === section);
  return inside.flatMap((command, index) => {
    if (command.language !== COMMAND_LANGUAGE) return [];
    const answer = inside[index + 1];
    if (answer?.followsBlock === true && answer.language !== COMMAND_LANGUAGE) return [{ command, answer }];
    throw new Error(`The command in line ${command.line} is not followed by the answer it gets.`);
  });
}

/** `\|` is a bar within a cell. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
