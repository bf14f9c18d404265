import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { nameOf } from '../../api/entries.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { number } from '../../ui/number.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type ErasureRequest, erasuresQuery } from '../entry/erasures.ts';

interface Props {
  scope: Scope;
  /** Shows the person, where it is decided. */
  onOpen: (entryId: string) => void;
}

/** For admins: that support asked to erase people. */
export function ErasuresToDecide(props: Props) {
  return useMay('admin') ? <Notice {...props} /> : null;
}

function Notice({ scope, onOpen }: Props) {
  const { data } = useQuery(erasuresQuery(scope));
  const [listing, setListing] = useState(false);
  const open = data?.open ?? 0;
  const [first] = data?.requests ?? [];
  if (!first) return null;
  const show = (entryId: string) => {
    setListing(false);
    onOpen(entryId);
  };
  return (
    <>
      <Alert tone="warn" title={open === 1 ? '1 erasure requested' : `${number(open)} erasures requested`}>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p>Support asks an admin to erase {open === 1 ? 'a person' : 'people'} for good.</p>
          <span className="text-ink">
            <Button size="sm" onClick={() => (open === 1 ? show(first.entry.id) : setListing(true))}>
              Review
            </Button>
          </span>
        </div>
      </Alert>
      {listing && (
        <Dialog
          open
          onClose={() => setListing(false)}
          title="Requested erasures"
          about="Open a person to erase them, or to refuse."
          actions={<Button onClick={() => setListing(false)}>Close</Button>}
        >
          <ul className="divide-y rounded-md ring-1 ring-line">
            {data?.requests.map((request) => (
              <Row key={request.id} request={request} onOpen={show} />
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}

function Row({
  request: { entry, reason, createdAt },
  onOpen,
}: { request: ErasureRequest } & Pick<Props, 'onOpen'>) {
  const name = nameOf(entry);
  return (
    <li className="flex items-center justify-between gap-3 px-3 py-2.5">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium" title={name} dir="auto">
          {name}
        </span>
        <span className="block text-sm break-words text-mute">
          <RelativeTime at={createdAt} />
          {reason && <span dir="auto">: {reason}</span>}
        </span>
      </span>
      <Button size="sm" aria-label={`Open ${name}`} onClick={() => onOpen(entry.id)}>
        Open
      </Button>
    </li>
  );
}
