import { ApiError } from '../../api/client.ts';
import { Field, TextArea } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';

export interface HeadersDraft {
  choice: 'keep' | 'replace' | 'remove';
  /** One header on each line. */
  text: string;
}

const CHOICES = [
  { value: 'keep', label: 'Keep' },
  { value: 'replace', label: 'Replace' },
  { value: 'remove', label: 'Remove' },
] as const;

interface HeadersFieldProps {
  /** Names of the headers that the endpoint gets now. Their values are not shown again. */
  sent: readonly string[];
  draft: HeadersDraft;
  onChange: (draft: HeadersDraft) => void;
  error: string | undefined;
}

export function HeadersField({ sent, draft, onChange, error }: HeadersFieldProps) {
  const isNew = sent.length === 0;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {!isNew && (
        <div className="flex flex-col items-start gap-1.5">
          <span className="text-sm font-medium" aria-hidden>
            Headers
          </span>
          <Segments
            label="Headers"
            value={draft.choice}
            options={CHOICES}
            onChange={(choice) => onChange({ ...draft, choice })}
          />
          <p className="text-sm wrap-anywhere text-mute">{`Sends ${sent.join(', ')} now.`}</p>
        </div>
      )}
      {(isNew || draft.choice === 'replace') && (
        <Field
          label={isNew ? 'Headers' : 'New headers'}
          help={`${isNew ? 'Optional. ' : ''}One on each line. Values are stored encrypted and not shown again.`}
          error={error}
        >
          <TextArea
            rows={2}
            required={!isNew}
            spellCheck={false}
            autoComplete="off"
            placeholder="Authorization: Bearer …"
            className="font-mono text-sm"
            value={draft.text}
            onChange={(event) => onChange({ ...draft, text: event.target.value })}
          />
        </Field>
      )}
    </div>
  );
}

/** The part of a request that is about headers. Nothing leaves them as they are. */
export function headersOf({ choice, text }: HeadersDraft): { headers?: Record<string, string> } {
  if (choice === 'remove') return { headers: {} };
  return choice === 'keep' || text.trim() === '' ? {} : { headers: parse(text) };
}

function parse(text: string): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new ApiError(0, 'invalid_request', 'headers: write each as Name: value');
    headers.set(name, value);
  }
  return Object.fromEntries(headers);
}
