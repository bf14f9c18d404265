import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { people, refreshPeople } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Progress } from '../../ui/progress.tsx';
import { importQuery, importsQuery, jobQuery, undoImport } from './jobs.ts';

interface ImportUndoProps {
  scope: Scope;
  jobId: string;
  undo: Schemas['Import']['undo'];
  /** How many the import added, and how many of them are gone already. */
  created: number;
  undone: number;
  /** Again after each step of it. */
  onUndone: () => void;
}

/** Takes an import back, or says why that is not possible. */
export function ImportUndo({ scope, jobId, undo, created, undone, onUndone }: ImportUndoProps) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when it has ended.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: importsQuery(scope).queryKey });
    void refreshPeople(client, scope);
    onUndone();
  }, [client, undone]);
  if (undo.jobId !== null) return <Undoing jobId={undo.jobId} />;
  if (!undo.isPossible)
    return undone > 0 ? (
      <p className="text-mute">
        Undone. {people(undone)} {undone === 1 ? 'was' : 'were'} removed.
      </p>
    ) : (
      <p className="text-sm text-mute">Cannot be undone. {capitalize(undo.reason ?? '')}.</p>
    );
  return (
    <>
      <Button className="self-start" icon={<Undo2 aria-hidden />} onClick={() => setAsking(true)}>
        Undo import
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Undo this import?"
        about={`${people(created - undone)} will be removed, as if they had never joined. Others lose the referrals they got from them.`}
        action="Undo import"
        onConfirm={async () => {
          await undoImport(scope, jobId);
          await client.invalidateQueries({ queryKey: importQuery(scope, jobId).queryKey });
        }}
      />
    </>
  );
}

function Undoing({ jobId }: { jobId: string }) {
  const { data: job } = useQuery({ ...jobQuery(jobId), refetchInterval: 1_000 });
  return (
    <div className="flex flex-col gap-2">
      <Progress label="Undoing" value={job?.done ?? 0} max={job?.total ?? null} />
      <p className="text-sm text-mute tabular-nums">
        Undoing the import. {people(job?.done ?? 0)} removed so far.
      </p>
    </div>
  );
}
