/** The page works without it; with it, choosing an app shows its evidence at once and its neighbours in the graph. */
export const pageScript = `
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const card = document.getElementById('card'), body = document.getElementById('card-body');
function choose(n) {
  const row = n === undefined ? null : document.getElementById('node-' + n);
  all('.chosen,.near').forEach((e) => e.classList.remove('chosen', 'near'));
  all('.graph svg').forEach((e) => e.classList.toggle('choosing', row !== null));
  card.hidden = row === null;
  if (row === null) return;
  all('[data-n="' + n + '"]').forEach((e) => e.classList.add('chosen'));
  all('[data-f="' + n + '"],[data-t="' + n + '"]').forEach((e) => {
    e.classList.add('near');
    for (const end of [e.dataset.f, e.dataset.t]) all('.graph [data-n="' + end + '"]').forEach((m) => m.classList.add('near'));
  });
  const title = document.createElement('h3');
  title.textContent = row.querySelector('th').textContent;
  const parts = all('.state, .more > p, .more dl', row).map((e) => {
    const copy = e.cloneNode(true);
    if (copy.tagName !== 'TD') return copy;
    const line = document.createElement('p');
    line.append(...copy.childNodes);
    return line;
  });
  body.replaceChildren(title, ...parts);
}
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#node-"]');
  if (link === null) return;
  event.preventDefault();
  choose(link.getAttribute('href').slice(6));
});
document.getElementById('close').addEventListener('click', () => choose());
document.addEventListener('keydown', (event) => { if (event.key === 'Escape') choose(); });
const line = document.getElementById('filter-line'), input = document.getElementById('filter');
if (line !== null) {
  line.hidden = false;
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\\s+/);
    all('tbody tr').forEach((row) => {
      const hidden = !words.every((word) => row.dataset.find.toLowerCase().includes(word));
      row.hidden = hidden;
      all('.timeline [data-n="' + row.dataset.n + '"]').forEach((e) => { e.hidden = hidden; });
    });
  });
}
const zoom = document.getElementById('zoom');
if (zoom !== null) {
  zoom.hidden = false;
  zoom.addEventListener('click', () => {
    const full = document.querySelector('.graph').classList.toggle('full');
    zoom.setAttribute('aria-pressed', String(full));
  });
}
`;
