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
