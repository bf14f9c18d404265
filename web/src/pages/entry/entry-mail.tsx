import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import { refreshPeople } from '../../api/entries.ts';
import { personMailQuery, whyNotMailed } from '../../api/mail-status.ts';
import { useMay, useWhyNot } from '../../api/me.ts';
import { environmentSearch } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, DimmableButton } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { kindName, MAIL_STATE_NAMES } from '../emails/mail-names.ts';
import { removeSuppression, resendMail, STATE_TONES } from '../emails/mails.ts';
import { toastResent } from '../emails/toast-mailed.ts';
import type { AboutEntry } from './about-entry.ts';

type PersonMail = Schemas['PersonMail'];

/** Whether a person can be emailed, or why not, and what became of the last email. */
export function EntryMail({ scope, entry }: AboutEntry) {
  const client = useQueryClient();
  const mayLift = useMay('admin');
  const whyNotResend = useWhyNot('send emails again', 'admin', 'resend');
  const query = useQuery(personMailQuery(scope, entry.id));
  const lift = useAct(async () => {
    try {
      await removeSuppression(scope, entry.email ?? '');
      await refreshPeople(client, scope);
      toast('The address gets emails again');
    } catch (error) {
      toastError(error);
    }
  });
  const resend = useAct(async (mailId: string) => {
    try {
      const { mailable } = await resendMail(scope, mailId);
      await refreshPeople(client, scope);
      toastResent(mailable);
    } catch (error) {
      toastError(error);
    }
  });
  const mail = query.data;
  return (
    <section className="flex flex-col gap-3" aria-label="Email">
      <h3 className="font-semibold">Email</h3>
      <QueryProblem query={query}>
        {mail ? (
          <div className="flex flex-col divide-y rounded-md ring-1 ring-line">
            <div className="flex flex-wrap items-center justify-between gap-2 px-3 py-2.5">
              <Verdict mail={mail} />
              {mail.suppressions.length > 0 && mayLift && (
                <Button size="sm" busy={lift.busy} onClick={() => void lift.run()}>
                  Lift suppression
                </Button>
              )}
            </div>
            {mail.lastMail && (
              <div className="flex flex-wrap items-start justify-between gap-2 px-3 py-2.5">
                <LastMail scope={scope} mail={mail.lastMail} />
                {mail.lastMail.state !== 'pending' && mail.lastMail.to !== null && (
                  <DimmableButton
                    size="sm"
                    why={whyNotResend}
                    busy={resend.busy}
                    onClick={() => void resend.run(mail.lastMail?.id ?? '')}
                  >
                    Resend
                  </DimmableButton>
                )}
              </div>
            )}
          </div>
        ) : (
          <Skeleton className="h-20 w-full" />
        )}
      </QueryProblem>
    </section>
  );
}

/** What keeps all emails from this person, or those that are on. */
function Verdict({ mail: { kinds, suppressions } }: { mail: PersonMail }) {
  const on = kinds.filter(({ reason }) => reason !== 'kind_off');
  const bounced = suppressions.find(({ reason }) => reason === 'bounced');
  const complained = suppressions.find(({ reason }) => reason === 'complained');
  const unsubscribed = suppressions.find(({ reason }) => reason === 'unsubscribed');
  const blocked = on.find(
    ({ reason }) => reason !== null && reason !== 'unsubscribed' && reason !== 'complained',
  );
  const why = blocked && whyNotMailed(blocked);
  return (
    <div className="min-w-0 flex-1 basis-52">
      {on.length === 0 ? (
        <Fact badge={<Badge>No emails</Badge>} text="All emails of this waitlist are off." />
      ) : bounced ? (
        <Fact badge={<Badge tone="danger">Bounced</Badge>} text="Gets no emails." since={bounced.since} />
      ) : why !== undefined ? (
        <Fact badge={<Badge tone="warn">{capitalize(why)}</Badge>} text={blocked?.message ?? ''} />
      ) : complained ? (
        <Fact
          badge={<Badge tone="warn">Complained</Badge>}
          text="Reported an email as spam. Only gets invites and emails to confirm the address."
          since={complained.since}
        />
      ) : unsubscribed ? (
        <Fact
          badge={<Badge tone="warn">Unsubscribed</Badge>}
          text="Only gets invites and emails to confirm the address."
          since={unsubscribed.since}
        />
      ) : (
        <Fact badge={<Badge tone="accent">Can be emailed</Badge>} />
      )}
    </div>
  );
}

function Fact({ badge, text, since }: { badge: ReactNode; text?: string; since?: string }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {badge}
        {since && (
          <span className="text-sm text-mute">
            <RelativeTime at={since} />
          </span>
        )}
      </p>
      {text && <p className="mt-1 text-sm text-mute">{text}</p>}
    </>
  );
}

function LastMail({ scope, mail }: { scope: AboutEntry['scope']; mail: Schemas['LastMail'] }) {
  const { id, kind, state, error, response, createdAt } = mail;
  return (
    <div className="min-w-0 flex-1 basis-52">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Link
          to="/waitlists/$waitlistId/emails"
          params={{ waitlistId: scope.waitlistId }}
          search={{ ...environmentSearch(scope.environment), tab: 'log', mail: id }}
          className="rounded-sm font-medium underline-offset-4 hover:underline"
        >
          {kindName(kind)}
        </Link>
        <Badge tone={STATE_TONES[state]}>{MAIL_STATE_NAMES[state]}</Badge>
        <span className="text-sm text-mute">
          <RelativeTime at={createdAt} />
        </span>
      </p>
      {error && <p className="mt-1 text-sm break-words text-danger">{error}</p>}
      {response && <p className="mt-1 font-mono text-sm break-words text-mute">{response}</p>}
    </div>
  );
}
