import { conflict, DoorlistError, invalid, notFound } from '../../lib/errors.ts';
import { formatId, type Id, newId, parseId } from '../../lib/ids.ts';
import { compareText, readName, readText } from '../../lib/text.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { readable } from '../queue/readable.ts';
import { SEGMENT_PAIRS_MAX, type Segment } from './segment.ts';

export const SAVED_SEGMENTS_MAX = 100;
export const SEGMENT_NAME_CHARACTERS_MAX = 100;

/** A segment with a name, which everyone who works on the waitlist can use. */
export interface SavedSegment {
  id: Id<'seg'>;
  name: string;
  segment: Segment;
  createdAt: number;
  updatedAt: number;
}

interface Row {
  id: Uint8Array;
  name: string;
  conditions: Uint8Array;
  created_at: number;
  updated_at: number;
}

/** Sorted by name. */
export async function listSavedSegments(context: Context, queue: Queue): Promise<SavedSegment[]> {
  const rows = await readRows(context.db.query, queue);
  return rows.flatMap((row) => openRow(context, queue, row) ?? []).sort(byName);
}

/** Finds one by its id, or by its name without regard to case. */
export async function readSavedSegment(
  context: Context,
  queue: Queue,
  idOrName: string,
): Promise<SavedSegment> {
  const wanted = keyOf(idOrName);
  const saved = await listSavedSegments(context, queue);
  const found = saved.find(({ id }) => id === idOrName) ?? saved.find(({ name }) => keyOf(name) === wanted);
  if (!found) throw notFound(`there is no saved segment ${idOrName}`);
  return found;
}

export async function saveSegment(
  context: Context,
  queue: Queue,
  input: { name: string; segment: Segment },
): Promise<SavedSegment> {
  const name = checkName(input.name);
  checkConditions(input.segment);
  return changeQueue(context, queue, async (change) => {
    const others = await readRows(change.trx, queue);
    if (others.length >= SAVED_SEGMENTS_MAX)
      throw conflict(`a waitlist has at most ${SAVED_SEGMENTS_MAX} saved segments: delete one first`);
    requireFree(others, name);
    const id = newId(change.now);
    const conditions = queue.vault.seal('segment.conditions', id, input.segment);
    const times = { created_at: change.now, updated_at: change.now };
    change.trx.insert('saved_segment', [{ queue_id: queue.id, id, name, conditions, ...times }]);
    const saved = { id: formatId('seg', id), name, segment: input.segment };
    await record(context, change, 'segment.created', saved);
    return { ...saved, createdAt: change.now, updatedAt: change.now };
  });
}

/** Renames it, or replaces its conditions. */
export async function changeSavedSegment(
  context: Context,
  queue: Queue,
  segmentId: string,
  input: { name?: string | undefined; segment?: Segment | undefined },
): Promise<SavedSegment> {
  const wanted = input.name === undefined ? undefined : checkName(input.name);
  if (input.segment !== undefined) checkConditions(input.segment);
  return changeQueue(context, queue, async (change) => {
    const { row, others } = await requireRow(change, segmentId);
    const name = wanted ?? row.name;
    requireFree(others, name);
    const before = openRow(context, queue, row);
    const segment = input.segment ?? before?.segment;
    if (!segment) throw new DoorlistError('conflict', 'the conditions of this segment cannot be decrypted');
    const conditions = queue.vault.seal('segment.conditions', row.id, segment);
    await change.trx
      .updateTable('saved_segment')
      .set({ name, conditions, updated_at: change.now })
      .where('queue_id', '=', queue.id)
      .where('id', '=', row.id)
      .execute();
    const saved = { id: formatId('seg', row.id), name, segment };
    await record(context, change, 'segment.updated', saved, row.name);
    return { ...saved, createdAt: row.created_at, updatedAt: change.now };
  });
}

export async function deleteSavedSegment(context: Context, queue: Queue, segmentId: string): Promise<void> {
  await changeQueue(context, queue, async (change) => {
    const { row } = await requireRow(change, segmentId);
    await change.trx
      .deleteFrom('saved_segment')
      .where('queue_id', '=', queue.id)
      .where('id', '=', row.id)
      .execute();
    await record(context, change, 'segment.deleted', { id: formatId('seg', row.id), name: row.name });
  });
}

/** The conditions of a saved segment and further ones: all must be met. */
export function bothSegments(saved: Segment, given: Segment, path = ''): Segment {
  if (saved.status !== undefined && given.status !== undefined && saved.status !== given.status)
    throw invalid(`${path}status: the saved segment is about people who are ${saved.status}`);
  if (saved.referrer !== undefined && given.referrer !== undefined && saved.referrer !== given.referrer)
    throw invalid(`${path}referrer: the saved segment names another one`);
  const pairs = [...(saved.pairs ?? []), ...(given.pairs ?? [])];
  if (pairs.length > SEGMENT_PAIRS_MAX)
    throw invalid(`${path}where: has more than ${SEGMENT_PAIRS_MAX} values with those of the saved segment`);
  const most = (name: 'minReferrals' | 'joinedAfter') =>
    saved[name] === undefined && given[name] === undefined
      ? {}
      : {
          [name]: Math.max(saved[name] ?? Number.NEGATIVE_INFINITY, given[name] ?? Number.NEGATIVE_INFINITY),
        };
  const before = Math.min(
    saved.joinedBefore ?? Number.POSITIVE_INFINITY,
    given.joinedBefore ?? Number.POSITIVE_INFINITY,
  );
  return {
    ...saved,
    ...given,
    ...(pairs.length === 0 ? {} : { pairs }),
    ...most('minReferrals'),
    ...most('joinedAfter'),
    ...(Number.isFinite(before) ? { joinedBefore: before } : {}),
  };
}

function checkName(text: string): string {
  const name = readName(text, { most: SEGMENT_NAME_CHARACTERS_MAX });
  if (parseId('seg', name)) throw invalid('name: must not look like an id');
  return name;
}

function checkConditions(segment: Segment): void {
  if (Object.keys(segment).length === 0) throw invalid('conditions: needs at least one condition');
}

/** Names that differ only in case would be mistaken for each other. */
function keyOf(name: string): string {
  return (readText(name, SEGMENT_NAME_CHARACTERS_MAX) ?? name).toLowerCase();
}

function byName(a: SavedSegment, b: SavedSegment): number {
  return compareText(keyOf(a.name), keyOf(b.name));
}

function readRows(executor: Context['db']['query'], queue: Queue): Promise<Row[]> {
  return executor
    .selectFrom('saved_segment')
    .select(['id', 'name', 'conditions', 'created_at', 'updated_at'])
    .where('queue_id', '=', queue.id)
    .execute();
}

async function requireRow(
  { trx, queue }: QueueChange,
  segmentId: string,
): Promise<{ row: Row; others: Row[] }> {
  const rows = await readRows(trx, queue);
  const row = rows.find(({ id }) => formatId('seg', id) === segmentId);
  if (!row) throw notFound(`there is no saved segment ${segmentId}`);
  return { row, others: rows.filter((each) => each !== row) };
}

function requireFree(others: readonly Row[], name: string): void {
  if (others.some((other) => keyOf(other.name) === keyOf(name)))
    throw conflict('name: another segment has this name');
}

/** Without the conditions, which can contain data of people. */
async function record(
  context: Context,
  { trx, queue }: QueueChange,
  action: 'segment.created' | 'segment.updated' | 'segment.deleted',
  { id, name }: Pick<SavedSegment, 'id' | 'name'>,
  nameBefore?: string,
): Promise<void> {
  const where = { waitlist: queue.waitlist.id, environment: queue.environment };
  await context.audit?.(trx, {
    action,
    object: { kind: 'segment', id, name },
    ...(nameBefore === undefined ? {} : { before: { name: nameBefore } }),
    after: { name, ...where },
  });
}

function openRow({ log }: Context, { id: queue, vault }: Queue, row: Row): SavedSegment | undefined {
  const id = formatId('seg', row.id);
  return readable({ log }, { what: 'saved segment', id, queue }, () => ({
    ...{ id, name: row.name, createdAt: row.created_at, updatedAt: row.updated_at },
    segment: vault.open<Segment>('segment.conditions', row.id, row.conditions),
  }));
}
