import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pt } from './pt.ts';
import type { Texts } from './texts.ts';
import { zh } from './zh.ts';

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ja', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'en';

const TEXTS: Readonly<Record<Language, Texts>> = { en, de, fr, es, pt, ja, zh };

export function textsIn(language: Language): Texts {
  return TEXTS[language];
}

/** `de-AT`, `pt_BR` and `ZH` name one of ours; `nl` and anything that is not a language tag do not. */
export function languageOf(tag: unknown): Language | undefined {
  if (typeof tag !== 'string') return undefined;
  const [primary] = /^[a-z]{2,3}(?=$|[-_][a-z0-9_-]{1,30}$)/i.exec(tag.trim()) ?? [];
  return LANGUAGES.find((language) => language === primary?.toLowerCase());
}

const HEADER_CHARACTERS_MAX = 1_000;

/**
 * The language that the person chose, or the best match for their browser's `Accept-Language`: the highest
 * weight, then the order sent (RFC 4647 lookup, reduced to primary languages).
 */
export function chooseLanguage(
  acceptLanguage: string | undefined,
  parameter?: unknown,
  fallback: Language = DEFAULT_LANGUAGE,
): Language {
  const chosen = languageOf(parameter);
  if (chosen) return chosen;
  let best = fallback;
  let bestWeight = 0;
  for (const range of (acceptLanguage ?? '').slice(0, HEADER_CHARACTERS_MAX).split(',')) {
    const [tag = '', ...parameters] = range.split(';');
    const weight = weightOf(parameters);
    const language = tag.trim() === '*' ? fallback : languageOf(tag);
    if (language && weight > bestWeight) [best, bestWeight] = [language, weight];
  }
  return best;
}

/** A weight that is not one counts as 0: the language is not chosen by mistake. */
function weightOf(parameters: string[]): number {
  const text = parameters.map((parameter) => /^\s*q\s*=(.*)$/i.exec(parameter)?.[1]?.trim()).find(Boolean);
  if (text === undefined) return 1;
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
