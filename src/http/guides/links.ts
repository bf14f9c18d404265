import path from 'node:path';
import type { Source } from './contents.ts';
import { slugOf } from './headings.ts';

const FENCED = /(^```.*?^```$)/ms;
const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/**
 * The text with links that work where the site has the page, `queue.md#order`. What the site does not have, such as a
 * directory of the repository, is only named.
 */
export function withSiteLinks(text: string, file: string, pages: readonly Source[]): string {
  return text
    .split(FENCED)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part.replace(LINK, (_, label: string, target: string) => {
            const found = siteLink(target, file, pages);
            return found === undefined ? label : `[${label}](${found})`;
          }),
    )
    .join('');
}

function siteLink(target: string, file: string, pages: readonly Source[]): string | undefined {
  if (/^(https?:|#)/.test(target)) return target;
  const [name = '', anchor] = target.split('#');
  const named = path.posix.join(path.posix.dirname(file), name);
  const [, picture] = /^docs\/((?:images|emails)\/.+)$/.exec(named) ?? [];
  if (picture !== undefined) return picture;
  const page = pages.find((each) => each.file === named && hasAnchor(each, anchor));
  return page && `${page.slug}.md${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Of a file that is shown in parts, only some sections are there. */
function hasAnchor({ part }: Source, anchor: string | undefined): boolean {
  return !part || anchor === undefined || part.sections.some((title) => slugOf(title) === anchor);
}
