import type { Log } from '../../lib/log.ts';
import { reportState } from '../../lib/state-log.ts';
import type { Attempt } from '../../outbox/delivery.ts';
import { EVERYONE, MAIL_SERVER } from '../../waitlist/queue/mail-pause.ts';
import type { SmtpFailure } from './failure.ts';
import type { MailServer } from './mail-server.ts';
import type { RefusedDelivery } from './refusals.ts';
import type { SmtpAnswer } from './smtp.ts';

export const KEPT: Attempt<never> = {
  ok: true,
  status: null,
  error: null,
  response: null,
  durationMs: 0,
  retryAfterMs: 0,
};

export const deferred = (error: string, deferMs: number): Attempt<never> => ({
  ...KEPT,
  ok: false,
  error,
  deferMs,
});

/** By then, a server that delays unknown senders (greylisting) has let them pass. */
const PATIENT_TRIES = 4;

interface Sent {
  sender: string;
  recipient: string;
  delivery: RefusedDelivery;
}

/** What becomes of an email after the server's answer, and what that says about sending as a whole. */
export function concludeAttempt(
  { log }: { readonly log: Log },
  server: Pick<MailServer, 'pauses' | 'refusals'> & { shown: string },
  sent: Sent,
  answer: SmtpAnswer,
): Attempt<string> {
  const { pauses, refusals, shown } = server;
  const fields = { server: shown };
  const { sender } = sent;
  const pauseFor = (name: string, failure: SmtpFailure, state = 'paused') => {
    const { error, answer } = failure;
    reportState(log, name, state, { ...fields, reason: error, answer });
    return pauses.begin(name, { error, answer }).leftMs;
  };

  if (!answer.ok && (answer.fault === 'refused' || answer.fault === 'unreachable')) {
    const { status, error, response } = answer;
    const leftMs = pauseFor(MAIL_SERVER, answer, answer.fault === 'refused' ? 'paused' : 'unreachable');
    return { ...deferred(error, leftMs), status, response };
  }
  // Any response means that the server is reachable.
  pauses.end(MAIL_SERVER);
  reportState(log, MAIL_SERVER, 'ok', fields);
  if (answer.ok) {
    refusals.forget(sender);
    for (const name of [EVERYONE, sender]) if (pauses.end(name)) reportState(log, name, 'ok', fields);
    pauses.worked(MAIL_SERVER, EVERYONE, sender);
    return { ...KEPT, status: 250, response: answer.response };
  }
  const { status, error, response, kind, fault } = answer;
  const failed = { ...KEPT, ok: false, status, error, response };
  const counts = kind !== null && (fault !== 'passing' || sent.delivery.tries >= PATIENT_TRIES);
  if (!counts) return { ...failed, final: fault === 'recipient' || fault === 'mail' };
  const paused = [EVERYONE, sender].filter((name) => pauses.find(name));
  if (paused.length > 0) {
    const leftMs = Math.max(...paused.map((name) => pauseFor(name, answer)));
    return { ...failed, deferMs: leftMs };
  }
  const verdict = refusals.note({ ...sent, kind });
  if (verdict.refused === 'recipient' && fault !== 'sender') return { ...failed, final: fault !== 'passing' };
  const leftMs = pauseFor(verdict.refused === 'everyone' ? EVERYONE : sender, answer);
  const reopens = verdict.refused === 'recipient' ? [] : verdict.earlier;
  return { ...failed, reopens, ...(isCertain(kind) ? { deferMs: leftMs } : { retryAfterMs: leftMs }) };
}

/**
 * A refused `MAIL FROM` cannot be about the recipient. Otherwise the email that begins a pause uses up a retry: one
 * that is refused while others are accepted must end.
 */
function isCertain(kind: string): boolean {
  return kind.startsWith('MAIL FROM');
}
