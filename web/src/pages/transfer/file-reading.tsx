import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { namesPeople } from './column-map.ts';
import { ColumnMapping } from './column-mapping.tsx';
import { TimeReading } from './time-reading.tsx';
import { type ImportOptions, previewQuery } from './upload.ts';

interface FileReadingProps {
  scope: Scope;
  file: File;
  options: ImportOptions;
  onChange: (options: ImportOptions) => void;
}

/** What the server takes a file for: its columns, and how its times are read. */
export function FileReading({ scope, file, options, onChange }: FileReadingProps) {
  const query = useQuery({ ...previewQuery(scope, file, options), placeholderData: keepPreviousData });
  const preview = query.data;
  return (
    <QueryProblem query={query}>
      {preview ? (
        <>
          {preview.service !== null && <Alert tone="info">Looks like a {preview.service} export.</Alert>}
          {!preview.hasRows && <Alert tone="warn">This file has no rows below its header.</Alert>}
          <ColumnMapping
            hasRows={preview.hasRows}
            columns={preview.columns}
            map={options.map}
            onChange={(map) => onChange({ ...options, map })}
          />
          {!namesPeople(preview.columns, options.map) && (
            <Alert tone="warn">No column has emails or phones. Choose one.</Alert>
          )}
          {preview.times && (
            <TimeReading
              times={preview.times}
              columns={preview.columns}
              options={options}
              onChange={(part) => onChange({ ...options, ...part })}
            />
          )}
        </>
      ) : (
        <SkeletonRows rows={3} flush />
      )}
    </QueryProblem>
  );
}
