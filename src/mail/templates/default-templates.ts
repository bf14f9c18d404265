import { type Language, textsIn } from '../../languages/languages.ts';
import type { MailKind } from './kinds.ts';

export interface MailTemplate {
  subject: string;
  /** Markdown. A link on its own line becomes a button. */
  body: string;
}

/**
 * These contain nothing that a stranger typed into a form, so that signups cannot be used to send text to
 * others.
 */
export function defaultTemplate(kind: MailKind, language: Language): MailTemplate {
  return textsIn(language).mail.templates[kind];
}
