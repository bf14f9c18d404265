import DKIM from 'nodemailer/lib/dkim';
import type { DkimKey } from '../../lib/dkim-key.ts';

export type Sign = (message: Buffer) => Promise<Buffer>;

/**
 * Everything that a reader sees or that a mail program acts on. One-click unsubscribe counts only if both of its
 * fields are signed (RFC 8058).
 */
const SIGNED_FIELDS = [
  'From',
  'Reply-To',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Auto-Submitted',
].join(':');

/** Adds a DKIM signature to a message. The same message gets the same signature. */
export function dkimSigner({ privateKey, domain, selector }: DkimKey): Sign {
  const dkim = new DKIM({
    domainName: domain,
    keySelector: selector,
    privateKey,
    headerFieldNames: SIGNED_FIELDS,
  });
  return async (message) => {
    const chunks: Buffer[] = [];
    for await (const chunk of dkim.sign(message)) chunks.push(chunk as Buffer);
    const signed = Buffer.concat(chunks);
    // Nodemailer leaves a signature out that it cannot make.
    if (!signed.subarray(0, 15).equals(Buffer.from('DKIM-Signature:')))
      throw new Error('an email could not be signed with DOORLIST_DKIM_KEY');
    return signed;
  };
}
