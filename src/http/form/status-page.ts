import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Texts } from '../../languages/texts.ts';
import { notFound } from '../../lib/errors.ts';
import { formOf } from '../../waitlist/forms/form.ts';
import {
  mailStatusLink,
  type PersonStatus,
  personStatus,
  requestConfirmation,
  requestOwnData,
} from '../../waitlist/forms/person-status.ts';
import { canBeEmailed } from '../../waitlist/links/suppression.ts';
import { OWN_DATA } from '../../waitlist/queue/events.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { type Html, html } from '../docs/html.ts';
import { sendBrandedPage } from '../pages/branded-page.ts';
import { button, lookOf, onward } from '../pages/page.ts';
import { inSameLanguage, pageRoute, TokenParams, wantsJson } from '../pages/page-parts.ts';
import { textsFor } from '../request-language.ts';
import type { TypedApp } from '../typed-app.ts';
import { canSend, type FormParts } from './form-parts.ts';
import { isAllowedOrigin } from './post.ts';
import { presentStatus } from './present-status.ts';

/** A person's place in line. The link is their secret: it comes by mail, or right after joining. */
export function registerStatusPage(app: TypedApp, parts: FormParts): void {
  const { context, reading, post } = parts;
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    person: PersonStatus | undefined,
    token: string,
    { up = '../', notice }: { up?: string; notice?: string | undefined } = {},
  ) => {
    const texts = textsFor(request);
    if (!person) return sendBrandedPage(reply, unknownPage(texts));
    const brand = await lookOf(parts, person.queue);
    const status = await presentStatus(parts, texts, person);
    const link = (path: string) => inSameLanguage(request, up + path);
    const next = person.status === 'joined' ? await onward(parts, person.queue, texts) : undefined;
    const ways = await waysOut(parts, texts, person, { token, link });
    const { title, content } = contentOf(texts, person, status, { token, link, next, ways });
    return sendBrandedPage(reply, {
      texts,
      brand,
      title,
      content: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}${content}${isOpen(person) && html`<span data-status="${person.status}" hidden></span>`}`,
      // What answers a post cannot be loaded again.
      script: up === '../' ? '../status.js' : undefined,
    });
  };

  app.get('/s/:token', pageRoute(reading, TokenParams), async (request, reply) => {
    const { token } = request.params;
    const person = await personStatus(context, token);
    if (!wantsJson(request)) return show(request, reply, person, token);
    if (!person) throw notFound('this link is invalid, or its entry is no longer on the waitlist');
    await allowOrigin(parts, request, reply, person);
    const shown = await presentStatus(parts, textsFor(request), person);
    const etag = `"${createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22)}"`;
    reply.header('etag', etag);
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : shown;
  });
  for (const action of ['resend', 'leave', ...OWN_DATA])
    app.get(`/s/:token/${action}`, pageRoute(reading, TokenParams), async (request, reply) =>
      reply.redirect(inSameLanguage(request, `../${encodeURIComponent(request.params.token)}`)),
    );
  app.post('/s/:token/resend', pageRoute(post, TokenParams), async (request, reply) => {
    const { token } = request.params;
    const person = await requestConfirmation(context, token);
    const { status, errors } = textsFor(request);
    const isSent = person && (await canBeMailed(parts, person.queue, person.seq));
    const notice = isSent ? status.resent : errors.notEmailed;
    return show(request, reply, person, token, {
      up: '../../',
      ...(person?.status === 'pending' && { notice }),
    });
  });
  app.post('/s/:token/leave', pageRoute(post, TokenParams), async (request, reply) => {
    const texts = textsFor(request);
    const { token } = request.params;
    const person = await mailStatusLink(context, token);
    if (!person) return sendBrandedPage(reply, unknownPage(texts));
    // Whether the address bounced is not for somebody who only typed it.
    if (!canSend(parts, person.queue))
      return show(request, reply, person, token, { up: '../../', notice: texts.errors.notEmailed });
    return checkInbox(reply, person, texts, texts.status.resent);
  });
  for (const purpose of OWN_DATA)
    app.post(`/s/:token/${purpose}`, pageRoute(post, TokenParams), async (request, reply) => {
      const texts = textsFor(request);
      const { token } = request.params;
      const person = await personStatus(context, token);
      if (!person) return sendBrandedPage(reply, unknownPage(texts));
      if (!(await canGetData(parts, person)))
        return show(request, reply, person, token, { up: '../../', notice: texts.errors.notEmailed });
      await requestOwnData(context, person, purpose);
      return checkInbox(reply, person, texts, texts.ownData.sent);
    });
  const checkInbox = async (reply: FastifyReply, { queue }: PersonStatus, texts: Texts, text: string) =>
    sendBrandedPage(reply, {
      texts,
      brand: await lookOf(parts, queue),
      title: texts.joined.checkInboxTitle,
      content: html`<p>${text}</p>`,
    });
}

/** Who only typed the address is not told whether it gets emails. */
async function canGetData(parts: FormParts, { queue, seq, leaveToken }: PersonStatus): Promise<boolean> {
  return leaveToken === null ? canSend(parts, queue) : canBeMailed(parts, queue, seq);
}

async function canBeMailed(parts: FormParts, queue: Queue, seq: number): Promise<boolean> {
  return parts.hasMailServer && canBeEmailed(parts.context, queue, seq);
}

/** Whether something may still change. */
function isOpen({ status }: PersonStatus): boolean {
  return status === 'pending' || status === 'waiting' || status === 'invited';
}

function unknownPage(texts: Texts) {
  const { title, text } = texts.status.unknown;
  return { status: 404, texts, title, content: html`<p>${text}</p>` };
}

async function allowOrigin(
  parts: FormParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { queue }: PersonStatus,
): Promise<void> {
  const { origin } = request.headers;
  reply.header('vary', 'origin');
  if (origin === undefined) return;
  const form = await formOf(parts.context, queue);
  if (form.key !== null && isAllowedOrigin(parts, request, { ...form, key: form.key }, origin))
    reply.header('access-control-allow-origin', origin);
}

type Presented = Awaited<ReturnType<typeof presentStatus>>;

interface Way {
  token: string;
  /** From the page to another one of this site. */
  link: (path: string) => string;
  /** How somebody who has joined goes on. */
  next: Html | undefined;
  /** At the end of the page. */
  ways: Html;
}

function contentOf(texts: Texts, person: PersonStatus, shown: Presented, way: Way) {
  const { name } = person.queue.waitlist;
  const say = (title: string, more?: Html) => ({
    title,
    content: html`<p data-text>${shown.statusText ?? ''}</p>${more}`,
  });
  switch (person.status) {
    case 'pending':
      return say(
        texts.status.pending.title,
        html`${button(way.link(`s/${way.token}/resend`), texts.status.resend)}${way.ways}`,
      );
    case 'invited':
      return say(texts.status.invited.title, way.ways);
    case 'joined':
      return say(texts.status.joined.title, html`${way.next}${way.ways}`);
    case 'removed':
      return say(texts.status.removed.title, way.ways);
    case 'waiting':
      return {
        title: texts.status.title(name),
        content: html`${figures(texts, person, shown)}${shareHtml(texts, shown)}${way.ways}`,
      };
  }
}

function figures({ status }: Texts, { referrals }: PersonStatus, shown: Presented): Html {
  return html`<div class="figures" aria-live="polite"><div><p class="label">${status.positionLabel}</p><p class="position">${shown.positionShown ?? ''}</p></div></div>
${shown.positionReasons !== null && html`<p class="reasons">${shown.positionReasons}</p>`}
${(shown.shareUrl !== null || referrals > 0) && html`<p class="referred">${shown.referralsText}</p>`}`;
}

function shareHtml(
  { share }: Texts,
  { shareUrl, shareTitle, shareText, post, links }: Presented,
): Html | undefined {
  if (shareUrl === null) return undefined;
  return html`<h2>${shareTitle}</h2>
<p>${shareText}</p>
<p class="label">${share.linkLabel}</p>
<p class="link" data-link>${shareUrl}</p>
<div class="actions"><button type="button" data-copy="${share.copied}" aria-live="polite" hidden>${share.copy}</button><button type="button" class="second" data-share="${post}" hidden>${share.share}</button></div>
<ul class="networks">${links.map(({ name, label, url }) => html`<li><a href="${url}" target="_blank" rel="noopener noreferrer" aria-label="${label}">${name}</a></li>`)}</ul>`;
}

/** Ways to leave, and to one's data. */
async function waysOut(
  parts: FormParts,
  texts: Texts,
  person: PersonStatus,
  { token, link }: Pick<Way, 'token' | 'link'>,
): Promise<Html> {
  const ask = (action: string, words: string) =>
    html`<form method="post" action="${link(`s/${token}/${action}`)}"><button class="plain">${words}</button></form>`;
  const { leaveToken, status } = person;
  // The owner goes to the page that mails link to. Who only typed the address gets that link by mail.
  const leave =
    leaveToken === null
      ? ask('leave', texts.status.leave)
      : html`<div><a href="${link(`leave/${leaveToken}`)}">${texts.status.leave}</a></div>`;
  const { download, delete: erase } = texts.ownData;
  const data = { download, deletion: erase };
  const asks = (await canGetData(parts, person))
    ? OWN_DATA.map((purpose) => ask(purpose, data[purpose]))
    : [];
  const ways = status === 'removed' ? asks : [leave, ...asks];
  return html`${ways.length > 0 && html`<div class="apart ways">${ways}</div>`}`;
}
