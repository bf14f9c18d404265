import { CircleAlert } from 'lucide-react';
import type { Schemas } from '../../api/client.ts';

type Problem = Schemas['TemplateProblem'];

interface ProblemsProps {
  problems: readonly Problem[];
  onGo: (field: Problem['field'], line: number | null) => void;
}

/** Why a template cannot be saved. Each leads to its line. */
export function Problems({ problems, onGo }: ProblemsProps) {
  return (
    <div role="status">
      {problems.length > 0 && (
        <ul className="flex flex-col gap-1 rounded-md bg-danger-soft p-1.5 text-danger">
          {problems.map(({ field, line, message }) => (
            <li key={`${field} ${line} ${message}`}>
              <button
                type="button"
                onClick={() => onGo(field, line)}
                className="flex w-full gap-2 rounded-sm px-2 py-1.5 text-left hover:underline"
              >
                <CircleAlert className="mt-0.75 size-4 shrink-0" aria-hidden />
                <span className="min-w-0 break-words">
                  {line !== null && <strong className="font-semibold">Line {line}: </strong>}
                  {message}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
