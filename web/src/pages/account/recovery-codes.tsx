import { Download } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { download } from '../../ui/download.ts';

export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = `${codes.join('\n')}\n`;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save your recovery codes"
      about="Each works once, in place of a code from the app, if you lose your device. They are shown only now."
      actions={
        <>
          <Button
            icon={<Download aria-hidden />}
            onClick={() => download('doorlist-recovery-codes.txt', text, 'text/plain')}
          >
            Download
          </Button>
          <Button look="primary" onClick={onClose}>
            I have saved them
          </Button>
        </>
      }
    >
      <div className="flex items-start gap-2 rounded-lg bg-sunken p-4 ring-1 ring-line">
        <ul className="grid flex-1 grid-cols-1 gap-x-6 gap-y-1.5 font-mono text-sm sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyButton text={text} what="recovery codes" size="sm" />
      </div>
    </Dialog>
  );
}
