import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { people, refreshPeople } from '../../api/entries.ts';
import { type Job, watchJob } from '../../api/jobs.ts';
import { type Mailable, mailableOf, mailStatusQuery } from '../../api/mail-status.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { number } from '../../ui/number.ts';
import { Select } from '../../ui/select.tsx';
import { shorten } from '../../ui/shorten.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useTyped } from '../../ui/use-typed.tsx';
import { toastMailed } from '../emails/toast-mailed.ts';
import type { Segment } from '../queue/segment.ts';
import { EXPIRIES, type Expiry, expiryBody, standardExpiry } from './expiry.ts';
import { InviteMailWarning } from './invite-mail-warning.tsx';
import { InvitePreview } from './invite-preview.tsx';
import { requestOf, WhomFields, whomFrom } from './invite-whom.tsx';
import type { InviteWay } from './invites-search.ts';
import { NowhereToGo } from './nowhere-to-go.tsx';
import { useInvitePreview } from './use-invite-preview.ts';

/** From here on, the number has to be typed. */
const MANY = 1_000;

interface InviteDialogProps {
  scope: Scope;
  way: InviteWay;
  onWay: (way: InviteWay) => void;
  /** What the address already says. */
  given: { first?: string | undefined; segment: Segment };
  onClose: () => void;
}

/** Chooses whom to invite, shows who that is, and invites exactly as many as it showed. */
export function InviteDialog({ scope, way, onWay, given, onClose }: InviteDialogProps) {
  const id = useId();
  const client = useQueryClient();
  const [whom, setWhom] = useState(() => whomFrom(given));
  const [expiry, setExpiry] = useState<Expiry>('standard');
  const [typed, setTyped] = useState('');
  const { data: waitlist } = useQuery(waitlistQuery(scope));
  const { data: mailStatus } = useQuery(mailStatusQuery(scope));

  const chosen = requestOf(way, whom);
  const { shown, count, error: previewError, lookAgain } = useInvitePreview(scope, chosen);
  const mustType = way !== 'email' && (count ?? 0) > MANY;
  const isReady =
    count !== undefined && count > 0 && (!mustType || typed.replace(/\D/g, '') === String(count));

  const written = useTyped(onClose);
  const { run, busy, error } = useAct(async () => {
    if (!isReady || !chosen) return;
    try {
      const answer = await call(
        api.POST('/admin/v1/waitlists/{waitlistId}/invites', {
          params: { path: { waitlistId: scope.waitlistId }, query: { environment: scope.environment } },
          body: { ...chosen, ...expiryBody(expiry), expect: count },
        }),
      );
      if ('mailable' in answer && way === 'email')
        toastMailed(`Invited ${shorten(whom.email.trim())}`, answer.mailable);
      else watchJob(client, scope, answer as Job);
      await refreshPeople(client, scope);
      onClose();
    } catch (problem) {
      setTyped('');
      lookAgain(); // The line may have moved: show who it would be now.
      throw problem;
    }
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return (
    <Dialog
      open
      wide
      onClose={written.onClose}
      title="Invite people"
      about={aboutEmails(scope, shown?.mailable ?? mailableOf(mailStatus, 'invite'))}
      actions={
        <>
          {mustType && (
            <Field label={`Type ${number(count ?? 0)} to confirm that many invites`} className="w-full pb-2">
              <Input
                form={id}
                value={typed}
                inputMode="numeric"
                autoComplete="off"
                onChange={(event) => setTyped(event.target.value)}
              />
            </Field>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} look="primary" busy={busy} disabled={!isReady}>
            {count ? `Invite ${people(count)} in ${scope.environment}` : 'Invite'}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} onInput={written.onInput} className="flex flex-col gap-5">
        <Tabs
          label="Whom to invite"
          value={way}
          onChange={onWay}
          tabs={[
            { value: 'first', label: 'First in line' },
            { value: 'segment', label: 'A segment' },
            { value: 'email', label: 'One email' },
          ]}
        />
        {error && <Alert>{error.sentence}</Alert>}
        <WhomFields
          scope={scope}
          way={way}
          whom={whom}
          set={(change) => setWhom((now) => ({ ...now, ...change }))}
        />
        <Field label="Invites expire">
          <Select
            label="Invites expire"
            value={expiry}
            onChange={setExpiry}
            options={[{ value: 'standard', label: standardExpiry(waitlist?.inviteExpiryMs) }, ...EXPIRIES]}
          />
        </Field>
        <InviteMailWarning preview={shown} />
        <NowhereToGo scope={scope} />
        <InvitePreview
          way={way}
          isAsked={chosen !== undefined}
          preview={shown}
          error={previewError}
          isStale={count === undefined}
        />
      </form>
      {written.question}
    </Dialog>
  );
}

function aboutEmails({ environment }: Scope, mailable: Pick<Mailable, 'mailable'> | undefined): string {
  return mailable?.mailable === true
    ? `Everyone you invite in ${environment} gets an email with a link of their own.`
    : `Everyone you invite in ${environment} gets a link of their own.`;
}
