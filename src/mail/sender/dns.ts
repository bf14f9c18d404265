import { Resolver } from 'node:dns/promises';
import { systemErrorWords } from '../../lib/files.ts';

/** What the DNS has under a name, or why that is not known. No records is an answer, too. */
export type DnsAnswer = { records: string[] } | { unanswered: string };

export interface SenderDns {
  /** Each record with its strings joined. */
  txt(name: string): Promise<DnsAnswer>;
  /** The names of mail servers. An empty one means that the domain takes no mail (RFC 7505). */
  mx(name: string): Promise<DnsAnswer>;
  /** IP addresses. */
  addresses(name: string): Promise<DnsAnswer>;
}

/** Lookups for one check, within a time limit for all of them together. */
export type OpenDns = () => SenderDns & { close(): void };

const QUERY_MS = 2_000;
const TRIES = 2;
/** Somebody waits for the answer. */
const LIMIT_MS = 8_000;
/** Whoever owns a domain can publish anything. */
const RECORDS_MAX = 50;
const RECORD_CHARACTERS_MAX = 4_000;

const NO_RECORDS = ['ENOTFOUND', 'ENODATA'];
const WORDS: Record<string, string> = {
  ETIMEOUT: 'did not answer in time',
  ECANCELLED: 'did not answer in time',
  ESERVFAIL: 'answered with a server failure (SERVFAIL)',
  EREFUSED: 'refused to answer',
  ECONNREFUSED: 'cannot be reached',
};

/** Asks the DNS servers of this machine, or the given ones. */
export function openDns({
  servers,
  limitMs = LIMIT_MS,
  queryMs = QUERY_MS,
}: {
  servers?: readonly string[];
  limitMs?: number;
  queryMs?: number;
} = {}): SenderDns & { close(): void } {
  const resolver = new Resolver({ timeout: queryMs, tries: TRIES });
  if (servers) resolver.setServers(servers);
  let ended = false;
  const end = () => {
    ended = true;
    resolver.cancel();
  };
  const timer = setTimeout(end, limitMs).unref();
  const ask = async (query: () => Promise<string[]>): Promise<DnsAnswer> => {
    if (ended) return { unanswered: `the DNS ${WORDS.ETIMEOUT}` };
    try {
      return { records: (await query()).slice(0, RECORDS_MAX) };
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (NO_RECORDS.includes(code)) return { records: [] };
      return { unanswered: `the DNS ${WORDS[code] ?? `failed (${systemErrorWords(code)})`}` };
    }
  };
  return {
    txt: (name) =>
      ask(async () =>
        (await resolver.resolveTxt(name)).map((strings) => strings.join('').slice(0, RECORD_CHARACTERS_MAX)),
      ),
    mx: (name) => ask(async () => (await resolver.resolveMx(name)).map(({ exchange }) => exchange)),
    addresses: async (name) => {
      const four = await ask(() => resolver.resolve4(name));
      if ('unanswered' in four || four.records.length > 0) return four;
      return ask(() => resolver.resolve6(name));
    },
    close: () => {
      clearTimeout(timer);
      end();
    },
  };
}

export const SENDER_CHECKS = ['spf', 'dkim', 'dmarc', 'alignment', 'bounces', 'unsubscribe'] as const;
export const SENDER_STATES = ['ok', 'problem', 'unchecked'] as const;

/** What was found out about one thing that receivers look at. */
export interface SenderFinding {
  check: (typeof SENDER_CHECKS)[number];
  /** `unchecked`: nothing is known, neither good nor bad. */
  state: (typeof SENDER_STATES)[number];
  detail: string;
  /** What to do about it. */
  fix: string | null;
}

type Found = Omit<SenderFinding, 'check'>;

export const ok = (detail: string): Found => ({ state: 'ok', detail, fix: null });
export const problem = (detail: string, fix: string): Found => ({ state: 'problem', detail, fix });
export const unchecked = (detail: string, fix: string | null = null): Found => ({
  state: 'unchecked',
  detail,
  fix,
});
export const unanswered = (name: string, why: string): Found =>
  unchecked(`Could not be checked: ${why} for ${name}.`, 'Try again later.');

export type { Found };

/** `v=DKIM1; p=…` by lower-case name. The first of a name counts. */
export function readTags(record: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const tag of record.split(';')) {
    const at = tag.indexOf('=');
    const name = tag.slice(0, at).trim().toLowerCase();
    if (at > 0 && !tags.has(name)) tags.set(name, tag.slice(at + 1).trim());
  }
  return tags;
}
