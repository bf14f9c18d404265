import type { DkimKey } from '../../lib/dkim-key.ts';
import { whenReadable } from '../../vault/crypto.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { listAllWaitlists } from '../../waitlist/settings/waitlists.ts';
import type { Finding } from '../../waitlist/upkeep/health.ts';
import { sendingOf } from '../sending.ts';
import { showMailSettings } from '../update-settings.ts';
import { checkSender } from './check-sender.ts';
import { type OpenDns, openDns, type SenderFinding } from './dns.ts';

/** Each may take seconds if the DNS does not answer. */
const SENDERS_MAX = 5;

interface Settings {
  publicUrl: string;
  mailFrom: string;
  dkim: DkimKey | undefined;
  bounceAddress: string | undefined;
}

/** The records of every address that emails come from, for a terminal. What is wrong there is no fault of ours. */
export async function checkSenders(
  context: Context,
  settings: Settings,
  scope: { waitlistId?: string | undefined; openDns?: OpenDns | undefined },
): Promise<Finding[]> {
  const { publicUrl, defaultFrom } = await sendingOf(context, settings);
  const ids = scope.waitlistId ? [scope.waitlistId] : (await listAllWaitlists(context)).map(({ id }) => id);
  const own = await Promise.all(
    ids.map(async (id) => (await whenReadable(showMailSettings(context, id)))?.from),
  );
  const senders = [
    ...new Set([...(scope.waitlistId ? [] : [null]), ...own].map((from) => from ?? defaultFrom)),
  ];
  const findings: Finding[] = [];
  for (const from of senders.slice(0, SENDERS_MAX)) {
    const dns = (scope.openDns ?? openDns)();
    try {
      const { dkim, bounceAddress } = settings;
      const found = await checkSender(dns, { from, bounceAddress, dkim, publicUrl });
      findings.push(...found.map((finding) => toFinding(from, finding)));
    } finally {
      dns.close();
    }
  }
  const left = senders.length - SENDERS_MAX;
  if (left > 0)
    findings.push({
      ...{ what: 'senders', ok: true, level: 'unchecked' },
      detail: `${left} more. Name a waitlist with --queue to check its sender`,
    });
  return findings;
}

const NAMES: Record<SenderFinding['check'], string> = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  alignment: 'alignment',
  bounces: 'bounces',
  unsubscribe: 'unsubscribe link',
};
const LEVELS = { ok: 'fine', problem: 'warning', unchecked: 'unchecked' } as const;

function toFinding(from: string, { check, state, detail, fix }: SenderFinding): Finding {
  return {
    what: `${NAMES[check]} of ${from}`,
    ok: true,
    level: LEVELS[state],
    detail: fix === null ? detail : `${detail} ${fix}`,
  };
}
