import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { type Entry, nameOf, refreshPeople } from '../../api/entries.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { number } from '../../ui/number.ts';
import { shorten } from '../../ui/shorten.ts';
import { toast } from '../../ui/toast.tsx';
import type { AboutEntry } from './about-entry.ts';
import { Fact, Missing } from './entry-facts.tsx';
import { EventTime } from './event-time.tsx';

interface Preview {
  other: Entry;
  merged: Entry;
}

/** Another entry of the same person becomes part of this one, once what would become of them was shown. */
export function MergeDialog({ scope, entry, onClose }: AboutEntry & { onClose: () => void }) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [preview, setPreview] = useState<Preview | null>(null);
  const [unknown, setUnknown] = useState<string>();
  const { waitlistId, environment } = scope;
  const pathOf = ({ id }: Entry) => ({ waitlistId, entryId: id });
  const look = async () => {
    const found = await call(
      api.GET('/admin/v1/waitlists/{waitlistId}/entries', {
        params: { path: { waitlistId }, query: { environment, search: text.trim() } },
      }),
    );
    const [other] = found.entries;
    if (!other) return setUnknown('Nobody on this waitlist has this.');
    if (other.id === entry.id) return setUnknown('That is this entry itself.');
    const merged = await call(
      api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/merge', {
        params: { path: pathOf(other), query: { environment, into: entry.id } },
      }),
    );
    setPreview({ other, merged });
  };
  const merge = async ({ other }: Preview) => {
    await call(
      api.POST('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/merge', {
        params: { path: pathOf(other), query: { environment } },
        body: { into: entry.id },
      }),
    );
    await refreshPeople(client, scope);
    toast(`Merged ${shorten(nameOf(other))} into this entry`);
    onClose();
  };
  return (
    <FormDialog
      title="Merge with another entry"
      about="For somebody who signed up twice. This entry stays, at the place of whichever joined first, with what both had. The other one goes as if it had never joined."
      action={preview ? 'Merge' : 'Preview'}
      danger={preview !== null}
      onClose={onClose}
      onSubmit={() => (preview ? merge(preview) : look())}
    >
      {(problem) => (
        <>
          <Field
            label="The other entry"
            error={unknown ?? problem('search')}
            help="Email, phone number, referral code, id, or a link that the person has."
          >
            <Input
              type="text"
              autoComplete="off"
              required
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setPreview(null);
                setUnknown(undefined);
              }}
            />
          </Field>
          {preview && <MergePreview {...preview} />}
        </>
      )}
    </FormDialog>
  );
}

function MergePreview({ other, merged }: Preview) {
  const { email, phone, status, createdAt, referrals, referredBy } = merged;
  return (
    <section className="flex flex-col gap-3" aria-label="What becomes of them">
      <p>
        <strong className="font-semibold">{shorten(nameOf(other))}</strong> goes. This is what is left:
      </p>
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-x-4 gap-y-2 rounded-md p-3 ring-1 ring-line">
        <Fact label="Status">
          <StatusBadge status={status} />
        </Fact>
        <Fact label="Email">{email ? <Text>{email}</Text> : <Missing />}</Fact>
        <Fact label="Phone">{phone ? <Text>{phone}</Text> : <Missing />}</Fact>
        <Fact label="Referrals">{number(referrals)}</Fact>
        <Fact label="Referred by">{referredBy ? <Text>{referredBy}</Text> : <Missing />}</Fact>
        <Fact label="Signed up">
          <EventTime at={createdAt} />
        </Fact>
      </dl>
      <p className="text-sm text-mute">
        Metadata, invites, emails and unsubscribes come along. Only a new signup brings the other entry back.
      </p>
    </section>
  );
}

function Text({ children }: { children: string }) {
  return (
    <span className="break-words" dir="auto">
      {children}
    </span>
  );
}
