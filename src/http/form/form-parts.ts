import type { FastifyRequest } from 'fastify';
import type { Texts } from '../../languages/texts.ts';
import type { LiveForm } from '../../waitlist/forms/form.ts';
import type { Refusals } from '../../waitlist/forms/refusals.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import type { ReadBody } from '../plugins/body-reader.ts';
import type { RateLimiter } from '../plugins/rate-limit.ts';
import type { VerifyCaptcha } from './captcha.ts';

export interface FormParts {
  context: Context;
  publicUrl: string;
  hasMailServer: boolean;
  /** Of the installation's emails. null if it sends none. */
  sender: string | null;
  refusals: Refusals;
  readBody: ReadBody;
  verifyCaptcha: VerifyCaptcha;
  /** Reading forms and pages, per client. */
  reading: RateLimiter;
  /** Posting to forms, per client. */
  post: RateLimiter;
  /** Joining through a form, per waitlist: counts only what passed the checks, so that bots cannot use it up. */
  perWaitlist: RateLimiter;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for routes under `/form/v1`. */
    form?: LiveForm;
  }
}

export function isOwnOrigin(publicUrl: string, origin: string, { host }: FastifyRequest): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return origin === new URL(publicUrl).origin || url.host === host;
}

/** Where it is false, nobody should look for an email to confirm. */
export function canSend(
  { hasMailServer }: Pick<FormParts, 'hasMailServer'>,
  { environment }: Pick<Queue, 'environment'>,
): boolean {
  return hasMailServer && environment === 'production';
}

/** For somebody who has to confirm. */
export function askToConfirm(
  parts: Pick<FormParts, 'hasMailServer'>,
  queue: Queue,
  { joined, status, errors }: Texts,
): { title: string; text: string } {
  const { waitlist } = queue;
  return canSend(parts, queue)
    ? { title: joined.checkInboxTitle, text: joined.checkInbox(waitlist.name) }
    : { title: status.pending.title, text: errors.notEmailed };
}
