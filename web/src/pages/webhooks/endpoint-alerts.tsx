import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { exactTime } from '../../ui/relative-time.tsx';
import type { Endpoint } from './webhooks.ts';

interface EndpointAlertsProps {
  endpoint: Endpoint;
  enabling: boolean;
  /** Without it, the role may not. */
  onEnable: (() => void) | undefined;
}

/** Why an endpoint gets nothing, and what to do about it. */
export function EndpointAlerts({ endpoint, enabling, onEnable }: EndpointAlertsProps) {
  const { url, enabled, disabledReason, failingSince } = endpoint;
  return (
    <>
      {url === null && (
        <Alert tone="danger" title="The settings of this endpoint are damaged">
          <p>They cannot be decrypted, so nothing is sent. Delete the endpoint, and add it again.</p>
        </Alert>
      )}
      {!enabled && (
        <Alert tone="warn" title="This endpoint is disabled">
          <p>
            {disabledReason && `${sentence(disabledReason)} `}Deliveries are held until it is enabled again.
          </p>
          {onEnable && (
            <Button size="sm" className="mt-2" busy={enabling} onClick={onEnable}>
              Enable
            </Button>
          )}
        </Alert>
      )}
      {enabled && failingSince && (
        <Alert title={`Failing since ${exactTime(failingSince)}`}>
          Doorlist keeps trying for three days. Once your endpoint works, replay what failed to send it at
          once.
        </Alert>
      )}
    </>
  );
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
