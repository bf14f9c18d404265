import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { type SavedSegment, savedSegmentsQuery } from './saved-segments.ts';

/** Renames and deletes saved segments. */
export default function ManageSegments({ scope, onClose }: { scope: Scope; onClose: () => void }) {
  const { data: saved = [] } = useQuery(savedSegmentsQuery(scope));
  return (
    <Dialog
      open
      onClose={onClose}
      title="Saved segments"
      about="Deleting one changes nothing about the people in it."
      actions={<Button onClick={onClose}>Done</Button>}
    >
      {saved.length === 0 ? (
        <p className="text-mute">None left.</p>
      ) : (
        <ul className="flex flex-col gap-3">
          {saved.map((each) => (
            <li key={each.id}>
              <OneSegment scope={scope} saved={each} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function OneSegment({ scope, saved }: { scope: Scope; saved: SavedSegment }) {
  const client = useQueryClient();
  const [name, setName] = useState(saved.name);
  const params = {
    path: { waitlistId: scope.waitlistId, segmentId: saved.id },
    query: { environment: scope.environment },
  };
  const refresh = () => client.invalidateQueries({ queryKey: savedSegmentsQuery(scope).queryKey });
  const renaming = useAct(async () => {
    const body = { name };
    await call(api.PATCH('/admin/v1/waitlists/{waitlistId}/segments/{segmentId}', { params, body }));
    await refresh();
    toast(`Renamed to ${name.trim()}`);
  });
  const deleting = useAct(async () => {
    await call(api.DELETE('/admin/v1/waitlists/{waitlistId}/segments/{segmentId}', { params }));
    await refresh();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void renaming.run();
  };
  return (
    <form onSubmit={submit} className="flex items-start gap-2">
      <Field
        label={`Name of ${saved.name}`}
        hideLabel
        className="min-w-0 flex-1"
        error={(renaming.error ?? deleting.error)?.sentence}
      >
        <Input
          required
          maxLength={MAX.SegmentRequest.name}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Button type="submit" busy={renaming.busy} idle={name.trim() === saved.name}>
        Rename
      </Button>
      <IconButton label={`Delete ${saved.name}`} onClick={deleting.run}>
        <Trash2 aria-hidden />
      </IconButton>
    </form>
  );
}
