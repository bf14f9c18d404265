import { Button } from '../../ui/button.tsx';
import { Progress } from '../../ui/progress.tsx';

interface UploadProgressProps {
  sent: number;
  size: number;
  onCancel: () => void;
}

/** Once the server has the whole file, the job is what can be cancelled. */
export function UploadProgress({ sent, size, onCancel }: UploadProgressProps) {
  const isSending = sent < size;
  return (
    <div className="flex flex-col gap-2">
      <Progress label="Upload" value={sent} max={size} />
      <div className="flex min-h-8 items-center justify-between gap-3">
        <p className="text-sm text-mute tabular-nums">
          {isSending ? `Uploading, ${Math.floor((sent / size) * 100)}%` : 'Reading the file'}
        </p>
        {isSending && (
          <Button size="sm" onClick={onCancel}>
            Cancel upload
          </Button>
        )}
      </div>
    </div>
  );
}
