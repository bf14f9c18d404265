import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Segment } from './segment.ts';
import { draftOf, isBlank, segmentOf } from './segment-draft.ts';
import { SegmentFields } from './segment-fields.tsx';

interface FilterDialogProps {
  segment: Segment;
  keys: readonly string[];
  onClose: () => void;
  onApply: (segment: Segment) => void;
}

export function FilterDialog({ segment, keys, onClose, onApply }: FilterDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(segment));
  return (
    <FormDialog
      title="Filter the queue"
      about="Shows the people who meet every condition."
      action="Apply filter"
      onClose={onClose}
      onSubmit={async () => {
        if (isBlank(draft)) throw new ApiError(0, 'empty', 'fill in at least one condition');
        onApply(segmentOf(draft));
        onClose();
      }}
    >
      {() => <SegmentFields draft={draft} onChange={setDraft} keys={keys} />}
    </FormDialog>
  );
}
