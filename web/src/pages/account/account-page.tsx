import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader } from '../../ui/page-header.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { Sessions } from './sessions.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

const TABS = [
  { value: 'profile', label: 'Profile' },
  { value: 'security', label: 'Security' },
  { value: 'sessions', label: 'Sessions' },
] as const;
type AccountTab = (typeof TABS)[number]['value'];

const PANELS: Record<AccountTab, () => ReactNode> = {
  profile: () => <ProfileCard />,
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
        panels={PANELS}
      />
    </>
  );
}
