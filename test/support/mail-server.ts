import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.ts';

/** A mail as it arrived. */
export interface ReceivedMail {
  from: string;
  to: string[];
  raw: string;
  parsed: Email;
  user: string | undefined;
  secure: boolean;
}

export interface MailServer {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedMail[];
  /** Returns the rejection of a recipient, or undefined to accept. */
  refuseRecipient: (address: string) => string | undefined;
  refuseMail: (mail: ReceivedMail) => string | undefined;
  /** The same for a connection and for a sender. */
  refuseConnection: () => string | undefined;
  refuseSender: (address: string) => string | undefined;
  /** Responses to mails wait for this. */
  hold: Promise<unknown> | undefined;
  /** How long each connection waits for its greeting. */
  greetAfterMs: number;
  /** Every user name that was sent, right or wrong. */
  readonly logins: string[];
  /** Closes the connection after this many bytes of the next mail. */
  hangUpAfter: number | undefined;
  close(): Promise<void>;
}

const USER = 'mailer';
const PASSWORD = 's3cret/pass';

/** A real SMTP server on loopback, optionally with TLS and a login. */
export async function startMailServer(
  options: { tls?: 'none' | 'starttls' | 'implicit'; login?: boolean; port?: number } = {},
): Promise<MailServer> {
  const { tls = 'none', login = false } = options;
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    secure: tls === 'implicit',
    key: PRIVATE_KEY,
    cert: CERTIFICATE,
    disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(login ? [] : ['AUTH'])],
    authOptional: !login,
    disableReverseLookup: true,
    logger: false,
    onConnect: async (_session, done) => {
      await setTimeout(mailServer.greetAfterMs);
      done(refusal(mailServer.refuseConnection()));
    },
    onMailFrom: ({ address }, _session, done) => done(refusal(mailServer.refuseSender(address))),
    onAuth: ({ username, password }, _session, done) => {
      mailServer.logins.push(username ?? '');
      return username === USER && password === PASSWORD
        ? done(null, { user: username })
        : done(Object.assign(new Error('no such login'), { responseCode: 535 }));
    },
    onRcptTo: ({ address }, _session, done) => done(refusal(mailServer.refuseRecipient(address))),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      let length = 0;
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (mailServer.hangUpAfter === undefined || length < mailServer.hangUpAfter) return;
        mailServer.hangUpAfter = undefined;
        for (const connection of server.connections)
          (connection as unknown as { _socket: { destroy(): void } })._socket.destroy();
      });
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString('latin1');
        const { mailFrom, rcptTo } = session.envelope;
        const mail: ReceivedMail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          parsed: await PostalMime.parse(Buffer.from(raw, 'latin1')),
          user: session.user as string | undefined,
          secure: session.secure === true,
        };
        await mailServer.hold;
        const refused = refusal(mailServer.refuseMail(mail));
        if (!refused) received.push(mail);
        done(refused);
      });
    },
  } as SMTPServerOptions);
  server.on('error', () => {}); // The tests include clients that disconnect.
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const credentials = login ? `${USER}:${encodeURIComponent(PASSWORD)}@` : '';
  const mailServer: MailServer = {
    url: `${tls === 'implicit' ? 'smtps' : 'smtp'}://${credentials}127.0.0.1:${port}`,
    port,
    received,
    refuseRecipient: () => undefined,
    refuseMail: () => undefined,
    refuseConnection: () => undefined,
    refuseSender: () => undefined,
    hold: undefined,
    greetAfterMs: 0,
    logins: [],
    hangUpAfter: undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}

/** Turns `451 4.7.1 Come back later` into the error that makes the server send it. */
function refusal(line: string | undefined): Error | null {
  if (line === undefined) return null;
  const [, code = '', words = ''] = /^(\d{3}) (.*)$/.exec(line) ?? [];
  return Object.assign(new Error(words), { responseCode: Number(code) });
}
