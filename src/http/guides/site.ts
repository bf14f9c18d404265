import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CHECKOUT_COMMAND, startFor } from '../../lib/root.ts';
import type { Html } from '../docs/html.ts';
import { CONTENTS, type Source } from './contents.ts';
import { renderMarkdown, type Section, sectionsIn, withSiteLinks } from './render.ts';

export interface GuidePage extends Source {
  title: string;
  markdown: string;
  sections: readonly Section[];
  /** Rendered when it is first asked for. */
  content(): Html;
}

export interface Site {
  groups: readonly { title: string; pages: readonly GuidePage[]; isOptional?: true }[];
  pages: readonly GuidePage[];
}

/** The documentation of this release, read from the files that came with it. `command` is how its reader runs one. */
export function readSite(root: string, command: string): Site {
  const sources = CONTENTS.flatMap(({ pages }) => pages);
  const groups = CONTENTS.map((group) => ({
    ...group,
    pages: group.pages.map((source) => readPage(root, source, sources, command)),
  }));
  return { groups, pages: groups.flatMap(({ pages }) => pages) };
}

function readPage(root: string, source: Source, sources: readonly Source[], command: string): GuidePage {
  const text = partOf(readFileSync(path.join(root, source.file), 'utf8'), source.part);
  const markdown = withCommands(withSiteLinks(text, source.file, sources), command);
  const sections = sectionsIn(markdown);
  let content: Html | undefined;
  return {
    ...source,
    title: sections[0]?.title ?? source.slug,
    markdown,
    sections,
    content: () => {
      content ??= renderMarkdown(markdown);
      return content;
    },
  };
}

/** In place of those of a checkout, as the documentation writes them. What is about a checkout stays. */
function withCommands(markdown: string, command: string): string {
  if (command === CHECKOUT_COMMAND) return markdown;
  return markdown
    .replaceAll(CHECKOUT_COMMAND, command)
    .replace(/npm run demo(?: --(?= -))?/g, `${command} demo`)
    .replace(/^((?:[A-Z_]+=\S+ )+)npm start$/gm, `$1${startFor(command)}`);
}

function partOf(text: string, part: Source['part']): string {
  if (!part) return text;
  const { title, sections } = part;
  const all = text.split(/^(?=## )/m);
  const chosen = sections.map((name) => all.find((each) => each.startsWith(`## ${name}\n`)) ?? '');
  // A page of one section needs no title twice.
  const body = chosen.join('').replace(sections.length === 1 ? /^## .*\n+/ : '', '');
  return `# ${title}\n\n${body.trim()}\n`;
}

const SUMMARY =
  'Doorlist is a self-hosted waitlist service: signups through a JSON API or a form, exact positions, referrals, and single-use invite codes.';

/** A list of pages for language models, as https://llmstxt.org describes it. `address` is that of the installation. */
export function llmsText({ groups }: Site, address: string): string {
  const list = (title: string, pages: readonly GuidePage[]) => {
    const items = pages.map((page) => `- [${page.title}](${address}/docs/${page.slug}.md): ${page.about}`);
    return `## ${title}\n\n${items.join('\n')}\n`;
  };
  const apis = `## API

- [OpenAPI document](${address}/openapi.json): the public API, with examples and errors.
- [OpenAPI document of the admin API](${address}/admin/openapi.json): everything that the dashboard does.
`;
  const optional = groups.filter(({ isOptional }) => isOptional).flatMap(({ pages }) => pages);
  const wanted = groups.filter(({ isOptional }) => !isOptional);
  return [
    `# Doorlist\n\n> ${SUMMARY}\n`,
    ...wanted.map(({ title, pages }) => list(title, pages)),
    apis,
    list('Optional', optional),
  ].join('\n');
}

/** All pages but the optional ones, in one file. */
export function llmsFullText({ groups }: Site): string {
  const pages = groups.filter(({ isOptional }) => !isOptional).flatMap((group) => group.pages);
  return pages.map(({ markdown }) => markdown).join('\n');
}
