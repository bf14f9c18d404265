import { limitTo, meter } from './pace.ts';
import { createPauses } from './pauses.ts';
import type { Smtp } from './smtp.ts';

export interface MailPace {
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

export type MailServer = ReturnType<typeof shareMailServer>;

/** The connections, the rate and the pauses that all channels for mail share. */
export function shareMailServer(smtp: Smtp | undefined, pace: MailPace) {
  return {
    /** undefined if mails stay in the mailbox. */
    smtp,
    pace,
    connections: limitTo(pace.smtpConnections),
    rate: pace.smtpRate === 0 ? undefined : meter(pace.smtpRate),
    pauses: createPauses(pace.pausesMs),
  };
}
