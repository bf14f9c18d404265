import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useEffect } from 'react';
import { type Role, useMe } from '../api/me.ts';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/** For somebody who followed a link to a page that their role does not include. */
export default function NoAccessPage({ label, role }: { label: string; role: Role }) {
  const me = useMe();
  useEffect(() => {
    document.title = `${label} · Doorlist`;
  }, [label]);
  return (
    <div className="flex min-h-[60dvh] items-center justify-center">
      <EmptyState
        icon={<Lock aria-hidden />}
        first
        title={`You need the ${role} role`}
        action={
          <Link to="/waitlists" className={buttonClass('primary')}>
            Go to your waitlists
          </Link>
        }
      >
        Your role, {me.role}, does not include {label}. An owner or an admin can change it.
      </EmptyState>
    </div>
  );
}
