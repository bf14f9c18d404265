/** Looks that menus, selects and the command palette share. */
export const POPUP =
  'popup-motion z-50 min-w-(--anchor-width) max-h-[min(24rem,var(--available-height))] overflow-y-auto rounded-lg bg-raised p-1 text-base shadow-lg ring-1 ring-line outline-none';
export const POPUP_ITEM =
  'flex min-h-8 cursor-default items-center gap-2 rounded-sm px-2 py-1 outline-none select-none data-[highlighted]:bg-hover data-[disabled]:opacity-50';
