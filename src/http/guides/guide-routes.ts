import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../lib/errors.ts';
import { COMMAND, ROOT } from '../../lib/root.ts';
import type { Document } from '../docs/document.ts';
import type { Related } from '../docs/reference-page.ts';
import { originOf, sendPage } from '../plugins/docs.ts';
import { NOTHING_HERE } from '../plugins/errors.ts';
import { GUIDE_POLICY, guidePage, type Surroundings, searchPage } from './guide-page.ts';
import { type Findable, operationsOf, QUERY_CHARACTERS_MAX, search, sectionsOf } from './search.ts';
import { llmsFullText, llmsText, readSite, type Site } from './site.ts';

interface ApiReference extends Related {
  document: () => Document;
}

const PICTURE = /^[\w-]+\.(?:png|webp)$/;
const PICTURE_HEADERS = { 'cache-control': 'public, max-age=3600' };

/** The documentation as pages, and as Markdown. Read when somebody first asks. Returns what references link to. */
export function registerGuides(
  app: FastifyInstance,
  { base, references }: { base: string; references: readonly ApiReference[] },
): () => readonly Related[] {
  let site: Site | undefined;
  let index: Findable[] | undefined;
  const open = () => {
    site ??= readSite(ROOT, COMMAND);
    return site;
  };
  const around = (): Surroundings => ({
    site: open(),
    base,
    references: references.map(({ title, path: where }) => ({ title, path: base + where })),
  });
  const openIndex = () => {
    index ??= [
      ...sectionsOf(open().pages, base),
      ...references.flatMap(({ document, path: where }) => operationsOf(document(), base + where)),
    ];
    return index;
  };
  const route = { schema: { hide: true } as object };

  app.get('/docs/search', route, async (request, reply) => {
    const { q } = request.query as { q?: unknown };
    const query = typeof q === 'string' ? q.slice(0, QUERY_CHARACTERS_MAX) : '';
    const page = searchPage(query, search(openIndex(), query), around());
    return sendPage(request, reply, { page, policy: GUIDE_POLICY });
  });
  app.get('/docs/:page', route, async (request, reply) => {
    const [, slug, isMarkdown] = /^([\w-]+)(\.md)?$/.exec((request.params as { page: string }).page) ?? [];
    const page = open().pages.find((each) => each.slug === slug);
    if (!page) throw notFound(NOTHING_HERE);
    if (isMarkdown) return reply.type('text/markdown; charset=utf-8').send(page.markdown);
    return sendPage(request, reply, { page: guidePage(page, around()), policy: GUIDE_POLICY });
  });
  for (const folder of ['images', 'emails']) {
    app.get(`/docs/${folder}/:name`, route, async (request, reply) => {
      const { name } = request.params as { name: string };
      const content =
        PICTURE.test(name) && (await readFile(path.join(ROOT, 'docs', folder, name)).catch(() => false));
      if (!content) throw notFound(NOTHING_HERE);
      return reply
        .headers(PICTURE_HEADERS)
        .type(`image/${path.extname(name).slice(1)}`)
        .send(content);
    });
  }
  app.get('/llms.txt', route, async (request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llmsText(open(), originOf(request) + base)),
  );
  app.get('/llms-full.txt', route, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llmsFullText(open())),
  );
  return () => open().pages.map(({ slug, title }) => ({ title, path: `${base}/docs/${slug}` }));
}
