import { createHash, createPublicKey, verify } from 'node:crypto';

/** What a receiver finds out about the signature of a message, with nothing but the public key. */
export interface VerifiedMessage {
  tags: Record<string, string>;
  signedFields: string[];
  bodyMatches: boolean;
  signatureMatches: boolean;
}

/** Verifies the first DKIM signature of a message: RSA-SHA256, relaxed/relaxed (RFC 6376, 3.4.2 and 3.4.4). */
export function verifyDkim(raw: string, publicKey: string): VerifiedMessage {
  const end = raw.indexOf('\r\n\r\n');
  const fields = raw
    .slice(0, end + 2)
    .split(/\r\n(?![ \t])/)
    .filter(Boolean);
  const signature = fields.find((field) => /^dkim-signature:/i.test(field)) ?? '';
  const tags = Object.fromEntries(
    signature
      .slice(signature.indexOf(':') + 1)
      .split(';')
      .map((tag) => {
        const [name = '', ...value] = tag.split('=');
        return [name.trim(), value.join('=').replace(/\s+/g, '')];
      }),
  );
  const signedFields = (tags.h ?? '').toLowerCase().split(':');
  const unused = fields.filter((field) => field !== signature);
  const signed = signedFields.map((name) => {
    const at = unused.findLastIndex((field) => nameOf(field) === name);
    return at < 0 ? '' : `${relaxedField(unused.splice(at, 1)[0] ?? '')}\r\n`;
  });
  const empty = relaxedField(signature.replace(/(;\s*b=)[^;]*/, '$1'));
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return {
    tags,
    signedFields,
    bodyMatches:
      createHash('sha256')
        .update(relaxedBody(raw.slice(end + 4)), 'latin1')
        .digest('base64') === tags.bh,
    signatureMatches: verify(
      'sha256',
      Buffer.from(signed.join('') + empty, 'latin1'),
      key,
      Buffer.from(tags.b ?? '', 'base64'),
    ),
  };
}

function nameOf(field: string): string {
  return field.slice(0, field.indexOf(':')).trim().toLowerCase();
}

function relaxedField(field: string): string {
  const value = field.slice(field.indexOf(':') + 1).replace(/\r\n/g, '');
  return `${nameOf(field)}:${value.replace(/[ \t]+/g, ' ').trim()}`;
}

function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.join('\r\n')}\r\n`;
}
