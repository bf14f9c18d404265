import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { ApiError, api, call, type Schemas } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import { addPasskey, passkeysWork, whyNoPasskeys } from '../../api/passkeys.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { browserName } from './browser-name.ts';

type Passkey = Schemas['Passkey'];

const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: async () => (await call(api.GET('/admin/v1/me/passkeys'))).passkeys,
});

export function PasskeysCard() {
  const client = useQueryClient();
  const query = useQuery(passkeysQuery);
  const [open, setOpen] = useState<'add' | { remove: Passkey } | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: passkeysQuery.queryKey });
  return (
    <Card
      title="Passkeys"
      about="Sign in with your fingerprint, your face or a security key, without a password."
      actions={
        passkeysWork && (
          <Button size="sm" onClick={() => setOpen('add')}>
            Add passkey
          </Button>
        )
      }
    >
      <QueryProblem query={query}>
        {query.data === undefined ? (
          <Skeleton className="h-10" />
        ) : query.data.length === 0 ? (
          <p className="text-mute">{passkeysWork ? 'No passkeys yet.' : whyNoPasskeys()}</p>
        ) : (
          <ul className="flex flex-col">
            {query.data.map((passkey) => (
              <li
                key={passkey.id}
                className="flex items-center gap-3 border-b py-2.5 first:pt-0 last:border-0 last:pb-0"
              >
                <Fingerprint className="size-4 shrink-0 text-mute" aria-hidden />
                <span className="flex min-w-0 flex-1 flex-col">
                  <span className="truncate font-medium" title={passkey.name}>
                    {passkey.name}
                  </span>
                  <span className="text-sm text-mute">
                    {passkey.lastUsedAt === null ? (
                      'Never used'
                    ) : (
                      <>
                        Last used <RelativeTime at={passkey.lastUsedAt} />
                      </>
                    )}
                  </span>
                </span>
                <Button
                  size="sm"
                  look="quiet"
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() => setOpen({ remove: passkey })}
                >
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        )}
      </QueryProblem>
      {open === 'add' && <AddDialog onClose={() => setOpen(null)} onAdded={refresh} />}
      {open !== null && open !== 'add' && (
        <ConfirmDialog
          open
          onClose={() => setOpen(null)}
          title={`Remove ${open.remove.name}?`}
          about="You can no longer sign in with it."
          action="Remove passkey"
          onConfirm={async () => {
            await call(
              api.DELETE('/admin/v1/me/passkeys/{passkeyId}', {
                params: { path: { passkeyId: open.remove.id } },
              }),
            );
            await refresh();
            toast(`Removed ${open.remove.name}`);
          }}
        />
      )}
    </Card>
  );
}

/** Asks for the password only if the server wants it. */
function AddDialog({ onClose, onAdded }: { onClose: () => void; onAdded: () => Promise<unknown> }) {
  const [name, setName] = useState(() => browserName(navigator.userAgent));
  const [password, setPassword] = useState<string | undefined>(undefined);
  return (
    <FormDialog
      title="Add a passkey"
      about="Your browser asks you to confirm that it is you."
      action="Continue"
      onClose={onClose}
      onSubmit={async () => {
        try {
          await addPasskey(name, password);
        } catch (error) {
          if (password === undefined && ApiError.from(error).isAbout('password')) return setPassword('');
          throw error;
        }
        await onAdded();
        toast(`Added ${name}`);
        onClose();
      }}
    >
      {(problem) => (
        <>
          <Field label="Name" help="To tell your passkeys apart." error={problem('name')}>
            <Input
              required
              maxLength={MAX.PasskeyName.name}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          {password !== undefined && (
            <Field
              label="Password"
              help="Needed because you signed in a while ago."
              error={problem('password')}
            >
              <Input
                required
                type="password"
                autoComplete="current-password"
                value={password}
                onChange={(event) => setPassword(event.target.value)}
              />
            </Field>
          )}
        </>
      )}
    </FormDialog>
  );
}
