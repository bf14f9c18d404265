import { api, call } from '../../api/client.ts';
import { Alert } from '../../ui/alert.tsx';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { SaveForm } from '../../ui/save-form.tsx';
import { Select } from '../../ui/select.tsx';
import { useSettings } from '../../ui/use-settings.ts';
import { changesOf, draftOf, type Waitlist } from './draft.ts';
import { expiryOptions } from './durations.ts';

interface SettingsFormProps {
  waitlist: Waitlist;
  environment: string;
  onSaved: () => Promise<unknown>;
}

/** All settings of a waitlist. They apply in every environment. */
export function SettingsForm({ waitlist, environment, onSaved }: SettingsFormProps) {
  const { draft, changes, set, problem, form } = useSettings({
    saved: waitlist,
    draftOf,
    changesOf,
    save: async (body) => {
      const saved = await call(
        api.PATCH('/admin/v1/waitlists/{waitlistId}', {
          params: { path: { waitlistId: waitlist.id }, query: { environment } },
          body,
        }),
      );
      await onSaved();
      return saved;
    },
  });
  return (
    <SaveForm {...form}>
      <Card title="General" about="These settings apply in every environment.">
        <div className="flex max-w-lg flex-col gap-5">
          <Field label="Name" help="People see it in emails and on your pages." error={problem('name')}>
            <Input
              required
              maxLength={200}
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
        </div>
      </Card>
      <Card title="Referrals">
        <div className="flex max-w-lg flex-col gap-5">
          <Field
            label="Places per referral"
            help="How far one referral moves a person up. 0 turns it off."
            error={problem('boost')}
          >
            <Input
              required
              type="number"
              min={0}
              max={1000}
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
              value={draft.inviteExpiry}
              onChange={(inviteExpiry) => set({ inviteExpiry })}
              options={expiryOptions(draft.inviteExpiry)}
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
