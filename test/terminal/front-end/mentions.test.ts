import { expect, test } from "bun:test";
import { firstPath, mentionOf, mentionsIn } from "../../../src/terminal/front-end/mentions.ts";
import { expectLinear } from "../../helpers/growth.ts";

const paths = (text: string) => mentionsIn(text).map(({ paths: [first] }) => first);

test("a mention is an @ at the start of a word, with quotation marks or backslashes around spaces", () => {
  expect(paths("see @a.png, @src/b.ts and @~/c.pdf")).toEqual(["a.png,", "src/b.ts", "~/c.pdf"]);
  expect(paths(`@"my shot.png" @'your shot.png' @our\\ shot.png (@d.txt)`)).toEqual([
    "my shot.png",
    "your shot.png",
    "our shot.png",
    "d.txt)",
  ]);
  expect(paths("one\n@two.txt\tand\n/attach three.txt")).toEqual(["two.txt", "three.txt"]);
});

test("other signs are text", () => {
  for (const text of ["me@example.org", "@", "@ file", '@""', "a@b", "/attachment x", "see/attach x", "@\n"])
    expect({ text, paths: paths(text) }).toEqual({ text, paths: [] });
});

test("punctuation behind a name may belong to the sentence", () => {
  expect(mentionsIn("what is (@a.png)?")[0]?.paths).toEqual(["a.png)?", "a.png"]);
  expect(mentionsIn("@...")[0]?.paths).toEqual(["..."]);
});

test.each(["@", '@"', "\\", "@a\\ ", "/attach ", " @(", '"'])(
  "many times %j is searched in linear time",
  async (piece) => {
    // From about 30,000 matches on, Bun interprets this expression, which takes longer: both inputs are smaller.
    await expectLinear(15_000, (size) => {
      const text = piece.repeat(size);
      return () => mentionsIn(text);
    });
  },
);

test("the mention of any name without a line break is read back as that name", () => {
  for (const path of ["a.png", "my shot.png", `it's "it".png`, "a\\b.png", "(1).png", "é 日本.png", "@x.png"])
    expect(paths(`see ${mentionOf(path)} there`)).toEqual([path]);
});

test("/attach takes the path at the start of what was typed", () => {
  expect(firstPath('"my shot.png" what is it')).toEqual({ path: "my shot.png", rest: "what is it" });
  expect(firstPath("a\\ b.png")).toEqual({ path: "a b.png", rest: "" });
  expect(firstPath("")).toBeUndefined();
});
