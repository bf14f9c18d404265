import { Link } from '@tanstack/react-router';
import { DoorClosed } from 'lucide-react';
import { useEffect } from 'react';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

export function NotFoundPage({ why = 'The page does not exist, or it has moved.' }: { why?: string }) {
  useEffect(() => {
    document.title = 'Not found · Doorlist';
  }, []);
  return (
    <div className="flex min-h-[60dvh] items-center justify-center">
      <EmptyState
        icon={<DoorClosed aria-hidden />}
        first
        title="There is nothing behind this door"
        action={
          <Link to="/waitlists" className={buttonClass('primary')}>
            Go to your waitlists
          </Link>
        }
      >
        {why}
      </EmptyState>
    </div>
  );
}
