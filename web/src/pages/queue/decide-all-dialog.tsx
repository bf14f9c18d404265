import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { EntryStatus } from '../../api/choices.ts';
import { ApiError, api, call, type Schemas } from '../../api/client.ts';
import { people } from '../../api/entries.ts';
import { type Job, watchJob } from '../../api/jobs.ts';
import { MAX } from '../../api/limits.ts';
import { mailableOf, mailStatusQuery, willBeSent } from '../../api/mail-status.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { FirstPeople } from './first-people.tsx';
import type { Segment } from './segment.ts';
import { conditionsOf } from './segment-words.ts';

type Request = Schemas['DecisionRequest'];
export type Verb = Request['decision'];

const WORDS: Record<Verb, { label: string; about: string; done: string }> = {
  approve: {
    label: 'Approve',
    about: 'They are invited. Invites expire after the waitlist’s default time.',
    done: 'approved',
  },
  decline: {
    label: 'Decline',
    about:
      'They are kept without a place in line, and open invites are revoked. Unless you tell them, they do not notice.',
    done: 'declined',
  },
  reconsider: {
    label: 'Take declines back',
    about: 'They get back into line, where they were.',
    done: 'put back',
  },
};

interface DecideAllDialogProps {
  scope: Scope;
  segment: Segment;
  status: EntryStatus;
  verbs: readonly [Verb, ...Verb[]];
  onClose: () => void;
}

/** Shows whom it is about, and decides about exactly as many, even if others match meanwhile. */
export default function DecideAllDialog({ scope, segment, status, verbs, onClose }: DecideAllDialogProps) {
  const client = useQueryClient();
  const [verb, setVerb] = useState<Verb>(verbs[0]);
  const [note, setNote] = useState('');
  const [wantsEmail, setWantsEmail] = useState(false);
  const mailable = mailableOf(useQuery(mailStatusQuery(scope)).data, 'declined');
  const email = verb === 'decline' && wantsEmail && willBeSent(mailable);
  const { waitlistId, environment } = scope;
  const send = (more: Pick<Request, 'dryRun' | 'note' | 'email' | 'expect'>) =>
    call(
      api.POST('/admin/v1/waitlists/{waitlistId}/decisions', {
        params: { path: { waitlistId }, query: { environment } },
        body: { decision: verb, segment: conditionsOf(segment), status, ...more },
      }),
    );
  const query = useQuery({
    queryKey: ['decision', waitlistId, environment, verb, status, segment],
    queryFn: async () => (await send({ dryRun: true })) as Schemas['DecisionPreview'],
    gcTime: 0,
    retry: false,
  });
  const count = query.data?.count ?? 0;
  const { label, about, done } = WORDS[verb];
  const decide = async () => {
    if (count === 0) throw new ApiError(0, 'nobody', `nobody would be ${done}`);
    try {
      const text = note.trim();
      watchJob(
        client,
        scope,
        (await send({ expect: count, ...(text && { note: text }), ...(email && { email }) })) as Job,
      );
    } catch (error) {
      void query.refetch(); // Others may match by now.
      throw error;
    }
    onClose();
    toast(`${people(count)} ${count === 1 ? 'is' : 'are'} being ${done}`);
  };
  const where = environment === 'production' ? '' : ` in ${environment}`;
  return (
    <FormDialog
      title={`Decide about all that match${where}`}
      about={`Everybody who is ${status} and meets every condition of the filter.`}
      action={count > 0 ? `${label} (${people(count)})` : label}
      danger={verb === 'decline'}
      onClose={onClose}
      onSubmit={decide}
    >
      {(problem) => (
        <>
          <Field label="Decision" help={about}>
            <Select
              value={verb}
              onChange={setVerb}
              options={verbs.map((value) => ({ value, label: WORDS[value].label }))}
            />
          </Field>
          <FirstPeople
            title={(all) => (all === 0 ? `Nobody would be ${done}` : `${people(all)} would be ${done}`)}
            nobody={
              verb === 'approve' ? 'Nobody with an email matches any more.' : 'Nobody matches any more.'
            }
            query={query}
          />
          {verb === 'decline' && (
            <Checkbox
              label="Tell them by email"
              help={
                mailable?.message ??
                'Sends each of them the email “Declined”, unless they unsubscribed or have no address.'
              }
              checked={email}
              disabled={!willBeSent(mailable)}
              onChange={setWantsEmail}
            />
          )}
          <Field
            label="Note"
            help="Optional. Only the team sees it, in the history of each of them."
            error={problem('note')}
          >
            <TextArea
              rows={2}
              maxLength={MAX.EntryDecision.note}
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
