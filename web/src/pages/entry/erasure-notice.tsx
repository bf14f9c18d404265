import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWhyNot } from '../../api/me.ts';
import { Alert } from '../../ui/alert.tsx';
import { DimmableButton } from '../../ui/button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import type { AboutEntry } from './about-entry.ts';
import { DecideErasure } from './erasure-dialogs.tsx';
import { erasuresQuery } from './erasures.ts';

/** That somebody asked to erase this person, while nobody has decided. */
export function ErasureNotice({ scope, entry }: AboutEntry) {
  const { data } = useQuery(erasuresQuery(scope, entry.id));
  const whyNot = useWhyNot('decide this', 'admin');
  const [decision, setDecision] = useState<'confirm' | 'refuse' | null>(null);
  const [request] = data?.requests ?? [];
  if (!request) return null;
  return (
    <>
      <Alert tone="warn" title="Erasure requested">
        <p>
          <RelativeTime at={request.createdAt} />
          {request.reason && <span dir="auto">: {request.reason}</span>}
        </p>
        <div className="mt-2 flex flex-wrap gap-2 text-ink">
          <DimmableButton size="sm" why={whyNot} onClick={() => setDecision('confirm')}>
            Erase…
          </DimmableButton>
          <DimmableButton size="sm" why={whyNot} onClick={() => setDecision('refuse')}>
            Refuse…
          </DimmableButton>
        </div>
      </Alert>
      {decision && (
        <DecideErasure
          scope={scope}
          entry={entry}
          request={request}
          decision={decision}
          onClose={() => setDecision(null)}
        />
      )}
    </>
  );
}
