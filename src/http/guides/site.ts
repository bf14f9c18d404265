import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Html } from '../docs/html.ts';
import { CONTENTS, type Source } from './contents.ts';
import { type Section, sectionsIn } from './headings.ts';
import { withSiteLinks } from './links.ts';
import { renderMarkdown } from './render.ts';

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

/** As the documentation writes commands. */
const WRITTEN_COMMAND = 'npm run -s doorlist --';

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
  const markdown = withSiteLinks(text, source.file, sources).replaceAll(WRITTEN_COMMAND, command);
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

function partOf(text: string, part: Source['part']): string {
  if (!part) return text;
  const { title, sections } = part;
  const all = text.split(/^(?=## )/m);
  const chosen = sections.map((name) => all.find((each) => each.startsWith(`## ${name}\n`)) ?? '');
  // A page of one section needs no title twice.
  const body = chosen.join('').replace(sections.length === 1 ? /^## .*\n+/ : '', '');
  return `# ${title}\n\n${body.trim()}\n`;
}
