import { statement } from '../db/statement.ts';
import type { Person } from '../waitlist/people/person.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import type { JoinedFacts, MailFacts } from './record.ts';

const findPerson = statement<{ queueId: number; seq: number }, { id: Uint8Array; person: Uint8Array | null }>(
  (db, parameter) =>
    db.query
      .selectFrom('entry')
      .select(['id', 'person'])
      .where('queue_id', '=', parameter('queueId'))
      .where('seq', '=', parameter('seq')),
);

/** What a mail is made of, from its body; undefined when its person is no longer known. */
export async function readFacts({ db }: Context, queue: Queue, body: string): Promise<MailFacts | undefined> {
  const facts = JSON.parse(body) as MailFacts | JoinedFacts;
  if (!('seq' in facts)) return facts;
  const { seq, id, position, ...rest } = facts;
  const [row] = await findPerson.read(db, { queueId: queue.id, seq });
  const person = row?.person && queue.vault.open<Person>('entry.person', row.id, row.person);
  if (!person || person.email === null) return undefined;
  const referralCode = queue.referralCodes.of(seq);
  const entry = { id, position, referrals: 0, referralCode, metadata: person.metadata };
  return { ...rest, to: person.email, entry, invite: null };
}
