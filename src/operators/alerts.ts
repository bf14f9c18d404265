import type { Database } from '../db/database.ts';
import { Problems } from '../lib/errors.ts';
import { reportState } from '../lib/state-log.ts';
import { ifReadable } from '../vault/crypto.ts';
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

/** If the settings are damaged, nobody gets alerts until somebody turns them on again. */
async function readWithin({ vault, log }: OperatorContext, query: Database['query']): Promise<AlertSettings> {
  const { alerts } = await query.selectFrom('instance').select('alerts').executeTakeFirstOrThrow();
  if (!alerts) return NOBODY;
  const opened = ifReadable(() => vault.open<AlertSettings>('instance.alerts', ROW, alerts));
  reportState(log, 'settings of alerts', opened ? 'ok' : 'damaged');
  return opened ?? NOBODY;
}

/** The URL that is called, or why it cannot be. */
export type CheckedUrl = { url: string } | { reason: string };

export async function updateAlerts(
  context: Context,
  operators: OperatorContext,
  changes: Partial<AlertSettings>,
  check: (url: string) => Promise<CheckedUrl>,
): Promise<AlertSettings> {
  const called =
    typeof changes.webhookUrl === 'string' ? { webhookUrl: await checkUrl(changes.webhookUrl, check) } : {};
  return changeSettings(context, async (trx) => {
    const before = await readWithin(operators, trx);
    const after = { ...before, ...changes, ...called };
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

async function checkUrl(typed: string, check: (url: string) => Promise<CheckedUrl>): Promise<string> {
  const problems = new Problems();
  const checked = typed.length > URL_CHARACTERS_MAX ? { url: typed } : await check(typed);
  if ('reason' in checked) problems.add('webhookUrl', checked.reason);
  else if (checked.url.length > URL_CHARACTERS_MAX)
    problems.add('webhookUrl', `is longer than ${URL_CHARACTERS_MAX} characters`);
  problems.throwIfAny();
  return 'url' in checked ? checked.url : typed;
}

/** The address itself may be a secret. */
function shown({ emails, webhookUrl }: AlertSettings): Record<string, unknown> {
  return { alertEmails: emails, alertWebhook: webhookUrl === null ? null : new URL(webhookUrl).host };
}
