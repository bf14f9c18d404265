import { Scale } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { EntryStatus } from '../../api/choices.ts';
import { useWhyNot } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { DimmableButton } from '../../ui/button.tsx';
import type { Verb } from './decide-all-dialog.tsx';
import type { Segment } from './segment.ts';

const DecideAllDialog = lazy(() => import('./decide-all-dialog.tsx'));

/** What can be decided about people with a status. */
const VERBS: Partial<Record<EntryStatus, readonly [Verb, ...Verb[]]>> = {
  pending: ['decline', 'approve'],
  waiting: ['decline', 'approve'],
  invited: ['decline'],
  declined: ['reconsider', 'approve'],
};

interface DecideAllProps {
  scope: Scope;
  segment: Segment;
  status: EntryStatus;
}

/** One decision about everybody who matches a filter. */
export function DecideAll({ scope, segment, status }: DecideAllProps) {
  const why = useWhyNot('decide about people', 'admin', 'decline');
  const [asking, setAsking] = useState(false);
  const verbs = VERBS[status];
  if (!verbs) return null;
  return (
    <>
      <DimmableButton size="sm" why={why} icon={<Scale aria-hidden />} onClick={() => setAsking(true)}>
        Decide about all that match
      </DimmableButton>
      {asking && (
        <Suspense>
          <DecideAllDialog
            scope={scope}
            segment={segment}
            status={status}
            verbs={verbs}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      )}
    </>
  );
}
