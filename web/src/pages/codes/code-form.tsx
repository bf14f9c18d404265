import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Tagged } from '../../api/client.ts';
import { instanceQuery } from '../../api/instance.ts';
import { MAX } from '../../api/limits.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { LAST_DAY } from '../../ui/day.ts';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSettings } from '../../ui/use-settings.ts';
import {
  type Code,
  type CodeDraft,
  type CodeRequest,
  changesOf,
  codeQuery,
  codesKey,
  createCode,
  draftFrom,
  LABELS,
  NEW_CODE,
  nameOfCode,
  updateCode,
} from './codes.ts';

interface CodeFormProps {
  scope: Scope;
  /** The one to change. A new one if there is none. */
  code?: Tagged<Code>;
  onClose: () => void;
  onSaved?: (code: Code) => void;
}

/** A new one has no ETag yet. */
type Saved = (Code & { etag?: string }) | undefined;

/** Creates a code, or changes what can be changed of one. */
export function CodeForm({ scope, code, onClose, onSaved }: CodeFormProps) {
  const client = useQueryClient();
  const zone = useQuery(instanceQuery).data?.defaultTimeZone ?? 'UTC';
  const draftOf = (saved: Saved) => (saved ? draftFrom(saved, zone) : NEW_CODE);
  const { draft, set, meanwhile, save } = useSettings<Saved, CodeDraft, Partial<CodeRequest>>({
    saved: code,
    draftOf,
    changesOf: (saved, edited) => (saved ? changesOf(edited, draftOf(saved), zone) : requestOf(edited, zone)),
    save: (changes, from) =>
      from ? updateCode(scope, from.id, changes, from.etag) : createCode(scope, changes as CodeRequest),
    others: {
      labels: LABELS,
      reload: async () => code && (await client.fetchQuery({ ...codeQuery(scope, code.id), staleTime: 0 })),
    },
  });
  return (
    <FormDialog
      title={code ? `Edit ${nameOfCode(code)}` : 'Create a code'}
      about={code ? 'Whoever has used it stays.' : 'For as many people as the limit says.'}
      action={code ? 'Save changes' : 'Create code'}
      onClose={onClose}
      meanwhile={meanwhile}
      onSubmit={async (over) => {
        const saved = await save(over);
        if (!saved) return;
        await client.invalidateQueries({ queryKey: codesKey(scope) });
        toast(`${code ? 'Saved' : 'Created'} ${nameOfCode(saved)}`);
        onClose();
        onSaved?.(saved);
      }}
    >
      {(problem) => (
        <>
          {!code && (
            <Field
              label="Code"
              help="4 to 30 letters, digits, - and _. Leave it empty to have one made up."
              error={problem('code')}
            >
              <Input
                value={draft.code}
                maxLength={MAX.CodeRequest.code}
                autoComplete="off"
                spellCheck={false}
                placeholder="FRIENDS-OF-ADA"
                className="font-mono"
                onChange={(event) => set({ code: event.target.value })}
              />
            </Field>
          )}
          {!code && (
            <Field label="What it does" error={problem('does')}>
              <Select
                label="What it does"
                value={draft.does}
                onChange={(does) => set({ does })}
                options={[
                  { value: 'admit', label: 'Lets people in at once' },
                  { value: 'advance', label: 'Puts people further ahead in line' },
                ]}
              />
            </Field>
          )}
          {!code && draft.does === 'advance' && (
            <Field
              label="Places"
              help="Whoever joins with the code counts as having joined this many places earlier. Cannot be changed later."
              error={problem('places')}
            >
              <Input
                type="number"
                required
                min={1}
                max={MAX.CodeRequest.places}
                step={1}
                inputMode="numeric"
                value={draft.places}
                onChange={(event) => set({ places: event.target.value })}
              />
            </Field>
          )}
          <Field
            label="Limit"
            help={code ? `${code.used} of them are used.` : 'How many people can use it.'}
            error={problem('limit')}
          >
            <Input
              type="number"
              required
              min={Math.max(1, code?.used ?? 1)}
              max={MAX.CodeRequest.limit}
              step={1}
              inputMode="numeric"
              value={draft.limit}
              onChange={(event) => set({ limit: event.target.value })}
            />
          </Field>
          <Field
            label="Last day"
            help={`It works until the end of this day in ${zone}. Leave it empty for no expiry.`}
            error={problem('expiresAt')}
          >
            <Input
              type="date"
              max={LAST_DAY}
              value={draft.lastDay}
              onChange={(event) => set({ lastDay: event.target.value })}
            />
          </Field>
          <Field
            label="Tag"
            help="Optional. Becomes “tag” in the metadata of everybody who uses it, so that you find them as a segment."
            error={problem('tag')}
          >
            <Input
              value={draft.tag}
              maxLength={MAX.CodeRequest.tag}
              autoComplete="off"
              placeholder="podcast"
              onChange={(event) => set({ tag: event.target.value })}
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

function requestOf(draft: CodeDraft, zone: string): CodeRequest {
  const code = draft.code.trim();
  const { limit = Number(draft.limit), ...rest } = changesOf(draft, NEW_CODE, zone);
  const does = draft.does === 'admit' ? {} : { does: draft.does, places: Number(draft.places) };
  return { ...(code === '' ? {} : { code }), ...does, limit, ...rest };
}
