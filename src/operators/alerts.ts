import type { Database } from '../db/database.ts';
import { Problems } from '../lib/errors.ts';
import { changeSettings } from '../waitlist/queue/change-settings.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { OperatorContext } from './context.ts';

/** Who is told when a check of the installation's health fails, and when it is well again. */
export interface AlertSettings {
  /** Owners and admins. */
  emails: boolean;
  webhookUrl: string | null;
}

const NOBODY: AlertSettings = { emails: false, webhookUrl: null };
const ROW = Buffer.from('instance');
const URL_CHARACTERS_MAX = 2_048;

export function readAlerts(context: OperatorContext): Promise<AlertSettings> {
  return readWithin(context, context.db.query);
}

async function readWithin({ vault }: OperatorContext, query: Database['query']): Promise<AlertSettings> {
  const { alerts } = await query.selectFrom('instance').select('alerts').executeTakeFirstOrThrow();
  return alerts ? vault.open<AlertSettings>('instance.alerts', ROW, alerts) : NOBODY;
}

/** `refuse` returns why a URL cannot be used, if so. */
export async function updateAlerts(
  context: Context,
  operators: OperatorContext,
  changes: Partial<AlertSettings>,
  refuse: (url: string) => Promise<string | undefined>,
): Promise<AlertSettings> {
  const { webhookUrl } = changes;
  const problems = new Problems();
  if (typeof webhookUrl === 'string') {
    const reason =
      webhookUrl.length > URL_CHARACTERS_MAX
        ? `is longer than ${URL_CHARACTERS_MAX} characters`
        : await refuse(webhookUrl);
    if (reason !== undefined) problems.add('webhookUrl', reason);
  }
  problems.throwIfAny();
  return changeSettings(context, async (trx) => {
    const before = await readWithin(operators, trx);
    const after = { ...before, ...changes };
    const alerts = operators.vault.seal('instance.alerts', ROW, after);
    await trx.updateTable('instance').set({ alerts }).execute();
    await context.audit?.(trx, {
      action: 'instance.updated',
      object: { kind: 'instance', id: 'instance' },
      before: shown(before),
      after: shown(after),
    });
    return after;
  });
}

/** The address itself may be a secret. */
function shown({ emails, webhookUrl }: AlertSettings): Record<string, unknown> {
  return { alertEmails: emails, alertWebhook: webhookUrl === null ? null : new URL(webhookUrl).host };
}
