import type { Log } from '../../lib/log.ts';
import { reportState } from '../../lib/state-log.ts';
import { MAIL_SERVER } from '../../waitlist/queue/mail-pause.ts';
import { describeFailure, type SmtpError, type SmtpFailure } from './failure.ts';
import { openSession } from './session.ts';
import { readSmtpUrl } from './url.ts';

interface SmtpCheck {
  /** `mail.example.com:587` */
  server: string;
  secure: boolean;
  loggedIn: boolean;
  /** undefined if all is well. */
  failure: SmtpFailure | undefined;
}

/** Connects, greets, starts TLS, logs in and quits, as for a mail. */
export async function checkSmtp(smtpUrl: string): Promise<SmtpCheck> {
  const server = readSmtpUrl(smtpUrl);
  try {
    const session = await openSession(server);
    session.quit();
    const { secure, loggedIn } = session;
    return { server: server.shown, secure, loggedIn, failure: undefined };
  } catch (error) {
    const failure = describeFailure(error as SmtpError, server);
    return { server: server.shown, secure: false, loggedIn: false, failure };
  }
}

/** Reports problems at startup instead of with the first mail. Never prevents the start. */
export async function checkSmtpAtStart(log: Log, smtpUrl: string): Promise<void> {
  const { server, failure } = await checkSmtp(smtpUrl);
  if (!failure) return;
  const state = failure.fault === 'unreachable' ? 'unreachable' : 'paused';
  reportState(log, MAIL_SERVER, state, { server, reason: failure.error, answer: failure.answer });
}
