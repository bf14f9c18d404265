import { useNavigate } from '@tanstack/react-router';
import { Eye, MoreHorizontal, Pause, Pencil, Play, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { buttonClass } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { RotateSecretDialog, SecretDialog, type ShownSecret, ShowSecretDialog } from './secret-dialogs.tsx';
import { deleteEndpoint, type Endpoint, nameOf } from './webhooks.ts';

export type Asking = 'edit' | 'rotate' | 'secret' | 'disable' | 'delete' | 'replay';

interface EndpointMenuProps {
  endpoint: Endpoint;
  onAsk: (what: Asking) => void;
  onEnable: () => void;
}

export function EndpointMenu({ endpoint, onAsk, onEnable }: EndpointMenuProps) {
  return (
    <Menu
      trigger={
        <button type="button" aria-label="More actions" className={buttonClass()}>
          <MoreHorizontal aria-hidden />
        </button>
      }
    >
      {endpoint.url !== null && (
        <>
          <MenuItem icon={<Pencil aria-hidden />} onClick={() => onAsk('edit')}>
            Edit
          </MenuItem>
          <MenuItem icon={<Eye aria-hidden />} onClick={() => onAsk('secret')}>
            Show signing secret
          </MenuItem>
          <MenuItem icon={<RefreshCw aria-hidden />} onClick={() => onAsk('rotate')}>
            Rotate signing secret
          </MenuItem>
        </>
      )}
      {endpoint.enabled ? (
        <MenuItem icon={<Pause aria-hidden />} onClick={() => onAsk('disable')}>
          Disable
        </MenuItem>
      ) : (
        <MenuItem icon={<Play aria-hidden />} onClick={onEnable}>
          Enable
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem danger icon={<Trash2 aria-hidden />} onClick={() => onAsk('delete')}>
        Delete
      </MenuItem>
    </Menu>
  );
}

interface EndpointDialogsProps {
  endpoint: Tagged<Endpoint>;
  asking: Asking | null;
  onAsk: (what: Asking | null) => void;
  onChanged: () => Promise<unknown>;
  onDisable: () => Promise<unknown>;
}

/** What the page asks before it does it. */
export function EndpointDialogs({ endpoint, asking, onAsk, onChanged, onDisable }: EndpointDialogsProps) {
  const scope = useScope();
  const navigate = useNavigate();
  const [shown, setShown] = useState<ShownSecret | null>(null);
  const close = () => onAsk(null);
  const ask = { scope, endpointId: endpoint.id, onClose: close };
  const show = (secret: ShownSecret) => {
    close();
    setShown(secret);
  };
  if (shown) return <SecretDialog shown={shown} onClose={() => setShown(null)} />;
  if (asking === 'rotate') return <RotateSecretDialog {...ask} onShown={show} />;
  if (asking === 'secret') return <ShowSecretDialog {...ask} onShown={show} />;
  if (asking === 'replay') return <ReplayDialog endpoint={endpoint} onClose={close} onDone={onChanged} />;
  if (asking === 'edit')
    return (
      <EndpointForm
        scope={scope}
        endpoint={endpoint}
        onClose={close}
        onSaved={async () => {
          await onChanged();
          close();
          toast('Saved');
        }}
      />
    );
  return (
    <>
      <ConfirmDialog
        open={asking === 'disable'}
        onClose={close}
        title="Disable this endpoint?"
        about={`Events in ${scope.environment} are held, and sent once you enable it again.`}
        action="Disable endpoint"
        onConfirm={async () => {
          await onDisable();
          await onChanged();
          toast('Endpoint disabled');
        }}
      />
      <ConfirmDialog
        open={asking === 'delete'}
        onClose={close}
        title="Delete this endpoint?"
        about={`${nameOf(endpoint)} gets no more events of ${scope.waitlistId} in ${scope.environment}. Its deliveries and their log are deleted too. This cannot be undone.`}
        action="Delete endpoint"
        typed={nameOf(endpoint)}
        onConfirm={async () => {
          await deleteEndpoint(scope, endpoint.id);
          toast('Endpoint deleted');
          await navigate({
            to: '/waitlists/$waitlistId/webhooks',
            params: { waitlistId: scope.waitlistId },
            search: environmentSearch(scope.environment),
            replace: true,
          });
          void onChanged();
        }}
      />
    </>
  );
}
