import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { people } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { toast } from '../../ui/toast.tsx';
import { namesPeople } from './column-map.ts';
import { FileField } from './file-field.tsx';
import { FileReading } from './file-reading.tsx';
import { ImportHistory } from './import-history.tsx';
import { ImportOptionFields } from './import-options.tsx';
import { ImportPanel } from './import-panel.tsx';
import type { ImportResult } from './jobs.ts';
import { type ImportOptions, previewQuery, problemOf } from './upload.ts';
import { UploadProgress } from './upload-progress.tsx';
import { useUpload } from './use-upload.ts';

const DEFAULTS: ImportOptions = {
  preset: 'auto',
  timeFormat: 'auto',
  timeZone: 'auto',
  order: 'auto',
  confirmed: false,
  dropUnmapped: false,
  events: false,
  map: new Map(),
};

/** Choose a file, see what would happen, import it. */
export function ImportTab({ scope }: { scope: Scope }) {
  const { job, tab = 'import' } = useSearch({ from: '/shell/waitlists/$waitlistId/transfer' });
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/transfer' });
  const [file, setFile] = useState<File | null>(null);
  const [fileKey, setFileKey] = useState(0);
  const [options, setOptions] = useState(DEFAULTS);
  const isHere = useIsHere(tab === 'import');
  const show = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, job: id }) });
  const problem = file ? problemOf(file) : undefined;
  const { data: reading } = useQuery({
    ...(file && problem === undefined
      ? previewQuery(scope, file, options)
      : { queryKey: ['import-preview'], queryFn: skipToken }),
    placeholderData: keepPreviousData,
  });
  const isAnonymous = file !== null && reading !== undefined && !namesPeople(reading.columns, options.map);
  const upload = useUpload(scope, file, options, (started) => {
    if (!started.dryRun) setFile(null);
    if (isHere.current) show(started.job);
    else toast(`Uploaded ${started.file.name}`, { about: 'Import and export shows what comes of it.' });
  });
  const isChecked = upload.hasChecked(job);
  const importAction = ({ created }: ImportResult) =>
    isChecked &&
    created > 0 && (
      <Button look="primary" className="self-start" busy={upload.busy} onClick={upload.import}>
        Import {people(created)} into {scope.environment}
      </Button>
    );
  return (
    <div className="flex flex-col gap-6">
      <Card title="Import people" about="They keep their order and their referrals. Nobody is added twice.">
        <div className="flex flex-col gap-5">
          <FileField
            file={file}
            onFile={(chosen) => {
              setFile(chosen);
              setFileKey(fileKey + 1);
              setOptions({ ...options, map: new Map(), timeFormat: 'auto', timeZone: 'auto' });
              show(undefined);
            }}
          />
          {problem && <Alert>{problem}</Alert>}
          {file && problem === undefined && (
            <FileReading key={fileKey} scope={scope} file={file} options={options} onChange={setOptions} />
          )}
          <ImportOptionFields options={options} onChange={setOptions} />
          {upload.busy && file && (
            <UploadProgress sent={upload.sent} size={file.size} onCancel={upload.cancel} />
          )}
          {upload.error && <Alert>{upload.error.sentence}</Alert>}
          <div className="flex flex-wrap items-center gap-3">
            <Button
              look={isChecked ? 'secondary' : 'primary'}
              disabled={!file || problem !== undefined || isAnonymous}
              busy={upload.busy && !isChecked}
              onClick={upload.check}
            >
              Check file
            </Button>
            <span className="text-sm text-mute">
              {isAnonymous
                ? 'First choose which column has emails or phones.'
                : 'Nothing is written yet. You see what would happen first.'}
            </span>
          </div>
        </div>
      </Card>
      {job !== undefined && (
        <ImportPanel
          key={job}
          jobId={job}
          scope={scope}
          isCheck={upload.isCheck(job)}
          onClose={() => show(undefined)}
          action={importAction}
        />
      )}
      <ImportHistory scope={scope} onOpen={show} />
    </div>
  );
}

/** An upload goes on while somebody looks at another tab or page, and must not take them back. */
function useIsHere(isShown: boolean) {
  const isHere = useRef(isShown);
  useEffect(() => {
    isHere.current = isShown;
    return () => {
      isHere.current = false;
    };
  }, [isShown]);
  return isHere;
}
