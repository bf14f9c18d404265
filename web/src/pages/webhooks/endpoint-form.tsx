import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { changedFields } from '../../ui/changed-fields.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { type HeadersDraft, HeadersField, headersOf } from './headers-field.tsx';
import { createEndpoint, type Endpoint, EVENTS, type EventKind, updateEndpoint } from './webhooks.ts';

interface EndpointFormProps {
  scope: Scope;
  /** To change this one. Without it, a new one is created. */
  endpoint?: Endpoint;
  onClose: () => void;
  /** The secret is only there for a new endpoint. */
  onSaved: (saved: Endpoint & { secret?: string }) => Promise<unknown>;
}

export function EndpointForm({ scope, endpoint: given, onClose, onSaved }: EndpointFormProps) {
  const [endpoint] = useState(given);
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [all, setAll] = useState((endpoint?.events.length ?? 0) === 0);
  const [events, setEvents] = useState(new Set(endpoint?.events as EventKind[] | undefined));
  const [headers, setHeaders] = useState<HeadersDraft>({
    choice: endpoint && endpoint.headers.length > 0 ? 'keep' : 'replace',
    text: '',
  });
  const [rateLimit, setRateLimit] = useState(endpoint?.rateLimit?.toString() ?? '');
  const save = async () => {
    if (!all && events.size === 0)
      throw new ApiError(0, 'invalid_request', 'events: choose at least one, or all events');
    const settings = {
      url: url.trim(),
      description: description.trim(),
      events: all ? [] : [...events],
      rateLimit: rateLimit === '' ? null : Number(rateLimit),
    };
    const secrets = headersOf(headers);
    await onSaved(
      endpoint
        ? await updateEndpoint(scope, endpoint.id, { ...changedFields(endpoint, settings), ...secrets })
        : await createEndpoint(scope, { ...settings, ...secrets }),
    );
  };
  const choose = (kind: EventKind, chosen: boolean) => {
    const next = new Set(events);
    if (chosen) next.add(kind);
    else next.delete(kind);
    setEvents(next);
  };
  return (
    <FormDialog
      wide
      title={endpoint ? 'Edit endpoint' : 'Add an endpoint'}
      about={`Events of ${scope.waitlistId} in ${scope.environment} are posted to it as signed JSON.`}
      action={endpoint ? 'Save changes' : 'Add endpoint'}
      onClose={onClose}
      onSubmit={save}
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
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          </Field>
          <Field label="Description" help="Optional. What it is for." error={problem('description')}>
            <Input
              maxLength={MAX.WebhookEndpointRequest.description}
              autoComplete="off"
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          </Field>
          <fieldset className="flex flex-col gap-2.5">
            <legend className="pb-1.5 text-sm font-medium">Events</legend>
            <Checkbox
              label="All events"
              help="Including those of later versions."
              checked={all}
              onChange={setAll}
            />
            {!all && (
              <div className="grid gap-2.5 border-t pt-3 sm:grid-cols-2">
                {EVENTS.map(({ kind, about }) => (
                  <Checkbox
                    key={kind}
                    label={<code className="font-mono text-sm">{kind}</code>}
                    help={about}
                    checked={events.has(kind)}
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
              sent={endpoint?.headers ?? []}
              draft={headers}
              onChange={setHeaders}
              error={problem('headers')}
            />
            <Field label="Rate limit" help="Requests a second. Empty: no limit." error={problem('rateLimit')}>
              <Input
                type="number"
                min={1}
                value={rateLimit}
                onChange={(event) => setRateLimit(event.target.value)}
              />
            </Field>
          </div>
        </>
      )}
    </FormDialog>
  );
}
