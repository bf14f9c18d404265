import type { MailEvent } from '../waitlist/mail-events/record-mail-events.ts';

/** A header or a group of fields, by lower-case name. */
type Fields = Map<string, string>;

/**
 * Reads the recipients of a delivery status notification (RFC 3464), the report that mail servers send back.
 * Returns undefined if the message is not one. Recipients whom the email has reached are left out.
 */
export function readBounceMessage(message: string): MailEvent[] | undefined {
  const status = findStatus(message.replaceAll('\r\n', '\n'));
  // The first group is about the message, the others are about one recipient each.
  return status
    ?.split(/\n(?:[ \t]*\n)+/)
    .map(readFields)
    .filter((fields) => fields.has('final-recipient'))
    .flatMap(readRecipient);
}

function findStatus(message: string): string | undefined {
  const { fields, body } = splitHeader(message);
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))/i.exec(fields.get('content-type') ?? '');
  const [, quoted, bare] = boundary ?? [];
  const mark = quoted ?? bare;
  if (mark === undefined) return undefined;
  for (const part of `\n${body}`.split(`\n--${mark}`).slice(1)) {
    const inner = splitHeader(part.slice(part.indexOf('\n') + 1));
    if (!/^message\/(global-)?delivery-status\b/i.test(inner.fields.get('content-type') ?? '')) continue;
    const isEncoded = inner.fields.get('content-transfer-encoding')?.trim().toLowerCase() === 'base64';
    const text = isEncoded ? Buffer.from(inner.body, 'base64').toString('utf8') : inner.body;
    return text.replaceAll('\r\n', '\n').trim();
  }
  return undefined;
}

function splitHeader(text: string): { fields: Fields; body: string } {
  const end = text.startsWith('\n') ? 0 : text.indexOf('\n\n');
  if (end === -1) return { fields: readFields(text), body: '' };
  return { fields: readFields(text.slice(0, end)), body: text.slice(end + 1).replace(/^\n/, '') };
}

function readFields(text: string): Fields {
  const unfolded = text.replace(/\n[ \t]+/g, ' ');
  const fields: Fields = new Map();
  for (const line of unfolded.split('\n')) {
    const [, name, value] = /^([!-9;-~]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value ?? '');
  }
  return fields;
}

function readRecipient(fields: Fields): MailEvent[] {
  const action = (fields.get('action') ?? '').trim().toLowerCase();
  if (action !== 'failed' && action !== 'delayed') return [];
  // The address that we sent to, if the mail server knows it: the final one may be behind a forward.
  const email = addressIn(fields.get('original-recipient')) ?? addressIn(fields.get('final-recipient'));
  if (email === undefined) return [];
  return [{ type: 'bounce', email, permanent: action === 'failed' && isPermanent(fields.get('status')) }];
}

/** `rfc822; ada@example.com`, also with the address in angle brackets. */
function addressIn(field: string | undefined): string | undefined {
  const [, address] = /^\s*(?:rfc822|utf-8)\s*;\s*<?([^<>\s]+)>?\s*$/i.exec(field ?? '') ?? [];
  return address;
}

/**
 * RFC 3463. 5.7.x is about the sender or the content, 5.2.2 about a full mailbox and 5.2.3 and 5.3.4 about the size
 * of the email: another email may arrive.
 */
function isPermanent(status: string | undefined): boolean {
  const [, subject, detail] = /^\s*5\.(\d{1,3})\.(\d{1,3})/.exec(status ?? '') ?? [];
  return subject !== undefined && subject !== '7' && !['2.2', '2.3', '3.4'].includes(`${subject}.${detail}`);
}
