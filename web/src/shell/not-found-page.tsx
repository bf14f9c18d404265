import { Link } from '@tanstack/react-router';
import { DoorClosed } from 'lucide-react';
import { useEffect } from 'react';
import { buttonClass } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { EmptyState } from '../ui/empty-state.tsx';

export interface NotFoundProps {
  why?: string;
  /** Without the dashboard around it. */
  whole?: boolean;
}

export default function NotFoundPage({
  why = 'The page does not exist, or it has moved.',
  whole,
}: NotFoundProps) {
  useEffect(() => {
    document.title = 'Not found · Doorlist';
  }, []);
  return (
    <div className={cx('flex items-center justify-center', !whole && 'min-h-[60dvh]')}>
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
