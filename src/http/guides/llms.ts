import type { GuidePage, Site } from './site.ts';

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
