import { createPublicKey } from 'node:crypto';
import { type DkimKey, dkimRecordName, publicHalf } from '../../lib/dkim-key.ts';
import { type Found, ok, problem, readTags, type SenderDns, unanswered, unchecked } from './dns.ts';

const SHOW = 'Publish the record that `dkim-key show` prints.';

/** Whether receivers find the public half of the key that signs. A CNAME to the record is as good. */
export async function checkDkim(dns: SenderDns, key: DkimKey | undefined): Promise<Found> {
  if (!key)
    return unchecked(
      'Doorlist does not sign emails. Whether your mail server does is not known.',
      'Send a test, and look for dkim=pass in its Authentication-Results. If your mail server does not sign, run `dkim-key generate`.',
    );
  const name = dkimRecordName(key);
  const answer = await dns.txt(name);
  if ('unanswered' in answer) return unanswered(name, answer.unanswered);
  const records = answer.records.filter((record) => readTags(record).has('p'));
  const [record = ''] = records;
  if (records.length === 0) return problem(`There is no DKIM record at ${name}.`, SHOW);
  if (records.length > 1)
    return problem(
      `There are ${records.length} DKIM records at ${name}.`,
      'Keep the one that `dkim-key show` prints.',
    );
  const tags = readTags(record);
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1')
    return problem(`The record at ${name} is not a DKIM record: it must begin with v=DKIM1.`, SHOW);
  const published = (tags.get('p') ?? '').replace(/\s+/g, '');
  if (published === '') return problem(`The DKIM record at ${name} revokes the key: its p= is empty.`, SHOW);
  if (!isSameKey(published, publicHalf(key)))
    return problem(`The DKIM record at ${name} has another key than the one that signs.`, SHOW);
  if ((tags.get('t') ?? '').split(':').includes('y'))
    return problem(
      `The DKIM record at ${name} is marked as a test (t=y), so receivers may ignore it.`,
      'Remove t=y from it.',
    );
  return ok(`The record at ${name} has the key that signs.`);
}

function isSameKey(published: string, ours: string): boolean {
  if (published === ours) return true;
  try {
    // Some tools publish the bare RSA key.
    const key = createPublicKey({ key: Buffer.from(published, 'base64'), format: 'der', type: 'pkcs1' });
    return key.export({ type: 'spki', format: 'der' }).toString('base64') === ours;
  } catch {
    return false;
  }
}
