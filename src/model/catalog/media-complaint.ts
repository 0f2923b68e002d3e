/** The maximum number of characters of a message that are searched. */
const MAX_SEARCHED = 4096;

/** Words for an image, a document or audio, including the type names of content parts. */
const MEDIA = "(?:images?|image_url|input_image|pdfs?|documents?|audio|input_audio|input_file|media|vision|multimodal)";

/** Errors of providers and local servers about a file that they cannot read or that a model does not accept. */
const COMPLAINTS: readonly RegExp[] = [
  // Anthropic, OpenAI, Gemini, Mistral, xAI, vLLM, llama.cpp: "Could not process image", "Unable to process input image"
  new RegExp(
    `\\b(?:could not|cannot|can't|unable to|failed to|error while) (?:process|read|load|parse|decode|download|open|identify|fetch)[\\w ]{0,30}\\b${MEDIA}\\b`,
  ),
  // "invalid image", "unsupported image", "unsupported file", "Invalid MIME type", "Unsupported MIME type: image/gif"
  new RegExp(
    `\\b(?:invalid|unsupported|corrupt(?:ed)?|unknown|unrecogni[sz]ed)[_ ](?:${MEDIA}|mime|media[_ ]type|content[ -]type encountered|base64)`,
  ),
  // "image input is not supported", "The provided image is not valid", "image_url is only supported by certain models"
  new RegExp(
    `\\b${MEDIA}\\b[\\w \`'"/.()-]{0,60}\\b(?:not|only) (?:currently )?(?:supported|valid|enabled|allowed|available)`,
  ),
  // "model does not support images", "No endpoints found that support image input", "is not a multimodal model"
  new RegExp(
    `\\b(?:(?:not|n't) (?:support|accept|have)|no endpoints found that support|not an?)[\\w ]{0,30}\\b${MEDIA}\\b`,
  ),
  // DeepSeek: "unknown variant \`image_url\`, expected \`text\`"
  new RegExp(`\\b(?:unknown|unexpected|invalid) (?:variant|value|type|content)\\W{0,4}${MEDIA}\\b`),
  // Anthropic: "messages.0.content.1.image.source.base64.data: ...", "The PDF specified was not valid", "password protected"
  new RegExp(
    `\\b(?:image|document)\\.source\\.|\\bpdf (?:specified|is|was)\\b|\\b${MEDIA}\\b[\\w ]{0,40}\\bappears to be\\b`,
  ),
  // OpenAI: "does not represent a valid image"; Gemini: "The document has no pages."; Ollama: "missing data required for image input"
  /valid (?:image|pdf|base64)|document has no pages|required for image|image_parse_error|invalid_image|invalid base64/,
  // Groq, for a model without vision, before it reads the parts of the message
  /messages\[\d+\]\.content must be a string/,
];

/** True if an error text blames an image, a document or audio for a refusal. */
export function complainsAboutMedia(text: string): boolean {
  const searched = text.slice(0, MAX_SEARCHED).toLowerCase();
  return COMPLAINTS.some((pattern) => pattern.test(searched));
}
