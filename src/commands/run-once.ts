import { conflict } from '../lib/errors.ts';
import type { Id } from '../lib/ids.ts';
import type { InstallationVault } from '../vault/vault.ts';
import { readJob } from '../waitlist/jobs/find-jobs.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { onlyOnce } from '../waitlist/requests/only-once.ts';
import type { KeyedRequest } from '../waitlist/requests/repeated-requests.ts';
import { startOnce } from '../waitlist/requests/start-once.ts';
import { type Command, type Flags, type Outcome, UsageProblem } from './command.ts';
import { queueOf } from './queue.ts';

type Given = { operands: string[]; flags: Flags };

/** Runs a command once for its `--idempotency-key`, if it has one. */
export async function runOnce(
  { name, once, content }: Command,
  context: Context,
  vault: InstallationVault,
  { operands, flags }: Given,
  work: (context: Context) => Promise<Outcome>,
): Promise<Outcome> {
  const { 'idempotency-key': key, json: _, ...given } = flags;
  if (key === undefined) return work(context);
  const queue = typeof flags.waitlist === 'string' ? await queueOf(context, flags) : undefined;
  const read = await content?.(operands, flags);
  const request: KeyedRequest = {
    ...(queue ? { queueId: queue.id, vault: queue.vault } : { vault }),
    ...{ actor: context.actor ?? '', operation: name, key: checkKey(key) },
    content: () => ({ operands, flags: given, ...(read === undefined ? {} : { read }) }),
  };
  const startsJob = once === 'job' || (typeof once === 'function' && once(operands, flags) === 'job');
  return startsJob
    ? startOnce(context, request, work, (jobId) => outcomeOf(context, jobId))
    : (await onlyOnce(context, request, work)).answer;
}

function checkKey(key: Flags[string]): string {
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new UsageProblem('--idempotency-key: must be 1 to 255 printable ASCII characters');
}

/** Of a job that this key started, but whose command never said what became of it. */
async function outcomeOf(context: Context, jobId: Id<'job'>): Promise<Outcome | undefined> {
  const { state, runner, result } = await readJob(context, jobId);
  if (state === 'failed' || state === 'cancelled')
    throw conflict(
      `the first run with this key started ${jobId}, which ${state === 'failed' ? 'failed' : 'was cancelled'}: use a new key`,
    );
  if (state !== 'done' && runner !== 'server') return undefined;
  const what = state === 'done' ? 'is done' : 'is not done yet. A server goes on with it';
  return { json: { jobId, ...result }, text: `The first run with this key started ${jobId}, which ${what}.` };
}
