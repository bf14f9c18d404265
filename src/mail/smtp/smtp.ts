import MailComposer from 'nodemailer/lib/mail-composer';
import type { Sign } from './dkim.ts';
import { describeFailure, type SmtpError, type SmtpFailure } from './failure.ts';
import type { Mail } from './mail.ts';
import { type Letter, openSession, type SmtpSession } from './session.ts';
import { readSmtpUrl, type SmtpServer } from './url.ts';

/** Some servers close a connection after 100. */
const MAILS_A_SESSION = 100;
/** Sooner than servers close idle connections. */
const IDLE_MS_MAX = 20_000;

export interface Envelope {
  messageId: string;
  /** Determines the MIME boundaries, so that the same mail has the same bytes. */
  seed: string;
  kind: string;
  at: number;
  /** Where bounces are sent, if it is not the sender. */
  bounceAddress?: string | undefined;
}

export type SmtpAnswer = { ok: true; response: string } | ({ ok: false } & SmtpFailure);

export interface Smtp {
  readonly server: SmtpServer;
  /**
   * Calls `mayBegin` once there is a connection, before sending anything of the mail. Returns undefined if it
   * returned false.
   */
  send(mail: Mail, envelope: Envelope, mayBegin?: () => boolean): Promise<SmtpAnswer | undefined>;
  close(): void;
}

/** Sends over connections that are kept open for a while. Callers limit how many mails are sent at once. */
export function connectSmtp(
  smtpUrl: string,
  { endOfDataMs, sign }: { endOfDataMs?: number | undefined; sign?: Sign | undefined } = {},
): Smtp {
  const server = readSmtpUrl(smtpUrl);
  const idle = new Map<SmtpSession, NodeJS.Timeout>();
  const busy = new Set<SmtpSession>();
  let closed = false;

  const takeIdle = (): SmtpSession | undefined => {
    for (const [session, timer] of idle) {
      clearTimeout(timer);
      idle.delete(session);
      if (session.isOpen) return session;
    }
    return undefined;
  };
  const putBack = (session: SmtpSession) => {
    if (!session.isOpen) return;
    if (closed || session.used >= MAILS_A_SESSION) {
      session.quit();
      return;
    }
    const timer = setTimeout(() => {
      idle.delete(session);
      session.quit();
    }, IDLE_MS_MAX);
    idle.set(session, timer.unref());
  };
  const sendOver = async (
    session: SmtpSession,
    letter: Letter,
    mayBegin: () => boolean,
  ): Promise<string | undefined> => {
    busy.add(session);
    try {
      return mayBegin() ? await session.send(letter) : undefined;
    } finally {
      busy.delete(session);
      putBack(session);
    }
  };
  /** The server may just have closed a kept connection: then the mail is sent over a new one. */
  const sendLetter = async (letter: Letter, mayBegin: () => boolean): Promise<string | undefined> => {
    const kept = takeIdle();
    if (kept) {
      try {
        return await sendOver(kept, letter, mayBegin);
      } catch (error) {
        if (!wasDropped(error as SmtpError)) throw error;
      }
    }
    return sendOver(await openSession(server, endOfDataMs), letter, mayBegin);
  };

  return {
    server,
    send: async (mail, envelope, mayBegin = () => true) => {
      const letter = await write(mail, envelope, sign);
      try {
        const response = await sendLetter(letter, mayBegin);
        return response === undefined ? undefined : { ok: true, response };
      } catch (error) {
        const failure = describeFailure(error as SmtpError, server, withoutToken(letter));
        // Part of it was sent, and it may have arrived, so it must not be retried forever.
        const counts = failure.fault === 'unreachable' && (error as SmtpError).begun === true;
        return { ok: false, ...failure, ...(counts ? { fault: 'passing' as const } : {}) };
      }
    },
    close: () => {
      closed = true;
      for (const [session, timer] of idle) {
        clearTimeout(timer);
        session.quit();
      }
      for (const session of busy) session.close();
    },
  };
}

/** Whoever knows the token of an email can report that it bounced. It is in no log, and in no answer that is shown. */
function withoutToken({ from, to }: Letter): { from: string; to: string } {
  return { from: from.replace(/\+[^@]*@/, '@'), to };
}

/** Before any of the mail was sent. */
function wasDropped({ code = '', responseCode, begun }: SmtpError): boolean {
  return begun !== true && (responseCode === 421 || code === 'ECONNECTION' || code === 'ESOCKET');
}

async function write(mail: Mail, envelope: Envelope, sign: Sign | undefined): Promise<Letter> {
  const message = new MailComposer(toMessage(mail, envelope)).compile();
  const { from, to } = message.getEnvelope();
  const bytes = await message.build();
  return { from: String(from), to: String(to[0] ?? ''), bytes: sign ? await sign(bytes) : bytes };
}

export function toMessage(mail: Mail, { messageId, seed, kind, at, bounceAddress }: Envelope) {
  const { from, replyTo, to, subject, text, html, unsubscribeLink } = mail;
  return {
    // As objects and separate from the headers, because nodemailer parses text as a list of addresses.
    envelope: {
      from: { name: '', address: bounceAddress ?? from.address },
      to: [{ name: '', address: to }],
    },
    from,
    to: { name: '', address: to },
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html,
    messageId,
    date: new Date(at),
    baseBoundary: seed,
    disableFileAccess: true,
    disableUrlAccess: true,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Doorlist-Kind': kind,
      ...(unsubscribeLink === null
        ? {}
        : {
            'List-Unsubscribe': { prepared: true, value: `<${unsubscribeLink}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
  };
}
