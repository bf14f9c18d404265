import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Texts } from '../../languages/texts.ts';
import { checkOwnDataLink, deleteOwnData, type OwnDataLink } from '../../waitlist/links/own-data.ts';
import { downloadOwnData } from '../../waitlist/transfer/export/export-person.ts';
import { presentOwnData } from '../../wire/export.ts';
import { html } from '../docs/html.ts';
import { textsFor } from '../request-language.ts';
import type { TypedApp } from '../typed-app.ts';
import { button, lookOf, noticePage, type Page, sendPage } from './page.ts';
import { inSameLanguage, type PageParts, pageRoute, TokenParams } from './page-parts.ts';

/** Behind the links that people ask for on their status page. Opening one changes nothing: mail scanners do that. */
export function registerOwnDataPage(app: TypedApp, parts: PageParts): void {
  const { context, asPerson } = parts;
  app.get('/data/:token', pageRoute(parts.reading, TokenParams), async (request, reply) => {
    const { token } = request.params;
    const link = await checkOwnDataLink(context, token);
    return show(parts, request, reply, link, token);
  });
  app.post('/data/:token', pageRoute(parts.acting, TokenParams), async (request, reply) => {
    const { token } = request.params;
    const link = await checkOwnDataLink(context, token);
    if (!link || link.isExpired) return show(parts, request, reply, link, token);
    const { purpose, queue, entryId } = link;
    if (purpose === 'download')
      return sendFile(reply, presentOwnData(await downloadOwnData(asPerson, queue, entryId)));
    if (!(await deleteOwnData(asPerson, queue, entryId)))
      return show(parts, request, reply, undefined, token);
    const texts = textsFor(request);
    const { leftTitle: title, left } = texts.leave;
    const page = noticePage({ title, text: left(queue.waitlist.name) });
    return sendPage(reply, page, texts, await lookOf(parts, queue));
  });
}

async function show(
  parts: PageParts,
  request: FastifyRequest,
  reply: FastifyReply,
  link: OwnDataLink | undefined,
  token: string,
): Promise<string> {
  const texts = textsFor(request);
  if (!link) return sendPage(reply, noticePage(texts.leave.unknown, 404), texts);
  const page = pageFor(link, (path) => inSameLanguage(request, `../${path}`), texts, token);
  return sendPage(reply, page, texts, await lookOf(parts, link.queue));
}

function pageFor(
  { purpose, isExpired, queue, statusToken }: OwnDataLink,
  link: (path: string) => string,
  { ownData }: Texts,
  token: string,
): Page {
  if (isExpired)
    return {
      status: 410,
      title: ownData.expired.title,
      content: html`<p>${ownData.expired.text}</p>
<a class="button" href="${link(`s/${statusToken}`)}">${ownData.askAgain}</a>`,
    };
  const { name } = queue.waitlist;
  const shown =
    purpose === 'download'
      ? { title: ownData.downloadTitle, text: ownData.downloadText(name), words: ownData.download }
      : { title: ownData.deleteTitle, text: ownData.deleteText(name), words: ownData.delete };
  return {
    title: shown.title,
    content: html`<p>${shown.text}</p>
${button(link(`data/${token}`), shown.words, purpose === 'deletion')}`,
  };
}

function sendFile(reply: FastifyReply, data: object): Buffer {
  reply
    .type('application/json; charset=utf-8')
    .header('content-disposition', 'attachment; filename="my-data.json"');
  return Buffer.from(`${JSON.stringify(data, null, 2)}\n`);
}
