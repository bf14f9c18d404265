import { createTransport } from 'nodemailer';
import { isEssential, type MailKind } from './kinds.ts';
import type { Mail } from './render.ts';

/** From the first byte to the server's answer. */
export const SEND_MS_MAX = 20_000;
const CONNECT_MS_MAX = 10_000;
/** Some servers close a connection after a hundred. */
const MAILS_A_CONNECTION = 100;

export interface SmtpSettings {
  smtpUrl: string | undefined;
  smtpConnections: number;
}

export interface Envelope {
  messageId: string;
  /** Makes the boundaries between the parts: the same mail is the same bytes. */
  seed: string;
  kind: MailKind;
  at: number;
}

export type SmtpAnswer =
  | { ok: true; response: string }
  | {
      ok: false;
      status: number | null;
      error: string;
      response: string | null;
      final: boolean;
      bounced: boolean;
    };

export interface Smtp {
  /** `mayBegin` is asked once there is a connection, before anything of the mail is said; undefined: it said no. */
  send(mail: Mail, envelope: Envelope, mayBegin?: () => boolean): Promise<SmtpAnswer | undefined>;
  close(): void;
}

/** A pool of connections to the mail server; undefined when there is none. */
export function connectSmtp({ smtpUrl, smtpConnections }: SmtpSettings): Smtp | undefined {
  if (smtpUrl === undefined) return undefined;
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: smtpConnections,
    maxMessages: MAILS_A_CONNECTION,
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SEND_MS_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transport.use('stream', (mail, done) => {
    const { mayBegin } = mail.data as { mayBegin?: () => boolean };
    const { message } = mail;
    const envelope = message?.getEnvelope();
    // Asked for on an open connection, right before it is spoken. Without a recipient nothing is.
    if (message && envelope && mayBegin)
      message.getEnvelope = () => (mayBegin() ? envelope : { ...envelope, to: [] });
    done();
  });
  return {
    send: async (mail, envelope, mayBegin = () => true) => {
      let refused = false;
      const begin = () => {
        refused = !mayBegin();
        return !refused;
      };
      try {
        const message = { ...toMessage(mail, envelope), mayBegin: begin };
        const { response } = await withDeadline(transport.sendMail(message));
        return { ok: true, response };
      } catch (error) {
        if (refused) return undefined;
        return classify(error as SmtpError);
      }
    },
    close: () => transport.close(),
  };
}

export function toMessage(mail: Mail, { messageId, seed, kind, at }: Envelope) {
  const { from, replyTo, to, subject, text, html, unsubscribeLink } = mail;
  return {
    // As objects, and apart from the headers: nodemailer parses a text as a list of addresses.
    envelope: { from: { name: '', address: from.address }, to: [{ name: '', address: to }] },
    from,
    to: { name: '', address: to },
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html,
    messageId,
    date: new Date(at),
    baseBoundary: seed,
    xMailer: false as const,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Doorlist-Kind': kind,
      ...(unsubscribeLink === null || isEssential(kind)
        ? {}
        : {
            'List-Unsubscribe': { prepared: true, value: `<${unsubscribeLink}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
  };
}

async function withDeadline<T>(sending: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })), SEND_MS_MAX);
  });
  try {
    return await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  response?: string;
  command?: string;
}

const FAILURES: Record<string, string> = {
  ETIMEDOUT: 'the mail server did not answer in time',
  ECONNECTION: 'the connection to the mail server was lost',
  ESOCKET: 'the mail server cannot be reached',
  EDNS: 'the name of the mail server does not resolve',
  ETLS: 'TLS with the mail server failed',
};

/** 4xx, and whatever says nothing about this one mail, is tried again; 5xx for this mail is the end of it. */
function classify({ code = '', responseCode, response, command = '' }: SmtpError): SmtpAnswer {
  const status = responseCode ?? null;
  const said = { status, response: response ?? null };
  if (code === 'EAUTH')
    return {
      ok: false,
      ...said,
      error: 'the mail server did not take our login',
      final: false,
      bounced: false,
    };
  const about = command === 'RCPT TO' ? 'the address' : command === 'MAIL FROM' ? 'the sender' : 'the mail';
  const ofThisMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (status !== null && status >= 500 && ofThisMail) {
    const bounced = command === 'RCPT TO' && isHardBounce(status, response ?? '');
    return { ok: false, ...said, error: `refused for good: ${about} (${status})`, final: true, bounced };
  }
  // Without a code the server was not even asked: the address cannot be written in its protocol.
  if (status === null && code === 'EENVELOPE')
    return {
      ok: false,
      ...said,
      error: 'the address cannot be used with this mail server',
      final: true,
      bounced: false,
    };
  const error = status === null ? (FAILURES[code] ?? `failed (${code || 'unknown'})`) : `answered ${status}`;
  return { ok: false, ...said, error, final: false, bounced: false };
}

/** There is no such mailbox. A refusal for policy or content says nothing about the address. */
function isHardBounce(status: number, response: string): boolean {
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  if (enhanced === undefined) return [550, 551, 553].includes(status);
  return /^5\.1\.(1|2|3|6|10)$|^5\.2\.1$/.test(enhanced);
}
