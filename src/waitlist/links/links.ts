import { timingSafeEqual } from 'node:crypto';
import { HOUR_MS } from '../../lib/time.ts';
import type { Context } from '../queue/context.ts';
import type { OwnData } from '../queue/events.ts';
import type { Queue } from '../queue/queue.ts';
import { TAG_CHARACTERS } from '../queue/queue.ts';

/** What a link allows. A signature is valid for one purpose only. */
export type LinkPurpose = 'confirm' | 'leave' | 'status' | OwnData;

/** Who asked for it is waiting for the email. */
export const OWN_DATA_LINK_MS = HOUR_MS;

/** The entry, or the invite of a person without one. Uses ids, so that a link does not reveal an email. */
interface LinkSubject {
  /** `ent_…` or `inv_…` */
  id: string;
  at: number;
}

const SIGNATURE_BYTES = 16;
const SUBJECT = /^(?:ent|inv)_[0-9a-z]{26}$/;
const TIME_CHARACTERS = 9;

/** Queue tag, id, time in base 36, signature: it can be verified without being stored. */
export function signLink(queue: Queue, purpose: LinkPurpose, { id, at }: LinkSubject): string {
  const time = at.toString(36).padStart(TIME_CHARACTERS, '0');
  return `${queue.tag}${id}${time}${signature(queue, purpose, `${id}${time}`)}`;
}

function signature({ vault }: Queue, purpose: LinkPurpose, text: string): string {
  return vault.hash('link', `${purpose} ${text}`).subarray(0, SIGNATURE_BYTES).toString('base64url');
}

export async function queueOfLink({ registry }: Context, token: string): Promise<Queue | undefined> {
  return /^[\w-]{1,200}$/.test(token) ? registry.queueByTag(token.slice(0, TAG_CHARACTERS)) : undefined;
}

/** Returns undefined if it was not signed here for this purpose. */
export function readLink(queue: Queue, purpose: LinkPurpose, token: string): LinkSubject | undefined {
  const id = token.slice(TAG_CHARACTERS, TAG_CHARACTERS + 30);
  const time = token.slice(TAG_CHARACTERS + 30, TAG_CHARACTERS + 30 + TIME_CHARACTERS);
  if (!SUBJECT.test(id) || !/^[0-9a-z]{9}$/.test(time)) return undefined;
  const signed = Buffer.from(signLink(queue, purpose, { id, at: Number.parseInt(time, 36) }));
  const given = Buffer.from(token);
  const same = signed.length === given.length && timingSafeEqual(signed, given);
  return same ? { id, at: Number.parseInt(time, 36) } : undefined;
}

/** Whether it was mailed to an email that the entry no longer has. */
export function isForFormerEmail(
  { addressed_at }: { readonly addressed_at: number | null },
  { at }: { readonly at: number },
): boolean {
  return addressed_at !== null && at < addressed_at;
}

/** Fills in a pattern such as `https://app.example.com/join?code={code}`. */
export function fillPattern(pattern: string, name: string, value: string): string {
  return pattern.replaceAll(`{${name}}`, encodeURIComponent(value));
}

/** Leads to the waitlist's own page if it has one, otherwise to ours. */
export function joinLink(joinUrl: string | null, publicUrl: string, code: string): string {
  return fillPattern(joinUrl ?? `${publicUrl}/join/{code}`, 'code', code);
}

/** Leads to the waitlist's own page if it has one, otherwise to ours. */
export function confirmLink(confirmUrl: string | null, publicUrl: string, token: string): string {
  return fillPattern(confirmUrl ?? `${publicUrl}/confirm/{token}`, 'token', token);
}

/** The page on which a person downloads or deletes their data. */
export function ownDataLink(queue: Queue, publicUrl: string, purpose: OwnData, subject: LinkSubject): string {
  return `${publicUrl}/data/${signLink(queue, purpose, subject)}`;
}

/** The status page of an entry, for the person it belongs to. */
export function statusLink(queue: Queue, publicUrl: string, subject: LinkSubject): string {
  return `${publicUrl}/s/${signLink(queue, 'status', subject)}`;
}
