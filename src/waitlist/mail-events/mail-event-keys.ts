import { DoorlistError, invalid } from '../../lib/errors.ts';
import type { HookKey } from '../keys/find-hook-key.ts';
import {
  type CreatedHookKey,
  type HookKeyChanges,
  type HookKeySummary,
  type HookKeys,
  hookKeys,
} from '../keys/hook-keys.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { checkMailSecret, checkProvider, checkTopic, type MailProvider } from './providers.ts';

interface MailEventKeyChanges extends HookKeyChanges {
  /** Of Amazon SNS. null for the next one that is confirmed. */
  topic?: string | null | undefined;
}

export interface MailEventKeyInput extends MailEventKeyChanges {
  provider: string;
}

const keys = hookKeys({
  table: 'mail_event_key',
  purpose: 'mail-event',
  start: 'dle_',
  idPrefix: 'mek',
  called: 'mail event key',
  own: ['provider', 'topic'],
  checkSecret: (secret, { provider = null }) => checkMailSecret(secret, provider as MailProvider | null),
});

/** What a mail provider tells of bounces and complaints with. A key is made for one provider. */
export const mailEventKeys = {
  ...keys,
  create: (
    context: Context,
    queue: Queue,
    { provider: text, topic = null, ...input }: MailEventKeyInput,
  ): Promise<CreatedHookKey<'mek'>> => {
    const provider = checkProvider(text);
    return keys.create(context, queue, input, { provider, topic: checkTopic(topic, provider) });
  },
  change: async (
    context: Context,
    queue: Queue,
    keyId: string,
    { topic, ...changes }: MailEventKeyChanges,
  ): Promise<HookKeySummary<'mek'>> => {
    if (topic === undefined) return keys.change(context, queue, keyId, changes);
    return keys.change(context, queue, keyId, changes, ({ provider = null }) => ({
      topic: checkTopic(topic, provider as MailProvider | null),
    }));
  },
} satisfies Omit<HookKeys<'mek'>, 'create'> & { create: unknown };

/** Keys of earlier releases have no provider until they report. */
export function providerOf({ own }: HookKey): MailProvider | null {
  return (own.provider ?? null) as MailProvider | null;
}

/**
 * Keeps what a key learns from its first genuine report: the provider of a key of an earlier release, and the topic of
 * Amazon SNS. Of two that come at once, the first one counts.
 */
export async function learn(
  context: Context,
  { id, queue, own }: HookKey,
  { provider, topic }: { provider: MailProvider; topic?: string | undefined },
): Promise<void> {
  const isNew = (own.provider ?? null) === null || (topic !== undefined && (own.topic ?? null) === null);
  if (!isNew) return;
  await changeSettings(context, async (trx) => {
    const row = await trx
      .selectFrom('mail_event_key')
      .select(['provider', 'topic'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst();
    const kept = { provider: row?.provider ?? provider, topic: row?.topic ?? topic ?? null };
    if (!row || kept.provider !== provider) throw madeFor(kept.provider);
    if (topic !== undefined && kept.topic !== topic) throw otherTopic();
    await trx
      .updateTable('mail_event_key')
      .set(kept)
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .execute();
  });
}

export function madeFor(provider: string): DoorlistError {
  return invalid(`shape: this mail event key takes only what ${provider} reports; create another key`);
}

export function otherTopic(): DoorlistError {
  return new DoorlistError('unauthorized', 'this mail event key takes messages of another topic');
}
