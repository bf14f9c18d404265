import type { Template } from 'liquidjs';
import { type Language, textsIn } from '../../languages/languages.ts';
import { parseTemplate, renderTemplate } from './liquid.ts';
import { type Look, toHtml } from './markdown-html.ts';
import { parseMarkdown, toText } from './markdown-text.ts';
import type { MailTemplate } from './settings.ts';
import { Marks, plainLine } from './values.ts';

const SUBJECT_CHARACTERS_MAX = 200;
const PREVIEW_CHARACTERS_MAX = 120;
const MOST_PARSED = 200;

/** Everything that a template is rendered with, so that another thread can do it. */
export interface ContentInput {
  template: MailTemplate;
  values: Readonly<Record<string, unknown>>;
  /** Our own links, the only values that may become one. */
  links: readonly string[];
  language: Language;
  look: Look;
}

/** The part of a mail that its template decides. */
export interface Content {
  subject: string;
  text: string;
  html: string;
  /** Shown next to the subject by mail clients. */
  preview: string;
}

/** Takes as long as the template wants, and throws whatever it causes: own templates belong into a thread. */
export function renderContent({ template, values, links, language, look }: ContentInput): Content {
  const { formats } = textsIn(language);
  const marks = new Marks(new Set(links));
  const { subject, body } = parsed(template);
  const line = renderTemplate(subject, values, { mark: asText }, formats);
  const tokens = parseMarkdown(renderTemplate(body, values, marks, formats));
  const text = toText(tokens, marks);
  const below = tokens[0]?.type === 'heading' ? toText(tokens.slice(1), marks) : text;
  return {
    subject: plainLine(line, SUBJECT_CHARACTERS_MAX),
    text,
    html: toHtml(tokens, marks, look),
    preview: plainLine(below, PREVIEW_CHARACTERS_MAX),
  };
}

function asText(value: unknown): string {
  return value == null || typeof value === 'object' ? '' : String(value);
}

interface Parsed {
  subject: Template[];
  body: Template[];
}

/** By text: a thread gets a new object each time. */
const known = new Map<string, Parsed>();

function parsed({ subject, body }: MailTemplate): Parsed {
  const name = `${subject}\n${body}`; // A subject has one line.
  const found = known.get(name);
  if (found) return found;
  if (known.size >= MOST_PARSED) known.clear();
  const fresh = { subject: parseTemplate(subject), body: parseTemplate(body) };
  known.set(name, fresh);
  return fresh;
}
