import { plainLine } from '../templates/values.ts';
import { enhancedCode, isAboutUs, saysNoMailbox, withoutRecipient } from './about-us.ts';
import type { SmtpServer } from './url.ts';

/**
 * What failed. `recipient` and `mail` end one mail, unless many others end the same way. `sender` stops a waitlist
 * from sending, `refused` and `unreachable` stop all: these mails wait. `passing` is retried on the schedule.
 */
export type Fault = 'recipient' | 'mail' | 'sender' | 'refused' | 'unreachable' | 'passing';

export interface SmtpFailure {
  fault: Fault;
  status: number | null;
  /** For operators: what happened and what to do about it, without personal data. */
  error: string;
  /** The server's response. */
  response: string | null;
  /** The response for the log and for operators, without the recipient. */
  answer: string | null;
  /** The mailbox does not exist. */
  bounced: boolean;
  /** Of a refusal that could be about us, if others get the same one. null if it is about the recipient. */
  kind: string | null;
}

/**
 * An error of nodemailer. `command` is the command that failed, `originalCode` is Node's code for a socket
 * error.
 */
export interface SmtpError extends Error {
  code?: string;
  originalCode?: string;
  command?: string;
  responseCode?: number;
  response?: string;
  /** Part of the mail was sent. */
  begun?: boolean;
}

/** Codes with which a server requests a login, or a different one, in response to any command. */
const LOGIN_WANTED = [530, 534, 535, 538];
const CLOSING = 421;
const BAD_SEQUENCE = 503;
const TOO_LARGE = 552;
const PARAMETER_REFUSED = 555;

/** A line of a server has at most 512 characters, and few answer with more than three. */
export const ANSWER_CHARACTERS_MAX = 2_000;

/** To look for something in an answer takes time that grows faster than its length, and its server can be anyone's. */
export function cutAnswer(response: string): string {
  return response.slice(0, ANSWER_CHARACTERS_MAX).toWellFormed();
}

/** Decides by the failed command and by codes, and for the email itself also by what servers say. */
export function describeFailure(
  error: SmtpError,
  server: SmtpServer,
  { from, to }: { from: string; to: string } = { from: '', to: '' },
): SmtpFailure {
  if (error.response !== undefined) error.response = cutAnswer(error.response);
  const { code = '', response } = error;
  const status = error.responseCode ?? null;
  const answer = response === undefined ? null : plainLine(withoutRecipient(response, { from, to }));
  const said = { status, response: response ?? null, answer, bounced: false, kind: null };
  const permanent = status !== null && status >= 500 && status !== BAD_SEQUENCE;
  const answered = status === null ? '' : ` (${status})`;

  if (code === 'EAUTH' || (permanent && LOGIN_WANTED.includes(status))) {
    if (status !== null && !permanent) return { ...said, fault: 'unreachable', error: later(server, status) };
    return { ...said, fault: 'refused', error: loginRefused(server, answered, code === 'EAUTH') };
  }
  if (code === 'EENVELOPE' || code === 'EMESSAGE')
    return { ...said, ...refusal(error, permanent, server, { from, to }) };
  if (permanent && code !== 'ETLS')
    return {
      ...said,
      fault: 'refused',
      error: `${server.shown} rejected the connection${answered}. Ask its operator why, or check the host in DOORLIST_SMTP_URL`,
    };
  if (status !== null && code !== 'ETLS')
    return { ...said, fault: 'unreachable', error: later(server, status) };
  return { ...said, ...connectionFailure(error, server) };
}

/** Of one email, in response to one of its commands. */
function refusal(
  { code, command = '', responseCode: status, response = '' }: SmtpError,
  permanent: boolean,
  { shown, ...server }: SmtpServer,
  { from, to }: { from: string; to: string },
): Pick<SmtpFailure, 'fault' | 'error'> & Partial<SmtpFailure> {
  // What is not an answer says nothing about the email. It may come from something in between.
  if (status === undefined && response !== '')
    return {
      fault: 'passing',
      kind: `${command} ${response}`,
      error: `${shown} gave an answer without a code`,
    };
  if (status === undefined) return { fault: 'mail', error: `${shown} does not accept ${beyond(code, to)}` };
  const enhanced = enhancedCode(response);
  const kind = `${command} ${status} ${enhanced ?? ''}`;
  const tooLarge =
    status === TOO_LARGE && enhanced !== undefined ? /^5\.[23]\.[34]$/.test(enhanced) : status === TOO_LARGE;
  const refused = `${shown} refused the email (${status})`;
  if (command === 'MAIL FROM') {
    if (permanent && (tooLarge || status === PARAMETER_REFUSED || !isAscii(to)))
      return { fault: 'mail', error: refused };
    if (status === CLOSING) return { fault: 'unreachable', error: later({ shown, ...server }, status) };
    return { fault: 'sender', kind, error: senderRefused(shown, from, status) };
  }
  if (isAboutUs(response))
    return {
      fault: 'sender',
      kind,
      error: `${shown} refused email from ${from} (${status}). Check the account and the sender at your email provider`,
    };
  if (!permanent) return { fault: 'passing', kind, error: `${shown} answered ${status}` };
  if (command !== 'RCPT TO') return { fault: 'mail', kind: tooLarge ? null : kind, error: refused };
  const ofMailbox = /^5\.[12]\./.test(enhanced ?? '') || (enhanced === undefined && saysNoMailbox(response));
  return {
    fault: 'recipient',
    bounced: isHardBounce(status, response),
    kind: ofMailbox ? null : kind,
    error: `${shown} refused the recipient (${status})`,
  };
}

/** What the server said beforehand that it does not accept. */
function beyond(code: string | undefined, to: string): string {
  if (code === 'EMESSAGE') return 'an email of this size';
  return isAscii(to) ? 'this address' : 'addresses with letters outside ASCII before the @ (SMTPUTF8)';
}

function senderRefused(shown: string, from: string, status: number): string {
  return `${shown} refused the sender ${from} (${status}). Check that it may send from this address (DOORLIST_MAIL_FROM, or mail settings --from)`;
}

function loginRefused({ shown, auth }: SmtpServer, answered: string, tried: boolean): string {
  if (!auth) return `${shown} requires a login${answered}. Add user and password to DOORLIST_SMTP_URL`;
  return tried
    ? `${shown} refused the login${answered}. Check user and password in DOORLIST_SMTP_URL; special characters must be percent-encoded`
    : `${shown} requires a login or TLS before it accepts email${answered}. Try smtps:// or port 587 in DOORLIST_SMTP_URL`;
}

function later({ shown }: SmtpServer, status: number): string {
  return `${shown} is not available right now (${status})`;
}

const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];
const NOT_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO'];

function connectionFailure(
  { code = '', originalCode = '', response }: SmtpError,
  { shown, host, secure, requireTLS }: SmtpServer,
): { fault: Fault; error: string } {
  if (UNTRUSTED.includes(originalCode))
    return {
      fault: 'refused',
      error: `The certificate of ${shown} is not trusted (${originalCode}). If it was issued by a private CA, set NODE_EXTRA_CA_CERTS to the file with the CA's certificate`,
    };
  if (originalCode === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      fault: 'refused',
      error: `The certificate of ${shown} is for another name. Use the name in the certificate in DOORLIST_SMTP_URL`,
    };
  if (originalCode === 'CERT_HAS_EXPIRED' || originalCode === 'CERT_NOT_YET_VALID')
    return {
      fault: 'refused',
      error: `The certificate of ${shown} has expired or is not valid yet. Renew it, and check the clock of this machine`,
    };
  if (NOT_TLS.includes(originalCode) && !secure)
    return {
      fault: 'refused',
      error: `TLS with ${shown} failed (${originalCode}): it offers STARTTLS, but what follows is not TLS. Try another port, or smtps:// in DOORLIST_SMTP_URL`,
    };
  if (NOT_TLS.includes(originalCode))
    return {
      fault: 'refused',
      error: `${shown} does not use TLS from the start. Use smtp:// instead of smtps:// in DOORLIST_SMTP_URL, or port 465`,
    };
  if (code === 'ETLS' && requireTLS && response !== undefined)
    return {
      fault: 'refused',
      error: `${shown} offers no TLS, and the password is not sent without it. Use smtps:// or another port; ?requireTLS=false in DOORLIST_SMTP_URL sends it in plain text`,
    };
  if (code === 'ETLS')
    return { fault: 'refused', error: `TLS with ${shown} failed (${originalCode || 'ETLS'})` };
  if (code === 'EDNS')
    return {
      fault: 'unreachable',
      error: `The host ${host} can't be resolved. Check its name in DOORLIST_SMTP_URL`,
    };
  if (originalCode === 'ECONNREFUSED')
    return {
      fault: 'unreachable',
      error: `${shown} refused the connection. Check host and port in DOORLIST_SMTP_URL, and that the mail server is running`,
    };
  if (code === 'ETIMEDOUT' || originalCode === 'ETIMEDOUT')
    return {
      fault: 'unreachable',
      error: `${shown} did not answer in time. Check host and port in DOORLIST_SMTP_URL, and that no firewall blocks the port`,
    };
  return {
    fault: 'unreachable',
    error: `The connection to ${shown} was lost (${originalCode || code || 'unknown'})`,
  };
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** The mailbox does not exist. A rejection for policy or content says nothing about the address. */
function isHardBounce(status: number, response: string): boolean {
  const enhanced = enhancedCode(response);
  if (enhanced === undefined) return [550, 551, 553].includes(status) && saysNoMailbox(response);
  return /^5\.1\.(1|2|3|6|10)$|^5\.2\.1$/.test(enhanced);
}
