import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMe } from '../../api/me.ts';
import { Card } from '../../ui/card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { Sessions } from './sessions.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

const TABS = [
  { value: 'profile', label: 'Profile' },
  { value: 'security', label: 'Security' },
  { value: 'sessions', label: 'Sessions' },
] as const;
type AccountTab = (typeof TABS)[number]['value'];

const PANELS: Record<AccountTab, () => ReactNode> = {
  profile: () => <Profile />,
  security: () => (
    <>
      <PasswordCard />
      <PasskeysCard />
      <TwoFactorCard />
    </>
  ),
  sessions: () => <Sessions />,
};

export function AccountPage() {
  const { tab = 'profile' } = useSearch({ from: '/shell/account' });
  const navigate = useNavigate({ from: '/account' });
  return (
    <>
      <PageHeader title="Your account" />
      <Tabs<AccountTab>
        label="Your account"
        value={tab}
        onChange={(next) => void navigate({ search: { tab: next === 'profile' ? undefined : next } })}
        tabs={TABS}
      >
        <div className="flex flex-col gap-6 pt-6">{PANELS[tab]()}</div>
      </Tabs>
    </>
  );
}

function Profile() {
  const { name, email, role } = useMe();
  return (
    <Card title="Profile">
      <dl className="grid max-w-lg grid-cols-[5rem_minmax(0,1fr)] gap-x-4 gap-y-3">
        <dt className="text-mute">Name</dt>
        <dd className="break-words">{name}</dd>
        <dt className="text-mute">Email</dt>
        <dd className="break-words">{email}</dd>
        <dt className="text-mute">Role</dt>
        <dd className="capitalize">{role}</dd>
      </dl>
    </Card>
  );
}
