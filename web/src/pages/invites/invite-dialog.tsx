import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useDeferredValue, useEffect, useId, useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { people, peopleKey, refreshPeople } from '../../api/entries.ts';
import { type Job, watchJob } from '../../api/jobs.ts';
import { type Mailable, mailableOf, mailStatusQuery } from '../../api/mail-status.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useTyped } from '../../ui/use-typed.tsx';
import { toastMailed } from '../emails/toast-mailed.ts';
import { SavedSegmentField } from '../queue/saved-segment-field.tsx';
import { isEmpty, NO_SEGMENT, type Segment } from '../queue/segment.ts';
import { draftOf, isSound, SegmentFields, segmentOf } from '../queue/segment-fields.tsx';
import { conditionsOf } from '../queue/segment-words.ts';
import { EXPIRIES, type Expiry, expiryBody, standardExpiry } from './expiry.ts';
import { InvitePreview } from './invite-preview.tsx';
import type { InviteWay } from './invites-search.ts';
import { NotMailed } from './not-mailed.tsx';
import { NowhereToGo } from './nowhere-to-go.tsx';

type Request = Schemas['InviteRequest'];
type Preview = Schemas['InvitePreview'];

/** From here on, the number has to be typed. */
const MANY = 1_000;
const SETTLE_MS = 300;

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
  const [first, setFirst] = useState(given.first ?? '10');
  const [email, setEmail] = useState('');
  const [draft, setDraft] = useState(() => draftOf(given.segment));
  const [expiry, setExpiry] = useState<Expiry>('standard');
  const [typed, setTyped] = useState('');
  const { data: waitlist } = useQuery(waitlistQuery(scope));

  const { data: mailStatus } = useQuery(mailStatusQuery(scope));

  const chosen = whoOf(way, first, email, isSound(draft) ? segmentOf(draft) : NO_SEGMENT);
  const who = useSettled(chosen);
  const params = { path: { waitlistId: scope.waitlistId }, query: { environment: scope.environment } };
  const preview = useQuery({
    queryKey: [...peopleKey(scope), 'preview', who],
    enabled: who !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) =>
      (await call(
        api.POST('/admin/v1/waitlists/{waitlistId}/invites', {
          params,
          body: { ...who, dryRun: true },
          signal,
        }),
      )) as Preview,
  });
  const isSettled = JSON.stringify(who) === JSON.stringify(chosen);
  /** Not of what was chosen before and is no longer complete. */
  const shown = chosen && who && !preview.isError ? preview.data : undefined;
  const count =
    who && isSettled && !preview.isPlaceholderData && !preview.isError ? preview.data?.count : undefined;
  const mustType = way !== 'email' && (count ?? 0) > MANY;
  const isReady =
    count !== undefined && count > 0 && (!mustType || typed.replace(/\D/g, '') === String(count));

  const written = useTyped(onClose);
  const { run, busy, error } = useAct(async () => {
    if (!isReady || !who) return;
    try {
      const answer = await call(
        api.POST('/admin/v1/waitlists/{waitlistId}/invites', {
          params,
          body: { ...who, ...expiryBody(expiry), expect: count },
        }),
      );
      if ('mailable' in answer && way === 'email') toastMailed(`Invited ${short(email)}`, answer.mailable);
      else watchJob(client, scope, answer as Job);
      await refreshPeople(client, scope);
      onClose();
    } catch (problem) {
      setTyped('');
      void preview.refetch(); // The line may have moved: show who it would be now.
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
            <Field
              label={`Type ${count?.toLocaleString('en')} to confirm that many invites`}
              className="w-full pb-2"
            >
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
        {way === 'first' && (
          <Field
            label="How many"
            name="first"
            error={isCount(first) || first === '' ? undefined : 'Enter a whole number from 1 to 999,999,999.'}
            help="From the front of the line. People without an email are skipped."
          >
            <Input
              type="number"
              min={1}
              max={999_999_999}
              step={1}
              inputMode="numeric"
              value={first}
              onChange={(event) => setFirst(event.target.value)}
            />
          </Field>
        )}
        {way === 'segment' && (
          <>
            <SavedSegmentField
              scope={scope}
              status="waiting"
              segment={segmentOf(draft)}
              onChange={(segment) => setDraft(draftOf(segment))}
            />
            <SegmentFields draft={draft} onChange={setDraft} keys={waitlist?.metadataKeys ?? []} />
          </>
        )}
        {way === 'email' && (
          <Field label="Email" name="email" help="They do not have to be on the waitlist.">
            <Input
              type="email"
              value={email}
              autoComplete="off"
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
        )}
        <Field label="Invites expire">
          <Select
            label="Invites expire"
            value={expiry}
            onChange={setExpiry}
            options={[{ value: 'standard', label: standardExpiry(waitlist?.inviteExpiryMs) }, ...EXPIRIES]}
          />
        </Field>
        <MailWarning preview={shown} />
        <NowhereToGo scope={scope} />
        <InvitePreview
          way={way}
          isAsked={chosen !== undefined}
          preview={shown}
          error={preview.error}
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

/** Who of them gets no email. */
function MailWarning({ preview }: { preview: Preview | undefined }) {
  if (!preview) return null;
  const { mailable, bounced, count, leftToday } = preview;
  if (!mailable.mailable)
    return (
      <NotMailed mailable={mailable} otherwise="Invited, but not emailed">
        You can copy each link after inviting.
      </NotMailed>
    );
  if (leftToday !== null && leftToday < count)
    return (
      <Alert tone="warn" title={`Emails that are sent today: ${leftToday.toLocaleString('en')}`}>
        The others wait for the next days of the warm-up. An invite that expires before its turn is not
        emailed.
      </Alert>
    );
  if (bounced === 0) return null;
  return (
    <Alert tone="warn">
      {bounced.toLocaleString('en')} of {count.toLocaleString('en')} {bounced === 1 ? 'gets' : 'get'} no
      email: the address bounced.
    </Alert>
  );
}

function whoOf(way: InviteWay, first: string, email: string, segment: Segment): Request | undefined {
  if (way === 'first') return isCount(first) ? { first: Number(first) } : undefined;
  if (way === 'email') return /^\S+@\S+\.\S+$/.test(email.trim()) ? { email: email.trim() } : undefined;
  return isEmpty(segment) ? undefined : { segment: conditionsOf(segment) };
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

/** The value, once it has not changed for a moment. */
function useSettled<T>(value: T): T {
  const text = useDeferredValue(JSON.stringify(value) ?? '');
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (settled === '' ? undefined : JSON.parse(settled)) as T;
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text.trim();
}
