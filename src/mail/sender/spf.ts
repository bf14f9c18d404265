import { type Found, ok, problem, type SenderDns, unanswered } from './dns.ts';

/** RFC 7208, 4.6.4: with more, receivers treat the record as wrong (permerror). */
const LOOKUPS_MAX = 10;
const MECHANISM = /^[+\-~?]?(all|include|a|mx|ptr|ip4|ip6|exists)(?:[:/](.*))?$/i;

interface Walk {
  lookups: number;
  /** The qualifier of `all` in the record of the domain itself. */
  all: string | undefined;
}

type Stop = { stop: Found };

/**
 * Reads the record as receivers do, with everything that it includes. Which servers it allows is not compared with
 * ours: a relay may send from other addresses than the one it listens on.
 */
export async function checkSpf(dns: SenderDns, domain: string): Promise<Found> {
  const walk: Walk = { lookups: 0, all: undefined };
  const stopped = await readRecord(dns, domain, walk, true);
  if (stopped) return stopped.stop;
  if (walk.all === '+')
    return problem(
      `The SPF record of ${domain} lets everybody send for it (+all).`,
      'End it with -all or ~all instead.',
    );
  return ok(
    `${domain} has one SPF record, which takes ${walk.lookups} of ${LOOKUPS_MAX} lookups. Whether it names your mail server is not checked: send a test.`,
  );
}

async function readRecord(
  dns: SenderDns,
  domain: string,
  walk: Walk,
  isOwn: boolean,
): Promise<Stop | undefined> {
  const answer = await dns.txt(domain);
  if ('unanswered' in answer) return { stop: unanswered(domain, answer.unanswered) };
  const found = answer.records.filter((record) => /^v=spf1(?: |$)/i.test(record));
  const [record] = found;
  if (record === undefined)
    return stop(
      isOwn ? `${domain} has no SPF record.` : `The SPF record includes ${domain}, which has none.`,
      isOwn
        ? 'Publish a TXT record such as "v=spf1 include:… -all". Your email provider tells you which.'
        : 'Remove it, or correct its name.',
    );
  if (found.length > 1)
    return stop(`${domain} has ${found.length} SPF records, so none of them counts.`, 'Merge them into one.');
  return readTerms(dns, domain, record.split(/ +/).slice(1).filter(Boolean), walk, isOwn);
}

async function readTerms(
  dns: SenderDns,
  domain: string,
  terms: readonly string[],
  walk: Walk,
  isOwn: boolean,
): Promise<Stop | undefined> {
  let redirect: string | undefined;
  let hasAll = false;
  for (const term of terms) {
    const [, name = '', value = ''] = MECHANISM.exec(term) ?? [];
    const mechanism = name.toLowerCase();
    if (mechanism === '') {
      if (/^redirect=/i.test(term)) redirect = term.slice('redirect='.length);
      else if (!/^[a-z][\w.-]*=/i.test(term))
        return stop(
          `The SPF record of ${domain} has a part that is not valid: ${term.slice(0, 80)}`,
          'Correct it.',
        );
      continue;
    }
    if (mechanism === 'all') {
      hasAll = true;
      if (isOwn) walk.all = /^[+\-~?]/.test(term) ? term.slice(0, 1) : '+';
      break; // Receivers read no further.
    }
    if (mechanism === 'ip4' || mechanism === 'ip6') continue;
    const stopped = count(domain, walk);
    if (stopped) return stopped;
    if (mechanism !== 'include') continue;
    const inside = await readTarget(dns, domain, value, walk, false);
    if (inside) return inside;
  }
  if (redirect === undefined || hasAll) return undefined;
  return count(domain, walk) ?? readTarget(dns, domain, redirect, walk, isOwn);
}

/** Names with macros (`%{i}…`) depend on the email. They are counted and not followed. */
function readTarget(dns: SenderDns, domain: string, name: string, walk: Walk, isOwn: boolean) {
  if (name.includes('%')) return undefined;
  if (!/^[\w.-]{1,253}$/.test(name))
    return stop(`The SPF record of ${domain} names no valid domain: ${name.slice(0, 80)}`, 'Correct it.');
  return readRecord(dns, name, walk, isOwn);
}

function count(domain: string, walk: Walk): Stop | undefined {
  walk.lookups += 1;
  return walk.lookups <= LOOKUPS_MAX
    ? undefined
    : stop(
        `The SPF record takes more than ${LOOKUPS_MAX} lookups (as of ${domain}), so receivers treat it as wrong (permerror).`,
        'Remove includes of services that no longer send for you.',
      );
}

function stop(detail: string, fix: string): Stop {
  return { stop: problem(detail, fix) };
}
