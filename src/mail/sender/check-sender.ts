import { createPublicKey } from 'node:crypto';
import { type DkimKey, dkimRecordName, isDomain, publicHalf } from '../../lib/dkim-key.ts';
import { checkDmarc, type Dmarc } from './dmarc.ts';
import {
  type Found,
  ok,
  problem,
  readTags,
  type SenderDns,
  type SenderFinding,
  unanswered,
  unchecked,
} from './dns.ts';
import { checkSpf } from './spf.ts';

export interface SenderSettings {
  /** The From address. */
  from: string;
  bounceAddress: string | undefined;
  dkim: DkimKey | undefined;
  publicUrl: string;
}

/** What receivers look at before they let an email into an inbox, as far as it can be seen from here. */
export async function checkSender(dns: SenderDns, settings: SenderSettings): Promise<SenderFinding[]> {
  const domain = domainOf(settings.from);
  const envelope = domainOf(settings.bounceAddress ?? settings.from);
  const [spf, dkim, dmarc, bounces] = await Promise.all([
    whereDomain(envelope, () => checkSpf(dns, envelope)),
    checkDkim(dns, settings.dkim),
    isDomain(domain) ? checkDmarc(dns, domain) : undefined,
    whereDomain(envelope, () => checkBounces(dns, settings.bounceAddress ?? settings.from, envelope)),
  ]);
  return [
    { check: 'spf', ...spf },
    { check: 'dkim', ...dkim },
    { check: 'dmarc', ...(dmarc?.found ?? notPublic(domain)) },
    { check: 'alignment', ...checkAlignment(domain, envelope, settings.dkim, dmarc) },
    { check: 'bounces', ...bounces },
    { check: 'unsubscribe', ...checkUnsubscribe(settings.publicUrl) },
  ];
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

async function whereDomain(domain: string, check: () => Promise<Found>): Promise<Found> {
  return isDomain(domain) ? check() : notPublic(domain);
}

function notPublic(domain: string): Found {
  return problem(
    `${domain} is not a domain on the internet.`,
    'Set DOORLIST_MAIL_FROM, or the From address of the waitlist, to an address in your own domain.',
  );
}

/** DMARC counts what is authenticated only if it is for the domain that people see. */
function checkAlignment(
  from: string,
  envelope: string,
  dkim: DkimKey | undefined,
  dmarc: Dmarc | undefined,
): Found {
  const strict = dmarc?.strict ?? { spf: false, dkim: false };
  const related = (domain: string, exactly: boolean) =>
    domain === from || (!exactly && belongTogether(domain, from, dmarc?.organization));
  const signature = dkim !== undefined && related(dkim.domain, strict.dkim);
  const sender = related(envelope, strict.spf);
  if (signature && sender)
    return ok(`The signature and the bounce address are in the domain of From, ${from}.`);
  if (signature) return ok(`The signature (${dkim.domain}) is in the domain of From, ${from}.`);
  if (sender)
    return dkim === undefined
      ? ok(`Bounces go to the domain of From, ${from}, so SPF counts for it.`)
      : problem(
          `Emails are signed for ${dkim.domain}, which is not the domain of From, ${from}. Only SPF counts for it, and not after forwarding.`,
          `Sign for ${from} (DOORLIST_DKIM_DOMAIN), or change the From address.`,
        );
  const detail = `Bounces go to ${envelope}, which is not in the domain of From, ${from}, so SPF does not count for it.`;
  if (dkim === undefined)
    return unchecked(
      `${detail} Whether your mail server signs for ${from} is not known.`,
      'Use a bounce address in the domain of From, or send a test and look for dmarc=pass.',
    );
  return problem(
    `${detail} The signature is for ${dkim.domain}, and does not count either.`,
    `Sign for ${from} (DOORLIST_DKIM_DOMAIN), and use a bounce address in it.`,
  );
}

/** One is above the other, or both are below the domain of the policy. */
function belongTogether(one: string, other: string, organization: string | undefined): boolean {
  const isBelow = (domain: string, above: string) => domain === above || domain.endsWith(`.${above}`);
  if (organization !== undefined) return isBelow(one, organization) && isBelow(other, organization);
  return isBelow(one, other) || isBelow(other, one);
}

async function checkBounces(dns: SenderDns, address: string, domain: string): Promise<Found> {
  const answer = await dns.mx(domain);
  if ('unanswered' in answer) return unanswered(domain, answer.unanswered);
  const [first] = answer.records;
  if (answer.records.length === 1 && (first === '' || first === '.'))
    return problem(
      `${domain} says that it takes no mail (a null MX), so bounces to ${address} are lost.`,
      'Use a bounce address in a domain that takes mail (DOORLIST_BOUNCE_ADDRESS).',
    );
  if (first !== undefined)
    return ok(
      `Bounces go to ${address}, and ${domain} has a mail server (${first}). Whether it takes them is not checked.`,
    );
  const own = await dns.addresses(domain);
  if ('unanswered' in own) return unanswered(domain, own.unanswered);
  return own.records.length > 0
    ? ok(`Bounces go to ${address}. ${domain} has no MX record, so mail goes to its own address.`)
    : problem(
        `${domain} has no mail server, so bounces to ${address} are lost, and some receivers refuse the sender.`,
        'Publish an MX record, or set DOORLIST_BOUNCE_ADDRESS to an address in a domain that has one.',
      );
}

function checkUnsubscribe(publicUrl: string): Found {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:' && isDomain(hostname))
    return ok(
      'Emails that can be unsubscribed from carry List-Unsubscribe for one click. Invites and confirmations do not.',
    );
  return problem(
    `The unsubscribe link leads to ${publicUrl}, and mail programs offer one click only for https addresses on the internet.`,
    'Set DOORLIST_PUBLIC_URL to the public https address of this service.',
  );
}

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
