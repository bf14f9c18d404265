import type { Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { Problems } from '../../lib/errors.ts';
import { bytesKey } from '../../lib/ids.ts';
import { metadataPairs, type Person, parseMetadata } from '../people/person.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { type CodeRow, codeState, hashCode, openCode, selectCode } from './codes.ts';

/** A code that a signup names. null if it cannot be one. */
export interface NamedCode {
  readonly hash: Buffer | null;
}

export const UNUSED_REASONS = [
  ...(['not_found', 'expired', 'accepted', 'revoked'] as const),
  ...(['admits', 'on_waitlist'] as const),
] as const;
export type UnusedReason = (typeof UNUSED_REASONS)[number];

/** What a code did for somebody who named it. */
export type CodeOutcome = { used: true; places: number } | { used: false; reason: UnusedReason };

/** Somebody who may join. */
interface Named {
  readonly code?: NamedCode;
}

/** Hashes the codes before the queue is locked. */
export function withCodes<Candidate extends object>(
  context: Context,
  signups: readonly { readonly code?: string }[],
  candidates: readonly Candidate[],
): Promise<(Candidate & Named)[]> {
  return Promise.all(
    candidates.map(async (candidate, index) => {
      const code = signups[index]?.code;
      return code === undefined ? candidate : { ...candidate, code: await nameCode(context, code) };
    }),
  );
}

export async function nameCode(context: Context, text: string): Promise<NamedCode> {
  return { hash: (await hashCode(context, text)) ?? null };
}

const findByHashes = statement<{ queueId: number; hashes: readonly Buffer[] }, CodeRow>((db, parameter) =>
  selectCode(db.query)
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('code_hash'), parameter('hashes'))),
);

/** Undefined, and no query, if nobody names one. Read it under the lock of the queue. */
export async function findNamedCodes(
  trx: Trx,
  queue: Queue,
  candidates: readonly Named[],
): Promise<CodeRow[] | undefined> {
  const named = candidates.flatMap(({ code }) => code ?? []);
  if (named.length === 0) return undefined;
  const hashes = new Map(named.flatMap(({ hash }) => (hash ? [[bytesKey(hash), hash]] : [])));
  return trx.run(findByHashes, { queueId: queue.id, hashes: [...hashes.values()] });
}

const findUses = statement<
  { queueId: number; seqs: readonly number[] },
  { code_id: Uint8Array; seq: number }
>((db, parameter) =>
  db.query
    .selectFrom('code_use')
    .select(['code_id', 'seq'])
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('seq'), parameter('seqs')))
    .where('returned_at', 'is', null),
);

interface Joining extends Named {
  readonly id: Buffer;
  readonly person: Buffer;
  readonly pairHashes: Buffer[];
}

/** The codes that the signups of one change name. None is used more often than it can be. */
export class NamedCodes {
  readonly #context: Pick<Context, 'log'>;
  readonly #change: QueueChange;
  readonly #rows: ReadonlyMap<string, CodeRow>;
  readonly #users = new Map<CodeRow, number[]>();
  readonly #outcomes = new Map<NamedCode, CodeOutcome>();

  constructor(context: Pick<Context, 'log'>, change: QueueChange, rows: readonly CodeRow[]) {
    this.#context = context;
    this.#change = change;
    this.#rows = new Map(rows.map((row) => [bytesKey(row.code_hash), row]));
  }

  /** What it would do for somebody who joined now. */
  offerOf({ hash }: NamedCode): CodeOutcome {
    const row = hash ? this.#rows.get(bytesKey(hash)) : undefined;
    if (!row) return { used: false, reason: 'not_found' };
    if (row.places === null) return { used: false, reason: 'admits' };
    const used = row.used + (this.#users.get(row)?.length ?? 0);
    const state = codeState({ ...row, used }, this.#change.now);
    return state === 'live' ? { used: true, places: row.places } : { used: false, reason: state };
  }

  outcomeOf(named: NamedCode): CodeOutcome {
    return this.#outcomes.get(named) ?? { used: false, reason: 'on_waitlist' };
  }

  /** For somebody who joins: takes a place of the code that they name, if it has one. Returns it with what it is worth. */
  join<Candidate extends Joining>(
    candidate: Candidate,
    seq: number,
  ): { candidate: Candidate; advanced: number; code?: Uint8Array } {
    const { code } = candidate;
    if (!code) return { candidate, advanced: 0 };
    const offer = this.offerOf(code);
    this.#outcomes.set(code, offer);
    const row = code.hash && this.#rows.get(bytesKey(code.hash));
    if (!offer.used || !row) return { candidate, advanced: 0 };
    const users = this.#users.get(row);
    if (users) users.push(seq);
    else this.#users.set(row, [seq]);
    const { queue } = this.#change;
    const { tag } = openCode(this.#context, queue, row);
    const tagged = tag === null ? candidate : withTag(queue, candidate, tag);
    return { candidate: tagged, advanced: offer.places, code: row.id };
  }

  /** For people who are on the waitlist: whoever joined with the code is told so again, after a lost response for example. */
  async recall(known: readonly { code: NamedCode; seq: number }[]): Promise<void> {
    const { trx, queue } = this.#change;
    const named = known.flatMap(({ code, seq }) => {
      const row = code.hash && this.#rows.get(bytesKey(code.hash));
      return row && row.places !== null ? [{ code, seq, id: row.id, places: row.places }] : [];
    });
    if (named.length === 0) return;
    const uses = await trx.run(findUses, { queueId: queue.id, seqs: named.map(({ seq }) => seq) });
    const used = new Set(uses.map(({ code_id, seq }) => `${bytesKey(code_id)} ${seq}`));
    for (const { code, seq, id, places } of named)
      if (used.has(`${bytesKey(id)} ${seq}`)) this.#outcomes.set(code, { used: true, places });
  }

  write(): void {
    const { trx, queue, now } = this.#change;
    for (const [{ id, used }, seqs] of this.#users) {
      trx.update('code', { key: ['queue_id', 'id'] }, [{ queue_id: queue.id, id, used: used + seqs.length }]);
      const uses = seqs.map((seq) => ({
        queue_id: queue.id,
        code_id: id,
        seq,
        used_at: now,
        returned_at: null,
      }));
      trx.insert('code_use', uses);
    }
  }
}

/** Unless there is no room for it in their metadata. */
function withTag<Candidate extends Joining>({ vault }: Queue, candidate: Candidate, tag: string): Candidate {
  const { id } = candidate;
  const person = vault.open<Person>('entry.person', id, candidate.person);
  const problems = new Problems();
  const metadata = parseMetadata({ ...person.metadata, tag }, 'metadata', problems);
  if (metadata === null || problems.any) return candidate;
  return {
    ...candidate,
    person: vault.seal('entry.person', id, { ...person, metadata }),
    pairHashes: metadataPairs(vault, metadata),
  };
}
