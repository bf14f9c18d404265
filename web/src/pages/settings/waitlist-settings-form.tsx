import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, callTagged, ifMatch, type Tagged } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import { type Mailable, mailableOf, mailStatusQuery } from '../../api/mail-status.ts';
import { type Waitlist, waitlistQuery } from '../../api/waitlists.ts';
import { environmentSearch, PRODUCTION, type Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { asIs, draftsOf, line, number, numberOr } from '../../ui/drafts.ts';
import { Field, Input } from '../../ui/field.tsx';
import { SaveForm } from '../../ui/save-form.tsx';
import { Select } from '../../ui/select.tsx';
import { choiceWords, type Labels, useSettings } from '../../ui/use-settings.ts';
import { expiryOptions } from './durations.ts';

const { draftOf, changesOf } = draftsOf({
  name: line,
  confirmEmails: asIs<boolean>(),
  boost: number,
  referralCap: numberOr(''),
  inviteExpiryMs: numberOr('never'),
  returnToQueue: asIs<boolean>(),
  metadataKeys: {
    show: (keys: string[]) => keys.join(', '),
    read: (text: string) =>
      text
        .split(',')
        .map((key) => key.trim())
        .filter((key) => key !== ''),
  },
});

const LABELS: Labels<ReturnType<typeof draftOf>> = {
  name: 'Name',
  confirmEmails: 'Confirm email addresses',
  boost: 'Places per referral',
  referralCap: { label: 'Referral limit per person', words: (cap) => cap || 'No limit' },
  inviteExpiryMs: { label: 'Invites expire', words: choiceWords(expiryOptions) },
  returnToQueue: 'Return people to the queue',
  metadataKeys: 'Metadata to count',
};

/** Without these, nobody could confirm. */
const UNSENT: readonly Mailable['reason'][] = ['kind_off', 'no_mail_server'];

interface WaitlistSettingsFormProps {
  waitlist: Tagged<Waitlist>;
  environment: string;
  onSaved: () => Promise<unknown>;
}

/** All settings of a waitlist. They apply in every environment. */
export function WaitlistSettingsForm({ waitlist, environment, onSaved }: WaitlistSettingsFormProps) {
  const client = useQueryClient();
  const scope = { waitlistId: waitlist.id, environment };
  const { draft, changes, set, problem, form } = useSettings({
    saved: waitlist,
    draftOf,
    changesOf,
    save: async (body, { etag }) => {
      const params = { path: { waitlistId: waitlist.id }, query: { environment }, ...ifMatch(etag) };
      const saved = await callTagged(api.PATCH('/admin/v1/waitlists/{waitlistId}', { params, body }));
      await onSaved();
      return saved;
    },
    others: {
      labels: LABELS,
      reload: () => client.fetchQuery({ ...waitlistQuery(scope), staleTime: 0 }),
    },
  });
  const { data: status } = useQuery(mailStatusQuery({ ...scope, environment: PRODUCTION }));
  const confirm = mailableOf(status, 'confirm');
  const unsent = confirm && UNSENT.includes(confirm.reason) ? confirm : undefined;
  const [asking, setAsking] = useState<{ over: boolean | undefined }>();
  const asks = unsent !== undefined && changes.confirmEmails === true;
  return (
    <SaveForm {...form} onSave={async (over) => (asks ? setAsking({ over }) : form.onSave(over))}>
      <ConfirmDialog
        open={asking !== undefined}
        onClose={() => setAsking(undefined)}
        title="Require confirmation although no email is sent?"
        about={unsent && happens(unsent)}
        action="Save anyway"
        onConfirm={() => form.onSave(asking?.over)}
      />
      <Card title="General" about="These settings apply in every environment.">
        <div className="flex max-w-lg flex-col gap-5">
          <Field label="Name" help="People see it in emails and on your pages." error={problem('name')}>
            <Input
              required
              maxLength={MAX.WaitlistRequest.name}
              value={draft.name}
              onChange={(event) => set({ name: event.target.value })}
            />
          </Field>
          <Switch
            label="Confirm email addresses"
            help="New people are pending until they open the link in an email. They do not count in the queue before."
            checked={draft.confirmEmails}
            onChange={(confirmEmails) => set({ confirmEmails })}
          />
          {draft.confirmEmails && unsent && <ConfirmationWarning scope={scope} unsent={unsent} />}
        </div>
      </Card>
      <Card title="Referrals">
        <div className="flex max-w-lg flex-col gap-5">
          <Field
            label="Places per referral"
            help="A referral counts as having joined this many places earlier. 0 turns it off."
            error={problem('boost')}
          >
            <Input
              required
              type="number"
              min={0}
              max={MAX.WaitlistRequest.boost}
              value={draft.boost}
              onChange={(event) => set({ boost: event.target.value })}
            />
          </Field>
          {changes.boost !== undefined && (
            <Alert tone="warn">
              Everyone who has referrals gets a new position, in every environment. This can take a few
              minutes.
            </Alert>
          )}
          <Field
            label="Referral limit per person"
            help="Further referrals join the queue but move nobody up. Leave it empty for no limit."
            error={problem('referralCap')}
          >
            <Input
              type="number"
              min={0}
              placeholder="No limit"
              value={draft.referralCap}
              onChange={(event) => set({ referralCap: event.target.value })}
            />
          </Field>
        </div>
      </Card>
      <Card title="Invites">
        <div className="flex max-w-lg flex-col gap-5">
          <Field label="Invites expire" error={problem('inviteExpiryMs')}>
            <Select
              label="Invites expire"
              value={draft.inviteExpiryMs}
              onChange={(inviteExpiryMs) => set({ inviteExpiryMs })}
              options={expiryOptions(draft.inviteExpiryMs)}
            />
          </Field>
          <Switch
            label="Return people to the queue"
            help="When an invite expires or is revoked, its person gets their place back."
            checked={draft.returnToQueue}
            onChange={(returnToQueue) => set({ returnToQueue })}
          />
        </div>
      </Card>
      <Card title="Analytics">
        <div className="max-w-lg">
          <Field
            label="Metadata to count"
            help="Up to 5 keys, separated by commas, such as source, plan. The overview shows their values."
            error={problem('metadataKeys')}
          >
            <Input
              autoComplete="off"
              spellCheck={false}
              value={draft.metadataKeys}
              onChange={(event) => set({ metadataKeys: event.target.value })}
            />
          </Field>
        </div>
      </Card>
    </SaveForm>
  );
}

function happens({ reason }: Mailable): string {
  return reason === 'kind_off'
    ? 'New people stay pending, because the email with the link is off. Only people who use the form get it.'
    : 'New people stay pending, because there is no mail server: the email with the link is kept and not sent.';
}

function ConfirmationWarning({ scope, unsent }: { scope: Scope; unsent: Mailable }) {
  return (
    <Alert tone="warn">
      {happens(unsent)}{' '}
      <Link
        to="/waitlists/$waitlistId/emails"
        params={{ waitlistId: scope.waitlistId }}
        search={environmentSearch(scope.environment)}
        className="rounded-sm underline underline-offset-4"
      >
        Go to Emails
      </Link>
    </Alert>
  );
}
