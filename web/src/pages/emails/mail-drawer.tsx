import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useWhyNot } from '../../api/me.ts';
import { PRODUCTION } from '../../shell/waitlist-scope.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { DimmableButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { MailFrame } from '../../ui/mail-frame.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { exactTime, RelativeTime } from '../../ui/relative-time.tsx';
import { Scrollable } from '../../ui/scrollable.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { MailStateBadge } from './mail-log.tsx';
import { kindName } from './mail-names.ts';
import { type MailDetails, type MailSource, mailQuery, mailsKey, resendMail, STATE_TONES } from './mails.ts';
import { TemplateFailure } from './template-failure.tsx';
import { toastResent } from './toast-mailed.ts';

interface MailDrawerProps {
  source: MailSource;
  /** Closed without one. */
  mailId: string | undefined;
  onClose: () => void;
}

const WIDTH = 600;

/** One email as it was sent, and what became of it. */
export function MailDrawer({ source, mailId, onClose }: MailDrawerProps) {
  const query = useQuery({ ...mailQuery(source, mailId ?? ''), enabled: mailId !== undefined });
  const whyNotResend = useWhyNot('send emails again', 'admin', 'resend');
  const [asking, setAsking] = useState(false);
  const mail = query.data;
  return (
    <Drawer
      open={mailId !== undefined}
      onClose={onClose}
      title={
        <span dir="auto" title={mail?.subject ?? undefined}>
          {mail?.subject ?? 'Email'}
        </span>
      }
      actions={
        source !== null &&
        mail?.subject && (
          <DimmableButton
            size="sm"
            why={whyNotResend}
            icon={<RotateCcw aria-hidden />}
            onClick={() => setAsking(true)}
          >
            Resend
          </DimmableButton>
        )
      }
    >
      <QueryProblem query={query}>{mail ? <Details mail={mail} /> : <SkeletonRows flush />}</QueryProblem>
      {asking && mail && source && (
        <ResendDialog source={source} mail={mail} onClose={() => setAsking(false)} />
      )}
    </Drawer>
  );
}

function ResendDialog({
  source,
  mail,
  onClose,
}: {
  source: NonNullable<MailSource>;
  mail: MailDetails;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <ConfirmDialog
      open
      harmless
      onClose={onClose}
      title="Resend this email?"
      about={
        mail.mailable?.mailable === false
          ? mail.mailable.message
          : `${mail.to ?? 'The person'} gets it again, from ${PRODUCTION}.`
      }
      action="Resend email"
      onConfirm={async () => {
        const { mailable } = await resendMail(source, mail.id);
        await client.invalidateQueries({ queryKey: mailsKey(source) });
        toastResent(mailable);
      }}
    />
  );
}

function Details({ mail }: { mail: MailDetails }) {
  const { kind, to, from, state, error, createdAt, nextAttemptAt, html, text, log, templateFailure } = mail;
  const [part, setPart] = useState<'html' | 'text'>('html');
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-3">
        <Row label="State">
          <span className="flex flex-wrap items-center gap-x-2">
            <MailStateBadge state={state} />
            {state === 'kept' && <span className="text-sm text-mute">Kept here</span>}
          </span>
        </Row>
        {error && (
          <Row label="Error">
            <span className="text-danger">{error}</span>
          </Row>
        )}
        <Row label="To">{to ?? 'Erased or damaged'}</Row>
        {from && <Row label="From">{from}</Row>}
        <Row label="Kind">{kindName(kind)}</Row>
        <Row label="Recorded">{exactTime(createdAt)}</Row>
        {nextAttemptAt && (
          <Row label="Next attempt">
            <RelativeTime at={nextAttemptAt} />
          </Row>
        )}
      </dl>
      <TemplateFailure failure={templateFailure} />
      {html === null || text === null ? (
        <p className="text-mute">The content cannot be shown: the person was erased, or it is damaged.</p>
      ) : (
        <Tabs
          label="Parts"
          value={part}
          onChange={setPart}
          tabs={[
            { value: 'html', label: 'Email' },
            { value: 'text', label: 'Plain text' },
          ]}
          panels={{
            html: () => (
              <div className="overflow-hidden rounded-lg ring-1 ring-line">
                <MailFrame html={html} title={mail.subject ?? 'Email'} width={WIDTH} fit="adapt" />
              </div>
            ),
            text: () => (
              <Scrollable label="Plain text" className="max-h-128 overflow-auto rounded-lg ring-1 ring-line">
                <pre
                  dir="auto"
                  className="p-4 font-mono text-sm leading-relaxed break-words whitespace-pre-wrap"
                >
                  {text}
                </pre>
              </Scrollable>
            ),
          }}
        />
      )}
      {log.length > 0 && <Attempts log={log} />}
    </div>
  );
}

function Attempts({ log }: Pick<MailDetails, 'log'>) {
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">Attempts</h3>
      {log.toReversed().map((attempt) => (
        <article
          key={`${attempt.attempt} ${attempt.at}`}
          className="flex flex-col gap-1.5 rounded-lg p-3 ring-1 ring-line"
        >
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={toneOf(attempt)}>
              {attempt.status ?? (attempt.error === null ? 'Not sent' : 'No response')}
            </Badge>
            <span className="text-sm text-mute">
              Attempt {attempt.attempt} · <RelativeTime at={attempt.at} />
            </span>
          </div>
          {attempt.error && <p className="text-sm break-words text-danger">{attempt.error}</p>}
          {attempt.response && <p className="font-mono text-sm break-words text-mute">{attempt.response}</p>}
        </article>
      ))}
    </section>
  );
}

function toneOf({ status, error }: MailDetails['log'][number]): Tone {
  if (error !== null) return 'danger';
  return status === null ? STATE_TONES.kept : STATE_TONES.sent;
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-mute">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
