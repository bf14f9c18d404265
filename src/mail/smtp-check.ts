import type { Log } from '../log.ts';
import { reportState } from '../state-log.ts';
import { MAIL_SERVER } from './smtp.ts';
import { describeFailure, type SmtpError, type SmtpFailure } from './smtp-failure.ts';
import { openSession } from './smtp-session.ts';
import { readSmtpUrl } from './smtp-url.ts';

export interface SmtpCheck {
  /** `mail.example.com:587` */
  server: string;
  secure: boolean;
  loggedIn: boolean;
  /** undefined: all is well. */
  failure: SmtpFailure | undefined;
}

/** Connects, greets, starts TLS, logs in and leaves, as for a mail. */
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

/** Trouble that can be known at the start is told then, and not with the first mail. It keeps nothing from starting. */
export async function checkSmtpAtStart(log: Log, smtpUrl: string | undefined): Promise<void> {
  if (smtpUrl === undefined) return;
  const { server, failure } = await checkSmtp(smtpUrl);
  if (!failure) return;
  const state = failure.fault === 'unreachable' ? 'unreachable' : 'paused';
  reportState(log, MAIL_SERVER, state, { server, reason: failure.error, answer: failure.answer });
}
