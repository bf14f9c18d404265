import { isIPv4 } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { parseConnectionUrl } from 'nodemailer/lib/shared';

/** The mail server in `DOORLIST_SMTP_URL`. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the start. */
  secure: boolean;
  /** Without TLS, closes the connection before sending anything. */
  requireTLS: boolean;
  auth: { user: string; pass: string } | undefined;
  tls: ConnectionOptions;
  /** For display: `mail.example.com:587`. */
  shown: string;
}

/**
 * Sends credentials only over TLS, except to this machine or with `?requireTLS=false`: an attacker in between
 * could strip STARTTLS.
 */
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
