import type { Document } from '../docs/document.ts';
import type { GuidePage } from './site.ts';

/** What can be found: a section of a page, or an operation of an API. */
export interface Findable {
  page: string;
  title: string;
  href: string;
  text: string;
}

export interface Found extends Findable {
  /** The text around the first word. Every second piece is a word that was asked for. */
  excerpt: string[];
}

const QUERY_CHARACTERS_MAX = 100;
const WORDS_MAX = 8;
const RESULTS_MAX = 30;
const EXCERPT_CHARACTERS = 200;

/** Every word must occur. Titles count more than text. */
export function search(index: readonly Findable[], query: string): Found[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return index
    .map((each) => ({ each, score: scoreOf(each, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ each }) => ({ ...each, excerpt: excerptOf(each.text, words) }));
}

function wordsOf(query: string): string[] {
  const words = query.slice(0, QUERY_CHARACTERS_MAX).toLowerCase().split(/\s+/).filter(Boolean);
  return [...new Set(words)].slice(0, WORDS_MAX);
}

function scoreOf({ page, title, text }: Findable, words: readonly string[]): number {
  const lower = text.toLowerCase();
  const scores = words.map(
    (word) =>
      (title.toLowerCase().includes(word) ? 10 : 0) +
      (page.toLowerCase().includes(word) ? 5 : 0) +
      Math.min(lower.split(word).length - 1, 4),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

function excerptOf(text: string, words: readonly string[]): string[] {
  const first = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0));
  const from = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(' ', first - 60) + 1) : 0;
  const cut = text.slice(from, from + EXCERPT_CHARACTERS);
  const whole = cut.length + from < text.length ? cut.replace(/\s\S*$/, ' …') : cut;
  const pattern = new RegExp(`(${words.map((word) => word.replace(/\W/g, '\\$&')).join('|')})`, 'gi');
  return `${from > 0 ? '… ' : ''}${whole}`.split(pattern);
}

export function sectionsOf(pages: readonly GuidePage[], base: string): Findable[] {
  return pages.flatMap(({ slug, title: page, sections }) =>
    sections.map(({ id, title, depth, text }) => ({
      page,
      title,
      href: `${base}/docs/${slug}${depth === 1 ? '' : `#${id}`}`,
      text,
    })),
  );
}

export function operationsOf({ info, paths }: Document, href: string): Findable[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, description }]) => ({
      page: info.title,
      title: summary,
      href: `${href}#${operationId}`,
      text: `${method.toUpperCase()} ${path} ${description.replaceAll('`', '')}`,
    })),
  );
}
