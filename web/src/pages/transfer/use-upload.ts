import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { useAct } from '../../ui/use-act.ts';
import { importsQuery } from './jobs.ts';
import { type ImportOptions, startImport } from './upload.ts';

/** Sends the file, to check it or to import it. */
export function useUpload(
  scope: Scope,
  file: File | null,
  options: ImportOptions,
  onStarted: (started: { job: string; file: File; dryRun: boolean }) => void,
) {
  const client = useQueryClient();
  const [sent, setSent] = useState(0);
  const upload = useRef<AbortController>(null);
  /** The file that was sent last: its error is not about another one. */
  const [tried, setTried] = useState<File>();
  /** What was checked last: a change afterwards needs a new check. */
  const [checked, setChecked] = useState<{ job: string; file: File; options: ImportOptions } | null>(null);
  const { run, busy, error } = useAct(async (dryRun: boolean) => {
    if (!file) return;
    setTried(file);
    setSent(0);
    upload.current = new AbortController();
    const { signal } = upload.current;
    const { id } = await startImport(scope, file, options, { dryRun, onSent: setSent, signal });
    await client.invalidateQueries({ queryKey: importsQuery(scope).queryKey });
    setChecked(dryRun ? { job: id, file, options } : null);
    onStarted({ job: id, file, dryRun });
  });
  return {
    check: () => run(true),
    import: () => run(false),
    cancel: () => upload.current?.abort(),
    busy,
    sent,
    error: error?.code === 'cancelled' || tried !== file ? undefined : error,
    /** Whether this job is the check of this page, of whatever file. */
    isCheck: (job: string) => checked?.job === job,
    /** Whether this job has checked the file as it would be imported now. */
    hasChecked: (job: string | undefined) =>
      checked !== null && checked.job === job && checked.file === file && checked.options === options,
  };
}
