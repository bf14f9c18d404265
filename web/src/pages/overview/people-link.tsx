import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import type { Segment } from '../queue/segment.ts';

interface PeopleLinkProps {
  segment: Segment;
  /** What it says to those who only hear it, if the text is just a number. */
  label?: string;
  children: ReactNode;
}

/** Leads to the people behind a number, of every status. */
export function PeopleLink({ segment, label, children }: PeopleLinkProps) {
  const { waitlistId, environment } = useScope();
  return (
    <Link
      to="/waitlists/$waitlistId/queue"
      params={{ waitlistId }}
      search={{ ...environmentSearch(environment), tab: 'all', ...segment }}
      aria-label={label}
      className="rounded-sm underline-offset-4 hover:underline"
    >
      {children}
    </Link>
  );
}
