import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { api, call } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { environmentSearch, type Scope } from '../../shell/waitlist-scope.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { useAct } from '../../ui/use-act.ts';
import { type FirstStep, firstStepsQuery } from './first-steps-query.ts';

type StepName = FirstStep['step'];

const WORDS: Readonly<Record<StepName, [title: string, about: string]>> = {
  signups: [
    'Let people sign up',
    'Turn on the form, which needs no code, or create a server key for your own backend.',
  ],
  person: ['Add the first person', 'Add yourself, to see what people see.'],
  mail_server: [
    'Connect a mail server',
    'Until then, emails are kept and not sent. It takes a setting and a restart of the server.',
  ],
  look: ['Choose the look', 'Your logo and color, on all pages and emails.'],
  invite: ['Send the first invite', 'To yourself, or to whoever is first in line.'],
};

interface FirstStepsProps {
  scope: Scope;
  /** Those that the operator can do. */
  steps: readonly FirstStep[];
}

/** What is left to do with a new waitlist. The server knows what is done. */
export default function FirstSteps({ scope, steps }: FirstStepsProps) {
  const client = useQueryClient();
  const mayDismiss = useMay('admin');
  const { run, busy, error } = useAct(async () => {
    const { waitlistId, environment } = scope;
    const params = { path: { waitlistId }, query: { environment } };
    const dismissed = await call(
      api.POST('/admin/v1/waitlists/{waitlistId}/first-steps/dismiss', { params }),
    );
    client.setQueryData(firstStepsQuery(scope).queryKey, dismissed);
  });
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done)?.step;
  return (
    <Card
      title="First steps"
      about={`${done} of ${steps.length} done`}
      actions={
        mayDismiss && (
          <Button size="sm" look="quiet" busy={busy} onClick={() => run()}>
            Dismiss
          </Button>
        )
      }
    >
      {error && (
        <p role="alert" className="mb-3 text-sm text-danger">
          {error.sentence}
        </p>
      )}
      <ol aria-label="First steps" className="-mt-1 flex flex-col divide-y divide-line">
        {steps.map(({ step, done: isDone }, index) => (
          <Step key={step} step={step} number={index + 1} done={isDone}>
            <StepLinks scope={scope} step={step} isNext={step === next} />
          </Step>
        ))}
      </ol>
    </Card>
  );
}

interface StepProps {
  step: StepName;
  number: number;
  done: boolean;
  children: ReactNode;
}

function Step({ step, number, done, children }: StepProps) {
  const [title, about] = WORDS[step];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 last:pb-0">
      <span
        className={cx(
          'flex size-6 shrink-0 items-center justify-center rounded-full text-sm font-medium tabular-nums',
          done ? 'bg-accent text-on-accent' : 'text-mute ring-1 ring-inset ring-edge',
        )}
      >
        {done ? <Check className="size-3.5" strokeWidth={3} role="img" aria-label="Done" /> : number}
      </span>
      <span className="min-w-0 flex-1 basis-48">
        <span className={cx('block font-medium', done && 'text-mute')}>{title}</span>
        {!done && <span className="block text-sm text-mute">{about}</span>}
      </span>
      {!done && <span className="flex flex-wrap gap-2 max-md:pl-10">{children}</span>}
    </li>
  );
}

function StepLinks({ scope, step, isNext }: { scope: Scope; step: StepName; isNext: boolean }) {
  const params = { waitlistId: scope.waitlistId };
  const search = environmentSearch(scope.environment);
  const className = buttonClass(isNext ? 'primary' : 'secondary', 'sm');
  switch (step) {
    case 'signups':
      return (
        <>
          <Link to="/waitlists/$waitlistId/form" {...{ params, search, className }}>
            Set up the form
          </Link>
          <Link
            to="/waitlists/$waitlistId/api"
            {...{ params, search }}
            className={buttonClass('secondary', 'sm')}
          >
            Create a key
          </Link>
        </>
      );
    case 'person':
      return (
        <Link
          to="/waitlists/$waitlistId/queue"
          {...{ params, className }}
          search={{ ...search, add: 'person' }}
        >
          Add person
        </Link>
      );
    case 'mail_server':
      return (
        <Link to="/waitlists/$waitlistId/emails" {...{ params, search, className }}>
          See how
        </Link>
      );
    case 'look':
      return (
        <Link
          to="/waitlists/$waitlistId/form"
          {...{ params, className }}
          search={{ ...search, tab: 'setup' }}
        >
          Choose the look
        </Link>
      );
    case 'invite':
      return (
        <Link
          to="/waitlists/$waitlistId/invites"
          {...{ params, className }}
          search={{ ...search, invite: 'email' }}
        >
          Invite
        </Link>
      );
  }
}
