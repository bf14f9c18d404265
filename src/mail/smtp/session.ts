import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Log } from '../../lib/log.ts';
import { reportState } from '../../lib/state-log.ts';
import { MAIL_SERVER } from '../../waitlist/queue/mail-pause.ts';
import { cutAnswer, describeFailure, type SmtpError, type SmtpFailure } from './failure.ts';
import { SEND_MS_MAX } from './mail.ts';
import { readSmtpUrl, type SmtpServer } from './url.ts';

const CONNECT_MS_MAX = 10_000;
/** RFC 5321, 4.5.3.2.6: disconnecting sooner leads to duplicate mails. */
const END_OF_DATA_MS_MAX = 10 * 60_000;

export interface Letter {
  from: string;
  to: string;
  bytes: Buffer;
}

/** A connection that is ready to send, with TLS and login if required. */
export interface SmtpSession {
  readonly isOpen: boolean;
  readonly secure: boolean;
  readonly loggedIn: boolean;
  /** Mails that it has accepted or rejected. */
  readonly used: number;
  /** Returns the server's response. An error with `begun` means that part of the mail was sent. */
  send(letter: Letter): Promise<string>;
  quit(): void;
  close(): void;
}

export async function openSession(
  server: SmtpServer,
  endOfDataMs: number = END_OF_DATA_MS_MAX,
): Promise<SmtpSession> {
  const { host, port, secure, requireTLS, auth, tls } = server;
  const connection = new SMTPConnection({
    ...{ host, port, secure, requireTLS, tls },
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: Math.max(endOfDataMs, SEND_MS_MAX),
  });
  let isOpen = true;
  let used = 0;
  connection.on('error', () => {}); // The pending command gets the error too.
  connection.once('end', () => {
    isOpen = false;
  });

  /** Rejects if the connection ends before the response. */
  const asked = <T>(
    limitMs: number,
    ask: (done: (error?: Error | null, value?: T) => void, extend: (ms: number) => void) => void,
  ) =>
    new Promise<T>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        connection.removeListener('error', fail);
        connection.removeListener('end', ended);
        settle();
      };
      const fail = (error: Error) => finish(() => reject(error));
      const ended = () => fail(failure('ECONNECTION'));
      const extend = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          fail(failure('ETIMEDOUT'));
          connection.close();
        }, ms);
      };
      connection.once('error', fail);
      connection.once('end', ended);
      extend(limitMs);
      ask((error, value) => (error ? fail(error) : finish(() => resolve(value as T))), extend);
    });

  try {
    await asked<void>(2 * CONNECT_MS_MAX, (done) =>
      connection.connect((error) => done(error as Error | undefined)),
    );
    if (auth && connection.allowsAuth)
      await asked(SEND_MS_MAX, (done) => connection.login({ ...auth, credentials: auth }, done));
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    secure: connection.secure,
    loggedIn: connection.authenticated,
    get isOpen() {
      return isOpen;
    },
    get used() {
      return used;
    },
    send: async ({ from, to, bytes }) => {
      let begun = false;
      const body = Readable.from(
        (function* () {
          begun = true;
          yield bytes;
        })(),
        { objectMode: false },
      );
      used += 1;
      try {
        const { response } = await asked<{ response: string }>(SEND_MS_MAX, (done, extend) => {
          body.once('end', () => extend(endOfDataMs));
          connection.send({ from, to: [to], size: bytes.length }, body, done as never);
        });
        return cutAnswer(response);
      } catch (error) {
        const { code, responseCode } = error as SmtpError;
        // After something without a code, it is not known what the next answer is about.
        const isAnswer = responseCode !== undefined && responseCode !== 421;
        const refused = (code === 'EENVELOPE' || code === 'EMESSAGE') && isAnswer;
        if (refused && isOpen)
          await asked<void>(SEND_MS_MAX, (done) => connection.reset(done as never)).catch(() =>
            connection.close(),
          );
        else connection.close();
        throw Object.assign(error as Error, { begun });
      }
    },
    quit: () => connection.quit(),
    close: () => connection.close(),
  };
}

function failure(code: string): SmtpError {
  return Object.assign(new Error(code), { code, command: 'CONN' });
}

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
