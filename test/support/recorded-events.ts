import { allowList } from '../../src/lib/addresses.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { createEndpoint } from '../../src/webhooks/change-endpoints.ts';
import { createGuard } from '../../src/webhooks/guard.ts';

export interface RecordedEvent {
  event: string;
  id: string;
  data: {
    entry?: { id: string; email?: string | null; status?: string; position?: number | null } | null;
    invite?: { id: string; email: string; expiresAt: string | null };
    referred?: string;
  };
}

/** Subscribes to all events of a queue. Each call returns what was recorded since the last one. */
export async function listen(context: Context, queue: Queue): Promise<() => Promise<RecordedEvent[]>> {
  const url = 'http://127.0.0.1:9/nobody-listens-there';
  const input = { url, description: '', events: [], headers: {}, rateLimit: null };
  await createEndpoint(context, createGuard(allowList(['127.0.0.1'])), queue, input);
  const seen = new Set<string>();
  return async () => {
    const rows = await context.db.query
      .selectFrom('event')
      .select(['id', 'body'])
      .where('queue_id', '=', queue.id)
      .where('kind', 'not like', 'email.%') // Those are mails.
      .orderBy('id')
      .execute();
    const fresh = rows.filter(({ id }) => !seen.has(Buffer.from(id).toString('hex')));
    for (const { id } of fresh) seen.add(Buffer.from(id).toString('hex'));
    return fresh.flatMap(({ id, body }) =>
      body ? [JSON.parse(queue.vault.open<string>('event.body', id, body)) as RecordedEvent] : [],
    );
  };
}
