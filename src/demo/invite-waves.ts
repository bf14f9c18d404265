import { DAY_MS } from '../lib/time.ts';
import { acceptInvite } from '../waitlist/gate/accept-invite.ts';
import { revokeInvite } from '../waitlist/invites/end-invites.ts';
import { startInviteRun } from '../waitlist/invites/invite-run.ts';
import type { SealedInvite } from '../waitlist/invites/invites.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { runDueWaves } from '../waitlist/waves/run-wave.ts';
import type { Timeline } from './deliveries.ts';
import type { Random } from './people.ts';

const ACCEPTED = 0.62;
const REVOKED = 0.02;

interface Decision {
  code: string;
  at: number;
  what: 'accept' | 'revoke';
}

interface InviteWaves {
  /** Invites the first people in line. */
  invite(first: number): Promise<void>;
  /** Starts the runs of planned waves that are due. */
  runPlanned(): Promise<void>;
  /** What people and operators do with the invites until then. */
  decideUntil(time: number): Promise<void>;
}

/** Most people accept within a day or two, some never do, and a few invites are revoked. */
export function createInviteWaves(
  context: Context,
  queue: Queue,
  timeline: Timeline,
  random: Random,
): InviteWaves {
  let decisions: Decision[] = [];
  const act = async ({ what, code, at }: Decision) => {
    timeline.moveTo(at);
    if (what === 'revoke') await revokeInvite(context, code);
    else await acceptInvite(context, { code });
  };
  const expect = async (since: number) => {
    for (const code of await codesSince(context, queue, since)) {
      const luck = random();
      const at = Math.floor(since + Math.min(-Math.log(1 - random()) * 1.4, 6.8) * DAY_MS);
      if (luck < ACCEPTED) decisions.push({ code, at, what: 'accept' });
      else if (luck < ACCEPTED + REVOKED) decisions.push({ code, at, what: 'revoke' });
    }
    decisions.sort((a, b) => a.at - b.at);
  };
  return {
    invite: async (first) => {
      const now = timeline.clock();
      await startInviteRun(context, queue, { first }, undefined);
      await expect(now);
    },
    runPlanned: async () => {
      const now = timeline.clock();
      await runDueWaves(context, queue);
      await expect(now);
    },
    decideUntil: async (time) => {
      const due = decisions.filter(({ at }) => at <= time);
      decisions = decisions.slice(due.length);
      for (const decision of due) await act(decision);
    },
  };
}

/** In a fixed order: ids of the same moment are random. */
async function codesSince({ db }: Context, queue: Queue, time: number): Promise<string[]> {
  const rows = await db.query
    .selectFrom('invite')
    .select(['id', 'sealed'])
    .where('queue_id', '=', queue.id)
    .where('created_at', '>=', time)
    .execute();
  const invites = rows.map(({ id, sealed }) => queue.vault.open<SealedInvite>('invite.sealed', id, sealed));
  return invites.sort((a, b) => (a.email < b.email ? -1 : 1)).map(({ code }) => code);
}
