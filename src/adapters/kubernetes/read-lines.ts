/** The lines of a byte stream, wherever its chunks are cut; the last one need not end. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of chunks) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      yield pending + part;
      pending = '';
    }
    pending += last;
  }
  pending += decoder.decode();
  if (pending !== '') yield pending;
}
