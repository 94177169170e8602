// The end of the diagram in sight, with a whole row at the top of what can be seen.

export function showEnd(list: HTMLOListElement): void {
  const scroll = list.closest(".scroll")!;
  list.style.paddingBottom = "";
  const from = scroll.scrollHeight - scroll.clientHeight;
  const rows = [...(list.children as HTMLCollectionOf<HTMLElement>)];
  const first = rows.find(({ hidden, offsetTop }) => !hidden && offsetTop >= from);
  if (from > 0 && first) {
    const { paddingBottom } = getComputedStyle(list);
    list.style.paddingBottom = `${Number.parseFloat(paddingBottom) + first.offsetTop - from}px`;
  }
  scroll.scrollTop = scroll.scrollHeight;
}
