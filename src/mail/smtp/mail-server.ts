import type { Quota } from '../../outbox/channel.ts';
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

/** Allows this many at a time. After `waitMs`, a waiting caller gets undefined. */
function limitTo(most: number): (waitMs: number) => Promise<(() => void) | undefined> {
  let free = most;
  const waiting: ((release: () => void) => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next) next(release);
    else free += 1;
  };
  return (waitMs) => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve(release);
    }
    return new Promise((resolve) => {
      const take = (given: () => void) => {
        clearTimeout(timer);
        resolve(given);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1);
        resolve(undefined);
      }, waitMs);
      waiting.push(take);
    });
  };
}

/** One second's worth can be sent at once, shared among queues. */
function meter(perSecond: number) {
  let usedUntil = 0;
  const ahead = () => Math.max(0, usedUntil - performance.now());
  return {
    share: (queues: number): Quota[] => {
      let left = Math.max(0, Math.floor(((1000 - ahead()) * perSecond) / 1000));
      return Array.from({ length: queues }, (_, index) => {
        const own = Math.ceil(left / (queues - index));
        left -= own;
        return { left: own, againInMs: Math.ceil(1000 / perSecond), usedUntil, perSecond };
      });
    },
    charge: (count: number) => {
      usedUntil = performance.now() + ahead() + (count * 1000) / perSecond;
    },
  };
}
