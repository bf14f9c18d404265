import { type Found, ok, problem, readTags, type SenderDns, unanswered } from './dns.ts';

/** A walk up the tree of domains asks at most this often, however deep the name is. */
const LEVELS_MAX = 8;
const POLICIES = ['none', 'quarantine', 'reject'];

export interface Dmarc {
  found: Found;
  /** Domains below it belong together. undefined if it is not known. */
  organization: string | undefined;
  /** Whether the envelope sender and the signature must have exactly the domain of the From address. */
  strict: { spf: boolean; dkim: boolean };
}

interface Policy {
  domain: string;
  tags: Map<string, string>;
}

/** Looks for the policy of a domain, and above it, as receivers do. */
export async function checkDmarc(dns: SenderDns, domain: string): Promise<Dmarc> {
  const policies: Policy[] = [];
  const unknown = { organization: undefined, strict: { spf: false, dkim: false } };
  for (const each of domainsUp(domain)) {
    const name = `_dmarc.${each}`;
    const answer = await dns.txt(name);
    if ('unanswered' in answer) {
      if (policies.length > 0) break;
      return { ...unknown, found: unanswered(name, answer.unanswered) };
    }
    const records = answer.records.filter((record) => /^v\s*=\s*DMARC1\s*(?:;|$)/i.test(record));
    if (records.length > 1 && policies.length === 0)
      return {
        ...unknown,
        found: problem(
          `There are ${records.length} DMARC records at ${name}, so none of them counts.`,
          'Keep one.',
        ),
      };
    const [record] = records;
    if (record === undefined || records.length > 1) continue;
    const tags = readTags(record);
    // The policy of a registry, such as that of a top-level domain: what is below it does not belong together.
    if (tags.get('psd') === 'y' && policies.length > 0) break;
    policies.push({ domain: each, tags });
    if (tags.get('psd') === 'n') break;
  }
  const [policy] = policies;
  if (!policy)
    return {
      ...unknown,
      found: problem(
        `${domain} has no DMARC record, and neither has a domain above it.`,
        `Publish a TXT record at _dmarc.${domain}, to begin with "v=DMARC1; p=none". Large providers ask for one.`,
      ),
    };
  const tag = (name: string) => policy.tags.get(name)?.toLowerCase();
  return {
    found: judge(domain, policy),
    organization: policies.at(-1)?.domain,
    strict: { spf: tag('aspf') === 's', dkim: tag('adkim') === 's' },
  };
}

/** The domain and those above it, without the top level. */
function domainsUp(domain: string): string[] {
  const labels = domain.split('.');
  const all = labels.map((_, index) => labels.slice(index).join('.')).slice(0, -1);
  return all.length <= LEVELS_MAX ? all : [domain, ...all.slice(1 - LEVELS_MAX)];
}

function judge(domain: string, { domain: at, tags }: Policy): Found {
  const inherited = at !== domain;
  const name = (inherited ? tags.get('sp') : undefined) ?? tags.get('p') ?? '';
  const policy = name.toLowerCase();
  const where = inherited ? `${domain} takes its DMARC record from ${at}` : `${domain} has a DMARC record`;
  if (!POLICIES.includes(policy))
    return problem(
      `The DMARC record at _dmarc.${at} has no valid policy${name === '' ? '' : `: ${name.slice(0, 40)}`}.`,
      'Set p= to none, quarantine or reject.',
    );
  if (policy === 'none') return ok(`${where}, which asks for reports only (none).`);
  return ok(`${where}, which asks receivers to ${policy} emails that are neither signed nor sent for it.`);
}
