// What is wider than its place scrolls, and can be scrolled with the keyboard, too.
for (const wide of document.querySelectorAll(".tsd-typography table, pre, .tsd-signature")) {
  if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
}
