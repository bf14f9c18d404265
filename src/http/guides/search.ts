import type { Document } from '../docs/document.ts';
import type { GuidePage } from './site.ts';

/** What can be found: a section of a page, or an operation of an API. */
export interface Findable {
  page: string;
  title: string;
  href: string;
  text: string;
  /** What is searched in, once for all questions. */
  lower: { page: string; title: string; text: string };
}

export interface Found extends Findable {
  /** The text around the first word. Every second piece is a word that was asked for. */
  excerpt: string[];
}

export const QUERY_CHARACTERS_MAX = 100;
const WORDS_MAX = 8;
export const RESULTS_MAX = 30;
const EXCERPT_CHARACTERS = 200;
/** A long text does not count more than a good one. */
const OCCURRENCES_MAX = 4;

/** Every word must occur. Titles count more than text. */
export function search(index: readonly Findable[], query: string): Found[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return index
    .map((each) => ({ each, score: scoreOf(each, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ each }) => ({ ...each, excerpt: excerptOf(each, words) }));
}

function wordsOf(query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return [...new Set(words)].slice(0, WORDS_MAX);
}

function scoreOf({ lower: { page, title, text } }: Findable, words: readonly string[]): number {
  const scores = words.map(
    (word) =>
      (title.includes(word) ? 10 : 0) +
      (page.includes(word) ? 5 : 0) +
      Math.min(text.split(word, OCCURRENCES_MAX + 1).length - 1, OCCURRENCES_MAX),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

function excerptOf({ text, lower }: Findable, words: readonly string[]): string[] {
  const first = Math.min(...words.map((word) => lower.text.indexOf(word)).filter((at) => at >= 0));
  const from = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(' ', first - 60) + 1) : 0;
  const cut = text.slice(from, from + EXCERPT_CHARACTERS);
  const whole = cut.length + from < text.length ? cut.replace(/\s\S*$/, ' …') : cut;
  const pattern = new RegExp(`(${words.map((word) => word.replace(/\W/g, '\\$&')).join('|')})`, 'gi');
  return `${from > 0 ? '… ' : ''}${whole}`.split(pattern);
}

export function sectionsOf(pages: readonly GuidePage[], base: string): Findable[] {
  return pages.flatMap(({ slug, title: page, sections }) =>
    sections.map(({ id, title, depth, text }) =>
      findable({ page, title, href: `${base}/docs/${slug}${depth === 1 ? '' : `#${id}`}`, text }),
    ),
  );
}

export function operationsOf({ info, paths }: Document, href: string): Findable[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, description }]) =>
      findable({
        page: info.title,
        title: summary,
        href: `${href}#${operationId}`,
        text: `${method.toUpperCase()} ${path} ${description.replaceAll('`', '')}`,
      }),
    ),
  );
}

function findable(what: Omit<Findable, 'lower'>): Findable {
  const { page, title, text } = what;
  return {
    ...what,
    lower: { page: page.toLowerCase(), title: title.toLowerCase(), text: text.toLowerCase() },
  };
}
