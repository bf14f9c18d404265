import type { Content, ContentInput } from './content.ts';
import type { MailKind } from './kinds.ts';
import type { MailTemplate } from './settings.ts';

/** What a thread does with a template: the input and the result of each task. */
export interface TemplateTasks {
  render: { input: ContentInput; result: Content };
  check: { input: { kind: MailKind; template: MailTemplate }; result: TemplateProblem[] };
}

export type TaskName = keyof TemplateTasks;

export interface TemplateProblem {
  field: 'subject' | 'body';
  /** Starting at 1. null if it concerns the whole text. */
  line: number | null;
  message: string;
}

export type TaskRequest = {
  [Name in TaskName]: { task: Name; input: TemplateTasks[Name]['input'] };
}[TaskName];
export type TaskReply = 'ready' | { result: unknown } | { failed: TemplateFailure };

const TOO_SLOW = 'takes too long to render';

/** Why a template was not rendered. Says nothing of what is in it: values of a person could be. */
export type TemplateFailure =
  | typeof TOO_SLOW
  | 'needs too much memory'
  | 'is nested too deeply'
  | 'cannot be rendered';

export class TemplateFailed extends Error {
  override name = 'TemplateFailed';
  readonly failure: TemplateFailure;

  constructor(failure: TemplateFailure) {
    super(`the template ${failure}`);
    this.failure = failure;
  }
}

/** A stack that is full is the only cause of a RangeError here. The engine wraps errors, and keeps their words. */
export function failureOf(error: unknown): TemplateFailure {
  const { message = '' } = (error ?? {}) as Partial<Error>;
  if (error instanceof RangeError || /call stack/.test(message)) return 'is nested too deeply';
  return message.includes(TOO_SLOW) ? TOO_SLOW : 'cannot be rendered';
}
