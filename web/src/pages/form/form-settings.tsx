import { useQueryClient } from '@tanstack/react-query';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { ColorField } from '../../ui/color-field.tsx';
import { SaveForm } from '../../ui/save-form.tsx';
import { useSettings } from '../../ui/use-settings.ts';
import { type MailSettings, mailSettingsQuery, updateMailSettings } from '../emails/mails.ts';
import { changesOf, draftOf, LABELS, previewOf } from './form-draft.ts';
import { FormPreview, useFormPreview } from './form-preview.tsx';
import { type Form, formQuery, updateForm } from './form-query.ts';
import { LogoField } from './logo-field.tsx';
import { ProtectionCard } from './protection-card.tsx';
import { ConsentCard, DestinationsCard, FieldsCard, SharingCard, TextsCard } from './settings-cards.tsx';

/** Everything about the form that an admin can set, except whether it is on. */
export function FormSettings({ form, look, scope }: { form: Form; look: MailSettings; scope: Scope }) {
  const client = useQueryClient();
  const {
    draft,
    set,
    problem,
    form: saving,
  } = useSettings({
    saved: { form, look },
    draftOf,
    changesOf,
    save: async ({ colour, ...changes }, from) => {
      const saved = { ...from };
      if (colour !== undefined) {
        saved.look = await updateMailSettings(scope, { colour }, from.look.etag);
        await client.invalidateQueries({ queryKey: ['mail-settings', scope.waitlistId] });
      }
      if (Object.keys(changes).length > 0) {
        saved.form = await updateForm(scope, changes, from.form.etag);
        client.setQueryData(formQuery(scope).queryKey, saved.form);
      }
      return saved;
    },
    others: {
      labels: LABELS,
      reload: async () => ({
        form: await client.fetchQuery({ ...formQuery(scope), staleTime: 0 }),
        look: await client.fetchQuery({ ...mailSettingsQuery(scope), staleTime: 0 }),
      }),
    },
  });
  const preview = useFormPreview({ scope, draft: previewOf(draft), logoUrl: look.logoUrl });
  const card = { draft, set, problem };
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2 xl:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
      <SaveForm {...saving} of="environment">
        <Card title="Look" about="Also of your emails, and the same in every environment.">
          <div className="flex max-w-lg flex-col gap-5">
            <LogoField scope={scope} look={look} />
            <ColorField
              value={draft.colour}
              onChange={(colour) => set({ colour })}
              help="Of buttons and links."
              error={problem('colour')}
            />
          </div>
        </Card>
        <TextsCard {...card} defaults={preview.good?.defaults} />
        <FieldsCard {...card} />
        <ConsentCard {...card} />
        <ProtectionCard {...card} form={form} />
        <SharingCard {...card} />
        <DestinationsCard {...card} />
      </SaveForm>
      <FormPreview {...preview} />
    </div>
  );
}
