import { limitTo, meter } from './pace.ts';
import { createPauses, type PauseCause, type PauseRecord } from './pauses.ts';
import { trackRefusals } from './refusals.ts';
import type { Smtp } from './smtp.ts';

interface MailPace {
  smtpConnections: number;
  /** Mails per second, or 0 for no limit. */
  smtpRate: number;
  deadlineMs?: number | undefined;
  /** How often to extend the lease of a mail that takes long. */
  leaseExtendedEveryMs?: number | undefined;
  stopMs?: number | undefined;
  /** Delays between attempts to resume when nothing can be sent. */
  pausesMs?: readonly number[] | undefined;
}

/** Pauses of earlier, and where new ones are kept. */
interface KeptPauses {
  record?: PauseRecord;
  known?: ReadonlyMap<string, PauseCause>;
}

export type MailServer = ReturnType<typeof shareMailServer>;

/** The connections, the rate, the pauses and the refusals that all channels for mail share. */
export function shareMailServer(smtp: Smtp | undefined, pace: MailPace, { record, known }: KeptPauses = {}) {
  return {
    /** undefined if mails stay in the mailbox. */
    smtp,
    pace,
    connections: limitTo(pace.smtpConnections),
    rate: pace.smtpRate === 0 ? undefined : meter(pace.smtpRate),
    pauses: createPauses(pace.pausesMs, record, known),
    refusals: trackRefusals(),
  };
}
