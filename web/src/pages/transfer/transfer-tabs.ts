export const TRANSFER_TABS = ['import', 'export'] as const;
export type TransferTab = (typeof TRANSFER_TABS)[number];
