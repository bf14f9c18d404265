import { isIPv4 } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { parseConnectionUrl } from 'nodemailer/lib/shared';

/** The mail server that `DOORLIST_SMTP_URL` names. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the start. */
  secure: boolean;
  /** Without TLS the connection is given up before anything is sent. */
  requireTLS: boolean;
  auth: { user: string; pass: string } | undefined;
  tls: ConnectionOptions;
  /** For people: `mail.example.com:587`. */
  shown: string;
}

/** Credentials leave only over TLS, except to this machine or with `?requireTLS=false`: whoever sits between could strip STARTTLS. */
export function readSmtpUrl(url: string): SmtpServer {
  const options = parseConnectionUrl(url) as {
    host?: string;
    port?: number;
    secure?: boolean;
    requireTLS?: boolean;
    auth?: { user: string; pass: string };
    tls?: ConnectionOptions;
  };
  const { host = 'localhost', secure = false, auth, tls = {} } = options;
  const port = options.port ?? (secure ? 465 : 587);
  const requireTLS = options.requireTLS ?? (auth !== undefined && !isLoopback(host));
  const shown = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { host, port, secure, requireTLS: requireTLS && !secure, auth, tls, shown };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
