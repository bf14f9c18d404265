import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useMay } from '../../api/me.ts';
import { type Scope, useScope } from '../../shell/waitlist-scope.ts';
import { buttonClass } from '../../ui/button.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Skeleton, SkeletonForms } from '../../ui/skeleton.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { mailSettingsQuery } from '../emails/mails.ts';
import { BlockedOrigins } from './blocked-origins.tsx';
import type { FormTab } from './form-choices.ts';
import { type Form, formQuery } from './form-query.ts';
import { FormSettings } from './form-settings.tsx';
import { InstallTab } from './install-tab.tsx';
import { RefusedCard } from './refused-card.tsx';
import { ReviewsCard } from './reviews-card.tsx';
import { StatusCard } from './status-card.tsx';

const TABS: Tab<FormTab>[] = [
  { value: 'setup', label: 'Setup' },
  { value: 'install', label: 'Install' },
  { value: 'activity', label: 'Activity' },
];

/** The public form of a waitlist: people join without a backend. */
export function FormPage() {
  const scope = useScope();
  const query = useQuery(formQuery(scope));
  return (
    <>
      <PageHeader
        title="Form"
        about="People join on a page that Doorlist hosts, or on your own site. No backend needed."
        actions={
          query.data?.enabled && (
            <a href={query.data.url} target="_blank" rel="noreferrer" className={buttonClass()}>
              <ExternalLink aria-hidden />
              Open page
            </a>
          )
        }
      />
      <QueryProblem framed query={query}>
        {query.data ? (
          <Content key={`${scope.waitlistId} ${scope.environment}`} form={query.data} scope={scope} />
        ) : (
          <div className="flex flex-col gap-6">
            <SkeletonForms cards={[[1]]} />
            <Skeleton className="h-10 w-56 rounded-md" />
            <SkeletonForms narrow cards={[[1, 1, 1], [1]]} />
          </div>
        )}
      </QueryProblem>
    </>
  );
}

function Content({ form, scope }: { form: Form; scope: Scope }) {
  const mayChange = useMay('admin');
  const { tab = mayChange ? 'setup' : 'install' } = useSearch({ from: '/shell/waitlists/$waitlistId/form' });
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/form' });
  const tabs = mayChange ? TABS : TABS.filter(({ value }) => value !== 'setup');
  const shown = tabs.some(({ value }) => value === tab) ? tab : 'install';
  return (
    <div className="flex flex-col gap-6">
      <StatusCard form={form} scope={scope} />
      <BlockedOrigins form={form} scope={scope} />
      <Tabs
        label="Form"
        value={shown}
        onChange={(next) => void navigate({ search: ({ environment }) => ({ environment, tab: next }) })}
        tabs={tabs}
        panels={{
          setup: () => <SetupTab form={form} scope={scope} />,
          install: () => <InstallTab form={form} scope={scope} />,
          activity: () => (
            <>
              <RefusedCard scope={scope} />
              <ReviewsCard scope={scope} />
            </>
          ),
        }}
      />
    </div>
  );
}

/** The look comes from the settings of emails. */
function SetupTab({ form, scope }: { form: Form; scope: Scope }) {
  const look = useQuery(mailSettingsQuery(scope));
  return (
    <QueryProblem framed query={look}>
      {look.data ? (
        <FormSettings form={form} look={look.data} scope={scope} />
      ) : (
        <SkeletonForms narrow cards={[[1, 1], [1, 1, 1], [1]]} />
      )}
    </QueryProblem>
  );
}
