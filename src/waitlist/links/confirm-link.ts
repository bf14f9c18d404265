import { sharedNow } from '../../db/shared-clock.ts';
import type { Status } from '../../db/tables.ts';
import { parseId } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/time.ts';
import { confirmEntry } from '../entries/confirm-entry.ts';
import { standingOf } from '../entries/move-entry.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { isForFormerEmail, queueOfLink, readLink, signLink } from './links.ts';
import { canBeEmailed } from './suppression.ts';

const LINK_MS = 7 * DAY_MS;

type ConfirmState = 'ready' | 'confirmed' | 'expired' | 'unknown';

export interface ConfirmLink {
  state: ConfirmState;
  /** The waitlist's name, unless the link is unknown. */
  waitlist: string;
  /** For the person's status page, once the email is confirmed. */
  statusToken?: string;
  /** Of a link that was to be renewed: whether the address can be emailed. */
  mailable?: boolean;
}

const UNKNOWN: ConfirmLink = { state: 'unknown', waitlist: '' };

/** Returns what following the link would do. Changes nothing. */
export async function checkConfirmLink(context: Context, token: string): Promise<ConfirmLink> {
  const found = await openLink(context, token);
  if (!found) return UNKNOWN;
  const { queue, entry, at } = found;
  const expired = (await sharedNow(context)) - at > LINK_MS;
  const state = standingOf(entry) !== 'pending' ? 'confirmed' : expired ? 'expired' : 'ready';
  return { state, waitlist: queue.waitlist.name, ...(state === 'confirmed' && statusOf(found)) };
}

/** Confirms the entry once, and returns the resulting state. */
export async function followConfirmLink(context: Context, token: string): Promise<ConfirmLink> {
  const link = await checkConfirmLink(context, token);
  const found = link.state === 'ready' ? await openLink(context, token) : undefined;
  if (!found) return link;
  await confirmEntry(context, found.queue, found.id);
  return { ...link, state: 'confirmed', ...statusOf(found) };
}

/** Requests a new link to replace an expired one. */
export async function renewConfirmLink(context: Context, token: string): Promise<ConfirmLink> {
  const link = await checkConfirmLink(context, token);
  const found = link.state === 'expired' ? await openLink(context, token) : undefined;
  if (!found) return link;
  await changeQueue(context, found.queue, async (change) => {
    change.record({ kind: 'confirmation.requested', entry: found.entry.seq });
  });
  return { ...link, mailable: await canBeEmailed(context, found.queue, found.entry.seq) };
}

function statusOf({ queue, id, at }: OpenLink): { statusToken: string } {
  return { statusToken: signLink(queue, 'status', { id, at }) };
}

interface OpenLink {
  queue: Queue;
  id: string;
  at: number;
  entry: { seq: number; status: Status; declined_from: Status | null };
}

async function openLink(context: Context, token: string): Promise<OpenLink | undefined> {
  const queue = await queueOfLink(context, token);
  const subject = queue && readLink(queue, 'confirm', token);
  const id = subject && parseId('ent', subject.id);
  if (!queue || !subject || !id) return undefined;
  const entry = await context.db.query
    .selectFrom('entry')
    .select(['seq', 'status', 'declined_from', 'addressed_at'])
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!entry || entry.status === 'removed' || isForFormerEmail(entry, subject)) return undefined;
  return { queue, entry, ...subject };
}
