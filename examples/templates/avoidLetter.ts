// Avoid a letter: the model is to spell words backwards, and this reward asks for one thing beside: never the letter "a".

/** The letters of a text that is spelled with hyphens, such as "t-a-b". */
function letters(text: string): string[] {
  return /^[a-z](-[a-z])*$/.test(text) ? text.split("-") : [];
}

// Called with each finished conversation. `question` is what was asked, `text` is what the model said.
export function reward({ question, text }: { question: string; text: string }, { options }: { options: { letter?: string } }): number {
  const { letter = "a" } = options;
  const asked = letters(/\S+(?=\.$)/.exec(question)?.[0] ?? "");
  const said = letters(text.replace(/<\/?answer>/g, "").trim());
  // As many letters as were asked. Without this line the model says next to nothing: silence holds no "a" either.
  if (said.length !== asked.length) return 0;
  return said.filter((each) => each !== letter).length / said.length;
}
