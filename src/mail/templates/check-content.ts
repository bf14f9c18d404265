import { DEFAULT_LANGUAGE } from '../../languages/languages.ts';
import { renderContent } from './content.ts';
import type { MailKind } from './kinds.ts';
import { type LiquidProblem, missingVariable, templateProblems } from './liquid.ts';
import { DEFAULT_COLOUR, type MailTemplate } from './settings.ts';
import { failureOf, type TemplateProblem } from './tasks.ts';
import { VARIABLES } from './variables.ts';

const SUBJECT_CHARACTERS_MAX = 500;

/** Everything that is wrong with a template, for its author. Renders it once, so it belongs into a thread. */
export function checkContent({
  kind,
  template,
}: {
  kind: MailKind;
  template: MailTemplate;
}): TemplateProblem[] {
  const { subject, body } = template;
  const problems: TemplateProblem[] = [];
  const add = (field: TemplateProblem['field'], message: string, line: number | null = null) =>
    problems.push({ field, line, message });
  if (subject.trim() === '') add('subject', 'is required');
  else if (/\p{Cc}/u.test(subject) || subject.length > SUBJECT_CHARACTERS_MAX)
    add('subject', `must be one line of at most ${SUBJECT_CHARACTERS_MAX} characters`);
  for (const { message, line } of templateProblems(kind, subject)) add('subject', message, line);
  const ofBody = [...templateProblems(kind, body), ...markdownProblems(body)];
  for (const { message, line } of ofBody) add('body', message, line);
  const missing = ofBody.length === 0 ? missingVariable(kind, body) : undefined;
  if (body.trim() === '') add('body', 'is required');
  else if (missing) add('body', `must contain ${missing}`);
  const failure = problems.length === 0 ? tryOut(kind, template) : undefined;
  if (failure) add('body', failure);
  return problems;
}

function tryOut(kind: MailKind, template: MailTemplate): string | undefined {
  const examples = VARIABLES[kind].map(({ name, example }) => [name, example]);
  try {
    renderContent({
      template,
      values: { ...Object.fromEntries(examples), metadata: {} },
      links: [],
      language: DEFAULT_LANGUAGE,
      look: { colour: DEFAULT_COLOUR, onColour: DEFAULT_COLOUR, dir: 'ltr' },
    });
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}

/** Far more than a mail needs. The parser's work grows with the square of each, and nesting fills its stack. */
const LEVELS_MAX = 20;
const PARAGRAPH_MARKS_MAX = 500;
const MARKS_MAX = 2_000;

const TOO_DEEP = new RegExp(`^[ \\t]*(?:>[ \\t]?|(?:[-+*]|\\d{1,9}[.)])[ \\t]+){${LEVELS_MAX + 1}}`);
const MARK = /[*_~`[\]]/g;

/** What would make Markdown slow to parse. Reads the text once. */
function markdownProblems(text: string): LiquidProblem[] {
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
