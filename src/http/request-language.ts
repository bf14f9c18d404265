import type { FastifyRequest } from 'fastify';
import { chooseLanguage, type Language, textsIn } from '../languages/languages.ts';
import type { Texts } from '../languages/texts.ts';

/** What the person chose, in a form or with the parameter `lang`, or else the language of their browser. */
export function languageFor({ headers, query }: FastifyRequest, chosen?: unknown): Language {
  const { lang } = (query ?? {}) as { lang?: unknown };
  return chooseLanguage(headers['accept-language'], chosen ?? lang);
}

export function textsFor(request: FastifyRequest, chosen?: unknown): Texts {
  return textsIn(languageFor(request, chosen));
}
