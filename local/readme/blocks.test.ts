/**
 * The reader of documents finds every block where it stands, and no command escapes without its answer.
 *
 * @module
 */
import { describe, test } from "vitest";
import { readMarkdown, stepsOf } from "./blocks.ts";

const DOCUMENT = `# Title

## Tour

Ask:

\`\`\`sh
echo a
echo b
\`\`\`

\`\`\`text
a
b
\`\`\`

\`\`\`toml
## no heading
| no | row |
\`\`\`

## Table

| name | value |
| --- | --- |
| \`A\` | one \\| two |
`;

describe("a document", () => {
  test("gives its blocks with section, language, text and line", ({ expect }) => {
    expect(readMarkdown(DOCUMENT).blocks).toEqual([
      { section: "Tour", language: "sh", text: "echo a\necho b", line: 7, followsBlock: false },
      { section: "Tour", language: "text", text: "a\nb", line: 12, followsBlock: true },
      { section: "Tour", language: "toml", text: "## no heading\n| no | row |", line: 17, followsBlock: true },
    ]);
  });

  test("gives its table rows cell by cell, and none out of a block", ({ expect }) => {
    expect(readMarkdown(DOCUMENT).rows).toEqual([
      { section: "Table", cells: ["name", "value"] },
      { section: "Table", cells: ["---", "---"] },
      { section: "Table", cells: ["`A`", "one | two"] },
    ]);
  });

  test("with an open fence is refused", ({ expect }) => {
    expect(() => readMarkdown("a\n```sh\nb")).toThrow("line 2");
  });
});

describe("the steps of a section", () => {
  test("are its commands, each with the answer below it", ({ expect }) => {
    const { blocks } = readMarkdown(DOCUMENT);
    const steps = stepsOf(blocks, "Tour");
    expect(steps.map(({ command, answer }) => [command.line, answer.line])).toEqual([[7, 12]]);
    expect(stepsOf(blocks, "Table")).toEqual([]);
  });

  test.for([
    ["nothing", "```sh\na\n```\n"],
    ["words before the answer", "```sh\na\n```\n\nIt says:\n\n```text\na\n```\n"],
    ["another command", "```sh\na\n```\n\n```sh\nb\n```\n"],
    ["the answer of another section", "```sh\na\n```\n\n## Next\n\n```text\na\n```\n"],
  ])("end at a command that is followed by %s", ([, text], { expect }) => {
    const { blocks } = readMarkdown(`## Tour\n\n${text}`);
    expect(() => stepsOf(blocks, "Tour")).toThrow("line 3");
  });
});
