import type { LiquidProblem } from './liquid.ts';

/** Far more than a mail needs. The parser's work grows with the square of each, and nesting fills its stack. */
const LEVELS_MAX = 20;
const PARAGRAPH_MARKS_MAX = 500;
const MARKS_MAX = 2_000;

const TOO_DEEP = new RegExp(`^[ \\t]*(?:>[ \\t]?|(?:[-+*]|\\d{1,9}[.)])[ \\t]+){${LEVELS_MAX + 1}}`);
const MARK = /[*_~`[\]]/g;

/** What would make Markdown slow to parse. Reads the text once. */
export function markdownProblems(text: string): LiquidProblem[] {
  let ofParagraph = 0;
  let total = 0;
  for (const [index, line] of text.split('\n').entries()) {
    if (TOO_DEEP.test(line))
      return [{ message: `has more than ${LEVELS_MAX} quotes or lists inside each other`, line: index + 1 }];
    const marks = line.match(MARK)?.length ?? 0;
    ofParagraph = line.trim() === '' ? 0 : ofParagraph + marks;
    total += marks;
    if (ofParagraph > PARAGRAPH_MARKS_MAX)
      return [
        {
          message: `has more than ${PARAGRAPH_MARKS_MAX} of the characters * _ ~ \` [ ] in one paragraph`,
          line: index + 1,
        },
      ];
  }
  if (total > MARKS_MAX)
    return [{ message: `has more than ${MARKS_MAX} of the characters * _ ~ \` [ ]`, line: null }];
  return [];
}
