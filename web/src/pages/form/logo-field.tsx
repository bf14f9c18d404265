import { useQueryClient } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { ApiError, api, call } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { type MailSettings, updateMailSettings } from '../emails/mails.ts';

const TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const BYTES_MAX = 256 * 1024;

/** The logo of pages and emails. It is saved as soon as it is chosen. */
export function LogoField({ scope, look }: { scope: Scope; look: MailSettings }) {
  const client = useQueryClient();
  const saved = async (done: string) => {
    await client.invalidateQueries({ queryKey: ['mail-settings', scope.waitlistId] });
    toast(done);
  };
  const { run, busy, error } = useAct(async (file: File | null) => {
    if (file) await uploadLogo(scope, file);
    else await updateMailSettings(scope, { logoUrl: null });
    await saved(file ? 'Saved the logo' : 'Removed the logo');
  });
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">Logo</span>
      <div className="flex flex-wrap items-center gap-2">
        <label
          className={cx(
            buttonClass('secondary', 'md'),
            'relative cursor-pointer focus-within:outline-2 focus-within:outline-accent',
            busy && 'opacity-55',
          )}
        >
          <Upload aria-hidden />
          {look.logoUrl === null ? 'Upload logo' : 'Replace logo'}
          <input
            type="file"
            aria-label="Logo"
            aria-describedby="logo-help"
            accept={TYPES.join(',')}
            disabled={busy}
            className="absolute inset-0 cursor-pointer opacity-0"
            onChange={({ target }) => {
              const [chosen] = target.files ?? [];
              if (chosen) void run(chosen);
              target.value = '';
            }}
          />
        </label>
        {look.logoUrl !== null && (
          <Button look="quiet" busy={busy} onClick={() => run(null)}>
            Remove
          </Button>
        )}
      </div>
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error.about('logo') ?? error.sentence}
        </p>
      )}
      <p id="logo-help" className="text-sm text-mute">
        PNG, JPEG or WebP, up to 256 KiB. Some mail programs do not show WebP.
      </p>
    </div>
  );
}

function uploadLogo({ waitlistId, environment }: Scope, file: File) {
  if (file.size > BYTES_MAX) throw new ApiError(0, 'invalid', 'this picture is larger than 256 KiB');
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/logo', {
      params: { path: { waitlistId }, query: { environment } },
      headers: { 'content-type': file.type || 'application/octet-stream' },
      body: file,
      bodySerializer: () => file,
    }),
  );
}
