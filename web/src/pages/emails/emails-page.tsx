import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { mailStatusQuery } from '../../api/mail-status.ts';
import { useMay } from '../../api/me.ts';
import { useFind } from '../../shell/use-find.ts';
import { type Scope, useScope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { HookKeyCard } from '../keys/hook-key-card.tsx';
import { KeptNotice } from './kept-notice.tsx';
import { MailDrawer } from './mail-drawer.tsx';
import { MAIL_EVENT_KEYS } from './mail-event-keys.tsx';
import { MailJobs } from './mail-jobs.tsx';
import { MailLog } from './mail-log.tsx';
import { SendingNotice } from './sending-notice.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { SuppressionsTab } from './suppressions-tab.tsx';
import { TemplatesTab } from './templates-tab.tsx';

const DeliveryTab = lazy(() => import('./delivery-tab.tsx'));

const PATH = '/waitlists/$waitlistId/emails';
const TABS = [
  { value: 'templates', label: 'Templates' },
  { value: 'log', label: 'Log' },
  { value: 'delivery', label: 'Delivery' },
  { value: 'settings', label: 'Settings' },
  { value: 'suppressions', label: 'Suppressions' },
] as const;

/** What the settings lead to. */
function Warnings({ scope }: { scope: Scope }) {
  const { data } = useQuery(mailStatusQuery(scope));
  return data?.warnings.map(({ code, message }) => (
    <Alert key={code} tone="warn">
      {message}
    </Alert>
  ));
}

/** Emails to the people on a waitlist: what they say, how they look, and what became of them. */
export function EmailsPage() {
  const scope = useScope();
  const mayManage = useMay('admin');
  const { tab = 'templates', mail, state, kind } = useSearch({ from: `/shell${PATH}` });
  const find = useFind();
  const navigate = useNavigate({ from: PATH });
  const open = (mailId: string | undefined) =>
    void navigate({
      search: (now) => ({ ...now, mail: mailId }),
      state: true,
      replace: mailId === undefined,
    });
  return (
    <>
      <PageHeader
        title="Emails"
        about={
          mayManage
            ? 'Written in Markdown, sent by your own mail server.'
            : 'What people get. Only admins can change templates and settings.'
        }
      />
      <SendingNotice environment={scope.environment} waitlistId={scope.waitlistId} />
      <KeptNotice scope={scope} />
      <Warnings scope={scope} />
      <MailJobs scope={scope} />
      <Tabs
        label="Emails"
        value={tab}
        tabs={TABS}
        onChange={(next) =>
          void navigate({
            search: ({ environment }) => ({ environment, tab: next === 'templates' ? undefined : next }),
          })
        }
        panels={{
          templates: () => <TemplatesTab scope={scope} />,
          log: () => (
            <MailLog
              source={scope}
              filter={{ state, kind, to: find }}
              onFilter={({ to, ...filter }) =>
                void navigate({
                  search: (now) => ({ ...now, state: undefined, kind: undefined, ...filter }),
                  state: { find: to },
                })
              }
              onOpen={open}
              empty="Turn on a template, and the emails to people who sign up or are invited appear here."
            />
          ),
          delivery: () => (
            <Suspense fallback={<Skeleton className="h-24 w-full" />}>
              <DeliveryTab scope={scope} />
            </Suspense>
          ),
          settings: () => <SettingsTab scope={scope} />,
          suppressions: () => (
            <>
              <SuppressionsTab scope={scope} />
              {mayManage && <HookKeyCard kind={MAIL_EVENT_KEYS} scope={scope} />}
            </>
          ),
        }}
      />
      <MailDrawer source={scope} mailId={mail} onClose={() => open(undefined)} />
    </>
  );
}
