import { useQueryClient } from '@tanstack/react-query';
import { ApiError, type Schemas, type Tagged } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { changedFields } from '../../ui/changed-fields.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { type Labels, useSettings } from '../../ui/use-settings.ts';
import { type HeadersDraft, HeadersField, headersOf } from './headers-field.tsx';
import {
  createEndpoint,
  type Endpoint,
  type EndpointInput,
  EVENTS,
  type EventKind,
  endpointQuery,
  updateEndpoint,
} from './webhooks.ts';

/** Headers as they were typed, which can be wrong. */
type Changes = Omit<Schemas['WebhookEndpointChanges'], 'headers'> & { typed?: HeadersDraft };

interface EndpointFormProps {
  scope: Scope;
  /** To change this one. Without it, a new one is created. */
  endpoint?: Tagged<Endpoint>;
  onClose: () => void;
  /** The secret is only there for a new endpoint. */
  onSaved: (saved: Endpoint & { secret?: string }) => Promise<unknown>;
}

type Settings = (Endpoint & { etag?: string; secret?: string }) | undefined;

function draftOf(endpoint: Settings) {
  const { url = '', description = '', events = [], headers = [], rateLimit = null } = endpoint ?? {};
  return {
    url: url ?? '',
    description,
    all: events.length === 0,
    events: events as EventKind[],
    /** Names of those that are sent now. */
    sent: headers,
    headers: { choice: headers.length > 0 ? 'keep' : 'replace', text: '' } as HeadersDraft,
    rateLimit: rateLimit?.toString() ?? '',
  };
}
type Draft = ReturnType<typeof draftOf>;

function settingsOf({ url, description, all, events, rateLimit }: Draft) {
  return {
    url: url.trim(),
    description: description.trim(),
    events: all ? [] : events,
    rateLimit: rateLimit === '' ? null : Number(rateLimit),
  };
}

function changesOf(from: Settings, draft: Draft): Changes {
  const settings = settingsOf(draft);
  const { choice, text } = draft.headers;
  const isTyped = choice === 'remove' || (choice === 'replace' && text.trim() !== '');
  return {
    ...(from ? changedFields(from, settings) : settings),
    ...(isTyped ? { typed: draft.headers } : {}),
  };
}

const HEADER_CHOICES = { keep: 'Keep', replace: 'Replace', remove: 'Remove' };

const LABELS: Labels<Draft> = {
  url: 'URL',
  description: 'Description',
  all: 'All events',
  events: { label: 'Events', words: (events) => events.toSorted().join('\n') || 'All' },
  sent: { label: 'Headers', words: (names) => names.toSorted().join(', ') || 'None' },
  headers: { label: 'New headers', words: ({ choice, text }) => text.trim() || HEADER_CHOICES[choice] },
  rateLimit: { label: 'Rate limit', words: (limit) => limit || 'No limit' },
};

export function EndpointForm({ scope, endpoint, onClose, onSaved }: EndpointFormProps) {
  const client = useQueryClient();
  const { draft, set, meanwhile, save } = useSettings<Settings, Draft, Changes>({
    saved: endpoint,
    draftOf,
    changesOf,
    save: ({ typed, ...changes }, from) => {
      const body = { ...changes, ...(typed ? headersOf(typed) : {}) };
      return from
        ? updateEndpoint(scope, from.id, body, from.etag)
        : createEndpoint(scope, body as EndpointInput);
    },
    others: {
      labels: LABELS,
      reload: async () =>
        endpoint && (await client.fetchQuery({ ...endpointQuery(scope, endpoint.id), staleTime: 0 })),
    },
  });
  const { all, events } = draft;
  const choose = (kind: EventKind, chosen: boolean) =>
    set({ events: chosen ? [...events, kind] : events.filter((each) => each !== kind) });
  return (
    <FormDialog
      wide
      title={endpoint ? 'Edit endpoint' : 'Add an endpoint'}
      about={`Events of ${scope.waitlistId} in ${scope.environment} are posted to it as signed JSON.`}
      action={endpoint ? 'Save changes' : 'Add endpoint'}
      onClose={onClose}
      meanwhile={meanwhile}
      onSubmit={async (over) => {
        if (!all && events.length === 0)
          throw new ApiError(0, 'invalid_request', 'events: choose at least one, or all events');
        const saved = await save(over);
        if (saved) await onSaved(saved);
      }}
    >
      {(problem) => (
        <>
          <Field label="URL" error={problem('url')}>
            <Input
              required
              type="url"
              inputMode="url"
              maxLength={MAX.WebhookEndpointRequest.url}
              autoComplete="off"
              spellCheck={false}
              placeholder="https://example.com/hooks/doorlist"
              value={draft.url}
              onChange={(event) => set({ url: event.target.value })}
            />
          </Field>
          <Field label="Description" help="Optional. What it is for." error={problem('description')}>
            <Input
              maxLength={MAX.WebhookEndpointRequest.description}
              autoComplete="off"
              value={draft.description}
              onChange={(event) => set({ description: event.target.value })}
            />
          </Field>
          <fieldset className="flex flex-col gap-2.5">
            <legend className="pb-1.5 text-sm font-medium">Events</legend>
            <Checkbox
              label="All events"
              help="Including those of later versions."
              checked={all}
              onChange={(next) => set({ all: next })}
            />
            {!all && (
              <div className="grid gap-2.5 border-t pt-3 sm:grid-cols-2">
                {EVENTS.map(({ kind, about }) => (
                  <Checkbox
                    key={kind}
                    label={<code className="font-mono text-sm">{kind}</code>}
                    help={about}
                    checked={events.includes(kind)}
                    onChange={(chosen) => choose(kind, chosen)}
                  />
                ))}
              </div>
            )}
            {problem('events') && (
              <p role="alert" className="text-sm text-danger">
                {problem('events')}
              </p>
            )}
          </fieldset>
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-[minmax(0,1fr)_10rem]">
            <HeadersField
              sent={draft.sent}
              draft={draft.headers}
              onChange={(headers) => set({ headers })}
              error={problem('headers')}
            />
            <Field label="Rate limit" help="Requests a second. Empty: no limit." error={problem('rateLimit')}>
              <Input
                type="number"
                min={1}
                value={draft.rateLimit}
                onChange={(event) => set({ rateLimit: event.target.value })}
              />
            </Field>
          </div>
        </>
      )}
    </FormDialog>
  );
}
