import type { MailEvent } from '../waitlist/mail-events/record-mail-events.ts';

/** A header or a group of fields, by lower-case name, each with its values in their order. */
type Fields = Map<string, string[]>;

/** A message that mail servers send about another one (multipart/report, RFC 6522). */
interface Report {
  /** Of the report itself. */
  header: Fields;
  /** The machine-readable part, such as `message/delivery-status`, without its header. */
  text: string;
  /** The header of the message that it is about, if that is attached. */
  original: Fields;
}

/** Strangers write these messages. Reports have a few parts, a few kilobytes of fields, and short ones. */
const PARTS_MAX = 20;
const HEADER_CHARACTERS_MAX = 256 * 1024;
const TEXT_CHARACTERS_MAX = 1024 * 1024;
const FIELD_CHARACTERS_MAX = 1_000;
const VALUES_MAX = 100;

interface Part {
  fields: Fields;
  body: string;
}

/** Returns undefined if the message has no part of that type. */
function readReport(message: string, type: RegExp): Report | undefined {
  const { fields: header, body } = splitHeader(message.replaceAll('\r\n', '\n'));
  const parts = partsOf(header, body);
  const report = parts.find((part) => type.test(contentType(part)));
  if (!report) return undefined;
  const attached = parts.find((part) =>
    /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)\b/i.test(contentType(part)),
  );
  const isWhole =
    attached !== undefined && /^message\/(?:rfc822|global)\s*(?:;|$)/i.test(contentType(attached));
  const original = attached && (isWhole ? splitHeader(attached.body).fields : readFields(attached.body));
  return { header, text: decoded(report), original: original ?? new Map() };
}

/** The header of any message. */
export function readHeader(message: string): Fields {
  return splitHeader(message.slice(0, 2 * HEADER_CHARACTERS_MAX).replaceAll('\r\n', '\n')).fields;
}

function contentType({ fields }: Part): string {
  return firstOf(fields, 'content-type') ?? '';
}

function partsOf(header: Fields, body: string): Part[] {
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))/i.exec(firstOf(header, 'content-type') ?? '');
  const [, quoted, bare] = boundary ?? [];
  const mark = quoted ?? bare;
  if (mark === undefined) return [];
  return `\n${body}`
    .split(`\n--${mark}`, PARTS_MAX)
    .slice(1)
    .map((part) => splitHeader(part.slice(part.indexOf('\n') + 1)));
}

function decoded({ fields, body }: Part): string {
  const isEncoded = firstOf(fields, 'content-transfer-encoding')?.trim().toLowerCase() === 'base64';
  const taken = body.slice(0, TEXT_CHARACTERS_MAX);
  const text = isEncoded ? Buffer.from(taken, 'base64').toString('utf8') : taken;
  return text.replaceAll('\r\n', '\n').trim();
}

function splitHeader(text: string): Part {
  const end = text.startsWith('\n') ? 0 : text.indexOf('\n\n');
  if (end === -1) return { fields: readFields(text), body: '' };
  return { fields: readFields(text.slice(0, end)), body: text.slice(end + 1).replace(/^\n/, '') };
}

/** Fields are cut: what reads them may take longer than in proportion to their length. */
function readFields(text: string): Fields {
  const unfolded = text.slice(0, HEADER_CHARACTERS_MAX).replace(/\n[ \t]+/g, ' ');
  const fields: Fields = new Map();
  for (const line of unfolded.split('\n')) {
    const [, name, value = ''] =
      /^([!-9;-~]+)[ \t]*:[ \t]*(.*)$/.exec(line.slice(0, FIELD_CHARACTERS_MAX)) ?? [];
    if (name === undefined) continue;
    const values = fields.get(name.toLowerCase()) ?? [];
    if (values.length < VALUES_MAX) values.push(value);
    fields.set(name.toLowerCase(), values);
  }
  return fields;
}

export function firstOf(fields: Fields, name: string): string | undefined {
  return fields.get(name)?.[0];
}

export function allOf(fields: Fields, names: readonly string[]): string[] {
  return names.flatMap((name) => fields.get(name) ?? []);
}

/** `rfc822; ada@example.com` or `<ada@example.com>`, also with the address in angle brackets. */
function addressIn(field: string | undefined): string | undefined {
  const [, address] = /^\s*(?:(?:rfc822|utf-8)\s*;)?\s*<?([^<>\s;]+)>?\s*$/i.exec(field ?? '') ?? [];
  return address;
}

/** More than a mail server puts into one report. */
const RECIPIENTS_MAX = 1_000;

/** A delivery status notification (RFC 3464), the report that mail servers send back. */
interface BounceMessage {
  report: Report;
  /** Whether the email has not reached somebody, for now or for good. */
  failure: 'none' | 'temporary' | 'permanent';
  /** The recipients whom it has not reached, as far as the report names them. */
  events: MailEvent[];
}

/** Returns undefined if the message is not one. */
export function readBounceMessage(message: string): BounceMessage | undefined {
  const report = readReport(message, /^message\/(global-)?delivery-status\b/i);
  if (!report) return undefined;
  // The first group is about the message, the others are about one recipient each.
  const failed = report.text
    .split(/\n(?:[ \t]*\n)+/, RECIPIENTS_MAX)
    .map(readFields)
    .filter((fields) => fields.has('final-recipient') && actionOf(fields) !== undefined);
  const failure = failed.length === 0 ? 'none' : failed.some(isPermanent) ? 'permanent' : 'temporary';
  return { report, failure, events: failed.flatMap(readRecipient) };
}

function actionOf(fields: Fields): 'failed' | 'delayed' | undefined {
  const action = (firstOf(fields, 'action') ?? '').trim().toLowerCase();
  return action === 'failed' || action === 'delayed' ? action : undefined;
}

function readRecipient(fields: Fields): MailEvent[] {
  // The address that we sent to, if the mail server knows it: the final one may be behind a forward.
  const email =
    typedAddress(firstOf(fields, 'original-recipient')) ?? typedAddress(firstOf(fields, 'final-recipient'));
  return email === undefined ? [] : [{ type: 'bounce', email, permanent: isPermanent(fields) }];
}

function typedAddress(field: string | undefined): string | undefined {
  return field?.includes(';') ? addressIn(field) : undefined;
}

/**
 * RFC 3463. 5.7.x is about the sender or the content, 5.2.2 about a full mailbox and 5.2.3 and 5.3.4 about the size
 * of the email: another email may arrive.
 */
function isPermanent(fields: Fields): boolean {
  if (actionOf(fields) !== 'failed') return false;
  const [, subject, detail] = /^\s*5\.(\d{1,3})\.(\d{1,3})/.exec(firstOf(fields, 'status') ?? '') ?? [];
  return subject !== undefined && subject !== '7' && !['2.2', '2.3', '3.4'].includes(`${subject}.${detail}`);
}

/** A feedback report (ARF, RFC 5965), which mailbox providers send when somebody presses "This is spam". */
interface ComplaintMessage {
  report: Report;
  /** The people who complained, as far as the report names them. Empty if it is not a complaint. */
  events: MailEvent[];
  /** Whether the report is a complaint of its recipient: not about authentication, a virus or a mistake. */
  isComplaint: boolean;
  /** Where the token of the email can be. */
  senders: string[];
}

const COMPLAINTS = ['abuse', 'fraud', 'opt-out', 'opt-out-list'];

/** Returns undefined if the message is not one. */
export function readComplaintMessage(message: string): ComplaintMessage | undefined {
  const report = readReport(message, /^message\/feedback-report\b/i);
  if (!report) return undefined;
  const fields = readFields(report.text);
  const isComplaint = COMPLAINTS.includes((firstOf(fields, 'feedback-type') ?? '').trim().toLowerCase());
  const addresses = allOf(fields, ['original-rcpt-to']).flatMap((field) => addressIn(field) ?? []);
  return {
    report,
    isComplaint,
    events: isComplaint ? [...new Set(addresses)].map((email) => ({ type: 'complaint', email })) : [],
    senders: [...allOf(fields, ['original-mail-from']), ...allOf(report.original, ['return-path'])],
  };
}
